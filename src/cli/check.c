// SPDX-License-Identifier: GPL-2.0-or-later
/* The check: probe, layout, stack, analyse for every device named, then one report. */
#include "options.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* An image has no sector size of its own; the one its table was written in says what it came from.
 */
static void believe_table(struct device *d, uint32_t sector_size)
{
	struct topology *t = &d->topology;

	t->logical_block_size = sector_size;
	if (d->sector_source == SOURCE_ASSUMED && sector_size >= t->physical_block_size) {
		t->physical_block_size = sector_size;
		d->sector_source = SOURCE_TABLE;
	}
}

/* Reads the table, or takes the kernel's word where there are no bytes or the table lacks the
 * partition that was named. */
static int find_layout(struct result *r, struct io *io)
{
	struct device *d = r->device;
	const struct layout_options options = {
		.sector_size = d->topology.logical_block_size,
		.may_change_sector_size = d->kind == KIND_IMAGE && !d->logical_is_user,
	};
	int err = 0;

	if (io)
		err = read_layout(io, &options, &r->layout, &r->reason);
	if (err < 0)
		return err;
	if (!io || (d->kind == KIND_PARTITION && find_partition(r->layout, d->number) < 0)) {
		layout_free(r->layout);
		err = layout_from_kernel(d->kernel_partitions, d->kernel_partition_count,
					 d->topology.logical_block_size, &r->layout);
		if (err < 0)
			return reason_set(&r->reason, err, "cannot check: %s", strerror(-err));
	}
	r->policy.only = d->kind == KIND_PARTITION ? find_partition(r->layout, d->number) : -1;
	if (options.may_change_sector_size && r->layout->sector_size_proven)
		believe_table(d, r->layout->sector_size);
	return 0;
}

/* Looks into everything that can hold a file system; a container's or table's own entry is none. */
static int find_contents(struct result *r, struct io *io)
{
	const struct layout *layout = r->layout;
	uint32_t sector = r->device->topology.logical_block_size;
	int err = 0;

	r->contents = calloc(layout->count + 1, sizeof(*r->contents));
	if (!r->contents)
		return -ENOMEM;
	if (layout->type == TABLE_NONE)
		return read_content(io, 0, io->size, sector, &r->contents[0]);
	for (size_t i = 0; i < layout->count && !err; i++) {
		const struct partition *p = &layout->partitions[i];

		if (p->role == ROLE_DATA && is_selected(layout, &r->policy, i))
			err = read_content(io, p->start, p->size, sector, &r->contents[i]);
	}
	return err;
}

static int check_device(struct result *r, const struct options *options)
{
	autoio struct io *io = NULL;
	int err = probe_device(r->path, &options->probe, &r->device, &io, &r->reason);

	if (err < 0)
		return err;
	err = find_layout(r, io);
	if (err < 0)
		return err;
	if (io)
		err = find_contents(r, io);
	if (!err)
		err = analyse(r->device, r->layout, r->contents, &r->policy, &r->analysis);
	return err < 0 ? reason_set(&r->reason, err, "cannot check: %s", strerror(-err)) : 0;
}

/* What the threads share: the next device nobody has taken yet. */
struct queue {
	struct result *results;
	size_t count;
	atomic_size_t next;
	const struct options *options;
};

static void *work(void *arg)
{
	struct queue *q = arg;
	size_t i;

	while ((i = atomic_fetch_add(&q->next, 1)) < q->count)
		q->results[i].error = check_device(&q->results[i], q->options);
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

static void free_result(struct result *r)
{
	for (size_t i = 0; r->contents && i <= r->layout->count; i++)
		content_free(&r->contents[i]);
	free(r->contents);
	analysis_free(r->analysis);
	layout_free(r->layout);
	device_free(r->device);
}

static size_t count_paths(const char *const *paths)
{
	size_t n = 0;

	while (paths && paths[n])
		n++;
	return n;
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
	for (size_t i = 0; i < count; i++) {
		results[i].path = i < named ? options->paths[i] : disks[i - named];
		results[i].policy.strict = options->strict;
	}
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
