// SPDX-License-Identifier: GPL-2.0-or-later
#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A new journal (invariant 3): everything checked, then a header that says "begun", flush, content
 * and first record, flush, header, flush. Until the header is there, there is no journal; until the
 * cover, no relocation. */

uint64_t relocation_journal_size(size_t moves, uint64_t table_bytes, uint64_t data)
{
	/* Each table sector takes 8 bytes more; a sector has at least 512. */
	uint64_t content = JOURNAL_CONTENT + 64 * moves + table_bytes + table_bytes / 64;
	uint64_t sum = content + 2 * JOURNAL_BLOCK + FIELDS_PER_MOVE * moves;

	sum = round_down_to(sum, JOURNAL_BLOCK);
	return add_u64(sum, data, &sum) ? sum : UINT64_MAX;
}

static uint64_t round_up_block(uint64_t n)
{
	return (n + JOURNAL_BLOCK - 1) / JOURNAL_BLOCK * JOURNAL_BLOCK;
}

static bool is_image_of(const struct relocation *rel, const struct table_image *t, uint32_t unit)
{
	for (size_t i = 0; i < t->count; i++) {
		uint64_t offset = t->sectors[i].offset;

		if (offset % unit || offset >= rel->disk->size || rel->disk->size - offset < unit ||
		    (offset == 0) != (i + 1 == t->count))
			return false;
	}
	return t->count && t->count <= TABLE_BYTES_MAX / unit;
}

static int fill_journal(const struct relocation *rel, const struct relocation_request *req,
			struct journal *j, struct reason *reason)
{
	const struct plan *plan = req->plan;

	int r = draw_random(j->plan_id, PLAN_ID_SIZE, reason);

	if (r)
		return r;
	j->seed = get_le64(j->plan_id) ^ get_le64(j->plan_id + 8);
	j->disk_size = rel->disk->size;
	j->logical_sector_size = req->logical_sector_size;
	j->physical_sector_size =
		req->physical_sector_size ? req->physical_sector_size : req->logical_sector_size;
	j->in_gap = rel->journal == rel->disk;
	j->base = j->in_gap ? rel->journal_base : 0;
	memcpy(j->serial, req->serial, sizeof(j->serial) - 1);
	if (req->journal_name && strlen(req->journal_name) >= sizeof(j->name))
		return reason_set(reason, -ENAMETOOLONG,
				  "the journal's path is longer than the %zu bytes the cover has",
				  sizeof(j->name) - 1);
	if (req->journal_name)
		strcpy(j->name, req->journal_name);
	if (!plan->move_count || plan->move_count > MOVES_MAX)
		return reason_set(reason, -EINVAL, "%zu moves: cannot be", plan->move_count);
	j->move_count = plan->move_count;
	j->table_count[0] = req->old_table->count;
	j->table_count[1] = req->new_table->count;
	j->content_size = content_size(j);
	j->fields_offset = round_up_block(JOURNAL_CONTENT + j->content_size);
	j->fields_size = FIELDS_PER_MOVE * (uint64_t)j->move_count;
	j->data_offset = j->fields_offset + j->fields_size;
	if (j->data_offset > rel->journal_size)
		return reason_set(reason, -ENOSPC,
				  "no room for the journal: %" PRIu64 " bytes, needs %" PRIu64,
				  rel->journal_size, j->data_offset);
	j->data_size = round_down_to(rel->journal_size - j->data_offset, JOURNAL_BLOCK);
	return 0;
}

static bool touches_journal(const struct journal *j, const struct relocation *rel, uint64_t start,
			    uint64_t size)
{
	struct extent place = { rel->journal_base, rel->journal_base + rel->journal_size };

	return j->in_gap && extents_overlap(place, (struct extent){ start, start + size });
}

static int fill_moves(const struct relocation *rel, const struct plan *plan, struct journal *j,
		      struct reason *reason)
{
	j->moves = calloc(j->move_count, sizeof(*j->moves));
	if (!j->moves)
		return reason_set(reason, -ENOMEM, "no memory for the journal");
	for (uint32_t i = 0; i < j->move_count; i++) {
		const struct plan_move *p = &plan->moves[i];
		struct move *m = &j->moves[i];

		*m = (struct move){ .number = p->number,
				    .protection = p->protection,
				    .from = p->from,
				    .to = p->to,
				    .size = p->size,
				    .window = round_down_to(p->window, j->logical_sector_size) };
		if (p->from == p->to || !p->size || p->size >> 61)
			return reason_set(reason, -EINVAL, "partition %u: not a move", p->number);
		cut_parts(m, p->protection == PROTECT_LANES ? p->lanes : 1, j->physical_sector_size,
			  j->data_size);
		if (m->protection == PROTECT_JOURNAL && j->data_size < 2 * JOURNAL_BLOCK)
			return reason_set(reason, -ENOSPC, "no room for the journal's windows");
		if (!is_valid_move(j, m))
			return reason_set(reason, -EINVAL,
					  "partition %u: its move leaves the disk or its sectors",
					  p->number);
		if (touches_journal(j, rel, m->from, m->size) ||
		    touches_journal(j, rel, m->to, m->size))
			return reason_set(reason, -EINVAL, "partition %u: moves over the journal",
					  p->number);
	}
	return 0;
}

static int check_request(const struct relocation *rel, const struct relocation_request *req,
			 struct reason *reason)
{
	uint32_t unit = req->logical_sector_size;
	uint64_t end;

	if (!is_power_of_two(unit) || unit < 512 || unit > JOURNAL_BLOCK ||
	    req->physical_sector_size % unit || req->physical_sector_size > MIB)
		return reason_set(reason, -EINVAL, "sectors of %u bytes: cannot be", unit);
	if (rel->journal_base % JOURNAL_BLOCK ||
	    !add_u64(rel->journal_base, rel->journal_size, &end) || end > rel->journal->size)
		return reason_set(reason, -EINVAL, "the journal does not fit at byte %" PRIu64,
				  rel->journal_base);
	for (int t = 0; t < 2; t++) {
		const struct table_image *image = t ? req->new_table : req->old_table;

		if (!is_image_of(rel, image, unit))
			return reason_set(reason, -EINVAL,
					  "a table sector lies outside the disk or its order");
		for (size_t i = 0; i < image->count; i++)
			if (rel->journal == rel->disk && image->sectors[i].offset < end &&
			    image->sectors[i].offset + unit > rel->journal_base)
				return reason_set(reason, -EINVAL,
						  "the journal would lie on the table");
	}
	return 0;
}

/* The disk must still be what was planned for. */
static int check_disk(const struct relocation *rel, const struct relocation_request *req,
		      struct reason *reason)
{
	autofree uint8_t *sector = io_alloc(JOURNAL_BLOCK);
	uint32_t unit = req->logical_sector_size;

	if (!sector)
		return reason_set(reason, -ENOMEM, "no memory for the journal");
	for (size_t i = req->old_table->count; i > 0; i--) {
		const struct table_sector *s = &req->old_table->sectors[i - 1];
		int r = io_read(rel->disk, sector, unit, s->offset);

		if (r < 0)
			return reason_set(reason, r, "cannot read the disk at byte %" PRIu64 ": %s",
					  s->offset, strerror(-r));
		if (!s->offset && is_cover(sector, unit, NULL))
			return reason_set(reason, -EBUSY,
					  "an unfinished realignment is on it; run --resume or "
					  "--undo");
		if (memcmp(sector, s->bytes, unit))
			return reason_set(reason, -EINVAL,
					  "its partition table changed since it was planned");
	}
	return 0;
}

static bool is_zero(const uint8_t *p, size_t len)
{
	return !len || (!p[0] && !memcmp(p, p + 1, len - 1));
}

/*
 * Our own journal, that nothing hangs on. In a file, which may be another disk's: one that says it
 * is done. In a gap of this disk, which is not covered: one that was never used, or is at an end.
 * Half-way, somebody else has written a table over the cover; then the journal is all that still
 * knows where the data is.
 */
static bool is_spent_journal(const struct relocation *rel, uint8_t *block)
{
	struct journal j;
	struct record newest;
	int slot;

	if (!decode_header(block, JOURNAL_BLOCK, &j))
		return false;
	if (j.is_begun)
		return true;
	if (journal_newest(rel->journal, rel->journal_base, &j, block, &newest, &slot) < 0)
		return false;
	if (rel->journal == rel->disk)
		return j.in_gap && j.base == rel->journal_base && !is_half_way(&newest);
	return newest.kind == RECORD_DONE;
}

static int check_place(const struct relocation *rel, struct reason *reason)
{
	size_t chunk = 256 * KIB;
	autofree uint8_t *bytes = io_alloc(chunk);

	if (!bytes)
		return reason_set(reason, -ENOMEM, "no memory for the journal");
	for (uint64_t at = 0; at < rel->journal_size; at += chunk) {
		uint64_t len = min_u64(rel->journal_size - at, chunk);
		int r = io_read(rel->journal, bytes, len, rel->journal_base + at);

		if (r < 0)
			return reason_set(reason, r, "cannot read the journal's place: %s",
					  strerror(-r));
		if (!at && len >= JOURNAL_BLOCK && is_spent_journal(rel, bytes))
			return 0;
		if (!is_zero(bytes, len))
			return reason_set(reason, -EEXIST,
					  "the journal's place holds data (the journal of an "
					  "unfinished realignment?); nothing was written");
	}
	return 0;
}

/* Begun, flush, content and record, flush, header, flush. Whoever finds the place after a crash can
 * tell that it is ours and that nothing hangs on it. */
static int write_new_journal(const struct relocation *rel, struct journal *j, struct reason *reason)
{
	uint64_t size = round_up_block(j->content_size);
	autofree uint8_t *block = io_alloc(JOURNAL_BLOCK), *content = io_alloc(size);
	struct run run = { .rel = rel, .newest_slot = 1, .reason = reason, .block = block };
	struct record record = { .kind = RECORD_FRONTIER };
	int r;

	if (!block || !content)
		return reason_set(reason, -ENOMEM, "no memory for the journal");
	memset(content, 0, size);
	encode_content(j, content);
	j->content_sum = sum64(j->seed, content, j->content_size);
	j->is_begun = true;
	encode_header(j, block);
	j->is_begun = false;
	run.journal = *j;
	r = write_journal(&run, block, JOURNAL_BLOCK, 0);
	if (!r)
		r = flush_both(&run);
	if (!r)
		r = write_journal(&run, content, size, JOURNAL_CONTENT);
	if (!r)
		r = write_record(&run, &record);
	if (!r)
		r = flush_both(&run);
	if (r)
		return r;
	encode_header(j, block);
	r = write_journal(&run, block, JOURNAL_BLOCK, 0);
	return r ? r : flush_both(&run);
}

int relocation_create(const struct relocation *rel, const struct relocation_request *req,
		      struct reason *reason)
{
	struct journal j = { 0 }, check;
	int r = check_request(rel, req, reason);

	if (!r)
		r = check_disk(rel, req, reason);
	if (!r)
		r = check_place(rel, reason);
	if (!r)
		r = fill_journal(rel, req, &j, reason);
	if (!r)
		r = fill_moves(rel, req->plan, &j, reason);
	if (r)
		goto out;
	place_cover_entry(&j, &j.cover_first_lba, &j.cover_lba_count);
	/* Borrowed: content is encoded from the caller's images. */
	j.table[0] = *req->old_table;
	j.table[1] = *req->new_table;
	r = write_new_journal(rel, &j, reason);
	/* What cannot be opened now could not be resumed later. */
	if (!r)
		r = io_drop_cache(rel->journal);
	if (!r)
		r = journal_open(rel, &check, reason);
	if (!r)
		journal_free(&check);
out:
	free(j.moves);
	return r;
}
