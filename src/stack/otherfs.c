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

/*
 * UDF: ECMA-167 2/8, 2/9.1, 3/10.2. The anchor is at block 256, and that names the block. It may be
 * what is left of a disc, so the recognition sequence, one descriptor in 2048 bytes from 32 KiB on,
 * must have NSR02 or NSR03 in it: a bridge disc has ISO 9660's descriptors before that.
 */
enum { UDF_ANCHOR_BLOCK = 256, UDF_SEQUENCE = 32 * 1024, UDF_DESCRIPTOR = 2048, UDF_NAME_LEN = 5 };

static enum outcome want_descriptor(struct decoding *d)
{
	uint64_t unit = d->layer.block_size > UDF_DESCRIPTOR ? d->layer.block_size : UDF_DESCRIPTOR;

	d->want_offset = UDF_SEQUENCE + d->state++ * unit + 1; /* a byte of type comes first */
	d->want_len = UDF_NAME_LEN;
	return DECODE_MORE;
}

static enum outcome find_anchor(struct decoding *d, const uint8_t *tag)
{
	enum { TAG_LEN = 16, TAG_ANCHOR = 2, TAG_LOCATION = 12 };
	static const uint16_t blocks[] = { 2048, 512, 1024, 4096 };

	if (tag && get_le16(tag) == TAG_ANCHOR &&
	    get_le32(tag + TAG_LOCATION) == UDF_ANCHOR_BLOCK) {
		d->layer.block_size = d->more_at / UDF_ANCHOR_BLOCK;
		d->state = 0;
		return want_descriptor(d);
	}
	if (d->state == ARRAY_SIZE(blocks))
		return DECODE_NOT_THIS;
	d->want_offset = (uint64_t)UDF_ANCHOR_BLOCK * blocks[d->state++];
	d->want_len = TAG_LEN;
	return DECODE_MORE;
}

enum outcome decode_udf(struct decoding *d)
{
	static const char *const others[] = { "BEA01", "BOOT2", "CD001", "CDW02", "TEA01" };
	enum { DESCRIPTORS_MAX = 20 };
	const uint8_t *p = d->more ? reach(d, d->more_at, d->more_len) : NULL;

	if (!d->layer.block_size)
		return find_anchor(d, p);
	if (!p || d->state == DESCRIPTORS_MAX)
		return DECODE_NOT_THIS;
	if (!memcmp(p, "NSR02", UDF_NAME_LEN) || !memcmp(p, "NSR03", UDF_NAME_LEN))
		return found_at(d, 0, d->layer.block_size);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (!memcmp(p, others[i], UDF_NAME_LEN))
			return want_descriptor(d);
	return DECODE_NOT_THIS;
}

/* FreeBSD sys/ufs/ffs/fs.h, struct fs: fragment size, in the byte order of its magic at 1372, which
 * is worth a read where there is a fragment size. */
enum outcome decode_ufs(struct decoding *d)
{
	enum { FRAGMENT_SIZE = 52, MAGIC = 1372 };
	static const uint32_t magics[] = { 0x00011954, 0x19540119, 0x00095014, 0x00195612,
					   0x7c269d38 };
	uint32_t little, big;
	const uint8_t *magic;

	if (d->len < FRAGMENT_SIZE + 4)
		return DECODE_NOT_THIS;
	little = get_le32(d->bytes + FRAGMENT_SIZE);
	big = get_be32(d->bytes + FRAGMENT_SIZE);
	if (!little)
		return DECODE_NOT_THIS;
	magic = reach(d, d->at + MAGIC, 4);
	if (!magic)
		return DECODE_MORE;
	for (size_t i = 0; i < ARRAY_SIZE(magics); i++) {
		uint32_t fragment = magics[i] == get_le32(magic) ? little : big;

		if (magics[i] == get_le32(magic) || magics[i] == get_be32(magic))
			return found_at(d, 0, is_power_of_two(fragment) ? fragment : 0);
	}
	return DECODE_NOT_THIS;
}

/*
 * Minix: the kernel's include/uapi/linux/minix_fs.h, at 1024, in either byte order. Its two-byte
 * magic turns up in others' superblocks (ext's too), so the maps must be large enough for what they
 * map.
 */
struct minix {
	uint32_t inodes, zones, inode_maps, zone_maps, first_zone, block;
	bool sane;
};

static uint32_t minix16(const uint8_t *p, bool swapped)
{
	return swapped ? get_be16(p) : get_le16(p);
}

static uint32_t minix32(const uint8_t *p, bool swapped)
{
	return swapped ? get_be32(p) : get_le32(p);
}

static struct minix read_minix3(const uint8_t *sb, bool swapped)
{
	return (struct minix){
		.inodes = minix32(sb, swapped),
		.inode_maps = minix16(sb + 6, swapped),
		.zone_maps = minix16(sb + 8, swapped),
		.first_zone = minix16(sb + 10, swapped),
		.zones = minix32(sb + 20, swapped),
		.block = minix16(sb + 28, swapped),
		.sane = !minix16(sb + 12, swapped),
	};
}

static struct minix read_minix12(const uint8_t *sb, bool swapped, unsigned version)
{
	return (struct minix){
		.inodes = minix16(sb, swapped),
		.zones = version == 1 ? minix16(sb + 2, swapped) : minix32(sb + 20, swapped),
		.inode_maps = minix16(sb + 4, swapped),
		.zone_maps = minix16(sb + 6, swapped),
		.first_zone = minix16(sb + 8, swapped),
		.block = 1024,
		/* zone size 0, and no state but clean and in error */
		.sane = !minix16(sb + 10, swapped) && minix16(sb + 18, swapped) <= 3,
	};
}

enum outcome decode_minix(struct decoding *d)
{
	enum { MAGIC = 16, MAGIC3 = 24, EXT_MAGIC = 56, BITS_A_BLOCK = 8192, SUPER_LEN = 64 };
	static const struct {
		uint16_t magic, at, version;
	} kinds[] = {
		{ 0x137f, MAGIC, 1 }, { 0x138f, MAGIC, 1 },  { 0x2468, MAGIC, 2 },
		{ 0x2478, MAGIC, 2 }, { 0x4d5a, MAGIC3, 3 },
	};

	if (d->len < SUPER_LEN || get_le16(d->bytes + EXT_MAGIC) == 0xef53)
		return DECODE_NOT_THIS;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(kinds); i++) {
		size_t kind = i / 2;
		bool swapped = i % 2;
		struct minix m;

		if (minix16(d->bytes + kinds[kind].at, swapped) != kinds[kind].magic)
			continue;
		m = kinds[kind].version == 3 ? read_minix3(d->bytes, swapped)
					     : read_minix12(d->bytes, swapped, kinds[kind].version);
		if (m.sane && m.inodes && m.inodes < UINT32_MAX && m.first_zone <= m.zones &&
		    (uint64_t)m.inode_maps * BITS_A_BLOCK > m.inodes &&
		    (uint64_t)m.zone_maps * BITS_A_BLOCK > m.zones - m.first_zone)
			return found_at(d, 0, m.block);
	}
	return DECODE_NOT_THIS;
}

/* Haiku's headers/private/file_systems, disk_super_block: a byte order backs the magic;
 * block size at 40. The PowerPC kind starts at byte 0, the others at 512. */
enum outcome decode_befs(struct decoding *d)
{
	enum { ORDER = 36, BLOCK_SIZE = 40, SUPER_LEN = 128 };
	uint32_t block;

	if (d->len < SUPER_LEN)
		return DECODE_NOT_THIS;
	if (get_le32(d->bytes + ORDER) == 0x42494745)
		block = get_le32(d->bytes + BLOCK_SIZE);
	else if (get_be32(d->bytes + ORDER) == 0x42494745)
		block = get_be32(d->bytes + BLOCK_SIZE);
	else
		return DECODE_NOT_THIS;
	return found_at(d, 0, is_power_of_two(block) && block <= 65536 ? block : 0);
}
