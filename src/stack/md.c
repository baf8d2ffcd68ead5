// SPDX-License-Identifier: GPL-2.0-or-later
/* Linux software RAID: the kernel's include/uapi/linux/raid/md_p.h. */
#include "decode.h"

#include <string.h>

enum {
	MD1_MAJOR = 4,          /* le32: 1 */
	MD1_LEVEL = 72,         /* le32, signed */
	MD1_CHUNK = 88,         /* le32, sectors */
	MD1_DATA_OFFSET = 128,  /* le64, sectors */
	MD1_DATA_SIZE = 136,    /* le64, sectors */
	MD1_SUPER_OFFSET = 144, /* le64, sectors: where this superblock is */
	MD1_CSUM = 216,         /* le32 */
	MD1_MAX_DEV = 220,      /* le32: entries of 2 bytes after the 256 */
	MD1_SIZE = 256,
	MD1_MAX_DEV_MAX = 1920, /* what fits in the 4 KiB a superblock has */

	MD0_LEVEL = 28, /* a word in the byte order of the machine that wrote it */
	MD0_SIZE_KIB = 32,
	MD0_CHUNK = 260, /* word 65, bytes */
	MD0_LEN = 264,
	MD_SECTOR = 512,
	LEVEL_MIRROR = 1,
};

static const uint32_t md_magic = 0xa92b4efc;

static uint32_t sum_words(const uint8_t *bytes, size_t len)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i + 4 <= len; i += 4)
		if (i != MD1_CSUM)
			sum += get_le32(bytes + i);
	if (len - i == 2)
		sum += get_le16(bytes + i);
	return (uint32_t)(sum >> 32) + (uint32_t)sum;
}

/* Only a mirror's member holds its data in one piece, where the next layer can be found. */
static void look_inside(struct decoding *d, uint64_t bytes)
{
	if (d->layer.level == LEVEL_MIRROR)
		d->inside = bytes;
}

enum outcome decode_md1(struct decoding *d)
{
	uint64_t offset, size;
	uint32_t max_dev, chunk;
	const uint8_t *sb;

	if (d->len < MD1_SIZE || get_le32(d->bytes) != md_magic ||
	    get_le32(d->bytes + MD1_MAJOR) != 1 ||
	    get_le64(d->bytes + MD1_SUPER_OFFSET) != d->at / MD_SECTOR)
		return DECODE_NOT_THIS;
	max_dev = get_le32(d->bytes + MD1_MAX_DEV);
	if (max_dev > MD1_MAX_DEV_MAX)
		return DECODE_NOT_THIS;

	/* The checksum tells a member from what is left of one, as mdadm and the kernel do. */
	sb = reach(d, d->at, MD1_SIZE + 2 * max_dev);
	if (!sb)
		return DECODE_MORE;
	if (sum_words(sb, MD1_SIZE + 2 * max_dev) != get_le32(sb + MD1_CSUM))
		return DECODE_NOT_THIS;

	d->layer.level = (int32_t)get_le32(sb + MD1_LEVEL);
	chunk = get_le32(sb + MD1_CHUNK);
	d->layer.chunk_size = (uint64_t)chunk * MD_SECTOR;
	if (!mul_u64(get_le64(sb + MD1_DATA_OFFSET), MD_SECTOR, &offset))
		offset = UINT64_MAX; /* certainly beyond the container: read_content() says so */
	if (!mul_u64(get_le64(sb + MD1_DATA_SIZE), MD_SECTOR, &size))
		size = UINT64_MAX;
	look_inside(d, size);
	return found_at(d, offset, 0);
}

enum outcome decode_md0(struct decoding *d)
{
	uint32_t (*get)(const void *p);
	uint64_t size;

	if (d->len < MD0_LEN)
		return DECODE_NOT_THIS;
	if (get_le32(d->bytes) == md_magic)
		get = get_le32;
	else if (get_be32(d->bytes) == md_magic)
		get = get_be32;
	else
		return DECODE_NOT_THIS;
	size = (uint64_t)get(d->bytes + MD0_SIZE_KIB) * KIB;
	if (size > d->at)
		return DECODE_NOT_THIS; /* no room before it: not this container's superblock */
	d->layer.level = (int32_t)get(d->bytes + MD0_LEVEL);
	d->layer.chunk_size = get(d->bytes + MD0_CHUNK);
	look_inside(d, size);
	return found_at(d, 0, 0);
}
