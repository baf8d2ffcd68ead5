/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_PLAN_VERIFY_H
#define ALIGNCK_PLAN_VERIFY_H

/*
 * The check of a finished plan, from scratch: verify.c the places, replay.c the moves and the
 * journal. Knows nothing of how plans are made (internal.h): it compares every pair where the
 * planner sorts, and replays the moves where the planner reasons about their order. A mistake has
 * to be made twice, in two ways, to get through.
 */
#include "alignck/plan.h"

struct check {
	const struct device *device;
	const struct layout *layout;
	const struct analysis *analysis;
	const struct plan_request *request;
	const struct plan *plan;
	struct reason *reason;
	uint64_t sector;
	/* An extended partition that holds something: its extent is no data. */
	bool is_container[LAYOUT_PARTITIONS_MAX];
	bool is_logical[LAYOUT_PARTITIONS_MAX];
	/* Data of its own: no container, and no slice inside a slice. */
	bool owns_data[LAYOUT_PARTITIONS_MAX];
	bool has_arrived[LAYOUT_PARTITIONS_MAX]; /* while the moves are replayed */
};

/* Says what is wrong; false, so that a check can end with it. */
#define WRONG(c, ...) (reason_set((c)->reason, 0, __VA_ARGS__), false)

static inline const struct partition *part(const struct check *c, size_t i)
{
	return &c->layout->partitions[i];
}

static inline struct extent old_extent(const struct check *c, size_t i)
{
	return (struct extent){ part(c, i)->start, part(c, i)->start + part(c, i)->size };
}

static inline struct extent new_extent(const struct check *c, size_t i)
{
	const struct plan_place *p = &c->plan->places[i];

	return (struct extent){ p->start, p->start + p->size };
}

static inline bool has_moved(const struct check *c, size_t i)
{
	return c->plan->places[i].start != part(c, i)->start;
}

/* true: no byte of `e` is data in a gap; sectors of the old table are none. */
bool verify_unoccupied(const struct check *c, struct extent e);

/* The moves are the places' differences, in an order that overwrites nothing, each protected. */
bool verify_moves(struct check *c);
bool verify_journal(const struct check *c);

#endif
