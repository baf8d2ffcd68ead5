// SPDX-License-Identifier: GPL-2.0-or-later
#include "alignck/util.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cleanup_free(void *pointer_to_pointer)
{
	free(*(void **)pointer_to_pointer);
}

int reason_set(struct reason *reason, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reason->text, sizeof(reason->text), format, args);
	va_end(args);
	return err;
}

/*
 * Length of the well-formed UTF-8 sequence at `p` (RFC 3629: no overlong form, no surrogate, at
 * most U+10FFFF) that is also printable; 0 for anything else. C1 controls (U+0080 to U+009F) and
 * the bidirectional overrides (U+202A-202E, U+2066-2069) can forge a terminal line: not printable.
 */
static size_t printable_utf8(const uint8_t *p, size_t len)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = p[0] < 0x80 ? 1 : p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0xc2 ? 2 : 0;

	if (n == 1)
		return p[0] >= 0x20 && p[0] != 0x7f;
	if (!n || n > len || p[0] > 0xf4)
		return 0;

	uint32_t c = p[0] & (0x7f >> n);

	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff) || c <= 0x9f ||
	    c == 0x2028 || c == 0x2029 || (c >= 0x202a && c <= 0x202e) ||
	    (c >= 0x2066 && c <= 0x2069))
		return 0;
	return n;
}

static bool is_blank(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

void sanitize_text(char *dst, size_t size, const void *src, size_t len)
{
	const uint8_t *p = src, *end = p + len;
	size_t used = 0;

	while (p < end && is_blank(*p))
		p++;
	while (end > p && is_blank(end[-1]))
		end--;
	while (p < end) {
		size_t n = printable_utf8(p, end - p);
		char piece[5] = { 0 };

		if (n)
			memcpy(piece, p, n);
		else
			snprintf(piece, sizeof(piece), "\\x%02x", *p);

		size_t room = strlen(piece);

		if (room >= size - used)
			break;
		memcpy(dst + used, piece, room);
		used += room;
		p += n ? n : 1;
	}
	dst[used] = '\0';
}

const char *find_unprintable(const char *text, size_t len)
{
	const uint8_t *p = (const uint8_t *)text, *end = p + len;

	while (p < end) {
		bool ends_line = *p == '\n' || (*p == '\r' && (p + 1 == end || p[1] == '\n'));
		size_t n = ends_line || *p == '\t' ? 1 : printable_utf8(p, end - p);

		if (!n)
			return (const char *)p;
		p += n;
	}
	return NULL;
}

char *sanitize_dup(const char *src)
{
	size_t len = strlen(src), size = 4 * len + 1;
	char *dst = malloc(size);

	if (dst)
		sanitize_text(dst, size, src, len);
	return dst;
}

static size_t encode_utf8(uint8_t out[4], uint32_t c)
{
	if (c < 0x80) {
		out[0] = c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = 0xc0 | c >> 6;
		out[1] = 0x80 | (c & 0x3f);
		return 2;
	}
	if (c < 0x10000) {
		out[0] = 0xe0 | c >> 12;
		out[1] = 0x80 | (c >> 6 & 0x3f);
		out[2] = 0x80 | (c & 0x3f);
		return 3;
	}
	out[0] = 0xf0 | c >> 18;
	out[1] = 0x80 | (c >> 12 & 0x3f);
	out[2] = 0x80 | (c >> 6 & 0x3f);
	out[3] = 0x80 | (c & 0x3f);
	return 4;
}

void sanitize_utf16le(char *dst, size_t size, const uint8_t *src, size_t units)
{
	enum { UNITS_MAX = 128 };
	uint8_t utf8[4 * UNITS_MAX];
	size_t len = 0;

	if (units > UNITS_MAX)
		units = UNITS_MAX;
	for (size_t i = 0; i < units; i++) {
		uint32_t c = get_le16(src + 2 * i);

		if (!c)
			break;
		if (c >= 0xd800 && c <= 0xdfff) {
			uint32_t low = i + 1 < units ? get_le16(src + 2 * i + 2) : 0;

			if (c < 0xdc00 && low >= 0xdc00 && low <= 0xdfff) {
				c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
				i++;
			} else {
				c = 0xfffd;
			}
		}
		len += encode_utf8(utf8 + len, c);
	}
	sanitize_text(dst, size, utf8, len);
}
