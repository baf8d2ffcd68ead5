// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * JSON, schema 1. The order of the calls is the order of the keys. Keys and types are a contract:
 * only ever added to; what is not known is null.
 */
#include "internal.h"

#include <errno.h>
#include <json-c/json.h>
#include <string.h>

/* json-c's NULL is both "null" and "out of memory": the second is kept here. */
struct builder {
	bool failed;
};

static struct json_object *made(struct builder *b, struct json_object *value)
{
	if (!value)
		b->failed = true;
	return value;
}

static struct json_object *object(struct builder *b)
{
	return made(b, json_object_new_object());
}

static struct json_object *array(struct builder *b, size_t room)
{
	return made(b, json_object_new_array_ext(room ? (int)room : 1));
}

static void put(struct builder *b, struct json_object *o, const char *key,
		struct json_object *value)
{
	unsigned flags = JSON_C_OBJECT_ADD_KEY_IS_NEW | JSON_C_OBJECT_KEY_IS_CONSTANT;

	if (o && !json_object_object_add_ex(o, key, value, flags))
		return;
	json_object_put(value);
	b->failed = true;
}

static void append(struct builder *b, struct json_object *list, struct json_object *value)
{
	if (list && !json_object_array_add(list, value))
		return;
	json_object_put(value);
	b->failed = true;
}

static void put_null(struct builder *b, struct json_object *o, const char *key)
{
	put(b, o, key, NULL);
}

static void put_u64(struct builder *b, struct json_object *o, const char *key, uint64_t n)
{
	put(b, o, key, made(b, json_object_new_uint64(n)));
}

/* 0 stands for unknown. */
static void put_known(struct builder *b, struct json_object *o, const char *key, uint64_t n)
{
	if (n)
		put_u64(b, o, key, n);
	else
		put_null(b, o, key);
}

static void put_bool(struct builder *b, struct json_object *o, const char *key, bool value)
{
	put(b, o, key, made(b, json_object_new_boolean(value)));
}

/* NULL and "" stand for unknown. */
static void put_string(struct builder *b, struct json_object *o, const char *key, const char *text)
{
	if (text && *text)
		put(b, o, key, made(b, json_object_new_string(text)));
	else
		put_null(b, o, key);
}

static struct json_object *finding_json(struct builder *b, const struct finding *f)
{
	struct json_object *o = object(b);

	put_string(b, o, "id", finding_name(f->id));
	put_string(b, o, "severity", severity_name(finding_severity(f->id)));
	put_string(b, o, "message", f->message);
	if (f->has_value) {
		put_u64(b, o, "value", f->value);
		put_known(b, o, "boundary", f->boundary);
	} else {
		put_null(b, o, "value");
		put_null(b, o, "boundary");
	}
	return o;
}

static struct json_object *findings_json(struct builder *b, const struct findings *findings,
					 int partition)
{
	struct json_object *list = array(b, 1);

	for (size_t i = 0; i < findings->count; i++)
		if (findings->list[i].partition == partition)
			append(b, list, finding_json(b, &findings->list[i]));
	return list;
}

static struct json_object *layer_json(struct builder *b, const struct result *result,
				      const struct layer *layer)
{
	const struct topology *t = &result->device->topology;
	struct json_object *o = object(b);

	put_string(b, o, "type", layer->type);
	if (layer->has_data_offset)
		put_u64(b, o, "data_offset", layer->data_offset);
	else
		put_null(b, o, "data_offset");
	put_known(b, o, "block_size", layer->block_size);
	if (layer->has_data_offset && t->alignment_offset >= 0)
		put_u64(b, o, "misaligned_by",
			misalignment(layer->data_offset + result->device->image_offset,
				     (uint64_t)t->alignment_offset, result->analysis->required));
	else
		put_null(b, o, "misaligned_by");
	put_known(b, o, "ashift", layer->ashift);
	return o;
}

static struct json_object *content_json(struct builder *b, const struct row *row)
{
	const struct content *content = content_of(row);
	struct json_object *list;

	if (!content)
		return NULL;
	list = array(b, content->count);
	for (size_t i = 0; i < content->count; i++)
		append(b, list, layer_json(b, row->result, &content->layers[i]));
	return list;
}

/* Null where a position is no whole number of sectors (a nested label's unit may be smaller). */
static void put_sectors(struct builder *b, struct json_object *o, const char *key,
			const struct result *result, uint64_t bytes)
{
	uint64_t unit = sector_unit(result);

	if (bytes % unit)
		put_null(b, o, key);
	else
		put_u64(b, o, key, bytes / unit);
}

static struct json_object *partition_json(struct builder *b, const struct row *row)
{
	const struct result *result = row->result;
	const struct partition *p = row->partition;
	const struct judgement *j = &result->analysis->partitions[row->index];
	struct json_object *o = object(b);
	char name[NAME_TEXT_MAX], node[NAME_TEXT_MAX];

	partition_name(name, sizeof(name), result->device, p->number);
	put_u64(b, o, "number", p->number);
	put_string(b, o, "name", name);
	put_string(b, o, "node", node_of(node, result->device, name));
	if (p->parent >= 0)
		put_u64(b, o, "parent", result->layout->partitions[p->parent].number);
	else
		put_null(b, o, "parent");
	put_u64(b, o, "start", p->start);
	put_u64(b, o, "size", p->size);
	put_sectors(b, o, "start_sector", result, p->start);
	put_sectors(b, o, "sectors", result, p->size);
	put_string(b, o, "type", p->type);
	put_string(b, o, "uuid", p->uuid);
	put_string(b, o, "label", p->label);
	put_u64(b, o, "alignment", j->alignment);
	if (j->has_misaligned_by)
		put_u64(b, o, "misaligned_by", j->misaligned_by);
	else
		put_null(b, o, "misaligned_by");
	put_string(b, o, "verdict", verdict_name(j->verdict));
	put(b, o, "content", content_json(b, row));
	put(b, o, "findings", findings_json(b, &result->analysis->findings, (int)row->index));
	put_string(b, o, "role", partition_role_name(p->role));
	put_string(b, o, "table", table_type_name(p->table));
	return o;
}

static void put_topology(struct builder *b, struct json_object *o, const struct topology *t)
{
	put_known(b, o, "logical_block_size", t->logical_block_size);
	put_known(b, o, "physical_block_size", t->physical_block_size);
	put_known(b, o, "minimum_io_size", t->minimum_io_size);
	put_known(b, o, "optimal_io_size", t->optimal_io_size);
	if (t->has_alignment_offset)
		put(b, o, "alignment_offset", made(b, json_object_new_int64(t->alignment_offset)));
	else
		put_null(b, o, "alignment_offset");
}

static struct json_object *table_json(struct builder *b, const struct layout *layout)
{
	struct json_object *o = object(b);

	put_string(b, o, "type", table_type_name(layout->type));
	put_string(b, o, "id", layout->id);
	put_known(b, o, "sector_size", layout->sector_size);
	return o;
}

static struct json_object *users_json(struct builder *b, const struct device *device)
{
	struct json_object *list = array(b, device->user_count);

	for (size_t i = 0; i < device->user_count; i++) {
		struct json_object *o = object(b);

		put_string(b, o, "node", device->users[i].node);
		put_string(b, o, "what", device->users[i].what);
		append(b, list, o);
	}
	return list;
}

static struct json_object *partitions_json(struct builder *b, const struct result *result)
{
	const struct layout *layout = result->layout;
	struct json_object *list = array(b, layout->count);

	for (size_t i = 0; i < layout->count; i++) {
		struct row row = { .result = result,
				   .partition = &layout->partitions[i],
				   .index = i };

		if (is_shown(result, i))
			append(b, list, partition_json(b, &row));
	}
	return list;
}

static struct json_object *device_json(struct builder *b, const struct result *result)
{
	const struct device *device = result->device;
	const struct row row = { .result = result };
	struct json_object *o = object(b), *reported = object(b);

	put_string(b, o, "path", result->path);
	put_string(b, o, "kind", device_kind_name(device->kind));
	put_u64(b, o, "size", device->kind == KIND_PARTITION ? device->length : device->size);
	put_string(b, o, "model", device->model);
	put_string(b, o, "serial", device->serial);
	if (device->rotational == TRI_UNKNOWN)
		put_null(b, o, "rotational");
	else
		put_bool(b, o, "rotational", device->rotational == TRI_YES);
	put_string(b, o, "zoned", device->zoned);
	put_topology(b, o, &device->topology);
	put_string(b, o, "sector_source", sector_source_name(device->sector_source));
	put_topology(b, reported, &device->reported);
	put(b, o, "reported", reported);
	put_u64(b, o, "required_alignment", result->analysis->required);
	put_u64(b, o, "recommended_alignment", result->analysis->recommended);
	put(b, o, "table", table_json(b, result->layout));
	put_string(b, o, "verdict", verdict_name(result->analysis->verdict));
	put(b, o, "findings", findings_json(b, &result->analysis->findings, -1));
	put(b, o, "partitions", partitions_json(b, result));
	put(b, o, "users", users_json(b, device));
	put_string(b, o, "disk", device->disk_path);
	put(b, o, "content", content_json(b, &row));
	put_u64(b, o, "image_offset", device->image_offset);
	return o;
}

static struct json_object *program_json(struct builder *b)
{
	struct json_object *o = object(b);

	put_string(b, o, "version", ALIGNCK_VERSION);
	put(b, o, "schema", made(b, json_object_new_int(1)));
	return o;
}

/* The ashift that suits every device: 12 at least, because a disk of 512-byte sectors is replaced
 * by one of 4096 some day; 16 at most, ZFS's limit. */
static unsigned ashift_for(uint64_t physical)
{
	unsigned ashift = 12;

	while (ashift < 16 && 1ULL << ashift < physical)
		ashift++;
	return ashift;
}

static struct json_object *pool_json(struct builder *b, const struct result *results, size_t count)
{
	const struct topology *first = NULL;
	bool mixed_logical = false, mixed_physical = false;
	struct json_object *o = object(b);
	unsigned ashift = 0;

	for (size_t i = 0; i < count; i++) {
		if (!has_facts(&results[i]))
			continue;

		const struct topology *t = &results[i].device->topology;
		unsigned wanted = ashift_for(t->physical_block_size);

		if (!first)
			first = t;
		if (wanted > ashift)
			ashift = wanted;
		mixed_logical |= t->logical_block_size != first->logical_block_size;
		mixed_physical |= t->physical_block_size != first->physical_block_size;
	}
	put_known(b, o, "ashift", ashift);
	put_bool(b, o, "mixed_logical", mixed_logical);
	put_bool(b, o, "mixed_physical", mixed_physical);
	return o;
}

static struct json_object *summary_json(struct builder *b, const struct result *results,
					size_t count)
{
	size_t devices = 0, judged = 0, misaligned = 0, unknown = 0;
	struct json_object *o = object(b);

	for (size_t i = 0; i < count; i++) {
		if (!has_facts(&results[i]))
			continue;
		devices++;
		judged += results[i].analysis->judged;
		misaligned += results[i].analysis->misaligned;
		unknown += results[i].analysis->unknown;
	}
	put_u64(b, o, "devices", devices);
	put_u64(b, o, "partitions", judged);
	put_u64(b, o, "misaligned", misaligned);
	put_u64(b, o, "unknown", unknown);
	return o;
}

int print_json(FILE *out, const struct result *results, size_t count,
	       const struct report_options *options)
{
	struct builder b = { 0 };
	struct json_object *top = object(&b), *devices = array(&b, count);
	const char *text = NULL;

	(void)options;
	put(&b, top, "alignck", program_json(&b));
	for (size_t i = 0; i < count; i++)
		if (has_facts(&results[i]))
			append(&b, devices, device_json(&b, &results[i]));
	put(&b, top, "devices", devices);
	put(&b, top, "pool", pool_json(&b, results, count));
	put(&b, top, "summary", summary_json(&b, results, count));
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
