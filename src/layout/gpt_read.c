// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads a GPT: the primary copy behind the MBR and the backup at the end, for whatever sector size
 * it was written. Both are always examined, because a disk that works from its primary tells nobody
 * that its backup is gone. The first whole one, primary before backup, is what we list.
 */
#include "internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void read_gpt_header(struct source *source, uint32_t sector, uint64_t lba, struct gpt_copy *copy)
{
	uint8_t bytes[4096];
	uint64_t offset;

	*copy = (struct gpt_copy){ .lba = lba, .fault = GPT_PAST_END };
	if (!mul_u64(lba, sector, &offset))
		return;
	copy->error = source_read(source, bytes, sector, offset);
	if (copy->error == -ENODATA)
		return;
	copy->fault =
		copy->error ? GPT_UNREADABLE : decode_gpt_header(bytes, sector, lba, &copy->header);
}

/* A checksum costs more than all else here. Bytes equal to a whole array's have its checksum. */
static enum gpt_fault check_array(const struct gpt_copy *copy, const uint8_t *array, size_t bytes,
				  const struct gpt_copy *twin)
{
	const struct gpt_header *h = &copy->header;

	if (twin && twin->array &&
	    (size_t)twin->header.entry_count * twin->header.entry_size == bytes &&
	    !memcmp(twin->array, array, bytes))
		return h->entries_crc == twin->header.entries_crc ? GPT_OK : GPT_BAD_ARRAY_CRC;
	return check_gpt_array(h, array);
}

/* Header and array of one copy; `twin` is one that was read before, or NULL. 0 or -ENOMEM; what is
 * wrong with it is in copy->fault. */
static int read_copy(struct source *source, uint32_t sector, uint64_t lba,
		     const struct gpt_copy *twin, struct gpt_copy *copy)
{
	uint64_t offset;

	read_gpt_header(source, sector, lba, copy);
	if (copy->fault != GPT_OK)
		return 0;

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
	copy->fault = copy->error ? GPT_ARRAY_UNREADABLE : check_array(copy, array, bytes, twin);
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
		return read_copy(g->source, g->sector, g->last_lba, &g->primary, &g->backup);
	r = read_copy(g->source, g->sector, named, &g->primary, &g->backup);
	if (r < 0)
		return r;
	r = read_copy(g->source, g->sector, g->last_lba, &g->primary, &last);
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
			   "the primary is whole; `sfdisk --relocate gpt-bak-std` writes the "
			   "backup anew");
		return;
	}
	if (g->backup.lba != named)
		findings_add(findings, FINDING_TABLE_DAMAGED, -1,
			     "the backup GPT is in the last sector, but the primary names sector "
			     "%" PRIu64 "; `sfdisk --relocate gpt-bak-std` puts that right",
			     named);
	else if (named != g->last_lba)
		findings_add(findings, FINDING_BACKUP_GPT_MISPLACED, -1,
			     "the backup GPT is at sector %" PRIu64
			     ", not in the last sector %" PRIu64
			     " (a disk that has grown?); `sfdisk --relocate gpt-bak-std` moves it",
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
		bool announced;

		/* sgdisk asks questions where sector 0 is damaged as well; libfdisk believes in no
		 * backup there, nor in one that is not in the last sector. */
		has_protective_entry(g->mbr, &announced);
		say_damage(
			g, "primary", &g->primary,
			announced && g->mbr->has_signature
				? "the backup is whole and is shown; `sgdisk -C` writes the "
				  "primary anew"
				: "the backup is whole and is shown; `gdisk` rebuilds the primary "
				  "from it (answer 1, then r, b, w)");
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

/* The usable area has its place between the tables. Where the disk is cut short that is said. */
static void check_usable(struct gpt *g, const struct gpt_header *h)
{
	uint64_t bytes = (uint64_t)h->entry_count * h->entry_size;
	uint64_t last = h->entries_lba + (bytes - 1) / g->sector;

	if (last >= h->first_usable_lba && h->entries_lba <= h->last_usable_lba)
		findings_add(&g->layout->findings, FINDING_TABLE_DAMAGED, -1,
			     "the usable area of the GPT (sectors %" PRIu64 "-%" PRIu64
			     ") covers its own entries (%" PRIu64 "-%" PRIu64 ")",
			     h->first_usable_lba, h->last_usable_lba, h->entries_lba, last);
	if (h->last_usable_lba > g->last_lba && h->alternate_lba <= g->last_lba)
		findings_add(&g->layout->findings, FINDING_TABLE_DAMAGED, -1,
			     "the usable area of the GPT reaches past the end of the disk");
}

int list_gpt(struct gpt *g)
{
	bool also_last;
	int r = read_copy(g->source, g->sector, 1, NULL, &g->primary);

	if (r < 0)
		return r;
	r = read_backup(g, &also_last);
	if (r < 0)
		return r;

	const struct gpt_copy *copy = choose_copy(g, also_last);

	if (!copy)
		return 0;
	r = add_entries(g, copy);
	if (r < 0)
		return r;
	check_usable(g, &copy->header);
	check_protective(g);
	return 0;
}
