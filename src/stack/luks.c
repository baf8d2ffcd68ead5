// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * LUKS1: "LUKS On-Disk Format Specification" 1.2.3, figure 1. LUKS2: "LUKS2 On-Disk Format
 * Specification" 1.1.1, sections 2.1 (binary header) and 3 (JSON area).
 */
#include "decode.h"

#include <json-c/json.h>
#include <string.h>

enum {
	LUKS_VERSION = 6,           /* be16, both versions */
	LUKS1_PAYLOAD_OFFSET = 104, /* be32, 512-byte sectors; 0: the header is detached */
	LUKS_HEADER = 512,
	LUKS2_HDR_SIZE = 8, /* be64, binary header and JSON area together */
	LUKS2_BINARY = 4096,
	LUKS2_HDR_SIZE_MIN = 16 * 1024, /* section 2.2 has the list */
	LUKS2_HDR_SIZE_MAX = 4 * 1024 * 1024,
	LUKS2_JSON_DEPTH = 8,
};

/* A number as LUKS2 writes 64-bit ones: a string of decimal digits. */
static bool get_number(struct json_object *object, const char *key, uint64_t *number)
{
	struct json_object *value;
	const char *text;

	if (!json_object_object_get_ex(object, key, &value) ||
	    !json_object_is_type(value, json_type_string))
		return false;
	text = json_object_get_string(value);
	/* parse_size() would take a unit too */
	return text[strspn(text, "0123456789")] == '\0' && !parse_size(text, number);
}

static bool get_segment(struct json_object *root, uint64_t *offset, uint64_t *sector_size)
{
	struct json_object *segments, *segment, *value;

	if (!json_object_object_get_ex(root, "segments", &segments) ||
	    !json_object_object_get_ex(segments, "0", &segment) ||
	    !get_number(segment, "offset", offset))
		return false;

	/* A segment of type "linear" (being decrypted) has no sector size. */
	*sector_size = 0;
	if (json_object_object_get_ex(segment, "sector_size", &value) &&
	    json_object_is_type(value, json_type_int)) {
		int64_t n = json_object_get_int64(value);

		if (n >= 512 && n <= 4096 && is_power_of_two(n))
			*sector_size = n;
	}
	return true;
}

enum outcome decode_luks2_json(const struct piece *pieces, size_t count, uint64_t *offset,
			       uint64_t *sector_size)
{
	struct json_tokener *tokener = json_tokener_new_ex(LUKS2_JSON_DEPTH);
	struct json_object *root = NULL;
	enum outcome outcome = DECODE_NOT_THIS;
	bool ended = false;

	if (!tokener)
		return DECODE_NOT_THIS;
	for (size_t i = 0; i < count && !root && !ended; i++) {
		size_t len = pieces[i].len ? strnlen(pieces[i].text, pieces[i].len) : 0;

		ended = len < pieces[i].len;
		if (!len)
			continue;
		root = json_tokener_parse_ex(tokener, pieces[i].text, (int)len);
		ended |= json_tokener_get_error(tokener) != json_tokener_continue;
	}
	if (root)
		outcome = get_segment(root, offset, sector_size) ? DECODE_FOUND : DECODE_NOT_THIS;
	else if (!ended)
		outcome = DECODE_MORE;
	json_object_put(root);
	json_tokener_free(tokener);
	return outcome;
}

/* Its data may be on another device: then this is a header alone. */
static enum outcome found_luks(struct decoding *d, uint64_t offset, uint64_t sector_size)
{
	return offset ? found_at(d, offset, sector_size) : found_name(d);
}

/* The text ends with the first NUL, mostly within what is already here. A header with many keyslots
 * has more, up to 4 MiB: what is left of the partition's share is read of it, and no more. */
static enum outcome decode_luks2(struct decoding *d)
{
	uint64_t hdr_size = get_be64(d->bytes + LUKS2_HDR_SIZE), offset, sector_size, room;
	struct piece pieces[] = { { (const char *)d->bytes + LUKS2_BINARY, 0 },
				  { (const char *)d->more, d->more ? d->more_len : 0 } };
	enum outcome outcome;

	if (hdr_size < LUKS2_HDR_SIZE_MIN || hdr_size > LUKS2_HDR_SIZE_MAX)
		return found_garbled(d);
	room = hdr_size - LUKS2_BINARY;
	if (d->len > LUKS2_BINARY)
		pieces[0].len = min_u64(d->len - LUKS2_BINARY, room);
	room -= pieces[0].len;

	outcome = decode_luks2_json(pieces, ARRAY_SIZE(pieces), &offset, &sector_size);
	if (outcome == DECODE_FOUND)
		return found_luks(d, offset, sector_size);
	if (outcome == DECODE_MORE && !d->step && room && d->left) {
		d->want_offset = d->at + LUKS2_BINARY + pieces[0].len;
		d->want_len = min_u64(room, d->left);
		d->fallback = found_garbled(d);
		return DECODE_MORE;
	}
	d->is_cut = outcome == DECODE_MORE && pieces[1].len < room;
	return found_garbled(d);
}

enum outcome decode_luks(struct decoding *d)
{
	uint64_t payload;

	if (d->len < LUKS_HEADER)
		return DECODE_NOT_THIS;
	switch (get_be16(d->bytes + LUKS_VERSION)) {
	case 1:
		/* Its 512-byte encryption sector is no unit of writing: dm-crypt passes a
		 * write on in the size it got it. */
		payload = get_be32(d->bytes + LUKS1_PAYLOAD_OFFSET);
		return found_luks(d, payload * 512, 0);
	case 2:
		return decode_luks2(d);
	default:
		return found_garbled(d);
	}
}
