// SPDX-License-Identifier: GPL-2.0-or-later
/* The JSON area of a LUKS2 header. */
#include "../../src/stack/decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t offset, sector_size;

	if (decode_luks2_json((const char *)data, size, &offset, &sector_size) && sector_size &&
	    !is_power_of_two(sector_size))
		__builtin_trap();
	return 0;
}
