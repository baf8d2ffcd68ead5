/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_OPTIONS_H
#define ALIGNCK_OPTIONS_H

#include "alignck/report.h"

enum command { COMMAND_CHECK, COMMAND_FIX, COMMAND_RESUME, COMMAND_UNDO };

#define ONLY_MAX 128

/* The command line, parsed. Strings are popt's or ours until free_options(). */
struct options {
	enum command command;
	const char **paths; /* NULL-terminated, as given; NULL: none (--all) */
	size_t path_count;
	bool all;
	bool strict;
	bool dry_run;
	bool yes;
	uint64_t grain; /* bytes; 0: not given */
	unsigned only[ONLY_MAX];
	size_t only_count;
	char *journal;
	unsigned jobs; /* 0: one a device, at most JOBS_DEFAULT_MAX */
	char *sysroot;
	struct probe_options probe;
	struct report_options report;
	void *context; /* popt's */
	void *table;   /* and its option table */
};

#define JOBS_DEFAULT_MAX 16
#define JOBS_MAX         256

enum parse_result { PARSE_RUN, PARSE_DONE, PARSE_USAGE };

/* Parses. PARSE_DONE: --help or --version has been printed; PARSE_USAGE: the error has been. */
enum parse_result parse_options(int argc, const char **argv, struct options *options);
void free_options(struct options *options);

#endif
