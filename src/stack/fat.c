// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * FAT12, FAT16, FAT32: Microsoft "FAT: General Overview of On-Disk Format" 1.03. exFAT: Microsoft
 * "exFAT file system specification", section 3.1 (main boot sector).
 */
#include "decode.h"

#include <string.h>

enum {
	BPB_BYTES_PER_SECTOR = 11,    /* le16 */
	BPB_SECTORS_PER_CLUSTER = 13, /* u8 */
	BPB_RESERVED = 14,            /* le16, sectors before the first FAT */
	BPB_FATS = 16,                /* u8 */
	BPB_ROOT_ENTRIES = 17,        /* le16, of 32 bytes; 0 on FAT32 */
	BPB_SECTORS16 = 19,           /* le16 */
	BPB_MEDIA = 21,               /* u8 */
	BPB_FAT_LENGTH16 = 22,        /* le16, sectors; 0 on FAT32 */
	BPB_SECTORS32 = 32,           /* le32 */
	BPB_FAT_LENGTH32 = 36,        /* le32, FAT32 only */
	BPB_FSINFO = 48,              /* le16, sector, FAT32 only */
	BOOT_TYPE16 = 54,             /* "FAT16   " */
	BOOT_TYPE32 = 82,             /* "FAT32   " */
	BOOT_SIGNATURE = 510,         /* 55 aa */
	BOOT_LEN = 512,
	FAT12_CLUSTERS = 0xff4,
	FAT16_CLUSTERS = 0xfff4,
	FAT32_CLUSTERS = 0x0ffffff6,

	EXFAT_CLUSTER_HEAP_OFFSET = 88, /* le32, sectors */
	EXFAT_CLUSTER_COUNT = 92,       /* le32 */
	EXFAT_SECTOR_SHIFT = 108,       /* u8, 9 to 12 */
	EXFAT_CLUSTER_SHIFT = 109,      /* u8, sectors per cluster; both together at most 25 */
};

static bool is_one_of(const uint8_t *p, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!memcmp(p, names[i], strlen(names[i])))
			return true;
	return false;
}

/* A boot sector that says so, or one with a jump or the 55aa of an old floppy: then the fields must
 * convince. OS/2 puts such a sector in front of JFS and HPFS. */
static bool may_be_fat(const uint8_t *boot)
{
	static const char *const fat32[] = { "MSWIN", "FAT32   " };
	static const char *const fat16[] = { "MSDOS", "FAT16   ", "FAT12   ", "FAT     " };
	static const char *const other[] = { "JFS     ", "HPFS    " };

	if (is_one_of(boot + BOOT_TYPE32, fat32, ARRAY_SIZE(fat32)) ||
	    is_one_of(boot + BOOT_TYPE16, fat16, ARRAY_SIZE(fat16)))
		return true;
	return get_le16(boot + BOOT_SIGNATURE) == 0xaa55 &&
	       !is_one_of(boot + BOOT_TYPE16, other, ARRAY_SIZE(other));
}

/* The numbers of a BIOS parameter block. */
struct bpb {
	uint32_t sector, cluster;          /* bytes, bytes */
	uint64_t reserved, fat_area, root; /* sectors */
	uint64_t sectors, max_clusters;
	bool fat32;
};

static bool read_bpb(const uint8_t *boot, struct bpb *bpb)
{
	uint32_t per_cluster = boot[BPB_SECTORS_PER_CLUSTER], fat_length;
	uint8_t media = boot[BPB_MEDIA];

	bpb->sector = get_le16(boot + BPB_BYTES_PER_SECTOR);
	bpb->cluster = per_cluster * bpb->sector;
	bpb->reserved = get_le16(boot + BPB_RESERVED);
	if (bpb->sector < 512 || bpb->sector > 4096 || !is_power_of_two(bpb->sector) ||
	    !is_power_of_two(per_cluster) || !bpb->reserved || !boot[BPB_FATS] ||
	    (media != 0xf0 && media < 0xf8))
		return false;

	fat_length = get_le16(boot + BPB_FAT_LENGTH16);
	bpb->fat32 = !fat_length;
	if (bpb->fat32)
		fat_length = get_le32(boot + BPB_FAT_LENGTH32);
	bpb->fat_area = (uint64_t)fat_length * boot[BPB_FATS];
	bpb->root = (get_le16(boot + BPB_ROOT_ENTRIES) * 32 + bpb->sector - 1) / bpb->sector;
	bpb->sectors = get_le16(boot + BPB_SECTORS16);
	if (!bpb->sectors)
		bpb->sectors = get_le32(boot + BPB_SECTORS32);
	return true;
}

static bool has_believable_count(const struct bpb *bpb)
{
	uint64_t before = bpb->reserved + bpb->fat_area + bpb->root, clusters;
	uint32_t most;

	if (bpb->sectors < before)
		return false;
	clusters = (bpb->sectors - before) / (bpb->cluster / bpb->sector);
	most = bpb->fat32 && bpb->fat_area ? FAT32_CLUSTERS
	       : clusters > FAT12_CLUSTERS ? FAT16_CLUSTERS
					   : FAT12_CLUSTERS;
	return clusters <= most;
}

/* FAT32's second sector: signed, or all zeros as some formatters leave it. */
static bool is_fsinfo(const uint8_t *sector)
{
	static const char *const lead[] = { "RRaA", "RRdA" };

	return (is_one_of(sector, lead, ARRAY_SIZE(lead)) || !get_le32(sector)) &&
	       (!memcmp(sector + 484, "rrAa", 4) || !get_le32(sector + 484));
}

enum outcome decode_vfat(struct decoding *d)
{
	struct bpb bpb;
	uint32_t fsinfo;

	if (d->len < BOOT_LEN || !may_be_fat(d->bytes) || !read_bpb(d->bytes, &bpb) ||
	    !has_believable_count(&bpb))
		return DECODE_NOT_THIS;
	fsinfo = bpb.fat32 && bpb.fat_area ? get_le16(d->bytes + BPB_FSINFO) : 0;
	if (fsinfo) {
		const uint8_t *sector = reach(d, (uint64_t)fsinfo * bpb.sector, BOOT_LEN);

		if (!sector)
			return DECODE_MORE;
		if (!is_fsinfo(sector))
			return DECODE_NOT_THIS;
	}
	/* At most 2^16 + 2^40 + 2^12 sectors of 2^12 bytes: no overflow. */
	return found_at(d, (bpb.reserved + bpb.fat_area + bpb.root) * bpb.sector, bpb.cluster);
}

enum outcome decode_exfat(struct decoding *d)
{
	uint8_t sector_shift, cluster_shift;

	if (d->len < BOOT_LEN)
		return DECODE_NOT_THIS;
	sector_shift = d->bytes[EXFAT_SECTOR_SHIFT];
	cluster_shift = d->bytes[EXFAT_CLUSTER_SHIFT];
	if (sector_shift < 9 || sector_shift > 12 || cluster_shift > 25 - sector_shift ||
	    !get_le32(d->bytes + EXFAT_CLUSTER_COUNT))
		return found_garbled(d);
	return found_at(d, (uint64_t)get_le32(d->bytes + EXFAT_CLUSTER_HEAP_OFFSET) << sector_shift,
			1ULL << (sector_shift + cluster_shift));
}
