// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * NTFS boot sector: ntfs-3g's include/ntfs-3g/layout.h (NTFS_BOOT_SECTOR). BitLocker: libbde's
 * "BitLocker Drive Encryption (BDE) format specification", section 3 (volume header).
 */
#include "decode.h"

#include <string.h>

enum {
	BYTES_PER_SECTOR = 11,    /* le16 */
	SECTORS_PER_CLUSTER = 13, /* u8; from 240 on: 2 to the power of 256 - n */
	RESERVED_SECTORS = 14,    /* this and the next fields of a FAT are 0 */
	FATS = 16,
	ROOT_ENTRIES = 17,
	SECTORS16 = 19,
	FAT_LENGTH = 22,
	SECTORS32 = 32,
	NUMBER_OF_SECTORS = 40, /* le64 */
	MFT_CLUSTER = 48,       /* le64 */
	BOOT_LEN = 512,
	CLUSTER_MAX = 2 * 1024 * 1024,

	/* Where the first of three copies of the metadata is, le64 bytes. */
	FVE_WINDOWS7 = 176,
	FVE_TO_GO = 440,
};

static uint32_t sectors_per_cluster(uint8_t n)
{
	if (is_power_of_two(n) && n <= 128)
		return n;
	return n >= 240 && n <= 249 ? 1U << (256 - n) : 0;
}

/* The clusters count from the boot sector on. */
enum outcome decode_ntfs(struct decoding *d)
{
	const uint8_t *b = d->bytes, *record;
	uint32_t sector, per_cluster;
	uint64_t cluster, mft;

	if (d->len < BOOT_LEN)
		return DECODE_NOT_THIS;
	sector = get_le16(b + BYTES_PER_SECTOR);
	per_cluster = sectors_per_cluster(b[SECTORS_PER_CLUSTER]);
	cluster = (uint64_t)sector * per_cluster;
	if (sector < 256 || sector > 4096 || !is_power_of_two(sector) || !cluster ||
	    cluster > CLUSTER_MAX || get_le16(b + RESERVED_SECTORS) || b[FATS] ||
	    get_le16(b + ROOT_ENTRIES) || get_le16(b + SECTORS16) || get_le16(b + FAT_LENGTH) ||
	    get_le32(b + SECTORS32) ||
	    get_le64(b + MFT_CLUSTER) > get_le64(b + NUMBER_OF_SECTORS) / per_cluster ||
	    !mul_u64(get_le64(b + MFT_CLUSTER), cluster, &mft))
		return DECODE_NOT_THIS;

	/* The boot sector outlives the file system: the master file table must be there too. */
	record = reach(d, mft, 4);
	if (!record)
		return DECODE_MORE;
	return memcmp(record, "FILE", 4) ? DECODE_NOT_THIS : found_at(d, 0, cluster);
}

/* Encrypts in place: its data starts where the volume does, but for blocks it has moved away. */
enum outcome decode_bitlocker(struct decoding *d)
{
	const uint8_t *metadata;
	uint64_t offset;

	if (d->len < BOOT_LEN)
		return DECODE_NOT_THIS;
	/* Second byte of the jump: 52 Vista, 58 later; To Go pretends to be FAT32. */
	if (d->bytes[1] == 0x52)
		return found_at(d, 0, 0);
	offset = get_le64(d->bytes + (d->bytes[3] == 'M' ? FVE_TO_GO : FVE_WINDOWS7));
	if (!offset || offset % 64)
		return DECODE_NOT_THIS;
	metadata = reach(d, offset, 8);
	if (!metadata)
		return DECODE_MORE;
	return memcmp(metadata, "-FVE-FS-", 8) ? DECODE_NOT_THIS : found_at(d, 0, 0);
}
