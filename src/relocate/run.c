// SPDX-License-Identifier: GPL-2.0-or-later
#include "run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Resume and undo: what sector 0 and the newest record say together, and where to go from there
 * (the state table in relocate.h). */

static void close_run(struct run *run)
{
	journal_free(&run->journal);
	free(run->buffer[0]);
	free(run->buffer[1]);
	free(run->block);
}

/* Invariant 2: what an earlier, killed run wrote becomes durable before it is believed, and what is
 * read comes from the medium, not from a page that a failed flush left behind. */
static int settle(struct run *run)
{
	const struct relocation *rel = run->rel;
	int r = flush_both(run);

	if (!r)
		r = io_drop_cache(rel->disk);
	if (!r && rel->journal != rel->disk)
		r = io_drop_cache(rel->journal);
	if (r < 0 && !run->reason->text[0])
		reason_set(run->reason, r, "cannot read past the cache: %s", strerror(-r));
	return r;
}

static int open_buffers(struct run *run)
{
	uint64_t max = run->rel->window_max ? run->rel->window_max : RELOCATION_WINDOW_DEFAULT;
	uint64_t largest = 0;
	uint32_t lanes = 1;

	for (uint32_t i = 0; i < run->journal.move_count; i++) {
		const struct move *move = &run->journal.moves[i];

		run->bytes_total += move->size;
		if (move->parts * move->part_size > largest)
			largest = move->parts * move->part_size;
		if (move->parts > lanes)
			lanes = move->parts;
	}
	if (max > largest)
		max = largest; /* all lanes together cannot use more */
	/* At least a sector for each lane; and each lane's window begins at an aligned address. */
	if (max < (uint64_t)lanes * run->journal.logical_sector_size)
		max = (uint64_t)lanes * run->journal.logical_sector_size;
	run->window_max = max;
	if (max < 2 * slot_size(run))
		max = 2 * slot_size(run);
	run->buffer[0] = io_alloc(max + (uint64_t)lanes * IO_ALIGNMENT);
	run->buffer[1] = io_alloc(max + (uint64_t)lanes * IO_ALIGNMENT);
	if (!run->buffer[0] || !run->buffer[1])
		return reason_set(run->reason, -ENOMEM, "no memory for windows");
	return 0;
}

static int holds_table(struct run *run, bool is_new, bool *holds)
{
	const struct table_image *table = &run->journal.table[is_new];
	uint32_t unit = run->journal.logical_sector_size;

	*holds = true;
	for (size_t i = table->count; *holds && i > 0; i--) {
		const struct table_sector *s = &table->sectors[i - 1];
		int r = read_disk(run, run->block, unit, s->offset);

		if (r < 0)
			return r;
		*holds = !memcmp(run->block, s->bytes, unit);
	}
	return 0;
}

/* Sector 0 outranks the journal. */
static int classify(struct run *run, enum relocation_table *table)
{
	bool holds;
	int r = read_disk(run, run->block, run->journal.logical_sector_size, 0);

	if (r < 0)
		return r;
	if (is_cover(run->block, run->journal.logical_sector_size, &run->cover)) {
		*table = RELOCATION_COVERED;
		if (memcmp(run->cover.plan_id, run->journal.plan_id, PLAN_ID_SIZE))
			return reason_set(run->reason, -ESTALE,
					  "the journal is of another realignment than the one "
					  "that is unfinished on the disk");
		return 0;
	}
	*table = RELOCATION_OTHER;
	r = holds_table(run, false, &holds);
	if (r < 0 || holds) {
		*table = RELOCATION_OLD;
		return r;
	}
	r = holds_table(run, true, &holds);
	if (!r && holds)
		*table = RELOCATION_NEW;
	return r;
}

static bool has_ended(const struct record *record)
{
	return record->kind == RECORD_END || record->kind == RECORD_DONE;
}

/* Invariant 15. A run that only claimed the disk has changed nothing on it. */
static int check_turn(struct run *run)
{
	const struct record *rec = &run->newest;
	uint64_t turn = run->cover.turn;

	if (rec->turn == turn || (rec->claims && rec->turn_before == turn))
		return 0;
	return reason_set(run->reason, -ESTALE,
			  "the journal went on with another copy of this disk; this copy needs the "
			  "journal as it was when it was made; nothing was written");
}

/* A table that is not the cover belongs to few records; anything else was written by others. */
static int check_pair(struct run *run, enum relocation_table table)
{
	const struct record *rec = &run->newest;
	bool at_start = rec->kind == RECORD_FRONTIER && !rec->move && !rec->lo && !rec->sills;

	if (table == RELOCATION_COVERED)
		return check_turn(run);
	run->cover.turn = rec->turn;
	if ((table == RELOCATION_OLD && (at_start || (has_ended(rec) && !rec->is_new))) ||
	    (table == RELOCATION_NEW && has_ended(rec) && rec->is_new))
		return 0;
	if (table == RELOCATION_OTHER)
		return reason_set(run->reason, -ESTALE,
				  "its partition table is neither the one before nor the one after "
				  "the realignment; the journal does not apply");
	return reason_set(run->reason, -ESTALE,
			  "its partition table is back without us while the journal says the move "
			  "is half done; nothing was written");
}

static int open_run(struct run *run, enum relocation_table *table)
{
	int r = journal_open(run->rel, &run->journal, run->reason);

	if (!r)
		r = open_buffers(run);
	if (!r)
		r = read_records(run);
	if (!r)
		r = classify(run, table);
	return r ? r : check_pair(run, *table);
}

static int end(struct run *run, bool back)
{
	return back ? end_old(run) : end_new(run);
}

static int go(struct run *run, enum relocation_table table, bool back)
{
	struct frontier at = { back ? run->journal.move_count : 0, 0, false };
	bool ended = has_ended(&run->newest), was_new = run->newest.is_new;
	int r;

	if (table == (back ? RELOCATION_OLD : RELOCATION_NEW))
		return write_done(run, !back);
	r = cover_disk(run, back, table == RELOCATION_COVERED);
	if (!r && !ended)
		r = recover_record(run, &at);
	if (!r)
		r = take_turn(run);
	if (r)
		return r;
	if (ended && was_new != back)
		return end(run, back);
	if (ended)
		r = back ? undo_fields(run) : write_frontier(run, at);
	if (!r)
		r = run_moves(run, back, at);
	return r ? r : end(run, back);
}

/* Nothing was written; but if an earlier run left the cover, or sector 0 cannot be read to tell,
 * the disk still waits for one. */
static enum move_result refuse(struct run *run)
{
	uint32_t size = run->rel->disk->size < JOURNAL_BLOCK ? COVER_SIZE : JOURNAL_BLOCK;

	if (io_read(run->rel->disk, run->block, size, 0) < 0 || is_cover(run->block, size, NULL))
		return MOVE_NEEDS_RESUME;
	return MOVE_REFUSED;
}

static enum move_result run_relocation(const struct relocation *rel, bool back,
				       struct reason *reason)
{
	struct run run = { .rel = rel, .newest_slot = -1, .reason = reason };
	enum relocation_table table = RELOCATION_OTHER;
	enum move_result result = MOVE_NEEDS_RESUME;
	int r;

	reason->text[0] = 0;
	run.block = io_alloc(JOURNAL_BLOCK);
	r = run.block ? settle(&run) : reason_set(reason, -ENOMEM, "no memory");
	if (!r) {
		r = open_run(&run, &table);
		if (r)
			result = refuse(&run);
	}
	if (!r)
		r = go(&run, table, back);
	if (!r)
		result = MOVE_DONE;
	else if (r == RUN_PAUSED)
		result = MOVE_PAUSED;
	else if (r == -ECANCELED)
		result = MOVE_REFUSED;
	if (r == RUN_PAUSED)
		reason_set(reason, 0, "paused; run --resume or --undo");
	close_run(&run);
	return result;
}

enum move_result relocation_resume(const struct relocation *relocation, struct reason *reason)
{
	return run_relocation(relocation, false, reason);
}

enum move_result relocation_undo(const struct relocation *relocation, struct reason *reason)
{
	return run_relocation(relocation, true, reason);
}

static uint64_t bytes_done(const struct run *run)
{
	const struct record *rec = &run->newest;
	uint64_t sum = 0;

	if (has_ended(rec))
		return rec->is_new ? run->bytes_total : 0;
	for (uint32_t i = 0; i < rec->move; i++)
		sum += run->journal.moves[i].size;
	if (rec->move < run->journal.move_count)
		sum += bytes_moved(&run->journal.moves[rec->move], rec->lo);
	return sum;
}

int relocation_open(const struct relocation *rel, struct relocation_state *state,
		    struct reason *reason)
{
	struct run run = { .rel = rel, .newest_slot = -1, .reason = reason };
	int r;

	memset(state, 0, sizeof(*state));
	state->table = RELOCATION_OTHER;
	run.block = io_alloc(JOURNAL_BLOCK);
	r = run.block ? open_run(&run, &state->table) : reason_set(reason, -ENOMEM, "no memory");
	if (!r) {
		state->finished = state->table != RELOCATION_COVERED;
		state->bytes_done = bytes_done(&run);
		state->bytes_total = run.bytes_total;
		state->move_count = run.journal.move_count;
		memcpy(state->serial, run.journal.serial, sizeof(state->serial));
	}
	close_run(&run);
	return r;
}
