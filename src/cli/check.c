// SPDX-License-Identifier: GPL-2.0-or-later
/* The check: every device named is examined, then one report. */
#include "commands.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What the threads share: the next device nobody has taken yet. */
struct queue {
	struct result *results;
	size_t count;
	atomic_size_t next, finished;
	const struct options *options;
	pthread_mutex_t lock; /* of `all_done`, which says that `finished` has become `count` */
	pthread_cond_t all_done;
};

/* How long nothing may be finished before one more thread is worth having, nanoseconds. */
enum { PATIENCE = 10 * 1000 * 1000 };

/* The last line of the text says what `--fix` would do; nothing else of a check needs a plan. */
static void plan_for_advice(struct result *r, const struct options *options)
{
	const struct plan_request request = {
		.grain = MIB,
		.journal_file = r->device->kind == KIND_IMAGE,
		.rotational = r->device->rotational,
	};

	if (options->report.format == FORMAT_TEXT && !r->description &&
	    analysis_status(r->analysis, false) == STATUS_MISALIGNED &&
	    make_plan(r->device, r->layout, r->contents, r->analysis, &request, &r->plan) < 0)
		r->plan = NULL;
}

static void check_one(struct result *r, const struct options *options)
{
	r->error = examine(r, &options->probe, NULL);
	if (r->error)
		return;
	plan_for_advice(r, options);
	if (render_text(r, &options->report) < 0)
		r->error = reason_set(&r->reason, -ENOMEM, "cannot check: %s", strerror(ENOMEM));
}

static void *work(void *arg)
{
	struct queue *q = arg;
	size_t i;

	while ((i = atomic_fetch_add(&q->next, 1)) < q->count) {
		check_one(&q->results[i], q->options);
		if (atomic_fetch_add(&q->finished, 1) + 1 < q->count)
			continue;
		pthread_mutex_lock(&q->lock);
		pthread_cond_signal(&q->all_done);
		pthread_mutex_unlock(&q->lock);
	}
	return NULL;
}

/* Comes back when all is done, after PATIENCE at the latest. */
static void wait_for_all(struct queue *q)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += PATIENCE;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_mutex_lock(&q->lock);
	if (atomic_load(&q->finished) < q->count)
		pthread_cond_timedwait(&q->all_done, &q->lock, &until);
	pthread_mutex_unlock(&q->lock);
}

/*
 * Side by side: at first a thread a CPU, as images that are in memory need no more; and one more as
 * often as nothing was finished for a while, since a disk that sleeps takes seconds to answer.
 */
static void check_all(struct result *results, size_t count, const struct options *options)
{
	struct queue q = { .results = results,
			   .count = count,
			   .options = options,
			   .lock = PTHREAD_MUTEX_INITIALIZER,
			   .all_done = PTHREAD_COND_INITIALIZER };
	size_t jobs = options->jobs ? options->jobs : JOBS_DEFAULT_MAX, started = 0;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t threads[JOBS_MAX];

	if (jobs > count)
		jobs = count;
	while (jobs > 1 && started < jobs && (long)started < cpus &&
	       !pthread_create(&threads[started], NULL, work, &q))
		started++;
	if (!started)
		work(&q); /* one job, or no thread to be had */
	while (started < jobs && atomic_load(&q.finished) < count) {
		size_t before = atomic_load(&q.finished);

		wait_for_all(&q);
		if (atomic_load(&q.finished) == before &&
		    !pthread_create(&threads[started], NULL, work, &q))
			started++;
	}
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
static void say_why_no_ashift(const struct result *results, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct result *r = &results[i];

		if (r->error)
			continue;
		if (r->description)
			print_error(r->path, "is a table written as text, no device");
		else if (analysis_status(r->analysis, false) == STATUS_UNFINISHED)
			print_error(r->path, "an unfinished realignment is on it; run --resume or"
					     " --undo");
	}
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
		say_why_no_ashift(results, count);
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
