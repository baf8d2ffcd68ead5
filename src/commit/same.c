// SPDX-License-Identifier: GPL-2.0-or-later
#include "internal.h"

#include <inttypes.h>
#include <string.h>

/* An entry that was moved keeps boot indicator and type (its size is compared as a layout); one
 * that was not keeps all but what counts from the EBR. */
static bool is_same_entry(const uint8_t *a, const uint8_t *b, bool moved)
{
	if (moved)
		return a && b && a[DOS_BOOT] == b[DOS_BOOT] && a[DOS_TYPE] == b[DOS_TYPE];
	return a && b && memcmp(a, b, DOS_START) == 0;
}

static bool is_same_ebr(const uint8_t *a, const uint8_t *b, bool moved, uint32_t sector)
{
	enum { THIRD = DOS_ENTRIES + 2 * DOS_ENTRY_SIZE };

	return a && b && memcmp(a, b, DOS_ENTRIES) == 0 &&
	       memcmp(a + THIRD, b + THIRD, sector - THIRD) == 0 &&
	       is_same_entry(find_ebr_entry(a, false), find_ebr_entry(b, false), moved);
}

static bool is_same_mbr(const struct layout *layout, const struct plan *plan, const uint8_t *a,
			const uint8_t *b)
{
	bool moved[4] = { false };

	for (size_t i = 0; i < layout->count; i++)
		if (is_own_entry(layout, &layout->partitions[i]) &&
		    !is_logical(&layout->partitions[i]))
			moved[layout->partitions[i].number - 1] = is_moved(layout, plan, i);
	for (unsigned n = 0; n < 4; n++) {
		const uint8_t *x = a + DOS_ENTRIES + n * DOS_ENTRY_SIZE;
		const uint8_t *y = b + DOS_ENTRIES + n * DOS_ENTRY_SIZE;

		if (moved[n] ? !is_same_entry(x, y, true) : memcmp(x, y, DOS_ENTRY_SIZE) != 0)
			return false;
	}
	return memcmp(a, b, DOS_ENTRIES) == 0 && memcmp(a + DOS_SIGNATURE, b + DOS_SIGNATURE,
							layout->sector_size - DOS_SIGNATURE) == 0;
}

static bool is_same_dos(const struct layout *layout, const struct plan *plan,
			const struct table_image *before, const struct table_image *after,
			struct reason *reason)
{
	bool chain = is_chain_changed(layout, plan);

	if (!is_same_mbr(layout, plan, find_table_sector(before, 0), find_table_sector(after, 0))) {
		reason_set(reason, 0, "the new table would change more of sector 0 than positions");
		return false;
	}
	for (size_t i = 0; chain && i < layout->count; i++) {
		const struct partition *p = &layout->partitions[i];

		if (!is_own_entry(layout, p) || !is_logical(p) ||
		    is_same_ebr(find_table_sector(before, p->ebr),
				find_table_sector(after, plan->places[i].ebr),
				is_moved(layout, plan, i), layout->sector_size))
			continue;
		reason_set(reason, 0,
			   "the new table would change more of partition %u's EBR than positions",
			   p->number);
		return false;
	}
	for (size_t i = 0; !chain && i < before->count; i++) {
		const uint8_t *now = find_table_sector(after, before->sectors[i].offset);

		if (before->sectors[i].offset &&
		    (!now || memcmp(now, before->sectors[i].bytes, layout->sector_size) != 0)) {
			reason_set(reason, 0, "the new table would change EBRs that must stay");
			return false;
		}
	}
	return true;
}

/* A GPT's sectors in bytes: where one copy's header and array are. The numbers were checked when
 * the table was collected. */
struct gpt_area {
	uint64_t header, array, array_end;
	uint32_t entry_size;
};

static struct gpt_area find_gpt_area(const struct table_image *image, uint64_t header,
				     uint32_t sector)
{
	const uint8_t *h = find_table_sector(image, header);
	struct gpt_area area = { .header = header };

	if (!h)
		return area;
	area.array = get_le64(h + 72) * sector;
	area.entry_size = get_le32(h + 84);
	area.array_end = area.array + (uint64_t)get_le32(h + 80) * area.entry_size;
	return area;
}

/* May this byte differ? Both checksums of the header, first and last LBA of a moved entry. */
static bool may_differ(const struct layout *layout, const struct plan *plan,
		       const struct gpt_area *area, uint64_t at)
{
	uint64_t header_at = wrap_sub(at, area->header), field;

	if (at >= area->header && header_at < layout->sector_size)
		return (header_at >= 16 && header_at < 20) || (header_at >= 88 && header_at < 92);
	if (at < area->array || at >= area->array_end)
		return false;
	field = (at - area->array) % area->entry_size;
	for (size_t i = 0; i < layout->count; i++)
		if (is_own_entry(layout, &layout->partitions[i]) &&
		    layout->partitions[i].number == (at - area->array) / area->entry_size + 1)
			return is_moved(layout, plan, i) && field >= 32 && field < 48;
	return false;
}

static bool is_same_gpt(const struct layout *layout, const struct plan *plan,
			const struct table_image *before, const struct table_image *after,
			struct reason *reason)
{
	uint32_t sector = layout->sector_size;
	const uint8_t *primary = find_table_sector(before, sector);
	struct gpt_area areas[2] = {
		find_gpt_area(before, sector, sector),
		find_gpt_area(before, primary ? get_le64(primary + 32) * sector : 0, sector),
	};

	for (size_t i = 0; i < before->count; i++)
		for (uint32_t b = 0; b < sector; b++) {
			uint64_t at = before->sectors[i].offset + b;

			if (before->sectors[i].bytes[b] == after->sectors[i].bytes[b] ||
			    may_differ(layout, plan, &areas[0], at) ||
			    may_differ(layout, plan, &areas[1], at))
				continue;
			reason_set(reason, 0,
				   "the new GPT would change byte %" PRIu64
				   ", which no move touches",
				   at);
			return false;
		}
	return true;
}

bool is_same_otherwise(const struct layout *layout, const struct plan *plan,
		       const struct table_image *before, const struct table_image *after,
		       struct reason *reason)
{
	if (layout->type == TABLE_DOS)
		return is_same_dos(layout, plan, before, after, reason);
	if (before->count == after->count)
		return is_same_gpt(layout, plan, before, after, reason);
	reason_set(reason, 0, "the new GPT would have another number of sectors");
	return false;
}
