// SPDX-License-Identifier: GPL-2.0-or-later
/* GPT entries, the MBR in front of them, reads that fail, and any table that can be encoded. */
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

/* ---- entries */

static struct layout *with_entry(uint64_t first, uint64_t last)
{
	struct gpt_spec s = { 0 };
	struct disk d = plain_disk(512, &s);

	put_gpt_entry(&d, &s, 3, first, last, "x");
	seal_both(&d, &s);

	struct layout *l = read_disk(&d);

	free(d.bytes);
	return l;
}

static void impossible_entries_are_damage(void **state)
{
	static const uint64_t bad[][2] = {
		{ 5000, 4998 },
		{ 5000, UINT64_MAX },
		{ UINT64_MAX, UINT64_MAX },
		{ 5000, UINT64_MAX / 512 },
		{ 1ULL << 55, (1ULL << 55) + 7 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct layout *l = with_entry(bad[i][0], bad[i][1]);

		assert_only_finding(l, FINDING_TABLE_DAMAGED, "entry 4 has the impossible extent");
		assert_int_equal(l->count, 1);
		layout_free(l);
	}
	/* The last place that 64 bits of bytes can say is listed, and is past the end. */
	struct layout *l = with_entry(5000, UINT64_MAX / 512 - 1);

	assert_int_equal(l->count, 2);
	assert_int_equal(count_findings(l, FINDING_BEYOND_END), 1);
	layout_free(l);
}

static void entries_outside_the_usable_area(void **state)
{
	struct layout *l = with_entry(34, 40); /* case 17: low, and legal */

	(void)state;
	assert_no_findings(l);
	layout_free(l);
	l = with_entry(33, 40);
	assert_only_finding(l, FINDING_TABLE_DAMAGED, "leave the usable area");
	assert_int_equal(l->findings.list[0].partition, 1);
	layout_free(l);
	l = with_entry(8000, SECTORS - 34);
	assert_no_findings(l);
	layout_free(l);
	l = with_entry(8000, SECTORS - 33);
	assert_only_finding(l, FINDING_TABLE_DAMAGED, "leave the usable area");
	layout_free(l);
	l = with_entry(8000, SECTORS);
	assert_only_finding(l, FINDING_BEYOND_END, "512 bytes past the end");
	layout_free(l);
}

static void overlap_and_touching(void **state)
{
	struct layout *l = with_entry(4096, 5000);

	(void)state;
	assert_no_findings(l);
	layout_free(l);
	l = with_entry(4095, 5000);
	assert_only_finding(l, FINDING_OVERLAP, "overlaps partition 1 by 1 sectors");
	assert_int_equal(l->findings.list[0].partition, 1);
	assert_true(l->findings.list[0].value == 512);
	layout_free(l);
	l = with_entry(2047, 2048);
	assert_only_finding(l, FINDING_OVERLAP, "overlaps partition 4 by 1 sectors");
	layout_free(l);
}

static void attributes_roles_and_names(void **state)
{
	static const uint8_t bios_boot[16] = "Hah!IdontNeedEFI";
	static const uint8_t msr[16] = { 0x16, 0xe3, 0xc9, 0xe3, 0x5c, 0x0b, 0xb8, 0x4d,
					 0x81, 0x7d, 0xf9, 0x2d, 0xf0, 0x02, 0x15, 0xae };
	struct gpt_spec s = { .count = 4 };
	struct disk d = plain_disk(512, &s);
	uint8_t *arrays[] = { sector_at(&d, s.primary_array), sector_at(&d, s.backup_array) };

	(void)state;
	for (size_t a = 0; a < 2; a++) {
		uint8_t *e = arrays[a];

		memcpy(e, bios_boot, 16);
		put_le64(e + 48, 0x8000000000000005);
		memcpy(e + 3 * 128, msr, 16);
		/* All 36 units used, without an end; a lone surrogate, an escape, U+1F600. */
		for (size_t i = 0; i < 36; i++)
			put_le16(e + 56 + 2 * i, 'x');
		put_le16(e + 56, 0xdc00);
		put_le16(e + 58, 0x1b);
		put_le16(e + 60, 0xd83d);
		put_le16(e + 62, 0xde00);
	}
	seal_both(&d, &s);

	struct layout *l = read_disk(&d);

	assert_no_findings(l);
	assert_int_equal(l->partitions[0].role, ROLE_BIOS_BOOT);
	assert_true(l->partitions[0].attributes == 0x8000000000000005);
	assert_true(l->partitions[0].bootable);
	assert_string_equal(partition_type_name(&l->partitions[0]), "BIOS boot");
	assert_int_equal(
		strncmp(l->partitions[0].label, "\xef\xbf\xbd\\x1b\xf0\x9f\x98\x80xxx", 14), 0);
	assert_int_equal(strlen(l->partitions[0].label), 3 + 4 + 4 + 32);
	assert_int_equal(l->partitions[1].role, ROLE_MSR);
	assert_false(l->partitions[1].bootable);
	layout_free(l);
	free(d.bytes);
}

static void more_entries_than_we_keep(void **state)
{
	struct gpt_spec s = { .count = LAYOUT_PARTITIONS_MAX + 10 };
	struct disk d = disk_new((size_t)SECTORS * 512, 512);

	(void)state;
	put_gpt(&d, &s);
	for (uint32_t i = 0; i < s.count; i++)
		put_gpt_entry(&d, &s, i, 1000 + i, 1000 + i, NULL);
	seal_both(&d, &s);

	struct layout *l = read_disk(&d);

	assert_only_finding(l, FINDING_TABLE_DAMAGED, "more than 1024 partitions");
	assert_int_equal(l->count, LAYOUT_PARTITIONS_MAX);
	layout_free(l);
	free(d.bytes);
}

static void a_usable_area_over_the_entries(void **state)
{
	struct gpt_spec s = { .first_usable = 33 };
	struct disk d = plain_disk(512, &s);
	struct layout *l = read_disk(&d);

	(void)state;
	assert_only_finding(l, FINDING_TABLE_DAMAGED, "covers its own entries");
	assert_plain(l);
	layout_free(l);
	free(d.bytes);
}

/* ---- sector 0 */

static void no_protective_entry(void **state)
{
	struct gpt_spec s = { 0 };
	struct disk d = plain_disk(512, &s);

	(void)state;
	memset(d.bytes, 0, 512);

	struct layout *l = read_disk(&d);

	assert_only_finding(l, FINDING_TABLE_DAMAGED, "no protective entry");
	assert_plain(l);
	layout_free(l);

	put_signature(&d, 0); /* an MBR without entries is no better */
	l = read_disk(&d);
	assert_only_finding(l, FINDING_TABLE_DAMAGED, "no protective entry");
	layout_free(l);

	put_mbr_entry(&d, 0, 0, 0, 0xee, 2, 100);
	l = read_disk(&d);
	assert_only_finding(l, FINDING_TABLE_DAMAGED, "does not start at sector 1");
	layout_free(l);

	put_mbr_entry(&d, 0, 0, 0, 0, 0, 0);
	put_mbr_entry(&d, 0, 2, 0x80, 0xee, 1, 100); /* any entry, any length will do */
	l = read_disk(&d);
	assert_no_findings(l);
	layout_free(l);
	free(d.bytes);
}

static void an_mbr_that_hides_the_gpt(void **state)
{
	struct gpt_spec s = { 0 };
	struct disk d = plain_disk(512, &s);

	(void)state;
	put_mbr_entry(&d, 0, 0, 0, 0x83, 63, 1000);

	struct layout *l = read_disk(&d);

	assert_only_finding(l, FINDING_TABLE_DAMAGED, "behind an MBR that does not announce it");
	assert_int_equal(l->type, TABLE_DOS);
	assert_place(l, 0, 1, 63, 1000);
	layout_free(l);

	/* Nothing to say where that GPT is broken anyway. */
	sector_at(&d, 1)[60]++;
	l = read_disk(&d);
	assert_no_findings(l);
	assert_int_equal(l->type, TABLE_DOS);
	layout_free(l);
	free(d.bytes);
}

static void hybrids(void **state)
{
	struct gpt_spec s = { 0 };
	struct disk d = plain_disk(512, &s);

	(void)state;
	put_mbr_entry(&d, 0, 1, 0x80, 0x83, 4097, 904);

	struct layout *l = read_disk(&d);

	assert_only_finding(l, FINDING_HYBRID_MBR, "same partitions");
	assert_true(l->hybrid);
	assert_plain(l);
	layout_free(l);

	put_mbr_entry(&d, 0, 3, 0, 0x83, 4098, 904);
	l = read_disk(&d);
	assert_only_finding(
		l, FINDING_HYBRID_MBR_CONTRADICTS,
		"entry 4 has sectors 4098-5001, which is no partition of the GPT; the GPT has "
		"4097-5000 for that number");
	assert_true(l->hybrid);
	layout_free(l);
	free(d.bytes);
}

static void a_protective_entry_alone(void **state)
{
	struct disk d = disk_new((size_t)SECTORS * 512, 512);

	(void)state;
	put_mbr_entry(&d, 0, 0, 0, 0xee, 1, SECTORS - 1);
	put_signature(&d, 0);

	struct layout *l = read_disk(&d);

	assert_only_finding(l, FINDING_TABLE_DAMAGED, "a protective entry without a GPT");
	assert_int_equal(l->type, TABLE_DOS);
	assert_int_equal(l->count, 1);
	assert_int_equal(l->partitions[0].role, ROLE_PROTECTIVE);
	layout_free(l);
	free(d.bytes);
}

/* `dd if=/dev/zero of=DISK count=100`: only the backup is left. */
static void a_blank_beginning(void **state)
{
	struct gpt_spec s = { 0 };
	struct disk d = plain_disk(512, &s);

	(void)state;
	memset(d.bytes, 0, 1 * MIB);

	struct layout *l = read_disk(&d);

	assert_plain(l);
	assert_int_equal(l->findings.count, 2);
	assert_true(strstr(l->findings.list[0].message, "primary GPT at sector 1 is missing"));
	assert_true(strstr(l->findings.list[1].message, "no protective entry"));
	layout_free(l);

	/* Something lives there now: the backup is a leftover, and a warning. */
	memcpy(d.bytes, "LUKS\xba\xbe", 6);
	l = read_disk(&d);
	assert_only_finding(l, FINDING_BACKUP_GPT_MISPLACED, "no partition table");
	assert_int_equal(l->type, TABLE_NONE);
	layout_free(l);

	memset(sector_at(&d, s.backup_lba), 0, 512);
	l = read_disk(&d);
	assert_no_findings(l);
	layout_free(l);
	free(d.bytes);
}

/* ---- reads that fail */

static void unreadable_sectors(void **state)
{
	static const struct {
		uint64_t at;
		const char *word;
		size_t partitions;
	} cases[] = {
		{ 512, "cannot read sector 1: Input/output error", 2 },
		{ 512 * 20, "cannot read sector 20", 2 },
		{ 512 * (SECTORS - 1), "the backup GPT at sector 8191 cannot be read", 2 },
		{ 512 * (SECTORS - 20), "entry array that cannot be read: Input/output error", 2 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct gpt_spec s = { 0 };
		struct disk d = plain_disk(512, &s);
		struct memory_io m = memory_io_wrap(d.bytes, d.size);
		struct layout *l;

		m.fail_error = -EIO;
		m.fail_at = cases[i].at;
		l = read_io(&m.io, 512, true);
		if (!strstr(finding_text(l, FINDING_TABLE_DAMAGED), cases[i].word)) {
			print_findings(l);
			fail_msg("case %zu: no \"%s\"", i, cases[i].word);
		}
		assert_plain(l);
		assert_int_equal(findings_status(&l->findings, false), STATUS_UNKNOWN);
		layout_free(l);
		free(d.bytes);
	}
}

static void reads_are_few(void **state)
{
	struct gpt_spec s = { 0 };
	struct disk d = plain_disk(512, &s);
	struct memory_io m = memory_io_wrap(d.bytes, d.size);
	struct layout *l = read_io(&m.io, 512, true);

	(void)state;
	assert_int_equal(m.reads, 2);
	assert_true(m.bytes_read <= 64 * KIB);
	layout_free(l);

	/* However many entries a header claims, the memory for them is bounded before it is read.
	 */
	put_le32(sector_at(&d, 1) + 80, UINT32_MAX);
	put_le32(sector_at(&d, s.backup_lba) + 80, UINT32_MAX);
	seal_both(&d, &s);
	m.bytes_read = 0;
	l = read_io(&m.io, 512, true);
	assert_true(m.bytes_read <= LAYOUT_READ_MAX);
	assert_int_equal(l->count, 0);
	layout_free(l);
	free(d.bytes);
}

/* ---- any layout that can be encoded is decoded as it was meant */

static void random_layouts_come_back(void **state)
{
	uint64_t seed = 0x5eed1234;

	(void)state;
	for (int round = 0; round < 300; round++) {
		uint32_t sector = 512U << next_random(&seed) % 4;
		struct gpt_spec s = { .count = 4 + next_random(&seed) % 200 };
		struct disk d = disk_new((size_t)SECTORS * sector, sector);
		struct partition expected[256];
		uint64_t at;
		size_t n = 0;

		put_gpt(&d, &s);
		at = s.first_usable;
		for (uint32_t i = 0; i < s.count && n < 256; i++) {
			uint64_t first = at + next_random(&seed) % 20;
			uint64_t last = first + next_random(&seed) % 40;

			if (next_random(&seed) % 3 == 0)
				continue;
			if (last > s.last_usable)
				break;
			put_gpt_entry(&d, &s, i, first, last, "n");
			expected[n].number = i + 1;
			expected[n].start = first;
			expected[n++].size = last - first + 1;
			at = last + 1;
		}
		seal_both(&d, &s);

		struct layout *l = read_disk(&d);

		assert_no_findings(l);
		assert_int_equal(l->count, n);
		for (size_t i = 0; i < n; i++)
			assert_place(l, i, expected[i].number, expected[i].start, expected[i].size);
		layout_free(l);
		free(d.bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(impossible_entries_are_damage),
		cmocka_unit_test(entries_outside_the_usable_area),
		cmocka_unit_test(overlap_and_touching),
		cmocka_unit_test(attributes_roles_and_names),
		cmocka_unit_test(more_entries_than_we_keep),
		cmocka_unit_test(a_usable_area_over_the_entries),
		cmocka_unit_test(no_protective_entry),
		cmocka_unit_test(an_mbr_that_hides_the_gpt),
		cmocka_unit_test(hybrids),
		cmocka_unit_test(a_protective_entry_alone),
		cmocka_unit_test(a_blank_beginning),
		cmocka_unit_test(unreadable_sectors),
		cmocka_unit_test(reads_are_few),
		cmocka_unit_test(random_layouts_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
