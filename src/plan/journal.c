// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How each move is protected, and where the journal goes. A shift needs no second copy, but a flush
 * every |D| bytes: below PLAN_LONE_SHIFT a copy of each window in the journal is cheaper. Lanes
 * make one flush serve many shifts, where seeks cost nothing.
 */
#include "internal.h"

#include <errno.h>
#include <stdlib.h>

/* Larger windows gain nothing on flash; a disk with a seek for each flush wants them. */
#define SHIFT_WINDOW          (8 * MIB)
#define SHIFT_WINDOW_ROTATING (64 * MIB)
#define JOURNAL_WINDOW        (32 * MIB)
#define JOURNAL_WINDOW_LEAST  (64 * KIB)

/* A lane shorter than so many shifts spends its time in saving sills. */
#define LANE_SHIFTS 4

static uint64_t shift_of(const struct plan_move *move)
{
	return move->to > move->from ? move->to - move->from : move->from - move->to;
}

/* Lanes that fit a move whose sills may take `room` bytes of the journal. */
static unsigned lanes_for(const struct ground *ground, const struct plan_move *move, uint64_t room)
{
	uint64_t d = shift_of(move), lanes = ground->request->lanes;

	if (ground->request->rotational == TRI_YES)
		return 1; /* every lane is a seek */
	lanes = min_u64(lanes, move->size / LANE_SHIFTS / d);
	lanes = min_u64(lanes, room / d + 1);
	return lanes < 2 ? 1 : (unsigned)lanes;
}

/* Chooses for a journal with `room` bytes for halves and sills. */
static void choose_protection(const struct ground *ground, struct plan_move *move, uint64_t room)
{
	bool rotating = ground->request->rotational == TRI_YES;
	uint64_t d = shift_of(move);

	move->lanes = 1;
	if (d < PLAN_LONE_SHIFT && move->size > d) {
		uint64_t half = round_down_to(room / 2, ground->sector);

		move->protection = PROTECT_JOURNAL;
		move->window = min_u64(min_u64(JOURNAL_WINDOW, half), move->size);
		return;
	}
	move->protection = PROTECT_SHIFT;
	move->window = min_u64(d, rotating ? SHIFT_WINDOW_ROTATING : SHIFT_WINDOW);
	move->lanes = lanes_for(ground, move, room);
	if (move->lanes > 1)
		move->protection = PROTECT_LANES;
}

/* Bytes of the journal that `move` uses as halves or sills. */
static uint64_t data_of(const struct plan_move *move)
{
	if (move->protection == PROTECT_JOURNAL)
		return 2 * move->window;
	return move->protection == PROTECT_LANES ? (move->lanes - 1) * shift_of(move) : 0;
}

/* What is there whatever the protection: header, record slots, both tables, the moves, and for each
 * room for the fields that record its position. A MiB, and more where that is much. */
static uint64_t fixed_part(const struct ground *ground, const struct plan *plan)
{
	enum { SLOTS = 64 * KIB, GPT_ARRAY = 128, GPT_ENTRIES = 128, A_MOVE = 9 * KIB };
	uint64_t entries = max_u64(ground->layout->count, GPT_ENTRIES);
	uint64_t sectors = 1 + ground->layout->count, bytes;

	if (ground->layout->type == TABLE_GPT)
		sectors = 5 + 2 * (entries * GPT_ARRAY / ground->sector + 1);
	bytes = SLOTS + 2 * sectors * (ground->sector + 16) + plan->move_count * A_MOVE;
	round_up_to(bytes, MIB, &bytes);
	return bytes;
}

/* Settles on the moves' protection with a journal of `size` bytes; how many of them are used. */
static uint64_t fill_journal(const struct ground *ground, uint64_t size, struct plan *plan)
{
	uint64_t fixed = fixed_part(ground, plan), data = 0;

	for (size_t i = 0; i < plan->move_count; i++) {
		choose_protection(ground, &plan->moves[i], size - fixed);
		data = max_u64(data, data_of(&plan->moves[i]));
	}
	round_up_to(data, 4 * KIB, &data); /* records are blocks of their own */
	return fixed + data;
}

static int by_start(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Everything that a journal must keep off: both layouts, both layouts' tables, data in gaps. */
static int list_taken(const struct ground *ground, const struct plan *plan, struct extent **list,
		      size_t *count)
{
	const struct layout *layout = ground->layout;
	uint64_t size = ground->device->size, tail = size > PLAN_TAIL ? size - PLAN_TAIL : 0;
	size_t n = 0;
	struct extent *taken =
		calloc(4 * layout->count + ground->occupied_count + 2, sizeof(*taken));

	if (!taken)
		return -ENOMEM;
	for (size_t i = 0; i < layout->count; i++) {
		const struct partition *p = &layout->partitions[i];
		const struct plan_place *q = &plan->places[i];
		bool box = (int)i == ground->extended; /* between its logicals is a gap */
		uint64_t old_size = box ? ground->sector : p->size;
		uint64_t new_size = box ? ground->sector : q->size;

		taken[n++] = (struct extent){ p->start, p->start + old_size };
		taken[n++] = (struct extent){ q->start, q->start + new_size };
		if (p->ebr)
			taken[n++] = (struct extent){ p->ebr, p->ebr + ground->sector };
		if (q->ebr)
			taken[n++] = (struct extent){ q->ebr, q->ebr + ground->sector };
	}
	for (size_t i = 0; i < ground->occupied_count; i++)
		taken[n++] = ground->occupied[i];
	taken[n++] =
		(struct extent){ layout->type == TABLE_DOS ? tail : ground->limit, UINT64_MAX };
	qsort(taken, n, sizeof(*taken), by_start);
	*list = taken;
	*count = n;
	return 0;
}

/* The largest gap; false: none is large enough. Records are blocks of 4096 bytes, and no sector of
 * the medium may hold one of them and something else. */
static bool find_gap(const struct ground *ground, const struct extent *taken, size_t count,
		     struct extent *gap)
{
	uint64_t block = max_u64(4 * KIB, ground->device->topology.physical_block_size);
	uint64_t pos = max_u64(ground->floor, ground->sector), largest = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t start;

		if (!round_up_to(pos, block, &start))
			break;
		if (taken[i].start > start && taken[i].start - start > largest) {
			largest = round_down_to(taken[i].start - start, 4 * KIB);
			*gap = (struct extent){ start, start + largest };
		}
		pos = max_u64(pos, taken[i].end);
	}
	return largest >= PLAN_JOURNAL_GAP;
}

bool protect_moves(const struct ground *ground, struct plan *plan, int *error)
{
	autofree struct extent *taken = NULL;
	struct extent gap;
	size_t count;

	*error = 0;
	if (!plan->move_count)
		return true;
	if (ground->request->journal_file) {
		plan->journal = JOURNAL_FILE;
		plan->journal_bytes = fill_journal(ground, UINT64_MAX, plan);
		return true;
	}
	*error = list_taken(ground, plan, &taken, &count);
	if (*error)
		return false;
	if (!find_gap(ground, taken, count, &gap) ||
	    gap.end - gap.start < fixed_part(ground, plan) + 2 * JOURNAL_WINDOW_LEAST)
		return refuse(plan,
			      "no gap of 2 MiB is free for the journal: name a file on another"
			      " disk with --journal");
	plan->journal = JOURNAL_GAP;
	plan->journal_start = gap.start;
	plan->journal_bytes =
		max_u64(PLAN_JOURNAL_GAP, fill_journal(ground, gap.end - gap.start, plan));
	return true;
}
