// SPDX-License-Identifier: GPL-2.0-or-later
#include "journal.h"

/*
 * Parts are cut at multiples of part_size from the partition's start, so that with part_size and
 * every frontier a multiple of the physical sector, windows end where the destination's physical
 * sectors do. The last part may be shorter; when it is worked from its end, its first windows are
 * empty.
 */

bool moves_right(const struct move *move)
{
	return move->to > move->from;
}

uint64_t move_distance(const struct move *move)
{
	return moves_right(move) ? move->to - move->from : move->from - move->to;
}

void cut_parts(struct move *move, uint32_t lanes, uint32_t unit, uint64_t data_size)
{
	uint64_t distance = move_distance(move), fits = data_size / distance + 1, part;

	lanes = min_u64(min_u64(lanes, MOVE_LANES_MAX), fits);
	if (lanes > 1) {
		part = move->size / lanes + (move->size % lanes != 0);
		part = part < distance ? distance : part;
	} else {
		part = move->size;
	}
	/* Sizes are far from 2^64: is_valid_move() has looked at them. */
	move->part_size = (part + unit - 1) / unit * unit;
	move->parts = move->size / move->part_size + (move->size % move->part_size != 0);
	/* One lane is a shift, and bound by its rules alone. */
	if (move->protection == PROTECT_LANES && move->parts == 1)
		move->protection = PROTECT_SHIFT;
}

static bool is_inside(const struct journal *journal, uint64_t start, uint64_t size)
{
	uint64_t end;

	return start && start % journal->logical_sector_size == 0 && add_u64(start, size, &end) &&
	       end <= journal->disk_size;
}

bool is_valid_move(const struct journal *journal, const struct move *move)
{
	if (!move->size || move->size % journal->logical_sector_size || move->from == move->to ||
	    move->window % journal->logical_sector_size)
		return false;
	if (!is_inside(journal, move->from, move->size) ||
	    !is_inside(journal, move->to, move->size))
		return false;
	if (!move->parts || move->parts > MOVE_LANES_MAX || !move->part_size ||
	    move->part_size % journal->logical_sector_size || move->part_size >> 62)
		return false;
	if (move->parts != move->size / move->part_size + (move->size % move->part_size != 0))
		return false;
	if (move->protection == PROTECT_LANES)
		return move->parts > 1 && move->part_size >= move_distance(move) &&
		       move_distance(move) <= journal->data_size / (move->parts - 1);
	/* Two halves of at least a block, or no window would ever fit. */
	if (move->protection == PROTECT_JOURNAL && journal->data_size < 2 * JOURNAL_BLOCK)
		return false;
	return move->protection <= PROTECT_JOURNAL && move->parts == 1;
}

struct extent lane_extent(const struct move *move, uint32_t lane, uint64_t lo, uint64_t hi)
{
	uint64_t base = lane * move->part_size;
	uint64_t end = min_u64(base + move->part_size, move->size);
	uint64_t a = base + (moves_right(move) ? move->part_size - hi : lo);
	uint64_t b = base + (moves_right(move) ? move->part_size - lo : hi);

	return (struct extent){ min_u64(a, end), min_u64(b, end) };
}

struct extent sill_extent(const struct move *move, uint32_t lane)
{
	uint64_t base = lane * move->part_size, distance = move_distance(move);

	if (moves_right(move) && lane)
		return (struct extent){ base, min_u64(base + distance, move->size) };
	if (!moves_right(move) && lane + 1 < move->parts)
		return (struct extent){ base + move->part_size - distance, base + move->part_size };
	return (struct extent){ base, base };
}

uint64_t sill_offset(const struct move *move, uint32_t lane)
{
	return (moves_right(move) ? lane - 1 : lane) * move_distance(move);
}

uint64_t next_frontier(const struct journal *journal, const struct move *move, bool back,
		       uint64_t f, uint64_t window)
{
	uint64_t unit = journal->physical_sector_size, next;

	if (back) {
		if (f <= window)
			return 0;
		next = f - window;
		next += (unit - next % unit) % unit;
		return next < f ? next : f - window;
	}
	if (move->part_size - f <= window)
		return move->part_size;
	next = f + window;
	next -= next % unit;
	return next > f ? next : f + window;
}

uint64_t bytes_moved(const struct move *move, uint64_t f)
{
	uint64_t sum = 0;

	for (uint32_t lane = 0; lane < move->parts; lane++) {
		struct extent e = lane_extent(move, lane, 0, f);

		sum += e.end - e.start;
	}
	return sum;
}
