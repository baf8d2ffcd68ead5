// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * New starts that move the fewest bytes. A layout is a choice of partitions that stay; all between
 * two neighbours of that choice move, and fit if they do when pushed to the left as far as they go.
 * cost[k], the fewest bytes moved when item k - 1 stays, is the least over all j < k of cost[j] and
 * the sizes between: n^2 / 2 steps for n partitions. Cost 0 is the start of the disk, cost n + 1
 * its end.
 */
#include "internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct choice {
	uint64_t *cost; /* UINT64_MAX: not possible */
	size_t *from;   /* the one that stays before it */
};

bool can_stay(const struct ground *ground, size_t i, uint64_t pos, bool neighbour_stays)
{
	const struct item *item = &ground->items[i];

	if (pos <= item->room ||
	    (neighbour_stays && i && item->container >= 0 && item[-1].container == item->container))
		return true;
	/* Its EBR may come closer, where that sector is free. */
	return item->start >= item->lead && pos <= item->start - item->lead &&
	       is_unoccupied(ground, (struct extent){ item->start - item->lead, item->start },
			     NULL);
}

static void offer(struct choice *choice, size_t at, size_t from, uint64_t cost)
{
	if (cost < choice->cost[at]) {
		choice->cost[at] = cost;
		choice->from[at] = from;
	}
}

/* Tries every next one to stay after `stay`, everything between packed to the left. */
static void choose_after(const struct ground *ground, struct choice *choice, size_t stay)
{
	uint64_t pos = stay ? item_end(&ground->items[stay - 1]) : 0;
	uint64_t cost = choice->cost[stay], start;

	for (size_t i = stay; i < ground->count; i++) {
		const struct item *item = &ground->items[i];

		if (!item->must_move && can_stay(ground, i, pos, stay && i == stay))
			offer(choice, i + 1, stay, cost);
		if (item->pinned || !fit_up(ground, i, pos, &start) || start > ground->limit ||
		    item->size > ground->limit - start)
			return;
		pos = start + item->size;
		cost += item->size;
	}
	offer(choice, ground->count + 1, stay, cost);
}

/* How far right may what lies before item `i` (which stays; count: the end of the disk) reach? */
static uint64_t wall_before(const struct ground *ground, size_t i)
{
	const struct item *item = &ground->items[i];

	if (i == ground->count)
		return ground->limit;
	if (can_stay(ground, i, item->start - item->lead, false))
		return item->start - item->lead;
	return item->room;
}

/* The nearest start between `low` and `high`, which are starts that fit themselves. */
static uint64_t nearest(const struct ground *ground, size_t i, uint64_t low, uint64_t high)
{
	const struct item *item = &ground->items[i];
	uint64_t up = high, down = low;

	if (low >= item->start)
		return low;
	if (high <= item->start)
		return high;
	/* Both are found, because `high` lies above and `low` below. */
	fit_up(ground, i, item->start - item->lead, &up);
	fit_down(ground, i, item_end(item), &down);
	/* What lies before the partitions of a table that is only written down is not in it. */
	if (ground->device->kind == KIND_TABLE)
		return up;
	return up - item->start < item->start - down ? up : down;
}

/*
 * Places the movers [first, last) between two that stay, each as near to where it was as those
 * before it let it and those behind it need. `right` is room for the rightmost starts. false: they
 * do not fit, which choose_after() has excluded.
 */
static bool place_between(const struct ground *ground, size_t first, size_t last, uint64_t *right,
			  uint64_t *starts)
{
	uint64_t pos = first ? item_end(&ground->items[first - 1]) : 0;
	uint64_t wall = first < last ? wall_before(ground, last) : 0;

	if (wall > ground->limit)
		wall = ground->limit;
	for (size_t i = last; i > first; i--) {
		if (!fit_down(ground, i - 1, wall, &right[i - 1]))
			return false;
		wall = right[i - 1] - ground->items[i - 1].lead;
	}
	for (size_t i = first; i < last; i++) {
		uint64_t low;

		if (!fit_up(ground, i, pos, &low) || low > right[i])
			return false;
		starts[i] = nearest(ground, i, low, right[i]);
		pos = starts[i] + ground->items[i].size;
	}
	return true;
}

static int new_choice(size_t count, struct choice *choice)
{
	choice->cost = calloc(count, sizeof(*choice->cost));
	choice->from = calloc(count, sizeof(*choice->from));
	if (!choice->cost || !choice->from) {
		free(choice->cost);
		free(choice->from);
		return -ENOMEM;
	}
	memset(choice->cost, 0xff, count * sizeof(*choice->cost));
	return 0;
}

int place_items(const struct ground *ground, uint64_t *starts, uint64_t *bytes)
{
	size_t end = ground->count + 1;
	struct choice choice;
	bool found;
	autofree uint64_t *right = calloc(end, sizeof(*right));

	if (!right || new_choice(end + 1, &choice) < 0)
		return -ENOMEM;
	choice.cost[0] = 0;
	for (size_t stay = 0; stay < end; stay++)
		if (choice.cost[stay] != UINT64_MAX)
			choose_after(ground, &choice, stay);
	*bytes = choice.cost[end];
	found = *bytes != UINT64_MAX;

	/* From the end back: mark who stays, then fill in between from the left. */
	for (size_t i = 0; i < ground->count; i++)
		starts[i] = UINT64_MAX;
	for (size_t at = end; found && at; at = choice.from[at])
		if (at != end)
			starts[at - 1] = ground->items[at - 1].start;
	for (size_t first = 0; found && first < ground->count;) {
		size_t last = first;

		while (last < ground->count && starts[last] == UINT64_MAX)
			last++;
		found = place_between(ground, first, last, right, starts);
		first = last + 1;
	}
	if (!found)
		*bytes = UINT64_MAX;
	free(choice.cost);
	free(choice.from);
	return 0;
}
