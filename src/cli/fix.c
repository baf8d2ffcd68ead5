// SPDX-License-Identifier: GPL-2.0-or-later
/* The fix: examine, plan, ask, then move. Everything up to the cover can be stopped without a
 * trace. */
#include "fix.h"

#include "alignck/description.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LANES       64 /* parts of a partition that move at once on media without seeks */
#define REPLANS_MAX 64 /* every round learns of one more gap with data in it */

static int plan_once(struct fix *fix)
{
	const struct options *o = fix->options;
	const struct result *r = &fix->result;
	const struct plan_request request = {
		.grain = o->grain         ? o->grain
			 : r->description ? description_grain(r->description, r->description_len)
					  : MIB,
		.only = o->only,
		.only_count = o->only_count,
		.journal_file = o->journal || fix->result.device->kind == KIND_IMAGE ||
				fix->result.description,
		.occupied = fix->occupied,
		.occupied_count = fix->occupied_count,
		.rotational = fix->result.device->rotational,
		.lanes = LANES,
	};

	plan_free(fix->result.plan);
	fix->result.plan = NULL;
	return make_plan(fix->result.device, fix->result.layout, fix->result.contents,
			 fix->result.analysis, &request, &fix->result.plan);
}

/* A gap the plan wants may hold data: then it plans again without that gap. */
static int make_plan_in_free_gaps(struct fix *fix)
{
	int err = plan_once(fix);

	for (int round = 0; !err && fix->result.plan->feasible && fix->io; round++) {
		autofree struct extent *used = NULL;
		size_t count = 0;
		void *more;

		err = find_used_gaps(fix->io, fix->result.layout, fix->result.plan, &used, &count);
		if (err || !count)
			break;
		if (round == REPLANS_MAX)
			return -ELOOP;
		more = reallocarray(fix->occupied, fix->occupied_count + count, sizeof(*used));
		if (!more)
			return -ENOMEM;
		fix->occupied = more;
		memcpy(fix->occupied + fix->occupied_count, used, count * sizeof(*used));
		fix->occupied_count += count;
		err = plan_once(fix);
	}
	return err;
}

static void refuse_plan(struct plan *plan, unsigned number, const char *why)
{
	plan->feasible = false;
	snprintf(plan->reason, sizeof(plan->reason), "partition %u: %.200s", number, why);
}

static int add_attention(struct plan *plan, unsigned number, const char *text)
{
	char **more = reallocarray(plan->attention, plan->attention_count + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	plan->attention = more;
	if (asprintf(&more[plan->attention_count], "partition %u: %s", number, text) < 0)
		return -ENOMEM;
	plan->attention_count++;
	return 0;
}

/* May what lies inside the moved partitions be moved at all, and what must be mended by hand? */
static int check_contents(struct fix *fix)
{
	struct plan *plan = fix->result.plan;
	uint32_t sector = fix->result.device->topology.logical_block_size;
	int err = 0;

	for (size_t i = 0; i < plan->move_count && !err; i++) {
		struct content_check check = { 0 };
		unsigned number = plan->moves[i].number;

		err = check_content_movable(fix->io, fix->result.layout, plan->moves[i].partition,
					    sector, &check);
		if (err || check.refused) {
			refuse_plan(plan, number, check.reason.text);
			return 0;
		}
		for (size_t k = 0; k < check.attention_count && !err; k++)
			err = add_attention(plan, number, check.attention[k]);
	}
	return err;
}

/* Can the new table be said at all? The plan keeps its wishes: the fix encodes it again, once the
 * disk is its own. */
static int check_encodable(struct fix *fix)
{
	struct plan *plan = fix->result.plan;
	size_t bytes = plan->place_count * sizeof(*plan->places);
	autofree struct plan_place *wished = malloc(bytes + 1);
	struct table_image before, after;

	if (!wished)
		return -ENOMEM;
	memcpy(wished, plan->places, bytes);
	if (encode_tables(fix->io, fix->result.layout, plan, &before, &after, &fix->result.reason) <
	    0) {
		plan->feasible = false;
		snprintf(plan->reason, sizeof(plan->reason), "%s", fix->result.reason.text);
	}
	memcpy(plan->places, wished, bytes);
	table_image_free(&before);
	table_image_free(&after);
	return 0;
}

int make_whole_plan(struct fix *fix)
{
	struct reason *reason = &fix->result.reason;
	bool is_image = fix->result.device->kind == KIND_IMAGE;
	int err = 0;

	reason->text[0] = '\0';
	if (fix->io)
		err = check_not_half_way(fix->io, fix->result.layout,
					 is_image ? fix->result.path : NULL, reason);
	if (err && reason->text[0])
		return err;
	if (!err)
		err = make_plan_in_free_gaps(fix);
	if (!err && fix->io && fix->result.plan->feasible)
		err = check_contents(fix);
	if (!err && fix->io && fix->result.plan->feasible && fix->result.plan->move_count)
		err = check_encodable(fix);
	return err ? reason_set(reason, err, "cannot plan: %s", strerror(-err)) : 0;
}

static bool ask(const struct fix *fix)
{
	char size[SIZE_TEXT_MAX], answer[16] = "";

	fprintf(stderr, "Move %zu partition%s (%s of data) on ", fix->result.plan->move_count,
		fix->result.plan->move_count == 1 ? "" : "s",
		format_size(size, fix->result.plan->bytes_to_move));
	put_text(stderr, fix->result.path);
	fputs("? [y/N] ", stderr);
	if (!fgets(answer, sizeof(answer), stdin))
		fputc('\n', stderr);
	return !strcmp(answer, "y\n") || !strcmp(answer, "Y\n") || !strcmp(answer, "yes\n");
}

/* The table may have changed between the plan and our lock on the disk. */
static int check_unchanged(struct job *job, const struct fix *fix, struct reason *reason)
{
	const struct layout_options options = {
		.sector_size = fix->result.device->topology.logical_block_size,
	};
	struct layout *now = NULL;
	struct reason difference;
	int err = read_layout(job->disk, &options, &now, reason);

	if (!err && !is_planned_layout(fix->result.layout, NULL, now, &difference))
		err = reason_set(reason, -EAGAIN,
				 "its table was changed by somebody else meanwhile (%.120s); run it"
				 " again",
				 difference.text);
	layout_free(now);
	return err;
}

/* From here on the disk is ours; until relocation_resume() not a byte of it changes but a gap's
 * journal. */
static int start(struct job *job, struct fix *fix, char **saved)
{
	const struct device *device = fix->result.device;
	struct reason *reason = &fix->result.reason;
	struct table_image before = { 0 }, after = { 0 };
	struct relocation_request request = {
		.plan = fix->result.plan,
		.old_table = &before,
		.new_table = &after,
		.logical_sector_size = device->topology.logical_block_size,
		.physical_sector_size = device->topology.physical_block_size,
	};
	int err = check_unchanged(job, fix, reason);

	if (!err)
		err = encode_tables(job->disk, fix->result.layout, fix->result.plan, &before,
				    &after, reason);
	if (!err)
		err = relocation_scan(&job->relocation, fix->result.plan, reason);
	if (!err)
		err = job_new_journal(job, fix->result.plan, reason);
	if (!err)
		err = save_old_table(job, fix, saved, reason);
	if (!err) {
		request.journal_name = job->journal_path;
		if (device->serial)
			snprintf(request.serial, sizeof(request.serial), "%s", device->serial);
		err = relocation_create(&job->relocation, &request, reason);
	}
	/* A journal that nothing depends on must not stand in the way of the next try. */
	if (err && job->journal_path)
		unlink(job->journal_path);
	table_image_free(&before);
	table_image_free(&after);
	return err;
}

static void say_where(const struct job *job, FILE *out, const char *what, const char *where)
{
	put_text(out, job->path);
	fprintf(out, ": its %s ", what);
	put_text(out, where);
	fputc('\n', out);
}

/* Beside the report, but never inside one that a program reads. */
static void say_what_is_left(const struct job *job, const char *saved, bool done)
{
	FILE *out = job->options->report.format == FORMAT_TEXT ? stdout : stderr;

	say_where(job, out, "old table is saved in", saved);
	if (job->journal_path)
		say_where(job, out, "journal is", job->journal_path);
	if (!done)
		return;
	put_text(out, job->path);
	fputs(": done; `", out);
	job_print_command(job, out, "--undo");
	fputs("` puts everything back as it was, as long as the journal is there\n", out);
}

static int move(struct fix *fix)
{
	autofree char *saved = NULL;
	struct job job;
	int status = STATUS_UNKNOWN;
	int err = job_open(&job, fix->result.path, fix->options, &fix->result.reason);

	catch_pause_signals();
	if (!err)
		err = start(&job, fix, &saved);
	if (err)
		print_error(fix->result.path, fix->result.reason.text);
	else
		status = job_run(&job, false);
	if (!err && fix->options->report.format != FORMAT_QUIET)
		say_what_is_left(&job, saved, status == STATUS_ALIGNED);
	job_close(&job);
	return status;
}

int refuse_fix(const struct fix *fix, const char *why)
{
	print_error(fix->result.path, why);
	return STATUS_UNKNOWN;
}

/* Nothing has to move: is what was asked for as it should be? */
static int status_of_only(const struct fix *fix, int status)
{
	const struct options *o = fix->options;
	const struct layout *layout = fix->result.layout;

	if (status != STATUS_MISALIGNED || !o->only_count)
		return status;
	for (size_t i = 0; i < o->only_count; i++) {
		int k = find_partition(layout, o->only[i]);

		if (k < 0 || fix->result.analysis->partitions[k].verdict > VERDICT_EXEMPT)
			return status;
	}
	return STATUS_ALIGNED;
}

static int run(struct fix *fix)
{
	const struct options *o = fix->options;
	struct result *r = &fix->result;
	struct report_options show = o->report;
	enum status status = analysis_status(r->analysis, o->strict);

	if (status == STATUS_UNFINISHED) {
		refuse_fix(fix, "an unfinished realignment is on it; run --resume or --undo");
		return status;
	}
	if (r->description)
		return fix_description(fix);
	if (r->device->kind == KIND_PARTITION)
		return refuse_fix(fix, "is a partition; name the disk, and --only the partition");
	if (make_whole_plan(fix) < 0)
		return refuse_fix(fix, r->reason.text);
	show.plan = true;
	if (report(stdout, r, 1, &show) < 0)
		return refuse_fix(fix, strerror(ENOMEM));
	if (!fix->result.plan->feasible)
		refuse_fix(fix, fix->result.plan->reason);
	if (o->dry_run)
		return fix->result.plan->feasible ? status : STATUS_UNKNOWN;
	if (!fix->result.plan->feasible)
		return STATUS_UNKNOWN;
	if (!fix->result.plan->move_count)
		return status_of_only(fix, status);
	if (refuse_if_in_use(r->device, &r->reason) < 0)
		return refuse_fix(fix, r->reason.text);
	fflush(stdout);
	if (!o->yes && !isatty(STDIN_FILENO))
		return refuse_fix(fix, "not asked to go ahead: there is no terminal; give --yes");
	if (!o->yes && !ask(fix))
		return refuse_fix(fix, "not confirmed; nothing was changed");
	return move(fix);
}

int run_fix(const struct options *options)
{
	struct fix fix = { .options = options, .result.path = options->paths[0] };
	struct probe_options probe = options->probe;
	int status = STATUS_UNKNOWN;

	probe.users = true;
	fix.result.policy.strict = options->strict;
	if (examine(&fix.result, &probe, &fix.io) < 0)
		print_error(fix.result.path, fix.result.reason.text);
	else
		status = run(&fix);
	free(fix.occupied);
	io_close(fix.io);
	free_result(&fix.result);
	return status;
}
