// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The options are a table: one row says what an option is called, where its value goes, and which
 * commands take it. The man page and the completion are held against it by `make lint`.
 */
#include "options.h"

#include <errno.h>
#include <popt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum value_kind {
	VALUE_FLAG,    /* bool at `offset` becomes true */
	VALUE_COMMAND, /* chooses a command: at most one */
	VALUE_FORMAT,  /* chooses an output format: at most one */
	VALUE_SIZE,    /* uint64_t at `offset` */
	VALUE_SECTOR,  /* the same, a power of two from 512 to 65536 */
	VALUE_PATH,    /* char * at `offset` */
	VALUE_COLUMNS,
	VALUE_JOBS,
	VALUE_ONLY,
	VALUE_HELP, /* prints and ends; `value` says what */
};

enum help_kind { HELP_FULL, HELP_USAGE, HELP_VERSION };

/* Which commands take an option. */
#define CHECK  (1u << COMMAND_CHECK)
#define FIX    (1u << COMMAND_FIX)
#define RESUME (1u << COMMAND_RESUME)
#define UNDO   (1u << COMMAND_UNDO)
#define ANY    (CHECK | FIX | RESUME | UNDO)
#define MOVING (FIX | RESUME | UNDO)

#define AT(field) offsetof(struct options, field)

struct option_row {
	const char *name;
	char letter;
	enum value_kind kind;
	int value;
	size_t offset;
	unsigned commands;
	const char *help, *argument;
};

static const struct option_row rows[] = {
	{ "all", 'a', VALUE_FLAG, 0, AT(all), CHECK, "Check every disk of this machine", NULL },
	{ "fix", 0, VALUE_COMMAND, COMMAND_FIX, 0, ANY,
	  "Realign: move partitions together with their data", NULL },
	{ "resume", 0, VALUE_COMMAND, COMMAND_RESUME, 0, ANY,
	  "Finish a realignment that was interrupted", NULL },
	{ "undo", 0, VALUE_COMMAND, COMMAND_UNDO, 0, ANY,
	  "Put everything back, from wherever it stopped or from the end", NULL },
	{ "dry-run", 'n', VALUE_FLAG, 0, AT(dry_run), FIX, "Print the plan and change nothing",
	  NULL },
	{ "yes", 'y', VALUE_FLAG, 0, AT(yes), MOVING, "Do not ask", NULL },
	{ "grain", 'g', VALUE_SIZE, 0, AT(grain), FIX, "Boundary that starts are moved to (1MiB)",
	  "SIZE" },
	{ "only", 0, VALUE_ONLY, 0, 0, FIX,
	  "Realign these partitions (N,N...); others only make room", "LIST" },
	{ "journal", 0, VALUE_PATH, 0, AT(journal), MOVING, "Where the resume journal is kept",
	  "FILE" },
	{ "physical-sector", 0, VALUE_SECTOR, 0, AT(probe.physical_sector), CHECK | FIX,
	  "Judge as if the physical sector were SIZE", "SIZE" },
	{ "sector-size", 0, VALUE_SECTOR, 0, AT(probe.sector_size), ANY,
	  "Logical sector size of an image file", "SIZE" },
	{ "image-offset", 0, VALUE_SIZE, 0, AT(probe.image_offset), CHECK | FIX,
	  "Where byte 0 of the image sits on the medium below it", "BYTES" },
	{ "strict", 0, VALUE_FLAG, 0, AT(strict), CHECK | FIX,
	  "Warnings count as misaligned in the exit status", NULL },
	{ "json", 'J', VALUE_FORMAT, FORMAT_JSON, 0, CHECK | FIX, "Print JSON", NULL },
	{ "pairs", 'P', VALUE_FORMAT, FORMAT_PAIRS, 0, CHECK, "Print KEY=\"value\" pairs", NULL },
	{ "raw", 'r', VALUE_FORMAT, FORMAT_RAW, 0, CHECK, "Print raw columns", NULL },
	{ "output", 'o', VALUE_COLUMNS, 0, 0, CHECK, "Columns to print; +LIST adds to the default",
	  "LIST" },
	{ "noheadings", 0, VALUE_FLAG, 0, AT(report.noheadings), CHECK, "Do not print headings",
	  NULL },
	{ "bytes", 'b', VALUE_FLAG, 0, AT(report.bytes), CHECK | FIX, "Print sizes in bytes",
	  NULL },
	{ "prometheus", 0, VALUE_FORMAT, FORMAT_PROMETHEUS, 0, CHECK,
	  "Print metrics for node_exporter's textfile collector", NULL },
	{ "nagios", 0, VALUE_FORMAT, FORMAT_NAGIOS, 0, CHECK,
	  "Print one plugin line; exit status 0, 1, 2 or 3 as plugins have it", NULL },
	{ "ashift", 0, VALUE_FORMAT, FORMAT_ASHIFT, 0, CHECK,
	  "Print only the ZFS ashift that suits every device named", NULL },
	{ "jobs", 'j', VALUE_JOBS, 0, 0, CHECK, "Devices checked at once", "N" },
	{ "quiet", 'q', VALUE_FORMAT, FORMAT_QUIET, 0, ANY,
	  "Print errors only; the exit status tells", NULL },
	{ "verbose", 'v', VALUE_FLAG, 0, AT(report.verbose), ANY,
	  "Print device facts, users and progress too", NULL },
	{ "sysroot", 0, VALUE_PATH, 0, AT(sysroot), CHECK,
	  "Read sysfs and /proc from DIR (a captured machine)", "DIR" },
	{ "help", '?', VALUE_HELP, HELP_FULL, 0, ANY, "Print this help", NULL },
	{ "usage", 0, VALUE_HELP, HELP_USAGE, 0, ANY, "Print a short usage", NULL },
	{ "version", 'V', VALUE_HELP, HELP_VERSION, 0, ANY, "Print the version", NULL },
};

static int usage_error(const char *option, const char *word, const char *why)
{
	fputs("alignck: ", stderr);
	put_text(stderr, option);
	if (word) {
		fputs(" '", stderr);
		put_text(stderr, word);
		fputc('\'', stderr);
	}
	fprintf(stderr, ": %s; see alignck --help\n", why);
	return -EINVAL;
}

static int row_error(const struct option_row *row, const char *word, const char *why)
{
	char option[32];

	snprintf(option, sizeof(option), "--%s", row->name);
	return usage_error(option, word, why);
}

static int set_size(const struct option_row *row, const char *word, uint64_t *out)
{
	int r = parse_size(word, out);

	if (r == -ERANGE)
		return row_error(row, word, "is too large");
	if (r < 0)
		return row_error(row, word, "is no size (try 4096, 4K or 4KiB)");
	if (row->kind == VALUE_SECTOR && (!is_power_of_two(*out) || *out < 512 || *out > 65536))
		return row_error(row, word, "is no sector size (a power of two, 512 to 65536)");
	return 0;
}

/* A decimal number of 1 to `max` that ends at *end. 0: none. */
static unsigned parse_number(const char *word, unsigned max, const char **end)
{
	unsigned n = 0;

	for (*end = word; **end >= '0' && **end <= '9'; ++*end) {
		n = n * 10 + (**end - '0');
		if (n > max)
			return 0;
	}
	return n;
}

static int set_jobs(const struct option_row *row, const char *word, struct options *o)
{
	const char *end;

	o->jobs = parse_number(word, JOBS_MAX, &end);
	if (!o->jobs || *end)
		return row_error(row, word, "is no number from 1 to 256");
	return 0;
}

static int set_only(const struct option_row *row, const char *word, struct options *o)
{
	const char *p = word, *end;

	do {
		unsigned n = parse_number(p, LAYOUT_PARTITIONS_MAX + 4, &end);

		if (!n || (*end && *end != ',') || o->only_count == ONLY_MAX)
			return row_error(row, word, "is no list of partition numbers");
		o->only[o->only_count++] = n;
		p = end + 1;
	} while (*end);
	return 0;
}

static int set_command(const struct option_row *row, struct options *o)
{
	if (o->command != COMMAND_CHECK && (int)o->command != row->value)
		return row_error(row, NULL, "only one of --fix, --resume and --undo can be chosen");
	o->command = row->value;
	return 0;
}

static int set_format(const struct option_row *row, struct options *o)
{
	if (o->report.format != FORMAT_TEXT && (int)o->report.format != row->value)
		return row_error(row, NULL, "only one output format can be chosen");
	o->report.format = row->value;
	return 0;
}

static int set_option(const struct option_row *row, char *word, struct options *o)
{
	void *field = (char *)o + row->offset;
	char bad[64];

	switch (row->kind) {
	case VALUE_FLAG:
		*(bool *)field = true;
		return 0;
	case VALUE_COMMAND:
		return set_command(row, o);
	case VALUE_FORMAT:
		return set_format(row, o);
	case VALUE_SIZE:
	case VALUE_SECTOR:
		return set_size(row, word, field);
	case VALUE_PATH:
		if (!*word)
			return row_error(row, word, "is no path");
		free(*(char **)field);
		*(char **)field = strdup(word);
		return *(char **)field ? 0 : -ENOMEM;
	case VALUE_COLUMNS:
		if (report_parse_columns(word, &o->report, bad) < 0)
			return row_error(row, bad, "is no column");
		return 0;
	case VALUE_JOBS:
		return set_jobs(row, word, o);
	case VALUE_ONLY:
		return set_only(row, word, o);
	case VALUE_HELP:
		break;
	}
	return 0;
}

static enum parse_result print_help(poptContext context, enum help_kind kind)
{
	switch (kind) {
	case HELP_VERSION:
		puts("alignck " ALIGNCK_VERSION);
		break;
	case HELP_USAGE:
		poptPrintUsage(context, stdout, 0);
		break;
	case HELP_FULL:
		poptPrintHelp(context, stdout, 0);
		puts("\nSIZE: bytes, or with K M G T (KiB MiB GiB TiB), powers of 1024, or s for"
		     " 512-byte sectors.\nExit status: 0 aligned or done, 1 misaligned, 2 cannot "
		     "tell,"
		     " refused or failed,\n3 unfinished realignment, 64 usage.\n\n"
		     "Columns for --output:");
		report_print_columns(stdout);
	}
	return PARSE_DONE;
}

/* Options that the command does not take are errors, not silence. */
static int check_used(const bool *used, const struct options *o)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!used[i] || rows[i].commands & 1u << o->command)
			continue;
		if (rows[i].commands & CHECK)
			return row_error(&rows[i], NULL, "goes with a check only");
		return row_error(&rows[i], NULL,
				 rows[i].commands == FIX ? "goes with --fix only"
							 : "goes with --fix, --resume or --undo");
	}
	return 0;
}

static enum parse_result walk_options(poptContext context, struct options *o)
{
	bool used[ARRAY_SIZE(rows)] = { 0 };
	int id;

	while ((id = poptGetNextOpt(context)) > 0) {
		autofree char *word = poptGetOptArg(context);
		const struct option_row *row = &rows[id - 1];

		if (row->kind == VALUE_HELP)
			return print_help(context, row->value);
		used[id - 1] = true;
		if (set_option(row, word, o) < 0)
			return PARSE_USAGE;
	}
	if (id < -1) {
		usage_error(poptBadOption(context, POPT_BADOPTION_NOALIAS), NULL, poptStrerror(id));
		return PARSE_USAGE;
	}
	return check_used(used, o) < 0 ? PARSE_USAGE : PARSE_RUN;
}

static int check_paths(struct options *o)
{
	while (o->paths && o->paths[o->path_count])
		o->path_count++;
	if (!o->all && !o->path_count)
		return usage_error("no device", NULL,
				   "name a disk, a partition, an image or a table");
	if (o->command != COMMAND_CHECK && o->path_count != 1)
		return usage_error("--fix, --resume and --undo", NULL, "take one disk or image");
	return 0;
}

static struct poptOption *make_popt_table(void)
{
	struct poptOption *table = calloc(ARRAY_SIZE(rows) + 1, sizeof(*table));

	for (size_t i = 0; table && i < ARRAY_SIZE(rows); i++)
		table[i] = (struct poptOption){
			.longName = rows[i].name,
			.shortName = rows[i].letter,
			.argInfo = rows[i].argument ? POPT_ARG_STRING : POPT_ARG_NONE,
			.val = (int)i + 1,
			.descrip = rows[i].help,
			.argDescrip = rows[i].argument,
		};
	return table;
}

/* Aliases are words of whoever may write to the home: those of another user, whose HOME a sudo or a
 * cron job has kept, are not for us. */
static void forget_foreign_home(void)
{
	const char *home = getenv("HOME");
	struct stat st;

	if (home &&
	    (stat(home, &st) < 0 || st.st_uid != geteuid() || st.st_mode & (S_IWGRP | S_IWOTH)))
		unsetenv("HOME");
}

enum parse_result parse_options(int argc, const char **argv, struct options *o)
{
	enum parse_result result;

	o->table = make_popt_table();
	if (!o->table) {
		usage_error("options", NULL, strerror(ENOMEM));
		return PARSE_USAGE;
	}
	o->context = poptGetContext("alignck", argc, argv, o->table, POPT_CONTEXT_NO_EXEC);
	poptSetOtherOptionHelp(o->context, "[OPTION...] DEVICE|IMAGE|TABLE...");
	forget_foreign_home();
	poptReadDefaultConfig(o->context, 0);
	result = walk_options(o->context, o);
	if (result != PARSE_RUN)
		return result;
	o->paths = poptGetArgs(o->context);
	o->probe.sysroot = o->sysroot;
	o->report.strict = o->strict;
	o->report.terminal = isatty(STDOUT_FILENO);
	o->probe.users = report_shows_users(&o->report);
	return check_paths(o) < 0 ? PARSE_USAGE : PARSE_RUN;
}

void free_options(struct options *o)
{
	free(o->sysroot);
	free(o->journal);
	poptFreeContext(o->context);
	free(o->table);
}
