/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_PLAN_INTERNAL_H
#define ALIGNCK_PLAN_INTERNAL_H

/*
 * How a plan is made, one file a step:
 *
 *     refuse.c     may this table and these contents be moved at all?
 *     ground.c     what has to be placed, in disk order, and what is in its way
 *     obstacles.c  gaps that hold data
 *     place.c      the new starts: fewest bytes moved, then nearest
 *     extended.c   the container and the EBRs around the new starts
 *     order.c      which partition moves first
 *     journal.c    how each move is protected, and where the journal goes
 *     attention.c  what is left to mend by hand
 *     room.c       why there is no room, and by how much
 *     verify.c, replay.c   the check from scratch; they include nothing of this
 */

#include "alignck/plan.h"

/* One partition that takes up room: a primary, a logical or a GPT entry, not a container's entry
 * nor what is nested in a slice. */
struct item {
	size_t index;         /* into layout->partitions */
	uint64_t start, size; /* bytes */
	uint64_t lead;        /* bytes of EBRs that must fit between its neighbour and it */
	uint64_t room;        /* where what it has in front of it begins today: an EBR, or start */
	int container;        /* index of the extended partition it lies in, -1 */
	bool must_move, pinned;
};

/* All that the steps look at. */
struct ground {
	const struct device *device;
	const struct layout *layout;
	const struct content *contents; /* may be NULL */
	const struct analysis *analysis;
	const struct plan_request *request;
	uint64_t sector, required, grain, shift; /* bytes */
	uint64_t floor, limit;                   /* what moves ends up in [floor, limit) */
	int extended;                            /* index of the one container, -1 */
	size_t chain_first;      /* the logical whose EBR is the container's start */
	struct extent *occupied; /* sorted, apart, without the table's own sectors */
	size_t occupied_count;
	struct item *items; /* in disk order */
	size_t count;
	bool no_room; /* said by draw(): the reason is a lack of sectors */
};

static inline uint64_t item_end(const struct item *item)
{
	return item->start + item->size; /* checked by survey() */
}

static inline const struct partition *partition_of(const struct ground *ground, size_t i)
{
	return &ground->layout->partitions[ground->items[i].index];
}

/* Bytes from the last boundary to `start`, as the medium below sees it. */
uint64_t bytes_past_boundary(const struct ground *ground, uint64_t start);

/* ---- refuse.c ---- */

/* Sets plan->reason and returns false where nothing of this device may be moved. */
bool may_fix(const struct ground *ground, struct plan *plan);

/* Why this partition may never be moved, NULL: it may. */
const char *why_pinned(const struct ground *ground, size_t index);

/* Checks what the finished moves would uncover; sets plan->reason. */
bool may_uncover(const struct ground *ground, struct plan *plan);

/* ---- ground.c ---- */

/*
 * Fills the rest of *ground from its first five fields: boundaries, items, obstacles. *refused:
 * plan->reason says why. 0 or -ENOMEM. ground_free() in any case.
 */
int survey(struct ground *ground, struct plan *plan, bool *refused);
void ground_free(struct ground *ground);

/* Does the request select partition `index`? */
bool is_requested(const struct ground *ground, size_t index);

/* ---- obstacles.c ---- */

/* Fills ground->occupied from the request: sorted, merged, without EBRs. 0 or -ENOMEM. */
int list_obstacles(struct ground *ground);

/* true: no byte of `extent` is occupied; else *obstacle (may be NULL) is the first in the way. */
bool is_unoccupied(const struct ground *ground, struct extent extent, struct extent *obstacle);

/*
 * Smallest start of item `i` on the grain, off obstacles, its lead at or past `from` and the floor.
 * false where there is none below 2^64; the caller looks at ground->limit.
 */
bool fit_up(const struct ground *ground, size_t i, uint64_t from, uint64_t *start);

/* Largest such start with which it ends at or before `wall`. */
bool fit_down(const struct ground *ground, size_t i, uint64_t wall, uint64_t *start);

/* ---- place.c ---- */

/* May item `i` stay where it is when all before it ends at `pos`? */
bool can_stay(const struct ground *ground, size_t i, uint64_t pos, bool neighbour_stays);

/* Fills starts[] (one an item) and the sum of what moves; UINT64_MAX: no room. 0 or -ENOMEM. */
int place_items(const struct ground *ground, uint64_t *starts, uint64_t *bytes);

/* ---- extended.c ---- */

/* Fills plan->places from the new starts; false with plan->reason where an EBR has no place. */
bool place_tables(const struct ground *ground, const uint64_t *starts, struct plan *plan);

/* ---- order.c, journal.c, attention.c, room.c ---- */

/* Fills plan->moves, bytes_to_move and bytes_used. 0 or -ENOMEM. */
int order_moves(const struct ground *ground, const uint64_t *starts, struct plan *plan);

/* Picks each move's protection and finds the journal's place; false with plan->reason. *error
 * -ENOMEM or 0. */
bool protect_moves(const struct ground *ground, struct plan *plan, int *error);

int list_attention(const struct ground *ground, struct plan *plan);

/* Appends a sentence to plan->attention. 0 or -ENOMEM. */
int add_attention(struct plan *plan, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets plan->reason to what is missing, and where. Returns the missing sectors. */
uint64_t explain_no_room(const struct ground *ground, struct plan *plan);

/* Sets plan->reason; returns false, so that a refusal is one statement. */
bool refuse(struct plan *plan, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
