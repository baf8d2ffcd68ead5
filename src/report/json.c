// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * JSON, schema 1. The order of the calls is the order of the keys. Keys and types are a contract:
 * only ever added to; what is not known is null.
 */
#include "json_build.h"

#include <errno.h>
#include <string.h>

static struct json_object *finding_json(struct json_builder *b, const struct finding *f)
{
	struct json_object *o = build_object(b);

	build_put_string(b, o, "id", finding_name(f->id));
	build_put_string(b, o, "severity", severity_name(finding_severity(f->id)));
	build_put_string(b, o, "message", f->message);
	if (f->has_value) {
		build_put_u64(b, o, "value", f->value);
		build_put_known(b, o, "boundary", f->boundary);
	} else {
		build_put_null(b, o, "value");
		build_put_null(b, o, "boundary");
	}
	build_put_string(b, o, "cost", cost_name(f->cost));
	return o;
}

struct json_object *build_findings(struct json_builder *b, const struct findings *findings,
				   int partition)
{
	struct json_object *list = build_array(b, 1);

	for (size_t i = 0; i < findings->count; i++)
		if (findings->list[i].partition == partition)
			build_append(b, list, finding_json(b, &findings->list[i]));
	return list;
}

static struct json_object *layer_json(struct json_builder *b, const struct result *result,
				      const struct layer *layer)
{
	const struct topology *t = &result->device->topology;
	struct json_object *o = build_object(b);

	build_put_string(b, o, "type", layer->type);
	if (layer->has_data_offset)
		build_put_u64(b, o, "data_offset", layer->data_offset);
	else
		build_put_null(b, o, "data_offset");
	build_put_known(b, o, "block_size", layer->block_size);
	if (layer->has_data_offset && t->alignment_offset >= 0)
		build_put_u64(b, o, "misaligned_by",
			      misalignment(layer->data_offset + result->device->image_offset,
					   (uint64_t)t->alignment_offset,
					   result->analysis->required));
	else
		build_put_null(b, o, "misaligned_by");
	build_put_known(b, o, "ashift", layer->ashift);
	return o;
}

static struct json_object *content_json(struct json_builder *b, const struct row *row)
{
	const struct content *content = content_of(row);
	struct json_object *list;

	if (!content)
		return NULL;
	list = build_array(b, content->count);
	for (size_t i = 0; i < content->count; i++)
		build_append(b, list, layer_json(b, row->result, &content->layers[i]));
	return list;
}

/* Null where a position is no whole number of sectors (a nested label's unit may be smaller). */
static void put_sectors(struct json_builder *b, struct json_object *o, const char *key,
			const struct result *result, uint64_t bytes)
{
	uint64_t unit = sector_unit(result);

	if (bytes % unit)
		build_put_null(b, o, key);
	else
		build_put_u64(b, o, key, bytes / unit);
}

static struct json_object *partition_json(struct json_builder *b, const struct row *row)
{
	const struct result *result = row->result;
	const struct partition *p = row->partition;
	const struct judgement *j = &result->analysis->partitions[row->index];
	struct json_object *o = build_object(b);
	char name[NAME_TEXT_MAX], node[NAME_TEXT_MAX];

	partition_name(name, sizeof(name), result->device, p->number);
	build_put_u64(b, o, "number", p->number);
	build_put_string(b, o, "name", name);
	build_put_string(b, o, "node", node_of(node, result->device, name));
	if (p->parent >= 0)
		build_put_u64(b, o, "parent", result->layout->partitions[p->parent].number);
	else
		build_put_null(b, o, "parent");
	build_put_u64(b, o, "start", p->start);
	build_put_u64(b, o, "size", p->size);
	put_sectors(b, o, "start_sector", result, p->start);
	put_sectors(b, o, "sectors", result, p->size);
	build_put_string(b, o, "type", p->type);
	build_put_string(b, o, "uuid", p->uuid);
	build_put_string(b, o, "label", p->label);
	build_put_u64(b, o, "alignment", j->alignment);
	if (j->has_misaligned_by)
		build_put_u64(b, o, "misaligned_by", j->misaligned_by);
	else
		build_put_null(b, o, "misaligned_by");
	build_put_string(b, o, "verdict", verdict_name(j->verdict));
	build_put(b, o, "content", content_json(b, row));
	build_put(b, o, "findings",
		  build_findings(b, &result->analysis->findings, (int)row->index));
	build_put_string(b, o, "role", partition_role_name(p->role));
	build_put_string(b, o, "table", table_type_name(p->table));
	return o;
}

static void put_topology(struct json_builder *b, struct json_object *o, const struct topology *t)
{
	build_put_known(b, o, "logical_block_size", t->logical_block_size);
	build_put_known(b, o, "physical_block_size", t->physical_block_size);
	build_put_known(b, o, "minimum_io_size", t->minimum_io_size);
	build_put_known(b, o, "optimal_io_size", t->optimal_io_size);
	if (t->has_alignment_offset)
		build_put(b, o, "alignment_offset",
			  build_made(b, json_object_new_int64(t->alignment_offset)));
	else
		build_put_null(b, o, "alignment_offset");
}

static struct json_object *table_json(struct json_builder *b, const struct layout *layout)
{
	struct json_object *o = build_object(b);

	build_put_string(b, o, "type", table_type_name(layout->type));
	build_put_string(b, o, "id", layout->id);
	build_put_known(b, o, "sector_size", layout->sector_size);
	return o;
}

static struct json_object *users_json(struct json_builder *b, const struct device *device)
{
	struct json_object *list = build_array(b, device->user_count);

	for (size_t i = 0; i < device->user_count; i++) {
		struct json_object *o = build_object(b);

		build_put_string(b, o, "node", device->users[i].node);
		build_put_string(b, o, "what", device->users[i].what);
		build_append(b, list, o);
	}
	return list;
}

static struct json_object *below_json(struct json_builder *b, const struct below *below)
{
	struct json_object *o = build_object(b);

	build_put_string(b, o, "disk", below->disk);
	build_put_string(b, o, "through", below->through);
	if (below->has_place) {
		build_put_u64(b, o, "start", below->start);
		build_put_u64(b, o, "place", below->place);
	} else {
		build_put_null(b, o, "start");
		build_put_null(b, o, "place");
	}
	if (below->has_place && below->alignment_offset >= 0)
		build_put_u64(b, o, "misaligned_by",
			      misalignment(below->place, (uint64_t)below->alignment_offset,
					   below_boundary(below)));
	else
		build_put_null(b, o, "misaligned_by");
	build_put_known(b, o, "physical_block_size", below->physical_block_size);
	build_put(b, o, "alignment_offset",
		  build_made(b, json_object_new_int64(below->alignment_offset)));
	return o;
}

static struct json_object *partitions_json(struct json_builder *b, const struct result *result)
{
	const struct layout *layout = result->layout;
	struct json_object *list = build_array(b, layout->count);

	for (size_t i = 0; i < layout->count; i++) {
		struct row row = { .result = result,
				   .partition = &layout->partitions[i],
				   .index = i };

		if (is_shown(result, i))
			build_append(b, list, partition_json(b, &row));
	}
	return list;
}

static struct json_object *device_json(struct json_builder *b, const struct result *result,
				       bool with_plan)
{
	const struct device *device = result->device;
	const struct row row = { .result = result };
	struct json_object *o = build_object(b), *reported = build_object(b);
	struct json_object *list = build_array(b, device->below_count);

	for (size_t i = 0; i < device->below_count; i++)
		build_append(b, list, below_json(b, &device->below[i]));
	build_put_string(b, o, "path", result->path);
	build_put_string(b, o, "kind", device_kind_name(device->kind));
	build_put_u64(b, o, "size", device->kind == KIND_PARTITION ? device->length : device->size);
	build_put_string(b, o, "model", device->model);
	build_put_string(b, o, "serial", device->serial);
	if (device->rotational == TRI_UNKNOWN)
		build_put_null(b, o, "rotational");
	else
		build_put_bool(b, o, "rotational", device->rotational == TRI_YES);
	build_put_string(b, o, "zoned", device->zoned);
	put_topology(b, o, &device->topology);
	build_put_string(b, o, "sector_source", sector_source_name(device->sector_source));
	put_topology(b, reported, &device->reported);
	build_put(b, o, "reported", reported);
	build_put_u64(b, o, "required_alignment", result->analysis->required);
	build_put_u64(b, o, "recommended_alignment", result->analysis->recommended);
	build_put(b, o, "table", table_json(b, result->layout));
	build_put_string(b, o, "verdict", verdict_name(result->analysis->verdict));
	build_put(b, o, "findings", build_findings(b, &result->analysis->findings, -1));
	build_put(b, o, "partitions", partitions_json(b, result));
	build_put(b, o, "users", users_json(b, device));
	build_put_string(b, o, "disk", device->disk_path);
	build_put(b, o, "content", content_json(b, &row));
	build_put_u64(b, o, "image_offset", device->image_offset);
	build_put(b, o, "below", list);
	if (with_plan && result->plan)
		build_put(b, o, "plan", build_plan(b, result));
	return o;
}

static struct json_object *program_json(struct json_builder *b)
{
	struct json_object *o = build_object(b);

	build_put_string(b, o, "version", ALIGNCK_VERSION);
	build_put(b, o, "schema", build_made(b, json_object_new_int(1)));
	return o;
}

static struct json_object *summary_json(struct json_builder *b, const struct result *results,
					size_t count)
{
	size_t devices = 0, partitions = 0, misaligned = 0, unknown = 0;
	struct json_object *o = build_object(b);

	for (size_t i = 0; i < count; i++) {
		if (!has_facts(&results[i]))
			continue;
		devices++;
		for (size_t p = 0; p < results[i].layout->count; p++)
			partitions += is_shown(&results[i], p);
		misaligned += results[i].analysis->misaligned;
		unknown += results[i].analysis->unknown;
	}
	build_put_u64(b, o, "devices", devices);
	build_put_u64(b, o, "partitions", partitions);
	build_put_u64(b, o, "misaligned", misaligned);
	build_put_u64(b, o, "unknown", unknown);
	return o;
}

int print_json(FILE *out, const struct result *results, size_t count,
	       const struct report_options *options)
{
	struct json_builder b = { 0 };
	struct json_object *top = build_object(&b), *devices = build_array(&b, count);
	const char *text = NULL;

	(void)options;
	build_put(&b, top, "alignck", program_json(&b));
	for (size_t i = 0; i < count; i++)
		if (has_facts(&results[i]))
			build_append(&b, devices, device_json(&b, &results[i], options->plan));
	build_put(&b, top, "devices", devices);
	build_put(&b, top, "pool", build_pool(&b, results, count));
	build_put(&b, top, "summary", summary_json(&b, results, count));
	if (!b.failed)
		text = json_object_to_json_string_ext(top, JSON_C_TO_STRING_PRETTY |
								   JSON_C_TO_STRING_SPACED |
								   JSON_C_TO_STRING_NOSLASHESCAPE);
	if (text) {
		put_json_text(out, text);
		fputc('\n', out);
	}
	json_object_put(top);
	return text ? 0 : -ENOMEM;
}
