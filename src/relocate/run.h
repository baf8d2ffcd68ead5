/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_RELOCATE_RUN_H
#define ALIGNCK_RELOCATE_RUN_H

/* One run of resume or undo: what the files of the engine share. Functions return 0, -errno with
 * the run's reason set, or RUN_PAUSED. */

#include "journal.h"

#include <pthread.h>
#include <stdatomic.h>

#define RUN_PAUSED 1

/* Where it stands: all moves before `move` are done, `move` stands at `done` in each part. */
struct frontier {
	uint32_t move;
	uint64_t done;
	bool sills; /* of `move`, in the journal */
};

struct run {
	const struct relocation *rel;
	struct journal journal;
	struct cover
		cover; /* as sector 0 has it, once it is covered; its turn is in every record */
	struct record newest;
	int newest_slot; /* 0 or 1; -1: there is none */
	uint64_t window_max;
	uint8_t *buffer[2]; /* window_max bytes each, for O_DIRECT */
	uint8_t *block;     /* JOURNAL_BLOCK bytes: record, sector */
	uint64_t bytes_done, bytes_total;
	uint64_t sills_sum; /* of the sills in the journal, while there are any */
	struct reason *reason;
};

/* batch.c: the batch's calls, which name what failed */
int read_disk(struct run *run, void *buf, uint64_t len, uint64_t offset);
/* Of bytes that could not be read at once: where the first sector begins that cannot. */
uint64_t find_bad_sector(struct run *run, void *buf, uint64_t len, uint64_t offset);
uint32_t sector_of(const struct run *run); /* the logical sector's size, before a journal too */
int write_disk(struct run *run, const void *buf, uint64_t len, uint64_t offset);
/* The same for data of partitions: zeros may become holes. */
int write_data(struct run *run, const uint8_t *buf, uint64_t len, uint64_t offset);
int read_journal(struct run *run, void *buf, uint64_t len, uint64_t offset);
int write_journal(struct run *run, const void *buf, uint64_t len, uint64_t offset);
int flush_both(struct run *run);
int sum_journal(struct run *run, uint64_t offset, uint64_t len, uint64_t *sum);
int read_records(struct run *run);
/* Into the slot the newest valid record is not in; it is the newest from then on. */
int write_record(struct run *run, struct record *record);
int write_frontier(struct run *run, struct frontier at); /* and flush */

/* parallel.c: work(run, context, 0 .. count - 1), on as many threads as the devices may serve. Each
 * has a run of its own whose reason counts only when it fails first; the rest is shared. */
typedef int (*crew_work)(struct run *run, void *context, uint32_t index);

int run_parallel(struct run *run, uint32_t count, crew_work work, void *context);

#define CREW_MAX 32

/* The same while the caller does something else: what the threads have not done by then (all, where
 * there are none), crew_join() does. Every crew that was started must be joined. `failed`: what the
 * caller's own work came to; then that is the result, and its reason stays. */
struct crew {
	struct run *run;
	crew_work work;
	void *context;
	uint32_t count;
	atomic_uint next;
	atomic_int error; /* the first one; nothing new is begun after it */
	struct reason reason;
	pthread_t threads[CREW_MAX];
	unsigned started;
};

void crew_start(struct crew *crew, struct run *run, uint32_t count, crew_work work, void *context);
int crew_join(struct crew *crew, int failed);

/* engine.c */
int run_moves(struct run *run, bool back, struct frontier at);
/* The sum of the bytes that `lane` reads (or has written) when it goes through [lo, hi). */
int sum_lane(struct run *run, bool back, uint32_t move, uint32_t lane, uint64_t lo, uint64_t hi,
	     bool is_target, uint64_t *sum);
/* Partition bytes of one lane as they are at that place; in the old one, the sill is in the journal
 * while the move is under way. */
int read_place(struct run *run, const struct move *move, uint32_t lane, bool is_new, uint8_t *to,
	       struct extent e);
/* Bytes each part may advance in one batch. */
uint64_t window_of(const struct run *run, const struct move *move);
/* After each batch: tells how far it is; 0 or RUN_PAUSED. */
int pause_or_go_on(struct run *run, bool back, uint32_t move, uint64_t f);

/* halves.c */
int move_journal(struct run *run, bool back, uint32_t move, uint64_t f);
uint64_t half_offset(const struct run *run, uint32_t half); /* where in the journal it begins */
uint64_t slot_size(const struct run *run); /* bytes of a window; a buffer holds two */

/* sills.c: entering a move of several parts, whole at one end (invariant 13), and leaving it with
 * all rounds done: back, the sills come last. */
int enter_lanes(struct run *run, bool back, uint32_t move, uint64_t f);
int leave_lanes(struct run *run, bool back, uint32_t move);
int sum_sills(struct run *run, uint32_t move, uint64_t *sum); /* as they are in the journal */

/* recover.c */
int recover_record(struct run *run, struct frontier *at);

/* finish.c */
int cover_disk(struct run *run, bool is_new, bool is_covered);
int take_turn(struct run *run); /* invariant 15: from now on disk and journal are this run's */
int end_new(struct run *run);
int end_old(struct run *run);
int undo_fields(struct run *run);
int write_done(struct run *run, bool is_new);

#endif
