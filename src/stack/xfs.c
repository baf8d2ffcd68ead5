// SPDX-License-Identifier: GPL-2.0-or-later
/* XFS: "XFS Algorithms & Data Structures", section 13 (superblock, xfs_dsb), all big-endian. */
#include "decode.h"

enum {
	BLOCK_SIZE = 4,    /* be32 */
	DATA_BLOCKS = 8,   /* be64 */
	AG_BLOCKS = 84,    /* be32 */
	AG_COUNT = 88,     /* be32 */
	SECTOR_SIZE = 102, /* be16 */
	INODE_SIZE = 104,  /* be16 */
	BLOCK_LOG = 120,   /* u8 */
	SECTOR_LOG = 121,  /* u8 */
	INODE_LOG = 122,   /* u8 */
	STRIPE_UNIT = 184, /* be32, blocks */
	SUPER_LEN = 192,
	AG_BLOCKS_MIN = 64,

	LOG_VERSION = 8,  /* xlog_rec_header: be32 version, 1 or 2 */
	LOG_LEN = 12,     /* be32 length of the record's body */
	LOG_FORMAT = 300, /* be32, 1 to 3 */
	LOG_HEADER = 512,
};

static bool is_log_of(uint64_t n, uint8_t log, uint8_t least, uint8_t most)
{
	return log >= least && log <= most && n == 1ULL << log;
}

enum outcome decode_xfs(struct decoding *d)
{
	const uint8_t *sb = d->bytes;
	uint64_t block, sector, blocks, groups, per_group;

	if (d->len < SUPER_LEN)
		return DECODE_NOT_THIS;
	block = get_be32(sb + BLOCK_SIZE);
	sector = get_be16(sb + SECTOR_SIZE);
	blocks = get_be64(sb + DATA_BLOCKS);
	groups = get_be32(sb + AG_COUNT);
	per_group = get_be32(sb + AG_BLOCKS);
	if (!is_log_of(block, sb[BLOCK_LOG], 9, 16) || !is_log_of(sector, sb[SECTOR_LOG], 9, 15) ||
	    !is_log_of(get_be16(sb + INODE_SIZE), sb[INODE_LOG], 8, 11) || !groups || !blocks ||
	    blocks > groups * per_group || blocks < (groups - 1) * per_group + AG_BLOCKS_MIN)
		return DECODE_NOT_THIS;

	/* The log and the group headers are written in sectors, which may be smaller. */
	d->layer.chunk_size = block * get_be32(sb + STRIPE_UNIT);
	return found_at(d, 0, sector < block ? sector : block);
}

enum outcome decode_xfs_log(struct decoding *d)
{
	uint32_t version, len, format;

	if (d->len < LOG_HEADER)
		return DECODE_NOT_THIS;
	version = get_be32(d->bytes + LOG_VERSION);
	len = get_be32(d->bytes + LOG_LEN);
	format = get_be32(d->bytes + LOG_FORMAT);
	if (version < 1 || version > 3 || !len || len > INT32_MAX || format < 1 || format > 3)
		return DECODE_NOT_THIS;
	return found_at(d, 0, 0);
}
