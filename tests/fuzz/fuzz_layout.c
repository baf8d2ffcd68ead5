// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * read_layout() on a sparse disk of any size. Input: u64 size; u8 flags (bits 0-1: sector size 512
 * to 4096, bit 2: may change); u16 how many of the bytes that follow are the disk's first; the rest
 * are its last.
 */
#include "layout_invariants.h"

enum { HEADER = 11 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < HEADER)
		return 0;

	struct memory_io disk = memory_io_new(get_le64(data));
	size_t head = get_le16(data + 9), rest = size - HEADER, tail;

	head = head < rest ? head : rest;
	tail = rest - head;
	if (tail > disk.io.size)
		tail = disk.io.size;
	memory_io_put(&disk, disk.io.size - tail, data + size - tail, tail);
	if (head > disk.io.size)
		head = disk.io.size;
	memory_io_put(&disk, 0, data + HEADER, head);
	fuzz_read_layout(&disk.io, 512U << (data[8] & 3), data[8] & 4);
	MUST(disk.bytes_read <= LAYOUT_READ_MAX);
	return 0;
}
