/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_REPORT_H
#define ALIGNCK_REPORT_H

/*
 * report: show what was found. Data in, text out; nothing here reads a device. The columns are a
 * table, one row a column, in src/report/columns.c.
 */

#include "alignck/plan.h"

#include <stdio.h>

/* All that is known of one device named on the command line. */
struct result {
	const char *path;
	int error; /* 0, or the -errno that ended it; then the rest is NULL */
	struct reason reason;
	struct device *device;
	char *description; /* KIND_TABLE: the text that was named, description_len bytes; else NULL
			    */
	size_t description_len;
	bool is_size_known; /* KIND_TABLE: device->size is the disk's, not how far the entries go */
	struct layout *layout;
	struct content *contents; /* layout->count of them, at least 1; NULL: not looked at */
	struct policy policy;
	struct analysis *analysis;
	struct plan *plan; /* what --fix would do; NULL: not planned */
	bool is_listed;    /* --all found it: it was not named, so it is meant for no pool */
	char *text;        /* from render_text(), freed with the result; NULL: not rendered */
};

enum report_format {
	FORMAT_TEXT,
	FORMAT_JSON,
	FORMAT_PAIRS,
	FORMAT_RAW,
	FORMAT_PROMETHEUS,
	FORMAT_NAGIOS,
	FORMAT_QUIET,
	FORMAT_ASHIFT,
};

#define REPORT_COLUMNS_MAX 48

struct report_options {
	enum report_format format;
	int columns[REPORT_COLUMNS_MAX]; /* ids from report_parse_columns(); 0 of them: the default
					  */
	size_t column_count;
	bool noheadings;
	bool bytes;    /* sizes as plain numbers of bytes */
	bool verbose;  /* device facts and users as well; that exempt partitions are off too */
	bool terminal; /* box characters only there (and in a UTF-8 locale) */
	bool strict;
	bool plan; /* print the plan too, where there is one */
};

/* Parses "NAME,START,..." ("+COL" adds to the default, as lsblk). 0, or -EINVAL and *bad = the
 * word. */
int report_parse_columns(const char *list, struct report_options *options, char bad[64]);

/* true: these options show who uses the devices, so probe_options.users must be asked for. */
bool report_shows_users(const struct report_options *options);

/* One line a column for --help: "  NAME  what it is". */
void report_print_columns(FILE *out);

/*
 * Prints all results in the order given. Results with an error are left out of text (the command
 * has said it on standard error) but counted in summaries, so that a monitoring line never calls an
 * unreadable disk fine. Returns 0 or -errno (-ENOMEM; write errors are found by the caller's
 * flush).
 */
int report(FILE *out, const struct result *results, size_t count,
	   const struct report_options *options);

/*
 * FORMAT_TEXT's part about one device, kept in result->text for report() to print. Any thread may
 * call it for a result of its own: with many devices the tables are most of the work. Nothing to do
 * for other formats and results with an error. 0 or -ENOMEM.
 */
int render_text(struct result *result, const struct report_options *options);

/*
 * What the kernel calls a partition of a disk ("sda1", "nvme0n1p1": a "p" goes between where the
 * disk's name ends in a digit); for images the file's name and the number ("disk.img1"). Writes
 * into buf and returns it.
 */
const char *partition_name(char *buf, size_t size, const struct device *device, unsigned number);

/* Writes `text` so that it is safe on any terminal: see sanitize_text(); outside UTF-8 locales
 * bytes above 0x7f are escaped as well. All that others chose goes through here. */
void put_text(FILE *out, const char *text);

/* Writes a path as a shell takes it, quoted where it must be, and safe on a terminal. */
void report_path(FILE *out, const char *path);

/* Exit status of the whole run (--nagios has its own: 0 ok, 1 warning, 2 critical, 3 unknown). */
enum status report_status(const struct result *results, size_t count, bool strict);
int nagios_status(const struct result *results, size_t count, bool strict);

/* --ashift's: STATUS_ALIGNED when there is a number to print. */
enum status ashift_status(const struct result *results, size_t count);

#endif
