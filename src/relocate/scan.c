// SPDX-License-Identifier: GPL-2.0-or-later
#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define SCAN_STEP (4 * MIB)
#define SCAN_TURN 8 /* steps read at once */

struct turn {
	const struct plan_move *move;
	uint64_t done; /* of the move, before this turn */
	uint8_t *buffer;
};

static int read_step(struct run *run, void *context, uint32_t index)
{
	const struct turn *turn = context;
	const struct plan_move *m = turn->move;
	uint64_t at = turn->done + index * SCAN_STEP, len = m->size - at;
	uint8_t *buffer = turn->buffer + index * SCAN_STEP;
	int r;

	if (len > SCAN_STEP)
		len = SCAN_STEP;
	r = io_read(run->rel->disk, buffer, len, m->from + at);
	if (r >= 0)
		return 0;
	at = find_bad_sector(run, buffer, len, m->from + at);
	return reason_set(run->reason, r,
			  "partition %u cannot be read at sector %" PRIu64 " (byte %" PRIu64
			  ") of the disk: %s; nothing was changed",
			  m->number, at / sector_of(run), at, strerror(-r));
}

static int scan_move(struct run *run, struct turn *turn, uint64_t before, uint64_t total)
{
	const struct relocation_hooks *hooks = run->rel->hooks;
	uint64_t size = turn->move->size;

	for (turn->done = 0; turn->done < size; turn->done += SCAN_TURN * SCAN_STEP) {
		uint64_t left = size - turn->done, steps = (left - 1) / SCAN_STEP + 1;
		int r = run_parallel(run, steps < SCAN_TURN ? steps : SCAN_TURN, read_step, turn);

		if (r)
			return r;
		if (left > SCAN_TURN * SCAN_STEP)
			left = SCAN_TURN * SCAN_STEP;
		if (hooks->progress)
			hooks->progress(hooks->context, before + turn->done + left, total);
		if (hooks->should_pause && hooks->should_pause(hooks->context))
			return reason_set(run->reason, -EINTR, "stopped; nothing was changed");
	}
	return 0;
}

int relocation_scan(const struct relocation *rel, const struct plan *plan, struct reason *reason)
{
	autofree uint8_t *buffer = io_alloc(SCAN_TURN * SCAN_STEP);
	struct run run = { .rel = rel, .reason = reason };
	uint64_t before = 0, total = 0;
	int r = 0;

	if (!buffer)
		return reason_set(reason, -ENOMEM, "no memory to read ahead");
	for (size_t i = 0; i < plan->move_count; i++)
		total += plan->moves[i].size;
	for (size_t i = 0; i < plan->move_count && !r; i++) {
		struct turn turn = { .move = &plan->moves[i], .buffer = buffer };

		r = scan_move(&run, &turn, before, total);
		before += plan->moves[i].size;
	}
	return r;
}
