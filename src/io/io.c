// SPDX-License-Identifier: GPL-2.0-or-later
#include "alignck/io.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

/* O_DIRECT pins memory page by page and hands it on in as many pieces: with 4 KiB pages, that and
 * not the disk bounds a fast one. */
#define HUGE_PAGE (2 * MIB)

static bool is_inside(const struct io *io, size_t len, uint64_t offset)
{
	uint64_t end;

	return add_u64(offset, len, &end) && end <= io->size;
}

int io_read(struct io *io, void *buf, size_t len, uint64_t offset)
{
	if (!is_inside(io, len, offset))
		return -ENODATA;
	return io->ops->read(io, buf, len, offset);
}

int io_write(struct io *io, const void *buf, size_t len, uint64_t offset)
{
	if (!io->ops->write)
		return -EROFS;
	if (!is_inside(io, len, offset))
		return -ENOSPC;
	return io->ops->write(io, buf, len, offset);
}

int io_flush(struct io *io)
{
	return io->ops->flush ? io->ops->flush(io) : -EROFS;
}

int io_punch(struct io *io, uint64_t len, uint64_t offset)
{
	uint64_t end;

	if (!io->ops->write)
		return -EROFS;
	if (!add_u64(offset, len, &end) || end > io->size)
		return -ENOSPC;
	return io->ops->punch ? io->ops->punch(io, len, offset) : -EOPNOTSUPP;
}

int io_drop_cache(struct io *io)
{
	return io->ops->drop_cache ? io->ops->drop_cache(io) : 0;
}

void *io_alloc(size_t size)
{
	bool is_large = size >= HUGE_PAGE;
	void *p;

	if (posix_memalign(&p, is_large ? HUGE_PAGE : IO_ALIGNMENT, size ? size : 1))
		return NULL;
	/* Advice: a kernel without huge pages is slower, nothing else. */
	if (is_large)
		(void)madvise(p, size, MADV_HUGEPAGE);
	return p;
}

int io_fd(const struct io *io, uint64_t *base)
{
	return io->ops->fd ? io->ops->fd(io, base) : -1;
}

void io_close(struct io *io)
{
	if (io)
		io->ops->close(io);
}

void cleanup_io(struct io **io)
{
	io_close(*io);
}
