// SPDX-License-Identifier: GPL-2.0-or-later
#include "run.h"

/*
 * Sills (invariant 13): the bytes between the parts of a move in lanes, which the neighbour's first
 * windows overwrite. They are in the journal while the move is under way, one behind the other in
 * the order of the lanes, without gaps.
 */

static uint64_t sills_size(const struct move *move)
{
	uint64_t sum = 0;

	for (uint32_t lane = 0; lane < move->parts; lane++) {
		struct extent sill = sill_extent(move, lane);

		sum += sill.end - sill.start;
	}
	return sum;
}

/* As many of their bytes as fit into the buffer: one access of the journal, one of each sill. */
struct turn {
	const struct move *move;
	uint64_t place; /* of the partition */
	uint64_t begin, end;
	uint32_t first; /* the lane whose sill holds byte `begin` */
	bool to_journal;
};

static int copy_sill(struct run *run, void *context, uint32_t index)
{
	const struct turn *turn = context;
	uint32_t lane = turn->first + index;
	struct extent sill = sill_extent(turn->move, lane);
	uint64_t saved = sill_offset(turn->move, lane);
	uint64_t skip = saved < turn->begin ? turn->begin - saved : 0;
	uint64_t len = min_u64(sill.end - sill.start, turn->end - saved) - skip;
	uint64_t disk = turn->place + sill.start + skip;
	uint8_t *at = run->buffer[0] + (saved + skip - turn->begin);

	return turn->to_journal ? read_disk(run, at, len, disk) : write_data(run, at, len, disk);
}

/* Copies sills between their place in the partition and the journal; *sum is theirs. */
static int copy_sills(struct run *run, const struct move *move, uint64_t place, bool to_journal,
		      uint64_t *sum)
{
	uint64_t total = sills_size(move), distance = move_distance(move);
	struct sum64 state;
	int r = 0;

	sum64_begin(&state, run->journal.seed);
	for (uint64_t at = 0; at < total && !r; at += run->window_max) {
		uint64_t len = min_u64(run->window_max, total - at);
		uint64_t journal = run->journal.data_offset + at;
		uint32_t first = at / distance, last = (at + len - 1) / distance;
		struct turn turn = {
			.move = move,
			.place = place,
			.begin = at,
			.end = at + len,
			.first = first + moves_right(move), /* then the first part has none */
			.to_journal = to_journal,
		};

		if (!to_journal)
			r = read_journal(run, run->buffer[0], len, journal);
		if (!r)
			r = run_parallel(run, last - first + 1, copy_sill, &turn);
		if (!r && to_journal)
			r = write_journal(run, run->buffer[0], len, journal);
		if (!r)
			sum64_add(&state, run->buffer[0], len);
	}
	*sum = sum64_end(&state);
	return r;
}

int sum_sills(struct run *run, uint32_t m, uint64_t *sum)
{
	return sum_journal(run, run->journal.data_offset, sills_size(&run->journal.moves[m]), sum);
}

int enter_lanes(struct run *run, bool back, uint32_t m, uint64_t f)
{
	const struct move *move = &run->journal.moves[m];
	int r = copy_sills(run, move, back ? move->to : move->from, true, &run->sills_sum);

	if (!r)
		r = flush_both(run);
	return r ? r : write_frontier(run, (struct frontier){ m, f, true });
}

int leave_lanes(struct run *run, bool back, uint32_t m)
{
	const struct move *move = &run->journal.moves[m];
	uint64_t sum;
	int r = back ? copy_sills(run, move, move->from, false, &sum) : 0;

	if (!r && back)
		r = flush_both(run);
	if (r)
		return r;
	return write_frontier(run, (struct frontier){ back ? m : m + 1, 0, false });
}
