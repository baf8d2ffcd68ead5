// SPDX-License-Identifier: GPL-2.0-or-later
/* What has to be placed, in disk order, and what is in its way. */
#include "internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MBR_SECTORS (1ULL << 32) /* a start has 32 bits; libfdisk wants the end below as well */

uint64_t bytes_past_boundary(const struct ground *ground, uint64_t start)
{
	uint64_t unit = ground->required;
	uint64_t offset = (uint64_t)ground->device->topology.alignment_offset;

	return (start % unit + ground->device->image_offset % unit + unit - offset % unit) % unit;
}

bool is_requested(const struct ground *ground, size_t index)
{
	const struct plan_request *request = ground->request;

	for (size_t i = 0; i < request->only_count; i++)
		if (request->only[i] == ground->layout->partitions[index].number)
			return true;
	return !request->only_count;
}

static uint64_t least_common_multiple(uint64_t a, uint64_t b, uint64_t none)
{
	uint64_t x = a, y = b, multiple;

	while (y) {
		uint64_t rest = x % y;

		x = y;
		y = rest;
	}
	return mul_u64(a / x, b, &multiple) ? multiple : none;
}

/*
 * A boundary has to satisfy what is required, stripes that are no power of two included: 192 KiB
 * and 1 MiB meet every 3 MiB. Where they hardly ever meet the requirement alone counts.
 */
static bool find_grain(struct ground *ground, struct plan *plan)
{
	enum { GRAIN_MAX = 16 * MIB };
	const uint64_t limit = 1ULL << 62; /* a few of them still add up */
	uint64_t asked = ground->request->grain ? ground->request->grain : MIB;
	uint64_t grain = least_common_multiple(asked, ground->required, 0);
	char was[SIZE_TEXT_MAX], is[SIZE_TEXT_MAX], needs[SIZE_TEXT_MAX];

	if ((!grain || grain > GRAIN_MAX) && grain != asked &&
	    !round_up_to(asked, ground->required, &grain))
		grain = UINT64_MAX;
	if (grain > limit)
		return refuse(plan, "--grain is too large");
	ground->grain = grain;
	if (grain != asked)
		snprintf(plan->note, sizeof(plan->note),
			 "starts go to multiples of %s instead of %s, because the device requires"
			 " multiples of %s",
			 format_size(is, grain), format_size(was, asked),
			 format_size(needs, ground->required));
	return true;
}

/* The boundaries as they lie on this device: alignment_offset and --image-offset shift them. */
static bool find_boundaries(struct ground *ground, struct plan *plan)
{
	const struct device *device = ground->device;
	uint64_t offset = (uint64_t)device->topology.alignment_offset;

	if (!is_power_of_two(ground->sector) || ground->required % ground->sector)
		return refuse(plan, "a sector size of %" PRIu64 " bytes is not understood",
			      ground->sector);
	if (!find_grain(ground, plan))
		return false;
	ground->shift =
		(offset % ground->grain + ground->grain - device->image_offset % ground->grain) %
		ground->grain;
	if (ground->shift % ground->sector)
		return refuse(plan, "no sector of this device begins on a physical boundary");
	plan->grain = ground->grain;
	plan->shift = ground->shift;
	return true;
}

/* An entry that takes up room by itself; an extended container does so while it is empty. */
static bool takes_room(const struct ground *ground, size_t index)
{
	const struct partition *p = &ground->layout->partitions[index];

	if (p->parent >= 0)
		return (size_t)p->parent < ground->layout->count &&
		       ground->layout->partitions[p->parent].role == ROLE_EXTENDED;
	return p->role != ROLE_EXTENDED || (int)index != ground->extended;
}

static bool find_container(struct ground *ground, struct plan *plan)
{
	const struct layout *layout = ground->layout;

	ground->extended = -1;
	for (size_t i = 0; i < layout->count; i++) {
		const struct partition *p = &layout->partitions[i];

		if (p->parent < 0 || (size_t)p->parent >= layout->count ||
		    layout->partitions[p->parent].role != ROLE_EXTENDED)
			continue;
		if (ground->extended >= 0 && ground->extended != p->parent)
			return refuse(plan, "two extended partitions cannot be rewritten");
		/* The kernel counts logicals along the chain: the lowest number is its head. */
		if (ground->extended < 0 ||
		    p->number < layout->partitions[ground->chain_first].number)
			ground->chain_first = i;
		ground->extended = p->parent;
	}
	return ground->extended < 0 || layout->partitions[ground->extended].parent < 0 ||
	       refuse(plan, "an extended partition inside another is not understood");
}

/* OS/2 put two partitions into one EBR; nothing writes such a thing today. */
static bool are_ebrs_distinct(const struct ground *ground, struct plan *plan)
{
	const struct partition *p = ground->layout->partitions;

	for (size_t i = 0; i < ground->layout->count; i++)
		for (size_t k = 0; k < i; k++)
			if (p[i].ebr && p[i].ebr == p[k].ebr)
				return refuse(plan,
					      "partitions %u and %u are in one EBR, which cannot be"
					      " written anew",
					      p[k].number, p[i].number);
	return true;
}

/* Whatever is added up later: of what is nested in a slice, too. */
static bool has_end(const struct ground *ground, const struct partition *p, struct plan *plan)
{
	uint64_t end;

	return (add_u64(p->start, p->size, &end) && add_u64(p->ebr, ground->sector, &end)) ||
	       refuse(plan, "partition %u lies beyond any disk", p->number);
}

static bool is_sound(const struct ground *ground, const struct partition *p, struct plan *plan)
{
	uint64_t sector = ground->sector;

	if (!p->size)
		return refuse(plan, "partition %u is empty", p->number);
	if (p->start < sector)
		return refuse(plan, "partition %u begins in the table itself", p->number);
	if (p->start + p->size > ground->device->size)
		return refuse(plan, "partition %u ends past the end of the disk", p->number);
	if (p->start % sector || p->size % sector || p->ebr % sector)
		return refuse(plan, "partition %u does not lie on whole sectors", p->number);
	return true;
}

static int by_start(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static bool list_items(struct ground *ground, struct plan *plan)
{
	const struct layout *layout = ground->layout;

	for (size_t i = 0; i < layout->count; i++) {
		const struct partition *p = &layout->partitions[i];
		bool misaligned = ground->analysis->partitions[i].verdict == VERDICT_MISALIGNED &&
				  bytes_past_boundary(ground, p->start);

		if (!has_end(ground, p, plan))
			return false;
		if (!takes_room(ground, i) && (int)i != ground->extended)
			continue; /* nested in a slice: it stays with it */
		if (!is_sound(ground, p, plan))
			return false;
		if ((int)i == ground->extended)
			continue;
		ground->items[ground->count++] = (struct item){
			.index = i,
			.start = p->start,
			.size = p->size,
			.room = p->start,
			.container = p->parent,
			.pinned = why_pinned(ground, i) != NULL,
			.must_move = misaligned && is_requested(ground, i),
		};
	}
	qsort(ground->items, ground->count, sizeof(*ground->items), by_start);
	return true;
}

/* Layout has said so already where it read the table; nothing here rests on that. */
static bool are_items_apart(const struct ground *ground, struct plan *plan)
{
	const struct partition *box =
		ground->extended >= 0 ? &ground->layout->partitions[ground->extended] : NULL;

	for (size_t i = 0; i < ground->count; i++) {
		const struct item *item = &ground->items[i];
		struct extent extent = { item->start, item_end(item) };

		if (i && item_end(item - 1) > item->start)
			return refuse(plan, "partitions %u and %u overlap",
				      partition_of(ground, i - 1)->number,
				      partition_of(ground, i)->number);
		if (!box)
			continue;

		struct extent inside = { box->start, box->start + box->size };
		bool fits = extent.start > inside.start && extent.end <= inside.end;

		if (item->container >= 0 ? !fits : extents_overlap(extent, inside))
			return refuse(plan, "partition %u crosses the border of partition %u",
				      partition_of(ground, i)->number, box->number);
	}
	return true;
}

/* Such an EBR goes with the data it lies in. */
static bool are_ebrs_outside(const struct ground *ground, struct plan *plan)
{
	const struct layout *layout = ground->layout;

	for (size_t i = 0; i < layout->count; i++) {
		uint64_t ebr = layout->partitions[i].ebr;

		for (size_t k = 0; ebr && k < ground->count; k++)
			if (ebr >= ground->items[k].start && ebr < item_end(&ground->items[k]))
				return refuse(plan, "the EBR of partition %u lies in partition %u",
					      layout->partitions[i].number,
					      partition_of(ground, k)->number);
	}
	return true;
}

/*
 * Logicals have tables among them: the container begins with the EBR of the chain's first logical,
 * every other EBR needs a sector, kept where it is or right in front of its logical.
 */
static void find_leads(struct ground *ground)
{
	uint64_t end = 0;
	bool inside = false;

	for (size_t i = 0; i < ground->count; i++) {
		struct item *item = &ground->items[i];
		const struct partition *p = partition_of(ground, i);

		if (item->container >= 0) {
			bool is_head = item->index == ground->chain_first;

			if (!inside) {
				item->lead = is_head ? ground->sector : 2 * ground->sector;
				item->room = ground->layout->partitions[item->container].start;
			} else if (!is_head) {
				item->lead = ground->sector;
				item->room = p->ebr >= end && p->ebr < p->start
						     ? p->ebr
						     : p->start - ground->sector;
			}
			inside = true;
		}
		end = item_end(item);
	}
}

/*
 * What moves ends up in [floor, limit). A GPT's backup takes the end of the disk (UEFI 2.10, 5.3.1:
 * at least 16 KiB of entries and the header), unless a partition reached in there before.
 */
static void find_limits(struct ground *ground)
{
	const struct layout *layout = ground->layout;
	uint64_t size = round_down_to(ground->device->size, ground->sector);
	uint64_t backup = ground->sector + 16 * KIB;
	uint64_t last = ground->count ? item_end(&ground->items[ground->count - 1]) : 0;

	if (layout->type == TABLE_GPT) {
		ground->floor = layout->first_usable;
		ground->limit = size > backup ? size - backup : 0;
		if (last > ground->limit)
			ground->limit = last;
		if (layout->last_usable < ground->limit)
			ground->limit = layout->last_usable;
	} else {
		ground->floor = PLAN_BOOT_GAP;
		ground->limit =
			size / ground->sector > MBR_SECTORS ? MBR_SECTORS * ground->sector : size;
	}
}

int survey(struct ground *ground, struct plan *plan, bool *refused)
{
	*refused = true;
	if (!find_boundaries(ground, plan) || !find_container(ground, plan) ||
	    !are_ebrs_distinct(ground, plan))
		return 0;
	ground->items = calloc(ground->layout->count + 1, sizeof(*ground->items));
	if (!ground->items || list_obstacles(ground) < 0)
		return -ENOMEM;
	if (!list_items(ground, plan) || !are_items_apart(ground, plan) ||
	    !are_ebrs_outside(ground, plan))
		return 0;
	find_leads(ground);
	find_limits(ground);
	*refused = false;
	return 0;
}

void ground_free(struct ground *ground)
{
	free(ground->occupied);
	free(ground->items);
}
