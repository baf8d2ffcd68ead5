// SPDX-License-Identifier: GPL-2.0-or-later
/* The line that says what to do, and the exit status that goes with it. */
#include "report_fixture.h"

#include <errno.h>

static const struct report_options plain = { .format = FORMAT_TEXT };

/* The last line alone. */
static void assert_advice(const struct fixture *f, const struct report_options *options,
			  const char *expected)
{
	char *text = render(f, options);
	size_t len = strlen(text);

	assert_int_equal(text[len - 1], '\n');
	text[len - 1] = '\0';
	assert_string_equal(strrchr(text, '\n') + 1, expected);
	free(text);
}

static void test_advice_aligned(void **state)
{
	struct fixture f;

	(void)state;
	setup_image(&f);
	assert_advice(&f, &plain, "disk.img: its table is empty");
	set_exempt(&f, add_partition(&f, 1, 34, 2014), ROLE_BIOS_BOOT);
	f.analysis.judged = 0;
	assert_advice(&f, &plain, "disk.img: nothing to judge (1 exempt)");
	add_partition(&f, 2, 2048, 8);
	f.analysis.judged = 1;
	assert_advice(&f, &plain, "disk.img: 1 partition, aligned (1 exempt)");
	add_partition(&f, 3, 4096, 8);
	f.analysis.judged = 2;
	assert_advice(&f, &plain, "disk.img: 2 partitions, all aligned (1 exempt)");
	teardown(&f);

	setup_image(&f);
	f.layout.type = TABLE_NONE;
	assert_advice(&f, &plain, "disk.img: no partition table, and nothing known inside");
	add_layer(&f, 0, "LVM2_member", 0);
	assert_advice(&f, &plain, "disk.img: no partition table; what it holds is aligned");
	teardown(&f);
}

static void test_advice_strict(void **state)
{
	struct report_options strict = { .format = FORMAT_TEXT, .strict = true };
	struct fixture f;

	(void)state;
	setup_image(&f);
	add_partition(&f, 1, 40, 8);
	findings_add(&f.analysis.findings, FINDING_START_NOT_RECOMMENDED, 0, "is aligned, but");
	assert_advice(&f, &plain, "disk.img: 1 partition, aligned");
	assert_advice(&f, &strict, "disk.img: 1 partition, aligned; strict: 1 warning counts");
	teardown(&f);
}

/* What --fix would do stands where it is known. */
static void test_advice_with_plan(void **state)
{
	struct plan_move move = { .number = 1 };
	struct plan plan = {
		.feasible = true, .moves = &move, .move_count = 1, .bytes_to_move = 100 * MIB
	};
	struct fixture f;

	(void)state;
	setup_disk(&f);
	add_partition(&f, 1, 63, 204800);
	add_partition(&f, 2, 206848, 8);
	set_misaligned(&f, 0, 3584);
	f.result.plan = &plan;
	assert_advice(&f, &plain,
		      "sda: 1 of 2 partitions is misaligned; `alignck --fix /dev/sda` would move"
		      " 100 MiB");
	plan.bytes_to_move = 512;
	assert_advice(&f, &plain,
		      "sda: 1 of 2 partitions is misaligned; `alignck --fix /dev/sda` would move"
		      " 512 bytes");
	plan.feasible = false;
	strcpy(plan.reason, "needs 1985 more sectors");
	assert_advice(&f, &plain,
		      "sda: 1 of 2 partitions is misaligned; `alignck --fix` cannot move it: needs"
		      " 1985 more sectors");
	teardown(&f);
}

/* Where the boundaries are moved, so is what is proposed: the jumper drive, the stripe. */
static void test_advice_where(void **state)
{
	struct fixture f;

	(void)state;
	setup_disk(&f);
	f.device.topology.alignment_offset = 3584;
	add_partition(&f, 1, 2048, 8);
	add_partition(&f, 2, 4096, 8);
	set_misaligned(&f, 0, 512);
	set_misaligned(&f, 1, 512);
	assert_advice(&f, &plain,
		      "sda: 2 of 2 partitions are misaligned; re-create them at sector 7 plus a"
		      " multiple of 8 (2055 is a good one), or move them with their data");
	f.device.topology.alignment_offset = 0;
	f.analysis.required = f.analysis.recommended = 196608;
	assert_advice(&f, &plain,
		      "sda: 2 of 2 partitions are misaligned; re-create them at a multiple of 384"
		      " sectors (2304 is a good one), or move them with their data");
	f.analysis.required = 4096;
	f.analysis.recommended = MIB;
	f.device.image_offset = 512 * 63;
	assert_advice(&f, &plain,
		      "sda: 2 of 2 partitions are misaligned; re-create them at sector 1 plus a"
		      " multiple of 8 (4033 is a good one), or move them with their data");
	f.device.image_offset = 100;
	assert_advice(&f, &plain,
		      "sda: 2 of 2 partitions are misaligned; no sector of it lies on a boundary:"
		      " what holds it must be moved");
	teardown(&f);
}

static void test_advice_by_cause(void **state)
{
	struct fixture f;

	(void)state;
	setup_disk(&f);
	add_partition(&f, 1, 2048, 8);
	f.analysis.misaligned = 1;
	findings_add(&f.analysis.findings, FINDING_PAYLOAD_MISALIGNED, 0, "x");
	assert_advice(&f, &plain,
		      "sda: 1 of 1 partition is misaligned; the start is right: re-create what is"
		      " inside with its data on a boundary");
	findings_add(&f.analysis.findings, FINDING_STACK_MISALIGNED, -1, "x");
	assert_advice(&f, &plain,
		      "sda: 1 of 1 partition is misaligned; what it is built on is misaligned:"
		      " re-create that first");
	findings_add(&f.analysis.findings, FINDING_TABLE_DAMAGED, -1, "x");
	assert_advice(&f, &plain,
		      "sda: cannot tell for sure (1 of 1 partition is misaligned); `sgdisk"
		      " --verify /dev/sda` shows more of the table");
	f.analysis.misaligned = 0;
	f.layout.type = TABLE_DOS;
	f.device.disk_path = (char *)"my disk's.img";
	assert_advice(&f, &plain,
		      "sda: cannot tell; `sfdisk --verify 'my disk'\\''s.img'` shows more of the"
		      " table");
	f.device.disk_path = (char *)"-x";
	findings_add(&f.analysis.findings, FINDING_KERNEL_DISAGREES, -1, "x");
	assert_advice(&f, &plain,
		      "sda: cannot tell; `partx --update ./-x` or a reboot makes the kernel read"
		      " the table anew");
	findings_add(&f.analysis.findings, FINDING_UNFINISHED_REALIGNMENT, -1, "x");
	assert_advice(&f, &plain,
		      "sda: an unfinished realignment is on it; `alignck --resume ./-x`"
		      " finishes it, `alignck --undo ./-x` takes it back");
	teardown(&f);
}

/* An error is never fine, whatever the others are. */
static void test_status(void **state)
{
	struct result results[2];
	struct fixture f;

	(void)state;
	setup_disk(&f);
	add_partition(&f, 1, 2048, 8);
	results[0] = f.result;
	results[1] = (struct result){ .path = "x", .error = -ENOENT };
	assert_int_equal(report_status(results, 0, false), STATUS_UNKNOWN);
	assert_int_equal(report_status(results, 1, false), STATUS_ALIGNED);
	assert_int_equal(report_status(results, 2, false), STATUS_UNKNOWN);
	assert_int_equal(nagios_status(results, 0, false), 3);
	assert_int_equal(nagios_status(results, 1, false), 0);
	assert_int_equal(nagios_status(results, 2, false), 3);
	findings_add(&f.analysis.findings, FINDING_LYING_DRIVE, -1, "x");
	assert_int_equal(report_status(results, 1, false), STATUS_ALIGNED);
	assert_int_equal(report_status(results, 1, true), STATUS_MISALIGNED);
	assert_int_equal(nagios_status(results, 1, false), 1);
	assert_int_equal(nagios_status(results, 1, true), 2);
	set_misaligned(&f, 0, 512);
	assert_int_equal(report_status(results, 1, false), STATUS_MISALIGNED);
	assert_int_equal(nagios_status(results, 2, false), 2);
	findings_add(&f.analysis.findings, FINDING_OVERLAP, 0, "x");
	assert_int_equal(report_status(results, 1, false), STATUS_UNKNOWN);
	assert_int_equal(nagios_status(results, 1, false), 3);
	findings_add(&f.analysis.findings, FINDING_UNFINISHED_REALIGNMENT, -1, "x");
	assert_int_equal(report_status(results, 2, false), STATUS_UNFINISHED);
	assert_int_equal(nagios_status(results, 2, false), 2);
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_advice_aligned),   cmocka_unit_test(test_advice_strict),
		cmocka_unit_test(test_advice_with_plan), cmocka_unit_test(test_advice_where),
		cmocka_unit_test(test_advice_by_cause),  cmocka_unit_test(test_status),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
