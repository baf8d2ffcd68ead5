// SPDX-License-Identifier: GPL-2.0-or-later
#include "verify.h"

static bool check_move(struct check *c, size_t n)
{
	const struct plan_move *m = &c->plan->moves[n];
	struct extent target = { m->to, m->to + m->size };

	if (m->partition >= c->layout->count || !c->owns_data[m->partition])
		return WRONG(c, "move %zu is of nothing that can move", n);
	if (m->number != part(c, m->partition)->number || m->from != part(c, m->partition)->start ||
	    m->size != part(c, m->partition)->size ||
	    m->to != c->plan->places[m->partition].start || m->to == m->from)
		return WRONG(c, "move %zu is not from the old place to the new one", n);
	if (c->has_arrived[m->partition])
		return WRONG(c, "partition %u would move twice", m->number);
	for (size_t i = 0; i < c->layout->count; i++) {
		struct extent other = c->has_arrived[i] ? new_extent(c, i) : old_extent(c, i);

		if (i != m->partition && c->owns_data[i] && extents_overlap(target, other))
			return WRONG(c, "moving partition %u would overwrite partition %u",
				     m->number, part(c, i)->number);
	}
	c->has_arrived[m->partition] = true;
	return true;
}

static bool check_protection(const struct check *c, size_t n)
{
	const struct plan_move *m = &c->plan->moves[n];
	uint64_t d = m->to > m->from ? m->to - m->from : m->from - m->to;
	uint64_t room = c->plan->journal_bytes, needs;
	bool good = m->window && m->window % c->sector == 0;

	switch (m->protection) {
	case PROTECT_SHIFT:
		good = good && m->lanes == 1 && m->window <= d;
		break;
	case PROTECT_LANES:
		/* Each part must be longer than what is saved of it. */
		good = good && m->lanes >= 2 && m->window <= d && m->size / m->lanes > d &&
		       mul_u64(m->lanes - 1, d, &needs) && needs < room;
		break;
	case PROTECT_JOURNAL:
		good = good && m->lanes == 1 && m->window < room / 2;
		break;
	default:
		good = false;
	}
	return good || WRONG(c, "the move of partition %u is not protected", m->number);
}

bool verify_moves(struct check *c)
{
	uint64_t sum = 0;
	size_t moved = 0;

	for (size_t n = 0; n < c->plan->move_count; n++) {
		if (!check_move(c, n) || !check_protection(c, n))
			return false;
		sum += c->plan->moves[n].size;
	}
	for (size_t i = 0; i < c->layout->count; i++)
		moved += c->owns_data[i] && has_moved(c, i);
	if (moved != c->plan->move_count)
		return WRONG(c, "%zu partitions change places in %zu moves", moved,
			     c->plan->move_count);
	if (sum != c->plan->bytes_to_move || c->plan->bytes_used > sum)
		return WRONG(c, "the bytes to move are counted wrong");
	return true;
}

static bool hits_table(const struct check *c, struct extent e, size_t i)
{
	const uint64_t at[] = { part(c, i)->ebr, c->plan->places[i].ebr,
				c->is_container[i] ? part(c, i)->start : 0,
				c->is_container[i] ? c->plan->places[i].start : 0 };

	for (size_t k = 0; k < ARRAY_SIZE(at); k++)
		if (at[k] && extents_overlap(e, (struct extent){ at[k], at[k] + c->sector }))
			return true;
	return false;
}

bool verify_journal(const struct check *c)
{
	const struct plan *plan = c->plan;
	struct extent e = { plan->journal_start, 0 };

	if (!plan->move_count || c->request->journal_file)
		return plan->journal == (plan->move_count ? JOURNAL_FILE : JOURNAL_NOWHERE) ||
		       WRONG(c, "the journal is not where it was asked to be");
	if (plan->journal != JOURNAL_GAP || plan->journal_bytes < PLAN_JOURNAL_GAP ||
	    !add_u64(e.start, plan->journal_bytes, &e.end) || e.end > c->device->size ||
	    e.start % 4096 || e.start % c->sector)
		return WRONG(c, "the journal is not in a gap of the disk");
	if (c->layout->type == TABLE_GPT
		    ? e.start < c->layout->first_usable || e.end > c->layout->last_usable
		    : e.start < PLAN_BOOT_GAP || c->device->size - e.end < PLAN_TAIL)
		return WRONG(c, "the journal lies outside the usable area");
	for (size_t i = 0; i < c->layout->count; i++)
		if ((c->owns_data[i] && (extents_overlap(e, old_extent(c, i)) ||
					 extents_overlap(e, new_extent(c, i)))) ||
		    hits_table(c, e, i))
			return WRONG(c, "the journal would lie in partition %u or its table",
				     part(c, i)->number);
	return verify_unoccupied(c, e) || WRONG(c, "the journal would destroy data in a gap");
}
