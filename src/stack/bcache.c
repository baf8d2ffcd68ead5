// SPDX-License-Identifier: GPL-2.0-or-later
/* bcache: the kernel's drivers/md/bcache/bcache_ondisk.h (cache_sb_disk), at byte 4096. bcachefs
 * has its superblock in the same place: fs/bcachefs/bcachefs_format.h (bch_sb). */
#include "decode.h"

enum {
	OFFSET = 8,         /* le64, sectors: where this superblock is */
	VERSION = 16,       /* le64 */
	FLAGS = 104,        /* le64; BDEV_STATE are the two from bit 61 on */
	DATA_OFFSET = 184,  /* le64, sectors: backing device with an offset */
	BLOCK_SIZE = 192,   /* le16, sectors */
	BUCKET_SIZE = 194,  /* le16, sectors: cache device */
	FIRST_BUCKET = 204, /* le16: cache device */
	SUPER_LEN = 208,
	VERSION_CACHE = 0,
	VERSION_BACKING = 1,
	VERSION_CACHE_UUID = 3,
	VERSION_BACKING_OFFSET = 4,
	BACKING_START = 16, /* BDEV_DATA_START_DEFAULT, sectors */
	SUPER_SECTOR = 8,
	SECTOR = 512,
	STATE_SHIFT = 61,
	STATE_CLEAN = 1, /* 0: never had a cache; 2, 3: what is new is in the cache */

	BCH_BLOCK_SIZE = 120, /* bch_sb: le16, sectors */
	BCH_LEN = 128,
};

/* Its data is all there, in one piece, unless a cache holds some of it back. */
static enum outcome found_backing(struct decoding *d, uint64_t start, uint64_t block)
{
	uint64_t state = get_le64(d->bytes + FLAGS) >> STATE_SHIFT & 3;

	if (state <= STATE_CLEAN && start < d->size)
		d->inside = d->size - start;
	return found_at(d, start, block);
}

enum outcome decode_bcache(struct decoding *d)
{
	uint64_t start, block;

	if (d->len < SUPER_LEN || get_le64(d->bytes + OFFSET) != SUPER_SECTOR)
		return DECODE_NOT_THIS;
	block = (uint64_t)get_le16(d->bytes + BLOCK_SIZE) * SECTOR;
	switch (get_le64(d->bytes + VERSION)) {
	case VERSION_BACKING:
		return found_backing(d, BACKING_START * SECTOR, block);
	case VERSION_BACKING_OFFSET:
	case VERSION_BACKING_OFFSET + 2: /* the same with features */
		if (!mul_u64(get_le64(d->bytes + DATA_OFFSET), SECTOR, &start))
			start = UINT64_MAX;
		return found_backing(d, start, block);
	case VERSION_CACHE:
	case VERSION_CACHE_UUID:
	case VERSION_CACHE_UUID + 2:
		d->layer.chunk_size = (uint64_t)get_le16(d->bytes + BUCKET_SIZE) * SECTOR;
		return found_at(d, d->layer.chunk_size * get_le16(d->bytes + FIRST_BUCKET), block);
	default:
		return found_garbled(d);
	}
}

enum outcome decode_bcachefs(struct decoding *d)
{
	if (d->len < BCH_LEN)
		return DECODE_NOT_THIS;
	return found_at(d, 0, (uint64_t)get_le16(d->bytes + BCH_BLOCK_SIZE) * SECTOR);
}
