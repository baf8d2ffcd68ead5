// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads a GPT: the primary copy behind the MBR and the backup at the end, for whatever sector size
 * it was written. Both are always examined, because a disk that works from its primary tells nobody
 * that its backup is gone. The first whole one, primary before backup, is what we list.
 */
#include "internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gpt_copy {
	uint64_t lba;
	enum gpt_fault fault;
	int error; /* -errno for the _UNREADABLE ones */
	struct gpt_header header;
	uint8_t *array; /* only where fault is GPT_OK */
};

struct gpt {
	struct source *source;
	struct layout *layout;
	const struct mbr *mbr;
	uint32_t sector;
	uint64_t last_lba; /* of the disk */
	struct gpt_copy primary, backup;
};

static int read_header(struct source *source, uint32_t sector, uint64_t lba, struct gpt_copy *copy)
{
	uint8_t bytes[4096];
	uint64_t offset;

	*copy = (struct gpt_copy){ .lba = lba, .fault = GPT_PAST_END };
	if (!mul_u64(lba, sector, &offset))
		return 0;
	copy->error = source_read(source, bytes, sector, offset);
	if (copy->error == -ENODATA)
		return 0;
	copy->fault =
		copy->error ? GPT_UNREADABLE : decode_gpt_header(bytes, sector, lba, &copy->header);
	return 0;
}

/* Header and array of one copy. 0 or -ENOMEM; what is wrong with it is in copy->fault. */
static int read_copy(struct source *source, uint32_t sector, uint64_t lba, struct gpt_copy *copy)
{
	int r = read_header(source, sector, lba, copy);
	uint64_t offset;

	if (r < 0 || copy->fault != GPT_OK)
		return r;

	size_t bytes = (size_t)copy->header.entry_count * copy->header.entry_size;
	uint64_t end;

	copy->fault = GPT_ARRAY_PAST_END;
	if (!mul_u64(copy->header.entries_lba, sector, &offset) || !add_u64(offset, bytes, &end) ||
	    end > source->io->size)
		return 0;

	uint8_t *array = malloc(bytes);

	if (!array)
		return -ENOMEM;
	copy->error = source_read(source, array, bytes, offset);
	copy->fault = copy->error ? GPT_ARRAY_UNREADABLE : check_gpt_array(&copy->header, array);
	if (copy->fault == GPT_OK)
		copy->array = array;
	else
		free(array);
	return 0;
}

/* The header can be believed even where its array cannot. */
static bool has_header(const struct gpt_copy *copy)
{
	return copy->fault == GPT_OK || copy->fault >= GPT_ARRAY_PAST_END;
}

static bool is_same_table(const struct gpt_header *a, const struct gpt_header *b)
{
	return !memcmp(a->disk_guid, b->disk_guid, sizeof(a->disk_guid)) &&
	       a->first_usable_lba == b->first_usable_lba &&
	       a->last_usable_lba == b->last_usable_lba && a->entry_count == b->entry_count &&
	       a->entry_size == b->entry_size && a->entries_crc == b->entries_crc;
}

/*
 * The backup is where the primary says; where that is no good, in the last sector, where it
 * belongs. *also_last: a second, different copy lies there.
 */
static int read_backup(struct gpt *g, bool *also_last)
{
	uint64_t named = g->primary.header.alternate_lba;
	bool believed = has_header(&g->primary) || g->primary.fault == GPT_BAD_CRC;
	struct gpt_copy last;
	int r;

	*also_last = false;
	if (!believed || named <= 1 || named == g->last_lba)
		return read_copy(g->source, g->sector, g->last_lba, &g->backup);
	r = read_copy(g->source, g->sector, named, &g->backup);
	if (r < 0)
		return r;
	r = read_copy(g->source, g->sector, g->last_lba, &last);
	if (r < 0)
		return r;
	if (last.fault == GPT_OK && g->backup.fault != GPT_OK) {
		free(g->backup.array);
		g->backup = last;
		return 0;
	}
	*also_last = last.fault == GPT_OK && !is_same_table(&last.header, &g->backup.header);
	free(last.array);
	return 0;
}

static void say_damage(struct gpt *g, const char *which, const struct gpt_copy *copy,
		       const char *then)
{
	findings_add(&g->layout->findings, FINDING_TABLE_DAMAGED, -1,
		     "the %s GPT at sector %" PRIu64 " %s%s%s; %s", which, copy->lba,
		     gpt_fault_text(copy->fault), copy->error ? ": " : "",
		     copy->error ? strerror(-copy->error) : "", then);
}

/* The primary is whole: is the backup, and where it should be, and the same? */
static void check_backup(struct gpt *g, bool also_last)
{
	struct findings *findings = &g->layout->findings;
	uint64_t named = g->primary.header.alternate_lba;

	if (named > g->last_lba) {
		findings_add(findings, FINDING_TABLE_DAMAGED, -1,
			     "the backup GPT at sector %" PRIu64
			     " is past the end of the disk (last sector %" PRIu64
			     "); the disk or image is cut short",
			     named, g->last_lba);
		return;
	}
	if (g->backup.fault != GPT_OK) {
		say_damage(g, "backup", &g->backup,
			   "the primary is whole; `sgdisk -e` writes the backup anew");
		return;
	}
	if (g->backup.lba != named)
		findings_add(findings, FINDING_TABLE_DAMAGED, -1,
			     "the backup GPT is in the last sector, but the primary names sector "
			     "%" PRIu64 "; `sgdisk -e` puts that right",
			     named);
	else if (named != g->last_lba)
		findings_add(findings, FINDING_BACKUP_GPT_MISPLACED, -1,
			     "the backup GPT is at sector %" PRIu64
			     ", not in the last sector %" PRIu64
			     " (a disk that has grown?); `sgdisk -e` moves it",
			     named, g->last_lba);
	if (also_last || !is_same_table(&g->primary.header, &g->backup.header) ||
	    g->backup.header.alternate_lba != g->primary.lba)
		findings_add(findings, FINDING_TABLE_DAMAGED, -1,
			     "primary and backup GPT disagree; the primary is shown; see which is "
			     "right with `sgdisk -p` and `gdisk` before anything is written");
}

/* Picks the copy to list. NULL: neither is whole. */
static const struct gpt_copy *choose_copy(struct gpt *g, bool also_last)
{
	struct findings *findings = &g->layout->findings;

	if (g->primary.fault == GPT_OK) {
		check_backup(g, also_last);
		return &g->primary;
	}
	if (g->backup.fault == GPT_OK) {
		say_damage(g, "primary", &g->primary,
			   "the backup is whole and is shown; `sgdisk -e` writes the primary anew");
		return &g->backup;
	}
	findings_add(findings, FINDING_TABLE_DAMAGED, -1,
		     "the primary GPT at sector %" PRIu64 " %s, and the backup at sector %" PRIu64
		     " %s; no partition can be told",
		     g->primary.lba, gpt_fault_text(g->primary.fault), g->backup.lba,
		     gpt_fault_text(g->backup.fault));
	return NULL;
}

/* Start and size in bytes; false: not something 64 bits can address. */
static bool place_entry(const struct gpt_entry *e, uint32_t sector, struct partition *p)
{
	uint64_t end;

	if (e->last_lba < e->first_lba || !add_u64(e->last_lba, 1, &end) ||
	    !mul_u64(end, sector, &end) || !mul_u64(e->first_lba, sector, &p->start))
		return false;
	p->size = end - p->start;
	return true;
}

static int add_entry(struct gpt *g, const struct gpt_header *h, const struct gpt_entry *e,
		     unsigned number)
{
	struct findings *findings = &g->layout->findings;
	struct partition p = {
		.number = number,
		.parent = -1,
		.table = TABLE_GPT,
		.attributes = e->attributes,
		.bootable = e->attributes >> 2 & 1, /* table 5.7: legacy BIOS bootable */
	};

	if (!place_entry(e, g->sector, &p)) {
		findings_add(findings, FINDING_TABLE_DAMAGED, -1,
			     "entry %u has the impossible extent of sectors %" PRIu64 "-%" PRIu64,
			     number, e->first_lba, e->last_lba);
		return 0;
	}
	format_guid(p.type, e->type);
	format_guid(p.uuid, e->guid);
	sanitize_utf16le(p.label, sizeof(p.label), e->name, GPT_NAME_UNITS);
	p.role = gpt_role(p.type);

	int index = layout_add(g->layout, &p);

	if (index < 0)
		return index;
	/* Past the end of the disk is said elsewhere, with how much. */
	if (e->first_lba < h->first_usable_lba ||
	    (e->last_lba > h->last_usable_lba && e->last_lba <= g->last_lba))
		findings_add(findings, FINDING_TABLE_DAMAGED, index,
			     "sectors %" PRIu64 "-%" PRIu64
			     " leave the usable area of the GPT (%" PRIu64 "-%" PRIu64 ")",
			     e->first_lba, e->last_lba, h->first_usable_lba, h->last_usable_lba);
	return 0;
}

static int add_entries(struct gpt *g, const struct gpt_copy *copy)
{
	const struct gpt_header *h = &copy->header;
	uint64_t end;

	format_guid(g->layout->id, h->disk_guid);
	if (mul_u64(h->first_usable_lba, g->sector, &g->layout->first_usable) &&
	    add_u64(h->last_usable_lba, 1, &end))
		mul_u64(end, g->sector, &g->layout->last_usable);
	for (uint32_t i = 0; i < h->entry_count; i++) {
		struct gpt_entry e;

		if (!decode_gpt_entry(copy->array + (size_t)i * h->entry_size, &e))
			continue;

		int r = add_entry(g, h, &e, i + 1);

		if (r < 0)
			return r == -E2BIG ? 0 : r;
	}
	return 0;
}

/* Which GPT partition has exactly this extent; NULL: none. */
static const struct partition *find_same(const struct layout *layout, const struct partition *p)
{
	for (size_t i = 0; i < layout->count; i++)
		if (layout->partitions[i].start == p->start &&
		    layout->partitions[i].size == p->size)
			return &layout->partitions[i];
	return NULL;
}

/* Both views of a number: what the MBR says it is, and what the GPT does. */
static void say_contradiction(struct gpt *g, const struct mbr_entry *e, unsigned number)
{
	const struct layout *layout = g->layout;
	int index = find_partition(layout, number);
	char other[80] = "has no partition of that number";

	if (index >= 0) {
		const struct partition *q = &layout->partitions[index];

		snprintf(other, sizeof(other), "has %" PRIu64 "-%" PRIu64 " for that number",
			 q->start / g->sector, (q->start + q->size) / g->sector - 1);
	}
	findings_add(&g->layout->findings, FINDING_HYBRID_MBR_CONTRADICTS, -1,
		     "hybrid MBR: its entry %u has sectors %u-%" PRIu64
		     ", which is no partition of the GPT; the GPT %s",
		     number, e->start_lba, (uint64_t)e->start_lba + e->sectors - 1, other);
}

/* The MBR's other entries beside the protective one: the same partitions, or another story? */
static void check_hybrid(struct gpt *g)
{
	struct findings *findings = &g->layout->findings;
	bool contradicts = false;

	for (unsigned i = 0; i < MBR_ENTRIES; i++) {
		const struct mbr_entry *e = &g->mbr->entries[i];
		struct partition p;

		if (!is_used_entry(e) || e->type == 0xee)
			continue;
		set_mbr_partition(&p, e, 0, i + 1, 0, g->sector);
		g->layout->hybrid = true;
		if (find_same(g->layout, &p))
			continue;
		contradicts = true;
		say_contradiction(g, e, i + 1);
	}
	if (g->layout->hybrid && !contradicts)
		findings_add(findings, FINDING_HYBRID_MBR, -1,
			     "hybrid MBR: its entries name the same partitions as the GPT; tools "
			     "that write only one of the two make them disagree");
}

static void check_protective(struct gpt *g)
{
	struct findings *findings = &g->layout->findings;
	bool valid, any = has_protective_entry(g->mbr, &valid);

	if (!g->mbr->has_signature || !any)
		findings_add(findings, FINDING_TABLE_DAMAGED, -1,
			     "sector 0 has no protective entry for the GPT, so the kernel ignores "
			     "the GPT; `sgdisk -e` writes one");
	else if (!valid)
		findings_add(findings, FINDING_TABLE_DAMAGED, -1,
			     "the protective entry in sector 0 does not start at sector 1, so the "
			     "kernel ignores the GPT");
	if (g->mbr->has_signature)
		check_hybrid(g);
}

static int list_gpt(struct gpt *g)
{
	bool also_last;
	int r = read_copy(g->source, g->sector, 1, &g->primary);

	if (r < 0)
		return r;
	r = read_backup(g, &also_last);
	if (r < 0)
		return r;

	const struct gpt_copy *copy = choose_copy(g, also_last);

	if (copy) {
		r = add_entries(g, copy);
		if (r < 0)
			return r;
		if (copy->header.last_usable_lba > g->last_lba &&
		    copy->header.alternate_lba <= g->last_lba)
			findings_add(&g->layout->findings, FINDING_TABLE_DAMAGED, -1,
				     "the usable area of the GPT reaches past the end of the disk");
	}
	check_protective(g);
	return 0;
}

/* A bit for each of sector_sizes[] for which a whole header lies at `lba` (0: in the last sector).
 */
static unsigned find_headers(struct source *source, bool at_end, unsigned *signatures)
{
	unsigned found = 0;

	*signatures = 0;
	for (unsigned i = 0; i < SECTOR_SIZES; i++) {
		uint64_t sectors = source->io->size / sector_sizes[i];
		struct gpt_copy copy;

		if (sectors < 2)
			continue;
		read_header(source, sector_sizes[i], at_end ? sectors - 1 : 1, &copy);
		if (copy.fault == GPT_OK)
			found |= 1U << i;
		if (copy.fault != GPT_PAST_END && copy.fault != GPT_NO_SIGNATURE &&
		    (copy.fault != GPT_UNREADABLE || sector_sizes[i] == source->device_sector))
			*signatures |= 1U << i;
	}
	return found;
}

/* The device's own sector size where it is among them, else the smallest. */
static uint32_t pick_size(const struct source *source, unsigned found)
{
	for (unsigned i = 0; i < SECTOR_SIZES; i++)
		if (found >> i & 1 && sector_sizes[i] == source->device_sector)
			return sector_sizes[i];
	return sector_sizes[__builtin_ctz(found)];
}

int read_gpt(struct source *source, const struct mbr *mbr, bool is_table, struct layout *layout)
{
	unsigned signatures, tail_signatures;
	unsigned found = find_headers(source, false, &signatures);
	bool valid, any = mbr->has_signature && has_protective_entry(mbr, &valid);
	bool protective = any && (is_table || valid);

	if (is_table && !protective && count_real_entries(mbr)) {
		if (found)
			findings_add(
				&layout->findings, FINDING_TABLE_DAMAGED, -1,
				"a GPT header lies behind an MBR that does not announce it; the "
				"MBR is shown, as the kernel goes by it; if the GPT is a "
				"leftover, `wipefs` removes it");
		return 0;
	}
	if (!found && !signatures && !protective)
		return 0;
	source_read_tail(source);
	if (!found)
		found = find_headers(source, true, &tail_signatures);
	if (!found && !signatures)
		return 0;

	struct gpt g = {
		.source = source,
		.layout = layout,
		.mbr = mbr,
		.sector = pick_size(source, found ? found : signatures),
	};

	g.last_lba = source->io->size / g.sector - 1;
	layout->type = TABLE_GPT;
	layout->sector_size = g.sector;
	layout->sector_size_proven = found;
	if (found & (found - 1))
		findings_add(&layout->findings, FINDING_TABLE_DAMAGED, -1,
			     "GPT headers for more than one sector size are whole; the one for %u "
			     "bytes is shown",
			     g.sector);
	if (g.sector != source->device_sector && !source->may_change) {
		findings_add_value(
			&layout->findings, FINDING_SECTOR_SIZE_MISMATCH, -1, g.sector,
			source->device_sector,
			"the GPT was written for sectors of %u bytes, the device has %u; "
			"its numbers mean nothing here",
			g.sector, source->device_sector);
		return 1;
	}

	int r = list_gpt(&g);

	free(g.primary.array);
	free(g.backup.array);
	return r < 0 ? r : 1;
}

int check_stray_backup(struct source *source, struct layout *layout)
{
	unsigned signatures, found;

	source_read_tail(source);
	found = find_headers(source, true, &signatures);
	if (found)
		findings_add(&layout->findings, FINDING_BACKUP_GPT_MISPLACED, -1,
			     "there is no partition table, but the last sector holds a backup GPT; "
			     "if it is a leftover, `wipefs` removes it");
	return 0;
}
