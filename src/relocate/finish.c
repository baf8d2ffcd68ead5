// SPDX-License-Identifier: GPL-2.0-or-later
#include "run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * What frames the moves: the cover (invariant 1), the end in both directions (10) and the way back
 * from the end (11). Each step is flushed before the next, and each may be done again from the top
 * after a crash, because none asks how far the last try came.
 */

static const struct table_image *table_of(const struct run *run, bool is_new)
{
	return &run->journal.table[is_new];
}

static const uint8_t *sector0_of(const struct run *run, bool is_new)
{
	const struct table_image *table = table_of(run, is_new);

	return table->sectors[table->count - 1].bytes;
}

static int write_sector0(struct run *run, const uint8_t *bytes)
{
	int r = write_disk(run, bytes, run->journal.logical_sector_size, 0);

	return r ? r : flush_both(run);
}

static void make_cover(struct run *run, bool is_new)
{
	const struct journal *j = &run->journal;
	struct cover *cover = &run->cover;

	*cover = (struct cover){
		.turn = cover->turn,
		.in_gap = j->in_gap,
		.journal_base = j->base,
		.first_lba = j->cover_first_lba,
		.lba_count = j->cover_lba_count,
	};
	memcpy(cover->plan_id, j->plan_id, PLAN_ID_SIZE);
	memcpy(cover->journal_name, j->name, sizeof(cover->journal_name));
	memcpy(cover->entries, sector0_of(run, is_new) + 440, sizeof(cover->entries));
}

static int write_cover(struct run *run)
{
	memset(run->block, 0, JOURNAL_BLOCK);
	encode_cover(&run->cover, run->block);
	return write_sector0(run, run->block);
}

int take_turn(struct run *run)
{
	struct record record = run->newest;
	int r;

	record.claims = true;
	record.turn_before = run->cover.turn;
	r = draw_random(&run->cover.turn, sizeof(run->cover.turn), run->reason);
	if (!r)
		r = write_record(run, &record);
	if (!r)
		r = flush_both(run);
	return r ? r : write_cover(run);
}

/* Some firmware, and gdisk, look for GPT headers whatever sector 0 says. */
static int blank_gpt(struct run *run)
{
	bool any = false;

	for (int t = 0; t < 2; t++) {
		const struct table_image *table = &run->journal.table[t];

		for (size_t i = 0; i < table->count; i++) {
			uint64_t offset = table->sectors[i].offset;
			int r;

			if (memcmp(table->sectors[i].bytes, "EFI PART", 8))
				continue;
			r = read_disk(run, run->block, run->journal.logical_sector_size, offset);
			if (r < 0)
				return r;
			if (memcmp(run->block, "EFI PART", 8))
				continue;
			memset(run->block, 0, run->journal.logical_sector_size);
			r = write_disk(run, run->block, run->journal.logical_sector_size, offset);
			if (r < 0)
				return r;
			any = true;
		}
	}
	return any ? flush_both(run) : 0;
}

int cover_disk(struct run *run, bool is_new, bool is_covered)
{
	const struct relocation_hooks *hooks = run->rel->hooks;
	int r = 0;

	if (!is_covered) {
		make_cover(run, is_new);
		r = write_cover(run);
	}
	if (!r && hooks->drop_nodes)
		r = hooks->drop_nodes(hooks->context, run->reason);
	if (!r)
		return blank_gpt(run);
	/* Nothing but the cover was written: the table comes back, unless even that fails. */
	if (!is_covered && !write_sector0(run, sector0_of(run, is_new)))
		return -ECANCELED;
	return r;
}

static int tell_kernel(struct run *run, bool is_new)
{
	const struct relocation_hooks *hooks = run->rel->hooks;

	return hooks->tell_kernel ? hooks->tell_kernel(hooks->context, is_new, run->reason) : 0;
}

static int write_end(struct run *run, enum record_kind kind, bool is_new)
{
	/* The list stays the one of the record before, if that was an end of the same layout. */
	struct record record = { .kind = kind, .is_new = is_new };
	bool keeps = run->newest.kind >= RECORD_END && run->newest.is_new == is_new;
	int r;

	if (keeps) {
		record.field_count = run->newest.field_count;
		record.field_bytes = run->newest.field_bytes;
		record.field_sum = run->newest.field_sum;
	}
	r = write_record(run, &record);
	return r ? r : flush_both(run);
}

int write_done(struct run *run, bool is_new)
{
	int r = tell_kernel(run, is_new);

	if (!r && (run->newest.kind != RECORD_DONE || run->newest.is_new != is_new))
		r = write_end(run, RECORD_DONE, is_new);
	return r;
}

/* Tables but sector 0, then sector 0, which uncovers; then the kernel, then DONE. */
static int write_tables(struct run *run, bool is_new)
{
	const struct table_image *table = table_of(run, is_new);
	int r;

	for (size_t i = 0; i + 1 < table->count; i++) {
		memcpy(run->block, table->sectors[i].bytes, run->journal.logical_sector_size);
		r = write_disk(run, run->block, run->journal.logical_sector_size,
			       table->sectors[i].offset);
		if (r < 0)
			return r;
	}
	r = flush_both(run);
	if (!r)
		r = write_sector0(run, sector0_of(run, is_new));
	return r ? r : write_done(run, is_new);
}

/*
 * Where partitions had moved to and none was before, their bytes are left over: they go, so that
 * the disk is as it was and the gaps can be planned into again (a plan only takes gaps of zeros).
 * Under the cover, with every source whole and the frontier at 0 durable; table sectors there are
 * written after.
 */
static int wipe_extent(struct run *run, struct extent gap)
{
	int r = io_punch(run->rel->disk, gap.end - gap.start, gap.start);

	if (r != -EOPNOTSUPP)
		return r;
	r = 0;
	memset(run->buffer[0], 0, run->window_max);
	for (uint64_t at = gap.start; at < gap.end && !r; at += run->window_max)
		r = io_write(run->rel->disk, run->buffer[0], min_u64(gap.end - at, run->window_max),
			     at);
	return r;
}

static int wipe_new_places(struct run *run)
{
	const struct journal *j = &run->journal;
	struct extent_list sources = { 0 }, gaps = { 0 };
	int r = 0;

	for (uint32_t i = 0; i < j->move_count && !r; i++)
		r = extent_list_add(&sources, j->moves[i].from,
				    j->moves[i].from + j->moves[i].size);
	extent_list_sort(&sources);
	for (uint32_t i = 0; i < j->move_count && !r; i++)
		r = extent_list_add_rest(
			&gaps, (struct extent){ j->moves[i].to, j->moves[i].to + j->moves[i].size },
			&sources);
	for (size_t i = 0; i < gaps.count && !r; i++)
		r = wipe_extent(run, gaps.list[i]);
	free(sources.list);
	free(gaps.list);
	if (!r)
		r = flush_both(run);
	else if (!run->reason->text[0])
		reason_set(run->reason, r, "cannot clear what the moves left behind: %s",
			   strerror(-r));
	return r;
}

int end_old(struct run *run)
{
	int r = wipe_new_places(run);

	if (!r)
		r = write_end(run, RECORD_END, false);
	return r ? r : write_tables(run, false);
}

/* ---- the fields that hold a start */

static bool is_valid_field(const struct journal *j, const struct position_field *f)
{
	if (!f->length || f->length > POSITION_FIELD_MAX)
		return false;
	for (uint32_t i = 0; i < j->move_count; i++) {
		const struct move *m = &j->moves[i];

		if (f->offset >= m->to && f->offset - m->to < m->size &&
		    m->size - (f->offset - m->to) >= f->length)
			return true;
	}
	return false;
}

/* The list as it lies in the field area; the caller frees it. */
static uint8_t *encode_fields(const struct position_field *fields, size_t count, uint64_t *bytes,
			      uint64_t *padded)
{
	uint8_t *list, *p;

	*bytes = 0;
	for (size_t i = 0; i < count; i++)
		*bytes += FIELD_ROW + 2 * (uint64_t)fields[i].length;
	*padded = (*bytes + JOURNAL_BLOCK - 1) / JOURNAL_BLOCK * JOURNAL_BLOCK;
	p = list = io_alloc(*padded);
	if (!list)
		return NULL;
	memset(list, 0, *padded);
	for (size_t i = 0; i < count; i++) {
		put_le64(p, fields[i].offset);
		put_le32(p + 8, fields[i].length);
		memcpy(p + FIELD_ROW, fields[i].old_bytes, fields[i].length);
		memcpy(p + FIELD_ROW + fields[i].length, fields[i].new_bytes, fields[i].length);
		p += FIELD_ROW + 2 * (size_t)fields[i].length;
	}
	return list;
}

/* Asks which fields there are, makes the list durable, then the END record that names it. */
static int record_fields(struct run *run)
{
	const struct relocation_hooks *hooks = run->rel->hooks;
	autofree struct position_field *fields = NULL;
	autofree uint8_t *list = NULL;
	struct record record = { .kind = RECORD_END, .is_new = true };
	size_t count = 0;
	uint64_t padded;
	int r = hooks->find_fields(hooks->context, run->rel->disk, &fields, &count, run->reason);

	if (r < 0)
		return r;
	for (size_t i = 0; i < count; i++)
		if (!is_valid_field(&run->journal, &fields[i]))
			return reason_set(run->reason, -EINVAL,
					  "a start field lies outside what moved");
	list = encode_fields(fields, count, &record.field_bytes, &padded);
	if (!list)
		return reason_set(run->reason, -ENOMEM, "no memory for the list of start fields");
	if (padded > run->journal.fields_size)
		return reason_set(run->reason, -ENOSPC,
				  "too many start fields for the journal; only --undo is left");
	record.field_count = count;
	record.field_sum = sum64(run->journal.seed, list, record.field_bytes);
	r = padded ? write_journal(run, list, padded, run->journal.fields_offset) : 0;
	if (!r)
		r = flush_both(run);
	if (!r)
		r = write_record(run, &record);
	return r ? r : flush_both(run);
}

static int read_fields(struct run *run, uint8_t **list)
{
	const struct record *rec = &run->newest;
	uint64_t padded = (rec->field_bytes + JOURNAL_BLOCK - 1) / JOURNAL_BLOCK * JOURNAL_BLOCK;
	int r;

	*list = io_alloc(padded);
	if (!*list)
		return reason_set(run->reason, -ENOMEM, "no memory for the list of start fields");
	r = padded ? read_journal(run, *list, padded, run->journal.fields_offset) : 0;
	if (!r && sum64(run->journal.seed, *list, rec->field_bytes) != rec->field_sum)
		r = reason_set(run->reason, -EUCLEAN,
			       "the journal's list of start fields is damaged");
	return r;
}

/* Where the disk holds `now`, puts `then`; sector by sector, because only a sector is whole. */
static int set_field(struct run *run, uint64_t offset, uint32_t length, const uint8_t *now,
		     const uint8_t *then)
{
	uint32_t unit = run->journal.logical_sector_size;

	while (length) {
		uint64_t sector = round_down_to(offset, unit);
		uint32_t in = offset - sector, part = unit - in < length ? unit - in : length;
		int r = read_disk(run, run->block, unit, sector);

		if (!r && !memcmp(run->block + in, now, part)) {
			memcpy(run->block + in, then, part);
			r = write_disk(run, run->block, unit, sector);
		}
		if (r < 0)
			return r;
		offset += part;
		length -= part;
		now += part;
		then += part;
	}
	return 0;
}

/* Sets all listed fields for the new start, or for the old one, and flushes. */
static int set_fields(struct run *run, bool is_new)
{
	autofree uint8_t *list = NULL;
	uint64_t at = 0, bytes = run->newest.field_bytes;
	int r = read_fields(run, &list);

	for (uint32_t i = 0; !r && i < run->newest.field_count; i++) {
		struct position_field f = { 0 };
		const uint8_t *row = list + at, *old_bytes = row + FIELD_ROW;

		if (bytes - at < FIELD_ROW)
			break;
		f.offset = get_le64(row);
		f.length = get_le32(row + 8);
		if (!is_valid_field(&run->journal, &f) ||
		    bytes - at - FIELD_ROW < 2 * (uint64_t)f.length)
			return reason_set(run->reason, -EUCLEAN,
					  "the journal's list of start fields is damaged");
		at += FIELD_ROW + 2 * (uint64_t)f.length;
		r = set_field(run, f.offset, f.length, is_new ? old_bytes : old_bytes + f.length,
			      is_new ? old_bytes + f.length : old_bytes);
	}
	return r ? r : flush_both(run);
}

int end_new(struct run *run)
{
	bool has_list = run->newest.kind >= RECORD_END && run->newest.is_new;
	int r = has_list ? write_end(run, RECORD_END, true) : record_fields(run);

	if (!r)
		r = set_fields(run, true);
	return r ? r : write_tables(run, true);
}

int undo_fields(struct run *run)
{
	int r = set_fields(run, false);

	return r ? r : write_frontier(run, (struct frontier){ run->journal.move_count, 0, false });
}
