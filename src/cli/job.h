/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_JOB_H
#define ALIGNCK_JOB_H

#include "commands.h"

#include "alignck/commit.h"

#include <time.h>

/* A disk opened for a realignment, its journal, and what the engine calls back. */
struct job {
	const struct options *options;
	const char *path;
	struct io *disk;       /* read-write, ours alone */
	struct io *journal_io; /* a journal file; NULL: it lies in a gap of the disk */
	char *journal_path;    /* of that file, absolute; NULL */
	int disk_fd;
	struct relocation relocation;
	struct relocation_hooks hooks;
	bool kernel_untold; /* the table is written, but the kernel could not be told */
	struct timespec started, shown;
	uint64_t first_done; /* bytes done when this run began */
	bool line_open;      /* a progress line without its newline is on the terminal */
};

/* Opens `path` for us alone and locks it. The reason is set on failure. job_close() in any case. */
int job_open(struct job *job, const char *path, const struct options *options,
	     struct reason *reason);

/* Finds the journal of a realignment that exists: named by --journal, by the cover, beside the
 * image, or in a gap. -ENOENT with the reason: there is none. */
int job_find_journal(struct job *job, struct reason *reason);

/* Refuses a disk that has a table although a journal on it, or beside the `image` (path, or NULL),
 * is of a realignment that is half way: a plan would move garbage. 0, -EBUSY with the reason, or
 * -errno without. */
int check_not_half_way(struct io *disk, const struct layout *layout, const char *image,
		       struct reason *reason);

/* How a table on it is to be read. */
struct layout_options job_layout_options(const struct job *job);

/* true: sector 0 says that a realignment is unfinished. */
bool job_is_covered(struct job *job);

/* A new journal as the plan wants it: a file, or the gap. */
int job_new_journal(struct job *job, const struct plan *plan, struct reason *reason);

/* Runs forward (or back), shows progress, says how it ended; returns the exit status. */
int job_run(struct job *job, bool back);

/* The command line that goes on with this job, as a shell takes it. */
void job_print_command(const struct job *job, FILE *out, const char *command);

void job_close(struct job *job);

/* SIGINT and SIGTERM ask for a pause from here on. */
void catch_pause_signals(void);

#endif
