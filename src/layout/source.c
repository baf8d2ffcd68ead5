// SPDX-License-Identifier: GPL-2.0-or-later
#include "internal.h"

#include <errno.h>
#include <string.h>

/*
 * One large read is what a healthy disk gets. On an unhealthy one it is repeated sector by sector
 * up to the first that fails, so that a bad sector 1 does not hide sector 0; no byte that could not
 * be read is ever taken for a zero.
 */
int source_open(struct source *source, struct io *io, struct reason *reason)
{
	size_t want = io->size < HEAD_MAX ? io->size : HEAD_MAX;
	size_t step = source->device_sector;

	source->io = io;
	if (want < 512)
		return reason_set(reason, -EINVAL, "cannot check: smaller than one sector");

	int r = io_read(io, source->head, want, 0);

	if (!r) {
		source->head_len = want;
		return 0;
	}
	while (source->head_len < want) {
		size_t len = want - source->head_len < step ? want - source->head_len : step;

		r = io_read(io, source->head + source->head_len, len, source->head_len);
		if (r < 0) {
			source->head_error = r;
			break;
		}
		source->head_len += len;
	}
	if (source->head_len < 512)
		return reason_set(reason, r, "cannot read sector 0: %s", strerror(-r));
	return 0;
}

void source_read_tail(struct source *source)
{
	size_t len = source->io->size < TAIL_MAX ? source->io->size : TAIL_MAX;

	if (!source->tail_len && !io_read(source->io, source->tail, len, source->io->size - len))
		source->tail_len = len;
}

int source_read(struct source *source, void *buf, size_t len, uint64_t offset)
{
	uint64_t tail = source->io->size - source->tail_len, end;

	if (!add_u64(offset, len, &end) || end > source->io->size)
		return -ENODATA;
	if (end <= source->head_len)
		memcpy(buf, source->head + offset, len);
	else if (source->tail_len && offset >= tail)
		memcpy(buf, source->tail + (offset - tail), len);
	else
		return io_read(source->io, buf, len, offset);
	return 0;
}
