// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tables among the logicals. The container begins with the EBR of the chain's first logical and
 * reaches at least to the end of the last one on the disk; it need not be aligned. What may stay
 * stays: the container's borders, then each EBR's distance from its logical.
 */
#include "internal.h"

#include <inttypes.h>

/* The logicals are neighbours in disk order: items [first, last). */
struct chain {
	size_t first, last;
};

static struct chain find_chain(const struct ground *ground)
{
	struct chain c = { 0 };

	while (c.first < ground->count && ground->items[c.first].container < 0)
		c.first++;
	for (c.last = c.first; c.last < ground->count && ground->items[c.last].container >= 0;)
		c.last++;
	return c;
}

static bool is_free_sector(const struct ground *ground, const struct chain *chain,
			   const struct plan *plan, uint64_t at)
{
	const struct extent sector = { at, at + ground->sector };

	if (!is_unoccupied(ground, sector, NULL))
		return false;
	for (size_t i = chain->first; i < chain->last; i++) {
		const struct plan_place *p = &plan->places[ground->items[i].index];

		if (extents_overlap(sector, (struct extent){ p->start, p->start + p->size }) ||
		    p->ebr == at)
			return false;
	}
	return true;
}

static void place_container(const struct ground *ground, const struct chain *chain,
			    struct plan *plan)
{
	const struct item *first = &ground->items[chain->first];
	const struct partition *box = &ground->layout->partitions[ground->extended];
	const struct plan_place *places = plan->places;
	uint64_t before = 0, behind = UINT64_MAX, last_end;
	uint64_t start = box->start, end = box->start + box->size;
	uint64_t head = places[first->index].start;

	if (chain->first)
		before = places[first[-1].index].start + first[-1].size;
	if (chain->last < ground->count)
		behind = places[ground->items[chain->last].index].start;
	last_end = places[ground->items[chain->last - 1].index].start +
		   ground->items[chain->last - 1].size;

	if (start < before || start + first->lead > head) {
		uint64_t gap = first->start - box->start;

		start = head - first->lead;
		if (gap >= first->lead && head >= gap && head - gap >= before &&
		    head - gap >= PLAN_BOOT_GAP &&
		    is_unoccupied(ground, (struct extent){ head - gap, head - gap + first->lead },
				  NULL))
			start = head - gap;
	}
	if (end > behind)
		end = behind;
	if (end < last_end)
		end = last_end;
	plan->places[ground->extended].start = start;
	plan->places[ground->extended].size = end - start;
}

/* true: every logical and the start of the container are where they were. */
static bool is_untouched(const struct ground *ground, const struct chain *chain,
			 const struct plan *plan)
{
	for (size_t i = chain->first; i < chain->last; i++)
		if (plan->places[ground->items[i].index].start != ground->items[i].start)
			return false;
	return plan->places[ground->extended].start ==
	       ground->layout->partitions[ground->extended].start;
}

/* Keeps the distance from the logical where that sector is free: it does where it may stay. */
static bool place_ebr(const struct ground *ground, const struct chain *chain, size_t i,
		      struct plan *plan)
{
	const struct item *item = &ground->items[i];
	const struct partition *p = partition_of(ground, i);
	struct plan_place *place = &plan->places[item->index];
	uint64_t lowest = plan->places[ground->extended].start + ground->sector;
	uint64_t at = place->start - ground->sector;

	if (i > chain->first) {
		const struct plan_place *neighbour = &plan->places[item[-1].index];

		lowest = neighbour->start + neighbour->size;
	}
	if (p->ebr && p->ebr < p->start) {
		uint64_t gap = p->start - p->ebr;

		if (place->start >= gap && place->start - gap >= lowest &&
		    is_free_sector(ground, chain, plan, place->start - gap))
			at = place->start - gap;
	}
	if (at < lowest || !is_free_sector(ground, chain, plan, at))
		return refuse(plan, "no free sector for the EBR in front of partition %u",
			      p->number);
	place->ebr = at;
	return true;
}

bool place_tables(const struct ground *ground, const uint64_t *starts, struct plan *plan)
{
	const struct chain chain = find_chain(ground);

	for (size_t i = 0; i < ground->count; i++)
		plan->places[ground->items[i].index].start = starts[i];
	if (chain.first == chain.last)
		return true;
	place_container(ground, &chain, plan);
	if (is_untouched(ground, &chain, plan))
		return true; /* places[] began as a copy of the old table */

	for (size_t i = chain.first; i < chain.last; i++)
		plan->places[ground->items[i].index].ebr = 0;
	plan->places[ground->chain_first].ebr = plan->places[ground->extended].start;
	for (size_t i = chain.first; i < chain.last; i++)
		if (ground->items[i].index != ground->chain_first &&
		    !place_ebr(ground, &chain, i, plan))
			return false;
	return true;
}
