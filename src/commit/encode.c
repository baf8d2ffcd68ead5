// SPDX-License-Identifier: GPL-2.0-or-later
#include "fdisk.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * The new table is made on a memory disk that holds the old one, and must pass four readers before
 * a byte of the real disk may move:
 *
 *	collect old -> edit -> collect new -> adopt EBR places -> carry over
 *		-> read_layout() = plan?  libfdisk = plan?  bytes = old ones?  clear of all data?
 */

static int check_request(const struct layout *layout, const struct plan *plan,
			 struct reason *reason)
{
	if (!plan->feasible || plan->place_count != layout->count)
		return reason_set(reason, -EINVAL, "cannot encode a table without a plan for it");
	if (layout->hybrid)
		return reason_set(reason, -EINVAL, "cannot keep a hybrid MBR and its GPT the same");
	for (size_t i = 0; i < layout->count; i++) {
		const struct plan_place *place = &plan->places[i];
		uint64_t end;

		if (!place->size || !add_u64(place->start, place->size, &end) ||
		    place->start % layout->sector_size || place->size % layout->sector_size)
			return reason_set(reason, -EINVAL,
					  "partition %u cannot be placed at byte %" PRIu64,
					  layout->partitions[i].number, place->start);
	}
	return 0;
}

/* libfdisk has written one EBR for each logical, in the order of their numbers, which start at 5.
 */
static int adopt_ebr_places(const struct layout *layout, struct plan *plan,
			    const struct table_image *after, struct reason *reason)
{
	for (size_t i = 0; i < layout->count; i++) {
		const struct partition *p = &layout->partitions[i];

		if (!is_own_entry(layout, p) || !is_logical(p))
			continue;
		if (p->number - 5 >= after->count - 1)
			return reason_set(reason, -EINVAL, "libfdisk wrote no EBR for partition %u",
					  p->number);
		plan->places[i].ebr = after->sectors[p->number - 5].offset;
	}
	return 0;
}

static int finish_dos(struct io *memory, const struct layout *layout, struct plan *plan,
		      const struct table_image *before, struct table_image *after,
		      struct reason *reason)
{
	int r;

	/* libfdisk mends what it dislikes in a chain (an empty EBR, a missing 55 AA). Not unasked.
	 */
	if (!is_chain_changed(layout, plan)) {
		struct table_image ebrs = { before->sectors, before->count - 1 };

		r = write_table_sectors(memory, &ebrs, layout->sector_size, reason);
		if (r < 0)
			return r;
	}
	r = collect_table(memory, TABLE_DOS, layout->sector_size, after, reason);
	if (r == 0 && is_chain_changed(layout, plan))
		r = adopt_ebr_places(layout, plan, after, reason);
	if (r < 0)
		return r;
	carry_over_dos(layout, plan, before, after);
	return write_table_sectors(memory, after, layout->sector_size, reason);
}

/* The partition whose data is at byte `at` (plan NULL: in the old layout); NULL: a gap. */
static const struct partition *find_data_at(const struct layout *layout, const struct plan *plan,
					    uint64_t at)
{
	for (size_t i = 0; i < layout->count; i++) {
		const struct partition *p = &layout->partitions[i];
		struct plan_place place = new_place(layout, plan, i);

		if (is_own_entry(layout, p) && p->role != ROLE_EXTENDED && at >= place.start &&
		    at - place.start < place.size)
			return p;
	}
	return NULL;
}

/* A sector of the table in new data or in the journal would be overwritten, or overwrite it. */
static int check_clear_of_data(const struct layout *layout, const struct plan *plan,
			       const struct table_image *after, struct reason *reason)
{
	for (size_t s = 0; s < after->count; s++) {
		uint64_t at = after->sectors[s].offset;
		const struct partition *p = find_data_at(layout, plan, at);

		if (p)
			return reason_set(reason, -EINVAL,
					  "no room for the table: its sector at byte %" PRIu64
					  " would lie in the data of partition %u",
					  at, p->number);
		if (plan->journal == JOURNAL_GAP && at >= plan->journal_start &&
		    at - plan->journal_start < plan->journal_bytes)
			return reason_set(reason, -EINVAL,
					  "no room for the table: its sector at byte %" PRIu64
					  " would lie in the journal",
					  at);
	}
	return 0;
}

/* The plan has looked into the gaps that it uses; where libfdisk chose otherwise, we have to. */
static int check_chosen_ebr(struct io *disk, const struct layout *layout,
			    const struct table_image *before, const struct partition *p,
			    uint64_t at, struct reason *reason)
{
	autofree uint8_t *bytes = NULL;
	int r;

	if (find_table_sector(before, at) || find_data_at(layout, NULL, at))
		return 0;
	bytes = malloc(layout->sector_size);
	r = bytes ? io_read(disk, bytes, layout->sector_size, at) : -ENOMEM;
	if (r < 0)
		return reason_set(reason, r,
				  "cannot read the place of an EBR at byte %" PRIu64 ": %s", at,
				  strerror(-r));
	for (uint32_t i = 0; i < layout->sector_size; i++)
		if (bytes[i])
			return reason_set(reason, -EINVAL,
					  "no room for the EBR of partition %u: the gap at byte "
					  "%" PRIu64 " holds data",
					  p->number, at);
	return 0;
}

static int check_chosen_ebrs(struct io *disk, const struct layout *layout, const struct plan *plan,
			     const uint64_t *wished, const struct table_image *before,
			     struct reason *reason)
{
	int r = 0;

	for (size_t i = 0; i < layout->count && r == 0; i++)
		if (plan->places[i].ebr != wished[i])
			r = check_chosen_ebr(disk, layout, before, &layout->partitions[i],
					     plan->places[i].ebr, reason);
	return r;
}

/*
 * What lies in a gap now and under a sector of the new table later is part of the old state too, so
 * that undo leaves no EBR behind in a gap. Old data is not: undo moves it back itself, and its
 * owner may have written to it since.
 */
static int keep_gap_sectors(struct io *disk, const struct layout *layout,
			    const struct table_image *after, struct table_image *before,
			    struct reason *reason)
{
	autofree uint8_t *bytes = malloc(layout->sector_size);

	for (size_t s = 0; s < after->count; s++) {
		uint64_t at = after->sectors[s].offset;
		struct table_sector switch_sector;
		int r;

		if (find_table_sector(before, at) || find_data_at(layout, NULL, at))
			continue;
		r = bytes ? io_read(disk, bytes, layout->sector_size, at) : -ENOMEM;
		if (r < 0)
			return reason_set(reason, r,
					  "cannot read the place of an EBR at byte %" PRIu64 ": %s",
					  at, strerror(-r));
		r = add_sectors(before, at, bytes, layout->sector_size, layout->sector_size,
				reason);
		if (r < 0)
			return r;
		switch_sector = before->sectors[before->count - 2];
		before->sectors[before->count - 2] = before->sectors[before->count - 1];
		before->sectors[before->count - 1] = switch_sector;
	}
	return 0;
}

static int check_layout(struct io *memory, const struct layout *layout, const struct plan *plan,
			struct reason *reason)
{
	const struct layout_options options = { .sector_size = layout->sector_size };
	struct layout *found;
	int r = read_layout(memory, &options, &found, reason);

	if (r < 0)
		return r;
	r = is_planned_layout(layout, plan, found, reason) ? 0 : -EINVAL;
	layout_free(found);
	return r;
}

static int check_with_fdisk(const struct io *memory, const struct layout *layout,
			    const struct plan *plan, struct reason *reason)
{
	struct fdisk fdisk;
	int r = open_fdisk(memory, layout->sector_size, "table", &fdisk, reason);

	if (r == 0)
		r = compare_fdisk(&fdisk, layout, plan, reason);
	close_fdisk(&fdisk);
	return r;
}

static int encode_on(struct io *memory, const struct layout *layout, struct plan *plan,
		     const struct table_image *before, struct table_image *after,
		     struct reason *reason)
{
	bool dos = layout->type == TABLE_DOS;
	int r = write_table_sectors(memory, before, layout->sector_size, reason);

	if (r == 0)
		r = dos ? edit_dos_table(memory, layout, plan, reason)
			: edit_gpt_table(memory, layout, plan, reason);
	if (r == 0)
		r = dos ? finish_dos(memory, layout, plan, before, after, reason)
			: collect_table(memory, TABLE_GPT, layout->sector_size, after, reason);
	if (r == 0)
		r = check_layout(memory, layout, plan, reason);
	if (r == 0)
		r = check_with_fdisk(memory, layout, plan, reason);
	if (r == 0 && !is_same_otherwise(layout, plan, before, after, reason))
		r = -EINVAL;
	if (r == 0)
		r = check_clear_of_data(layout, plan, after, reason);
	return r;
}

int encode_tables(struct io *disk, const struct layout *layout, struct plan *plan,
		  struct table_image *before, struct table_image *after, struct reason *reason)
{
	autofree uint64_t *wished = calloc(layout->count + 1, sizeof(*wished));
	autoio struct io *memory = NULL;
	int r = check_request(layout, plan, reason);

	*before = *after = (struct table_image){ 0 };
	if (!wished)
		return reason_set(reason, -ENOMEM, "cannot encode the new table: out of memory");
	for (size_t i = 0; r == 0 && i < layout->count; i++)
		wished[i] = plan->places[i].ebr;
	if (r == 0)
		r = collect_table(disk, layout->type, layout->sector_size, before, reason);
	if (r == 0)
		r = open_memory_disk(disk->size, &memory, reason);
	if (r == 0)
		r = encode_on(memory, layout, plan, before, after, reason);
	if (r == 0)
		r = check_chosen_ebrs(disk, layout, plan, wished, before, reason);
	if (r == 0)
		r = keep_gap_sectors(disk, layout, after, before, reason);
	if (r < 0) {
		table_image_free(before);
		table_image_free(after);
	}
	return r;
}
