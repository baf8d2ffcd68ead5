/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_TESTS_MEMORY_IO_H
#define ALIGNCK_TESTS_MEMORY_IO_H

/*
 * A disk in memory, for tests and fuzzers: `size` bytes that read as zero but for the extents given
 * to it. Writable ones keep what is written in an array of their own. Sparse, so that a disk of 16
 * EiB costs nothing. There is no descriptor below (io_fd() is -1): libblkid stays out.
 *
 *     struct memory_io disk = memory_io_new(size);
 *     memory_io_put(&disk, offset, bytes, len);        bytes are not copied
 *     disk.fail_at = 512; disk.fail_error = -EIO;      reads that touch this byte fail
 *     read_layout(&disk.io, ...);
 */

#include "alignck/io.h"

#include <errno.h>
#include <string.h>

#define MEMORY_IO_EXTENTS 16

struct memory_io {
	struct io io; /* first: the ops cast back */
	struct {
		uint64_t offset;
		const uint8_t *bytes;
		size_t len;
	} extents[MEMORY_IO_EXTENTS];
	size_t count;
	uint8_t *writable;   /* with memory_io_wrap(): all of the disk, else NULL */
	int fail_error;      /* 0: never */
	uint64_t fail_at;    /* the byte that cannot be read */
	uint64_t reads;      /* calls so far */
	uint64_t bytes_read; /* and what they asked for */
	uint64_t flushes;
};

static inline int memory_io_read(struct io *io, void *buf, size_t len, uint64_t offset)
{
	struct memory_io *m = (struct memory_io *)io;

	m->reads++;
	m->bytes_read += len;
	if (m->fail_error && m->fail_at >= offset && m->fail_at - offset < len)
		return m->fail_error;
	if (m->writable) {
		memcpy(buf, m->writable + offset, len);
		return 0;
	}
	memset(buf, 0, len);
	for (size_t i = 0; i < m->count; i++) {
		uint64_t from = m->extents[i].offset, to = from + m->extents[i].len;
		uint64_t low = from > offset ? from : offset;
		uint64_t high = to < offset + len ? to : offset + len;

		if (low < high)
			memcpy((uint8_t *)buf + (low - offset), m->extents[i].bytes + (low - from),
			       high - low);
	}
	return 0;
}

static inline int memory_io_write(struct io *io, const void *buf, size_t len, uint64_t offset)
{
	struct memory_io *m = (struct memory_io *)io;

	if (!m->writable)
		return -EROFS;
	memcpy(m->writable + offset, buf, len);
	return 0;
}

static inline int memory_io_flush(struct io *io)
{
	((struct memory_io *)io)->flushes++;
	return 0;
}

static inline void memory_io_close(struct io *io)
{
	(void)io; /* it lives on the test's stack */
}

static inline struct memory_io memory_io_new(uint64_t size)
{
	static const struct io_ops ops = {
		.read = memory_io_read,
		.write = memory_io_write,
		.flush = memory_io_flush,
		.close = memory_io_close,
	};

	return (struct memory_io){ .io = { .ops = &ops, .size = size } };
}

/* The whole disk is the caller's array; it can be written. */
static inline struct memory_io memory_io_wrap(uint8_t *bytes, size_t size)
{
	struct memory_io m = memory_io_new(size);

	m.writable = bytes;
	return m;
}

/* Later extents cover earlier ones. What lies past the end of the disk is never read. */
static inline void memory_io_put(struct memory_io *m, uint64_t offset, const void *bytes,
				 size_t len)
{
	if (m->count == MEMORY_IO_EXTENTS)
		__builtin_trap();
	m->extents[m->count].offset = offset;
	m->extents[m->count].bytes = bytes;
	m->extents[m->count++].len = len;
}

#endif
