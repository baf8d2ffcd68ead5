// SPDX-License-Identifier: GPL-2.0-or-later
/* The JSON area of a LUKS2 header. */
#include "../../src/stack/decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t offset, sector_size, other_offset, other_sector_size;
	const struct piece whole = { (const char *)data, size };
	const struct piece halves[] = { { whole.text, size / 2 },
					{ whole.text + size / 2, size - size / 2 } };
	enum outcome outcome = decode_luks2_json(&whole, 1, &offset, &sector_size);

	if (outcome == DECODE_FOUND && sector_size && !is_power_of_two(sector_size))
		__builtin_trap();

	/* Where a text that is JSON is cut makes no difference. (Of one that is not, "4-8", json-c
	 * may take a part.) */
	if (outcome == DECODE_FOUND &&
	    (decode_luks2_json(halves, 2, &other_offset, &other_sector_size) != DECODE_FOUND ||
	     offset != other_offset || sector_size != other_sector_size))
		__builtin_trap();
	if (outcome != DECODE_FOUND)
		decode_luks2_json(halves, 2, &other_offset, &other_sector_size);
	return 0;
}
