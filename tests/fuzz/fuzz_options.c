// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A command line: each word ends at a NUL. Whatever it is, the parser comes back, has ended nothing
 * and let go of all it took; what it lets through is within the limits that the commands count on.
 */
#include "../../src/cli/options.h"
#include "must.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { WORDS_MAX = 256 };

static bool is_parsing;

static void check_exit(void)
{
	MUST(!is_parsing);
}

static bool is_sector(uint64_t bytes)
{
	return !bytes || (is_power_of_two(bytes) && bytes >= 512 && bytes <= 65536);
}

static void check_options(const struct options *o)
{
	MUST(o->all || o->path_count);
	for (size_t i = 0; i < o->path_count; i++)
		MUST(o->paths[i] != NULL);
	MUST(o->command == COMMAND_CHECK || (o->path_count == 1 && !o->all && !o->sysroot));
	MUST(o->only_count <= ONLY_MAX && o->jobs <= JOBS_MAX);
	for (size_t i = 0; i < o->only_count; i++)
		MUST(o->only[i] != 0);
	MUST(o->report.column_count <= REPORT_COLUMNS_MAX);
	for (size_t i = 0; i < o->report.column_count; i++)
		MUST(o->report.columns[i] >= 0 && o->report.columns[i] < REPORT_COLUMNS_MAX);
	MUST(is_sector(o->probe.physical_sector) && is_sector(o->probe.sector_size));
}

/* What it says goes nowhere; aliases of whoever runs this are not read. */
static void silence(FILE *null)
{
	unsetenv("HOME");
	atexit(check_exit);
	MUST(null != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *null;
	const char *words[WORDS_MAX + 1] = { "alignck" };
	struct options options = { 0 };
	FILE *out = stdout, *err = stderr;
	char *text = malloc(size + 1);
	int count = 1;

	if (!null) {
		null = fopen("/dev/null", "we");
		silence(null);
	}
	MUST(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	for (size_t at = 0; at < size && count < WORDS_MAX; at += strlen(text + at) + 1)
		words[count++] = text + at;
	stdout = stderr = null;
	is_parsing = true;
	if (parse_options(count, words, &options) == PARSE_RUN)
		check_options(&options);
	free_options(&options);
	is_parsing = false;
	stdout = out;
	stderr = err;
	free(text);
	return 0;
}
