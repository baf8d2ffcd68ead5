// SPDX-License-Identifier: GPL-2.0-or-later
/* ext2, ext3, ext4: the kernel's Documentation/filesystems/ext4/super.rst, from byte 1024. */
#include "decode.h"

enum {
	LOG_BLOCK_SIZE = 24, /* le32: block = 1024 << n */
	SUPER_LEN = 1024,
	FEATURE_COMPAT = 92,
	FEATURE_INCOMPAT = 96,
	FEATURE_RO_COMPAT = 100,
	FLAGS = 352,
	RAID_STRIDE = 356, /* le16, blocks */

	COMPAT_HAS_JOURNAL = 0x4,
	INCOMPAT_JOURNAL_DEV = 0x8,
	/* filetype, meta_bg; ext3 also knows an unclean journal */
	INCOMPAT_EXT2 = 0x2 | 0x10,
	INCOMPAT_EXT3 = INCOMPAT_EXT2 | 0x4,
	/* sparse_super, large_file, btree_dir */
	RO_COMPAT_EXT3 = 0x1 | 0x2 | 0x4,
	FLAG_TEST_FILESYS = 0x4,
	LOG_BLOCK_SIZE_MAX = 6, /* 64 KiB */
};

/* The oldest driver that understands all its features, as mount and libblkid name it. */
static const char *ext_name(const uint8_t *sb)
{
	uint32_t compat = get_le32(sb + FEATURE_COMPAT);
	uint32_t incompat = get_le32(sb + FEATURE_INCOMPAT);
	uint32_t ro_compat = get_le32(sb + FEATURE_RO_COMPAT);

	if (incompat & INCOMPAT_JOURNAL_DEV)
		return "jbd";
	if (get_le32(sb + FLAGS) & FLAG_TEST_FILESYS)
		return "ext4dev";
	if ((incompat & ~(uint32_t)INCOMPAT_EXT3) || (ro_compat & ~(uint32_t)RO_COMPAT_EXT3))
		return "ext4";
	if (compat & COMPAT_HAS_JOURNAL)
		return "ext3";
	return incompat & ~(uint32_t)INCOMPAT_EXT2 ? "ext4" : "ext2";
}

enum outcome decode_ext(struct decoding *d)
{
	uint32_t shift;
	uint64_t block = 0;

	if (d->len < SUPER_LEN)
		return DECODE_NOT_THIS;
	name_layer(d, ext_name(d->bytes));
	shift = get_le32(d->bytes + LOG_BLOCK_SIZE);
	if (shift <= LOG_BLOCK_SIZE_MAX)
		block = 1024ULL << shift;
	d->layer.chunk_size = block * get_le16(d->bytes + RAID_STRIDE);
	return found_at(d, 0, block);
}
