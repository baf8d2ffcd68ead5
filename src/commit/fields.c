// SPDX-License-Identifier: GPL-2.0-or-later
#include "internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct field_list {
	struct position_field *fields;
	size_t count, room;
};

/* One moved partition, at its new place. */
struct moved {
	struct io *disk;
	unsigned number;
	struct place_change change;
	uint64_t size;
	struct field_list *list;
	struct reason *reason;
};

static int add_field(const struct moved *m, uint64_t offset, uint32_t length,
		     const uint8_t *old_bytes, const uint8_t *new_bytes)
{
	struct field_list *list = m->list;

	if (list->count == list->room) {
		size_t room = list->room ? 2 * list->room : 8;
		struct position_field *more =
			reallocarray(list->fields, room, sizeof(*list->fields));

		if (!more)
			return reason_set(m->reason, -ENOMEM, "out of memory");
		list->fields = more;
		list->room = room;
	}

	struct position_field *field = &list->fields[list->count++];

	*field = (struct position_field){ .offset = m->change.to + offset, .length = length };
	memcpy(field->old_bytes, old_bytes, length);
	memcpy(field->new_bytes, new_bytes, length);
	return 0;
}

/* Reads [at, at + len) of the partition; both are multiples of its logical sector size, because the
 * disk may be open past all caches. 1: it does not reach that far. */
static int read_at(const struct moved *m, uint64_t at, void *buf, size_t len)
{
	uint64_t end;
	int r;

	if (!add_u64(at, len, &end) || end > m->size)
		return 1;
	r = io_read(m->disk, buf, len, m->change.to + at);
	return r < 0 ? reason_set(m->reason, r,
				  "cannot read the boot sector of partition %u at byte "
				  "%" PRIu64 ": %s",
				  m->number, m->change.to + at, strerror(-r))
		     : 0;
}

/* A boot sector of that kind at `at`: its start field, if it holds the old start. */
static int add_start_field(const struct moved *m, uint64_t at, enum boot_record_kind kind)
{
	uint32_t sector = m->change.sector;
	autofree uint8_t *bytes = malloc(sector);
	struct boot_record record;
	uint8_t field[8];
	uint64_t value;
	int r;

	if (!bytes)
		return reason_set(m->reason, -ENOMEM, "out of memory");
	if (at % sector)
		return 0;
	r = read_at(m, at, bytes, sector);
	if (r)
		return r < 0 ? r : 0;
	if (!decode_boot_record(bytes, &record) || record.kind != kind ||
	    !find_start_value(&m->change, record.sector, record.value, record.width, &value))
		return 0;
	put_le64(field, value);
	return add_field(m, at + record.field, record.width, bytes + record.field, field);
}

static int add_fat_fields(const struct moved *m, const struct boot_record *record)
{
	int r = add_start_field(m, 0, BOOT_RECORD_FAT);

	return r == 0 && record->backup ? add_start_field(m, record->backup, BOOT_RECORD_FAT) : r;
}

/* The backup is behind the last sector that the volume counts, which is the partition's last one
 * unless somebody made the partition larger. */
static int add_ntfs_fields(const struct moved *m, const struct boot_record *record)
{
	uint64_t backup, last = m->size - m->change.sector;
	int r = add_start_field(m, 0, BOOT_RECORD_NTFS);

	if (r == 0)
		r = add_start_field(m, last, BOOT_RECORD_NTFS);
	if (r < 0 || !mul_u64(record->sectors, record->sector, &backup) || backup == last ||
	    backup == 0)
		return r;
	return add_start_field(m, backup, BOOT_RECORD_NTFS);
}

/* The checksum repeated over a whole sector, against what is there or as it is to be. */
static bool is_checksum_sector(const uint8_t *bytes, uint32_t sector, uint32_t sum)
{
	for (uint32_t i = 0; i < sector; i += 4)
		if (get_le32(bytes + i) != sum)
			return false;
	return true;
}

/* One of the two boot regions: the field, and the sector of checksums that covers it. A region
 * whose checksum does not fit is damaged and nobody's to mend here. */
static int add_exfat_region(const struct moved *m, uint64_t at, uint32_t fs_sector)
{
	enum { CHECKSUM_SECTOR = 11, REGION = 12, FIELD = 0x40 };
	autofree uint8_t *region = malloc((size_t)REGION * fs_sector);
	uint8_t old_bytes[8], sums[POSITION_FIELD_MAX];
	struct boot_record record;
	uint64_t value, end;
	int r;

	if (!region)
		return reason_set(m->reason, -ENOMEM, "out of memory");
	/* Whole logical sectors of the disk; the file system's may be smaller only by mistake. */
	if (fs_sector % m->change.sector || !add_u64(at, REGION * fs_sector, &end))
		return 0;
	r = read_at(m, at, region, (size_t)REGION * fs_sector);
	if (r)
		return r < 0 ? r : 0;

	uint8_t *checksums = region + CHECKSUM_SECTOR * fs_sector;

	if (!decode_boot_record(region, &record) || record.kind != BOOT_RECORD_EXFAT ||
	    record.sector != fs_sector ||
	    !is_checksum_sector(checksums, fs_sector, exfat_boot_checksum(region, fs_sector)) ||
	    !find_start_value(&m->change, fs_sector, record.value, record.width, &value))
		return 0;
	memcpy(old_bytes, region + FIELD, sizeof(old_bytes));
	put_le64(region + FIELD, value);
	r = add_field(m, at + FIELD, sizeof(old_bytes), old_bytes, region + FIELD);
	for (size_t i = 0; i < sizeof(sums); i += 4)
		put_le32(sums + i, exfat_boot_checksum(region, fs_sector));
	for (uint32_t i = 0; i < fs_sector && r == 0; i += sizeof(sums))
		r = add_field(m, at + CHECKSUM_SECTOR * fs_sector + i, sizeof(sums), checksums + i,
			      sums);
	return r;
}

static int add_fields(const struct moved *m)
{
	autofree uint8_t *bytes = malloc(m->change.sector);
	struct boot_record record;
	int r = bytes ? read_at(m, 0, bytes, m->change.sector)
		      : reason_set(m->reason, -ENOMEM, "out of memory");

	if (r || !decode_boot_record(bytes, &record))
		return r < 0 ? r : 0;
	switch (record.kind) {
	case BOOT_RECORD_FAT:
		return add_fat_fields(m, &record);
	case BOOT_RECORD_NTFS:
		return add_ntfs_fields(m, &record);
	default:
		r = add_exfat_region(m, 0, record.sector);
		return r < 0 ? r : add_exfat_region(m, record.backup, record.sector);
	}
}

int find_position_fields(struct io *disk, const struct layout *layout, const struct plan *plan,
			 uint32_t sector, struct position_field **fields, size_t *count,
			 struct reason *reason)
{
	struct field_list list = { 0 };

	*fields = NULL;
	*count = 0;
	for (size_t i = 0; i < layout->count && i < plan->place_count; i++) {
		const struct partition *p = &layout->partitions[i];
		const struct plan_place *place = &plan->places[i];
		const struct moved m = {
			.disk = disk,
			.number = p->number,
			.change = { p->start, place->start, p->ebr, place->ebr, sector },
			.size = place->size,
			.list = &list,
			.reason = reason,
		};
		int r;

		if (p->start == place->start || p->role == ROLE_EXTENDED)
			continue;
		r = add_fields(&m);
		if (r < 0) {
			free(list.fields);
			return r;
		}
	}
	*fields = list.fields;
	*count = list.count;
	return 0;
}
