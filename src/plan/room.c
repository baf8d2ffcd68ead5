// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Why there is no room, and by how much. Every partition is pushed as far to the left as it goes,
 * staying or moving, whichever ends earlier; what then sticks out past the next one that cannot
 * give way is what is missing. No choice of movers needs less, for none ends earlier.
 */
#include "internal.h"

#include <inttypes.h>

static uint64_t sectors(const struct ground *ground, uint64_t bytes)
{
	return bytes / ground->sector + (bytes % ground->sector != 0);
}

static uint64_t missing_before(const struct ground *ground, size_t i, uint64_t pos,
			       struct plan *plan)
{
	const struct item *item = &ground->items[i];
	uint64_t missing = sectors(ground, pos - item->room);

	refuse(plan,
	       "no room: needs %" PRIu64
	       " more sectors between partition %u and partition %u, which"
	       " %s",
	       missing, i ? partition_of(ground, i - 1)->number : 0,
	       partition_of(ground, i)->number, why_pinned(ground, item->index));
	return missing;
}

uint64_t explain_no_room(const struct ground *ground, struct plan *plan)
{
	uint64_t pos = 0, missing;
	bool neighbour_stays = false;

	for (size_t i = 0; i < ground->count; i++) {
		const struct item *item = &ground->items[i];
		uint64_t start, end = UINT64_MAX;
		bool stays = !item->must_move && can_stay(ground, i, pos, neighbour_stays);

		if (item->pinned && !stays)
			return missing_before(ground, i, pos, plan);
		if (!item->pinned && fit_up(ground, i, pos, &start))
			end = start + item->size;
		neighbour_stays = stays && item_end(item) <= end;
		pos = neighbour_stays ? item_end(item) : end;
	}
	missing = pos > ground->limit ? sectors(ground, pos - ground->limit) : 0;
	refuse(plan,
	       "no room: needs %" PRIu64 " more sectors behind partition %u%s: shrink its file"
	       " system and then the partition by as many",
	       missing, ground->count ? partition_of(ground, ground->count - 1)->number : 0,
	       ground->occupied_count ? " (gaps hold data that is in no partition)" : "");
	return missing;
}
