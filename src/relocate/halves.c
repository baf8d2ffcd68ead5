// SPDX-License-Identifier: GPL-2.0-or-later
#include "run.h"

#include <string.h>

/*
 * Moves whose distance is so short that a shift would flush without end: every window is in a half
 * of the journal before it is written (invariant 6). Each batch writes one window to its place and
 * the next one into the other half, while the one after that is read: its source lies off both,
 * because windows follow each other away from the destination.
 */

#define PIECE MIB /* of a window that one thread reads or writes */

struct slot {
	uint64_t lo, hi; /* frontiers; lo == hi: there is no window */
	struct extent e; /* bytes of the partition */
	uint8_t *bytes;
	uint64_t sum;
};

struct halves {
	const struct move *move;
	bool back;
	uint32_t half; /* where `now` is */
	struct slot now, next, after;
};

uint64_t half_offset(const struct run *run, uint32_t half)
{
	return run->journal.data_offset +
	       half * round_down_to(run->journal.data_size / 2, JOURNAL_BLOCK);
}

uint64_t slot_size(const struct run *run)
{
	uint32_t sector = run->journal.logical_sector_size;
	uint64_t size = round_down_to(run->window_max / 2, sector);

	return size ? size : sector;
}

static uint32_t count_pieces(const struct slot *slot)
{
	return (slot->e.end - slot->e.start + PIECE - 1) / PIECE;
}

static struct extent piece_of(const struct slot *slot, uint32_t index)
{
	uint64_t start = slot->e.start + index * PIECE;

	return (struct extent){ start, min_u64(start + PIECE, slot->e.end) };
}

static int read_piece(struct run *run, void *context, uint32_t index)
{
	const struct halves *h = context;
	struct extent e = piece_of(&h->after, index);

	return read_place(run, h->move, 0, h->back, h->after.bytes + (e.start - h->after.e.start),
			  e);
}

static int write_piece(struct run *run, void *context, uint32_t index)
{
	const struct halves *h = context;
	uint32_t first = count_pieces(&h->now);
	bool to_half = index >= first;
	const struct slot *slot = to_half ? &h->next : &h->now;
	struct extent e = piece_of(slot, to_half ? index - first : index);
	const uint8_t *bytes = slot->bytes + (e.start - slot->e.start);

	if (to_half)
		return write_journal(run, bytes, e.end - e.start,
				     half_offset(run, 1 - h->half) + (e.start - slot->e.start));
	return write_data(run, bytes, e.end - e.start,
			  (h->back ? h->move->from : h->move->to) + e.start);
}

/* The window that begins at frontier f; none at the end. */
static void place_window(const struct run *run, const struct halves *h, uint64_t f,
			 struct slot *slot)
{
	uint64_t end = h->back ? 0 : h->move->part_size, next = f;

	if (f != end)
		next = next_frontier(&run->journal, h->move, h->back, f, window_of(run, h->move));
	slot->lo = h->back ? next : f;
	slot->hi = h->back ? f : next;
	slot->e = lane_extent(h->move, 0, slot->lo, slot->hi);
}

static void sum_after(const struct run *run, struct halves *h)
{
	struct slot *slot = &h->after;

	slot->sum = sum64(run->journal.seed, slot->bytes, slot->e.end - slot->e.start);
}

static int write_batch(struct run *run, struct halves *h, uint32_t m)
{
	struct record record = {
		.kind = RECORD_HALVES,
		.back = h->back,
		.move = m,
		.half = h->half,
		.lo = h->now.lo,
		.hi = h->now.hi,
		.next_lo = h->next.lo,
		.next_hi = h->next.hi,
		.sum_count = 2,
		.sums = { h->now.sum, h->next.sum },
	};
	int r = run_parallel(run, count_pieces(&h->now) + count_pieces(&h->next), write_piece, h);

	if (h->now.lo == h->now.hi)
		record.lo = record.hi = record.sums[0] = 0;
	if (h->next.lo == h->next.hi)
		record.next_lo = record.next_hi = record.sums[1] = 0;
	if (!r)
		r = write_record(run, &record);
	return r ? r : flush_both(run);
}

static int move_window(struct run *run, struct halves *h, uint32_t m)
{
	struct crew ahead;
	int r;

	crew_start(&ahead, run, count_pieces(&h->after), read_piece, h);
	r = crew_join(&ahead, write_batch(run, h, m));
	if (!r)
		sum_after(run, h);
	return r;
}

static void rotate(struct halves *h)
{
	uint8_t *free = h->now.bytes;

	h->now = h->next;
	h->next = h->after;
	h->after.bytes = free;
	h->half = 1 - h->half;
}

int move_journal(struct run *run, bool back, uint32_t m, uint64_t f)
{
	struct halves h = { .move = &run->journal.moves[m], .back = back };
	uint64_t end = back ? 0 : h.move->part_size;
	int r;

	if (f == end)
		return 0;
	h.now.bytes = run->buffer[0];
	h.next.bytes = run->buffer[0] + slot_size(run);
	h.after.bytes = run->buffer[1];
	place_window(run, &h, f, &h.after);
	r = run_parallel(run, count_pieces(&h.after), read_piece, &h);
	if (r)
		return r;
	sum_after(run, &h);
	rotate(&h); /* nothing is current yet, and the first window goes into half 0 */
	do {
		place_window(run, &h, back ? h.next.lo : h.next.hi, &h.after);
		r = move_window(run, &h, m);
		if (!r && h.now.lo != h.now.hi)
			r = pause_or_go_on(run, back, m, back ? h.now.lo : h.now.hi);
		rotate(&h);
	} while (!r && h.now.lo != h.now.hi);
	return r;
}
