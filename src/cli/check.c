// SPDX-License-Identifier: GPL-2.0-or-later
/* The check: every device named is examined, then one report. */
#include "commands.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* What the threads share: the next device nobody has taken yet. */
struct queue {
	struct result *results;
	size_t count;
	atomic_size_t next;
	const struct options *options;
};

/* The last line of the text says what `--fix` would do; nothing else of a check needs a plan. */
static void plan_for_advice(struct result *r, const struct options *options)
{
	const struct plan_request request = {
		.grain = MIB,
		.journal_file = r->device->kind == KIND_IMAGE,
		.rotational = r->device->rotational,
	};

	if (options->report.format == FORMAT_TEXT &&
	    analysis_status(r->analysis, false) == STATUS_MISALIGNED &&
	    make_plan(r->device, r->layout, r->contents, r->analysis, &request, &r->plan) < 0)
		r->plan = NULL;
}

static void *work(void *arg)
{
	struct queue *q = arg;
	size_t i;

	while ((i = atomic_fetch_add(&q->next, 1)) < q->count) {
		struct result *r = &q->results[i];

		r->error = examine(r, &q->options->probe, NULL);
		if (!r->error)
			plan_for_advice(r, q->options);
	}
	return NULL;
}

/* A disk that sleeps takes seconds to answer, so devices are checked side by side. This thread
 * works too; a thread that cannot be had only means less of it. */
static void check_all(struct result *results, size_t count, const struct options *options)
{
	struct queue queue = { .results = results, .count = count, .options = options };
	size_t jobs = options->jobs ? options->jobs : JOBS_DEFAULT_MAX;
	pthread_t threads[JOBS_MAX];
	size_t started = 0;

	if (jobs > count)
		jobs = count;
	while (started + 1 < jobs && !pthread_create(&threads[started], NULL, work, &queue))
		started++;
	work(&queue);
	while (started)
		pthread_join(threads[--started], NULL);
}

static size_t count_paths(const char *const *paths)
{
	size_t n = 0;

	while (paths && paths[n])
		n++;
	return n;
}

/* Nothing is printed in place of the number, so standard error has to say why. */
static void say_unfinished(const struct result *results, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!results[i].error &&
		    analysis_status(results[i].analysis, false) == STATUS_UNFINISHED)
			print_error(results[i].path, "an unfinished realignment is on it; run"
						     " --resume or --undo");
}

static int print_results(struct result *results, size_t count, const struct options *options)
{
	int err = report(stdout, results, count, &options->report);

	if (err < 0) {
		print_error("report", strerror(-err));
		return STATUS_UNKNOWN;
	}
	if (options->report.format == FORMAT_NAGIOS)
		return nagios_status(results, count, options->strict);
	if (options->report.format == FORMAT_ASHIFT) {
		say_unfinished(results, count);
		return ashift_status(results, count);
	}
	return report_status(results, count, options->strict);
}

int run_check(const struct options *options)
{
	struct reason reason;
	char **disks = NULL;
	int status;

	if (options->all && probe_all_disks(options->probe.sysroot, &disks, &reason) < 0) {
		print_error("--all", reason.text);
		return STATUS_UNKNOWN;
	}

	size_t named = count_paths(options->paths);
	size_t count = named + count_paths((const char *const *)disks);
	struct result *results = calloc(count + 1, sizeof(*results));

	if (!results) {
		print_error("check", strerror(ENOMEM));
		probe_free_paths(disks);
		return STATUS_UNKNOWN;
	}
	for (size_t i = 0; i < named; i++)
		results[i].path = options->paths[i];
	for (size_t i = named; disks && i < count; i++)
		results[i] = (struct result){ .path = disks[i - named], .is_listed = true };
	for (size_t i = 0; i < count; i++)
		results[i].policy.strict = options->strict;
	check_all(results, count, options);
	for (size_t i = 0; i < count; i++)
		if (results[i].error)
			print_error(results[i].path, results[i].reason.text);
	status = print_results(results, count, options);
	for (size_t i = 0; i < count; i++)
		free_result(&results[i]);
	free(results);
	probe_free_paths(disks);
	return status;
}
