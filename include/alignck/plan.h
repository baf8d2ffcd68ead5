/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_PLAN_H
#define ALIGNCK_PLAN_H

/*
 * plan: where should each partition go, in which order, is there room, and how is each move
 * protected? Pure: facts in, a plan or the reason why there is none out. A plan changes starts
 * alone: sizes, numbers, order on the disk, types and ids stay. A second, separate verifier checks
 * a finished plan from scratch.
 */

#include "alignck/analyse.h"

enum protection {
	PROTECT_SHIFT,   /* windows <= |D|, checksum in the record of the same batch */
	PROTECT_LANES,   /* several shift lanes a round, sills saved in the journal */
	PROTECT_JOURNAL, /* each window through a journal half: |D| is tiny */
};

struct plan_move {
	size_t partition; /* index into layout->partitions */
	unsigned number;
	uint64_t from, to, size; /* bytes; from and to are starts */
	enum protection protection;
	uint64_t window; /* bytes a batch moves in one lane */
	unsigned lanes;  /* 1 but for PROTECT_LANES */
};

/* Where one entry of the table ends up; as many as layout->partitions, same indexes. */
struct plan_place {
	uint64_t start, size; /* bytes; an extended container may change both */
	uint64_t ebr;         /* a logical's EBR, absolute byte; 0: none */
};

enum journal_where { JOURNAL_NOWHERE, JOURNAL_GAP, JOURNAL_FILE };

struct plan {
	bool feasible;
	char reason[240];       /* why not, and what would help: "needs 1985 more sectors" */
	char note[240];         /* what was decided beyond the request (another grain); "" */
	uint64_t grain, shift;  /* starts go to shift + n * grain */
	uint64_t bytes_to_move; /* sum of the moves' sizes */
	uint64_t bytes_used;    /* of these, what the file systems use where known, else the same */
	enum journal_where journal;
	uint64_t journal_start, journal_bytes; /* JOURNAL_GAP: where; bytes in either case */
	struct plan_move *moves;               /* in the order in which they are made */
	size_t move_count;
	struct plan_place *places;
	size_t place_count;
	char **attention; /* what the user must mend by hand; sentences */
	size_t attention_count;
};

struct plan_request {
	uint64_t grain;       /* bytes, default 1 MiB; a multiple of the required alignment */
	const unsigned *only; /* partition numbers to realign; others move only to make room */
	size_t only_count;    /* 0: every misaligned one */
	bool journal_file;    /* the journal is a file (an image, or --journal): no gap is needed */
	const struct extent
		*occupied; /* gaps, or parts of them, that hold data: never planned into. In any
			      order; an EBR that the layout names does not count */
	size_t occupied_count;
	enum tristate rotational;
	unsigned lanes; /* most parts of a partition that may move at once; 0 or 1: one */
};

/*
 * What make_plan() keeps to, and verify_plan() holds it to.
 *
 * PLAN_BOOT_GAP: on an MBR disk nothing moves to a place below sector 64 (of 512 bytes): boot
 * loaders live there. PLAN_TAIL: the last 64 KiB of an MBR disk, where GEOM and fake RAID keep
 * their metadata (which is then `occupied`), are moved into only where that saves bytes, and never
 * hold the journal; a GPT's usable area ends before its backup. PLAN_JOURNAL_GAP: the smallest gap
 * that a journal is put into. PLAN_LONE_SHIFT: a shorter way than this goes through the journal,
 * because a flush every few sectors would take days.
 */
#define PLAN_BOOT_GAP    (64 * 512ULL)
#define PLAN_TAIL        (64 * KIB)
#define PLAN_JOURNAL_GAP (2 * MIB)
#define PLAN_LONE_SHIFT  (64 * KIB)

/*
 * Plans. `contents` as in analyse(). Always gives a plan (plan_free) whose `feasible` tells;
 * returns -ENOMEM or 0. Nothing to do is a feasible plan without moves. Of all plans the one that
 * moves the fewest bytes. A plan that verify_plan() refuses is given back as not feasible.
 */
int make_plan(const struct device *device, const struct layout *layout,
	      const struct content *contents, const struct analysis *analysis,
	      const struct plan_request *request, struct plan **plan);
void plan_free(struct plan *plan);

/*
 * Checks a feasible plan from scratch, sharing no code with make_plan(): no two places overlap, all
 * lie inside the usable area and off `occupied` and table sectors, order and sizes kept, every
 * selected start on the grain, EBRs in front of their logicals and inside the container, the order
 * of the moves never writes over a byte not yet moved, windows within their protection's bound, the
 * journal free in both layouts. false with the reason when it does not hold.
 */
bool verify_plan(const struct device *device, const struct layout *layout,
		 const struct analysis *analysis, const struct plan_request *request,
		 const struct plan *plan, struct reason *reason);

const char *protection_name(enum protection protection);
const char *journal_where_name(enum journal_where where);

#endif
