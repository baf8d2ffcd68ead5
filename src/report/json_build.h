/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_JSON_BUILD_H
#define ALIGNCK_JSON_BUILD_H

/* Building JSON with json-c so that running out of memory is noticed once, at the end. */

#include "internal.h"

#include <json-c/json.h>

/* json-c's NULL is both "null" and "out of memory": the second is kept here. */
struct json_builder {
	bool failed;
};

/* `value` as it is; NULL means that it could not be made. */
struct json_object *build_made(struct json_builder *b, struct json_object *value);
struct json_object *build_object(struct json_builder *b);
struct json_object *build_array(struct json_builder *b, size_t room);

/* Give `value` to an object (the key must be a constant, and new) or a list; NULL is null. */
void build_put(struct json_builder *b, struct json_object *o, const char *key,
	       struct json_object *value);
void build_append(struct json_builder *b, struct json_object *list, struct json_object *value);

void build_put_null(struct json_builder *b, struct json_object *o, const char *key);
void build_put_u64(struct json_builder *b, struct json_object *o, const char *key, uint64_t n);
/* The same; 0 is null. */
void build_put_known(struct json_builder *b, struct json_object *o, const char *key, uint64_t n);
void build_put_bool(struct json_builder *b, struct json_object *o, const char *key, bool value);
/* NULL is null. */
void build_put_string(struct json_builder *b, struct json_object *o, const char *key,
		      const char *text);

/* The findings about that partition (-1: the whole) as a list. */
struct json_object *build_findings(struct json_builder *b, const struct findings *findings,
				   int partition);

/* The "pool" object: what the devices that were named need together. */
struct json_object *build_pool(struct json_builder *b, const struct result *results, size_t count);

/* The "plan" object of a device; see alignck/plan.h. */
struct json_object *build_plan(struct json_builder *b, const struct result *result);

#endif
