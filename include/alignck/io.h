/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_IO_H
#define ALIGNCK_IO_H

/*
 * io: the only door to the bytes of a disk or an image. An io is a row of operations whose first
 * argument is itself, so that layers stack: posix at the bottom; a view (a window of a lower io) on
 * top; in tests memory, fault and crash layers. Every call moves the whole length or returns
 * -errno; -EIO is never turned into zeros. Offsets and lengths are bytes.
 */

#include "alignck/util.h"

struct io;

struct io_ops {
	int (*read)(struct io *io, void *buf, size_t len, uint64_t offset);
	int (*write)(struct io *io, const void *buf, size_t len, uint64_t offset); /* may be NULL */
	int (*flush)(struct io *io); /* all earlier writes durable */
	int (*fd)(const struct io *io, uint64_t *base);
	void (*close)(struct io *io);
	int (*punch)(struct io *io, uint64_t len, uint64_t offset); /* may be NULL */
	int (*drop_cache)(struct io *io);                           /* may be NULL */
};

struct io {
	const struct io_ops *ops;
	uint64_t size; /* bytes that can be addressed */
};

/* Reads [offset, offset + len) whole: 0, -ENODATA past the end, or the device's -errno.
 */
int io_read(struct io *io, void *buf, size_t len, uint64_t offset);

/* Writes whole: 0 or -errno; -EROFS where the io was opened read-only, -ENOSPC past its size. */
int io_write(struct io *io, const void *buf, size_t len, uint64_t offset);
int io_flush(struct io *io);

/* Makes the range read as zeros and gives its blocks back: like a write of zeros in all else.
 * -EOPNOTSUPP where that cannot be done (the caller writes zeros). */
int io_punch(struct io *io, uint64_t len, uint64_t offset);

/* What is read from here on comes from the medium, not from a cache. Call it after a flush that
 * succeeded: pages not yet written stay. An io without a cache does nothing and returns 0. */
int io_drop_cache(struct io *io);

/* The file descriptor below, and where in it byte 0 of this io is; -1 when there is none. libblkid
 * needs it. The descriptor stays the io's. */
int io_fd(const struct io *io, uint64_t *base);

/* Closes this io, and not the one below it. NULL is fine. */
void io_close(struct io *io);
void cleanup_io(struct io **io);
#define autoio __attribute__((cleanup(cleanup_io)))

/*
 * Opens a regular file or block device read-only (O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, so
 * that a FIFO cannot hang us) and finds its size. 0 or -errno with the reason: directories, FIFOs,
 * character devices and sockets are refused by kind.
 */
int io_open_readonly(const char *path, struct io **out, struct reason *reason);

/*
 * Opens a block device or an image read-write and ours alone: O_EXCL on a device (-EBUSY when it is
 * mounted or held), an open-file-description lock on an image (-EBUSY when a running machine has
 * it). Past the page cache (O_DIRECT) where whole 512-byte sectors, or the device's, can be had so;
 * reads may then still be any bytes, writes must be whole logical sectors. flush is fdatasync.
 */
int io_open_readwrite(const char *path, struct io **out, struct reason *reason);

/*
 * A new file of `size` zero bytes, all of them allocated, durable together with its directory
 * entry; then as io_open_readwrite(). -EEXIST when the name is taken; nothing is left behind on
 * failure.
 */
int io_create_file(const char *path, uint64_t size, struct io **out, struct reason *reason);

/* Memory that O_DIRECT takes: aligned to IO_ALIGNMENT, uninitialised, free() it. NULL: no memory.
 */
#define IO_ALIGNMENT 4096
void *io_alloc(size_t size);

/* A window [offset, offset + size) of `lower`, which must outlive it. -ERANGE when it does not fit.
 */
int io_open_view(struct io *lower, uint64_t offset, uint64_t size, struct io **out);

/* Copy on write: reads see `lower` with what was written to the overlay on top; nothing ever
 * reaches `lower`, which must outlive it. For a few small writes: each read looks at all of them.
 */
int io_open_overlay(struct io *lower, struct io **out);

#endif
