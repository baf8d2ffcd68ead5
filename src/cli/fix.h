/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_FIX_H
#define ALIGNCK_FIX_H

#include "job.h"

/* What a fix gathers before it starts. */
struct fix {
	const struct options *options;
	struct result result;
	struct io *io; /* read-only, for planning */
	struct extent *occupied;
	size_t occupied_count;
};

/* A plan in fix->result.plan, feasible or not. 0 or -errno with fix->result.reason. */
int make_whole_plan(struct fix *fix);

/* Says why on standard error; returns the exit status of a refusal. */
int refuse_fix(const struct fix *fix, const char *why);

/* Writes the table before the fix beside the journal or, for one in a gap, into the home of whoever
 * runs this. *saved: its name, the caller's (free), on failure too. */
int save_old_table(const struct job *job, const struct fix *fix, char **saved,
		   struct reason *reason);

/* The fix of a table written as text. Returns the exit status. */
int fix_description(struct fix *fix);

#endif
