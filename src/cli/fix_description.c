// SPDX-License-Identifier: GPL-2.0-or-later
/* `--fix --dry-run` of a table that is only written down: it is printed aligned. */
#include "fix.h"

#include "alignck/description.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The table as text again, with the plan's starts. */
static int print_description(const struct fix *fix, struct reason *reason)
{
	const struct result *r = &fix->result;
	autofree struct extent *places = calloc(r->layout->count + 1, sizeof(*places));

	if (!places)
		return reason_set(reason, -ENOMEM, "no memory");
	for (size_t i = 0; i < r->layout->count; i++) {
		const struct partition *p = &r->layout->partitions[i];
		bool is_placed = i < r->plan->place_count;
		uint64_t start = is_placed ? r->plan->places[i].start : p->start;
		uint64_t size = is_placed ? r->plan->places[i].size : p->size;

		places[i] = (struct extent){ start, start + size };
	}
	return write_description(r->description, r->description_len, r->layout, places, stdout,
				 reason);
}

/* `known`: bytes the disk has for certain. */
static void warn_of_size(const struct fix *fix, uint64_t known)
{
	const struct plan *plan = fix->result.plan;
	uint64_t end = 0;
	char text[160];

	for (size_t i = 0; i < plan->place_count; i++)
		if (plan->places[i].start + plan->places[i].size > end)
			end = plan->places[i].start + plan->places[i].size;
	if (end <= known)
		return;
	snprintf(text, sizeof(text),
		 "does not tell how large its disk is; it must have %" PRIu64 " sectors at least",
		 end / fix->result.layout->sector_size);
	print_error(fix->result.path, text);
}

/*
 * A table that is only written down: there is nothing to move, but it can be written aligned. How
 * large the disk is may not be in the text; then nothing stands in the way, and that is said.
 */
int fix_description(struct fix *fix)
{
	const struct options *o = fix->options;
	struct result *r = &fix->result;
	struct report_options show = o->report;
	uint64_t reach = r->device->size, usable = r->layout->last_usable;
	int err;

	if (!o->dry_run)
		return refuse_fix(fix, "is a table written as text: there is no data to move; with "
				       "--dry-run it is printed aligned");
	if (!r->is_size_known) {
		r->device->size = INT64_MAX / r->layout->sector_size * r->layout->sector_size;
		r->layout->last_usable = r->device->size;
	}
	err = make_whole_plan(fix);
	r->device->size = reach;
	r->layout->last_usable = usable;
	if (err < 0)
		return refuse_fix(fix, r->reason.text);
	if (!r->plan->feasible)
		return refuse_fix(fix, r->plan->reason);
	show.plan = true;
	if (show.format == FORMAT_JSON)
		err = report(stdout, r, 1, &show);
	else if (show.format != FORMAT_QUIET)
		err = print_description(fix, &r->reason);
	if (err < 0)
		return refuse_fix(fix,
				  show.format == FORMAT_JSON ? strerror(-err) : r->reason.text);
	if (!r->is_size_known && r->plan->move_count)
		warn_of_size(fix, reach);
	return analysis_status(r->analysis, o->strict);
}
