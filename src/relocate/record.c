// SPDX-License-Identifier: GPL-2.0-or-later
#include "journal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Header, content and records to bytes and back (FORMAT.md). Pure, and all that is decoded is
 * hostile until each number has been held against what it may be: a sum that fits proves only that
 * somebody computed it.
 */

#define SUM_AT        (JOURNAL_BLOCK - 8)
#define HEADER_SUM_AT 504 /* the header is one sector: whole or absent */
#define MOVE_ROW_SIZE 64
#define SUMS_AT       128

static const uint8_t header_magic[8] = "alignckJ";
static const uint8_t record_magic[8] = "alignckR";

enum { VERSION = 1, FLAG_IN_GAP = 1, FLAG_BEGUN = 2 };
enum { FLAG_BACK = 1, FLAG_SILLS = 2, FLAG_NEW = 4, FLAG_CLAIMS = 8 };

void encode_header(const struct journal *j, uint8_t b[JOURNAL_BLOCK])
{
	memset(b, 0, JOURNAL_BLOCK);
	memcpy(b, header_magic, 8);
	put_le32(b + 8, VERSION);
	put_le32(b + 12, j->logical_sector_size);
	memcpy(b + 16, j->plan_id, PLAN_ID_SIZE);
	put_le64(b + 32, j->disk_size);
	put_le32(b + 40, j->physical_sector_size);
	put_le32(b + 44, j->move_count);
	put_le32(b + 48, j->table_count[0]);
	put_le32(b + 52, j->table_count[1]);
	put_le64(b + 56, j->content_size);
	put_le64(b + 64, j->content_sum);
	put_le64(b + 72, j->fields_offset);
	put_le64(b + 80, j->fields_size);
	put_le64(b + 88, j->data_offset);
	put_le64(b + 96, j->data_size);
	put_le64(b + 104, j->base);
	put_le32(b + 112, (j->in_gap ? FLAG_IN_GAP : 0) | (j->is_begun ? FLAG_BEGUN : 0));
	put_le32(b + 116, j->cover_first_lba);
	put_le32(b + 120, j->cover_lba_count);
	memcpy(b + 128, j->serial, sizeof(j->serial));
	memcpy(b + 192, j->name, sizeof(j->name));
	put_le64(b + HEADER_SUM_AT, sum64(0, b, HEADER_SUM_AT));
}

static bool is_valid_header(const struct journal *j)
{
	uint64_t end;

	if (!is_power_of_two(j->logical_sector_size) || j->logical_sector_size < 512 ||
	    j->logical_sector_size > JOURNAL_BLOCK || !j->physical_sector_size ||
	    j->physical_sector_size % j->logical_sector_size || j->physical_sector_size > MIB)
		return false;
	if (!j->disk_size || j->disk_size >> 62 || !j->move_count || j->move_count > MOVES_MAX)
		return false;
	for (int i = 0; i < 2; i++)
		if (!j->table_count[i] ||
		    j->table_count[i] > TABLE_BYTES_MAX / j->logical_sector_size)
			return false;
	if (j->content_size != content_size(j))
		return false;
	if (!add_u64(JOURNAL_CONTENT, j->content_size, &end) || end > j->fields_offset ||
	    !add_u64(j->fields_offset, j->fields_size, &end) || end > j->data_offset ||
	    !add_u64(j->data_offset, j->data_size, &end) || end >> 62)
		return false;
	return !((j->fields_offset | j->fields_size | j->data_offset | j->data_size | j->base) %
		 JOURNAL_BLOCK) &&
	       j->fields_size <= (uint64_t)MOVES_MAX * FIELDS_PER_MOVE && j->cover_lba_count;
}

bool decode_header(const uint8_t *b, size_t size, struct journal *j)
{
	memset(j, 0, sizeof(*j));
	if (size < JOURNAL_BLOCK || memcmp(b, header_magic, 8) || get_le32(b + 8) != VERSION ||
	    get_le64(b + HEADER_SUM_AT) != sum64(0, b, HEADER_SUM_AT))
		return false;
	j->logical_sector_size = get_le32(b + 12);
	memcpy(j->plan_id, b + 16, PLAN_ID_SIZE);
	j->seed = get_le64(j->plan_id) ^ get_le64(j->plan_id + 8);
	j->disk_size = get_le64(b + 32);
	j->physical_sector_size = get_le32(b + 40);
	j->move_count = get_le32(b + 44);
	j->table_count[0] = get_le32(b + 48);
	j->table_count[1] = get_le32(b + 52);
	j->content_size = get_le64(b + 56);
	j->content_sum = get_le64(b + 64);
	j->fields_offset = get_le64(b + 72);
	j->fields_size = get_le64(b + 80);
	j->data_offset = get_le64(b + 88);
	j->data_size = get_le64(b + 96);
	j->base = get_le64(b + 104);
	j->in_gap = get_le32(b + 112) & FLAG_IN_GAP;
	j->is_begun = get_le32(b + 112) & FLAG_BEGUN;
	j->cover_first_lba = get_le32(b + 116);
	j->cover_lba_count = get_le32(b + 120);
	sanitize_text(j->serial, sizeof(j->serial), b + 128, strnlen((const char *)b + 128, 63));
	memcpy(j->name, b + 192, sizeof(j->name));
	j->name[sizeof(j->name) - 1] = 0;
	return is_valid_header(j);
}

bool is_journal_header(const uint8_t *block, size_t size, uint8_t plan_id[PLAN_ID_SIZE])
{
	struct journal journal;

	if (!decode_header(block, size, &journal) || journal.is_begun)
		return false;
	if (plan_id)
		memcpy(plan_id, journal.plan_id, PLAN_ID_SIZE);
	return true;
}

size_t content_size(const struct journal *j)
{
	return (size_t)j->move_count * MOVE_ROW_SIZE +
	       ((size_t)j->table_count[0] + j->table_count[1]) * (8 + j->logical_sector_size);
}

void encode_content(const struct journal *j, uint8_t *p)
{
	for (uint32_t i = 0; i < j->move_count; i++, p += MOVE_ROW_SIZE) {
		const struct move *m = &j->moves[i];

		memset(p, 0, MOVE_ROW_SIZE);
		put_le32(p, m->number);
		put_le32(p + 4, m->protection);
		put_le64(p + 8, m->from);
		put_le64(p + 16, m->to);
		put_le64(p + 24, m->size);
		put_le64(p + 32, m->window);
		put_le64(p + 40, m->part_size);
		put_le32(p + 48, m->parts);
	}
	for (int t = 0; t < 2; t++) {
		for (uint32_t i = 0; i < j->table_count[t]; i++) {
			put_le64(p, j->table[t].sectors[i].offset);
			memcpy(p + 8, j->table[t].sectors[i].bytes, j->logical_sector_size);
			p += 8 + j->logical_sector_size;
		}
	}
}

static bool decode_moves(struct journal *j, const uint8_t *p)
{
	for (uint32_t i = 0; i < j->move_count; i++, p += MOVE_ROW_SIZE) {
		j->moves[i] = (struct move){
			.number = get_le32(p),
			.protection = get_le32(p + 4),
			.from = get_le64(p + 8),
			.to = get_le64(p + 16),
			.size = get_le64(p + 24),
			.window = get_le64(p + 32),
			.part_size = get_le64(p + 40),
			.parts = get_le32(p + 48),
		};
		if (!is_valid_move(j, &j->moves[i]))
			return false;
	}
	return true;
}

/* Every sector inside the disk and off the partitions' data; sector 0 last, and once. */
static bool is_valid_table(const struct journal *j, const struct table_image *t)
{
	for (size_t i = 0; i < t->count; i++) {
		uint64_t offset = t->sectors[i].offset;

		if (offset % j->logical_sector_size || offset >= j->disk_size ||
		    j->disk_size - offset < j->logical_sector_size ||
		    (offset == 0) != (i + 1 == t->count))
			return false;
	}
	return t->count;
}

int decode_content(struct journal *j, const uint8_t *p)
{
	size_t row = 8 + j->logical_sector_size;
	size_t tables = ((size_t)j->table_count[0] + j->table_count[1]) * row;

	j->moves = calloc(j->move_count, sizeof(*j->moves));
	j->table_bytes = malloc(tables);
	for (int t = 0; t < 2; t++)
		j->table[t].sectors = calloc(j->table_count[t], sizeof(struct table_sector));
	if (!j->moves || !j->table_bytes || !j->table[0].sectors || !j->table[1].sectors)
		return -ENOMEM;
	if (!decode_moves(j, p))
		return -EUCLEAN;
	memcpy(j->table_bytes, p + (size_t)j->move_count * MOVE_ROW_SIZE, tables);

	uint8_t *from = j->table_bytes;

	for (int t = 0; t < 2; t++) {
		j->table[t].count = j->table_count[t];
		for (uint32_t i = 0; i < j->table_count[t]; i++, from += row)
			j->table[t].sectors[i] = (struct table_sector){ get_le64(from), from + 8 };
		if (!is_valid_table(j, &j->table[t]))
			return -EUCLEAN;
	}
	return 0;
}

void journal_free(struct journal *j)
{
	free(j->moves);
	free(j->table_bytes);
	free(j->table[0].sectors);
	free(j->table[1].sectors);
	memset(j, 0, sizeof(*j));
}

void encode_record(const struct journal *j, const struct record *r, uint8_t b[JOURNAL_BLOCK])
{
	memset(b, 0, JOURNAL_BLOCK);
	memcpy(b, record_magic, 8);
	put_le32(b + 8, r->kind);
	put_le32(b + 12, (r->back ? FLAG_BACK : 0) | (r->sills ? FLAG_SILLS : 0) |
				 (r->is_new ? FLAG_NEW : 0) | (r->claims ? FLAG_CLAIMS : 0));
	memcpy(b + 16, j->plan_id, PLAN_ID_SIZE);
	put_le64(b + 32, r->sequence);
	put_le32(b + 40, r->move);
	put_le32(b + 44, r->half);
	put_le64(b + 48, r->lo);
	put_le64(b + 56, r->hi);
	put_le64(b + 64, r->next_lo);
	put_le64(b + 72, r->next_hi);
	put_le64(b + 80, r->sills_sum);
	put_le32(b + 88, r->field_count);
	put_le32(b + 92, r->sum_count);
	put_le64(b + 96, r->field_bytes);
	put_le64(b + 104, r->field_sum);
	put_le64(b + 112, r->turn);
	put_le64(b + 120, r->turn_before);
	for (uint32_t i = 0; i < r->sum_count; i++)
		put_le64(b + SUMS_AT + 8 * i, r->sums[i]);
	put_le64(b + SUM_AT, sum64(j->seed, b, SUM_AT));
}

/* [lo, hi) inside a part; a whole number of sectors, so that all offsets are. */
static bool is_window(const struct journal *j, const struct move *m, uint64_t lo, uint64_t hi)
{
	return lo <= hi && hi <= m->part_size && !((lo | hi) % j->logical_sector_size);
}

static bool is_valid_place(const struct journal *j, const struct record *r)
{
	const struct move *m;

	if (r->kind == RECORD_FRONTIER && r->move == j->move_count)
		return !r->lo && !r->sills;
	if (r->move >= j->move_count)
		return false;
	m = &j->moves[r->move];
	if (r->sills && m->parts < 2)
		return false;
	switch (r->kind) {
	case RECORD_FRONTIER:
		return is_window(j, m, 0, r->lo);
	case RECORD_ROUND:
		return m->protection != PROTECT_JOURNAL && is_window(j, m, r->lo, r->hi) &&
		       r->lo < r->hi && r->sum_count == m->parts && r->sills == (m->parts > 1);
	default:
		return m->protection == PROTECT_JOURNAL && r->half < 2 && r->sum_count == 2 &&
		       is_window(j, m, r->lo, r->hi) && is_window(j, m, r->next_lo, r->next_hi) &&
		       (r->lo < r->hi || r->next_lo < r->next_hi) &&
		       r->hi - r->lo <= j->data_size / 2 &&
		       r->next_hi - r->next_lo <= j->data_size / 2;
	}
}

bool decode_record(const struct journal *j, const uint8_t *b, struct record *r)
{
	uint32_t flags = get_le32(b + 12);

	if (memcmp(b, record_magic, 8) || memcmp(b + 16, j->plan_id, PLAN_ID_SIZE) ||
	    get_le64(b + SUM_AT) != sum64(j->seed, b, SUM_AT))
		return false;
	*r = (struct record){
		.kind = get_le32(b + 8),
		.back = flags & FLAG_BACK,
		.sills = flags & FLAG_SILLS,
		.is_new = flags & FLAG_NEW,
		.claims = flags & FLAG_CLAIMS,
		.sequence = get_le64(b + 32),
		.move = get_le32(b + 40),
		.half = get_le32(b + 44),
		.lo = get_le64(b + 48),
		.hi = get_le64(b + 56),
		.next_lo = get_le64(b + 64),
		.next_hi = get_le64(b + 72),
		.sills_sum = get_le64(b + 80),
		.field_count = get_le32(b + 88),
		.sum_count = get_le32(b + 92),
		.field_bytes = get_le64(b + 96),
		.field_sum = get_le64(b + 104),
		.turn = get_le64(b + 112),
		.turn_before = get_le64(b + 120),
	};
	if (r->sum_count > MOVE_LANES_MAX || !r->sequence || r->sequence >> 63)
		return false;
	for (uint32_t i = 0; i < r->sum_count; i++)
		r->sums[i] = get_le64(b + SUMS_AT + 8 * i);
	if (r->kind == RECORD_END || r->kind == RECORD_DONE)
		return r->field_bytes <= j->fields_size &&
		       r->field_count <= r->field_bytes / FIELD_ROW;
	return r->kind >= RECORD_FRONTIER && r->kind <= RECORD_HALVES &&
	       (!j->moves || is_valid_place(j, r));
}
