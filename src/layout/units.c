// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * In which unit does an MBR count? Some USB enclosures show a disk of 512-byte sectors as one of
 * 4096; a table written there and read on another port is eight times off. Nothing in the table
 * tells, but what lies at its starts does: known content at start * other size, and none at start *
 * our size.
 */
#include "internal.h"

#include <string.h>

/* The first bytes of what commonly fills a partition. Offset from its start, magic. All within
 * PEEK bytes, so that one read answers. */
static const struct {
	uint32_t offset;
	const char *magic;
	size_t len;
} superblocks[] = {
	{ 3, "NTFS    ", 8 }, /* boot sectors: OEM name, or FAT's type field */
	{ 3, "EXFAT   ", 8 },
	{ 3, "-FVE-FS-", 8 }, /* BitLocker */
	{ 54, "FAT1", 4 },
	{ 82, "FAT32   ", 8 },
	{ 0, "XFSB", 4 },
	{ 0, "LUKS\xba\xbe", 6 },
	{ 0, "LABELONE", 8 }, /* LVM2: in any of the first four sectors */
	{ 512, "LABELONE", 8 },
	{ 1024, "LABELONE", 8 },
	{ 1536, "LABELONE", 8 },
	{ 1024, "H+\0\x04", 4 },                         /* HFS+ */
	{ 1024, "\x10\x20\xf5\xf2", 4 },                 /* F2FS */
	{ 4086, "SWAPSPACE2", 10 },                      /* swap, with pages of 4 KiB */
	{ 4096, "\xfc\x4e\x2b\xa9", 4 },                 /* md 1.2 */
	{ 0, "\xfc\x4e\x2b\xa9", 4 },                    /* md 1.1 */
	{ 4120, "\xc6\x85\x73\xf6\x4e\x1a\x45\xca", 8 }, /* bcache */
};

#define PEEK 4608

/* ext2/3/4 at 1024: a magic of 16 bits is not enough, so counts and block size must make sense. */
static bool is_ext(const uint8_t *sb)
{
	return get_le16(sb + 56) == 0xef53 && get_le32(sb) && get_le32(sb + 4) &&
	       get_le32(sb + 24) <= 6 && get_le32(sb + 76) <= 1;
}

bool has_superblock(struct source *source, uint64_t offset)
{
	uint8_t bytes[PEEK] = { 0 };
	uint64_t left = offset < source->io->size ? source->io->size - offset : 0;
	size_t len = left < PEEK ? left : PEEK;

	if (!len || source_read(source, bytes, len, offset) < 0)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(superblocks); i++)
		if (!memcmp(bytes + superblocks[i].offset, superblocks[i].magic,
			    superblocks[i].len))
			return true;
	return is_ext(bytes + 1024);
}

bool is_iso9660(struct source *source)
{
	uint8_t id[5]; /* of the primary volume descriptor, ECMA-119 8.4 */

	return !source_read(source, id, sizeof(id), 16 * 2048 + 1) && !memcmp(id, "CD001", 5);
}

/* Could all entries be meant in units of `size`? Most tables fill their disk, so that eight times
 * the numbers never fit and no byte has to be read. */
static bool fits(const struct source *source, const struct mbr *mbr, uint32_t size)
{
	for (size_t i = 0; i < MBR_ENTRIES; i++) {
		const struct mbr_entry *e = &mbr->entries[i];
		uint64_t end = ((uint64_t)e->start_lba + e->sectors) * size;

		if (is_used_entry(e) && end > source->io->size)
			return false;
	}
	return true;
}

/* Where entries of data begin, in units of `size`: is there something known at any of them? */
static bool any_content(struct source *source, const struct mbr *mbr, uint32_t size,
			bool (*has_content)(struct source *, uint64_t))
{
	for (size_t i = 0; i < MBR_ENTRIES; i++) {
		const struct mbr_entry *e = &mbr->entries[i];

		if (is_used_entry(e) && e->start_lba && !is_extended_type(e->type) &&
		    e->type != 0xee && has_content(source, (uint64_t)e->start_lba * size))
			return true;
	}
	return false;
}

uint32_t guess_mbr_unit(struct source *source, const struct mbr *mbr)
{
	uint32_t ours = source->device_sector, other = ours == 512 ? 4096 : 512;

	if (!fits(source, mbr, other) || any_content(source, mbr, ours, has_superblock) ||
	    !any_content(source, mbr, other, has_superblock))
		return ours;
	/* Before we contradict the device, libblkid, which knows many more, must agree. */
	return any_content(source, mbr, ours, blkid_has_superblock) ? ours : other;
}
