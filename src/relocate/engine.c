// SPDX-License-Identifier: GPL-2.0-or-later
#include "run.h"

#include <string.h>

/*
 * The engine moves frontiers, one batch at a time (invariants 5, 6, 8, 13, 14). Forward it goes
 * from the old place to the new one, back from the new to the old; all else is the same. Whatever a
 * crash leaves behind is recover.c's to put right: here nothing is ever written that a record in
 * force, or the one in the same batch, does not account for.
 */

/* Bytes that a round writes in one lane. Sill bytes are not put back by rounds: where they belong,
 * the neighbour's bytes still lie. */
static struct extent round_extent(const struct move *move, bool back, uint32_t lane, uint64_t lo,
				  uint64_t hi)
{
	struct extent e = lane_extent(move, lane, lo, hi);
	struct extent sill = sill_extent(move, lane);

	if (!back || !extents_overlap(e, sill))
		return e;
	if (e.start >= sill.start)
		e.start = min_u64(sill.end, e.end);
	if (e.end <= sill.end && e.end > sill.start)
		e.end = e.start < sill.start ? sill.start : e.start;
	return e;
}

/* Partition bytes [start, end) of one lane as they are at that place; in the old one, the sill is
 * in the journal while the move is under way. */
int read_place(struct run *run, const struct move *move, uint32_t lane, bool is_new, uint8_t *to,
	       struct extent e)
{
	struct extent sill = sill_extent(move, lane);

	while (e.start < e.end) {
		uint64_t stop = e.end;
		bool in_sill = !is_new && e.start >= sill.start && e.start < sill.end;
		int r;

		if (in_sill)
			stop = min_u64(stop, sill.end);
		else if (!is_new && e.start < sill.start)
			stop = min_u64(stop, sill.start);
		if (in_sill)
			r = read_journal(run, to, stop - e.start,
					 run->journal.data_offset + sill_offset(move, lane) +
						 (e.start - sill.start));
		else
			r = read_disk(run, to, stop - e.start,
				      (is_new ? move->to : move->from) + e.start);
		if (r < 0)
			return r;
		to += stop - e.start;
		e.start = stop;
	}
	return 0;
}

int sum_lane(struct run *run, bool back, uint32_t m, uint32_t lane, uint64_t lo, uint64_t hi,
	     bool is_target, uint64_t *sum)
{
	const struct move *move = &run->journal.moves[m];
	struct extent e = round_extent(move, back, lane, lo, hi);
	bool is_new = is_target != back;
	struct sum64 state;

	sum64_begin(&state, run->journal.seed);
	while (e.start < e.end) {
		struct extent part = { e.start, min_u64(e.end, e.start + run->window_max) };
		int r = read_place(run, move, lane, is_new, run->buffer[0], part);

		if (r < 0)
			return r;
		sum64_add(&state, run->buffer[0], part.end - part.start);
		e.start = part.end;
	}
	*sum = sum64_end(&state);
	return 0;
}

/* Bytes each part may advance in one batch; the windows of all lanes share the buffer. */
uint64_t window_of(const struct run *run, const struct move *move)
{
	uint64_t distance = move_distance(move), limit = distance;
	uint64_t share = run->window_max / move->parts;

	if (move->protection == PROTECT_JOURNAL) {
		limit = round_down_to(run->journal.data_size / 2, JOURNAL_BLOCK);
		share = slot_size(run);
	} else if (move->parts == 1 && distance >= move->size) {
		limit = move->part_size;
	}
	if (move->window)
		limit = min_u64(limit, move->window);
	return round_down_to(min_u64(limit, share), run->journal.logical_sector_size);
}

int pause_or_go_on(struct run *run, bool back, uint32_t m, uint64_t f)
{
	const struct relocation_hooks *hooks = run->rel->hooks;
	uint64_t moved = bytes_moved(&run->journal.moves[m], f);

	for (uint32_t i = 0; i < m; i++)
		moved += run->journal.moves[i].size;
	run->bytes_done = back ? run->bytes_total - moved : moved;
	if (hooks->progress)
		hooks->progress(hooks->context, run->bytes_done, run->bytes_total);
	return hooks->should_pause && hooks->should_pause(hooks->context) ? RUN_PAUSED : 0;
}

/* The windows of one round: read into `buffer`, summed, not yet written. */
struct window {
	uint64_t lo, hi, stride; /* lane n's bytes begin at n * stride of the buffer */
	uint8_t *buffer;
	uint64_t sums[MOVE_LANES_MAX];
};

struct round {
	const struct move *move;
	bool back;
	struct window now, next; /* next.lo == next.hi: there is none */
};

static int read_window(struct run *run, const struct round *round, struct window *w, uint32_t lane)
{
	struct extent e = round_extent(round->move, round->back, lane, w->lo, w->hi);
	uint8_t *at = w->buffer + lane * w->stride;
	int r = read_place(run, round->move, lane, round->back, at, e);

	if (!r)
		w->sums[lane] = sum64(run->journal.seed, at, e.end - e.start);
	return r;
}

static int read_now(struct run *run, void *context, uint32_t lane)
{
	struct round *round = context;

	return read_window(run, round, &round->now, lane);
}

static int read_next(struct run *run, void *context, uint32_t lane)
{
	struct round *round = context;

	return read_window(run, round, &round->next, lane);
}

static int write_now(struct run *run, void *context, uint32_t lane)
{
	struct round *round = context;
	struct extent e =
		round_extent(round->move, round->back, lane, round->now.lo, round->now.hi);

	if (e.start == e.end)
		return 0;
	return write_data(run, round->now.buffer + lane * round->now.stride, e.end - e.start,
			  (round->back ? round->move->from : round->move->to) + e.start);
}

static void set_window(struct run *run, struct round *round, struct window *w, uint64_t f,
		       uint8_t *buffer)
{
	uint64_t end = round->back ? 0 : round->move->part_size, next = f, len;

	if (f != end)
		next = next_frontier(&run->journal, round->move, round->back, f,
				     window_of(run, round->move));
	w->lo = round->back ? next : f;
	w->hi = round->back ? f : next;
	len = w->hi - w->lo;
	w->stride = (len + IO_ALIGNMENT - 1) / IO_ALIGNMENT * IO_ALIGNMENT;
	w->buffer = buffer;
}

/*
 * One batch of shift or lanes: the windows that were read, and the record that has their sums.
 * While the disk flushes, the next windows are read: their sources lie off all that this round
 * writes, because a window is <= |D| and sills are in the journal.
 */
static int move_round(struct run *run, struct round *round, uint32_t m)
{
	const struct move *move = round->move;
	struct record record = { .kind = RECORD_ROUND,
				 .back = round->back,
				 .sills = move->parts > 1,
				 .move = m,
				 .lo = round->now.lo,
				 .hi = round->now.hi,
				 .sum_count = move->parts };
	bool has_next = round->next.lo < round->next.hi;
	struct crew ahead;
	int r;

	memcpy(record.sums, round->now.sums, move->parts * sizeof(record.sums[0]));
	crew_start(&ahead, run, has_next ? move->parts : 0, read_next, round);
	r = run_parallel(run, move->parts, write_now, round);
	if (!r)
		r = write_record(run, &record);
	if (!r)
		r = flush_both(run);
	return crew_join(&ahead, r);
}

static int move_rounds(struct run *run, bool back, uint32_t m, uint64_t f)
{
	struct round round = { .move = &run->journal.moves[m], .back = back };
	uint64_t end = back ? 0 : round.move->part_size;
	int r = 0;

	if (f == end)
		return 0;
	set_window(run, &round, &round.now, f, run->buffer[0]);
	r = run_parallel(run, round.move->parts, read_now, &round);
	while (!r && f != end) {
		f = back ? round.now.lo : round.now.hi;
		set_window(run, &round, &round.next, f,
			   round.now.buffer == run->buffer[0] ? run->buffer[1] : run->buffer[0]);
		r = move_round(run, &round, m);
		round.now = round.next;
		if (!r)
			r = pause_or_go_on(run, back, m, f);
	}
	return r;
}

static int move_shift(struct run *run, bool back, uint32_t m, uint64_t f, bool sills)
{
	const struct move *move = &run->journal.moves[m];
	int r = 0;

	/* Recovery may find the last round done: then the sills still have to be let go. */
	if (!back && f == move->part_size && !sills)
		return 0;
	if (move->parts > 1 && !sills)
		r = enter_lanes(run, back, m, f);
	if (!r)
		r = move_rounds(run, back, m, f);
	return r || move->parts == 1 ? r : leave_lanes(run, back, m);
}

static int move_one(struct run *run, bool back, struct frontier at)
{
	if (run->journal.moves[at.move].protection == PROTECT_JOURNAL)
		return move_journal(run, back, at.move, at.done);
	return move_shift(run, back, at.move, at.done, at.sills);
}

int run_moves(struct run *run, bool back, struct frontier at)
{
	int r = 0;

	while (!r && !back && at.move < run->journal.move_count) {
		r = move_one(run, back, at);
		at = (struct frontier){ at.move + 1, 0, false };
	}
	while (!r && back && (at.move || at.done || at.sills)) {
		/* Nothing of this move is done: the one before it, from its end. */
		if (!at.done && !at.sills) {
			at.move--;
			at.done = run->journal.moves[at.move].part_size;
		}
		r = move_one(run, back, at);
		at.done = 0;
		at.sills = false;
	}
	return r;
}
