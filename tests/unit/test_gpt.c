// SPDX-License-Identifier: GPL-2.0-or-later
/* The GPT decoder: what is whole, each way to be damaged, and what is said about it. */
#include "tables.h"

#include <errno.h>

enum { SECTORS = 8192 }; /* 4 MiB of 512-byte sectors */

/* Two partitions, everything in order. */
static struct disk plain_disk(uint32_t sector, struct gpt_spec *s)
{
	struct disk d = disk_new((size_t)SECTORS * sector, sector);

	put_gpt(&d, s);
	put_gpt_entry(&d, s, 0, 2048, 4095, "boot");
	put_gpt_entry(&d, s, 3, 4097, 5000, "odd one");
	seal_both(&d, s);
	return d;
}

static void assert_plain(const struct layout *l)
{
	assert_int_equal(l->type, TABLE_GPT);
	assert_int_equal(l->count, 2);
	assert_place(l, 0, 1, 2048, 2048);
	assert_place(l, 1, 4, 4097, 904);
}

static void a_whole_table_is_listed(void **state)
{
	(void)state;
	for (uint32_t sector = 512; sector <= 4096; sector *= 2) {
		struct gpt_spec s = { 0 };
		struct disk d = plain_disk(sector, &s);
		struct layout *l = read_disk(&d);
		const struct partition *p = l->partitions;

		assert_no_findings(l);
		assert_plain(l);
		assert_string_equal(l->id, "12345678-9ABC-DEF0-0102-030405060708");
		assert_int_equal(l->sector_size, sector);
		assert_true(l->sector_size_proven);
		assert_false(l->hybrid);
		assert_true(l->first_usable == s.first_usable * sector);
		assert_true(l->last_usable == (s.last_usable + 1) * sector);
		assert_string_equal(p->type, "0FC63DAF-8483-4772-8E79-3D69D8477DE4");
		assert_string_equal(p->uuid, "00000001-0000-0000-0000-000000000000");
		assert_string_equal(p->label, "boot");
		assert_int_equal(p->parent, -1);
		assert_int_equal(p->role, ROLE_DATA);
		assert_string_equal(p[1].label, "odd one");
		layout_free(l);
		free(d.bytes);
	}
}

/* A table for one sector size on a device of another: an image proves it, a disk is a mismatch. */
static void another_sector_size(void **state)
{
	static const uint32_t pairs[][2] = { { 4096, 512 }, { 512, 4096 }, { 1024, 512 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		struct gpt_spec s = { 0 };
		struct disk d = plain_disk(pairs[i][0], &s);
		struct memory_io m = memory_io_wrap(d.bytes, d.size);
		struct layout *l = read_io(&m.io, pairs[i][1], true);

		assert_no_findings(l);
		assert_plain(l);
		assert_int_equal(l->sector_size, pairs[i][0]);
		assert_true(l->sector_size_proven);
		layout_free(l);

		l = read_io(&m.io, pairs[i][1], false);
		assert_only_finding(l, FINDING_SECTOR_SIZE_MISMATCH, "its numbers mean nothing");
		assert_int_equal(l->count, 0);
		assert_int_equal(l->type, TABLE_GPT);
		assert_int_equal(l->sector_size, pairs[i][0]);
		layout_free(l);
		free(d.bytes);
	}
}

/* The same, found by the backup alone. */
static void another_sector_size_by_the_backup(void **state)
{
	struct gpt_spec s = { 0 };
	struct disk d = plain_disk(4096, &s);
	struct memory_io m = memory_io_wrap(d.bytes, d.size);

	(void)state;
	memset(sector_at(&d, 1), 0, 4096);

	struct layout *l = read_io(&m.io, 512, true);

	assert_only_finding(l, FINDING_TABLE_DAMAGED, "primary GPT at sector 1 is missing");
	assert_plain(l);
	assert_int_equal(l->sector_size, 4096);
	layout_free(l);
	l = read_io(&m.io, 512, false);
	assert_only_finding(l, FINDING_SECTOR_SIZE_MISMATCH, "4096");
	layout_free(l);
	free(d.bytes);
}

static void headers_for_two_sector_sizes_contradict(void **state)
{
	struct gpt_spec s = { 0 }, t = { .primary_array = 9, .backup_lba = 8000 };
	struct disk d = plain_disk(4096, &s), old = d;

	(void)state;
	old.sector = 512; /* an older table between the sectors of the newer */
	complete_gpt(&old, &t);
	t.first_usable = 100;
	put_gpt_header(&old, &t, 1, t.backup_lba, 56);
	seal_gpt(&old, 1);
	d.sector = 512;

	struct layout *l = read_disk(&d);

	assert_true(strstr(finding_text(l, FINDING_TABLE_DAMAGED), "more than one sector size"));
	assert_int_equal(l->sector_size, 512);
	layout_free(l);
	free(d.bytes);
}

/* ---- one field of the primary header broken, the backup whole: the backup is shown */

struct breakage {
	const char *what, *word;
	size_t offset; /* in the header */
	uint64_t value;
	unsigned width;
	bool sealed; /* the checksum is right nevertheless */
};

static const struct breakage breakages[] = {
	{ "signature", "is missing", 0, 0, 8, true },
	{ "revision", "unknown revision", 8, 0x20000, 4, true },
	{ "header size 91", "impossible header size", 12, 91, 4, false },
	{ "header size 513", "impossible header size", 12, 513, 4, false },
	{ "header size -1", "impossible header size", 12, UINT32_MAX, 4, false },
	{ "checksum", "wrong header checksum", 40, 35, 8, false },
	{ "own place", "belongs to another sector", 24, 2, 8, true },
	{ "entry size 0", "impossible entry size", 84, 0, 4, true },
	{ "entry size 64", "impossible entry size", 84, 64, 4, true },
	{ "entry size 129", "impossible entry size", 84, 129, 4, true },
	{ "entry size 2^31", "impossible entry size", 84, 1U << 31, 4, true },
	{ "no entries", "impossible number", 80, 0, 4, true },
	{ "2^32 entries", "impossible number", 80, UINT32_MAX, 4, true },
	{ "16385 entries", "impossible number", 80, 16385, 4, true },
	{ "usable", "ends before it begins", 48, 33, 8, true },
	{ "array at 0", "not free for it", 72, 0, 8, true },
	{ "array at 1", "not free for it", 72, 1, 8, true },
	{ "array near 2^64", "not free for it", 72, UINT64_MAX - 3, 8, true },
	{ "array far away", "past the end", 72, UINT64_MAX / 512, 8, true },
	{ "array at the end", "past the end", 72, SECTORS - 31, 8, true },
	{ "array checksum", "wrong checksum", 88, 1, 4, false },
};

static void break_header(struct disk *d, uint64_t lba, const struct breakage *b)
{
	uint8_t *h = sector_at(d, lba);

	if (b->width == 8)
		put_le64(h + b->offset, b->value);
	else
		put_le32(h + b->offset, b->value);
	if (b->sealed || b->offset == 88) { /* the header's own checksum only */
		put_le32(h + 16, 0);
		put_le32(h + 16, plain_crc32(h, 92));
	}
}

static void a_damaged_primary_yields_to_the_backup(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(breakages); i++) {
		struct gpt_spec s = { 0 };
		struct disk d = plain_disk(512, &s);

		break_header(&d, 1, &breakages[i]);

		struct layout *l = read_disk(&d);

		print_message("# %s\n", breakages[i].what);
		assert_only_finding(l, FINDING_TABLE_DAMAGED, breakages[i].word);
		assert_true(strstr(l->findings.list[0].message, "the primary GPT at sector 1 "));
		assert_true(strstr(l->findings.list[0].message, "`sgdisk -C`"));
		assert_plain(l);
		layout_free(l);
		free(d.bytes);
	}
}

static void a_damaged_backup_is_said(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(breakages); i++) {
		struct gpt_spec s = { 0 };
		struct disk d;

		if (strstr(breakages[i].what, "array at 1") || breakages[i].value == 33)
			continue; /* about the primary's neighbourhood */
		d = plain_disk(512, &s);
		break_header(&d, s.backup_lba, &breakages[i]);

		struct layout *l = read_disk(&d);

		print_message("# %s\n", breakages[i].what);
		assert_only_finding(l, FINDING_TABLE_DAMAGED, "the backup GPT at sector 8191 ");
		assert_true(strstr(l->findings.list[0].message, "the primary is whole"));
		assert_plain(l);
		layout_free(l);
		free(d.bytes);
	}
}

static void both_damaged_lists_nothing(void **state)
{
	struct gpt_spec s = { 0 };
	struct disk d = plain_disk(512, &s);

	(void)state;
	sector_at(&d, 1)[60]++;
	sector_at(&d, s.backup_lba)[60]++;

	struct layout *l = read_disk(&d);

	assert_only_finding(l, FINDING_TABLE_DAMAGED, "no partition can be told");
	assert_int_equal(l->type, TABLE_GPT);
	assert_int_equal(l->count, 0);
	layout_free(l);
	free(d.bytes);
}

/* Boot code over the primary array (case 21). */
static void boot_code_over_the_array(void **state)
{
	struct gpt_spec s = { 0 };
	struct disk d = plain_disk(512, &s);

	(void)state;
	memset(sector_at(&d, 16), 0x90, 512);

	struct layout *l = read_disk(&d);

	assert_only_finding(l, FINDING_TABLE_DAMAGED, "entry array with a wrong checksum");
	assert_plain(l);
	layout_free(l);
	free(d.bytes);
}

static void short_and_displaced_arrays_are_fine(void **state)
{
	(void)state;
	for (uint32_t count = 4; count <= 512; count *= 2) {
		for (uint32_t size = 128; size <= 4096; size *= 2) {
			struct gpt_spec s = { .count = count, .entry_size = size };

			if (count * size > 256 * KIB)
				continue;
			s.primary_array = count % 3 ? 2 : 40;
			if (count == 8)
				s.primary_array = 77;

			struct disk d = plain_disk(512, &s);
			struct layout *l = read_disk(&d);

			assert_no_findings(l);
			assert_plain(l);
			layout_free(l);
			free(d.bytes);
		}
	}
}

static void a_grown_disk_has_a_misplaced_backup(void **state)
{
	struct gpt_spec s = { .backup_lba = 7000 };
	struct disk d = plain_disk(512, &s);
	struct layout *l = read_disk(&d);

	(void)state;
	assert_only_finding(l, FINDING_BACKUP_GPT_MISPLACED,
			    "sector 7000, not in the last sector 8191");
	assert_int_equal(finding_severity(FINDING_BACKUP_GPT_MISPLACED), SEVERITY_WARNING);
	assert_plain(l);
	layout_free(l);

	/* Its primary gone too: the damaged header still names the backup. */
	sector_at(&d, 1)[100] = 1;
	sector_at(&d, 1)[60]++;
	l = read_disk(&d);
	assert_true(strstr(finding_text(l, FINDING_TABLE_DAMAGED), "wrong header checksum"));
	assert_plain(l);
	layout_free(l);
	free(d.bytes);
}

static void a_second_backup_at_the_end_contradicts(void **state)
{
	struct gpt_spec s = { .backup_lba = 7000 };
	struct disk d = plain_disk(512, &s);

	(void)state;
	put_gpt_header(&d, &s, SECTORS - 1, 1, s.backup_array);
	put_le64(sector_at(&d, SECTORS - 1) + 40, 35);
	seal_gpt(&d, SECTORS - 1);

	struct layout *l = read_disk(&d);

	assert_int_equal(count_findings(l, FINDING_BACKUP_GPT_MISPLACED), 1);
	assert_true(strstr(finding_text(l, FINDING_TABLE_DAMAGED), "disagree"));
	layout_free(l);
	free(d.bytes);
}

static void a_backup_elsewhere_than_named(void **state)
{
	struct gpt_spec s = { 0 };
	struct disk d = plain_disk(512, &s);

	(void)state;
	put_le64(sector_at(&d, 1) + 32, 7000);
	seal_gpt(&d, 1);

	struct layout *l = read_disk(&d);

	assert_only_finding(l, FINDING_TABLE_DAMAGED,
			    "in the last sector, but the primary names sector 7000");
	assert_plain(l);
	layout_free(l);
	free(d.bytes);
}

static void a_truncated_image_still_lists(void **state)
{
	struct gpt_spec s = { 0 };
	struct disk d = plain_disk(512, &s);

	(void)state;
	d.size = 4500 * 512; /* inside the second partition */

	struct layout *l = read_disk(&d);

	assert_plain(l);
	assert_int_equal(l->findings.count, 2);
	assert_true(strstr(finding_text(l, FINDING_TABLE_DAMAGED),
			   "past the end of the disk (last sector 4499)"));
	assert_int_equal(count_findings(l, FINDING_BEYOND_END), 1);
	assert_true(l->findings.list[1].value == 501 * 512);
	assert_int_equal(l->findings.list[1].partition, 1);
	layout_free(l);

	d.size -= 100; /* not even whole sectors */
	l = read_disk(&d);
	assert_plain(l);
	layout_free(l);
	free(d.bytes);
}

static void copies_that_disagree(void **state)
{
	struct gpt_spec s = { 0 };
	struct disk d = plain_disk(512, &s);

	(void)state;
	/* Another start in the backup alone. */
	put_le64(d.bytes + s.backup_array * 512 + 32, 2056);
	seal_gpt(&d, s.backup_lba);

	struct layout *l = read_disk(&d);

	assert_only_finding(l, FINDING_TABLE_DAMAGED, "disagree; the primary is shown");
	assert_plain(l);
	layout_free(l);
	free(d.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_table_is_listed),
		cmocka_unit_test(another_sector_size),
		cmocka_unit_test(another_sector_size_by_the_backup),
		cmocka_unit_test(headers_for_two_sector_sizes_contradict),
		cmocka_unit_test(a_damaged_primary_yields_to_the_backup),
		cmocka_unit_test(a_damaged_backup_is_said),
		cmocka_unit_test(both_damaged_lists_nothing),
		cmocka_unit_test(boot_code_over_the_array),
		cmocka_unit_test(short_and_displaced_arrays_are_fine),
		cmocka_unit_test(a_grown_disk_has_a_misplaced_backup),
		cmocka_unit_test(a_second_backup_at_the_end_contradicts),
		cmocka_unit_test(a_backup_elsewhere_than_named),
		cmocka_unit_test(a_truncated_image_still_lists),
		cmocka_unit_test(copies_that_disagree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
