/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_RELOCATE_H
#define ALIGNCK_RELOCATE_H

/*
 * relocate: move the bytes so that no instant can lose one. Knows disks and journals only as
 * `struct io`, tables only as sectors to write, the kernel only through the hooks.
 *
 * The promise: after kill -9, power loss or an I/O error at any instant, however often,
 * relocation_resume() ends with the new layout and relocation_undo() with the old one, every byte
 * of every partition as its owner last left it. Assumed, and no more: writing one logical sector is
 * whole or absent and harms no other; a flush that succeeds makes all earlier writes durable; the
 * journal is not lost. What is not flushed may be applied, dropped or torn in any combination.
 *
 * Words. A move takes partition bytes from `from` to `to` = from + D. Its PARTS are equal cuts of
 * the partition, one a lane (one part unless PROTECT_LANES), at multiples of part_size from the
 * partition's start; right movers (D > 0) work in each part from its end, left movers from its
 * start. The FRONTIER is (move, bytes done in each part). A ROUND moves one WINDOW in every part. A
 * BATCH is writes in any order, then a flush of every device written; nothing of the next batch is
 * issued before that flush has returned. SILLS are the |D| bytes of a part that its neighbour's
 * first windows overwrite: the lowest of parts 1.. when moving right, the highest of all but the
 * last when moving left.
 *
 * Invariants, each with a mutation in tests/mutations that shows the crash which needs it:
 *
 *  1. Sector 0 is the only switch. While any partition is incomplete it holds the cover. Order:
 *     cover, flush; the kernel's nodes dropped (every run); GPT headers blanked, flush.
 *  2. Every run first flushes disk and journal and drops caches; then sector 0 outranks the
 * journal.
 *  3. The journal is durable, header last, before the cover; its random plan id is in every record
 *     and in the cover. Disk size and logical sector size must be those it was made for.
 *  4. Two record slots; the next record goes where the newest valid one is not.
 *  5. Shift and lanes: a batch is {destinations, WINDOW record with a checksum of each lane's
 *     bytes}, window <= |D| (up to the size where |D| >= size and there is one part).
 *  6. Journal: {half A = window k, record}, then {destination k, half B = window k + 1, record: k
 *     in A, next in B}, the halves alternating, the last without a next.
 *  7. Recovery from the newest valid record: a round is done when every destination fits its
 *     checksum; else (shift, lanes) each that does not fit must have a fitting source and the round
 *     is not done, or (journal) it is written from its half; a fitting half of `next` is written
 *     too. Anything else: stop, write nothing. Flush. FRONTIER record, flush.
 *  8. Resume always goes forward, undo always back, from any frontier and with any window size.
 *  9. (Maps of used blocks: not made; every byte is copied.)
 * 10. The end, each step flushed: list of fields, END record, fields set, table sectors but 0,
 *     sector 0, kernel told, DONE record. Repeated whole after a crash. Back, once the last round
 *     is durable and before any table sector: zeros where partitions had moved to and none was
 *     before. Nothing else is cleaned up.
 * 11. Undo from END or DONE new: cover as in 1, listed fields set back, flush, FRONTIER end.
 * 12. The first error stops, nothing is skipped; a pause finishes its batch.
 * 13. Sills: while sills live in the journal (FRONTIER or WINDOW record with its sill bit) they,
 * not the disk, are what those bytes are. Entering a move from either end: sills copied to the
 *     journal, flush, FRONTIER record with the bit, flush; only then the first round. Back, sill
 *     bytes are never written by a round (the neighbour's bytes still lie there) but all at the
 *     end, flush, FRONTIER record without the bit, flush.
 * 14. The journal's data area (halves or sills) is written only where the record in force does not
 *     refer to it: a FRONTIER record without the sill bit, durable, lies between two moves' uses.
 * 15. Turns: a journal in a file serves one copy of a disk. Every run, once recovered and before it
 *     moves or ends anything, draws a random turn: the newest record again with it and the turn of
 *     the cover (it claims), flush; the cover with it, flush. Its records carry it. A cover and a
 *     record go together when their turns are the same, or when the record only claims from that
 *     cover's; else the journal went on with another copy: refused, nothing written.
 *
 * States: sector 0 and the newest record; who goes where (run.c):
 *
 *   old table, FRONTIER 0 or END/DONE old ──resume──> cover_disk() ─> FRONTIER 0 ─> run_moves()
 *   cover, FRONTIER f / WINDOW ── recover_record() ──resume──> run_moves(forward) ─> end_new()
 *                                                  └─undo────> run_moves(back) ────> end_old()
 *   cover, END/DONE new ──resume──> end_new();  undo──> undo_fields() ─> run_moves(back)
 *   cover, END/DONE old ──resume──> FRONTIER 0 ─> run_moves(forward);  undo──> end_old()
 *   new table, END/DONE new ──resume──> DONE new;  undo──> cover_disk() ─> undo_fields() ─> back
 *   old table ──undo──> DONE old (nothing to do)
 *   anything else: refused, nothing written, the reason says which
 *
 * The on-disk format of cover, header, slots and records is in src/relocate/FORMAT.md.
 */

#include "alignck/io.h"
#include "alignck/plan.h"

/* One sector of a table as it stands in one of the two layouts. */
struct table_sector {
	uint64_t offset; /* bytes, a multiple of the logical sector size */
	uint8_t *bytes;  /* one logical sector */
};

/* All sectors of one layout's table in the order in which they are written: GPT backup array and
 * header, primary array and header, EBRs; sector 0 is the LAST one. */
struct table_image {
	struct table_sector *sectors;
	size_t count;
};

/* A few bytes inside a partition that record its own start; `offset` is absolute, at the NEW place.
 */
#define POSITION_FIELD_MAX 512
struct position_field {
	uint64_t offset;
	uint32_t length;
	uint8_t old_bytes[POSITION_FIELD_MAX]; /* as they are for the old start */
	uint8_t new_bytes[POSITION_FIELD_MAX];
};

enum move_result {
	MOVE_DONE,         /* the layout asked for is on the disk, whole */
	MOVE_PAUSED,       /* should_pause() said so; the cover stands */
	MOVE_NEEDS_RESUME, /* stopped by an error; the cover may stand: resume or undo */
	MOVE_REFUSED,      /* nothing was written, or only the cover, and that was taken back */
};

#define PLAN_ID_SIZE      16
#define JOURNAL_PATH_SIZE 156 /* of the name of the journal in the cover, with its NUL */
#define MOVE_LANES_MAX    256
#define MOVES_MAX         1024

/* What the engine may not know itself. `context` is handed to each; all but find_fields may be
 * NULL. A negative errno stops the run; the hook sets the reason. */
struct relocation_hooks {
	void *context;
	/* The kernel must have no node for any partition of the disk; called under the cover by
	 * every run before a byte of a partition changes. */
	int (*drop_nodes)(void *context, struct reason *reason);
	/* The table of the new (or old) layout is the disk's table again. */
	int (*tell_kernel)(void *context, bool is_new, struct reason *reason);
	/* All data is at the new place: which fields hold an old start? *fields is malloc()ed and
	 * becomes ours. Reads `disk` only. */
	int (*find_fields)(void *context, struct io *disk, struct position_field **fields,
			   size_t *count, struct reason *reason);
	void (*progress)(void *context, uint64_t bytes_done, uint64_t bytes_total);
	bool (*should_pause)(void *context);
};

/* A disk and its journal. The journal begins at `journal_base` (a multiple of 4096) of `journal`,
 * which is `disk` itself for a journal in a gap, and may use journal_size bytes. */
struct relocation {
	struct io *disk;
	struct io *journal;
	uint64_t journal_base, journal_size;
	const struct relocation_hooks *hooks;
	uint64_t window_max;          /* bytes in flight; 0: RELOCATION_WINDOW_DEFAULT */
	uint32_t logical_sector_size; /* of the device, held against the journal's; 0: an image */
	/* Zeros that fill such a unit of the disk (a multiple of it, of hole_unit bytes) become a
	 * hole instead of being written; 0: never. For images, so that they stay sparse. */
	uint32_t hole_unit;
	unsigned threads; /* that may use `disk` and `journal` at once; 0: one (most tests) */
};
#define RELOCATION_WINDOW_DEFAULT (64 * MIB)

struct relocation_request {
	const struct plan *plan; /* feasible; only moves[] and journal are used */
	const struct table_image *old_table, *new_table;
	uint32_t logical_sector_size;
	uint32_t physical_sector_size; /* windows are cut at its multiples; 0: the logical one */
	const char *journal_name;      /* named in the cover: absolute path; NULL in a gap */
	char serial[64];               /* only ever reported; "" */
};

/*
 * The bytes a journal needs: what is fixed plus `data` for halves (2 windows) or sills
 * ((lanes - 1) * |D|). `table_bytes` is the size of both table images together. relocation_create()
 * gives the data area whatever the journal has left, and takes fewer lanes or smaller windows where
 * that is little.
 */
uint64_t relocation_journal_size(size_t moves, uint64_t table_bytes, uint64_t data);

/*
 * Writes a new journal and makes it durable, header last; touches nothing else. Its place must hold
 * only zeros, or a journal of ours that nothing unfinished depends on. Refuses (-EINVAL, -EEXIST,
 * -ENOSPC, -EBUSY with the reason): a table on the disk that is not old_table, a covered disk,
 * images that do not end with sector 0, moves outside the disk or over the journal. Call
 * relocation_resume() next.
 */
int relocation_create(const struct relocation *relocation, const struct relocation_request *request,
		      struct reason *reason);

/* Forward to the new layout, or back to the old one. The reason is set unless MOVE_DONE. */
enum move_result relocation_resume(const struct relocation *relocation, struct reason *reason);
enum move_result relocation_undo(const struct relocation *relocation, struct reason *reason);

/*
 * Reads all that will move and throws it away: finds bad sectors before the first write. -EIO with
 * the first bad byte in the reason.
 */
int relocation_scan(const struct relocation *relocation, const struct plan *plan,
		    struct reason *reason);

/* The cover: what sector 0 says while a relocation is unfinished. */
struct cover {
	uint8_t plan_id[PLAN_ID_SIZE];
	uint64_t turn; /* of the run that has the disk: a random number */
	bool in_gap;
	uint64_t journal_base;                /* in_gap: byte of the disk */
	char journal_name[JOURNAL_PATH_SIZE]; /* not in_gap: as --journal named it */
	uint32_t first_lba, lba_count;        /* its one entry, type DA */
	uint8_t entries[70]; /* bytes 440-509 of the sector 0 below it: disk id and entries */
};

#define COVER_SIZE 512 /* the rest of a larger sector is zero */

/* Is this sector 0 a whole cover? Fills *cover (may be NULL). Cheap and pure: any bytes, any size.
 */
bool is_cover(const uint8_t *sector0, size_t size, struct cover *cover);

/* Is this 4096-byte block the header of a journal of ours? Pure; the plan id may be NULL. */
bool is_journal_header(const uint8_t *block, size_t size, uint8_t plan_id[PLAN_ID_SIZE]);

/* What a disk and its journal say together, for `check` and for messages. Writes nothing. */
enum relocation_table { RELOCATION_OLD, RELOCATION_NEW, RELOCATION_COVERED, RELOCATION_OTHER };
struct relocation_state {
	enum relocation_table table;      /* what sector 0 and its companions are */
	bool finished;                    /* END or DONE with that layout's table */
	uint64_t bytes_done, bytes_total; /* forward; approximate inside a round */
	char serial[64];                  /* of the disk it was made for */
	size_t move_count;
};
/* -ENOENT: no journal there; -EUCLEAN: damaged; -ESTALE: of another disk or plan. */
int relocation_open(const struct relocation *relocation, struct relocation_state *state,
		    struct reason *reason);

/*
 * Copies of both table images that the journal keeps, for those who must know both layouts after a
 * crash; each `*sector_size` bytes a sector. The caller frees them (also on failure, where they are
 * empty or partial). Errors as relocation_open().
 */
int relocation_tables(const struct relocation *relocation, struct table_image *old_table,
		      struct table_image *new_table, uint32_t *sector_size, struct reason *reason);

/*
 * Which parts of the space between partitions that `plan` wants (new places, new EBRs, a journal in
 * a gap) are not all zeros? From the first such block to the end of the part. *list is the caller's
 * (free). A journal of ours at the place of the new one counts as free. 0 or -errno.
 */
int find_used_gaps(struct io *disk, const struct layout *layout, const struct plan *plan,
		   struct extent **list, size_t *count);

/* The first journal at or behind byte `from` that lies between the partitions of `layout`; looks at
 * the first GiB of each gap. -ENOENT: none. */
int find_gap_journal(struct io *disk, const struct layout *layout, uint64_t from, uint64_t *base);

/* 1: the journal at `base` of `io` says that partitions are between their places, whatever table
 * the disk has; 0: it does not, or there is none. -errno. */
int is_journal_half_way(struct io *io, uint64_t base);

#endif
