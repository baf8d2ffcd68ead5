// SPDX-License-Identifier: GPL-2.0-or-later
/* A table written as text: read, written again where it was, and read once more. */
#include "alignck/description.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_again(const char *text, size_t len, const struct layout *layout)
{
	struct extent *places = calloc(layout->count + 1, sizeof(*places));
	struct layout *again = NULL;
	struct reason reason;
	char *written = NULL;
	size_t written_len;
	uint64_t size;
	bool is_exact;
	FILE *out = open_memstream(&written, &written_len);

	if (!places || !out)
		abort();
	for (size_t i = 0; i < layout->count; i++)
		places[i] =
			(struct extent){ layout->partitions[i].start,
					 layout->partitions[i].start + layout->partitions[i].size };
	if (write_description(text, len, layout, places, out, &reason))
		__builtin_trap();
	fclose(out);
	/* libfdisk takes types that it cannot read again, and writes them. */
	if (memmem(text, len, "label:", 6)) {
		free(written);
		free(places);
		return;
	}
	if (read_description(written, written_len, layout->sector_size, &again, &size, &is_exact,
			     &reason) ||
	    again->count != layout->count)
		__builtin_trap();
	for (size_t i = 0; i < layout->count; i++)
		if (again->partitions[i].start != layout->partitions[i].start ||
		    again->partitions[i].size != layout->partitions[i].size)
			__builtin_trap();
	layout_free(again);
	free(written);
	free(places);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1); /* ends where the input does */
	struct layout *layout;
	struct reason reason;
	uint64_t disk;
	bool is_exact;

	if (!text)
		abort();
	memcpy(text + 1, data, size);
	if (!read_description(text + 1, size, 512, &layout, &disk, &is_exact, &reason)) {
		for (size_t i = 0; i < layout->count; i++)
			if (layout->partitions[i].start + layout->partitions[i].size > INT64_MAX)
				__builtin_trap();
		write_again(text + 1, size, layout);
		layout_free(layout);
	}
	free(text);
	return 0;
}
