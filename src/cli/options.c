// SPDX-License-Identifier: GPL-2.0-or-later
#include "options.h"

#include <errno.h>
#include <locale.h>
#include <popt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What popt returns for an option that needs more than storing a flag. */
enum option_id {
	OPT_HELP = 1,
	OPT_USAGE,
	OPT_VERSION,
	OPT_JSON,
	OPT_PAIRS,
	OPT_RAW,
	OPT_PROMETHEUS,
	OPT_NAGIOS,
	OPT_QUIET,
	OPT_OUTPUT,
	OPT_JOBS,
	OPT_PHYSICAL_SECTOR,
	OPT_SECTOR_SIZE,
	OPT_IMAGE_OFFSET,
};

/* Values that popt stores by itself. */
struct flags {
	int all, strict, noheadings, bytes, verbose;
	char *sysroot;
};

/* Output formats: at most one of them can be asked for. */
static const struct {
	enum option_id option;
	const char *name;
	enum report_format format;
} formats[] = {
	{ OPT_JSON, "--json", FORMAT_JSON },
	{ OPT_PAIRS, "--pairs", FORMAT_PAIRS },
	{ OPT_RAW, "--raw", FORMAT_RAW },
	{ OPT_PROMETHEUS, "--prometheus", FORMAT_PROMETHEUS },
	{ OPT_NAGIOS, "--nagios", FORMAT_NAGIOS },
	{ OPT_QUIET, "--quiet", FORMAT_QUIET },
};

static int usage_error(const char *option, const char *word, const char *why)
{
	char safe[256];

	sanitize_text(safe, sizeof(safe), word ? word : "", word ? strlen(word) : 0);
	fprintf(stderr, "alignck: %s%s%s%s: %s; see alignck --help\n", option, word ? " '" : "",
		safe, word ? "'" : "", why);
	return -EINVAL;
}

static int set_format(struct options *o, enum option_id id)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		if (formats[i].option != id)
			continue;
		if (o->report.format != FORMAT_TEXT && o->report.format != formats[i].format)
			return usage_error(formats[i].name, NULL,
					   "only one output format can be chosen");
		o->report.format = formats[i].format;
	}
	return 0;
}

static int set_size(const char *option, const char *word, bool sector, uint64_t *out)
{
	int r = parse_size(word, out);

	if (r == -ERANGE)
		return usage_error(option, word, "is too large");
	if (r < 0)
		return usage_error(option, word, "is no size (try 4096, 4K or 4KiB)");
	if (sector && (!is_power_of_two(*out) || *out < 512 || *out > 65536))
		return usage_error(option, word,
				   "is no sector size (a power of two from 512 to 65536)");
	return 0;
}

static int set_jobs(const char *word, unsigned *jobs)
{
	char *end;
	unsigned long n = strtoul(word, &end, 10);

	if (*word < '0' || *word > '9' || *end || n < 1 || n > JOBS_MAX)
		return usage_error("--jobs", word, "is no number from 1 to 256");
	*jobs = n;
	return 0;
}

static int set_option(struct options *o, int id, const char *word)
{
	char bad[64];

	switch (id) {
	case OPT_OUTPUT:
		if (report_parse_columns(word, &o->report, bad) < 0)
			return usage_error("--output", bad, "is no column");
		return 0;
	case OPT_JOBS:
		return set_jobs(word, &o->jobs);
	case OPT_PHYSICAL_SECTOR:
		return set_size("--physical-sector", word, true, &o->probe.physical_sector);
	case OPT_SECTOR_SIZE:
		return set_size("--sector-size", word, true, &o->probe.sector_size);
	case OPT_IMAGE_OFFSET:
		return set_size("--image-offset", word, false, &o->probe.image_offset);
	default:
		return set_format(o, id);
	}
}

static enum parse_result print_help(poptContext context, int id)
{
	if (id == OPT_VERSION) {
		puts("alignck " ALIGNCK_VERSION);
		return PARSE_DONE;
	}
	if (id == OPT_USAGE) {
		poptPrintUsage(context, stdout, 0);
		return PARSE_DONE;
	}
	poptPrintHelp(context, stdout, 0);
	puts("\nSIZE: bytes, or with K M G T (KiB MiB GiB TiB), powers of 1024, or s for 512-byte"
	     " sectors.\nExit status: 0 aligned, 1 misaligned, 2 cannot tell or failed, 3 "
	     "unfinished"
	     " realignment, 64 usage.\n\nColumns for --output:");
	report_print_columns(stdout);
	return PARSE_DONE;
}

static enum parse_result walk_options(poptContext context, struct options *o)
{
	int id;

	while ((id = poptGetNextOpt(context)) > 0) {
		autofree char *word = poptGetOptArg(context);

		if (id == OPT_HELP || id == OPT_USAGE || id == OPT_VERSION)
			return print_help(context, id);
		if (set_option(o, id, word) < 0)
			return PARSE_USAGE;
	}
	if (id < -1) {
		usage_error(poptBadOption(context, POPT_BADOPTION_NOALIAS), NULL, poptStrerror(id));
		return PARSE_USAGE;
	}
	return PARSE_RUN;
}

enum parse_result parse_options(int argc, const char **argv, struct options *o)
{
	struct flags f = { 0 };
	const struct poptOption table[] = {
		{ "all", 'a', POPT_ARG_NONE, &f.all, 0, "Check every disk of this machine", NULL },
		{ "physical-sector", 0, POPT_ARG_STRING, NULL, OPT_PHYSICAL_SECTOR,
		  "Judge as if the physical sector were SIZE", "SIZE" },
		{ "sector-size", 0, POPT_ARG_STRING, NULL, OPT_SECTOR_SIZE,
		  "Logical sector size of an image file", "SIZE" },
		{ "image-offset", 0, POPT_ARG_STRING, NULL, OPT_IMAGE_OFFSET,
		  "Where byte 0 of the image sits on the medium below it", "BYTES" },
		{ "strict", 0, POPT_ARG_NONE, &f.strict, 0,
		  "Warnings count as misaligned in the exit status", NULL },
		{ "json", 'J', POPT_ARG_NONE, NULL, OPT_JSON, "Print JSON", NULL },
		{ "pairs", 'P', POPT_ARG_NONE, NULL, OPT_PAIRS, "Print KEY=\"value\" pairs", NULL },
		{ "raw", 'r', POPT_ARG_NONE, NULL, OPT_RAW, "Print raw columns", NULL },
		{ "output", 'o', POPT_ARG_STRING, NULL, OPT_OUTPUT,
		  "Columns to print; +LIST adds to the default", "LIST" },
		{ "noheadings", 0, POPT_ARG_NONE, &f.noheadings, 0, "Do not print headings", NULL },
		{ "bytes", 'b', POPT_ARG_NONE, &f.bytes, 0, "Print sizes in bytes", NULL },
		{ "prometheus", 0, POPT_ARG_NONE, NULL, OPT_PROMETHEUS,
		  "Print metrics for node_exporter's textfile collector", NULL },
		{ "nagios", 0, POPT_ARG_NONE, NULL, OPT_NAGIOS,
		  "Print one plugin line; exit status 0, 1, 2 or 3 as plugins have it", NULL },
		{ "jobs", 'j', POPT_ARG_STRING, NULL, OPT_JOBS, "Devices checked at once", "N" },
		{ "quiet", 'q', POPT_ARG_NONE, NULL, OPT_QUIET,
		  "Print errors only; the exit status tells", NULL },
		{ "verbose", 'v', POPT_ARG_NONE, &f.verbose, 0, "Print device facts and users too",
		  NULL },
		{ "version", 'V', POPT_ARG_NONE, NULL, OPT_VERSION, "Print the version", NULL },
		{ "sysroot", 0, POPT_ARG_STRING, &f.sysroot, 0,
		  "Read sysfs and /proc from DIR (a captured machine)", "DIR" },
		{ "help", '?', POPT_ARG_NONE, NULL, OPT_HELP, "Print this help", NULL },
		{ "usage", 0, POPT_ARG_NONE, NULL, OPT_USAGE, "Print a short usage", NULL },
		POPT_TABLEEND
	};
	poptContext context = poptGetContext("alignck", argc, argv, table, 0);
	enum parse_result result;

	o->context = context;
	poptSetOtherOptionHelp(context, "[OPTION...] DEVICE|IMAGE...");
	poptReadDefaultConfig(context, 0);
	result = walk_options(context, o);
	o->probe.sysroot = f.sysroot; /* lives as long as the process; popt allocated it */
	if (result != PARSE_RUN)
		return result;
	o->paths = poptGetArgs(context);
	if (!f.all && !o->paths) {
		usage_error("nothing to check", NULL,
			    "name a disk, a partition or an image, or --all");
		return PARSE_USAGE;
	}
	o->all = f.all;
	o->strict = o->report.strict = f.strict;
	o->report.noheadings = f.noheadings;
	o->report.bytes = f.bytes;
	o->report.verbose = f.verbose;
	o->report.terminal = isatty(STDOUT_FILENO);
	return PARSE_RUN;
}

void free_options(struct options *o)
{
	free((char *)o->probe.sysroot);
	poptFreeContext(o->context);
}
