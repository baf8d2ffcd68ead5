// SPDX-License-Identifier: GPL-2.0-or-later
/* The GUID partition table's bytes, decoded and checked; no reading here. UEFI 2.10, 5.3. */
#include "internal.h"

#include <string.h>

const uint32_t sector_sizes[SECTOR_SIZES] = { 512, 1024, 2048, 4096 };

enum {
	GPT_REVISION = 8,
	GPT_HEADER_SIZE = 12,
	GPT_HEADER_CRC = 16,
	GPT_MY_LBA = 24,
	GPT_ALTERNATE_LBA = 32,
	GPT_FIRST_USABLE = 40,
	GPT_LAST_USABLE = 48,
	GPT_DISK_GUID = 56,
	GPT_ENTRIES_LBA = 72,
	GPT_ENTRY_COUNT = 80,
	GPT_ENTRY_SIZE = 84,
	GPT_ARRAY_CRC = 88,
	GPT_HEADER_LEAST = 92,
};

static bool header_crc_fits(const uint8_t *sector, uint32_t size)
{
	static const uint8_t zero[4];
	uint32_t crc = crc32_update(0, sector, GPT_HEADER_CRC);

	/* The CRC field itself counts as zero. */
	crc = crc32_update(crc, zero, sizeof(zero));
	crc = crc32_update(crc, sector + GPT_HEADER_CRC + 4, size - GPT_HEADER_CRC - 4);
	return crc == get_le32(sector + GPT_HEADER_CRC);
}

static bool is_sane_array(const struct gpt_header *h)
{
	return h->entry_size >= 128 && h->entry_size <= GPT_ENTRY_SIZE_MAX &&
	       is_power_of_two(h->entry_size);
}

/* The array may be anywhere but over the MBR and its own header. */
static bool is_sane_place(const struct gpt_header *h, uint32_t sector_size)
{
	uint64_t bytes = (uint64_t)h->entry_count * h->entry_size;
	uint64_t last; /* sector of the array */

	if (!h->entries_lba ||
	    !add_u64(h->entries_lba, (bytes + sector_size - 1) / sector_size - 1, &last))
		return false;
	return last < h->my_lba || h->entries_lba > h->my_lba;
}

enum gpt_fault decode_gpt_header(const uint8_t *sector, uint32_t sector_size, uint64_t lba,
				 struct gpt_header *h)
{
	uint32_t size = get_le32(sector + GPT_HEADER_SIZE);

	*h = (struct gpt_header){ 0 };
	if (memcmp(sector, "EFI PART", 8))
		return GPT_NO_SIGNATURE;
	h->my_lba = get_le64(sector + GPT_MY_LBA);
	h->alternate_lba = get_le64(sector + GPT_ALTERNATE_LBA);
	h->first_usable_lba = get_le64(sector + GPT_FIRST_USABLE);
	h->last_usable_lba = get_le64(sector + GPT_LAST_USABLE);
	h->entries_lba = get_le64(sector + GPT_ENTRIES_LBA);
	h->entry_count = get_le32(sector + GPT_ENTRY_COUNT);
	h->entry_size = get_le32(sector + GPT_ENTRY_SIZE);
	h->entries_crc = get_le32(sector + GPT_ARRAY_CRC);
	memcpy(h->disk_guid, sector + GPT_DISK_GUID, sizeof(h->disk_guid));

	if (get_le32(sector + GPT_REVISION) >> 16 != 1)
		return GPT_BAD_REVISION;
	if (size < GPT_HEADER_LEAST || size > sector_size)
		return GPT_BAD_HEADER_SIZE;
	if (!header_crc_fits(sector, size))
		return GPT_BAD_CRC;
	if (h->my_lba != lba)
		return GPT_BAD_PLACE;
	if (!is_sane_array(h))
		return GPT_BAD_ENTRY_SIZE;
	if (!h->entry_count || (uint64_t)h->entry_count * h->entry_size > GPT_ARRAY_MAX)
		return GPT_BAD_ENTRY_COUNT;
	if (h->first_usable_lba > h->last_usable_lba)
		return GPT_BAD_USABLE;
	return is_sane_place(h, sector_size) ? GPT_OK : GPT_BAD_ARRAY_PLACE;
}

enum gpt_fault check_gpt_array(const struct gpt_header *h, const uint8_t *array)
{
	size_t bytes = (size_t)h->entry_count * h->entry_size;

	return crc32_update(0, array, bytes) == h->entries_crc ? GPT_OK : GPT_BAD_ARRAY_CRC;
}

bool decode_gpt_entry(const uint8_t *bytes, struct gpt_entry *e)
{
	static const uint8_t unused[16];

	memcpy(e->type, bytes, 16);
	memcpy(e->guid, bytes + 16, 16);
	e->first_lba = get_le64(bytes + 32);
	e->last_lba = get_le64(bytes + 40);
	e->attributes = get_le64(bytes + 48);
	e->name = bytes + 56;
	return memcmp(e->type, unused, sizeof(unused));
}

const char *gpt_fault_text(enum gpt_fault fault)
{
	static const char *const texts[] = {
		[GPT_OK] = "is whole",
		[GPT_PAST_END] = "is past the end of the disk",
		[GPT_UNREADABLE] = "cannot be read",
		[GPT_NO_SIGNATURE] = "is missing",
		[GPT_BAD_REVISION] = "has an unknown revision",
		[GPT_BAD_HEADER_SIZE] = "gives an impossible header size",
		[GPT_BAD_CRC] = "has a wrong header checksum",
		[GPT_BAD_PLACE] = "says that it belongs to another sector",
		[GPT_BAD_ENTRY_SIZE] = "gives an impossible entry size",
		[GPT_BAD_ENTRY_COUNT] = "gives an impossible number of entries",
		[GPT_BAD_USABLE] = "has a usable area that ends before it begins",
		[GPT_BAD_ARRAY_PLACE] = "has its entry array in a place that is not free for it",
		[GPT_ARRAY_PAST_END] = "has an entry array past the end of the disk",
		[GPT_ARRAY_UNREADABLE] = "has an entry array that cannot be read",
		[GPT_BAD_ARRAY_CRC] = "has an entry array with a wrong checksum",
	};

	return texts[fault];
}
