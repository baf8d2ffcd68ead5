// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A whole partition, as extents: le32 offset in units of 8 bytes (from the end where the top bit is
 * set), le16 length, then the bytes; what is not given reads as zero. So a kept superblock needs no
 * more room than it has bytes. The first eight bytes: le32 size in KiB, le32 where the partition
 * starts, in sectors.
 *
 * Each decoder is also run on its own, on a buffer that ends where the input does, so that the
 * sanitizers see one byte too far.
 */
#include "../../src/stack/decode.h"
#include "../unit/memory_io.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEADER = 8, EXTENT = 6, UNIT = 8 };
#define FROM_END 0x80000000U

static void put_extents(struct memory_io *disk, uint64_t start, uint64_t len, const uint8_t *data,
			size_t size)
{
	while (size > EXTENT && disk->count < MEMORY_IO_EXTENTS) {
		uint32_t at = get_le32(data);
		size_t bytes = get_le16(data + 4);
		uint64_t offset = (uint64_t)(at & ~FROM_END) * UNIT;

		data += EXTENT;
		size -= EXTENT;
		if (bytes > size)
			bytes = size;
		if (at & FROM_END)
			offset = offset <= len ? len - offset : 0;
		memory_io_put(disk, start + offset, data, bytes);
		data += bytes;
		size -= bytes;
	}
}

static void run_decoders(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < signature_count; i++) {
		struct decoding d = {
			.bytes = data, .len = size, .at = signatures[i].super, .size = GIB
		};

		if (signatures[i].decode)
			signatures[i].decode(&d);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t start, len;
	struct content content;

	if (size < HEADER)
		return 0;
	len = get_le32(data) * KIB;
	start = get_le32(data + 4) * 512ULL;

	struct memory_io disk = memory_io_new(start + len);

	put_extents(&disk, start, len, data + HEADER, size - HEADER);
	if (read_content(&disk.io, start, len, 512, &content))
		__builtin_trap();
	if (content.count > STACK_DEPTH_MAX)
		__builtin_trap();
	for (size_t i = 0; i < content.count; i++)
		if (content.layers[i].has_data_offset &&
		    (content.layers[i].data_offset < start ||
		     content.layers[i].data_offset >= start + len))
			__builtin_trap();
	content_free(&content);

	uint8_t *exact = malloc(size - HEADER + 1);

	if (!exact)
		abort();
	memcpy(exact + 1, data + HEADER, size - HEADER);
	run_decoders(exact + 1, size - HEADER);
	free(exact);
	return 0;
}
