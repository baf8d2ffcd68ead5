// SPDX-License-Identifier: GPL-2.0-or-later
/* File systems of other systems: Apple, optical media, UFS, Minix. */
#include "decode.h"

#include <string.h>

/* Apple TN1150, HFSPlusVolumeHeader, at 1024: be32 blockSize. An HFS+ volume may sit in an HFS
 * wrapper (signature BD): then its blocks count from where it is embedded. */
enum outcome decode_hfsplus(struct decoding *d)
{
	enum {
		BLOCK_SIZE = 40,
		WRAPPER_BLOCK = 20,
		WRAPPER_FIRST = 28,
		EMBED_SIGNATURE = 124,
		EMBED_START = 126,
		HEADER_AT = 1024,
		HEADER_LEN = 128
	};
	const uint8_t *header = d->bytes;
	uint64_t start = 0;
	uint32_t block;

	if (d->len < HEADER_LEN)
		return DECODE_NOT_THIS;
	if (!memcmp(header, "BD", 2)) {
		if (memcmp(header + EMBED_SIGNATURE, "H+", 2) &&
		    memcmp(header + EMBED_SIGNATURE, "HX", 2))
			return DECODE_NOT_THIS;
		start = (uint64_t)get_be16(header + WRAPPER_FIRST) * 512 +
			(uint64_t)get_be16(header + EMBED_START) * get_be32(header + WRAPPER_BLOCK);
		header = reach(d, start + HEADER_AT, HEADER_LEN);
		if (!header)
			return DECODE_MORE;
	}
	if (memcmp(header, "H+", 2) && memcmp(header, "HX", 2))
		return DECODE_NOT_THIS;
	block = get_be32(header + BLOCK_SIZE);
	if (block < 512 || !is_power_of_two(block))
		return DECODE_NOT_THIS;
	return found_at(d, start, block);
}

/* "Inside Macintosh: Files", master directory block, at 1024: its allocation blocks start at a
 * sector of their own (be16 drAlBlSt) and need not be a power of two (be32 drAlBlkSiz). */
enum outcome decode_hfs(struct decoding *d)
{
	enum { BLOCK_SIZE = 20, FIRST_BLOCK = 28, EMBED_SIGNATURE = 124, HEADER_LEN = 128 };
	uint32_t block;

	if (d->len < HEADER_LEN || !memcmp(d->bytes + EMBED_SIGNATURE, "H+", 2) ||
	    !memcmp(d->bytes + EMBED_SIGNATURE, "HX", 2))
		return DECODE_NOT_THIS;
	block = get_be32(d->bytes + BLOCK_SIZE);
	if (!block || block % 512)
		return DECODE_NOT_THIS;
	return found_at(d, (uint64_t)get_be16(d->bytes + FIRST_BLOCK) * 512, block);
}

/* "Apple File System Reference", nx_superblock_t: object type 1 (with flags), le32 block size. */
enum outcome decode_apfs(struct decoding *d)
{
	enum { TYPE = 24, SUBTYPE = 28, BLOCK_SIZE = 36, SUPER_LEN = 40 };
	uint32_t block;

	if (d->len < SUPER_LEN || get_le16(d->bytes + TYPE) != 1 || get_le32(d->bytes + SUBTYPE))
		return DECODE_NOT_THIS;
	block = get_le32(d->bytes + BLOCK_SIZE);
	if (!is_power_of_two(block) || block < 4096 || block > 65536)
		return DECODE_NOT_THIS;
	return found_at(d, 0, block);
}

/* ECMA-119 8.4, primary volume descriptor, at 32 KiB: le16 logical block size. */
enum outcome decode_iso9660(struct decoding *d)
{
	enum { BLOCK_SIZE = 128 };
	uint16_t block;

	if (d->len < BLOCK_SIZE + 2)
		return DECODE_NOT_THIS;
	block = get_le16(d->bytes + BLOCK_SIZE);
	return found_at(d, 0, is_power_of_two(block) ? block : 2048);
}

/*
 * UDF: ECMA-167 2/8 and 3/10.2. The recognition sequence at 32 KiB is shared with others (a bridge
 * disc has ISO 9660's descriptors in it); the anchor is at block 256, and that names the block.
 */
enum outcome decode_udf(struct decoding *d)
{
	enum { ANCHOR_BLOCK = 256, TAG_LEN = 16, TAG_ANCHOR = 2, TAG_LOCATION = 12 };
	static const uint16_t blocks[] = { 2048, 512, 1024, 4096 };
	const uint8_t *tag = NULL;

	if (d->more)
		tag = reach(d, d->more_at, TAG_LEN);
	if (tag && get_le16(tag) == TAG_ANCHOR && get_le32(tag + TAG_LOCATION) == ANCHOR_BLOCK)
		return found_at(d, 0, d->more_at / ANCHOR_BLOCK);
	if (d->step >= ARRAY_SIZE(blocks))
		return DECODE_NOT_THIS;
	d->want_offset = (uint64_t)ANCHOR_BLOCK * blocks[d->step];
	d->want_len = TAG_LEN;
	return DECODE_MORE;
}

/* FreeBSD sys/ufs/ffs/fs.h, struct fs: fragment size, in the byte order of its magic at 1372. */
enum outcome decode_ufs(struct decoding *d)
{
	enum { FRAGMENT_SIZE = 52, MAGIC = 1372 };
	static const uint32_t magics[] = { 0x00011954, 0x19540119, 0x00095014, 0x00195612,
					   0x7c269d38 };
	uint32_t little, big;

	if (d->len < MAGIC + 4)
		return DECODE_NOT_THIS;
	little = get_le32(d->bytes + MAGIC);
	big = get_be32(d->bytes + MAGIC);
	for (size_t i = 0; i < ARRAY_SIZE(magics); i++) {
		uint32_t fragment = magics[i] == little ? get_le32(d->bytes + FRAGMENT_SIZE)
							: get_be32(d->bytes + FRAGMENT_SIZE);

		if (magics[i] == little || magics[i] == big)
			return found_at(d, 0, is_power_of_two(fragment) ? fragment : 0);
	}
	return DECODE_NOT_THIS;
}
