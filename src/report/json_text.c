// SPDX-License-Identifier: GPL-2.0-or-later
/* The last gate of JSON: json-c escapes what is below 0x20, and lets all else through. */
#include "internal.h"

#include <string.h>

/*
 * Decodes the UTF-8 sequence at `p` (RFC 3629) into *c and returns its length; 0: malformed. The
 * NUL at the end of the text stops every sequence that would run over it.
 */
static size_t decode_utf8(const unsigned char *p, uint32_t *c)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = p[0] < 0x80 ? 1 : p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0xc2 ? 2 : 0;

	if (!n || p[0] > 0xf4)
		return 0;
	*c = n == 1 ? p[0] : p[0] & (0x7f >> n);
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (p[i] & 0x3f);
	}
	if (*c < least[n] || *c > 0x10ffff || (*c >= 0xd800 && *c <= 0xdfff))
		return 0;
	return n;
}

/* DEL, C1 controls and the bidirectional overrides can forge what a terminal shows. */
static bool is_risky(uint32_t c)
{
	return (c >= 0x7f && c <= 0x9f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069);
}

void put_json_text(FILE *out, const char *text)
{
	const unsigned char *p = (const unsigned char *)text, *plain = p;

	while (*p) {
		uint32_t c;
		size_t n = decode_utf8(p, &c);

		if (n && !is_risky(c)) {
			p += n;
			continue;
		}
		/* A path may hold any byte but NUL; JSON is UTF-8 (RFC 8259, 8.1). */
		fwrite(plain, 1, p - plain, out);
		fprintf(out, "\\u%04x", n ? c : 0xfffdU);
		p += n ? n : 1;
		plain = p;
	}
	fwrite(plain, 1, p - plain, out);
}
