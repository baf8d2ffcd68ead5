// SPDX-License-Identifier: GPL-2.0-or-later
/* Opening a disk, and running the engine over it and its journal. */
#include "job.h"

#include <errno.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static volatile sig_atomic_t pause_asked;

static void ask_for_pause(int signal)
{
	(void)signal;
	pause_asked = 1;
}

void catch_pause_signals(void)
{
	struct sigaction action = { .sa_handler = ask_for_pause, .sa_flags = SA_RESTART };

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* A terminal that goes away, or a pipe that breaks, must not end a move half way. */
	sigaction(SIGHUP, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static bool should_pause(void *context)
{
	(void)context;
	return pause_asked;
}

static int drop_nodes(void *context, struct reason *reason)
{
	struct job *job = context;

	return drop_kernel_partitions(job->disk_fd, reason);
}

struct layout_options job_layout_options(const struct job *job)
{
	uint32_t sector = job->relocation.logical_sector_size;

	return (struct layout_options){ .sector_size = sector ? sector : 512,
					.may_change_sector_size = !sector };
}

/* The kernel not knowing is no reason to stop: the table on the disk is right, and that is said. */
static int tell_kernel(void *context, bool is_new, struct reason *reason)
{
	struct job *job = context;
	const struct layout_options options = job_layout_options(job);
	/* Labels inside partitions are libblkid's to read, which cannot read past the caches. */
	autoio struct io *cached = NULL;
	struct layout *layout = NULL;
	int err = io_open_readonly(job->path, &cached, reason);

	(void)is_new;
	if (!err)
		err = read_layout(cached, &options, &layout, reason);
	if (!err)
		err = add_kernel_partitions(job->disk_fd, layout, reason);
	layout_free(layout);
	if (err) {
		job->kernel_untold = true;
		print_error(job->path, reason->text);
		reason->text[0] = '\0';
	}
	return 0;
}

/* The layout that a table image makes of the disk. */
static int layout_of_image(struct io *disk, const struct table_image *image, uint32_t sector,
			   struct layout **layout, struct reason *reason)
{
	const struct layout_options options = { .sector_size = sector };
	autoio struct io *overlay = NULL;
	int err = io_open_overlay(disk, &overlay);

	for (size_t i = 0; i < image->count && !err; i++)
		err = io_write(overlay, image->sectors[i].bytes, sector, image->sectors[i].offset);
	if (err)
		return reason_set(reason, err, "cannot read the tables: %s", strerror(-err));
	return read_layout(overlay, &options, layout, reason);
}

static int find_fields_between(struct io *disk, const struct layout *from, const struct layout *to,
			       uint32_t sector, struct position_field **fields, size_t *count,
			       struct reason *reason)
{
	autofree struct plan_place *places = calloc(from->count + 1, sizeof(*places));
	const struct plan plan = { .feasible = true, .places = places, .place_count = from->count };

	if (!places)
		return reason_set(reason, -ENOMEM, "no memory");
	for (size_t i = 0; i < from->count; i++) {
		int k = find_partition(to, from->partitions[i].number);

		if (k < 0)
			return reason_set(reason, -EUCLEAN,
					  "the journal's tables do not name the same partitions");
		places[i] = (struct plan_place){ to->partitions[k].start, to->partitions[k].size,
						 to->partitions[k].ebr };
	}
	return find_position_fields(disk, from, &plan, sector, fields, count, reason);
}

/* Both layouts are the journal's: the run that ends a realignment may not be the one that planned
 * it. */
static int find_fields(void *context, struct io *disk, struct position_field **fields,
		       size_t *count, struct reason *reason)
{
	struct job *job = context;
	struct table_image before, after;
	struct layout *from = NULL, *to = NULL;
	uint32_t sector = 0;
	int err = relocation_tables(&job->relocation, &before, &after, &sector, reason);

	if (!err)
		err = layout_of_image(disk, &before, sector, &from, reason);
	if (!err)
		err = layout_of_image(disk, &after, sector, &to, reason);
	if (!err)
		err = find_fields_between(disk, from, to, sector, fields, count, reason);
	layout_free(from);
	layout_free(to);
	table_image_free(&before);
	table_image_free(&after);
	return err;
}

static double seconds_since(const struct timespec *then)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - then->tv_sec) + 1e-9 * (double)(now.tv_nsec - then->tv_nsec);
}

/* Percent, rate and time left: a line that is rewritten on a terminal, else one every 10 s if
 * asked. */
static void show_progress(void *context, uint64_t done, uint64_t total)
{
	struct job *job = context;
	bool terminal = isatty(STDERR_FILENO);
	double elapsed = seconds_since(&job->started);
	uint64_t here = done > job->first_done ? done - job->first_done : 0;
	uint64_t left = total > done ? total - done : 0;
	char rate[SIZE_TEXT_MAX];

	if (job->options->report.format == FORMAT_QUIET ||
	    (!terminal && !job->options->report.verbose))
		return;
	if (job->line_open || job->shown.tv_sec) {
		if (seconds_since(&job->shown) < (terminal ? 0.2 : 10))
			return;
	} else {
		job->first_done = done;
		here = 0;
	}
	clock_gettime(CLOCK_MONOTONIC, &job->shown);
	if (elapsed <= 0 || !here) {
		fprintf(stderr, "%s%3.0f %%%s", terminal ? "\r" : "",
			total ? 100.0 * (double)done / (double)total : 100.0, terminal ? "" : "\n");
	} else {
		double speed = (double)here / elapsed;

		fprintf(stderr, "%s%3.0f %%, %s/s, %.0f s left  %s", terminal ? "\r" : "",
			100.0 * (double)done / (double)total, format_size(rate, (uint64_t)speed),
			(double)left / speed, terminal ? "" : "\n");
	}
	job->line_open = terminal;
}

int job_open(struct job *job, const char *path, const struct options *options,
	     struct reason *reason)
{
	uint64_t base;
	int err, sector = 0;

	*job = (struct job){ .options = options, .path = path, .disk_fd = -1 };
	err = io_open_readwrite(path, &job->disk, reason);
	if (err)
		return err;
	job->disk_fd = io_fd(job->disk, &base);
	job->hooks = (struct relocation_hooks){ .context = job,
						.drop_nodes = drop_nodes,
						.tell_kernel = tell_kernel,
						.find_fields = find_fields,
						.progress = show_progress,
						.should_pause = should_pause };
	job->relocation = (struct relocation){
		.disk = job->disk, .hooks = &job->hooks, .threads = 8, .hole_unit = 64 * KIB
	};
	if (ioctl(job->disk_fd, BLKSSZGET, &sector) == 0 && sector > 0)
		job->relocation.logical_sector_size = sector;
	return lock_disk(job->disk_fd, reason);
}

void job_print_command(const struct job *job, FILE *out, const char *command)
{
	fprintf(out, "alignck %s", command);
	if (job->options->journal) {
		fputs(" --journal ", out);
		report_path(out, job->options->journal);
	}
	fputc(' ', out);
	report_path(out, job->path);
}

static void say_how_to_go_on(const struct job *job, const char *why)
{
	char text[sizeof(struct reason) + 80];

	snprintf(text, sizeof(text),
		 "%s; nothing is lost, and its partitions stay hidden until it is done", why);
	print_error(job->path, text);
	fputs("  go on:    ", stderr);
	job_print_command(job, stderr, "--resume");
	fputs("\n  go back:  ", stderr);
	job_print_command(job, stderr, "--undo");
	fputc('\n', stderr);
}

int job_run(struct job *job, bool back)
{
	struct reason reason;
	enum move_result result;

	clock_gettime(CLOCK_MONOTONIC, &job->started);
	result = back ? relocation_undo(&job->relocation, &reason)
		      : relocation_resume(&job->relocation, &reason);
	if (job->line_open)
		fputc('\n', stderr);
	switch (result) {
	case MOVE_DONE:
		return job->kernel_untold ? STATUS_UNKNOWN : STATUS_ALIGNED;
	case MOVE_PAUSED:
		say_how_to_go_on(job, "paused");
		return STATUS_UNFINISHED;
	case MOVE_NEEDS_RESUME:
		say_how_to_go_on(job, reason.text);
		return STATUS_UNFINISHED;
	case MOVE_REFUSED:
		print_error(job->path, reason.text);
		break;
	}
	return STATUS_UNKNOWN;
}

void job_close(struct job *job)
{
	io_close(job->journal_io);
	io_close(job->disk);
	free(job->journal_path);
}
