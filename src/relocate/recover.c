// SPDX-License-Identifier: GPL-2.0-or-later
#include "run.h"

#include <errno.h>
#include <inttypes.h>

/*
 * Invariant 7: from the newest valid record to a frontier. All that could have been in flight with
 * that record, or after it, is looked at before the first write; where neither a destination nor
 * what it came from fits, nothing is written at all.
 */

static int stuck(struct run *run, const char *what)
{
	const struct move *move = &run->journal.moves[run->newest.move];

	return reason_set(
		run->reason, -EUCLEAN,
		"partition %u: %s; nothing was written: is the disk or the journal failing?",
		move->number, what);
}

static int recover_round(struct run *run, const struct record *rec, struct frontier *at)
{
	bool done = true;

	for (uint32_t lane = 0; lane < rec->sum_count; lane++) {
		uint64_t sum;
		int r = sum_lane(run, rec->back, rec->move, lane, rec->lo, rec->hi, true, &sum);

		if (r < 0)
			return r;
		if (sum == rec->sums[lane])
			continue;
		/* This lane is to be copied again, and so must still have its source. */
		done = false;
		r = sum_lane(run, rec->back, rec->move, lane, rec->lo, rec->hi, false, &sum);
		if (r < 0)
			return r;
		if (sum != rec->sums[lane])
			return stuck(run, "the window in flight fits neither at its old nor at its "
					  "new place");
	}
	*at = (struct frontier){ rec->move, done != rec->back ? rec->hi : rec->lo, rec->sills };
	return 0;
}

/* Does the half hold that window of the record's move? */
static int half_fits(struct run *run, const struct record *rec, uint32_t half, uint64_t lo,
		     uint64_t hi, uint64_t want, bool *fits)
{
	struct extent e = lane_extent(&run->journal.moves[rec->move], 0, lo, hi);
	uint64_t sum;
	int r = sum_journal(run, half_offset(run, half), e.end - e.start, &sum);

	if (!r)
		*fits = sum == want;
	return r;
}

static int write_from_half(struct run *run, const struct record *rec, uint32_t half, uint64_t lo,
			   uint64_t hi)
{
	const struct move *move = &run->journal.moves[rec->move];
	struct extent e = lane_extent(move, 0, lo, hi);
	uint64_t from = half_offset(run, half);

	while (e.start < e.end) {
		uint64_t len = min_u64(e.end - e.start, run->window_max);
		int r = read_journal(run, run->buffer[0], len, from);

		if (!r)
			r = write_data(run, run->buffer[0], len,
				       (rec->back ? move->from : move->to) + e.start);
		if (r < 0)
			return r;
		from += len;
		e.start += len;
	}
	return 0;
}

/* What recovery of a journal window has to do, found out before the first write. */
struct halves {
	bool redo_current, redo_next;
};

static int look_at_halves(struct run *run, const struct record *rec, struct halves *todo)
{
	uint64_t sum;
	bool fits = true;
	int r;

	*todo = (struct halves){ 0 };
	if (rec->lo < rec->hi) {
		r = sum_lane(run, rec->back, rec->move, 0, rec->lo, rec->hi, true, &sum);
		if (r < 0)
			return r;
		todo->redo_current = sum != rec->sums[0];
		if (todo->redo_current)
			r = half_fits(run, rec, rec->half, rec->lo, rec->hi, rec->sums[0], &fits);
		if (r < 0)
			return r;
		if (!fits)
			return stuck(run, "the window in flight fits neither at its new place nor "
					  "in the journal");
	}
	if (rec->next_lo == rec->next_hi)
		return 0;
	r = half_fits(run, rec, 1 - rec->half, rec->next_lo, rec->next_hi, rec->sums[1],
		      &todo->redo_next);
	if (r < 0 || todo->redo_next)
		return r;
	/* A half that does not fit was never needed: its window has not begun. */
	r = sum_lane(run, rec->back, rec->move, 0, rec->next_lo, rec->next_hi, false, &sum);
	if (r < 0)
		return r;
	return sum == rec->sums[1] ? 0
				   : stuck(run, "the next window fits neither in the journal nor "
						"at its old place");
}

static int recover_halves(struct run *run, const struct record *rec, struct frontier *at)
{
	bool has_current = rec->lo < rec->hi;
	uint64_t lo = has_current ? rec->lo : rec->next_lo;
	uint64_t hi = has_current ? rec->hi : rec->next_hi;
	struct halves todo;
	int r = look_at_halves(run, rec, &todo);

	if (r < 0)
		return r;
	/* Where the next window ends, if it may have begun; else where the current one does. */
	at->move = rec->move;
	at->done = has_current == rec->back ? lo : hi;
	at->sills = false;
	if (todo.redo_current)
		r = write_from_half(run, rec, rec->half, rec->lo, rec->hi);
	if (!r && todo.redo_next) {
		r = write_from_half(run, rec, 1 - rec->half, rec->next_lo, rec->next_hi);
		at->done = rec->back ? rec->next_lo : rec->next_hi;
	}
	return r ? r : flush_both(run);
}

int recover_record(struct run *run, struct frontier *at)
{
	/* A copy: writing the frontier makes another record the newest. */
	struct record rec = run->newest;
	uint64_t sum;
	int r = 0;

	if (rec.sills) {
		r = sum_sills(run, rec.move, &sum);
		if (r < 0)
			return r;
		if (sum != rec.sills_sum)
			return stuck(run, "what the journal saved of it is damaged");
		run->sills_sum = sum;
	}
	if (rec.kind == RECORD_FRONTIER) {
		*at = (struct frontier){ rec.move, rec.lo, rec.sills };
		return 0;
	}
	r = rec.kind == RECORD_ROUND ? recover_round(run, &rec, at) : recover_halves(run, &rec, at);
	return r ? r : write_frontier(run, *at);
}
