// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The bridge to libblkid, for tables that alignck shows but never writes: labels inside MBR slices,
 * and disks whose label is neither MBR nor GPT. libblkid counts in 512-byte units whatever the
 * sector size, and from the start of the window it was given. Each call has a probe of its own, so
 * threads do not meet.
 */
#include "internal.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SECT512 512

static const struct {
	const char *name; /* libblkid's */
	enum table_type type;
} tables[] = {
	{ "aix", TABLE_AIX },         { "atari", TABLE_ATARI }, { "bsd", TABLE_BSD },
	{ "freebsd", TABLE_BSD },     { "mac", TABLE_MAC },     { "minix", TABLE_MINIX },
	{ "netbsd", TABLE_BSD },      { "openbsd", TABLE_BSD }, { "sgi", TABLE_SGI },
	{ "solaris", TABLE_SOLARIS }, { "sun", TABLE_SUN },     { "ultrix", TABLE_ULTRIX },
};

static enum table_type find_table(const char *name)
{
	for (size_t i = 0; name && i < ARRAY_SIZE(tables); i++)
		if (!strcmp(tables[i].name, name))
			return tables[i].type;
	return TABLE_NONE;
}

/* Which MBR slices can hold a label, and the bytes that show one: offset in the slice, magic. */
static const struct label {
	uint8_t mbr_type;
	enum table_type type;
	uint32_t offset;
	const char *magic;
	size_t len;
} labels[] = {
	{ 0xa5, TABLE_BSD, 512, "WEV\x82", 4 }, /* LABELSECTOR 1; other machines: sector 0 */
	{ 0xa5, TABLE_BSD, 64, "WEV\x82", 4 },
	{ 0xa5, TABLE_BSD, 128, "WEV\x82", 4 },
	{ 0xa6, TABLE_BSD, 512, "WEV\x82", 4 },
	{ 0xa6, TABLE_BSD, 64, "WEV\x82", 4 },
	{ 0xa6, TABLE_BSD, 128, "WEV\x82", 4 },
	{ 0xa9, TABLE_BSD, 512, "WEV\x82", 4 },
	{ 0xa9, TABLE_BSD, 64, "WEV\x82", 4 },
	{ 0xa9, TABLE_BSD, 128, "WEV\x82", 4 },
	{ 0x82, TABLE_SOLARIS, 524, "\xee\xde\x0d\x60", 4 }, /* mostly Linux swap, which has none */
	{ 0xbf, TABLE_SOLARIS, 524, "\xee\xde\x0d\x60", 4 },
	{ 0x81, TABLE_MINIX, 510, "\x55\xaa", 2 },
	{ 0x63, TABLE_UNIXWARE, 29 * 512 + 4, "\x0d\x60\x5e\xca", 4 },
};

/* NULL: the slice holds no label, and libblkid need not look. */
static const struct label *find_label(struct source *source, const struct partition *slice)
{
	char type[4], bytes[4];

	for (size_t i = 0; i < ARRAY_SIZE(labels); i++) {
		const struct label *l = &labels[i];

		snprintf(type, sizeof(type), "%x", l->mbr_type);
		if (!strcmp(type, slice->type) && slice->size >= l->offset + l->len &&
		    !source_read(source, bytes, l->len, slice->start + l->offset) &&
		    !memcmp(bytes, l->magic, l->len))
			return l;
	}
	return NULL;
}

/* A probe for the tables named, of [start, start + size). *probe is NULL where there is no
 * descriptor or libblkid refuses it. */
static int open_probe(struct source *source, uint64_t start, uint64_t size, uint32_t sector,
		      const char *const *names, blkid_probe *probe)
{
	uint64_t base, from;
	int fd = io_fd(source->io, &base);

	*probe = NULL;
	if (fd < 0 || !add_u64(base, start, &from) || from > INT64_MAX || size > INT64_MAX)
		return 0;

	blkid_probe pr = blkid_new_probe();

	if (!pr)
		return -ENOMEM;
	if (blkid_probe_set_device(pr, fd, from, size) || blkid_probe_set_sectorsize(pr, sector) ||
	    blkid_probe_enable_partitions(pr, 1) ||
	    blkid_probe_filter_partitions_type(pr, BLKID_FLTR_ONLYIN, (char **)names)) {
		blkid_free_probe(pr);
		return 0;
	}
	*probe = pr;
	return 0;
}

/* Entries that describe the label or the whole rather than hold data. */
static enum partition_role foreign_role(enum table_type table, const char *type)
{
	static const struct {
		enum table_type table;
		const char *type;
		enum partition_role role;
	} roles[] = {
		{ TABLE_SUN, "5", ROLE_WHOLE },     /* SUN_TAG_WHOLEDISK */
		{ TABLE_SOLARIS, "5", ROLE_WHOLE }, /* V_BACKUP */
		{ TABLE_SGI, "6", ROLE_WHOLE },     /* volume */
		{ TABLE_SGI, "0", ROLE_MAP },       /* volume header */
		{ TABLE_MAC, "Apple_partition_map", ROLE_MAP },
		{ TABLE_MAC, "Apple_Free", ROLE_MAP },
		{ TABLE_MAC, "Apple_Void", ROLE_MAP },
	};

	for (size_t i = 0; i < ARRAY_SIZE(roles); i++)
		if (roles[i].table == table && !strcmp(roles[i].type, type))
			return roles[i].role;
	return ROLE_DATA;
}

static void copy_text(char *dst, size_t size, const char *src)
{
	sanitize_text(dst, size, src ? src : "", src ? strlen(src) : 0);
}

/*
 * Appends one of libblkid's partitions; its window lies `base` bytes into the disk. Returns its
 * index, -1 for one that is empty or cannot be.
 */
static int add_foreign(struct layout *layout, blkid_partition from, enum table_type table,
		       uint64_t base, unsigned number)
{
	uint64_t start = blkid_partition_get_start(from), size = blkid_partition_get_size(from);
	struct partition p = { .number = number, .parent = -1, .table = table };
	const char *type = blkid_partition_get_type_string(from);
	uint64_t end;

	if (!size) /* Apple_Void entries fill a Mac map */
		return -1;
	if (!mul_u64(start, SECT512, &start) || !add_u64(start, base, &start) ||
	    !mul_u64(size, SECT512, &size) || !add_u64(start, size, &end)) {
		findings_add(&layout->findings, FINDING_TABLE_DAMAGED, -1,
			     "entry %u has an impossible extent", number);
		return -1;
	}
	p.start = start;
	p.size = size;
	if (type && *type)
		copy_text(p.type, sizeof(p.type), type);
	else
		snprintf(p.type, sizeof(p.type), "%x", blkid_partition_get_type(from));
	copy_text(p.label, sizeof(p.label), blkid_partition_get_name(from));
	p.role = foreign_role(table, p.type);
	return layout_add(layout, &p);
}

/*
 * By custom one entry of a BSD or Ultrix label (c, on some d) stands for all of the disk or slice.
 * Its letter is lost by now, but it starts where all begins and covers all the others, or all.
 */
static void mark_whole(struct layout *layout, size_t first, const struct partition *whole)
{
	for (size_t i = first; i < layout->count; i++) {
		struct partition *p = &layout->partitions[i];
		bool covers = layout->count - first > 1;

		if (p->role != ROLE_DATA || p->start != whole->start)
			continue;
		for (size_t j = first; covers && j < layout->count; j++) {
			const struct partition *q = &layout->partitions[j];

			covers = q->start + q->size <= p->start + p->size;
		}
		if (covers || p->size >= whole->size)
			p->role = ROLE_WHOLE;
	}
}

/* Takes over what libblkid found in one slice. */
static int add_slices(struct layout *layout, blkid_partlist list, int slice, bool own_window,
		      unsigned *number)
{
	const struct partition parent = layout->partitions[slice];
	size_t first = layout->count;
	int n = blkid_partlist_numof_partitions(list);

	for (int i = 0; i < n; i++) {
		blkid_partition from = blkid_partlist_get_partition(list, i);
		blkid_parttable table = blkid_partition_get_table(from);
		blkid_partition above = blkid_parttable_get_parent(table);

		if (!own_window &&
		    (!above || blkid_partition_get_partno(above) != (int)parent.number))
			continue;

		int index = add_foreign(layout, from, find_table(blkid_parttable_get_type(table)),
					own_window ? parent.start : 0, *number);

		if (index == -ENOMEM || index == -E2BIG)
			return index;
		if (index < 0)
			continue;
		layout->partitions[index].parent = slice;
		layout->partitions[slice].role = ROLE_CONTAINER;
		(*number)++;
	}
	mark_whole(layout, first, &parent);
	return 0;
}

/*
 * libblkid reads a nested label only as part of its own walk over the MBR, but for Solaris's type
 * bf, which it does not know as a slice: there the slice is probed as a disk of its own.
 */
static int read_slice(struct source *source, struct layout *layout, int slice,
		      const struct label *label, unsigned *number)
{
	static const char *const dos[] = { "dos", NULL }, *const solaris[] = { "solaris", NULL };
	const struct partition *p = &layout->partitions[slice];
	size_t first = layout->count;
	bool own = label->mbr_type == 0xbf;
	blkid_probe probe;
	int r = own ? open_probe(source, p->start, p->size, layout->sector_size, solaris, &probe)
		    : open_probe(source, 0, source->io->size, layout->sector_size, dos, &probe);

	if (r < 0 || !probe)
		return r;

	blkid_partlist list = blkid_probe_get_partitions(probe);

	if (list)
		r = add_slices(layout, list, slice, own, number);
	if (!r && label->type == TABLE_SOLARIS && layout->count > first)
		number_solaris_slices(source, layout, slice, first, number);
	blkid_free_probe(probe);
	return r;
}

int read_nested(struct source *source, struct layout *layout, unsigned number)
{
	size_t count = layout->count;
	int r = 0;

	/* As the kernel: only in primary entries, in their order. */
	for (size_t i = 0; !r && i < count; i++) {
		const struct partition *p = &layout->partitions[i];
		const struct label *label = p->parent < 0 ? find_label(source, p) : NULL;

		if (label)
			r = label->type == TABLE_UNIXWARE
				    ? read_unixware(source, layout, i, &number)
				    : read_slice(source, layout, i, label, &number);
	}
	return r == -E2BIG ? 0 : r;
}

int read_foreign(struct source *source, struct layout *layout, bool maybe_atari)
{
	/* Atari last: its root sector has no magic, only fields that look right. */
	static const char *const names[] = { "aix", "sgi",     "sun",   "mac", "ultrix",
					     "bsd", "solaris", "atari", NULL };
	static const char *const sure[] = { "aix",    "sgi", "sun",     "mac",
					    "ultrix", "bsd", "solaris", NULL };
	const struct partition whole = { .size = source->io->size };
	blkid_probe probe;
	int r = open_probe(source, 0, source->io->size, source->device_sector,
			   maybe_atari ? names : sure, &probe);

	if (r < 0 || !probe)
		return r;

	blkid_partlist list = blkid_probe_get_partitions(probe);
	blkid_parttable table = list ? blkid_partlist_get_table(list) : NULL;

	if (table) {
		layout->type = find_table(blkid_parttable_get_type(table));
		layout->sector_size = source->device_sector;
		copy_text(layout->id, sizeof(layout->id), blkid_parttable_get_id(table));
	}
	for (int i = 0; table && i < blkid_partlist_numof_partitions(list); i++) {
		blkid_partition p = blkid_partlist_get_partition(list, i);

		r = add_foreign(layout, p, layout->type, 0, blkid_partition_get_partno(p));
		if (r == -ENOMEM || r == -E2BIG)
			break;
	}
	mark_whole(layout, 0, &whole);
	blkid_free_probe(probe);
	return r == -ENOMEM ? r : 0;
}

bool blkid_has_superblock(struct source *source, uint64_t offset)
{
	uint64_t base, from;
	int fd = io_fd(source->io, &base);
	blkid_probe probe;
	bool found;

	if (fd < 0 || offset >= source->io->size || !add_u64(base, offset, &from) ||
	    from > INT64_MAX)
		return false;
	probe = blkid_new_probe();
	if (!probe)
		return false;
	found = !blkid_probe_set_device(probe, fd, from, source->io->size - offset) &&
		!blkid_probe_enable_superblocks(probe, 1) && blkid_do_safeprobe(probe) != 1;
	blkid_free_probe(probe);
	return found;
}
