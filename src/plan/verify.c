// SPDX-License-Identifier: GPL-2.0-or-later
#include "verify.h"

/* Bytes by which `start` misses the boundaries of `unit`, as the medium counts them. */
static uint64_t off_by(const struct check *c, uint64_t start, uint64_t unit)
{
	unsigned __int128 on_medium = (unsigned __int128)start + c->device->image_offset;
	uint64_t offset = (uint64_t)c->device->topology.alignment_offset % unit;

	return (uint64_t)((on_medium + unit - offset) % unit);
}

static bool check_grid(const struct check *c)
{
	uint64_t required = c->analysis->required, grain = c->plan->grain;

	if (!required || !grain || grain % required || grain % c->sector)
		return WRONG(c, "the grain does not meet the required alignment");
	if (c->device->topology.alignment_offset < 0 || c->plan->shift >= grain ||
	    off_by(c, c->plan->shift, grain))
		return WRONG(c, "the shift is not the device's");
	return true;
}

/* Every sum of the checks below is of these. */
static bool check_sums(const struct check *c)
{
	for (size_t i = 0; i < c->layout->count; i++) {
		const struct partition *p = part(c, i);
		const struct plan_place *q = &c->plan->places[i];
		uint64_t end;

		if (!add_u64(p->start, p->size, &end) || !add_u64(q->start, q->size, &end) ||
		    !add_u64(p->ebr, c->sector, &end) || !add_u64(q->ebr, c->sector, &end))
			return WRONG(c, "partition %u would end beyond any disk", p->number);
	}
	return true;
}

/* Sizes, and who may move at all, and where to. */
static bool check_place(const struct check *c, size_t i)
{
	const struct partition *p = part(c, i);
	const struct plan_place *q = &c->plan->places[i];
	bool is_asked = !c->request->only_count;
	bool is_off = off_by(c, p->start, c->analysis->required) != 0;
	enum verdict verdict = c->analysis->partitions[i].verdict;

	if (!c->is_container[i] && q->size != p->size)
		return WRONG(c, "the size of partition %u changes", p->number);
	if (!c->is_container[i] && !c->owns_data[i])
		return !has_moved(c, i) ||
		       WRONG(c, "partition %u must stay in its slice", p->number);
	if (new_extent(c, i).end > c->device->size)
		return WRONG(c, "partition %u would end past the end of the disk", p->number);
	if (q->start % c->sector || q->size % c->sector)
		return WRONG(c, "partition %u would not lie on whole sectors", p->number);
	if (c->is_container[i])
		return true;
	for (size_t k = 0; k < c->request->only_count; k++)
		is_asked |= c->request->only[k] == p->number;
	if (!has_moved(c, i)) {
		if (is_asked && is_off && verdict == VERDICT_MISALIGNED)
			return WRONG(c, "partition %u stays misaligned", p->number);
		return true;
	}
	if (p->role != ROLE_DATA)
		return WRONG(c, "partition %u must not move", p->number);
	for (size_t k = 0; k < c->layout->count; k++)
		if (part(c, k)->parent == (int)i)
			return WRONG(c, "partition %u would leave its slices behind", p->number);
	if (is_off && verdict == VERDICT_ALIGNED)
		return WRONG(c, "partition %u is aligned inside and must not move", p->number);
	if (q->start < c->plan->shift || (q->start - c->plan->shift) % c->plan->grain)
		return WRONG(c, "partition %u would not start on a boundary", p->number);
	return true;
}

/* Nothing moves into the tables or the boot gap. */
static bool check_limits(const struct check *c, size_t i)
{
	struct extent e = new_extent(c, i);
	uint64_t reached = 0, backup = 16384 + c->sector;

	if (!has_moved(c, i))
		return true;
	if (c->layout->type == TABLE_DOS)
		return (e.start >= PLAN_BOOT_GAP && e.end / c->sector <= 1ULL << 32) ||
		       WRONG(c, "partition %u would be out of reach of an MBR", part(c, i)->number);
	for (size_t k = 0; k < c->layout->count; k++)
		if (c->owns_data[k] && old_extent(c, k).end > reached)
			reached = old_extent(c, k).end;
	if (e.end > reached && (c->device->size < backup || e.end > c->device->size - backup))
		return WRONG(c, "partition %u would reach into the backup table",
			     part(c, i)->number);
	return (e.start >= c->layout->first_usable && e.end <= c->layout->last_usable) ||
	       WRONG(c, "partition %u would leave the usable area", part(c, i)->number);
}

static bool check_pairs(const struct check *c, size_t i)
{
	for (size_t k = 0; k < c->layout->count; k++) {
		if (k == i || !c->owns_data[k])
			continue;
		if (extents_overlap(new_extent(c, i), new_extent(c, k)))
			return WRONG(c, "partitions %u and %u would overlap", part(c, i)->number,
				     part(c, k)->number);
		if ((part(c, i)->start < part(c, k)->start) !=
		    (c->plan->places[i].start < c->plan->places[k].start))
			return WRONG(c, "partitions %u and %u would change places",
				     part(c, i)->number, part(c, k)->number);
	}
	return true;
}

/* Is the byte at `pos` in a sector of the old table? Such bytes are no data, though not zero. */
static bool is_old_table(const struct check *c, uint64_t pos, uint64_t *end)
{
	for (size_t i = 0; i < c->layout->count; i++) {
		uint64_t at = c->is_container[i] ? part(c, i)->start : part(c, i)->ebr;

		if (at && at <= pos && pos - at < c->sector) {
			*end = at + c->sector;
			return true;
		}
	}
	return false;
}

bool verify_unoccupied(const struct check *c, struct extent e)
{
	for (size_t i = 0; i < c->request->occupied_count; i++) {
		struct extent o = c->request->occupied[i];

		if (o.start >= o.end || !extents_overlap(e, o))
			continue;

		uint64_t pos = e.start > o.start ? e.start : o.start;
		uint64_t end = e.end < o.end ? e.end : o.end;

		while (pos < end)
			if (!is_old_table(c, pos, &pos))
				return false;
	}
	return true;
}

/* No EBR lies in data, on another, outside the container or behind its logical. */
static bool check_ebr(const struct check *c, size_t i)
{
	const struct plan_place *q = &c->plan->places[i];
	struct extent box, ebr = { q->ebr, q->ebr + c->sector };
	unsigned number = part(c, i)->number;
	bool is_kept;

	if (!c->is_logical[i])
		return q->ebr == part(c, i)->ebr ||
		       WRONG(c, "partition %u is no logical, yet gets an EBR", number);
	box = new_extent(c, part(c, i)->parent);
	if (q->start <= box.start || new_extent(c, i).end > box.end)
		return WRONG(c, "partition %u would leave its container", number);
	/* What need not change stays as its owner made it. */
	is_kept = q->ebr == part(c, i)->ebr && !has_moved(c, i) &&
		  box.start == part(c, part(c, i)->parent)->start;
	if (!is_kept && (q->ebr >= q->start || q->ebr % c->sector || q->ebr < box.start))
		return WRONG(c, "the EBR of partition %u would not lie in front of it", number);
	if (!verify_unoccupied(c, ebr))
		return WRONG(c, "the EBR of partition %u would destroy data in a gap", number);
	for (size_t k = 0; k < c->layout->count; k++) {
		if (k != i && c->is_logical[k] && c->plan->places[k].ebr == q->ebr)
			return WRONG(c, "partitions %u and %u would share an EBR", number,
				     part(c, k)->number);
		if (c->owns_data[k] && extents_overlap(new_extent(c, k), ebr))
			return WRONG(c, "the EBR of partition %u would lie in partition %u", number,
				     part(c, k)->number);
	}
	return true;
}

static bool check_container(const struct check *c, size_t i)
{
	struct extent box = new_extent(c, i);
	bool is_changed = has_moved(c, i);
	size_t head = SIZE_MAX;

	for (size_t k = 0; k < c->layout->count; k++) {
		if (part(c, k)->parent == (int)i && c->is_logical[k]) {
			is_changed |= has_moved(c, k);
			if (head == SIZE_MAX || part(c, k)->number < part(c, head)->number)
				head = k;
		} else if (c->owns_data[k] && extents_overlap(new_extent(c, k), box)) {
			return WRONG(c, "partition %u would reach into the extended partition",
				     part(c, k)->number);
		}
	}
	/* A chain begins where its container does: MBR entries know no other place. */
	if (has_moved(c, i) && box.start < PLAN_BOOT_GAP)
		return WRONG(c, "the extended partition would begin in the boot gap");
	if (is_changed && c->plan->places[head].ebr != box.start)
		return WRONG(c, "the extended partition would not begin with its first EBR");
	return true;
}

static bool check_places(const struct check *c)
{
	for (size_t i = 0; i < c->layout->count; i++)
		if (!check_place(c, i))
			return false;
	for (size_t i = 0; i < c->layout->count; i++) {
		if (c->owns_data[i] && (!check_limits(c, i) || !check_pairs(c, i)))
			return false;
		if (c->owns_data[i] && has_moved(c, i) && !verify_unoccupied(c, new_extent(c, i)))
			return WRONG(c, "partition %u would cover data in a gap",
				     part(c, i)->number);
		if (!check_ebr(c, i) || (c->is_container[i] && !check_container(c, i)))
			return false;
	}
	return true;
}

static void find_kinds(struct check *c)
{
	for (size_t i = 0; i < c->layout->count; i++) {
		int parent = part(c, i)->parent;

		c->is_logical[i] = parent >= 0 && part(c, parent)->role == ROLE_EXTENDED;
		if (c->is_logical[i])
			c->is_container[parent] = true;
	}
	for (size_t i = 0; i < c->layout->count; i++)
		c->owns_data[i] = part(c, i)->parent < 0 ? !c->is_container[i] : c->is_logical[i];
}

static bool is_unchanged(const struct check *c)
{
	for (size_t i = 0; i < c->layout->count; i++)
		if (has_moved(c, i) || c->plan->places[i].size != part(c, i)->size ||
		    c->plan->places[i].ebr != part(c, i)->ebr)
			return WRONG(c, "partition %u would move without a move",
				     part(c, i)->number);
	return true;
}

bool verify_plan(const struct device *device, const struct layout *layout,
		 const struct analysis *analysis, const struct plan_request *request,
		 const struct plan *plan, struct reason *reason)
{
	struct check check = { .device = device,
			       .layout = layout,
			       .analysis = analysis,
			       .request = request,
			       .plan = plan,
			       .reason = reason,
			       .sector = layout->sector_size };
	struct check *c = &check;

	if (!plan->feasible)
		return WRONG(c, "not feasible: %.200s", plan->reason);
	if (plan->place_count != layout->count || analysis->count != layout->count ||
	    layout->count > LAYOUT_PARTITIONS_MAX)
		return WRONG(c, "the plan is for another table");
	if (!plan->move_count)
		return is_unchanged(c) && verify_journal(c);
	if (layout->type != TABLE_DOS && layout->type != TABLE_GPT)
		return WRONG(c, "such a table is not rewritten");
	if (!c->sector)
		return WRONG(c, "the table has no sector size");
	find_kinds(c);
	return check_sums(c) && check_grid(c) && check_places(c) && verify_moves(c) &&
	       verify_journal(c);
}
