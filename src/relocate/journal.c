// SPDX-License-Identifier: GPL-2.0-or-later
#include "journal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* Opens a journal and believes nothing of it: damaged, foreign and hostile ones are told apart. */

static int read_header(const struct relocation *rel, struct journal *j, struct reason *reason)
{
	static const uint8_t magic[8] = "alignckJ";
	autofree uint8_t *block = io_alloc(JOURNAL_BLOCK);
	int r;

	if (!block)
		return reason_set(reason, -ENOMEM, "no memory to read the journal");
	if (rel->journal_size < JOURNAL_CONTENT || rel->journal_base % JOURNAL_BLOCK)
		return reason_set(reason, -ENOENT, "there is no journal here: too small");
	r = io_read(rel->journal, block, JOURNAL_BLOCK, rel->journal_base);
	if (r < 0)
		return reason_set(reason, r, "cannot read the journal: %s", strerror(-r));
	if (memcmp(block, magic, sizeof(magic)))
		return reason_set(reason, -ENOENT, "there is no journal here");
	if (!decode_header(block, JOURNAL_BLOCK, j))
		return reason_set(reason, -EUCLEAN, "the journal's header is damaged");
	if (j->is_begun)
		return reason_set(reason, -ENOENT, "there is no journal here: it was only begun");
	return 0;
}

static int check_owner(const struct relocation *rel, const struct journal *j, struct reason *reason)
{
	uint64_t end;

	if (j->disk_size != rel->disk->size)
		return reason_set(reason, -ESTALE,
				  "the journal is of another disk: it had %" PRIu64
				  " bytes, this one has %" PRIu64,
				  j->disk_size, rel->disk->size);
	if (rel->logical_sector_size && rel->logical_sector_size != j->logical_sector_size)
		return reason_set(reason, -ESTALE,
				  "the journal is of a disk with %u-byte sectors; this one has %u "
				  "(another enclosure or adapter?)",
				  j->logical_sector_size, rel->logical_sector_size);
	if (j->in_gap != (rel->journal == rel->disk) || (j->in_gap && j->base != rel->journal_base))
		return reason_set(reason, -ESTALE, "the journal was made for another place");
	if (!add_u64(j->data_offset, j->data_size, &end) || end > rel->journal_size)
		return reason_set(reason, -EUCLEAN, "the journal is cut off");
	return 0;
}

static int read_moves_and_tables(const struct relocation *rel, struct journal *j,
				 struct reason *reason)
{
	autofree uint8_t *content = io_alloc(j->content_size);
	int r;

	if (!content)
		return reason_set(reason, -ENOMEM, "no memory to read the journal");
	r = io_read(rel->journal, content, j->content_size, rel->journal_base + JOURNAL_CONTENT);
	if (r < 0)
		return reason_set(reason, r, "cannot read the journal: %s", strerror(-r));
	if (sum64(j->seed, content, j->content_size) != j->content_sum)
		return reason_set(reason, -EUCLEAN, "the journal's tables are damaged");
	r = decode_content(j, content);
	return r ? reason_set(reason, r,
			      r == -ENOMEM ? "no memory to read the journal"
					   : "the journal's moves make no sense")
		 : 0;
}

int journal_open(const struct relocation *rel, struct journal *j, struct reason *reason)
{
	int r;

	memset(j, 0, sizeof(*j));
	r = read_header(rel, j, reason);
	if (!r)
		r = check_owner(rel, j, reason);
	if (!r)
		r = read_moves_and_tables(rel, j, reason);
	if (r < 0)
		journal_free(j);
	return r;
}

int draw_random(void *to, size_t size, struct reason *reason)
{
	if (getrandom(to, size, 0) == (ssize_t)size)
		return 0;
	return reason_set(reason, -errno, "cannot get random bytes: %s", strerror(errno));
}

int journal_newest(struct io *io, uint64_t base, const struct journal *j, uint8_t *block,
		   struct record *newest, int *slot)
{
	struct record record;

	*newest = (struct record){ 0 };
	*slot = -1;
	for (int i = 0; i < 2; i++) {
		int r = io_read(io, block, JOURNAL_BLOCK, base + slot_offset(i));

		if (r < 0) {
			*slot = i;
			return r;
		}
		/* No valid record has the sequence 0. */
		if (!decode_record(j, block, &record) || record.sequence <= newest->sequence)
			continue;
		*newest = record;
		*slot = i;
	}
	return 0;
}

bool is_half_way(const struct record *record)
{
	if (record->kind == RECORD_FRONTIER)
		return record->move || record->lo || record->sills;
	return record->kind == RECORD_ROUND || record->kind == RECORD_HALVES ||
	       (record->kind == RECORD_END && record->is_new);
}

int is_journal_half_way(struct io *io, uint64_t base)
{
	autofree uint8_t *block = io_alloc(JOURNAL_BLOCK);
	struct journal j;
	struct record newest;
	int slot, r = block ? io_read(io, block, JOURNAL_BLOCK, base) : -ENOMEM;

	if (r < 0 || !decode_header(block, JOURNAL_BLOCK, &j) || j.is_begun)
		return r;
	r = journal_newest(io, base, &j, block, &newest, &slot);
	return r < 0 ? r : is_half_way(&newest);
}
