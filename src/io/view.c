// SPDX-License-Identifier: GPL-2.0-or-later
#include "alignck/io.h"

#include <errno.h>
#include <stdlib.h>

struct view_io {
	struct io io;
	struct io *lower;
	uint64_t offset;
};

static int view_read(struct io *io, void *buf, size_t len, uint64_t offset)
{
	const struct view_io *v = (const struct view_io *)io;

	return io_read(v->lower, buf, len, v->offset + offset);
}

static int view_write(struct io *io, const void *buf, size_t len, uint64_t offset)
{
	const struct view_io *v = (const struct view_io *)io;

	return io_write(v->lower, buf, len, v->offset + offset);
}

static int view_flush(struct io *io)
{
	return io_flush(((struct view_io *)io)->lower);
}

static int view_punch(struct io *io, uint64_t len, uint64_t offset)
{
	const struct view_io *v = (const struct view_io *)io;

	return io_punch(v->lower, len, v->offset + offset);
}

static int view_drop_cache(struct io *io)
{
	return io_drop_cache(((struct view_io *)io)->lower);
}

static int view_fd(const struct io *io, uint64_t *base)
{
	const struct view_io *v = (const struct view_io *)io;
	int fd = io_fd(v->lower, base);

	*base += v->offset;
	return fd;
}

static void view_close(struct io *io)
{
	free(io);
}

static const struct io_ops view_ops = {
	.read = view_read,
	.write = view_write,
	.flush = view_flush,
	.punch = view_punch,
	.drop_cache = view_drop_cache,
	.fd = view_fd,
	.close = view_close,
};

int io_open_view(struct io *lower, uint64_t offset, uint64_t size, struct io **out)
{
	uint64_t end;

	if (!add_u64(offset, size, &end) || end > lower->size)
		return -ERANGE;

	struct view_io *v = malloc(sizeof(*v));

	if (!v)
		return -ENOMEM;
	*v = (struct view_io){ { &view_ops, size }, lower, offset };
	*out = &v->io;
	return 0;
}
