// SPDX-License-Identifier: GPL-2.0-or-later
/* The XDR nvlist of a ZFS label. */
#include "../../src/stack/decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t ashift;

	if (decode_zfs_label(data, size, &ashift) && (ashift < 9 || ashift > 16))
		__builtin_trap();
	return 0;
}
