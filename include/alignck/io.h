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

/* A window [offset, offset + size) of `lower`, which must outlive it. -ERANGE when it does not fit.
 */
int io_open_view(struct io *lower, uint64_t offset, uint64_t size, struct io **out);

#endif
