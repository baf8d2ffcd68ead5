// SPDX-License-Identifier: GPL-2.0-or-later
/* From facts to a plan, step by step; internal.h lists the steps. */
#include "internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *protection_name(enum protection protection)
{
	static const char *const names[] = { "shift", "lanes", "journal" };

	return names[protection];
}

const char *journal_where_name(enum journal_where where)
{
	static const char *const names[] = { "none", "gap", "file" };

	return names[where];
}

void plan_free(struct plan *plan)
{
	if (!plan)
		return;
	for (size_t i = 0; i < plan->attention_count; i++)
		free(plan->attention[i]);
	free(plan->attention);
	free(plan->moves);
	free(plan->places);
	free(plan);
}

static void copy_places(const struct layout *layout, struct plan *plan)
{
	for (size_t i = 0; i < layout->count; i++)
		plan->places[i] = (struct plan_place){ .start = layout->partitions[i].start,
						       .size = layout->partitions[i].size,
						       .ebr = layout->partitions[i].ebr };
}

/* A plan that leaves everything where it is. */
static struct plan *new_plan(const struct layout *layout)
{
	struct plan *plan = calloc(1, sizeof(*plan));

	if (!plan)
		return NULL;
	plan->places = calloc(layout->count + 1, sizeof(*plan->places));
	if (!plan->places) {
		free(plan);
		return NULL;
	}
	plan->place_count = layout->count;
	copy_places(layout, plan);
	return plan;
}

/* Takes back all that was decided, so that a plan without moves has neither journal nor places. */
static void leave_everything(const struct layout *layout, struct plan *plan)
{
	copy_places(layout, plan);
	plan->move_count = 0;
	plan->bytes_to_move = plan->bytes_used = 0;
	plan->journal = JOURNAL_NOWHERE;
	plan->journal_start = plan->journal_bytes = 0;
}

static bool is_only_list_good(const struct ground *ground, struct plan *plan)
{
	const struct plan_request *request = ground->request;

	for (size_t i = 0; i < request->only_count; i++) {
		int index = find_partition(ground->layout, request->only[i]);

		if (index < 0)
			return refuse(plan, "there is no partition %u", request->only[i]);
		if (ground->layout->partitions[index].role == ROLE_EXTENDED)
			return refuse(plan,
				      "partition %u is the extended partition: name its logicals",
				      request->only[i]);
	}
	return true;
}

enum task { NOTHING_TO_DO, SOMETHING_TO_MOVE, NOTHING_HELPS };

/* Is there a partition that a move would align? One that cannot move but should is the reason why
 * nothing helps; where others can, it is listed under attention. */
static enum task find_task(const struct ground *ground, struct plan *plan)
{
	const struct layout *layout = ground->layout;
	const struct analysis *analysis = ground->analysis;
	enum task task = NOTHING_TO_DO;

	if (!layout->count && analysis->whole.verdict == VERDICT_MISALIGNED)
		return SOMETHING_TO_MOVE; /* may_fix() says what is in the way */
	for (size_t i = 0; i < layout->count; i++) {
		const struct partition *p = &layout->partitions[i];
		enum verdict verdict = analysis->partitions[i].verdict;
		bool off = bytes_past_boundary(ground, p->start) != 0;
		const char *why = why_pinned(ground, i);

		if (!is_requested(ground, i) ||
		    (verdict != VERDICT_MISALIGNED && (verdict != VERDICT_UNKNOWN || !off || !why)))
			continue;
		if (off && !why)
			return SOMETHING_TO_MOVE;
		if (task == NOTHING_TO_DO)
			refuse(plan, "partition %u %s", p->number,
			       off ? why
				   : "starts on a boundary; what is misaligned is inside, and "
				     "moving"
				     " it does not help");
		task = NOTHING_HELPS;
	}
	return task;
}

/* What the request selects and must not move cannot be passed over in silence. */
static bool are_movers_free(const struct ground *ground, struct plan *plan)
{
	for (size_t i = 0; i < ground->count; i++)
		if (ground->items[i].must_move && ground->items[i].pinned)
			return refuse(plan, "partition %u %s; --only=N realigns others without it",
				      partition_of(ground, i)->number,
				      why_pinned(ground, ground->items[i].index));
	return true;
}

/* Into the last sectors of an MBR disk only where that saves bytes, or there is no other room. */
static int place_with_tail(struct ground *ground, uint64_t *starts, bool *found)
{
	const uint64_t limit = ground->limit;
	uint64_t least, bytes = UINT64_MAX;
	int err = place_items(ground, starts, &least);

	*found = least != UINT64_MAX;
	if (err || !*found || ground->layout->type != TABLE_DOS || limit < PLAN_TAIL)
		return err;
	ground->limit = limit - PLAN_TAIL;
	err = place_items(ground, starts, &bytes);
	ground->limit = limit;
	return err || bytes == least ? err : place_items(ground, starts, &least);
}

/* The steps from a surveyed ground to a whole plan. 0 or -ENOMEM. */
static int draw(struct ground *ground, struct plan *plan)
{
	autofree uint64_t *starts = calloc(ground->count + 1, sizeof(*starts));
	bool found;
	int err;

	if (!starts)
		return -ENOMEM;
	if (!are_movers_free(ground, plan))
		return 0;
	err = place_with_tail(ground, starts, &found);
	if (err)
		return err;
	if (!found) {
		ground->no_room = true;
		explain_no_room(ground, plan);
		return 0;
	}
	if (!place_tables(ground, starts, plan))
		return 0;
	err = order_moves(ground, starts, plan);
	if (err)
		return err;
	if (!may_uncover(ground, plan) || !protect_moves(ground, plan, &err) || err)
		return err;
	err = list_attention(ground, plan);
	plan->feasible = !err;
	return err;
}

static int build(struct ground *ground, struct plan *plan)
{
	bool refused;
	int err;

	if (!is_only_list_good(ground, plan))
		return 0;

	enum task task = find_task(ground, plan);

	if (task != NOTHING_TO_DO || ground->layout->type == TABLE_DOS ||
	    ground->layout->type == TABLE_GPT) {
		if (!may_fix(ground, plan))
			return 0;
	}
	if (task != SOMETHING_TO_MOVE) {
		plan->feasible = task == NOTHING_TO_DO;
		return 0;
	}
	plan->reason[0] = '\0';
	err = survey(ground, plan, &refused);
	return err || refused ? err : draw(ground, plan);
}

/* Would the smallest grain that is still aligned do? */
static int suggest_grain(const struct ground *ground, struct plan *plan)
{
	struct plan_request request = *ground->request;
	char size[SIZE_TEXT_MAX];
	struct plan *other;
	size_t len = strlen(plan->reason);
	int err;

	request.grain = ground->required;
	err = make_plan(ground->device, ground->layout, ground->contents, ground->analysis,
			&request, &other);
	if (err)
		return err;
	if (other->feasible)
		snprintf(plan->reason + len, sizeof(plan->reason) - len, ", or use --grain=%s",
			 format_size(size, request.grain));
	plan_free(other);
	return 0;
}

static void check(const struct ground *ground, struct plan *plan)
{
	struct reason reason;

	if (plan->feasible && !verify_plan(ground->device, ground->layout, ground->analysis,
					   ground->request, plan, &reason))
		plan->feasible = refuse(plan, "the plan failed its own check: %.180s", reason.text);
}

int make_plan(const struct device *device, const struct layout *layout,
	      const struct content *contents, const struct analysis *analysis,
	      const struct plan_request *request, struct plan **out)
{
	uint64_t sector =
		layout->sector_size ? layout->sector_size : device->topology.logical_block_size;
	struct ground ground = { .device = device,
				 .layout = layout,
				 .contents = contents,
				 .analysis = analysis,
				 .request = request,
				 .sector = sector ? sector : 512,
				 .required = analysis->required ? analysis->required : 4096 };
	struct plan *plan = new_plan(layout);
	int err;

	if (!plan)
		return -ENOMEM;
	err = build(&ground, plan);
	if (!err)
		check(&ground, plan);
	if (!err && !plan->feasible) {
		leave_everything(layout, plan);
		if (ground.no_room && ground.grain > ground.required)
			err = suggest_grain(&ground, plan);
	}
	ground_free(&ground);
	if (err) {
		plan_free(plan);
		return err;
	}
	*out = plan;
	return 0;
}
