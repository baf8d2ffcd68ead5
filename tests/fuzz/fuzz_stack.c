// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A whole partition, in the form of tests/unit/kept.h, so that a kept superblock needs no more room
 * than it has bytes. Each decoder is also run on its own, on a buffer that ends where the input
 * does, so that the sanitizers see one byte too far.
 */
#include "../../src/stack/decode.h"
#include "../unit/kept.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

	if (size < KEPT_HEADER)
		return 0;

	struct memory_io disk = kept_disk(data, size, &start, &len);

	if (read_content(&disk.io, start, len, 512, &content))
		__builtin_trap();
	if (content.count > STACK_DEPTH_MAX)
		__builtin_trap();
	if (disk.bytes_read > STACK_READ_MAX + 4 * 112 * KIB)
		__builtin_trap();
	for (size_t i = 0; i < content.count; i++)
		if (content.layers[i].has_data_offset &&
		    (content.layers[i].data_offset < start ||
		     content.layers[i].data_offset >= start + len))
			__builtin_trap();
	content_free(&content);

	uint8_t *exact = malloc(size - KEPT_HEADER + 1);

	if (!exact)
		abort();
	memcpy(exact + 1, data + KEPT_HEADER, size - KEPT_HEADER);
	run_decoders(exact + 1, size - KEPT_HEADER);
	free(exact);
	return 0;
}
