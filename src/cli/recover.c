// SPDX-License-Identifier: GPL-2.0-or-later
/* Resume and undo: the journal knows everything, so nothing is planned or asked of the table. */
#include "job.h"

#include <string.h>

static int recover(const struct options *options, bool back)
{
	const char *path = options->paths[0];
	struct reason reason;
	struct job job;
	int status = STATUS_UNKNOWN;
	int err = job_open(&job, path, options, &reason);

	catch_pause_signals();
	if (!err)
		err = job_find_journal(&job, &reason);
	if (err) {
		print_error(path, reason.text);
		/* Whatever is wrong with the journal, the disk still waits for one. */
		if (job_is_covered(&job))
			status = STATUS_UNFINISHED;
	}
	if (!err)
		status = job_run(&job, back);
	if (status == STATUS_ALIGNED && options->report.format != FORMAT_QUIET) {
		put_text(stdout, path);
		puts(back ? ": done; everything is as it was"
			  : ": done; every partition is at its new place");
	}
	job_close(&job);
	return status;
}

int run_resume(const struct options *options)
{
	return recover(options, false);
}

int run_undo(const struct options *options)
{
	return recover(options, true);
}
