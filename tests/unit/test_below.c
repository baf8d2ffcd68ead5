// SPDX-License-Identifier: GPL-2.0-or-later
/* Devices that are built on others: device-mapper's table lines, and what the places add up to.
 * What sysfs says is in tests/cli/sysroot.bats. */
#include "unit.h"

#include "../../src/probe/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void test_simple_targets(void **state)
{
	static const struct {
		const char *type, *params, *number;
		uint64_t place;
	} rows[] = {
		{ "linear", "8:1 2048", "8:1", 2048 },
		{ "linear", "253:17 0", "253:17", 0 },
		{ "crypt", "aes-xts-plain64 00112233 0 8:2 4096", "8:2", 4096 },
		{ "crypt", "aes-xts-plain64 :64:logon:cryptsetup:x 0 8:2 32768 1 allow_discards",
		  "8:2", 32768 },
		{ "flakey", "7:0 7 30 0", "7:0", 7 },
		{ "delay", "7:0 9 500", "7:0", 9 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct piece_list pieces = { 0 };

		assert_int_equal(decode_dm_target(rows[i].type, rows[i].params, 100, 50, &pieces),
				 0);
		assert_int_equal(pieces.count, 1);
		assert_true(pieces.list[0].is_known);
		assert_string_equal(pieces.list[0].number, rows[i].number);
		assert_int_equal(pieces.list[0].start, 100 * 512);
		assert_int_equal(pieces.list[0].length, 50 * 512);
		assert_int_equal(pieces.list[0].place, rows[i].place * 512);
		free(pieces.list);
	}
}

static void test_striped(void **state)
{
	struct piece_list pieces = { 0 };

	(void)state;
	assert_int_equal(decode_dm_target("striped", "2 128 8:1 2048 8:17 63", 0, 1000, &pieces),
			 0);
	assert_int_equal(pieces.count, 2);
	assert_int_equal(pieces.list[0].start, 0);
	assert_int_equal(pieces.list[0].place, 2048 * 512);
	assert_string_equal(pieces.list[1].number, "8:17");
	assert_int_equal(pieces.list[1].start, 128 * 512);
	assert_int_equal(pieces.list[1].place, 63 * 512);
	free(pieces.list);
}

/* A target that does not tell, or a line that is none. */
static void test_unknown(void **state)
{
	static const struct {
		const char *type, *params;
	} rows[] = {
		{ "thin", "253:2 1" },
		{ "raid", "raid1 3 0 region_size 1024 2 253:0 253:1 253:2 253:3" },
		{ "linear", "" },
		{ "linear", "8:1" },
		{ "linear", "/dev/sda 5" },
		{ "linear", "8:1 x" },
		{ "linear", "8:1 18446744073709551615" },
		{ "linear", "123456789012345678901234567890:1 5" },
		{ "crypt", "aes key 0 8:2" },
		{ "striped", "" },
		{ "striped", "9 128 8:1 0" },
		{ "striped", "18446744073709551615 128 8:1 0" },
		{ "striped", "2 1 8:1 0 8:2 0" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct piece_list pieces = { 0 };

		assert_int_equal(decode_dm_target(rows[i].type, rows[i].params, 0, 8, &pieces),
				 -ENOTSUP);
		free(pieces.list);
	}
}

#define AT(place, physical, offset)                                                                \
	{                                                                                          \
		"sda", "", true, 0, place, physical, offset                                        \
	}
#define UNKNOWN                                                                                    \
	{                                                                                          \
		"sda", "", false, 0, 0, 4096, 0                                                    \
	}

static void test_alignment(void **state)
{
	static const struct {
		struct below below[3];
		size_t count;
		int64_t offset;
		uint64_t physical;
	} rows[] = {
		{ { AT(1048576, 4096, 0) }, 1, 0, 4096 },
		{ { AT(7 * 512, 4096, 0) }, 1, 512, 4096 },
		{ { AT(7 * 512, 512, 0) }, 1, 512, 512 },     /* 4096 whatever it says */
		{ { AT(63 * 512, 4096, 3584) }, 1, 0, 4096 }, /* a shifted disk */
		{ { AT(2048 * 512, 4096, 3584) }, 1, 3584, 4096 },
		{ { AT(4096, 16384, 0) }, 1, 12288, 16384 },
		{ { AT(7 * 512, 4096, 0), AT(15 * 512, 4096, 0) }, 2, 512, 4096 },
		{ { AT(7 * 512, 4096, 0), AT(8 * 512, 4096, 0) }, 2, -1, 4096 },
		{ { AT(4096, 4096, 0), AT(4096, 16384, 0) }, 2, 12288, 16384 },
		{ { AT(4096, 16384, 0), AT(8192, 4096, 0) }, 2, 12288, 16384 },
		{ { AT(512, 4096, 0), AT(4096, 16384, 0) }, 2, -1, 16384 },
		{ { AT(0, 4096, 0), UNKNOWN }, 2, INT64_MIN, 4096 },
		{ { UNKNOWN, AT(512, 4096, 0), AT(0, 4096, 0) }, 3, -1, 4096 },
		{ { AT(0, 4096, -1) }, 1, INT64_MIN, 4096 },
		{ { UNKNOWN }, 0, INT64_MIN, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t physical;

		assert_int_equal(alignment_below(rows[i].below, rows[i].count, &physical),
				 rows[i].offset);
		assert_int_equal(physical, rows[i].physical);
	}
}

/* The second half of a volume in two pieces. */
static void test_pieces_in_the_middle(void **state)
{
	struct below pieces[] = { AT(MIB, 4096, 0), AT(10 * MIB + 512, 4096, 0) };
	uint64_t physical;

	(void)state;
	pieces[1].start = 5 * MIB + 512;
	assert_int_equal(alignment_below(pieces, 2, &physical), 0);
	pieces[1].start = 5 * MIB;
	assert_int_equal(alignment_below(pieces, 2, &physical), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_simple_targets),
		cmocka_unit_test(test_striped),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_alignment),
		cmocka_unit_test(test_pieces_in_the_middle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
