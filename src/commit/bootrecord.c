// SPDX-License-Identifier: GPL-2.0-or-later
#include "internal.h"

#include <string.h>

static bool is_sector_size(uint32_t n)
{
	return is_power_of_two(n) && n >= 512 && n <= 4096;
}

/* exFAT 3.1: @11 53 bytes of zero where a FAT has its parameters, BytesPerSectorShift @108. */
static bool decode_exfat(const uint8_t *b, struct boot_record *record)
{
	static const uint8_t zero[53];

	if (memcmp(b + 3, "EXFAT   ", 8) != 0 || memcmp(b + 11, zero, sizeof(zero)) != 0 ||
	    b[108] < 9 || b[108] > 12)
		return false;
	*record = (struct boot_record){ .kind = BOOT_RECORD_EXFAT,
					.sector = 1U << b[108],
					.field = 0x40,
					.width = 8,
					.value = get_le64(b + 0x40),
					.backup = 12ULL << b[108] };
	return true;
}

static bool decode_ntfs(const uint8_t *b, struct boot_record *record)
{
	if (memcmp(b + 3, "NTFS    ", 8) != 0 || !is_sector_size(get_le16(b + 11)))
		return false;
	*record = (struct boot_record){ .kind = BOOT_RECORD_NTFS,
					.sector = get_le16(b + 11),
					.field = 0x1c,
					.width = 4,
					.value = get_le32(b + 0x1c),
					.sectors = get_le64(b + 0x28) };
	return true;
}

/* Microsoft FAT specification, 3.1 to 3.3. Other boot sectors begin with the same jump, so every
 * parameter must be a possible one. FAT32 is known by its 16-bit FAT size of zero. */
static bool decode_fat(const uint8_t *b, struct boot_record *record)
{
	uint16_t sector = get_le16(b + 11), reserved = get_le16(b + 14);
	uint16_t backup = get_le16(b + 0x32);
	bool is_fat32 = !get_le16(b + 22);

	if ((b[0] != 0xeb && b[0] != 0xe9) || !is_sector_size(sector) || !is_power_of_two(b[13]) ||
	    !reserved || !b[16] || b[16] > 4 || (b[21] != 0xf0 && b[21] < 0xf8) ||
	    (is_fat32 && !get_le32(b + 36)))
		return false;
	*record = (struct boot_record){ .kind = BOOT_RECORD_FAT,
					.sector = sector,
					.field = 0x1c,
					.width = 4,
					.value = get_le32(b + 0x1c) };
	if (is_fat32 && backup && backup < reserved)
		record->backup = (uint64_t)backup * sector;
	return true;
}

bool decode_boot_record(const uint8_t *bytes, struct boot_record *record)
{
	*record = (struct boot_record){ .kind = BOOT_RECORD_NONE };
	if (bytes[510] != 0x55 || bytes[511] != 0xaa)
		return false;
	return decode_exfat(bytes, record) || decode_ntfs(bytes, record) ||
	       decode_fat(bytes, record);
}

HASHES uint32_t exfat_boot_checksum(const uint8_t *region, uint32_t sector)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < 11 * sector; i++)
		if (i != 106 && i != 107 && i != 112) /* VolumeFlags, PercentInUse: they change */
			sum = (sum << 31 | sum >> 1) + region[i];
	return sum;
}

bool find_start_value(const struct place_change *change, uint32_t fs_sector, uint64_t value,
		      uint32_t width, uint64_t *new_value)
{
	const uint64_t units[] = { change->sector, fs_sector, 512 };
	const struct {
		uint64_t from, to;
	} bases[] = { { 0, 0 }, { change->from_ebr, change->to_ebr } };

	for (size_t b = 0; b < ARRAY_SIZE(bases); b++)
		for (size_t u = 0; u < ARRAY_SIZE(units); u++) {
			uint64_t from = wrap_sub(change->from, bases[b].from);
			uint64_t to = wrap_sub(change->to, bases[b].to);

			if (!value || from > change->from || to > change->to || from % units[u] ||
			    to % units[u] || from / units[u] != value)
				continue;
			if (width == 4 && to / units[u] > UINT32_MAX)
				continue;
			*new_value = to / units[u];
			return true;
		}
	return false;
}
