/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_TESTS_PLAN_CASE_H
#define ALIGNCK_TESTS_PLAN_CASE_H

/*
 * Tables written by hand or by dice, for the planner's tests and fuzzer, and an executor that moves
 * tokens as a plan says. Sectors are the unit everywhere here.
 *
 *     struct plan_case c;
 *     case_init(&c, TABLE_DOS, 100000, 512);
 *     case_add(&c, 1, "83", 63, 20000);
 *     case_plan(&c);                            analyses, plans, checks the check's own promises
 *     ... c.plan ...
 *     case_free(&c);
 */

#include "alignck/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CASE_PARTITIONS 160
#define CASE_EXTENTS    16

struct plan_case {
	struct device device;
	struct layout layout;
	struct partition partitions[CASE_PARTITIONS];
	struct content contents[CASE_PARTITIONS];
	bool has_contents;
	struct extent occupied[CASE_EXTENTS];
	unsigned only[CASE_PARTITIONS];
	struct plan_request request;
	struct analysis *analysis;
	struct plan *plan;
};

/* By type alone: the case is large, so it stays where it is and is not copied. */
static inline void case_init(struct plan_case *c, enum table_type type, uint64_t sectors,
			     uint32_t sector)
{
	static char name[] = "disk";

	memset(c, 0, sizeof(*c));
	c->device = (struct device){
		.path = name,
		.name = name,
		.disk_path = name,
		.disk_name = name,
		.kind = KIND_DISK,
		.size = sectors * sector,
		.rotational = TRI_UNKNOWN,
		.topology = { .logical_block_size = sector, .physical_block_size = 4096 },
	};
	c->layout =
		(struct layout){ .type = type, .sector_size = sector, .partitions = c->partitions };
	if (type == TABLE_GPT) {
		/* 128 entries of 128 bytes behind the header, and again in front of the backup. */
		c->layout.first_usable = 2ULL * sector + 16384;
		c->layout.last_usable = c->device.size - sector - 16384;
	}
	c->request = (struct plan_request){ .journal_file = true,
					    .occupied = c->occupied,
					    .only = c->only,
					    .rotational = TRI_UNKNOWN };
}

static inline struct partition *case_add(struct plan_case *c, unsigned number, const char *type,
					 uint64_t start, uint64_t sectors)
{
	struct partition *p = &c->partitions[c->layout.count++];
	uint32_t sector = c->layout.sector_size;

	if (c->layout.count > CASE_PARTITIONS)
		abort();
	*p = (struct partition){ .number = number,
				 .parent = -1,
				 .start = start * sector,
				 .size = sectors * sector,
				 .table = c->layout.type };
	snprintf(p->type, sizeof(p->type), "%s", type);
	if (c->layout.type == TABLE_DOS &&
	    (!strcmp(type, "5") || !strcmp(type, "f") || !strcmp(type, "85")))
		p->role = ROLE_EXTENDED;
	return p;
}

/* The container must have been added before. */
static inline struct partition *case_add_logical(struct plan_case *c, unsigned number, uint64_t ebr,
						 uint64_t start, uint64_t sectors)
{
	struct partition *p = case_add(c, number, "83", start, sectors);

	for (size_t i = 0; i < c->layout.count; i++)
		if (c->partitions[i].role == ROLE_EXTENDED)
			p->parent = (int)i;
	p->ebr = ebr * c->layout.sector_size;
	return p;
}

static inline void case_occupy(struct plan_case *c, uint64_t start, uint64_t end)
{
	if (c->request.occupied_count == CASE_EXTENTS)
		abort();
	c->occupied[c->request.occupied_count++] =
		(struct extent){ start * c->layout.sector_size, end * c->layout.sector_size };
}

static inline void case_only(struct plan_case *c, unsigned number)
{
	c->only[c->request.only_count++] = number;
}

static inline struct layer *case_content(struct plan_case *c, unsigned number, const char *type,
					 uint64_t data_offset)
{
	for (size_t i = 0; i < c->layout.count; i++)
		if (c->partitions[i].number == number) {
			struct content *content = &c->contents[i];
			struct layer *layer = &content->layers[content->count++];

			snprintf(layer->type, sizeof(layer->type), "%s", type);
			layer->data_offset = c->partitions[i].start + data_offset;
			layer->has_data_offset = true;
			c->has_contents = true;
			return layer;
		}
	abort();
}

static inline void case_forget(struct plan_case *c)
{
	plan_free(c->plan);
	analysis_free(c->analysis);
	c->plan = NULL;
	c->analysis = NULL;
}

static inline void case_free(struct plan_case *c)
{
	case_forget(c);
	findings_free(&c->layout.findings);
	findings_free(&c->device.findings);
}

/* Can be called again after a change. */
static inline void case_plan(struct plan_case *c)
{
	const struct policy policy = { .only = -1 };
	const struct content *contents = c->has_contents ? c->contents : NULL;

	case_forget(c);
	if (analyse(&c->device, &c->layout, contents, &policy, &c->analysis) ||
	    make_plan(&c->device, &c->layout, contents, c->analysis, &c->request, &c->plan))
		abort();
}

static inline bool case_verify(const struct plan_case *c, struct reason *reason)
{
	return verify_plan(&c->device, &c->layout, c->analysis, &c->request, c->plan, reason);
}

/* New start of a partition, in sectors. */
static inline uint64_t case_start(const struct plan_case *c, unsigned number)
{
	int index = find_partition(&c->layout, number);

	return c->plan->places[index].start / c->layout.sector_size;
}

/* ---- the executor ---- */

/*
 * A disk of tokens, one a sector: (number << 32 | sector inside) for partitions, TOKEN_GAP for data
 * in gaps, TOKEN_TABLE for tables' sectors, zero for what is free.
 */
#define TOKEN_GAP     (1ULL << 62)
#define TOKEN_TABLE   (1ULL << 61)
#define TOKEN_JOURNAL (1ULL << 60)

static inline bool case_is_data(const struct plan_case *c, size_t i)
{
	const struct partition *p = &c->partitions[i];

	if (p->parent >= 0)
		return c->partitions[p->parent].role == ROLE_EXTENDED;
	for (size_t k = 0; k < c->layout.count; k++)
		if (c->partitions[k].parent == (int)i)
			return p->role != ROLE_EXTENDED;
	return true; /* an empty container stays as it is */
}

static inline uint64_t *case_new_disk(const struct plan_case *c)
{
	uint32_t sector = c->layout.sector_size;
	uint64_t sectors = c->device.size / sector;
	uint64_t *disk = calloc(sectors, sizeof(*disk));

	if (!disk)
		abort();
	for (size_t i = 0; i < c->request.occupied_count; i++)
		for (uint64_t s = c->occupied[i].start / sector; s < c->occupied[i].end / sector;
		     s++)
			disk[s] = TOKEN_GAP | s;
	for (size_t i = 0; i < c->layout.count; i++) {
		const struct partition *p = &c->partitions[i];

		if (p->ebr)
			disk[p->ebr / sector] = TOKEN_TABLE;
		if (!case_is_data(c, i) && p->role == ROLE_EXTENDED)
			disk[p->start / sector] = TOKEN_TABLE;
		for (uint64_t s = 0; case_is_data(c, i) && s < p->size / sector; s++)
			disk[p->start / sector + s] = (uint64_t)p->number << 32 | s;
	}
	return disk;
}

/*
 * Makes one move by windows. `shift`: a window is copied at once, so it must not reach into its own
 * source; that is what its protection rests on. `journal`: it may, because it is copied aside.
 */
static inline const char *case_move(const struct plan_case *c, const struct plan_move *m,
				    uint64_t *disk)
{
	uint32_t sector = c->layout.sector_size;
	uint64_t size = m->size / sector, from = m->from / sector, to = m->to / sector;
	uint64_t window = m->window / sector;
	uint64_t d = to > from ? to - from : from - to;
	unsigned lanes = m->lanes;
	/* Lanes save sills and interleave; what counts here is that each lane is long enough. */
	uint64_t part = size / lanes;

	if (!window || !lanes || (lanes > 1 && part <= d))
		return "windows or lanes of no use";
	if (m->protection != PROTECT_JOURNAL && window > d)
		return "a window reaches into its own source";
	for (uint64_t done = 0; done < size;) {
		uint64_t n = size - done < window ? size - done : window;
		uint64_t at = to > from ? size - done - n : done;

		memmove(disk + to + at, disk + from + at, n * sizeof(*disk));
		done += n;
	}
	return NULL;
}

/* Runs the whole plan on a disk of tokens and compares. NULL: every byte is where it should be. */
static inline const char *case_execute(const struct plan_case *c)
{
	uint32_t sector = c->layout.sector_size;
	const struct plan *plan = c->plan;
	uint64_t *before = case_new_disk(c), *disk = case_new_disk(c);
	const char *wrong = NULL;

	if (plan->journal == JOURNAL_GAP)
		for (uint64_t s = 0; s < plan->journal_bytes / sector; s++) {
			uint64_t *token = &disk[plan->journal_start / sector + s];

			if (*token)
				wrong = "the journal overwrites something";
			*token = TOKEN_JOURNAL;
		}
	for (size_t n = 0; !wrong && n < plan->move_count; n++)
		wrong = case_move(c, &plan->moves[n], disk);
	for (size_t i = 0; !wrong && i < c->layout.count; i++) {
		if (plan->places[i].ebr)
			disk[plan->places[i].ebr / sector] = TOKEN_TABLE;
		if (!case_is_data(c, i) && c->partitions[i].role == ROLE_EXTENDED)
			disk[plan->places[i].start / sector] = TOKEN_TABLE;
	}
	for (size_t i = 0; !wrong && i < c->layout.count; i++)
		for (uint64_t s = 0; case_is_data(c, i) && s < plan->places[i].size / sector; s++)
			if (disk[plan->places[i].start / sector + s] !=
			    ((uint64_t)c->partitions[i].number << 32 | s))
				wrong = "a partition's data is damaged";
	for (uint64_t s = 0; !wrong && s < c->device.size / sector; s++)
		if (before[s] == (TOKEN_GAP | s) && disk[s] != before[s])
			wrong = "data in a gap is damaged";
	for (uint64_t s = 0;
	     !wrong && plan->journal == JOURNAL_GAP && s < plan->journal_bytes / sector; s++)
		if (disk[plan->journal_start / sector + s] != TOKEN_JOURNAL)
			wrong = "the journal is overwritten";
	free(before);
	free(disk);
	return wrong;
}

/* ---- dice ---- */

struct dice {
	const uint8_t *bytes; /* NULL: the generator below */
	size_t len;
	uint64_t state;
};

/* 0 to n - 1; from the input while it lasts, so that a fuzzer can steer. */
static inline uint64_t roll(struct dice *d, uint64_t n)
{
	uint64_t v = 0;

	if (d->bytes) {
		for (int i = 0; i < 2 && d->len; i++, d->len--)
			v = v << 8 | *d->bytes++;
		return v % n;
	}
	d->state ^= d->state >> 12;
	d->state ^= d->state << 25;
	d->state ^= d->state >> 27;
	return (d->state * 0x2545f4914f6cdd1dULL >> 16) % n;
}

/* A gap: often none, often some grains, often something odd. */
static inline uint64_t roll_gap(struct dice *d, uint64_t unit)
{
	switch (roll(d, 5)) {
	case 0:
	case 1:
		return roll(d, 3);
	case 2:
		return roll(d, 4 * unit);
	case 3:
		return unit * roll(d, 4);
	default:
		return 62;
	}
}

/* The next place, often a boundary already. */
static inline uint64_t roll_start(struct dice *d, uint64_t pos, uint64_t unit)
{
	pos += roll_gap(d, unit);
	return roll(d, 2) ? pos : (pos + unit - 1) / unit * unit;
}

static inline uint64_t roll_logicals(struct plan_case *c, struct dice *d, uint64_t pos,
				     uint64_t unit, unsigned count)
{
	struct partition *box = case_add(c, 4, roll(d, 2) ? "5" : "f", pos, 1);
	uint64_t ebr = pos, first = pos;

	for (unsigned k = 0; k < count; k++) {
		uint64_t start = roll_start(d, ebr + 1, unit);

		case_add_logical(c, 5 + k, ebr, start, 1 + roll(d, 6 * unit));
		ebr = start + c->partitions[c->layout.count - 1].size / c->layout.sector_size;
		pos = ebr;
		ebr += roll(d, 3) ? 0 : roll_gap(d, unit);
	}
	pos += roll(d, 2) ? 0 : roll_gap(d, unit);
	box->size = (pos - first + !count) * c->layout.sector_size;
	return pos + !count;
}

/* A table of up to `most` partitions on a disk of a few hundred grains of `unit` sectors. */
static inline void roll_case(struct plan_case *c, struct dice *d, unsigned most)
{
	uint32_t sector = roll(d, 4) ? 512 : 4096;
	bool gpt = roll(d, 2);
	uint64_t grain = 4096ULL << (roll(d, 3) ? 0 : roll(d, 8)), unit = grain / sector;
	unsigned count = 1 + roll(d, most), box = gpt ? most : roll(d, 4);
	uint64_t pos, sectors;

	case_init(c, gpt ? TABLE_GPT : TABLE_DOS, 1 << 20, sector);
	pos = gpt ? 34 : 1 + roll(d, 70);
	/* Four primaries, or three and a container. */
	for (unsigned k = 0; k < count && (gpt || k < 3); k++) {
		if (!gpt && k == box)
			pos = roll_logicals(c, d, pos, unit, roll(d, most));
		pos = roll_start(d, pos, unit);
		case_add(c, k + 1, "83", pos, 1 + roll(d, roll(d, 4) ? 8 * unit : 40 * unit));
		pos += c->partitions[c->layout.count - 1].size / sector;
		if (!roll(d, 12))
			c->partitions[c->layout.count - 1].role = ROLE_BIOS_BOOT;
	}
	/* Much room behind the last one, or hardly any. */
	sectors = pos + (roll(d, 2) ? roll(d, 3 * unit * (count + 1)) + 200
				    : roll(d, roll(d, 2) ? 3 : unit));
	if (!roll(d, 4))
		sectors += roll(d, 8 * MIB / sector);
	if (gpt)
		sectors += 16384 / sector + 1;
	c->device.size = sectors * sector;
	c->layout.last_usable = gpt ? c->device.size - sector - 16384 : 0;
	if (!roll(d, 4)) {
		c->device.topology.alignment_offset = sector == 512 ? 3584 : 0;
		c->device.topology.has_alignment_offset = true;
	}
	if (!roll(d, 8))
		c->device.topology.minimum_io_size = 12288;
	c->request.grain = grain;
	c->request.lanes = roll(d, 2) ? 0 : 1 + roll(d, 8);
	if (!roll(d, 6) && c->layout.count)
		case_only(c, c->partitions[roll(d, c->layout.count)].number);
}

/* Data in gaps, never in partitions; an EBR may be inside, as a coarse look would have it. */
static inline void roll_occupied(struct plan_case *c, struct dice *d)
{
	uint32_t sector = c->layout.sector_size;

	for (unsigned k = roll(d, 4); k-- > 0;) {
		uint64_t sectors = c->device.size / sector;
		uint64_t start = roll(d, sectors), end = start + 1 + roll(d, 20);
		bool is_free = end < sectors;

		for (size_t i = 0; i < c->layout.count; i++) {
			const struct partition *p = &c->partitions[i];
			struct extent e = { p->start / sector, (p->start + p->size) / sector };

			if (case_is_data(c, i) && extents_overlap(e, (struct extent){ start, end }))
				is_free = false;
		}
		if (is_free)
			case_occupy(c, start, end);
	}
}

#endif
