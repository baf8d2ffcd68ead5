// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One line for Nagios, Icinga and their kin (Monitoring Plugins development guidelines): "ALIGNCK
 * STATE - text | performance data". The bar ends the text, so none may be in it.
 */
#include "internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NAGIOS_OK, NAGIOS_WARNING, NAGIOS_CRITICAL, NAGIOS_UNKNOWN };

/* How many devices are named before "and N more": some relays cut a line at 1 KiB. */
#define NAMED_MAX 8

static int state_of(const struct result *result, bool strict)
{
	if (!has_facts(result))
		return NAGIOS_UNKNOWN;
	switch (analysis_status(result->analysis, strict)) {
	case STATUS_ALIGNED:
		return count_warnings(&result->analysis->findings) ? NAGIOS_WARNING : NAGIOS_OK;
	case STATUS_MISALIGNED:
	case STATUS_UNFINISHED:
		return NAGIOS_CRITICAL;
	default:
		return NAGIOS_UNKNOWN;
	}
}

/* A disk known to be bad outranks one that nobody can read. */
int nagios_status(const struct result *results, size_t count, bool strict)
{
	static const int rank[] = {
		[NAGIOS_OK] = 0, [NAGIOS_WARNING] = 1, [NAGIOS_CRITICAL] = 3, [NAGIOS_UNKNOWN] = 2
	};
	int worst = count ? NAGIOS_OK : NAGIOS_UNKNOWN;

	for (size_t i = 0; i < count; i++) {
		int state = state_of(&results[i], strict);

		if (rank[state] > rank[worst])
			worst = state;
	}
	return worst;
}

/* What is wrong with one device, as text that may hold anything; NULL: out of memory. */
static char *problem_of(const struct result *result, bool strict)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (!has_facts(result)) {
		put_text(out, result->path);
		fputs(": ", out);
		put_text(out, result->error ? result->reason.text : "not looked at");
	} else if (state_of(result, strict) == NAGIOS_WARNING) {
		put_text(out, result->device->name);
		fputs(": ", out);
		put_count(out, count_warnings(&result->analysis->findings), "warning");
	} else {
		put_text(out, result->device->name);
		fputs(": ", out);
		put_state(out, result, strict);
	}
	if (fclose(out) || !text) {
		free(text);
		return NULL;
	}
	for (char *p = text; (p = strchr(p, '|'));)
		*p = '/';
	return text;
}

static int put_problems(FILE *out, const struct result *results, size_t count, bool strict)
{
	size_t found = 0;

	/* Worst first, so that what is cut off is what matters least. */
	static const int order[] = { NAGIOS_CRITICAL, NAGIOS_UNKNOWN, NAGIOS_WARNING };

	for (size_t o = 0; o < ARRAY_SIZE(order); o++)
		for (size_t i = 0; i < count; i++) {
			if (state_of(&results[i], strict) != order[o] || found++ >= NAMED_MAX)
				continue;

			autofree char *text = problem_of(&results[i], strict);

			if (!text)
				return -1;
			fprintf(out, "%s%s", found > 1 ? "; " : "", text);
		}
	if (found > NAMED_MAX)
		fprintf(out, "; and %zu more", found - NAMED_MAX);
	return 0;
}

int print_nagios(FILE *out, const struct result *results, size_t count,
		 const struct report_options *options)
{
	static const char *const words[] = { "OK", "WARNING", "CRITICAL", "UNKNOWN" };
	size_t judged = 0, misaligned = 0, unknown = 0, warnings = 0, errors = 0;
	int state = nagios_status(results, count, options->strict);

	for (size_t i = 0; i < count; i++) {
		if (!has_facts(&results[i])) {
			errors++;
			continue;
		}
		judged += results[i].analysis->judged;
		misaligned += results[i].analysis->misaligned;
		unknown += results[i].analysis->unknown;
		warnings += count_warnings(&results[i].analysis->findings);
	}
	fprintf(out, "ALIGNCK %s - ", words[state]);
	if (!count) {
		fputs("no device to check", out);
	} else if (state == NAGIOS_OK) {
		put_count(out, count, "device");
		fputs(", ", out);
		put_count(out, judged, "partition");
		fputs(judged ? ", all aligned" : "", out);
	} else if (put_problems(out, results, count, options->strict)) {
		return -ENOMEM;
	}
	fprintf(out,
		" | misaligned=%zu;;0;0;%zu unknown=%zu;;0;0;%zu warnings=%zu;0;;0 "
		"errors=%zu;;0;0;%zu\n",
		misaligned, judged, unknown, judged, warnings, errors, count);
	return 0;
}
