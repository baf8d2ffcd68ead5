/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The form of fuzz_stack's inputs, in which real superblocks are kept: a partition as extents. le32
 * size in KiB, le32 where it starts, in sectors; then le32 offset in units of 8 bytes (from the end
 * where the top bit is set), le16 length, the bytes, and so on. What is not given reads as zero.
 */
#ifndef ALIGNCK_TESTS_KEPT_H
#define ALIGNCK_TESTS_KEPT_H

#include "memory_io.h"

enum { KEPT_HEADER = 8, KEPT_EXTENT = 6, KEPT_UNIT = 8 };
#define KEPT_FROM_END 0x80000000U

/* A disk with that partition on it. `data` stays the caller's and must outlive it; size >=
 * KEPT_HEADER.
 */
static inline struct memory_io kept_disk(const uint8_t *data, size_t size, uint64_t *start,
					 uint64_t *len)
{
	*len = get_le32(data) * KIB;
	*start = get_le32(data + 4) * 512ULL;

	struct memory_io disk = memory_io_new(*start + *len);

	data += KEPT_HEADER;
	size -= KEPT_HEADER;
	while (size > KEPT_EXTENT && disk.count < MEMORY_IO_EXTENTS) {
		uint32_t at = get_le32(data);
		size_t bytes = get_le16(data + 4);
		uint64_t offset = (uint64_t)(at & ~KEPT_FROM_END) * KEPT_UNIT;

		data += KEPT_EXTENT;
		size -= KEPT_EXTENT;
		if (bytes > size)
			bytes = size;
		if (at & KEPT_FROM_END)
			offset = offset <= *len ? *len - offset : 0;
		memory_io_put(&disk, *start + offset, data, bytes);
		data += bytes;
		size -= bytes;
	}
	return disk;
}

#endif
