// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "alignck/util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void sizes_are_read(void **state)
{
	static const struct {
		const char *text;
		int result;
		uint64_t bytes;
	} cases[] = {
		{ "0", 0, 0 },
		{ "4096", 0, 4096 },
		{ "1s", 0, 512 },
		{ "2048s", 0, MIB },
		{ "4K", 0, 4096 },
		{ "4KiB", 0, 4096 },
		{ "1M", 0, MIB },
		{ "1MiB", 0, MIB },
		{ "3G", 0, 3 * GIB },
		{ "2T", 0, 2 * KIB * GIB },
		{ "15E", 0, 15 * GIB * GIB },
		{ "18446744073709551615", 0, UINT64_MAX },
		{ "18446744073709551616", -ERANGE, 0 },
		{ "16E", -ERANGE, 0 },
		{ "36028797018963968s", -ERANGE, 0 },
		{ "", -EINVAL, 0 },
		{ "-1", -EINVAL, 0 },
		{ "+1", -EINVAL, 0 },
		{ " 1", -EINVAL, 0 },
		{ "1 ", -EINVAL, 0 },
		{ "1k", -EINVAL, 0 },
		{ "1KB", -EINVAL, 0 },
		{ "1.5M", -EINVAL, 0 },
		{ "0x10", -EINVAL, 0 },
		{ "K", -EINVAL, 0 },
		{ "4Kx", -EINVAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t bytes = 77;

		assert_int_equal(parse_size(cases[i].text, &bytes), cases[i].result);
		if (!cases[i].result)
			assert_true(bytes == cases[i].bytes);
	}
}

static void sizes_are_written(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = {
		{ 0, "0B" },
		{ 512, "512B" },
		{ 1023, "1023B" },
		{ KIB, "1K" },
		{ 1536, "1.5K" },
		{ 100 * MIB, "100M" },
		{ 100 * MIB + 512, "100M" },
		{ MIB - 1, "1M" },
		{ GIB - 1, "1G" },
		{ 100 * GIB, "100G" },
		{ 1500301910016, "1.4T" },
		{ UINT64_MAX, "16E" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char buf[SIZE_TEXT_MAX];

		assert_string_equal(format_size(buf, cases[i].bytes), cases[i].text);
	}
}

static void size_round_trip(void **state)
{
	uint64_t seed = 20260101;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		uint64_t n = next_random(&seed) >> (next_random(&seed) % 64), back;
		char text[32], buf[SIZE_TEXT_MAX];

		snprintf(text, sizeof(text), "%llu", (unsigned long long)n);
		assert_int_equal(parse_size(text, &back), 0);
		assert_true(back == n);
		assert_true(strlen(format_size(buf, n)) <= strlen("1023.9K"));
	}
}

static void arithmetic_is_checked(void **state)
{
	uint64_t out = 7;

	(void)state;
	assert_true(add_u64(UINT64_MAX, 0, &out) && out == UINT64_MAX);
	assert_false(add_u64(UINT64_MAX, 1, &out));
	assert_true(out == UINT64_MAX);
	assert_true(mul_u64(1ULL << 32, (1ULL << 32) - 1, &out));
	assert_false(mul_u64(1ULL << 32, 1ULL << 32, &out));
	assert_true(round_up_to(196609, 196608, &out) && out == 2 * 196608);
	assert_true(round_up_to(196608, 196608, &out) && out == 196608);
	assert_false(round_up_to(UINT64_MAX, 4096, &out));
	assert_true(round_down_to(196607, 196608) == 0);
	assert_true(is_power_of_two(1) && is_power_of_two(1ULL << 63));
	assert_false(is_power_of_two(0) || is_power_of_two(196608));
}

static void extents_are_half_open(void **state)
{
	(void)state;
	assert_false(extents_overlap((struct extent){ 0, 10 }, (struct extent){ 10, 20 }));
	assert_true(extents_overlap((struct extent){ 0, 11 }, (struct extent){ 10, 20 }));
	assert_true(extents_overlap((struct extent){ 12, 13 }, (struct extent){ 10, 20 }));
	assert_false(extents_overlap((struct extent){ 20, 30 }, (struct extent){ 10, 20 }));
}

static void hostile_text_is_made_safe(void **state)
{
	static const struct {
		const char *in;
		const char *out;
	} cases[] = {
		{ "  WDC WD15EARS  ", "WDC WD15EARS" },
		{ "a\nb\tc", "a\\x0ab\\x09c" },
		{ "\033]0;owned\007", "\\x1b]0;owned\\x07" },
		{ "Größe €", "Größe €" },
		{ "\xf0\x9f\x92\xbe", "\xf0\x9f\x92\xbe" },
		{ "\xc0\xaf", "\\xc0\\xaf" },                   /* overlong */
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80" },          /* surrogate */
		{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80" }, /* above U+10FFFF */
		{ "\xc2\x9b", "\\xc2\\x9b" },                   /* C1 control: CSI */
		{ "a\xe2\x80\xae"
		  "b",
		  "a\\xe2\\x80\\xae"
		  "b" }, /* right-to-left override */
		{ "cut\xe2\x82", "cut\\xe2\\x82" },
		{ "\x7f", "\\x7f" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char out[64];
		autofree char *copy = sanitize_dup(cases[i].in);

		sanitize_text(out, sizeof(out), cases[i].in, strlen(cases[i].in));
		assert_string_equal(out, cases[i].out);
		assert_string_equal(copy, cases[i].out);
	}
}

static void safe_text_is_cut_whole(void **state)
{
	char out[4];

	(void)state;
	sanitize_text(out, sizeof(out), "a\033", 2); /* the escape takes 4: does not fit */
	assert_string_equal(out, "a");
	sanitize_text(out, sizeof(out), "ab€", 5);
	assert_string_equal(out, "ab");
	sanitize_text(out, 1, "a", 1);
	assert_string_equal(out, "");
}

static void safe_text_property(void **state)
{
	uint64_t seed = 42;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		uint8_t in[40];
		char out[50];
		size_t len = next_random(&seed) % sizeof(in), size = 1 + next_random(&seed) % 50;

		for (size_t j = 0; j < len; j++)
			in[j] = next_random(&seed) >> 56;
		sanitize_text(out, size, in, len);
		assert_true(strlen(out) < size);
		for (const char *p = out; *p; p++)
			assert_true((uint8_t)*p >= 0x20 && *p != 0x7f);
	}
}

static void unprintable_bytes_are_found(void **state)
{
	static const struct {
		const char *text;
		int at; /* -1: nothing */
	} cases[] = {
		{ "", -1 },
		{ "a\tb\r\n\xc3\xa9\n", -1 },
		{ "a\r", -1 },
		{ "a\rb", 1 },
		{ "\n\x1b[m", 1 },
		{ "ab\x7f", 2 },
		{ "\xc2\x9b", 0 },
		{ "\xe9t\xe9", 0 },
		{ "a\xe2\x80\xae", 1 },
		{ "a\xc3", 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *text = cases[i].text;
		const char *bad = find_unprintable(text, strlen(text));

		assert_int_equal(bad ? bad - text : -1, cases[i].at);
	}
}

static void names_in_utf16(void **state)
{
	static const uint8_t name[] = {
		'E', 0, 'F', 0, 'I', 0, 0x3d, 0xd8, 0xbe, 0xdc, 0, 0, 'x', 0
	};
	static const uint8_t lone[] = { 0x3d, 0xd8, 'a', 0 };
	static const uint8_t escape[] = { 0x1b, 0, '[', 0 };
	char out[32];

	(void)state;
	sanitize_utf16le(out, sizeof(out), name, 7);
	assert_string_equal(out, "EFI\xf0\x9f\x92\xbe");
	sanitize_utf16le(out, sizeof(out), lone, 2);
	assert_string_equal(out, "\xef\xbf\xbd"
				 "a");
	sanitize_utf16le(out, sizeof(out), escape, 2);
	assert_string_equal(out, "\\x1b[");
}

/* Long input takes another way: every length around its steps, from any address, must give what a
 * byte at a time gives. */
static void checksums_of_long_input(void **state)
{
	enum { SHORT = 4096 - 9, LONG = 4096 + 25 };
	static uint8_t data[LONG + 8];

	(void)state;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * i + (i >> 8));
	for (size_t from = 0; from < 8; from++)
		for (size_t len = SHORT; len <= LONG; len++) {
			uint32_t crc = 0x12345678;

			for (size_t i = 0; i < len; i += 61)
				crc = crc32_update(crc, data + from + i,
						   len - i < 61 ? len - i : 61);
			assert_int_equal(crc32_update(0x12345678, data + from, len), crc);
		}
}

static void checksums_and_fields(void **state)
{
	static const uint8_t guid[16] = { 0x28, 0x73, 0x2a, 0xc1, 0x1f, 0xf8, 0xd2, 0x11,
					  0xba, 0x4b, 0x00, 0xa0, 0xc9, 0x3e, 0xc9, 0x3b };
	uint8_t bytes[9] = { 0 };
	char text[GUID_TEXT_MAX];

	(void)state;
	/* The check value of CRC-32/ISO-HDLC in every catalogue of CRCs. */
	assert_int_equal(crc32_update(0, "123456789", 9), 0xcbf43926);
	assert_int_equal(crc32_update(crc32_update(0, "1234", 4), "56789", 5), 0xcbf43926);
	format_guid(text, guid);
	assert_string_equal(text, "C12A7328-F81F-11D2-BA4B-00A0C93EC93B");
	put_le64(bytes + 1, 0x1122334455667788);
	assert_int_equal(bytes[1], 0x88);
	assert_true(get_le64(bytes + 1) == 0x1122334455667788);
	assert_true(get_be64(bytes + 1) == 0x8877665544332211);
	assert_int_equal(get_be32(bytes + 1), 0x88776655);
	assert_int_equal(get_be16(bytes + 1), 0x8877);
	put_le32(bytes, 0xa1b2c3d4);
	assert_int_equal(get_le16(bytes), 0xc3d4);
	put_le16(bytes, 1);
	assert_int_equal(get_le32(bytes), 0xa1b20001);
}

static void reasons_carry_the_error(void **state)
{
	struct reason r;

	(void)state;
	assert_int_equal(reason_set(&r, -EIO, "cannot read sector %d: %s", 0, "x"), -EIO);
	assert_string_equal(r.text, "cannot read sector 0: x");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_read),
		cmocka_unit_test(sizes_are_written),
		cmocka_unit_test(size_round_trip),
		cmocka_unit_test(arithmetic_is_checked),
		cmocka_unit_test(extents_are_half_open),
		cmocka_unit_test(hostile_text_is_made_safe),
		cmocka_unit_test(safe_text_is_cut_whole),
		cmocka_unit_test(safe_text_property),
		cmocka_unit_test(unprintable_bytes_are_found),
		cmocka_unit_test(names_in_utf16),
		cmocka_unit_test(checksums_and_fields),
		cmocka_unit_test(checksums_of_long_input),
		cmocka_unit_test(reasons_carry_the_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
