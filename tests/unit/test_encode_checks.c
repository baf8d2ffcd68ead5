// SPDX-License-Identifier: GPL-2.0-or-later
/* What compares a new table with the old one and the plan: that it can say no. */
#include "encode_case.h"

#include "../../src/commit/fdisk.h"

/* What is read back is compared in every field. */
static void each_difference_is_found(void **state)
{
	struct encoded e;
	struct layout changed;
	struct reason reason;
	struct partition parts[8];

	(void)state;
	NEED_TOOL("sfdisk");
	run(CHS_ERA);
	open_case(&e, "a", 512);
	memcpy(parts, e.layout->partitions, e.layout->count * sizeof(*parts));
	changed = *e.layout;
	changed.partitions = parts;
	assert_true(is_planned_layout(e.layout, NULL, &changed, &reason));
	assert_true(is_planned_layout(e.layout, &e.plan, &changed, &reason));
#define CHANGED(change, word)                                                                      \
	do {                                                                                       \
		memcpy(parts, e.layout->partitions, e.layout->count * sizeof(*parts));             \
		changed = *e.layout;                                                               \
		changed.partitions = parts;                                                        \
		change;                                                                            \
		assert_false(is_planned_layout(e.layout, &e.plan, &changed, &reason));             \
		if (!strstr(reason.text, word))                                                    \
			fail_msg("no word of %s: %s", word, reason.text);                          \
	} while (0)
	parts[0].role = ROLE_CONTAINER; /* of a label that is not in the table's sectors */
	assert_true(is_planned_layout(e.layout, &e.plan, &changed, &reason));
	CHANGED(parts[0].role = ROLE_BIOS_BOOT, "role of partition 1");
	CHANGED(parts[3].start += 512, "partition 6 at byte");
	CHANGED(parts[3].size -= 512, "partition 6 at byte");
	CHANGED(parts[3].ebr += 512, "EBR of partition 6");
	CHANGED(parts[0].bootable ^= 1, "boot flag of partition 1");
	CHANGED(parts[0].attributes ^= 4, "attributes of partition 1");
	CHANGED(strcpy(parts[2].type, "7"), "type of partition 5");
	CHANGED(strcpy(parts[2].uuid, "7"), "id of partition 5");
	CHANGED(strcpy(parts[2].label, "7"), "name of partition 5");
	CHANGED(parts[2].number = 8, "number of partition 5");
	CHANGED(changed.count--, "number of partitions");
	CHANGED(strcpy(changed.id, "00000000"), "another id");
	close_case(&e);
}

/* ---- what must notice if the encoder changed more than positions ---- */

static void expect_noticed(struct encoded *e, uint64_t offset, bool expected)
{
	uint8_t *sector = find_table_sector(&e->after, offset / 512 * 512);

	assert_non_null(sector);
	sector[offset % 512] ^= 1;
	if (is_same_otherwise(e->layout, &e->plan, &e->before, &e->after, &e->reason) == expected)
		fail_msg("byte %" PRIu64 ": %s", offset, expected ? "not noticed" : e->reason.text);
	sector[offset % 512] ^= 1;
}

static void every_other_byte_of_an_mbr_is_compared(void **state)
{
	enum { ENTRIES = 446, EBR5 = 80325 * 512, EBR7 = 240975 * 512 };
	struct encoded e;

	(void)state;
	NEED_TOOL("fdisk");
	run(CHS_ERA);
	open_case(&e, "a", 512);
	place(&e, 1, 62, 0);
	place(&e, 6, 160704, 160650);
	encode_well(&e);
	for (unsigned i = 0; i < 512; i++) {
		/* Entry 1 has moved: its CHS addresses and its start; sizes are read_layout()'s. */
		bool free = i >= ENTRIES && i < ENTRIES + 16 && i != ENTRIES && i != ENTRIES + 4;

		expect_noticed(&e, i, !free);
	}
	for (unsigned i = 0; i < 512; i++) /* p5 stays, its link covers the new p6 */
		expect_noticed(&e, EBR5 + i, i < ENTRIES + 8 || i >= ENTRIES + 32);
	for (unsigned i = 0; i < 512; i++)
		expect_noticed(&e, EBR7 + i, i < ENTRIES + 8 || i >= ENTRIES + 32);
	close_case(&e);

	/* Where no logical moves, EBRs are not written at all. */
	open_case(&e, "a", 512);
	place(&e, 1, 62, 0);
	encode_well(&e);
	for (unsigned i = 0; i < 512; i++)
		expect_noticed(&e, EBR5 + i, true);
	close_case(&e);
}

static void every_other_byte_of_a_gpt_is_compared(void **state)
{
	struct encoded e;
	uint64_t backup = 64 * MIB - 33 * 512;

	(void)state;
	NEED_TOOL("sgdisk");
	run(GPT_MIX);
	open_case(&e, "a", 512);
	place(&e, 3, 2040, 0);
	encode_well(&e);
	for (unsigned i = 0; i < 512; i++) {
		bool sums = (i >= 16 && i < 20) || (i >= 88 && i < 92);
		bool start = i >= 2 * 128 + 32 && i < 2 * 128 + 48;

		expect_noticed(&e, i, true);
		expect_noticed(&e, 512 + i, !sums);
		expect_noticed(&e, 64 * MIB - 512 + i, !sums);
		expect_noticed(&e, 1024 + i, !start);
		expect_noticed(&e, backup + i, !start);
		expect_noticed(&e, 1536 + i, true);
	}
	close_case(&e);
}

/* libfdisk is asked as well as read_layout(), and must be able to say no. */
static void libfdisk_is_a_second_opinion(void **state)
{
	static const char *const makers[] = { CHS_ERA, GPT_MIX };

	(void)state;
	NEED_TOOL("fdisk");
	NEED_TOOL("sgdisk");
	for (size_t i = 0; i < ARRAY_SIZE(makers); i++) {
		struct partition *last;
		struct encoded e;
		struct fdisk fdisk;
		uint64_t number;

		run("%s", makers[i]);
		open_case(&e, "a", 512);
		assert_int_equal(open_fdisk(&e.image.io, 512, "a", &fdisk, &e.reason), 0);
		assert_int_equal(compare_fdisk(&fdisk, e.layout, NULL, &e.reason), 0);
		assert_int_equal(compare_fdisk(&fdisk, e.layout, &e.plan, &e.reason), 0);
		last = &e.layout->partitions[e.layout->count - 1];
		e.plan.places[e.layout->count - 1].start += 512;
		assert_int_equal(compare_fdisk(&fdisk, e.layout, &e.plan, &e.reason), -EINVAL);
		e.plan.places[e.layout->count - 1].start -= 512;
		e.plan.places[e.layout->count - 1].size += 512;
		assert_int_equal(compare_fdisk(&fdisk, e.layout, &e.plan, &e.reason), -EINVAL);
		strcpy(last->type, "7");
		assert_int_equal(compare_fdisk(&fdisk, e.layout, NULL, &e.reason), -EINVAL);
		assert_non_null(strstr(e.reason.text, "another type"));
		number = last->number;
		last->number = 59;
		assert_int_equal(compare_fdisk(&fdisk, e.layout, NULL, &e.reason), -EINVAL);
		last->number = number;
		e.layout->count--;
		assert_int_equal(compare_fdisk(&fdisk, e.layout, NULL, &e.reason), -EINVAL);
		assert_non_null(strstr(e.reason.text, "partitions, not"));
		e.layout->count++;
		close_fdisk(&fdisk);
		close_case(&e);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_difference_is_found),
		cmocka_unit_test(every_other_byte_of_an_mbr_is_compared),
		cmocka_unit_test(every_other_byte_of_a_gpt_is_compared),
		cmocka_unit_test(libfdisk_is_a_second_opinion),
	};

	return cmocka_run_group_tests(tests, image_setup, image_teardown);
}
