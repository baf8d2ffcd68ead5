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

static bool is_bsd_type(uint8_t type)
{
	return type == 0xa5 || type == 0xa6 || type == 0xa9;
}

static int add_primaries(const struct mbr *mbr, struct layout *layout)
{
	for (unsigned i = 0; i < MBR_ENTRIES; i++) {
		struct partition p;

		if (!is_used_entry(&mbr->entries[i]))
			continue;
		set_mbr_partition(&p, &mbr->entries[i], mbr->disk_id, i + 1, 0,
				  layout->sector_size);

		int index = layout_add(layout, &p);

		if (index < 0)
			return index;
		if (p.role == ROLE_PROTECTIVE)
			findings_add(
				&layout->findings, FINDING_TABLE_DAMAGED, index,
				"a protective entry without a GPT; if there should be one, `gdisk` "
				"may find it, else `wipefs` removes the entry");
		/* BSD's "dangerously dedicated" disks do that on purpose. */
		if (!p.start && !is_bsd_type(mbr->entries[i].type))
			findings_add(&layout->findings, FINDING_TABLE_DAMAGED, index,
				     "starts at sector 0, over the table itself");
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

	int r = add_primaries(mbr, layout);
	size_t primaries = layout->count;

	for (size_t i = 0; !r && i < primaries; i++)
		if (layout->partitions[i].role == ROLE_EXTENDED && layout->partitions[i].start)
			r = read_logicals(source, layout, i, mbr->disk_id, &number);
	return r < 0 ? r : read_nested(source, layout, number);
}

/* No partition at all, and something that owns the whole disk: boot code beside it is no table. */
static bool is_empty_beside_content(struct source *source, const struct mbr *mbr)
{
	for (size_t i = 0; i < MBR_ENTRIES; i++)
		if (is_used_entry(&mbr->entries[i]))
			return false;
	return has_superblock(source, 0);
}

static int read_table(struct source *source, struct layout *layout)
{
	struct mbr mbr;
	bool is_table;
	int r;

	decode_mbr(source->head, &mbr);
	is_table = is_mbr(&mbr, source->head);
	r = read_gpt(source, &mbr, is_table, layout);
	if (r)
		return r < 0 ? r : 0;
	if (is_table && !is_empty_beside_content(source, &mbr))
		return read_mbr(source, &mbr, guess_mbr_unit(source, &mbr), layout);
	r = read_foreign(source, layout, !mbr.has_signature && !has_superblock(source, 0));
	if (r < 0 || layout->type != TABLE_NONE)
		return r;
	return check_stray_backup(source, layout);
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
