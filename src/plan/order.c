// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * First those that move right, last to first: what each one's new place covers has moved away or
 * moves left later, from further right. Then those that move left, first to last. With the order on
 * the disk kept this is always enough; undo is the exact reverse.
 */
#include "internal.h"

#include <errno.h>
#include <stdlib.h>

static void add_move(const struct ground *ground, size_t i, uint64_t to, struct plan *plan)
{
	const struct item *item = &ground->items[i];

	plan->moves[plan->move_count++] = (struct plan_move){
		.partition = item->index,
		.number = partition_of(ground, i)->number,
		.from = item->start,
		.to = to,
		.size = item->size,
		.lanes = 1,
	};
	plan->bytes_to_move += item->size;
}

int order_moves(const struct ground *ground, const uint64_t *starts, struct plan *plan)
{
	plan->moves = calloc(ground->count + 1, sizeof(*plan->moves));
	if (!plan->moves)
		return -ENOMEM;
	for (size_t i = ground->count; i > 0; i--)
		if (starts[i - 1] > ground->items[i - 1].start)
			add_move(ground, i - 1, starts[i - 1], plan);
	for (size_t i = 0; i < ground->count; i++)
		if (starts[i] < ground->items[i].start)
			add_move(ground, i, starts[i], plan);
	plan->bytes_used = plan->bytes_to_move;
	return 0;
}
