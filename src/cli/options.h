/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_OPTIONS_H
#define ALIGNCK_OPTIONS_H

#include "alignck/report.h"

/* The command line, parsed. Strings belong to `context`. */
struct options {
	const char **paths; /* NULL-terminated, as given; may be empty with --all */
	bool all;
	bool strict;
	unsigned jobs; /* 0: one a device, at most JOBS_DEFAULT_MAX */
	struct probe_options probe;
	struct report_options report;
	void *context; /* popt's */
};

#define JOBS_DEFAULT_MAX 16
#define JOBS_MAX         256

enum parse_result { PARSE_RUN, PARSE_DONE, PARSE_USAGE };

/* Parses. PARSE_DONE: --help or --version has been printed; PARSE_USAGE: the error has been. */
enum parse_result parse_options(int argc, const char **argv, struct options *options);
void free_options(struct options *options);

/* The commands: each does its work, prints, and returns the exit status. */
int run_check(const struct options *options);

/* Prints "alignck: PATH: TEXT" on standard error, made safe for a terminal. */
void print_error(const char *path, const char *text);

#endif
