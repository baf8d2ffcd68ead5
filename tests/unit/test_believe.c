// SPDX-License-Identifier: GPL-2.0-or-later
/* believe_topology(): every rule from both sides, then what must hold for any numbers. */
#include "machine.h"

/* Sizes in the order logical, physical, minimum, optimal; the offset is 0. */
struct example {
	const char *what;
	uint64_t reported[4];
	enum tristate rotational;
	uint64_t believed[4];
	int finding; /* -1: none at all */
};

#define NONE        -1
#define IGNORED     FINDING_TOPOLOGY_IGNORED
#define IMPLAUSIBLE FINDING_TOPOLOGY_IMPLAUSIBLE
#define SSD         TRI_NO
#define HDD         TRI_YES

/* "case N": numbers from the field reports of that kind. */
static const struct example examples[] = {
	{ "512n", { 512, 512, 512, 0 }, HDD, { 512, 512, 512, 0 }, NONE },
	{ "512e", { 512, 4096, 4096, 0 }, HDD, { 512, 4096, 4096, 0 }, NONE },
	{ "4Kn", { 4096, 4096, 4096, 0 }, HDD, { 4096, 4096, 4096, 0 }, NONE },
	{ "nothing said", { 0, 0, 0, 0 }, TRI_UNKNOWN, { 0, 4096, 0, 0 }, NONE },
	/* case 1: largest transfers; 2^n - 1 blocks */
	{ "bridge", { 512, 512, 512, 33553920 }, HDD, { 512, 512, 512, 0 }, IGNORED },
	{ "SAS", { 512, 4096, 4096, 16773120 }, HDD, { 512, 4096, 4096, 0 }, IGNORED },
	{ "SAS, 512n", { 512, 512, 512, 16773120 }, HDD, { 512, 512, 512, 0 }, IGNORED },
	{ "1023 * 8 KiB", { 512, 8192, 512, 8380416 }, SSD, { 512, 8192, 512, 0 }, IGNORED },
	{ "1024 * 8 KiB", { 512, 8192, 512, 8388608 }, SSD, { 512, 8192, 512, 8388608 }, NONE },
	{ "1023 * 4 KiB", { 512, 512, 512, 4190208 }, SSD, { 512, 512, 512, 0 }, IGNORED },
	{ "511 * 4 KiB", { 512, 512, 512, 2093056 }, SSD, { 512, 512, 512, 2093056 }, NONE },
	{ "1022 * 4 KiB", { 512, 512, 512, 4186112 }, SSD, { 512, 512, 512, 4186112 }, NONE },
	{ "7 * 512", { 512, 512, 512, 3584 }, SSD, { 512, 512, 512, 0 }, IGNORED },
	/* case 2 */
	{ "below min", { 512, 512, 262144, 65536 }, HDD, { 512, 512, 262144, 0 }, IGNORED },
	{ "1.5 min", { 512, 4096, 65536, 98304 }, HDD, { 512, 4096, 65536, 0 }, IGNORED },
	{ "3 min", { 512, 4096, 65536, 196608 }, HDD, { 512, 4096, 65536, 196608 }, NONE },
	/* case 3 */
	{ "16 MiB", { 512, 4096, 512, 16777216 }, HDD, { 512, 4096, 512, 16777216 }, NONE },
	{ "a page more", { 512, 4096, 512, 16781312 }, HDD, { 512, 4096, 512, 0 }, IGNORED },
	{ "64 MiB", { 512, 4096, 4096, 67108864 }, HDD, { 512, 4096, 4096, 0 }, IGNORED },
	/* case 4: three chunks of 64 KiB */
	{ "3 chunks", { 512, 4096, 196608, 196608 }, HDD, { 512, 4096, 196608, 196608 }, NONE },
	/* case 5 */
	{ "LUN", { 512, 512, 4096, 65536 }, HDD, { 512, 512, 4096, 65536 }, NONE },
	/* case 8 */
	{ "8 KiB, turns", { 512, 8192, 8192, 0 }, HDD, { 512, 4096, 0, 0 }, IMPLAUSIBLE },
	{ "8 KiB, flash", { 512, 8192, 8192, 0 }, SSD, { 512, 8192, 8192, 0 }, NONE },
	{ "8 KiB", { 512, 8192, 8192, 0 }, TRI_UNKNOWN, { 512, 8192, 8192, 0 }, NONE },
	{ "hot-plug", { 512, 131072, 131072, 0 }, HDD, { 512, 4096, 0, 0 }, IMPLAUSIBLE },
	/* case 9 */
	{ "NVMe", { 512, 262144, 262144, 262144 }, SSD, { 512, 4096, 0, 262144 }, IMPLAUSIBLE },
	{ "own min", { 512, 262144, 524288, 0 }, SSD, { 512, 4096, 524288, 0 }, IMPLAUSIBLE },
	{ "64 KiB", { 512, 65536, 65536, 0 }, SSD, { 512, 65536, 65536, 0 }, NONE },
	{ "128 KiB", { 512, 131072, 512, 0 }, SSD, { 512, 4096, 512, 0 }, IMPLAUSIBLE },
	{ "6 KiB", { 512, 6144, 6144, 0 }, SSD, { 512, 4096, 0, 0 }, IMPLAUSIBLE },
	{ "256", { 512, 256, 512, 0 }, SSD, { 512, 4096, 512, 0 }, IMPLAUSIBLE },
	{ "below lbs", { 4096, 512, 4096, 0 }, SSD, { 4096, 4096, 4096, 0 }, IMPLAUSIBLE },
	{ "lbs 16 KiB", { 16384, 512, 0, 0 }, SSD, { 16384, 16384, 0, 0 }, IMPLAUSIBLE },
	/* case 10 */
	{ "520", { 520, 520, 520, 0 }, HDD, { 0, 4096, 0, 0 }, IMPLAUSIBLE },
	{ "lbs 128 KiB", { 131072, 131072, 0, 0 }, SSD, { 0, 4096, 0, 0 }, IMPLAUSIBLE },
	{ "lbs 256", { 256, 512, 512, 0 }, SSD, { 0, 512, 512, 0 }, IMPLAUSIBLE },

	{ "1.5 lbs", { 4096, 4096, 6144, 0 }, SSD, { 4096, 4096, 0, 0 }, IMPLAUSIBLE },
	{ "min 16 MiB", { 512, 512, 16777216, 0 }, HDD, { 512, 512, 16777216, 0 }, NONE },
	{ "min 32 MiB", { 512, 512, 33554432, 0 }, HDD, { 512, 512, 0, 0 }, IMPLAUSIBLE },
};

static void test_examples(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(examples); i++) {
		const struct example *e = &examples[i];
		const uint64_t *r = e->reported, *b = e->believed;
		const struct topology reported = { r[0], r[1], r[2], r[3], 0, true };
		struct topology believed;
		struct findings findings = { 0 };
		bool physical_believed;

		print_message("# %s\n", e->what);
		believe_topology(&reported, e->rotational, &believed, &physical_believed,
				 &findings);
		assert_int_equal(believed.logical_block_size, b[0]);
		assert_int_equal(believed.physical_block_size, b[1]);
		assert_int_equal(believed.minimum_io_size, b[2]);
		assert_int_equal(believed.optimal_io_size, b[3]);
		assert_int_equal(believed.alignment_offset, 0);
		assert_true(believed.has_alignment_offset);
		assert_int_equal(physical_believed, r[1] == b[1]);
		if (e->finding == NONE)
			assert_int_equal(findings.count, 0);
		else
			assert_non_null(find_finding(&findings, e->finding));
		findings_free(&findings);
	}
}

/* Cases 6 and 12: physical, minimum, the offset, and what is believed of it. */
static const struct {
	uint64_t physical, minimum;
	int64_t offset, believed;
	int finding;
} offsets[] = {
	{ 4096, 4096, 3584, 3584, NONE },
	{ 4096, 4096, 0, 0, NONE },
	{ 4096, 4096, -1, -1, FINDING_STACK_MISALIGNED },
	{ 4096, 4096, 4096, 0, IMPLAUSIBLE },
	{ 4096, 4096, -2, 0, IMPLAUSIBLE },
	{ 4096, 4096, 256, 0, IMPLAUSIBLE },
	{ 4096, 65536, 32256, 32256, NONE }, /* inside a chunk */
	{ 65536, 512, 65024, 65024, NONE },
	{ 131072, 131072, 4096, 0, IMPLAUSIBLE }, /* falls with what made room for it */
};

static void test_alignment_offset(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(offsets); i++) {
		const struct topology reported = {
			512, offsets[i].physical, offsets[i].minimum, 0, offsets[i].offset, true,
		};
		struct topology believed;
		struct findings findings = { 0 };
		bool physical_believed;

		print_message("# offset %lld\n", (long long)offsets[i].offset);
		believe_topology(&reported, TRI_NO, &believed, &physical_believed, &findings);
		assert_int_equal(believed.alignment_offset, offsets[i].believed);
		assert_int_equal(believed.has_alignment_offset, offsets[i].finding != IMPLAUSIBLE);
		if (offsets[i].finding == NONE)
			assert_int_equal(findings.count, 0);
		else
			assert_non_null(find_finding(&findings, offsets[i].finding));
		findings_free(&findings);
	}
}

/* The sentences: scripts read ids, people read these. */
static const struct {
	uint64_t reported[4];
	enum tristate rotational;
	const char *message;
} messages[] = {
	{ { 512, 512, 512, 33553920 },
	  HDD,
	  "optimal_io_size 33553920 ignored: not a multiple of 4096" },
	{ { 512, 4096, 4096, 16773120 },
	  HDD,
	  "optimal_io_size 16773120 ignored: 4095 blocks of 4096 is the limit of a counter, not a "
	  "stripe" },
	{ { 512, 512, 262144, 65536 },
	  HDD,
	  "optimal_io_size 65536 ignored: not a multiple of the minimum_io_size 262144" },
	{ { 512, 4096, 4096, 67108864 }, HDD, "optimal_io_size 67108864 ignored: above 16 MiB" },
	{ { 512, 8192, 512, 0 },
	  HDD,
	  "physical_block_size 8192 ignored: no rotating disk has sectors above 4096; 4096 "
	  "assumed" },
	{ { 512, 262144, 512, 0 },
	  SSD,
	  "physical_block_size 262144 ignored: not from 512 to 65536; 4096 assumed" },
	{ { 512, 6144, 512, 0 },
	  SSD,
	  "physical_block_size 6144 ignored: not a power of two; 4096 assumed" },
	{ { 520, 512, 512, 0 }, HDD, "logical_block_size 520 ignored: not a power of two" },
	{ { 4096, 4096, 6144, 0 },
	  SSD,
	  "minimum_io_size 6144 ignored: not a multiple of the logical sector" },
};

static void test_messages(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(messages); i++) {
		const uint64_t *r = messages[i].reported;
		const struct topology reported = { r[0], r[1], r[2], r[3], 0, false };
		struct topology believed;
		struct findings findings = { 0 };
		bool physical_believed;

		believe_topology(&reported, messages[i].rotational, &believed, &physical_believed,
				 &findings);
		assert_int_equal(findings.count, 1);
		assert_string_equal(findings.list[0].message, messages[i].message);
		assert_false(believed.has_alignment_offset);
		findings_free(&findings);
	}
}

static void test_minimum_that_falls_is_said(void **state)
{
	const struct topology reported = { 512, 262144, 262144, 0, 0, true };
	struct topology believed;
	struct findings findings = { 0 };
	bool physical_believed;

	(void)state;
	believe_topology(&reported, TRI_NO, &believed, &physical_believed, &findings);
	assert_int_equal(findings.count, 2);
	assert_string_equal(find_finding(&findings, FINDING_TOPOLOGY_IGNORED)->message,
			    "minimum_io_size 262144 ignored: repeats the physical_block_size");
	assert_int_equal(find_finding(&findings, FINDING_TOPOLOGY_IMPLAUSIBLE)->value, 262144);
	findings_free(&findings);
}

/* xorshift64: the same numbers in every run. */
static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* Numbers near those that matter: powers of two, their neighbours and multiples, and anything. */
static uint64_t random_size(uint64_t *seed)
{
	uint64_t power = 1ULL << next_random(seed) % 40;

	switch (next_random(seed) % 5) {
	case 0:
		return 0;
	case 1:
		return power;
	case 2:
		return power * (next_random(seed) % 17);
	case 3:
		return power * 512 - 512;
	default:
		return next_random(seed);
	}
}

static void check_invariants(const struct topology *r, const struct topology *b,
			     enum tristate rotational, bool physical_believed, size_t findings)
{
	uint64_t granularity = 4096;
	bool differs;

	assert_true(!b->logical_block_size || b->logical_block_size == r->logical_block_size);
	assert_true(!b->logical_block_size ||
		    (is_power_of_two(b->logical_block_size) && b->logical_block_size >= 512 &&
		     b->logical_block_size <= 65536));
	assert_true(is_power_of_two(b->physical_block_size));
	assert_in_range(b->physical_block_size, 512, 65536);
	assert_true(b->physical_block_size >= b->logical_block_size);
	if (physical_believed)
		assert_int_equal(b->physical_block_size, r->physical_block_size);
	if (rotational == TRI_YES && b->physical_block_size > 4096)
		assert_int_equal(b->physical_block_size, b->logical_block_size);

	assert_true(!b->minimum_io_size || b->minimum_io_size == r->minimum_io_size);
	assert_true(b->minimum_io_size <= 16 * MIB);
	assert_int_equal(b->minimum_io_size % (b->logical_block_size ? b->logical_block_size : 512),
			 0);
	assert_true(!b->optimal_io_size || b->optimal_io_size == r->optimal_io_size);
	assert_true(b->optimal_io_size <= 16 * MIB);
	assert_int_equal(b->optimal_io_size % 4096, 0);
	if (b->minimum_io_size) {
		assert_int_equal(b->optimal_io_size % b->minimum_io_size, 0);
		if (b->minimum_io_size > granularity)
			granularity = b->minimum_io_size;
	}
	if (b->physical_block_size > granularity)
		granularity = b->physical_block_size;
	assert_true(b->alignment_offset >= -1 && b->alignment_offset < (int64_t)granularity);

	differs = b->logical_block_size != r->logical_block_size ||
		  (r->physical_block_size && !physical_believed) ||
		  b->minimum_io_size != r->minimum_io_size ||
		  b->optimal_io_size != r->optimal_io_size ||
		  b->alignment_offset != r->alignment_offset || r->alignment_offset == -1;
	assert_int_equal(findings != 0, differs); /* what is dropped is said, and nothing else */
}

static void test_any_numbers(void **state)
{
	uint64_t seed = 0x5eed0a11c4ec4b1dULL;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		struct topology reported = {
			.logical_block_size = random_size(&seed),
			.physical_block_size = random_size(&seed),
			.minimum_io_size = random_size(&seed),
			.optimal_io_size = random_size(&seed),
			.alignment_offset = (int64_t)random_size(&seed) - 1,
			.has_alignment_offset = true,
		};
		enum tristate rotational = (int)(next_random(&seed) % 3) - 1;
		struct topology believed;
		struct findings findings = { 0 };
		bool physical_believed;

		if (i % 4 == 0)
			reported.logical_block_size = 512 << i / 4 % 8;
		if (i % 3 == 0)
			reported.minimum_io_size = reported.physical_block_size;
		believe_topology(&reported, rotational, &believed, &physical_believed, &findings);
		check_invariants(&reported, &believed, rotational, physical_believed,
				 findings.count);
		findings_free(&findings);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_examples),
		cmocka_unit_test(test_alignment_offset),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_minimum_that_falls_is_said),
		cmocka_unit_test(test_any_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
