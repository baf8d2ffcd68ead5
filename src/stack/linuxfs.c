// SPDX-License-Identifier: GPL-2.0-or-later
/* File systems of Linux whose blocks count from the container's start, so that only the unit they
 * write in has to be found. Each names its kernel header. */
#include "decode.h"

#include <string.h>

/* include/uapi/linux/btrfs_tree.h, btrfs_super_block, at 64 KiB: le32 sectorsize. */
enum outcome decode_btrfs(struct decoding *d)
{
	enum { SECTORSIZE = 144 };
	uint32_t sector;

	if (d->len < SECTORSIZE + 4)
		return DECODE_NOT_THIS;
	sector = get_le32(d->bytes + SECTORSIZE);
	return found_at(d, 0, is_power_of_two(sector) && sector <= 65536 ? sector : 0);
}

/* include/linux/f2fs_fs.h, f2fs_super_block, at 1024: le32 log_blocksize. */
enum outcome decode_f2fs(struct decoding *d)
{
	enum { LOG_BLOCKSIZE = 16 };

	if (d->len < LOG_BLOCKSIZE + 4)
		return DECODE_NOT_THIS;
	return found_at(d, 0, block_of(get_le32(d->bytes + LOG_BLOCKSIZE)));
}

/* fs/jfs/jfs_superblock.h, at 32 KiB: le32 s_bsize, le16 s_l2bsize. */
enum outcome decode_jfs(struct decoding *d)
{
	enum { BSIZE = 16, L2BSIZE = 20 };
	uint32_t block;

	if (d->len < L2BSIZE + 2)
		return DECODE_NOT_THIS;
	block = get_le32(d->bytes + BSIZE);
	if (block != block_of(get_le16(d->bytes + L2BSIZE)))
		return DECODE_NOT_THIS;
	return found_at(d, 0, block);
}

/* fs/reiserfs/reiserfs.h, reiserfs_super_block_v1, at 64 KiB or 8 KiB: le16 s_blocksize. */
enum outcome decode_reiserfs(struct decoding *d)
{
	enum { BLOCKSIZE = 44 };
	uint16_t block;

	if (d->len < BLOCKSIZE + 2)
		return DECODE_NOT_THIS;
	block = get_le16(d->bytes + BLOCKSIZE);
	return found_at(d, 0, is_power_of_two(block) ? block : 0);
}

/* include/uapi/linux/nilfs2_ondisk.h, nilfs_super_block, at 1024. The two-byte magic is weak, so
 * its length and checksum count: crc32 with a seed, over s_bytes, s_sum taken as 0. */
enum outcome decode_nilfs2(struct decoding *d)
{
	enum { BYTES = 8, SEED = 12, SUM = 16, LOG_BLOCK_SIZE = 20, SUPER_MAX = 1024 };
	static const uint8_t zero[4];
	uint32_t crc;
	uint16_t bytes;

	if (d->len < SUPER_MAX)
		return DECODE_NOT_THIS;
	bytes = get_le16(d->bytes + BYTES);
	if (bytes < SUM + 4 || bytes > SUPER_MAX)
		return DECODE_NOT_THIS;
	/* crc32_update() inverts at both ends, this one at neither. */
	crc = crc32_update(~get_le32(d->bytes + SEED), d->bytes, SUM);
	crc = crc32_update(crc, zero, sizeof(zero));
	crc = ~crc32_update(crc, d->bytes + SUM + 4, bytes - SUM - 4);
	if (crc != get_le32(d->bytes + SUM))
		return DECODE_NOT_THIS;
	return found_at(d, 0, block_of(get_le32(d->bytes + LOG_BLOCK_SIZE) + 10));
}

/* include/uapi/linux/gfs2_ondisk.h, gfs2_sb, at 64 KiB: be32 formats and block size. */
enum outcome decode_gfs(struct decoding *d)
{
	enum { FS_FORMAT = 24, MULTIHOST_FORMAT = 28, BSIZE = 36, BSIZE_SHIFT = 40 };
	uint32_t format, multihost;

	if (d->len < BSIZE_SHIFT + 4)
		return DECODE_NOT_THIS;
	format = get_be32(d->bytes + FS_FORMAT);
	multihost = get_be32(d->bytes + MULTIHOST_FORMAT);
	if (format == 1309 && multihost == 1401)
		name_layer(d, "gfs");
	else if (format < 1800 || format >= 1900 || multihost < 1900 || multihost >= 2000)
		return DECODE_NOT_THIS;
	return found_at(d, 0, block_of(get_be32(d->bytes + BSIZE_SHIFT)));
}

/* fs/ocfs2/ocfs2_fs.h, ocfs2_dinode: the superblock is block 2, and names its size: le32
 * s_blocksize_bits, 56 bytes into the ocfs2_super_block at 192. */
enum outcome decode_ocfs2(struct decoding *d)
{
	enum { BLOCKSIZE_BITS = 192 + 56 };
	uint64_t block;

	if (d->len < BLOCKSIZE_BITS + 4)
		return DECODE_NOT_THIS;
	block = block_of(get_le32(d->bytes + BLOCKSIZE_BITS));
	return found_at(d, 0, block <= 4096 ? block : 0);
}

/* include/linux/squashfs: fs/squashfs/squashfs_fs.h, le16 major version at 28. Never written. */
enum outcome decode_squashfs(struct decoding *d)
{
	enum { MAJOR = 28 };
	bool swapped = d->len >= 4 && d->bytes[0] == 's';
	uint16_t major;

	if (d->len < MAJOR + 2)
		return DECODE_NOT_THIS;
	major = swapped ? get_be16(d->bytes + MAJOR) : get_le16(d->bytes + MAJOR);
	if (major < 4)
		name_layer(d, "squashfs3");
	else if (swapped)
		return DECODE_NOT_THIS;
	return found_at(d, 0, 0);
}

/* include/uapi/linux/cramfs_fs.h: a signature backs the four-byte magic. */
enum outcome decode_cramfs(struct decoding *d)
{
	if (d->len < 32 || memcmp(d->bytes + 16, "Compressed ROMFS", 16))
		return DECODE_NOT_THIS;
	return found_at(d, 0, 0);
}
