// SPDX-License-Identifier: GPL-2.0-or-later
/* One device from its name to its verdicts: probe, layout, stack, analyse. */
#include "commands.h"

#include "alignck/description.h"
#include "alignck/relocate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* An image has no sector size of its own; the one its table was written in says what it came from.
 */
static void believe_table(struct device *d, uint32_t sector_size)
{
	struct topology *t = &d->topology;

	t->logical_block_size = sector_size;
	if (d->sector_source == SOURCE_ASSUMED && sector_size >= t->physical_block_size) {
		t->physical_block_size = sector_size;
		d->sector_source = SOURCE_TABLE;
	}
}

/* Reads the table, or takes the kernel's word where there are no bytes or the table lacks the
 * partition that was named. */
static int find_layout(struct result *r, struct io *io)
{
	struct device *d = r->device;
	const struct layout_options options = {
		.sector_size = d->topology.logical_block_size,
		.may_change_sector_size = d->kind == KIND_IMAGE && !d->logical_is_user,
	};
	int err = 0;

	if (io)
		err = read_layout(io, &options, &r->layout, &r->reason);
	if (err < 0)
		return err;
	if (!io || (d->kind == KIND_PARTITION && find_partition(r->layout, d->number) < 0)) {
		/* What is wrong with the table stays said, though the kernel's list stands in. */
		for (size_t i = 0; r->layout && i < r->layout->findings.count; i++)
			if (r->layout->findings.list[i].partition < 0)
				findings_add_copy(&d->findings, &r->layout->findings.list[i]);
		layout_free(r->layout);
		err = layout_from_kernel(d->kernel_partitions, d->kernel_partition_count,
					 d->topology.logical_block_size, &r->layout);
		if (err < 0)
			return reason_set(&r->reason, err, "cannot check: %s", strerror(-err));
	}
	r->policy.only = d->kind == KIND_PARTITION ? find_partition(r->layout, d->number) : -1;
	if (options.may_change_sector_size && r->layout->sector_size_proven)
		believe_table(d, r->layout->sector_size);
	return 0;
}

/* An MBR's entry for all of the disk, as before an ISO image: what it stands for begins at byte 0.
 */
static bool stands_for_disk(const struct layout *layout, const struct partition *p)
{
	return layout->type == TABLE_DOS && p->parent < 0 &&
	       (p->role == ROLE_WHOLE || p->role == ROLE_PROTECTIVE);
}

/* Looks into everything that can hold a file system; a container's or table's own entry is none.
 * An MBR without entries before something known is no table, but boot code. */
static int find_contents(struct result *r, struct io *io)
{
	struct layout *layout = r->layout;
	uint32_t sector = r->device->topology.logical_block_size;
	int err = 0;

	r->contents = calloc(layout->count + 1, sizeof(*r->contents));
	if (!r->contents)
		return -ENOMEM;
	if (layout->type == TABLE_NONE || (layout->type == TABLE_DOS && !layout->count)) {
		err = read_content(io, 0, io->size, sector, &r->contents[0]);
		if (r->contents[0].count)
			layout->type = TABLE_NONE;
		return err;
	}
	for (size_t i = 0; i < layout->count && !err; i++) {
		const struct partition *p = &layout->partitions[i];
		struct content *content = &r->contents[i];

		if (!is_selected(layout, &r->policy, i))
			continue;
		if (p->role == ROLE_DATA)
			err = read_content(io, p->start, p->size, sector, content);
		else if (stands_for_disk(layout, p))
			err = read_content(io, 0, io->size, sector, content);
	}
	return err;
}

/*
 * While a realignment is unfinished sector 0 is a cover with one entry of type DA. Then there is
 * nothing to judge: the layout is empty and the device says what is up.
 */
static int find_cover(struct result *r, struct io *io)
{
	const struct partition *p = r->layout->partitions;
	uint8_t sector0[COVER_SIZE];
	struct cover cover;
	char size[SIZE_TEXT_MAX];
	int err;

	if (r->layout->type != TABLE_DOS || r->layout->count != 1 || strcmp(p->type, "da") != 0 ||
	    io_read(io, sector0, sizeof(sector0), 0) < 0 ||
	    !is_cover(sector0, sizeof(sector0), &cover))
		return 0;
	layout_free(r->layout);
	r->layout = NULL;
	err = layout_from_kernel(NULL, 0, r->device->topology.logical_block_size, &r->layout);
	if (err < 0)
		return reason_set(&r->reason, err, "cannot check: %s", strerror(-err));
	r->layout->type = TABLE_NONE;
	if (cover.in_gap)
		findings_add(
			&r->layout->findings, FINDING_UNFINISHED_REALIGNMENT, -1,
			"a realignment is unfinished; its partitions are hidden, its journal is"
			" on the disk itself, %s from its start",
			format_size(size, cover.journal_base));
	else
		findings_add(
			&r->layout->findings, FINDING_UNFINISHED_REALIGNMENT, -1,
			"a realignment is unfinished; its partitions are hidden, its journal is"
			" %.150s",
			cover.journal_name);
	return 1;
}

/* How far the entries go: what a disk for this table has at least. */
static uint64_t reach_of(const struct layout *layout)
{
	uint64_t reach = 0;

	for (size_t i = 0; i < layout->count; i++) {
		uint64_t end = layout->partitions[i].start + layout->partitions[i].size;

		if (end > reach)
			reach = end;
	}
	return reach;
}

/*
 * A file may be a table written down as text rather than an image of a disk: 1. Then there are no
 * bytes to look into, and nothing to move.
 */
static int find_description(struct result *r, struct io *io)
{
	struct device *d = r->device;
	char head[4096];
	size_t len = io->size < sizeof(head) ? io->size : sizeof(head);
	uint32_t sector = d->logical_is_user ? (uint32_t)d->topology.logical_block_size : 0;
	uint64_t size;
	int err;

	if (d->kind != KIND_IMAGE || io->size > DESCRIPTION_MAX || io_read(io, head, len, 0) < 0)
		return 0;
	if (!is_description(head, len))
		return is_text(head, len) ? reason_set(&r->reason, -EINVAL,
						       "is a text, but no table that is understood")
					  : 0;
	r->description_len = io->size;
	r->description = malloc(io->size);
	if (!r->description)
		return reason_set(&r->reason, -ENOMEM, "no memory");
	err = io_read(io, r->description, io->size, 0);
	if (err)
		return reason_set(&r->reason, err, "cannot read it: %s", strerror(-err));
	err = read_description(r->description, io->size, sector, &r->layout, &size,
			       &r->is_size_known, &r->reason);
	if (err)
		return err;
	d->kind = KIND_TABLE;
	d->size = reach_of(r->layout);
	if (size > d->size)
		d->size = size;
	r->policy.only = -1;
	believe_table(d, r->layout->sector_size);
	return 1;
}

int examine(struct result *r, const struct probe_options *options, struct io **kept)
{
	autoio struct io *io = NULL;
	int err = probe_device(r->path, options, &r->device, &io, &r->reason);

	if (err < 0)
		return err;
	err = io ? find_description(r, io) : 0;
	if (err > 0) {
		io_close(io);
		io = NULL;
	}
	if (!err)
		err = find_layout(r, io);
	if (err < 0)
		return err;
	if (io) {
		err = find_cover(r, io);
		if (err < 0)
			return err;
		err = err ? 0 : find_contents(r, io);
	}
	if (err >= 0)
		err = analyse(r->device, r->layout, r->contents, &r->policy, &r->analysis);
	if (err < 0)
		return reason_set(&r->reason, err, "cannot check: %s", strerror(-err));
	if (kept) {
		*kept = io;
		io = NULL;
	}
	return 0;
}

void free_result(struct result *r)
{
	free(r->text);
	for (size_t i = 0; r->contents && i <= r->layout->count; i++)
		content_free(&r->contents[i]);
	free(r->contents);
	free(r->description);
	plan_free(r->plan);
	analysis_free(r->analysis);
	layout_free(r->layout);
	device_free(r->device);
}
