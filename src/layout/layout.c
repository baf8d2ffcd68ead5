// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The way through: both ends of the disk are looked at, GPT before MBR before everything else, and
 * what was listed is checked. A plain MBR or GPT never touches libblkid.
 */
#include "internal.h"

#include "alignck/probe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int layout_add(struct layout *layout, const struct partition *partition)
{
	size_t n = layout->count;

	if (n == LAYOUT_PARTITIONS_MAX) {
		findings_add(&layout->findings, FINDING_TABLE_DAMAGED, -1,
			     "the table names more than %d partitions; the rest is not looked at",
			     LAYOUT_PARTITIONS_MAX);
		return -E2BIG;
	}
	/* Room doubles at 4, 8, 16 ...: no capacity to keep. */
	if (!n || (n >= 4 && is_power_of_two(n))) {
		void *more = reallocarray(layout->partitions, n ? 2 * n : 4,
					  sizeof(*layout->partitions));

		if (!more)
			return -ENOMEM;
		layout->partitions = more;
	}
	layout->partitions[n] = *partition;
	layout->count++;
	return n;
}

/*
 * Entries that are no place for data although their type says so: xorriso's cd covers an ISO image
 * from sector 1 to protect it, isohybrid's first entry covers it from sector 0. Else an entry at
 * sector 0 lies over the table itself, but for BSD's "dangerously dedicated" disks.
 */
static void judge_odd_start(struct source *source, const struct mbr_entry *e, struct partition *p,
			    struct findings *findings, int index)
{
	if (e->start_lba > 1 || (e->start_lba == 1 && e->type != 0xcd))
		return;
	if (is_iso9660(source))
		p->role = e->start_lba ? ROLE_PROTECTIVE : ROLE_WHOLE;
	else if (!e->start_lba && e->type != 0xa5 && e->type != 0xa6 && e->type != 0xa9)
		findings_add(findings, FINDING_TABLE_DAMAGED, index,
			     "starts at sector 0, over the table itself");
}

static int add_primaries(struct source *source, const struct mbr *mbr, struct layout *layout)
{
	for (unsigned i = 0; i < MBR_ENTRIES; i++) {
		const struct mbr_entry *e = &mbr->entries[i];
		struct partition p;

		if (!is_used_entry(e))
			continue;
		set_mbr_partition(&p, e, mbr->disk_id, i + 1, 0, layout->sector_size);

		int index = layout_add(layout, &p);

		if (index < 0)
			return index;
		judge_odd_start(source, e, &layout->partitions[index], &layout->findings, index);
		if (e->type == 0xee)
			findings_add(
				&layout->findings, FINDING_TABLE_DAMAGED, index,
				"a protective entry without a GPT; if there was one, `gdisk` or "
				"`testdisk` may find it; else `wipefs --force -a -t PMBR` "
				"removes the entry");
	}
	return 0;
}

int read_mbr(struct source *source, const struct mbr *mbr, uint32_t sector_size,
	     struct layout *layout)
{
	unsigned number = MBR_ENTRIES + 1;

	layout->type = TABLE_DOS;
	layout->sector_size = sector_size;
	layout->sector_size_proven = sector_size != source->device_sector;
	snprintf(layout->id, sizeof(layout->id), "%08x", mbr->disk_id);
	if (layout->sector_size_proven && !source->may_change) {
		findings_add_value(&layout->findings, FINDING_SECTOR_SIZE_MISMATCH, -1, sector_size,
				   source->device_sector,
				   "file systems lie where the MBR counts in sectors of %u bytes, "
				   "none where it counts in %u as the device does",
				   sector_size, source->device_sector);
		return 0;
	}

	int r = add_primaries(source, mbr, layout);
	size_t primaries = layout->count;

	for (size_t i = 0; !r && i < primaries; i++)
		if (layout->partitions[i].role == ROLE_EXTENDED && layout->partitions[i].start)
			r = read_logicals(source, layout, i, mbr->disk_id, &number);
	return r < 0 ? r : read_nested(source, layout, number);
}

static int read_table(struct source *source, struct layout *layout)
{
	struct mbr mbr;
	bool is_table, is_empty, protective;
	int r;

	decode_mbr(source->head, &mbr);
	is_table = is_mbr(&mbr, source->head);
	r = read_gpt(source, &mbr, is_table, layout);
	if (r)
		return r < 0 ? r : 0;
	is_empty = !count_real_entries(&mbr) && !has_protective_entry(&mbr, &protective);
	if (is_table && !is_empty)
		return read_mbr(source, &mbr, guess_mbr_unit(source, &mbr), layout);

	/* An MBR without any partition may be mere boot code beside another label, or beside a file
	 * system or LVM that owns the whole disk. Atari's root sector has no magic to go by. */
	bool has_content = has_superblock(source, 0);

	r = read_foreign(source, layout, !mbr.has_signature && !has_content);
	if (r < 0 || layout->type != TABLE_NONE)
		return r;
	if (is_table && !has_content)
		return read_mbr(source, &mbr, source->device_sector, layout);
	check_stray_backup(source, layout);
	return 0;
}

int read_layout(struct io *io, const struct layout_options *options, struct layout **out,
		struct reason *reason)
{
	autofree struct source *source = malloc(sizeof(*source));
	struct layout *layout = calloc(1, sizeof(*layout));
	int r = -ENOMEM;

	if (!source || !layout)
		goto fail;
	source->device_sector = options->sector_size;
	source->may_change = options->may_change_sector_size;
	source->head_len = source->tail_len = 0;
	source->head_error = 0;
	r = source_open(source, io, reason);
	if (r < 0)
		goto fail_said;
	if (source->head_error)
		findings_add(&layout->findings, FINDING_TABLE_DAMAGED, -1,
			     "cannot read sector %zu: %s; part of the table may be unknown",
			     source->head_len / source->device_sector,
			     strerror(-source->head_error));
	r = read_table(source, layout);
	if (r >= 0 && layout->count)
		r = check_extents(layout, io->size);
	if (r < 0)
		goto fail;
	*out = layout;
	return 0;
fail:
	reason_set(reason, r, "cannot read the partition table: %s", strerror(-r));
fail_said:
	layout_free(layout);
	return r;
}

int layout_from_kernel(const struct kernel_partition *partitions, size_t count,
		       uint32_t sector_size, struct layout **out)
{
	struct layout *layout = calloc(1, sizeof(*layout));
	int r = 0;

	if (!layout)
		return -ENOMEM;
	layout->type = TABLE_KERNEL;
	layout->sector_size = sector_size;
	for (size_t i = 0; i < count && r >= 0; i++) {
		const struct partition p = {
			.number = partitions[i].number,
			.parent = -1,
			.start = partitions[i].start,
			.size = partitions[i].size,
			.table = TABLE_KERNEL,
		};

		r = layout_add(layout, &p);
	}
	if (r == -ENOMEM) {
		layout_free(layout);
		return r;
	}
	*out = layout;
	return 0;
}

void layout_free(struct layout *layout)
{
	if (!layout)
		return;
	findings_free(&layout->findings);
	free(layout->partitions);
	free(layout);
}

int find_partition(const struct layout *layout, unsigned number)
{
	for (size_t i = 0; i < layout->count; i++)
		if (layout->partitions[i].number == number)
			return i;
	return -1;
}
