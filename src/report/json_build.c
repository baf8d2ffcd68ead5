// SPDX-License-Identifier: GPL-2.0-or-later
#include "json_build.h"

#include <string.h>

struct json_object *build_made(struct json_builder *b, struct json_object *value)
{
	if (!value)
		b->failed = true;
	return value;
}

struct json_object *build_object(struct json_builder *b)
{
	return build_made(b, json_object_new_object());
}

struct json_object *build_array(struct json_builder *b, size_t room)
{
	return build_made(b, json_object_new_array_ext(room ? (int)room : 1));
}

void build_put(struct json_builder *b, struct json_object *o, const char *key,
	       struct json_object *value)
{
	unsigned flags = JSON_C_OBJECT_ADD_KEY_IS_NEW | JSON_C_OBJECT_KEY_IS_CONSTANT;

	if (o && !json_object_object_add_ex(o, key, value, flags))
		return;
	json_object_put(value);
	b->failed = true;
}

void build_append(struct json_builder *b, struct json_object *list, struct json_object *value)
{
	if (list && !json_object_array_add(list, value))
		return;
	json_object_put(value);
	b->failed = true;
}

void build_put_null(struct json_builder *b, struct json_object *o, const char *key)
{
	build_put(b, o, key, NULL);
}

void build_put_u64(struct json_builder *b, struct json_object *o, const char *key, uint64_t n)
{
	build_put(b, o, key, build_made(b, json_object_new_uint64(n)));
}

/* 0 stands for unknown. */
void build_put_known(struct json_builder *b, struct json_object *o, const char *key, uint64_t n)
{
	if (n)
		build_put_u64(b, o, key, n);
	else
		build_put_null(b, o, key);
}

void build_put_bool(struct json_builder *b, struct json_object *o, const char *key, bool value)
{
	build_put(b, o, key, build_made(b, json_object_new_boolean(value)));
}

/* NULL and "" stand for unknown. */
void build_put_string(struct json_builder *b, struct json_object *o, const char *key,
		      const char *text)
{
	if (text && *text)
		build_put(b, o, key, build_made(b, json_object_new_string(text)));
	else
		build_put_null(b, o, key);
}
