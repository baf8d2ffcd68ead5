// SPDX-License-Identifier: GPL-2.0-or-later
/* Gaps that hold data, and starts that keep off them. */
#include "internal.h"

#include <errno.h>
#include <stdlib.h>

static int by_extent(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Takes one sector of the table out of the obstacles: it is written anew wherever it goes. */
static void free_sector(struct ground *ground, uint64_t sector)
{
	size_t count = ground->occupied_count;
	struct extent freed = { .start = sector };

	if (!add_u64(sector, ground->sector, &freed.end))
		return; /* beyond any disk */
	for (size_t i = 0; i < count; i++) {
		struct extent *e = &ground->occupied[i];
		uint64_t end = e->end;

		if (!extents_overlap(*e, freed))
			continue;
		if (e->start < sector) {
			e->end = sector;
			if (end > freed.end)
				ground->occupied[ground->occupied_count++] =
					(struct extent){ freed.end, end };
		} else {
			e->start = min_u64(end, freed.end);
		}
	}
}

static void sort_obstacles(struct ground *ground)
{
	size_t kept = 0;

	qsort(ground->occupied, ground->occupied_count, sizeof(struct extent), by_extent);
	for (size_t i = 0; i < ground->occupied_count; i++) {
		struct extent e = ground->occupied[i];

		if (e.start >= e.end)
			continue;
		if (kept && e.start <= ground->occupied[kept - 1].end) {
			if (e.end > ground->occupied[kept - 1].end)
				ground->occupied[kept - 1].end = e.end;
		} else {
			ground->occupied[kept++] = e;
		}
	}
	ground->occupied_count = kept;
}

/* Room for what the table's sectors cut in two: once by each, and merging first keeps it at that.
 */
int list_obstacles(struct ground *ground)
{
	const struct layout *layout = ground->layout;

	ground->occupied_count = ground->request->occupied_count;
	ground->occupied =
		calloc(ground->occupied_count + layout->count + 2, sizeof(*ground->occupied));
	if (!ground->occupied)
		return -ENOMEM;
	for (size_t i = 0; i < ground->occupied_count; i++)
		ground->occupied[i] = ground->request->occupied[i];
	sort_obstacles(ground);
	for (size_t i = 0; i < layout->count; i++)
		if (layout->partitions[i].ebr)
			free_sector(ground, layout->partitions[i].ebr);
	if (ground->extended >= 0)
		free_sector(ground, layout->partitions[ground->extended].start);
	sort_obstacles(ground);
	return 0;
}

bool is_unoccupied(const struct ground *ground, struct extent extent, struct extent *obstacle)
{
	size_t low = 0, high = ground->occupied_count;

	/* The first one that ends past our start. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ground->occupied[middle].end > extent.start)
			high = middle;
		else
			low = middle + 1;
	}
	if (low == ground->occupied_count || ground->occupied[low].start >= extent.end)
		return true;
	if (obstacle)
		*obstacle = ground->occupied[low];
	return false;
}

bool fit_up(const struct ground *ground, size_t i, uint64_t from, uint64_t *start)
{
	const struct item *item = &ground->items[i];

	if (from < ground->floor)
		from = ground->floor;
	for (;;) {
		uint64_t at, end;
		struct extent obstacle;

		if (!add_u64(from, item->lead, &at))
			return false;
		at = at > ground->shift ? at - ground->shift : 0;
		if (!round_up_to(at, ground->grain, &at) || !add_u64(at, ground->shift, &at) ||
		    !add_u64(at, item->size, &end))
			return false;
		if (is_unoccupied(ground, (struct extent){ at - item->lead, end }, &obstacle)) {
			*start = at;
			return true;
		}
		from = obstacle.end;
	}
}

bool fit_down(const struct ground *ground, size_t i, uint64_t wall, uint64_t *start)
{
	const struct item *item = &ground->items[i];
	uint64_t lowest = ground->floor + item->lead;

	if (lowest < ground->shift)
		lowest = ground->shift;
	for (;;) {
		uint64_t at;
		struct extent obstacle;

		if (wall < item->size || wall - item->size < lowest)
			return false;
		at = wall - item->size - ground->shift;
		at = round_down_to(at, ground->grain) + ground->shift;
		if (at < lowest)
			return false;
		if (is_unoccupied(ground, (struct extent){ at - item->lead, at + item->size },
				  &obstacle)) {
			*start = at;
			return true;
		}
		wall = obstacle.start;
	}
}
