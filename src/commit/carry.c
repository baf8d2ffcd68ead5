// SPDX-License-Identifier: GPL-2.0-or-later
#include "internal.h"

#include <string.h>

static uint8_t *primary_entry(const struct table_image *image, const struct partition *p)
{
	return find_table_sector(image, 0) + DOS_ENTRIES + (p->number - 1) * DOS_ENTRY_SIZE;
}

/* Boot indicator, type and both CHS addresses. What follows counts from where the EBR is. */
static void copy_entry_head(uint8_t *to, const uint8_t *from)
{
	if (to && from)
		memcpy(to, from, DOS_START);
}

/* The start of the container, which all links count from. */
static uint64_t container_start(const struct layout *layout, const struct plan *plan)
{
	for (size_t i = 0; i < layout->count; i++)
		if (is_own_entry(layout, &layout->partitions[i]) &&
		    layout->partitions[i].role == ROLE_EXTENDED)
			return new_place(layout, plan, i).start;
	return 0;
}

/* libfdisk makes EBRs from zeros, with CHS addresses of the geometry it believes in and links of
 * type 05. Some boot loaders keep code in the area in front of the entries. */
static void carry_over_ebr(const struct layout *layout, const struct plan *plan, size_t i,
			   const uint8_t *old_ebr, uint8_t *new_ebr)
{
	uint8_t *old_link = find_ebr_entry(old_ebr, true),
		*new_link = find_ebr_entry(new_ebr, true);
	uint32_t sector = layout->sector_size;

	memcpy(new_ebr, old_ebr, DOS_ENTRIES);
	memcpy(new_ebr + 512, old_ebr + 512, sector - 512);
	if (!is_moved(layout, plan, i))
		copy_entry_head(find_ebr_entry(new_ebr, false), find_ebr_entry(old_ebr, false));
	if (!old_link || !new_link)
		return;
	new_link[DOS_TYPE] = old_link[DOS_TYPE];
	if (get_le32(old_link + DOS_SECTORS) == get_le32(new_link + DOS_SECTORS) &&
	    container_start(layout, NULL) / sector + get_le32(old_link + DOS_START) ==
		    container_start(layout, plan) / sector + get_le32(new_link + DOS_START))
		copy_entry_head(new_link, old_link);
}

void carry_over_dos(const struct layout *layout, const struct plan *plan,
		    const struct table_image *before, struct table_image *after)
{
	for (size_t i = 0; i < layout->count; i++) {
		const struct partition *p = &layout->partitions[i];
		const uint8_t *old_ebr;
		uint8_t *new_ebr;

		if (!is_own_entry(layout, p))
			continue;
		if (!is_logical(p)) {
			if (!is_moved(layout, plan, i))
				copy_entry_head(primary_entry(after, p), primary_entry(before, p));
			continue;
		}
		old_ebr = find_table_sector(before, p->ebr);
		new_ebr = find_table_sector(after, plan->places[i].ebr);
		if (old_ebr && new_ebr)
			carry_over_ebr(layout, plan, i, old_ebr, new_ebr);
	}
}
