// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The master boot record. Two views of it must agree before we call it a partition table: the
 * kernel's (block/partitions/msdos.c) and libblkid's. Both ask for 55 aa and boot indicators of 00
 * or 80, and both yield to a file system whose boot sector looks the same.
 */
#include "internal.h"

#include <stdio.h>
#include <string.h>

enum { MBR_ID = 440, MBR_TABLE = 446, MBR_ENTRY_SIZE = 16, MBR_SIGNATURE = 510 };

void decode_mbr(const uint8_t sector[512], struct mbr *mbr)
{
	mbr->has_signature = sector[MBR_SIGNATURE] == 0x55 && sector[MBR_SIGNATURE + 1] == 0xaa;
	mbr->disk_id = get_le32(sector + MBR_ID);
	for (size_t i = 0; i < MBR_ENTRIES; i++) {
		const uint8_t *e = sector + MBR_TABLE + MBR_ENTRY_SIZE * i;

		mbr->entries[i] = (struct mbr_entry){
			.boot = e[0],
			.type = e[4],
			.start_lba = get_le32(e + 8),
			.sectors = get_le32(e + 12),
		};
	}
}

/*
 * A FAT boot sector by its BIOS parameter block (Microsoft FAT specification, 3.1 and 3.2): jump,
 * u16 bytes per sector at 11, sectors per cluster at 13, u16 reserved at 14, FATs at 16, media at
 * 21, u16 FAT size at 22 or u32 at 36. Boot managers such as GRUB begin with the same jump but
 * leave the block empty.
 */
static bool is_fat(const uint8_t *s)
{
	uint16_t sector = get_le16(s + 11);

	if (s[0] != 0xeb && s[0] != 0xe9)
		return false;
	return is_power_of_two(sector) && sector >= 512 && sector <= 4096 &&
	       is_power_of_two(s[13]) && get_le16(s + 14) && s[16] && s[16] <= 4 &&
	       (s[21] == 0xf0 || s[21] >= 0xf8) && (get_le16(s + 22) || get_le32(s + 36));
}

static bool is_boot_sector(const uint8_t *sector)
{
	/* Names at 3 of those whose parameter block is not FAT's. */
	static const char names[][9] = { "NTFS    ", "EXFAT   ", "-FVE-FS-", "ReFS\0\0\0\0" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!memcmp(sector + 3, names[i], 8))
			return true;
	return is_fat(sector);
}

bool is_mbr(const struct mbr *mbr, const uint8_t sector[512])
{
	/* "IBMA" in EBCDIC: AIX writes no table of this kind, whatever the last bytes are. */
	static const uint8_t aix[4] = { 0xc9, 0xc2, 0xd4, 0xc1 };

	if (!mbr->has_signature || !memcmp(sector, aix, sizeof(aix)))
		return false;
	for (size_t i = 0; i < MBR_ENTRIES; i++)
		if (mbr->entries[i].boot & 0x7f)
			return false;
	return !is_boot_sector(sector);
}

bool is_used_entry(const struct mbr_entry *entry)
{
	/* As the kernel and libblkid; a type of 0 does not make it unused. */
	return entry->sectors;
}

bool is_extended_type(uint8_t type)
{
	return type == 0x05 || type == 0x0f || type == 0x85;
}

bool has_protective_entry(const struct mbr *mbr, bool *valid)
{
	bool any = false;

	*valid = false;
	for (size_t i = 0; i < MBR_ENTRIES; i++)
		if (mbr->entries[i].type == 0xee) {
			any = true;
			*valid |= mbr->entries[i].start_lba == 1;
		}
	return any;
}

size_t count_real_entries(const struct mbr *mbr)
{
	size_t n = 0;

	for (size_t i = 0; i < MBR_ENTRIES; i++)
		n += is_used_entry(&mbr->entries[i]) && mbr->entries[i].type != 0xee;
	return n;
}

void set_mbr_partition(struct partition *p, const struct mbr_entry *entry, uint32_t disk_id,
		       unsigned number, uint64_t base_lba, uint32_t sector_size)
{
	/* 33 bits of sectors times 16 bits of size at most: cannot overflow. */
	*p = (struct partition){
		.number = number,
		.parent = -1,
		.start = (base_lba + entry->start_lba) * sector_size,
		.size = (uint64_t)entry->sectors * sector_size,
		.table = TABLE_DOS,
		.bootable = entry->boot == 0x80,
		.attributes = entry->boot,
	};
	if (is_extended_type(entry->type))
		p->role = ROLE_EXTENDED;
	else if (entry->type == 0xee)
		p->role = ROLE_PROTECTIVE;
	snprintf(p->type, sizeof(p->type), "%x", entry->type);
	/* As block/partitions/msdos.c:set_info() makes the PARTUUID. */
	snprintf(p->uuid, sizeof(p->uuid), "%08x-%02x", disk_id, number);
}
