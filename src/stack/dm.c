// SPDX-License-Identifier: GPL-2.0-or-later
/* Device-mapper targets with a superblock of their own: the kernel's
 * Documentation/admin-guide/device-mapper. Their data is interleaved with tags, or elsewhere. */
#include "decode.h"

/* drivers/md/dm-integrity.c, struct superblock: u8 version at 8, u8 log2_sectors_per_block at 28.
 */
enum outcome decode_integrity(struct decoding *d)
{
	enum { VERSION = 8, LOG2_SECTORS_PER_BLOCK = 28 };

	if (d->len < LOG2_SECTORS_PER_BLOCK + 1 || !d->bytes[VERSION])
		return DECODE_NOT_THIS;
	d->layer.block_size = block_of(9U + d->bytes[LOG2_SECTORS_PER_BLOCK]);
	return found_name(d);
}

/* cryptsetup's lib/verity/verity.c, struct verity_sb: le32 version at 8. Never written. */
enum outcome decode_verity(struct decoding *d)
{
	enum { VERSION = 8 };

	if (d->len < VERSION + 4 || get_le32(d->bytes + VERSION) != 1)
		return DECODE_NOT_THIS;
	return found_name(d);
}
