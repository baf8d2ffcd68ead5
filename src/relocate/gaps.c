// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The space between partitions. A gap that is not all zeros may hold a boot loader, a fake RAID's
 * metadata or a lost partition: it is not free, whatever the table says.
 */
#include "alignck/relocate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK MIB
#define BLOCK 4096
#define SEARCHED_MAX                                                                               \
	GIB /* of each gap, for a journal: it lies where the gap begins or soon after */

/* All that the layout names: partitions' data and EBRs; sorted. A container is only its EBRs. */
static int list_named(const struct layout *layout, struct extent_list *out)
{
	int err = 0;

	for (size_t i = 0; i < layout->count && !err; i++) {
		const struct partition *p = &layout->partitions[i];
		uint64_t size = p->role == ROLE_EXTENDED ? layout->sector_size : p->size, end;

		if (add_u64(p->start, size, &end))
			err = extent_list_add(out, p->start, end);
		if (!err && p->ebr)
			err = extent_list_add(out, p->ebr, p->ebr + layout->sector_size);
	}
	extent_list_sort(out);
	return err;
}

static bool is_zero(const uint8_t *bytes, size_t len)
{
	return !len || (!bytes[0] && !memcmp(bytes, bytes + 1, len - 1));
}

/* First byte of the first block in `gap` that is not zero; gap.end: none. */
static int find_data(struct io *disk, struct extent gap, uint8_t *buf, uint64_t *found)
{
	for (uint64_t at = gap.start; at < gap.end;) {
		size_t len = gap.end - at < CHUNK ? gap.end - at : CHUNK;
		int err = io_read(disk, buf, len, at);

		if (err < 0)
			return err;
		for (size_t i = 0; i < len; i += BLOCK) {
			size_t n = len - i < BLOCK ? len - i : BLOCK;

			if (!is_zero(buf + i, n)) {
				*found = at + i;
				return 0;
			}
		}
		at += len;
	}
	*found = gap.end;
	return 0;
}

/* An earlier journal of ours, finished, may be written over. */
static bool is_our_journal(struct io *disk, uint64_t at)
{
	uint8_t block[BLOCK];

	return io_read(disk, block, sizeof(block), at) == 0 &&
	       is_journal_header(block, sizeof(block), NULL);
}

static int check_gap(struct io *disk, struct extent gap, bool for_journal, uint8_t *buf,
		     struct extent_list *used)
{
	uint64_t at;
	int err;

	if (for_journal && is_our_journal(disk, gap.start))
		return 0;
	err = find_data(disk, gap, buf, &at);
	return err || at == gap.end ? err : extent_list_add(used, at, gap.end);
}

int find_used_gaps(struct io *disk, const struct layout *layout, const struct plan *plan,
		   struct extent **list, size_t *count)
{
	struct extent_list named = { 0 }, gaps = { 0 }, used = { 0 };
	autofree uint8_t *buf = malloc(CHUNK);
	int err = buf ? list_named(layout, &named) : -ENOMEM;

	for (size_t i = 0; i < plan->place_count && !err; i++) {
		const struct plan_place *q = &plan->places[i];

		if (layout->partitions[i].role != ROLE_EXTENDED)
			err = extent_list_add_rest(
				&gaps, (struct extent){ q->start, q->start + q->size }, &named);
		if (!err && q->ebr)
			err = extent_list_add_rest(
				&gaps, (struct extent){ q->ebr, q->ebr + layout->sector_size },
				&named);
	}
	for (size_t i = 0; i < gaps.count && !err; i++)
		err = check_gap(disk, gaps.list[i], false, buf, &used);
	if (!err && plan->journal == JOURNAL_GAP)
		err = check_gap(disk,
				(struct extent){ plan->journal_start,
						 plan->journal_start + plan->journal_bytes },
				true, buf, &used);
	free(named.list);
	free(gaps.list);
	if (err) {
		free(used.list);
		return err;
	}
	*list = used.list;
	*count = used.count;
	return 0;
}

static int search_gap(struct io *disk, struct extent gap, uint64_t from, uint8_t *buf,
		      uint64_t *found)
{
	uint64_t at;

	if (gap.end - gap.start > SEARCHED_MAX)
		gap.end = gap.start + SEARCHED_MAX;
	if (!round_up_to(gap.start > from ? gap.start : from, BLOCK, &at))
		return -ENOENT;
	for (; at + BLOCK <= gap.end; at += CHUNK) {
		size_t len = gap.end - at < CHUNK ? gap.end - at : CHUNK;
		int err = io_read(disk, buf, len, at);

		if (err < 0)
			return err;
		for (size_t i = 0; i + BLOCK <= len; i += BLOCK)
			if (is_journal_header(buf + i, BLOCK, NULL)) {
				*found = at + i;
				return 0;
			}
	}
	return -ENOENT;
}

int find_gap_journal(struct io *disk, const struct layout *layout, uint64_t from, uint64_t *base)
{
	struct extent_list named = { 0 }, gaps = { 0 };
	autofree uint8_t *buf = malloc(CHUNK);
	int err = buf ? list_named(layout, &named) : -ENOMEM, result = -ENOENT;

	if (!err)
		err = extent_list_add_rest(&gaps, (struct extent){ 0, disk->size }, &named);
	for (size_t i = 0; i < gaps.count && !err && result == -ENOENT; i++)
		result = search_gap(disk, gaps.list[i], from, buf, base);
	free(named.list);
	free(gaps.list);
	return err ? err : result;
}
