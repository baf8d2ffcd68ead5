// SPDX-License-Identifier: GPL-2.0-or-later
#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* The calls a batch is made of. Each names what failed, once, where it is known. */

static int fail(struct run *run, int err, const char *what, uint64_t offset)
{
	return reason_set(run->reason, err, "cannot %s at byte %" PRIu64 ": %s", what, offset,
			  strerror(-err));
}

uint32_t sector_of(const struct run *run)
{
	uint32_t unit = run->journal.logical_sector_size;

	if (!unit)
		unit = run->rel->logical_sector_size;
	return unit ? unit : 512;
}

static int fail_disk(struct run *run, int err, const char *what, uint64_t offset)
{
	return reason_set(run->reason, err,
			  "cannot %s the disk at sector %" PRIu64 " (byte %" PRIu64 "): %s", what,
			  offset / sector_of(run), offset, strerror(-err));
}

uint64_t find_bad_sector(struct run *run, void *buf, uint64_t len, uint64_t offset)
{
	uint32_t unit = sector_of(run);

	for (uint64_t i = 0; i < len; i += unit)
		if (io_read(run->rel->disk, buf, min_u64(len - i, unit), offset + i) < 0)
			return offset + i;
	return offset;
}

int read_disk(struct run *run, void *buf, uint64_t len, uint64_t offset)
{
	int r = io_read(run->rel->disk, buf, len, offset);

	return r < 0 ? fail_disk(run, r, "read", find_bad_sector(run, buf, len, offset)) : 0;
}

int write_disk(struct run *run, const void *buf, uint64_t len, uint64_t offset)
{
	int r = io_write(run->rel->disk, buf, len, offset);

	return r < 0 ? fail_disk(run, r, "write", offset) : 0;
}

static bool is_zero(const uint8_t *p, uint64_t len)
{
	return !p[0] && !memcmp(p, p + 1, len - 1);
}

/* How many of the `len` bytes can be one hole: whole units of zeros, 0 when the first is not. */
static uint64_t hole_length(const uint8_t *buf, uint64_t len, uint64_t offset, uint32_t unit)
{
	uint64_t hole = 0;

	if (offset % unit)
		return 0;
	while (len - hole >= unit && is_zero(buf + hole, unit))
		hole += unit;
	return hole;
}

int write_data(struct run *run, const uint8_t *buf, uint64_t len, uint64_t offset)
{
	uint32_t unit = run->rel->hole_unit;
	uint64_t plain = 0; /* bytes before `buf + plain` still to be written as they are */

	while (unit && plain < len) {
		uint64_t at = offset + plain;
		uint64_t hole = hole_length(buf + plain, len - plain, at, unit);
		int r;

		if (!hole) {
			plain += unit - at % unit;
			continue;
		}
		r = io_punch(run->rel->disk, hole, at);
		if (r == -EOPNOTSUPP)
			break;
		if (r < 0)
			return fail(run, r, "punch a hole", at);
		r = plain ? write_disk(run, buf, plain, offset) : 0;
		if (r < 0)
			return r;
		buf += plain + hole;
		len -= plain + hole;
		offset += plain + hole;
		plain = 0;
	}
	return len ? write_disk(run, buf, len, offset) : 0;
}

int read_journal(struct run *run, void *buf, uint64_t len, uint64_t offset)
{
	int r = io_read(run->rel->journal, buf, len, run->rel->journal_base + offset);

	return r < 0 ? fail(run, r, "read the journal", offset) : 0;
}

int write_journal(struct run *run, const void *buf, uint64_t len, uint64_t offset)
{
	int r = io_write(run->rel->journal, buf, len, run->rel->journal_base + offset);

	return r < 0 ? fail(run, r, "write the journal", offset) : 0;
}

int flush_both(struct run *run)
{
	int r = io_flush(run->rel->disk);

	if (r < 0)
		return reason_set(run->reason, r, "cannot flush the disk: %s", strerror(-r));
	if (run->rel->journal == run->rel->disk)
		return 0;
	r = io_flush(run->rel->journal);
	if (r < 0)
		return reason_set(run->reason, r, "cannot flush the journal: %s", strerror(-r));
	return 0;
}

int sum_journal(struct run *run, uint64_t offset, uint64_t len, uint64_t *sum)
{
	struct sum64 state;

	sum64_begin(&state, run->journal.seed);
	while (len) {
		uint64_t part = min_u64(len, run->window_max);
		int r = read_journal(run, run->buffer[0], part, offset);

		if (r < 0)
			return r;
		sum64_add(&state, run->buffer[0], part);
		offset += part;
		len -= part;
	}
	*sum = sum64_end(&state);
	return 0;
}

int read_records(struct run *run)
{
	int r = journal_newest(run->rel->journal, run->rel->journal_base, &run->journal, run->block,
			       &run->newest, &run->newest_slot);

	if (r < 0)
		return fail(run, r, "read the journal", slot_offset(run->newest_slot));
	if (run->newest_slot < 0)
		return reason_set(run->reason, -EUCLEAN, "the journal has no valid record");
	return 0;
}

int write_record(struct run *run, struct record *record)
{
	int slot = 1 - run->newest_slot, r;

	record->sequence = run->newest.sequence + 1;
	record->turn = run->cover.turn;
	if (record->sills)
		record->sills_sum = run->sills_sum;
	encode_record(&run->journal, record, run->block);
	r = write_journal(run, run->block, JOURNAL_BLOCK, slot_offset(slot));
	if (r < 0)
		return r;
	run->newest = *record;
	run->newest_slot = slot;
	return 0;
}

int write_frontier(struct run *run, struct frontier at)
{
	struct record record = {
		.kind = RECORD_FRONTIER, .move = at.move, .lo = at.done, .sills = at.sills
	};
	int r = write_record(run, &record);

	return r < 0 ? r : flush_both(run);
}
