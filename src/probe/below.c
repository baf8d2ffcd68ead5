// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is below a dm or md device? sysfs's `slaves` say who, md's attributes where
 * (Documentation/admin-guide/md.rst: dev-XXX/offset), device-mapper's table as well; of the others,
 * and where a table cannot be read, only who. Ends at disks that have no slaves.
 */
#include "internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define BELOW_MAX 64 /* a volume in more pieces than that is not told of to its end */
#define DEPTH_MAX 16
#define STEPS_MAX 1024

struct walk {
	struct device *device;
	const char *sysroot;
	bool is_running;
	unsigned steps; /* nodes visited: arrays of arrays must not make it run for ever */
};

/* A piece of the device that was named, as it lies on the node the walk has come to. */
struct span {
	uint64_t start, length, place;
	bool is_known;
	char through[sizeof(((struct below *)0)->through)];
};

static int by_node(const void *a, const void *b)
{
	return strcmp(((const struct piece *)a)->node, ((const struct piece *)b)->node);
}

static int list_slaves(int disk, struct piece_list *slaves)
{
	int fd = openat(disk, "slaves", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	while (!r && (entry = readdir(dir))) {
		struct piece piece = { .length = UINT64_MAX };

		if (entry->d_name[0] == '.' || strlen(entry->d_name) >= sizeof(piece.node))
			continue;
		strcpy(piece.node, entry->d_name);
		r = add_piece(slaves, &piece);
	}
	closedir(dir);
	if (slaves->count)
		qsort(slaves->list, slaves->count, sizeof(*slaves->list), by_node);
	return r;
}

/* An array's data begins at the offset of each member; only in a linear one not all of them hold
 * its beginning. */
static void place_md(int disk, struct piece_list *slaves)
{
	char path[NODE_NAME_MAX + 32], text[ATTRIBUTE_MAX];
	bool is_linear =
		read_attribute(disk, "md/level", text, sizeof(text)) > 0 && !strcmp(text, "linear");
	uint64_t offset;

	for (size_t i = 0; i < slaves->count; i++) {
		struct piece *p = &slaves->list[i];

		snprintf(path, sizeof(path), "md/dev-%s/slot", p->node);
		if (is_linear &&
		    (read_attribute(disk, path, text, sizeof(text)) <= 0 || strcmp(text, "0") != 0))
			continue;
		snprintf(path, sizeof(path), "md/dev-%s/offset", p->node);
		p->is_known = read_attribute(disk, path, text, sizeof(text)) > 0 &&
			      parse_u64(text, &offset) && mul_u64(offset, 512, &p->place);
	}
}

/* The table names devices by number. */
static bool name_pieces(const struct walk *w, struct piece_list *pieces)
{
	for (size_t i = 0; i < pieces->count; i++) {
		struct piece *p = &pieces->list[i];
		unsigned major_number, minor_number;
		struct sysfs sysfs;

		if (sscanf(p->number, "%u:%u", &major_number, &minor_number) != 2 ||
		    sysfs_open_by_number(w->sysroot, makedev(major_number, minor_number), &sysfs) <
			    0)
			return false;
		strcpy(p->node, sysfs.partition >= 0 ? sysfs.partition_name : sysfs.disk_name);
		sysfs_close(&sysfs);
	}
	return true;
}

/* Puts the table's pieces in place of the slaves, where it tells them all. */
static int place_dm(const struct walk *w, int disk, struct piece_list *slaves)
{
	struct piece_list pieces = { 0 };
	char number[24];
	int r = -ENOENT;

	if (w->is_running && !*w->sysroot &&
	    read_attribute(disk, "dev", number, sizeof(number)) > 0)
		r = read_dm_table(number, &pieces);
	if (!r && name_pieces(w, &pieces)) {
		free(slaves->list);
		*slaves = pieces;
		return 0;
	}
	free(pieces.list);
	return r == -ENOMEM ? r : 0;
}

static int find_pieces(const struct walk *w, int disk, struct piece_list *pieces)
{
	int r = list_slaves(disk, pieces);

	if (r < 0 || !pieces->count)
		return r;
	if (!faccessat(disk, "md", F_OK, 0))
		place_md(disk, pieces);
	else if (!faccessat(disk, "dm", F_OK, 0))
		return place_dm(w, disk, pieces);
	return 0;
}

/* The disk at the bottom, judged as if it had been named itself. */
static int add_below(struct walk *w, const struct sysfs *sysfs, const struct span *span)
{
	struct device *device = w->device, disk = { 0 };
	struct below *more, *below;
	struct disk_facts facts;

	if (device->below_count == BELOW_MAX)
		return 0;
	more = reallocarray(device->below, device->below_count + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	device->below = more;
	below = &more[device->below_count++];
	read_disk_facts(sysfs->disk, &facts);
	identify_drive(w->sysroot, sysfs->disk, -1, &facts);
	disk.model = sanitize_dup(facts.model);
	disk.rotational = facts.rotational;
	disk.reported = (struct topology){
		.logical_block_size = facts.logical_block_size,
		.physical_block_size = facts.physical_block_size,
		.minimum_io_size = facts.minimum_io_size,
		.alignment_offset = facts.alignment_offset,
		.has_alignment_offset = facts.has_alignment_offset,
	};
	judge_block(&disk, 0);
	*below = (struct below){
		.has_place = span->is_known,
		.start = span->start,
		.place = span->place,
		.physical_block_size = disk.topology.physical_block_size,
		.alignment_offset = disk.topology.alignment_offset,
	};
	strcpy(below->disk, sysfs->disk_name);
	strcpy(below->through, span->through);
	free(disk.model);
	findings_free(&disk.findings);
	return 0;
}

static int follow(struct walk *w, const char *node, struct span span, unsigned depth);

/* The part of `span` that lies in `piece`, moved on to the piece's own device. false: none does. */
static bool narrow(const struct span *span, const struct piece *piece, struct span *part)
{
	uint64_t end = 0, piece_end = 0, from = max_u64(span->place, piece->start);

	*part = *span;
	part->is_known = span->is_known && piece->is_known;
	if (!part->is_known)
		return true;
	if (!add_u64(span->place, span->length, &end))
		end = UINT64_MAX;
	if (!add_u64(piece->start, piece->length, &piece_end))
		piece_end = UINT64_MAX;
	if (from >= end || from >= piece_end)
		return false;
	part->length = min_u64(end, piece_end) - from;
	part->is_known = add_u64(span->start, from - span->place, &part->start) &&
			 add_u64(piece->place, from - piece->start, &part->place);
	return true;
}

static int follow_pieces(struct walk *w, const struct sysfs *sysfs, const struct span *span,
			 unsigned depth)
{
	struct piece_list pieces = { 0 };
	int r = find_pieces(w, sysfs->disk, &pieces);

	if (!r && !pieces.count && depth)
		r = add_below(w, sysfs, span);
	for (size_t i = 0; !r && i < pieces.count && depth < DEPTH_MAX; i++) {
		struct span part;

		if (narrow(span, &pieces.list[i], &part))
			r = follow(w, pieces.list[i].node, part, depth + 1);
	}
	free(pieces.list);
	return r;
}

static void add_through(struct span *span, const char *node)
{
	size_t len = strlen(span->through);

	snprintf(span->through + len, sizeof(span->through) - len, "%s%s", len ? ", " : "", node);
}

static int follow(struct walk *w, const char *node, struct span span, unsigned depth)
{
	char text[ATTRIBUTE_MAX];
	struct sysfs sysfs;
	uint64_t start;
	int r;

	if (w->device->below_count == BELOW_MAX || w->steps++ == STEPS_MAX ||
	    sysfs_open_by_name(w->sysroot, node, &sysfs) < 0)
		return 0;
	if (sysfs.partition >= 0) {
		add_through(&span, sysfs.partition_name);
		span.is_known = span.is_known &&
				read_attribute(sysfs.partition, "start", text, sizeof(text)) > 0 &&
				parse_u64(text, &start) && mul_u64(start, 512, &start) &&
				add_u64(span.place, start, &span.place);
	}
	if (!faccessat(sysfs.disk, "md", F_OK, 0) || !faccessat(sysfs.disk, "dm", F_OK, 0))
		add_through(&span, sysfs.disk_name);
	r = follow_pieces(w, &sysfs, &span, depth);
	sysfs_close(&sysfs);
	return r;
}

int find_below(struct device *device, const char *sysroot, const struct sysfs *sysfs,
	       bool is_running)
{
	struct walk walk = { device, sysroot, is_running, 0 };
	const struct span whole = { .length = UINT64_MAX, .is_known = true };

	return follow_pieces(&walk, sysfs, &whole, 0);
}

int64_t alignment_below(const struct below *below, size_t count, uint64_t *physical)
{
	uint64_t granularity = 4096, offset = 0;
	bool is_known = count != 0, is_first = true;

	*physical = 0;
	for (size_t i = 0; i < count; i++) {
		const struct below *b = &below[i];
		uint64_t required = below_boundary(b), mine, both;

		*physical = max_u64(*physical, b->physical_block_size);
		if (!b->has_place || b->alignment_offset < 0 || !is_power_of_two(required)) {
			is_known = false;
			continue;
		}
		/* Powers of two wrap without harm. */
		mine = wrap_add(wrap_sub((uint64_t)b->alignment_offset, b->place), b->start) %
		       required;
		both = min_u64(granularity, required);
		if (!is_first && mine % both != offset % both)
			return -1;
		if (is_first || required > granularity)
			offset = mine;
		is_first = false;
		granularity = max_u64(granularity, required);
	}
	return is_known ? (int64_t)offset : INT64_MIN;
}
