/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_TESTS_RELOCATION_WORLD_H
#define ALIGNCK_TESTS_RELOCATION_WORLD_H

/*
 * A small disk with partitions, a table that we made by hand, a kernel and an owner who changes his
 * data whenever a table shows it. relocation_oracle.h says what every byte must be.
 */

#include "alignck/relocate.h"
#include "crash_io.h"

#define WORLD_PARTS 4

enum world_table { WORLD_MBR, WORLD_EBR, WORLD_GPT };

struct world_part { /* sectors; from == to: it does not move */
	uint32_t from, size, to;
	enum protection protection;
	uint32_t window, lanes;
	uint32_t old_ebr, new_ebr; /* WORLD_EBR; 0: a primary */
};

struct world_layout {
	const char *name;
	enum world_table table;
	uint32_t sector, physical;
	uint32_t sectors; /* of the disk */
	bool journal_file;
	uint32_t data_blocks;                 /* of the journal's data area, 4096 bytes each */
	struct world_part parts[WORLD_PARTS]; /* in disk order; size 0 ends it */
	uint8_t order[WORLD_PARTS];           /* of the moves: index into parts + 1; 0 ends it */
};

#define WORLD_FIELDS 3 /* in a partition: two that hold the old start, one the new by accident */

struct world {
	const struct world_layout *layout;
	struct crash_world clock;
	struct crash_io disk, file;
	struct relocation relocation;
	struct relocation_hooks hooks;
	struct table_image image[2];
	struct plan plan;
	struct plan_move moves[WORLD_PARTS];
	uint8_t *truth; /* the disk as its owner left it, all in the old layout */
	int nodes;      /* what the kernel shows: 0 old layout, 1 new, -1 no partition */
	bool nodes_stuck;
	int pause_in; /* batches until should_pause() says so; < 0: never */
	struct reason said;
	int changes; /* how often the owner changed something */
};

static inline size_t world_parts(const struct world *w)
{
	size_t n = 0;

	while (n < WORLD_PARTS && w->layout->parts[n].size)
		n++;
	return n;
}

/* A partition's start and its fields, in bytes. */
static inline uint64_t world_start(const struct world *w, size_t p, int is_new)
{
	const struct world_part *part = &w->layout->parts[p];

	return (uint64_t)(is_new ? part->to : part->from) * w->layout->sector;
}

static inline uint64_t world_size(const struct world *w, size_t p)
{
	return (uint64_t)w->layout->parts[p].size * w->layout->sector;
}

/* Where field k lies in its partition: in the first sector, across the end of it, in the last. */
static inline uint64_t world_field(const struct world *w, size_t p, int k)
{
	uint64_t size = world_size(w, p);

	switch (k) {
	case 0:
		return 0x1c;
	case 1:
		return size > w->layout->sector ? w->layout->sector - 4 : 0x40;
	default:
		return size - 16;
	}
}

/* What a field holds: both halves tell, because a field may lie across two sectors. */
static inline uint64_t world_value(const struct world *w, size_t p, int is_new)
{
	return world_start(w, p, is_new) * 0x100000001ULL;
}

/* ---- tables by hand */

static inline void world_table_sector(const struct world *w, uint8_t *b, int is_new, int what)
{
	size_t n = world_parts(w);

	memset(b, 0, w->layout->sector);
	if (what == 0 && w->layout->table == WORLD_MBR) {
		for (size_t p = 0; p < n; p++) {
			b[446 + 16 * p + 4] = 0x83;
			put_le32(b + 446 + 16 * p + 8,
				 world_start(w, p, is_new) / w->layout->sector);
			put_le32(b + 446 + 16 * p + 12, w->layout->parts[p].size);
		}
		memcpy(b + 440, "disk", 4);
	} else if (what) {
		/* Nothing but ours to decode: which table, which of its sectors, which layout. */
		memcpy(b, what == 'H' ? "EFI PART" : "TABLE...", 8);
		b[8] = what;
		b[9] = is_new;
	} else {
		b[450] = w->layout->table == WORLD_GPT ? 0xee : 0x0f;
	}
	b[510] = 0x55;
	b[511] = 0xaa;
}

static inline void world_add_sector(struct world *w, int is_new, uint64_t sector, int what)
{
	struct table_image *t = &w->image[is_new];
	struct table_sector *s = &t->sectors[t->count++];

	s->offset = sector * w->layout->sector;
	s->bytes = malloc(w->layout->sector);
	world_table_sector(w, s->bytes, is_new, what);
}

/* Does a partition's data lie there? */
static inline bool world_is_data(const struct world *w, uint64_t at, int is_new)
{
	for (size_t p = 0; p < world_parts(w); p++)
		if (at >= world_start(w, p, is_new) &&
		    at < world_start(w, p, is_new) + world_size(w, p))
			return true;
	return false;
}

/* A gap in which an EBR will lie is part of the old table: undo must not leave the EBR there. */
static inline void world_add_gap(struct world *w, uint32_t ebr)
{
	struct table_image *t = &w->image[0];
	uint64_t at = (uint64_t)ebr * w->layout->sector;

	for (size_t i = 0; i < t->count; i++)
		if (t->sectors[i].offset == at)
			return;
	if (world_is_data(w, at, 0))
		return;
	world_add_sector(w, 0, ebr, 0);
	memset(t->sectors[t->count - 1].bytes, 0, w->layout->sector);
}

static inline void world_make_tables(struct world *w)
{
	for (int is_new = 0; is_new < 2; is_new++) {
		w->image[is_new].sectors = calloc(12, sizeof(struct table_sector));
		if (w->layout->table == WORLD_GPT) {
			world_add_sector(w, is_new, w->layout->sectors - 2, 'A');
			world_add_sector(w, is_new, w->layout->sectors - 1, 'H');
			world_add_sector(w, is_new, 2, 'a');
			world_add_sector(w, is_new, 1, 'H');
		}
		for (size_t p = 0; p < world_parts(w); p++) {
			const struct world_part *part = &w->layout->parts[p];
			uint32_t ebr = is_new ? part->new_ebr : part->old_ebr;

			if (ebr)
				world_add_sector(w, is_new, ebr, 'e' + (int)p);
		}
		for (size_t p = 0; p < world_parts(w) && !is_new; p++)
			if (w->layout->parts[p].new_ebr)
				world_add_gap(w, w->layout->parts[p].new_ebr);
		world_add_sector(w, is_new, 0, 0);
	}
}

/* ---- hooks */

/* A crash may come just before the kernel is told, too. */
static inline bool world_dies(struct world *w)
{
	return crash_fails(&w->disk, true);
}

static inline int world_drop_nodes(void *context, struct reason *reason)
{
	struct world *w = context;

	if (world_dies(w))
		return reason_set(reason, -EIO, "dead");
	if (w->nodes_stuck)
		return reason_set(reason, -EBUSY, "in use");
	w->nodes = -1;
	return 0;
}

static inline int world_tell_kernel(void *context, bool is_new, struct reason *reason)
{
	struct world *w = context;

	if (world_dies(w))
		return reason_set(reason, -EIO, "dead");
	w->nodes = is_new;
	return 0;
}

static inline int world_find_fields(void *context, struct io *disk, struct position_field **fields,
				    size_t *count, struct reason *reason)
{
	struct world *w = context;

	*count = 0;
	*fields = calloc((size_t)WORLD_FIELDS * WORLD_PARTS, sizeof(**fields));
	for (size_t p = 0; p < world_parts(w); p++) {
		if (world_start(w, p, 0) == world_start(w, p, 1))
			continue;
		for (int k = 0; k < WORLD_FIELDS; k++) {
			struct position_field *f = &(*fields)[*count];
			uint8_t now[8];

			f->offset = world_start(w, p, 1) + world_field(w, p, k);
			f->length = 8;
			put_le64(f->old_bytes, world_value(w, p, 0));
			put_le64(f->new_bytes, world_value(w, p, 1));
			if (io_read(disk, now, 8, f->offset) < 0)
				return reason_set(reason, -EIO, "cannot read a field");
			if (!memcmp(now, f->old_bytes, 8))
				++*count;
		}
	}
	return 0;
}

static inline bool world_should_pause(void *context)
{
	struct world *w = context;

	return w->pause_in >= 0 && w->pause_in-- == 0;
}

/* ---- building */

static inline uint64_t world_gap(const struct world *w)
{
	uint64_t end = 0, unit = w->layout->sector;

	for (size_t p = 0; p < world_parts(w); p++)
		for (int is_new = 0; is_new < 2; is_new++)
			if (world_start(w, p, is_new) + world_size(w, p) > end)
				end = world_start(w, p, is_new) + world_size(w, p);
	return (end + unit + 4095) / 4096 * 4096;
}

static inline void world_fill(struct world *w, uint64_t size)
{
	struct crash_io *d = &w->disk;

	w->truth = malloc(size);
	for (uint64_t i = 0; i < size; i++)
		w->truth[i] = crash_random(&w->clock) >> 56;
	/* A plan only moves into gaps of zeros. */
	for (uint64_t at = 0; at < size; at += w->layout->sector)
		if (world_is_data(w, at, 1) && !world_is_data(w, at, 0))
			memset(w->truth + at, 0, w->layout->sector);
	/* Some of it empty. */
	for (size_t p = 0; p < world_parts(w); p++)
		memset(w->truth + world_start(w, p, 0) + world_size(w, p) / 2, 0,
		       world_size(w, p) / 3);
	/* Some content twice: equal windows must not confuse the checksums. */
	memcpy(w->truth + world_start(w, 0, 0) + w->layout->sector, w->truth + world_start(w, 0, 0),
	       world_size(w, 0) > 2 * w->layout->sector ? w->layout->sector - 8 : 0);
	for (size_t p = 0; p < world_parts(w); p++)
		for (int k = 0; k < WORLD_FIELDS; k++)
			put_le64(w->truth + world_start(w, p, 0) + world_field(w, p, k),
				 world_value(w, p, k == 2));
	if (!w->layout->journal_file)
		memset(w->truth + w->relocation.journal_base, 0, w->relocation.journal_size);
	for (size_t i = 0; i < w->image[0].count; i++)
		memcpy(w->truth + w->image[0].sectors[i].offset, w->image[0].sectors[i].bytes,
		       w->layout->sector);
	memcpy(d->durable, w->truth, size);
	memcpy(d->view, w->truth, size);
}

static inline void world_init(struct world *w, const struct world_layout *layout, uint64_t seed)
{
	uint64_t size = (uint64_t)layout->sectors * layout->sector, tables = 0, journal;

	memset(w, 0, sizeof(*w));
	w->layout = layout;
	w->clock = (struct crash_world){ .crash_at = CRASH_NEVER,
					 .fail_at = CRASH_NEVER,
					 .luck = seed * 2 + 1 };
	w->pause_in = -1;
	world_make_tables(w);
	for (int t = 0; t < 2; t++)
		tables += w->image[t].count * layout->sector;
	for (size_t i = 0; i < WORLD_PARTS && layout->order[i]; i++) {
		const struct world_part *p = &layout->parts[layout->order[i] - 1];

		w->moves[w->plan.move_count++] = (struct plan_move){
			.number = layout->order[i],
			.from = (uint64_t)p->from * layout->sector,
			.to = (uint64_t)p->to * layout->sector,
			.size = (uint64_t)p->size * layout->sector,
			.protection = p->protection,
			.window = (uint64_t)p->window * layout->sector,
			.lanes = p->lanes ? p->lanes : 1,
		};
	}
	w->plan.feasible = true;
	w->plan.moves = w->moves;
	journal = relocation_journal_size(w->plan.move_count, tables,
					  layout->data_blocks * (uint64_t)4096);
	w->hooks = (struct relocation_hooks){
		w, world_drop_nodes, world_tell_kernel, world_find_fields, NULL, world_should_pause
	};
	w->relocation = (struct relocation){ .journal_size = journal,
					     .hooks = &w->hooks,
					     .hole_unit = layout->journal_file ? 512 : 0,
					     .logical_sector_size = layout->sector };
	if (!layout->journal_file) {
		w->relocation.journal_base = world_gap(w);
		size = w->relocation.journal_base + journal + 3 * (uint64_t)layout->sector;
		size = (size + layout->sector - 1) / layout->sector * layout->sector;
		if (size < (uint64_t)layout->sectors * layout->sector)
			size = (uint64_t)layout->sectors * layout->sector;
		else
			abort(); /* the layout must leave room */
	}
	crash_io_init(&w->disk, &w->clock, size, layout->sector);
	crash_io_init(&w->file, &w->clock, journal, layout->sector);
	w->relocation.disk = &w->disk.io;
	w->relocation.journal = layout->journal_file ? &w->file.io : &w->disk.io;
	world_fill(w, size);
}

static inline void world_free(struct world *w)
{
	crash_io_free(&w->disk);
	crash_io_free(&w->file);
	free(w->truth);
	for (int t = 0; t < 2; t++) {
		for (size_t i = 0; i < w->image[t].count; i++)
			free(w->image[t].sectors[i].bytes);
		free(w->image[t].sectors);
	}
}

/* Everything that a crash, a user or the kernel can make different. Luck is `to`'s own. */
static inline void world_copy(struct world *to, const struct world *from)
{
	crash_io_copy(&to->disk, &from->disk);
	crash_io_copy(&to->file, &from->file);
	memcpy(to->truth, from->truth, from->disk.io.size);
	to->nodes = from->nodes;
	to->nodes_stuck = from->nodes_stuck;
	to->changes = from->changes;
}

#endif
