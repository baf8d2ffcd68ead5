/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_RELOCATE_JOURNAL_H
#define ALIGNCK_RELOCATE_JOURNAL_H

/*
 * What relocate's own files share: the journal as it is decoded, its records, the geometry of a
 * move. Only src/relocate includes this. FORMAT.md has the bytes.
 */

#include "alignck/relocate.h"

#define JOURNAL_BLOCK   4096 /* header and each record slot: a block of its own */
#define JOURNAL_SLOT    4096 /* offset of the first slot */
#define JOURNAL_CONTENT 12288
#define TABLE_BYTES_MAX (4 * MIB) /* of one layout's table image */
#define FIELDS_PER_MOVE 8192 /* bytes of the field area for each move; twice what exFAT needs */
#define FIELD_ROW       16   /* offset, length, spare; then old and new bytes */

/* XXH64 (the algorithm of xxHash, r39). 2^-64 is the chance that a torn window or record passes for
 * whole; seeded with the plan id, so that the content of a partition cannot be made to collide. */
struct sum64 {
	uint64_t lane[4], total, seed;
	uint8_t tail[32];
};
void sum64_begin(struct sum64 *sum, uint64_t seed);
void sum64_add(struct sum64 *sum, const void *data, size_t len);
uint64_t sum64_end(const struct sum64 *sum);
uint64_t sum64(uint64_t seed, const void *data, size_t len);

/* A move as the journal has it: plan_move with its parts worked out. */
struct move {
	unsigned number;
	enum protection protection;
	uint64_t from, to, size, window;
	uint64_t part_size; /* >= |D| where there is more than one part */
	uint32_t parts;
};

enum record_kind {
	RECORD_FRONTIER = 1, /* at (move, lo) */
	RECORD_ROUND,        /* shift and lanes: every lane's [lo, hi), sums[lane] */
	RECORD_HALVES, /* journal: [lo, hi) in `half` (sums[0]) unless empty, [next_lo, next_hi) in
			  the other (sums[1]) unless empty */
	RECORD_END,    /* sector 0 and all else is about to become that layout's table */
	RECORD_DONE,
};

struct record {
	enum record_kind kind;
	bool back;   /* ROUND, HALVES: direction */
	bool sills;  /* FRONTIER, ROUND: the move's sills are in the data area, sum sills_sum */
	bool is_new; /* END, DONE: of the new layout */
	bool claims; /* the first record of `turn`: the cover may still have turn_before */
	uint64_t turn, turn_before;
	uint64_t sequence;
	uint32_t move;   /* move_count with lo 0: all are done */
	uint64_t lo, hi; /* bytes of a part, as the frontier counts them */
	uint64_t next_lo, next_hi;
	uint32_t half;
	uint64_t sills_sum;
	uint32_t field_count; /* END, DONE: the list in the field area */
	uint64_t field_bytes, field_sum;
	uint32_t sum_count;
	uint64_t sums[MOVE_LANES_MAX];
};

/* The journal's header and content. */
struct journal {
	uint8_t plan_id[PLAN_ID_SIZE];
	uint64_t seed; /* of every sum but the header's: from the plan id */
	uint64_t disk_size;
	uint32_t logical_sector_size, physical_sector_size;
	bool in_gap;
	bool is_begun; /* being written: content is not there yet, nothing hangs on it */
	uint64_t base; /* in_gap: byte of the disk */
	char name[JOURNAL_PATH_SIZE];
	char serial[64];
	uint32_t cover_first_lba, cover_lba_count;
	uint64_t content_size, content_sum;
	uint64_t fields_offset, fields_size; /* from the journal's first byte */
	uint64_t data_offset, data_size;
	uint32_t move_count;
	uint32_t table_count[2]; /* old, new */
	struct move *moves;
	struct table_image table[2];
	uint8_t *table_bytes; /* what `table` points into */
};

/* record.c: pure */
void encode_header(const struct journal *journal, uint8_t block[JOURNAL_BLOCK]);
bool decode_header(const uint8_t *block, size_t size, struct journal *journal);
size_t content_size(const struct journal *journal);
void encode_content(const struct journal *journal, uint8_t *content);
/* Builds moves and tables (journal_free) from content whose sum fits; -EUCLEAN or -ENOMEM. */
int decode_content(struct journal *journal, const uint8_t *content);
void encode_record(const struct journal *journal, const struct record *record,
		   uint8_t block[JOURNAL_BLOCK]);
/* Without journal->moves the places in the record are not checked. */
bool decode_record(const struct journal *journal, const uint8_t *block, struct record *record);
void journal_free(struct journal *journal);

/* geometry.c: pure */
uint64_t move_distance(const struct move *move);
bool moves_right(const struct move *move);
/* Works out parts: as many lanes as asked for and as `data_size` has room for sills. */
void cut_parts(struct move *move, uint32_t lanes, uint32_t unit, uint64_t data_size);
bool is_valid_move(const struct journal *journal, const struct move *move);
/* The partition bytes that `lane` moves while its frontier goes from lo to hi; may be empty. */
struct extent lane_extent(const struct move *move, uint32_t lane, uint64_t lo, uint64_t hi);
struct extent sill_extent(const struct move *move, uint32_t lane);
/* Where in the data area that sill lies. */
uint64_t sill_offset(const struct move *move, uint32_t lane);
/* The other end of the window that begins at frontier f. */
uint64_t next_frontier(const struct journal *journal, const struct move *move, bool back,
		       uint64_t f, uint64_t window);
/* Bytes moved when a move stands at frontier f. */
uint64_t bytes_moved(const struct move *move, uint64_t f);

/* cover.c: pure */
void encode_cover(const struct cover *cover, uint8_t sector0[COVER_SIZE]);
/* Where the cover's one entry may lie: it starts and ends where no partition does. */
void place_cover_entry(const struct journal *journal, uint32_t *first_lba, uint32_t *lba_count);

/* journal.c */
/* Reads and checks header and content; *journal is the caller's (journal_free) on success. */
int journal_open(const struct relocation *relocation, struct journal *journal,
		 struct reason *reason);

int draw_random(void *to, size_t size, struct reason *reason);

/* Where in the journal that slot is. */
static inline uint64_t slot_offset(int slot)
{
	return JOURNAL_SLOT + (uint64_t)slot * JOURNAL_BLOCK;
}

/* The newest valid record of a journal of which at least the header was read, and its slot; kind 0
 * and slot -1: none. `block` is room for one. 0, or -errno and *slot is the one that cannot be
 * read. */
int journal_newest(struct io *io, uint64_t base, const struct journal *journal, uint8_t *block,
		   struct record *newest, int *slot);
/* Does it say that partitions are, or may be, between their places? */
bool is_half_way(const struct record *record);

#endif
