// SPDX-License-Identifier: GPL-2.0-or-later
#include "alignck/relocate.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define SCAN_STEP (4 * MIB)

/* A step that cannot be read: which sector of it is it? */
static uint64_t find_bad(struct io *disk, uint8_t *buffer, uint64_t at, uint64_t len, uint32_t unit)
{
	for (uint64_t i = 0; i < len; i += unit)
		if (io_read(disk, buffer, len - i < unit ? len - i : unit, at + i) < 0)
			return at + i;
	return at;
}

int relocation_scan(const struct relocation *rel, const struct plan *plan, struct reason *reason)
{
	const struct relocation_hooks *hooks = rel->hooks;
	uint32_t unit = rel->logical_sector_size ? rel->logical_sector_size : 512;
	autofree uint8_t *buffer = io_alloc(SCAN_STEP);
	uint64_t done = 0, total = 0;

	if (!buffer)
		return reason_set(reason, -ENOMEM, "no memory to read ahead");
	for (size_t i = 0; i < plan->move_count; i++)
		total += plan->moves[i].size;
	for (size_t i = 0; i < plan->move_count; i++) {
		const struct plan_move *m = &plan->moves[i];

		for (uint64_t at = 0; at < m->size; at += SCAN_STEP) {
			uint64_t len = m->size - at < SCAN_STEP ? m->size - at : SCAN_STEP;
			int r = io_read(rel->disk, buffer, len, m->from + at);

			if (r < 0)
				return reason_set(
					reason, r,
					"partition %u cannot be read at byte %" PRIu64
					" of the disk: %s; nothing was changed",
					m->number,
					find_bad(rel->disk, buffer, m->from + at, len, unit),
					strerror(-r));
			done += len;
			if (hooks->progress)
				hooks->progress(hooks->context, done, total);
			if (hooks->should_pause && hooks->should_pause(hooks->context))
				return reason_set(reason, -EINTR, "stopped; nothing was changed");
		}
	}
	return 0;
}
