// SPDX-License-Identifier: GPL-2.0-or-later
/* A plan as JSON: the order of the calls is the order of the keys. */
#include "json_build.h"

static struct json_object *journal_json(struct json_builder *b, const struct plan *plan)
{
	struct json_object *o = build_object(b);

	build_put_string(b, o, "where", journal_where_name(plan->journal));
	if (plan->journal == JOURNAL_GAP)
		build_put_u64(b, o, "start", plan->journal_start);
	build_put_known(b, o, "bytes", plan->journal_bytes);
	return o;
}

static struct json_object *moves_json(struct json_builder *b, const struct plan *plan)
{
	struct json_object *list = build_array(b, plan->move_count);

	for (size_t i = 0; i < plan->move_count; i++) {
		const struct plan_move *m = &plan->moves[i];
		struct json_object *o = build_object(b);

		build_put_u64(b, o, "number", m->number);
		build_put_u64(b, o, "from", m->from);
		build_put_u64(b, o, "to", m->to);
		build_put_u64(b, o, "size", m->size);
		build_put_string(b, o, "protection", protection_name(m->protection));
		build_append(b, list, o);
	}
	return list;
}

static struct json_object *layout_json(struct json_builder *b, const struct result *result)
{
	const struct plan *plan = result->plan;
	struct json_object *list = build_array(b, plan->place_count);

	for (size_t i = 0; i < plan->place_count; i++) {
		struct json_object *o = build_object(b);

		build_put_u64(b, o, "number", result->layout->partitions[i].number);
		build_put_u64(b, o, "start", plan->places[i].start);
		build_put_u64(b, o, "size", plan->places[i].size);
		build_append(b, list, o);
	}
	return list;
}

static struct json_object *attention_json(struct json_builder *b, const struct plan *plan)
{
	struct json_object *list = build_array(b, plan->attention_count);

	for (size_t i = 0; i < plan->attention_count; i++)
		build_append(b, list, build_made(b, json_object_new_string(plan->attention[i])));
	return list;
}

struct json_object *build_plan(struct json_builder *b, const struct result *result)
{
	const struct plan *plan = result->plan;
	struct json_object *o = build_object(b);

	build_put_bool(b, o, "feasible", plan->feasible);
	build_put_string(b, o, "reason", plan->reason);
	build_put_u64(b, o, "bytes_to_move", plan->bytes_to_move);
	build_put_u64(b, o, "bytes_used", plan->bytes_used);
	build_put(b, o, "journal", journal_json(b, plan));
	build_put(b, o, "moves", moves_json(b, plan));
	build_put(b, o, "layout", layout_json(b, result));
	build_put(b, o, "attention", attention_json(b, plan));
	build_put_null(b, o, "seconds"); /* nobody has measured this medium */
	return o;
}
