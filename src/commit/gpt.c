// SPDX-License-Identifier: GPL-2.0-or-later
#include "internal.h"

#include <errno.h>
#include <string.h>

/*
 * A move changes 16 bytes of a GPT entry and the checksums above it, so just these are changed.
 * libfdisk would have to delete the entry and make a new one: that loses reserved attribute bits,
 * what follows the end of a name and what entries above 128 bytes hold, writes a new protective
 * entry without its boot flag, and moves a backup that is not at the disk's end. It reads the
 * result back instead (compare_fdisk).
 */
enum { ENTRY_FIRST = 32, ENTRY_LAST = 40, HEADER_CRC = 16, HEADER_ARRAY_CRC = 88 };

/* Sets start and end of one entry, once it is sure to be the entry that the layout speaks of. */
static int edit_entry(struct gpt_copy *copy, const struct partition *partition,
		      const struct plan_place *place, uint32_t sector, struct reason *reason)
{
	uint8_t *entry;

	if (partition->number < 1 || partition->number > copy->entries)
		return reason_set(reason, -EINVAL, "GPT has no entry %u", partition->number);
	entry = copy->array + (uint64_t)(partition->number - 1) * copy->entry_size;
	if (get_le64(entry + ENTRY_FIRST) != partition->start / sector ||
	    get_le64(entry + ENTRY_LAST) != (partition->start + partition->size) / sector - 1)
		return reason_set(reason, -EINVAL, "partition %u changed while we looked",
				  partition->number);
	put_le64(entry + ENTRY_FIRST, place->start / sector);
	put_le64(entry + ENTRY_LAST, (place->start + place->size) / sector - 1);
	return 0;
}

static int edit_copy(struct gpt_copy *copy, const struct layout *layout, const struct plan *plan,
		     struct reason *reason)
{
	for (size_t i = 0; i < layout->count; i++) {
		const struct partition *p = &layout->partitions[i];
		const struct plan_place *place = &plan->places[i];
		int r;

		if (!is_own_entry(layout, p) ||
		    (p->start == place->start && p->size == place->size))
			continue;
		r = edit_entry(copy, p, place, layout->sector_size, reason);
		if (r < 0)
			return r;
	}
	put_le32(copy->header + HEADER_ARRAY_CRC, crc32_update(0, copy->array, copy->array_size));
	put_le32(copy->header + HEADER_CRC, gpt_header_checksum(copy->header, copy->header_size));
	return 0;
}

static int write_copy(struct io *memory, const struct gpt_copy *copy, uint32_t sector,
		      struct reason *reason)
{
	int r = io_write(memory, copy->array, copy->array_room, copy->array_at);

	if (r == 0)
		r = io_write(memory, copy->header, sector, copy->header_at);
	return r < 0 ? reason_set(reason, r, "cannot encode the new table: %s", strerror(-r)) : 0;
}

/* Two copies that tell two layouts are no ground to move data on. */
static bool is_same_array(const struct gpt_copy *a, const struct gpt_copy *b)
{
	return a->entries == b->entries && a->entry_size == b->entry_size &&
	       memcmp(a->array, b->array, a->array_size) == 0;
}

int edit_gpt_table(struct io *memory, const struct layout *layout, const struct plan *plan,
		   struct reason *reason)
{
	uint32_t sector = layout->sector_size;
	struct gpt_copy primary, backup = { 0 };
	int r = read_gpt_copy(memory, sector, sector, &primary, reason);

	if (r == 0)
		r = read_gpt_copy(memory, primary.alternate_at, sector, &backup, reason);
	if (r == 0 && !is_same_array(&primary, &backup))
		r = reason_set(reason, -EINVAL,
			       "GPT contradicts itself: its two copies differ; repair it first");
	if (r == 0)
		r = edit_copy(&primary, layout, plan, reason);
	if (r == 0)
		r = edit_copy(&backup, layout, plan, reason);
	if (r == 0)
		r = write_copy(memory, &primary, sector, reason);
	if (r == 0)
		r = write_copy(memory, &backup, sector, reason);
	gpt_copy_free(&primary);
	gpt_copy_free(&backup);
	return r;
}
