// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Swap areas: the kernel's include/linux/swap.h (union swap_header). The magic is the last ten
 * bytes of the first page, so its place tells the page size; the header proper is at 1024. A
 * sleeping kernel puts its own signature there.
 */
#include "decode.h"

#include <string.h>

enum {
	HEADER = 1024,
	LAST_PAGE = 4, /* from the header */
	PADDING = 44,
	PADDING_LEN = 468,
	HEADER_LEN = 512,
	MAGIC_LEN = 10,
	PAGE_MIN = 4096,
	PAGE_LARGE = 16384, /* the first whose end lies beyond the bytes read anyway */
	PAGE_MAX = 65536,
};

/* What may be in the magic's place, and what libblkid calls it. */
static const struct {
	const char *magic, *type;
} marks[] = {
	{ "SWAPSPACE2", "swap" },     { "SWAP-SPACE", "swap" },     { "S1SUSPEND", "swsuspend" },
	{ "S2SUSPEND", "swsuspend" }, { "ULSUSPEND", "swsuspend" }, { "LINHIB0001", "swsuspend" },
};

static bool read_mark(struct decoding *d, const uint8_t *magic, uint64_t page)
{
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		if (!memcmp(magic, marks[i].magic, strlen(marks[i].magic))) {
			name_layer(d, marks[i].type);
			found_at(d, 0, page);
			return true;
		}
	return false;
}

static bool is_zero(const uint8_t *p, size_t len)
{
	while (len && !*p) {
		p++;
		len--;
	}
	return !len;
}

static bool has_version(const uint8_t *header)
{
	return get_le32(header) == 1 || get_be32(header) == 1;
}

/* The new kind has a header that must hold water; the old one a bitmap. */
static bool is_sane(const uint8_t *magic, const uint8_t *header)
{
	return memcmp(magic, "SWAPSPACE2", MAGIC_LEN) != 0 ||
	       (has_version(header) && get_le32(header + LAST_PAGE));
}

/* `bytes` are the container's first. */
enum outcome decode_swap(struct decoding *d)
{
	const uint8_t *magic = d->bytes + PAGE_MIN - MAGIC_LEN;

	if (d->len < PAGE_MIN || !read_mark(d, magic, PAGE_MIN) ||
	    !is_sane(magic, d->bytes + HEADER))
		return DECODE_NOT_THIS;
	return DECODE_FOUND;
}

/* `bytes` are those around the end of a page of 8 KiB; the header is worth a read where they have
 * the magic. */
enum outcome decode_swap_8k(struct decoding *d)
{
	enum { PAGE = 8192, MAGIC_AT = 16 - MAGIC_LEN };
	const uint8_t *header;

	if (d->len < 16 || !read_mark(d, d->bytes + MAGIC_AT, PAGE))
		return DECODE_NOT_THIS;
	header = reach(d, HEADER, LAST_PAGE + 4);
	if (!header)
		return DECODE_MORE;
	return is_sane(d->bytes + MAGIC_AT, header) ? DECODE_FOUND : DECODE_NOT_THIS;
}

/* Pages of 16, 32, 64 KiB: only where the header at 1024 makes it worth another read. */
enum outcome decode_swap_large(struct decoding *d)
{
	const uint8_t *header = d->bytes + HEADER, *magic = NULL;

	if (d->len < HEADER + HEADER_LEN || !has_version(header) || !get_le32(header + LAST_PAGE) ||
	    !is_zero(header + PADDING, PADDING_LEN))
		return DECODE_NOT_THIS;
	if (d->more)
		magic = reach(d, d->more_at, MAGIC_LEN);
	if (magic && read_mark(d, magic, d->more_at + MAGIC_LEN))
		return DECODE_FOUND;
	if (PAGE_LARGE << d->step > PAGE_MAX)
		return DECODE_NOT_THIS;
	d->want_offset = (PAGE_LARGE << d->step) - MAGIC_LEN;
	d->want_len = MAGIC_LEN;
	return DECODE_MORE;
}
