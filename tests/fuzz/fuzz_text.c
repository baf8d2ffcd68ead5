// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names that others chose, on their way to a terminal or into JSON: what comes out is well-formed
 * UTF-8 without a control character or a bidirectional override, and JSON stays JSON.
 */
#include "../../src/report/internal.h"
#include "must.h"

#include <json-c/json.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* By another decoder than ours: json-c refuses text that is not UTF-8. */
static void check_utf8(const char *text, size_t len)
{
	struct json_tokener *tokener = json_tokener_new_ex(4);
	struct json_object *quoted = json_object_new_string_len(text, (int)len);
	const char *json = json_object_to_json_string(quoted);

	json_tokener_set_flags(tokener, JSON_TOKENER_VALIDATE_UTF8);
	json_object_put(json_tokener_parse_ex(tokener, json, (int)strlen(json) + 1));
	MUST(json_tokener_get_error(tokener) == json_tokener_success);
	json_object_put(quoted);
	json_tokener_free(tokener);
}

/* C0, DEL; C1 as U+0080 to 9F; U+202A to 202E and U+2066 to 2069. */
static void check_harmless(const char *text, size_t len)
{
	const uint8_t *p = (const uint8_t *)text;

	for (size_t i = 0; i < len; i++) {
		MUST(p[i] >= 0x20 && p[i] != 0x7f);
		MUST(i + 1 >= len || p[i] != 0xc2 || p[i + 1] > 0x9f);
		if (i + 2 >= len || p[i] != 0xe2)
			continue;
		MUST(p[i + 1] != 0x80 || p[i + 2] < 0xaa || p[i + 2] > 0xae);
		MUST(p[i + 1] != 0x81 || p[i + 2] < 0xa6 || p[i + 2] > 0xa9);
	}
	check_utf8(text, len);
}

static void check_sanitized(const uint8_t *data, size_t size)
{
	static const size_t rooms[] = { 1, 2, 5, 36, 4096 };
	char safe[4096];

	for (size_t i = 0; i < ARRAY_SIZE(rooms); i++) {
		sanitize_text(safe, rooms[i], data, size);
		MUST(strlen(safe) < rooms[i]);
		check_harmless(safe, strlen(safe));
		sanitize_utf16le(safe, rooms[i], data, size / 2);
		MUST(strlen(safe) < rooms[i]);
		check_harmless(safe, strlen(safe));
	}
}

static void check_written(void (*put)(FILE *out, const char *text), const char *text)
{
	char *written = NULL;
	size_t len;
	FILE *out = open_memstream(&written, &len);

	MUST(out != NULL);
	put(out, text);
	fclose(out);
	check_harmless(written, len);
	free(written);
}

/* As report does it: json-c makes the document, ours is the gate behind it. */
static void put_document(FILE *out, const char *text)
{
	struct json_object *document = json_object_new_string(text);

	put_json_text(out, json_object_to_json_string_ext(document, JSON_C_TO_STRING_PLAIN));
	json_object_put(document);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	MUST(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	check_sanitized(data, size);
	check_written(put_text, text);
	check_written(report_path, text);
	check_written(put_document, text);
	free(text);
	return 0;
}
