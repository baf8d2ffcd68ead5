// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is never touched: tables that contradict themselves, labels with absolute positions that we
 * do not rewrite, contents that another system still holds a map of.
 */
#include "internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool refuse(struct plan *plan, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(plan->reason, sizeof(plan->reason), format, args);
	va_end(args);
	return false;
}

/* Findings with which a table is not to be trusted with data, and what helps. */
static const struct {
	enum finding_id id;
	const char *remedy;
} damages[] = {
	{ FINDING_UNFINISHED_REALIGNMENT, "run --resume or --undo" },
	{ FINDING_SECTOR_SIZE_MISMATCH, "attach it as it was when the table was written" },
	{ FINDING_TABLE_DAMAGED, "repair the table first" },
	{ FINDING_HYBRID_MBR, "give it a protective MBR first (gdisk: x, n)" },
	{ FINDING_HYBRID_MBR_CONTRADICTS, "decide which of the two tables is right first" },
	{ FINDING_OVERLAP, "correct the table first" },
	{ FINDING_EBR_INSIDE_DATA, "correct the table first" },
	{ FINDING_BEYOND_END, "correct the table first" },
	{ FINDING_KERNEL_DISAGREES, "let the kernel read the table again first" },
	{ FINDING_STACK_MISALIGNED, "no start can be right before the layer below is" },
};

static bool is_undamaged(const struct ground *ground, const struct findings *findings,
			 struct plan *plan)
{
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *f = &findings->list[i];

		for (size_t k = 0; k < ARRAY_SIZE(damages); k++) {
			if (f->id != damages[k].id)
				continue;
			if (f->partition >= 0 && (size_t)f->partition < ground->layout->count)
				return refuse(plan, "%s: partition %u %.120s; %s",
					      finding_name(f->id),
					      ground->layout->partitions[f->partition].number,
					      f->message, damages[k].remedy);
			return refuse(plan, "%s: %.120s; %s", finding_name(f->id), f->message,
				      damages[k].remedy);
		}
	}
	return true;
}

/* Windows dynamic disks: MBR type 42; GPT metadata and data (Microsoft, PARTITION_LDM_*_GUID). */
static bool is_dynamic(const struct partition *p)
{
	static const char *const types[] = { "42", "5808C8AA-7E8F-42E0-85D2-E1E90434CFB3",
					     "AF9B60A0-1431-4F62-BC68-3311714A69AD" };

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(p->type, types[i]))
			return true;
	return false;
}

bool may_fix(const struct ground *ground, struct plan *plan)
{
	const struct layout *layout = ground->layout;
	const struct device *device = ground->device;

	if (!is_undamaged(ground, &layout->findings, plan) ||
	    !is_undamaged(ground, &ground->analysis->findings, plan))
		return false;
	if (device->topology.alignment_offset < 0)
		return refuse(plan, "no start can be right before the layer below is aligned");
	if (layout->hybrid)
		return refuse(plan, "hybrid-mbr: the MBR beside the GPT has entries of its own;"
				    " give it a protective MBR first (gdisk: x, n)");
	if (layout->type == TABLE_KERNEL)
		return refuse(plan, "there is only a table here, no data that could be moved");
	if (layout->type == TABLE_NONE)
		return refuse(plan, "there is no partition table, so nothing that can be moved");
	if (layout->type != TABLE_DOS && layout->type != TABLE_GPT)
		return refuse(plan, "a %s table is not rewritten; only dos and gpt are",
			      table_type_name(layout->type));
	if (device->zoned && !strcmp(device->zoned, "host-managed"))
		return refuse(plan, "a host-managed zoned disk cannot be rewritten in place");
	for (size_t i = 0; i < layout->count; i++)
		if (is_dynamic(&layout->partitions[i]))
			return refuse(
				plan,
				"partition %u belongs to a Windows dynamic disk (LDM), whose"
				" database records positions; convert it to a basic disk first",
				layout->partitions[i].number);
	return true;
}

/* MBR slices whose own labels count from the start of the disk, whether we could read them or not.
 */
static const char *const label_types[] = { "63", "a5", "a6", "a9", "b7", "bf" };

/* Contents, as libblkid names them, that a move would break. */
static const struct {
	const char *type, *why;
} fixed_contents[] = {
	{ "swsuspend", "holds a suspended system; resume it or run mkswap first" },
	{ "ReFS", "holds ReFS, whose records of its position cannot be mended" },
};

static bool has_children(const struct layout *layout, size_t index)
{
	for (size_t i = 0; i < layout->count; i++)
		if (layout->partitions[i].parent == (int)index)
			return true;
	return false;
}

static const char *why_content_pinned(const struct content *content)
{
	if (!is_content_told(content))
		return "holds data whose place cannot be told, and which may make up for its start";
	if (content->ambiguous)
		return "carries two signatures; remove the stale one first (wipefs)";
	for (size_t i = 0; i < content->count; i++)
		for (size_t k = 0; k < ARRAY_SIZE(fixed_contents); k++)
			if (!strcmp(content->layers[i].type, fixed_contents[k].type))
				return fixed_contents[k].why;
	return NULL;
}

const char *why_pinned(const struct ground *ground, size_t index)
{
	const struct partition *p = &ground->layout->partitions[index];

	if (p->role == ROLE_EXTENDED)
		return "is an empty extended partition; delete it, and make it again afterwards";
	if (p->role != ROLE_DATA && p->role != ROLE_CONTAINER)
		return "has to stay where it is";
	if (p->parent >= 0 && ground->layout->partitions[p->parent].role != ROLE_EXTENDED)
		return "lies in the label of another partition, which is not rewritten";
	if (p->role == ROLE_CONTAINER || has_children(ground->layout, index))
		return "holds a label of its own, which records positions and is not rewritten";
	/* a table that is only written down has nothing in it yet */
	if (p->table == TABLE_DOS && ground->device->kind != KIND_TABLE)
		for (size_t i = 0; i < ARRAY_SIZE(label_types); i++)
			if (!strcmp(p->type, label_types[i]))
				return "is of a type whose label records positions";
	if (index < ground->analysis->count &&
	    ground->analysis->partitions[index].verdict == VERDICT_ALIGNED &&
	    bytes_past_boundary(ground, p->start))
		return "makes up for its start inside; a move would break that";
	return ground->contents ? why_content_pinned(&ground->contents[index]) : NULL;
}

/*
 * Metadata at the end of a member is found from the size of what it is in. Under the cover the disk
 * shows no partitions, so the end of the last one is looked at as the end of the disk.
 */
static uint64_t at_md_090(uint64_t size) /* md_p.h: MD_NEW_SIZE_SECTORS */
{
	return size < 128 * KIB ? UINT64_MAX : round_down_to(size, 64 * KIB) - 64 * KIB;
}

static uint64_t at_md_10(uint64_t size) /* mdadm super1.c: 8 KiB before the end, 4 KiB aligned */
{
	return size < 16 * KIB ? UINT64_MAX : round_down_to(size - 8 * KIB, 4 * KIB);
}

static uint64_t at_zfs(uint64_t size) /* vdev_label.c: labels 2 and 3 in the last 512 KiB */
{
	return size < MIB ? UINT64_MAX : round_down_to(size, 256 * KIB) - 512 * KIB;
}

static uint64_t at_last_sector(uint64_t size) /* fake RAID: in one of the last sectors */
{
	return size < 64 * KIB ? UINT64_MAX : round_down_to(size, 64 * KIB);
}

static const struct {
	const char *type; /* the end of libblkid's name */
	uint64_t (*place)(uint64_t size);
} end_metadata[] = {
	{ "linux_raid_member", at_md_090 },
	{ "linux_raid_member", at_md_10 },
	{ "zfs_member", at_zfs },
	{ "_raid_member", at_last_sector },
};

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

/* md 1.1 and 1.2 begin with their superblock: their data starts further in. */
static bool begins_with_superblock(const struct layer *layer, const struct partition *p)
{
	return layer->has_data_offset && layer->data_offset > p->start;
}

static bool fits_whole_disk(const struct ground *ground, const struct layer *layer,
			    const struct partition *p, uint64_t start)
{
	for (size_t i = 0; i < ARRAY_SIZE(end_metadata); i++) {
		uint64_t disk = end_metadata[i].place(ground->device->size);
		uint64_t here = end_metadata[i].place(p->size);

		if (!ends_with(layer->type, end_metadata[i].type))
			continue;
		if (here != UINT64_MAX && disk != UINT64_MAX && start + here == disk)
			return true;
	}
	return false;
}

bool may_uncover(const struct ground *ground, struct plan *plan)
{
	for (size_t i = 0; ground->contents && i < ground->count; i++) {
		const struct partition *p = partition_of(ground, i);
		const struct content *content = &ground->contents[ground->items[i].index];
		const struct layer *layer = &content->layers[0];

		if (!content->count ||
		    (strncmp(layer->type, "zfs", 3) != 0 && begins_with_superblock(layer, p)))
			continue;
		if (fits_whole_disk(ground, layer, p, p->start) ||
		    fits_whole_disk(ground, layer, p, plan->places[ground->items[i].index].start))
			return refuse(
				plan,
				"partition %u ends with the disk and its %s metadata is at its"
				" end: while its table is covered the whole disk would be taken"
				" for the member; shrink the member first",
				p->number, layer->type);
	}
	return true;
}
