// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "alignck/finding.h"

#include <string.h>

/* The names are a contract with scripts: this list may grow, and no line of it may change. */
static const struct {
	enum finding_id id;
	const char *name, *severity;
	enum status status;
} contract[] = {
	{ FINDING_START_MISALIGNED, "start-misaligned", "error", STATUS_MISALIGNED },
	{ FINDING_PAYLOAD_MISALIGNED, "payload-misaligned", "error", STATUS_MISALIGNED },
	{ FINDING_START_NOT_RECOMMENDED, "start-not-recommended", "warning", 0 },
	{ FINDING_END_MISALIGNED, "end-misaligned", "warning", 0 },
	{ FINDING_SIZE_MISALIGNED, "size-misaligned", "warning", 0 },
	{ FINDING_LYING_DRIVE, "lying-drive", "warning", 0 },
	{ FINDING_TOPOLOGY_IGNORED, "topology-ignored", "notice", 0 },
	{ FINDING_SECTOR_SIZE_MISMATCH, "sector-size-mismatch", "error", STATUS_UNKNOWN },
	{ FINDING_TABLE_DAMAGED, "table-damaged", "error", STATUS_UNKNOWN },
	{ FINDING_BACKUP_GPT_MISPLACED, "backup-gpt-misplaced", "warning", 0 },
	{ FINDING_HYBRID_MBR, "hybrid-mbr", "warning", 0 },
	{ FINDING_OVERLAP, "overlap", "error", STATUS_UNKNOWN },
	{ FINDING_EBR_INSIDE_DATA, "ebr-inside-data", "error", STATUS_UNKNOWN },
	{ FINDING_BEYOND_END, "beyond-end", "error", STATUS_UNKNOWN },
	{ FINDING_MIXED_SECTOR_SIZES, "mixed-sector-sizes", "warning", 0 },
	{ FINDING_ASHIFT_TOO_SMALL, "ashift-too-small", "warning", 0 },
	{ FINDING_BLOCK_SMALLER_THAN_SECTOR, "block-smaller-than-sector", "warning", 0 },
	{ FINDING_UNFINISHED_REALIGNMENT, "unfinished-realignment", "error", STATUS_UNFINISHED },
};

static void names_are_a_contract(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(contract); i++) {
		assert_string_equal(finding_name(contract[i].id), contract[i].name);
		assert_string_equal(severity_name(finding_severity(contract[i].id)),
				    contract[i].severity);
		assert_int_equal(finding_status(contract[i].id), contract[i].status);
	}
	for (int i = 0; i < FINDING_COUNT; i++) {
		assert_non_null(finding_name(i));
		/* An error always tells on the exit status, nothing else does. */
		assert_int_equal(finding_severity(i) == SEVERITY_ERROR,
				 finding_status(i) != STATUS_ALIGNED);
	}
}

static void the_highest_status_wins(void **state)
{
	struct findings f = { 0 };

	(void)state;
	assert_int_equal(findings_status(&f, true), STATUS_ALIGNED);
	findings_add(&f, FINDING_TOPOLOGY_IGNORED, -1, "x");
	assert_int_equal(findings_status(&f, true), STATUS_ALIGNED);
	findings_add(&f, FINDING_SIZE_MISALIGNED, 0, "x");
	assert_int_equal(findings_status(&f, false), STATUS_ALIGNED);
	assert_int_equal(findings_status(&f, true), STATUS_MISALIGNED);
	findings_add_value(&f, FINDING_START_MISALIGNED, 2, 3584, 4096, "past %d", 4096);
	assert_int_equal(findings_status(&f, false), STATUS_MISALIGNED);
	findings_add(&f, FINDING_OVERLAP, 1, "x");
	assert_int_equal(findings_status(&f, false), STATUS_UNKNOWN);
	findings_add(&f, FINDING_UNFINISHED_REALIGNMENT, -1, "x");
	assert_int_equal(findings_status(&f, false), STATUS_UNFINISHED);
	assert_string_equal(f.list[2].message, "past 4096");
	assert_true(f.list[2].value == 3584 && f.list[2].boundary == 4096);
	assert_int_equal(f.list[2].partition, 2);
	findings_free(&f);
	assert_int_equal(f.count, 0);
}

static void a_flood_keeps_the_worst(void **state)
{
	struct findings f = { 0 }, copy = { 0 };

	(void)state;
	for (int i = 0; i < 5000; i++)
		findings_add(&f, FINDING_SIZE_MISALIGNED, i, "x");
	assert_int_equal(f.count, FINDINGS_MAX);
	findings_add(&f, FINDING_START_MISALIGNED, 7, "x");
	findings_add(&f, FINDING_OVERLAP, 8, "x");
	findings_add(&f, FINDING_START_MISALIGNED, 9, "x");
	assert_int_equal(f.count, FINDINGS_MAX);
	assert_int_equal(findings_status(&f, false), STATUS_UNKNOWN);
	findings_append(&copy, &f);
	findings_append(&copy, &f);
	assert_int_equal(copy.count, FINDINGS_MAX);
	assert_int_equal(findings_status(&copy, false), STATUS_UNKNOWN);
	findings_free(&copy);
	findings_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_a_contract),
		cmocka_unit_test(the_highest_status_wins),
		cmocka_unit_test(a_flood_keeps_the_worst),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
