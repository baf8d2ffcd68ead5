// SPDX-License-Identifier: GPL-2.0-or-later
#include "alignck/io.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct overlay_io {
	struct io io;
	struct io *lower;
	struct patch {
		uint64_t offset;
		size_t len;
		uint8_t *bytes;
	} * patches;
	size_t count, room;
};

static int overlay_read(struct io *io, void *buf, size_t len, uint64_t offset)
{
	const struct overlay_io *o = (const struct overlay_io *)io;
	int err = io_read(o->lower, buf, len, offset);

	for (size_t i = 0; !err && i < o->count; i++) {
		const struct patch *p = &o->patches[i];
		uint64_t from = p->offset > offset ? p->offset : offset;
		uint64_t to = p->offset + p->len < offset + len ? p->offset + p->len : offset + len;

		if (from < to)
			memcpy((uint8_t *)buf + (from - offset), p->bytes + (from - p->offset),
			       to - from);
	}
	return err;
}

/* Later writes lie over earlier ones, so they are kept in order. */
static int overlay_write(struct io *io, const void *buf, size_t len, uint64_t offset)
{
	struct overlay_io *o = (struct overlay_io *)io;
	uint8_t *bytes;

	if (o->count == o->room) {
		size_t room = o->room ? 2 * o->room : 16;
		void *patches = reallocarray(o->patches, room, sizeof(*o->patches));

		if (!patches)
			return -ENOMEM;
		o->patches = patches;
		o->room = room;
	}
	bytes = malloc(len);
	if (!bytes)
		return -ENOMEM;
	memcpy(bytes, buf, len);
	o->patches[o->count++] = (struct patch){ offset, len, bytes };
	return 0;
}

static int overlay_flush(struct io *io)
{
	(void)io; /* nothing of it lasts */
	return 0;
}

static void overlay_close(struct io *io)
{
	struct overlay_io *o = (struct overlay_io *)io;

	for (size_t i = 0; i < o->count; i++)
		free(o->patches[i].bytes);
	free(o->patches);
	free(o);
}

static const struct io_ops overlay_ops = {
	.read = overlay_read,
	.write = overlay_write,
	.flush = overlay_flush,
	.close = overlay_close,
};

int io_open_overlay(struct io *lower, struct io **out)
{
	struct overlay_io *o = calloc(1, sizeof(*o));

	if (!o)
		return -ENOMEM;
	o->io = (struct io){ .ops = &overlay_ops, .size = lower->size };
	o->lower = lower;
	*out = &o->io;
	return 0;
}
