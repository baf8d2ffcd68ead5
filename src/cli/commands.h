/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_COMMANDS_H
#define ALIGNCK_COMMANDS_H

#include "options.h"

/* The commands: each does its work, prints, and returns the exit status. */
int run_check(const struct options *options);
int run_fix(const struct options *options);
int run_resume(const struct options *options);
int run_undo(const struct options *options);

/* Prints "alignck: PATH: TEXT" on standard error, made safe for a terminal. */
void print_error(const char *path, const char *text);

/*
 * Everything a check finds out about result->path: probe, layout, contents, analysis. 0, or -errno
 * with result->reason. *io (may be NULL) becomes the caller's: the whole disk, read-only; NULL
 * where there are no bytes. free_result() in either case.
 */
int examine(struct result *result, const struct probe_options *options, struct io **io);
void free_result(struct result *result);

#endif
