// SPDX-License-Identifier: GPL-2.0-or-later
/* The chain of EBRs: how logicals are numbered, how a chain breaks, and any that can be encoded. */
#include "tables.h"

#include <errno.h>

enum { SECTORS = 131072 }; /* 64 MiB of 512-byte sectors */

static struct disk mbr_disk(void)
{
	struct disk d = disk_new((size_t)SECTORS * 512, 512);

	put_signature(&d, 0);
	put_le32(d.bytes + 440, 0x0000beef);
	return d;
}

static struct layout *read_and_free(struct disk *d)
{
	struct layout *l = read_disk(d);

	free(d->bytes);
	return l;
}

/* A container at 2048, 20000 sectors; three logicals, each 63 behind its EBR. */
static struct disk chain_disk(void)
{
	struct disk d = mbr_disk();

	put_mbr_entry(&d, 0, 0, 0, 0x05, 2048, 20000);
	put_ebr(&d, 2048, 63, 1000, 4000);
	put_ebr(&d, 6048, 63, 2000, 8000);
	put_ebr(&d, 10048, 63, 3000, 0);
	return d;
}

static void logicals_are_numbered_from_five(void **state)
{
	struct disk d = chain_disk();
	struct layout *l = read_and_free(&d);

	(void)state;
	assert_no_findings(l);
	assert_int_equal(l->count, 4);
	assert_place(l, 0, 1, 2048, 20000);
	assert_int_equal(l->partitions[0].role, ROLE_EXTENDED);
	assert_place(l, 1, 5, 2048 + 63, 1000);
	assert_place(l, 2, 6, 6048 + 63, 2000);
	assert_place(l, 3, 7, 10048 + 63, 3000);
	for (size_t i = 1; i < 4; i++) {
		assert_int_equal(l->partitions[i].parent, 0);
		assert_int_equal(l->partitions[i].role, ROLE_DATA);
	}
	assert_true(l->partitions[2].ebr == 6048 * 512);
	assert_string_equal(l->partitions[3].uuid, "0000beef-07");
	layout_free(l);
}

static void every_extended_type_and_several_of_them(void **state)
{
	static const uint8_t types[] = { 0x05, 0x0f, 0x85 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct disk d = chain_disk();

		put_mbr_entry(&d, 0, 0, 0, types[i], 2048, 20000);
		put_mbr_entry(&d, 0, 2, 0, 0x0f, 40000, 10000);
		put_ebr(&d, 40000, 1, 100, 0); /* container + 1 */

		struct layout *l = read_and_free(&d);

		assert_no_findings(l);
		assert_int_equal(l->count, 6);
		assert_place(l, 1, 3, 40000, 10000);
		assert_place(l, 5, 8, 40001, 100);
		assert_int_equal(l->partitions[5].parent, 1);
		layout_free(l);
	}
}

/* DR-DOS puts the link first, OS/2 uses all four entries; the last two only where they fit. */
static void odd_entries_in_an_ebr(void **state)
{
	struct disk d = chain_disk();

	(void)state;
	put_mbr_entry(&d, 2048, 0, 0, 0x05, 4000, 1000); /* an empty EBR with its link in front */
	put_mbr_entry(&d, 2048, 1, 0, 0, 0, 0);
	put_mbr_entry(&d, 6048, 2, 0, 0x83, 100, 100); /* within the 1000 of the link */
	put_mbr_entry(&d, 6048, 3, 0, 0x83, 100, 5000);
	put_mbr_entry(&d, 10048, 1, 0, 0x83, 5000, 10);

	struct layout *l = read_and_free(&d);

	assert_int_equal(l->count, 5);
	assert_place(l, 1, 5, 6048 + 63, 2000);
	assert_place(l, 2, 6, 6148, 100);
	assert_place(l, 3, 7, 10048 + 63, 3000);
	assert_place(l, 4, 8, 15048, 10);
	assert_only_finding(l, FINDING_OVERLAP, "overlaps partition 5");
	layout_free(l);
}

static void chains_that_loop(void **state)
{
	static const struct {
		uint32_t from, to; /* the EBR whose link is bent, relative to the container */
		size_t logicals;
	} loops[] = { { 8000, 4000, 3 }, { 8000, 8000, 3 }, { 4000, 4000, 2 }, { 8000, 0, 3 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(loops); i++) {
		struct disk d = chain_disk();

		put_mbr_entry(&d, 2048 + loops[i].from, 1, 0, 0x05, loops[i].to, 1000);

		struct layout *l = read_and_free(&d);

		assert_only_finding(l, FINDING_TABLE_DAMAGED, "loops: sector ");
		assert_int_equal(l->findings.list[0].partition, 0);
		assert_int_equal(l->count, 1 + loops[i].logicals);
		layout_free(l);
	}
}

/* fdisk writes such a chain when a logical is deleted and another put in its place. */
static void a_chain_that_goes_backwards_is_a_warning(void **state)
{
	struct disk d = chain_disk();

	(void)state;
	put_ebr(&d, 10048, 63, 3000, 2000);
	put_ebr(&d, 4048, 63, 100, 0);

	struct layout *l = read_and_free(&d);

	assert_only_finding(l, FINDING_EBR_OUT_OF_ORDER, "sector 10048 links to sector 4048");
	assert_int_equal(findings_status(&l->findings, false), STATUS_ALIGNED);
	assert_int_equal(l->count, 5);
	assert_place(l, 4, 8, 4048 + 63, 100);
	layout_free(l);
}

static void chains_that_leave_their_container(void **state)
{
	struct disk d = chain_disk();
	struct layout *l;

	(void)state;
	put_ebr(&d, 10048, 63, 3000, 20000);
	put_ebr(&d, 22048, 63, 100, 0);
	l = read_disk(&d);
	assert_only_finding(l, FINDING_TABLE_DAMAGED,
			    "leaves its extended partition: sector 10048 "
			    "links to sector 22048");
	assert_int_equal(l->count, 4);
	layout_free(l);

	put_ebr(&d, 10048, 63, 3000, 19999); /* its last sector is still inside */
	put_ebr(&d, 22047, 0, 0, 0);
	l = read_disk(&d);
	assert_no_findings(l);
	layout_free(l);
	free(d.bytes);
}

static void a_logical_outside_its_container(void **state)
{
	struct disk d = chain_disk();
	struct layout *l;

	(void)state;
	put_ebr(&d, 10048, 63, 20000 - 8063, 0); /* right up to the end */
	l = read_disk(&d);
	assert_no_findings(l);
	layout_free(l);
	put_ebr(&d, 10048, 63, 20000 - 8062, 0);
	l = read_disk(&d);
	assert_only_finding(l, FINDING_TABLE_DAMAGED,
			    "sectors 10111-22048 lie outside its extended partition (2048-22047)");
	assert_int_equal(l->findings.list[0].partition, 3);
	assert_int_equal(l->count, 4);
	layout_free(l);
	free(d.bytes);
}

static void an_ebr_inside_data(void **state)
{
	struct disk d = chain_disk();
	struct layout *l;

	(void)state;
	put_ebr(&d, 2048, 63, 4000 - 63, 4000); /* ends right before the next EBR */
	l = read_disk(&d);
	assert_no_findings(l);
	layout_free(l);
	put_ebr(&d, 2048, 63, 4000 - 62, 4000);
	l = read_disk(&d);
	assert_only_finding(l, FINDING_EBR_INSIDE_DATA, "sector 6048");
	assert_int_equal(l->findings.list[0].partition, 1);
	layout_free(l);
	put_ebr(&d, 2048, 0, 100, 4000); /* over its own */
	l = read_disk(&d);
	assert_only_finding(l, FINDING_EBR_INSIDE_DATA, "sector 2048");
	layout_free(l);
	free(d.bytes);
}

static void missing_ebrs(void **state)
{
	struct disk d = chain_disk();
	struct layout *l;

	(void)state;
	sector_at(&d, 6048)[511] = 0;
	l = read_disk(&d);
	assert_only_finding(l, FINDING_TABLE_DAMAGED, "sector 6048 should hold an EBR");
	assert_int_equal(l->count, 2);
	layout_free(l);

	/* The first one: blank is an extended partition never used, anything else is damage. */
	sector_at(&d, 2048)[511] = 0;
	l = read_disk(&d);
	assert_only_finding(l, FINDING_TABLE_DAMAGED, "sector 2048 should hold an EBR");
	layout_free(l);
	memset(sector_at(&d, 2048), 0, 512);
	l = read_disk(&d);
	assert_no_findings(l);
	assert_int_equal(l->count, 1);
	layout_free(l);

	/* A container cut off by the end, and one that starts over the table. */
	put_mbr_entry(&d, 0, 0, 0, 0x05, SECTORS, 100);
	l = read_disk(&d);
	assert_true(strstr(finding_text(l, FINDING_TABLE_DAMAGED), "past the end of the disk"));
	assert_int_equal(count_findings(l, FINDING_BEYOND_END), 1);
	layout_free(l);
	put_mbr_entry(&d, 0, 0, 0, 0x05, 0, 100);
	l = read_disk(&d);
	assert_only_finding(l, FINDING_TABLE_DAMAGED, "starts at sector 0");
	layout_free(l);
	free(d.bytes);
}

static void an_unreadable_ebr(void **state)
{
	struct disk d = chain_disk();
	struct memory_io m = memory_io_wrap(d.bytes, d.size);
	struct layout *l;

	(void)state;
	m.fail_error = -EIO;
	m.fail_at = 6048 * 512;
	l = read_io(&m.io, 512, true);
	assert_only_finding(l, FINDING_TABLE_DAMAGED,
			    "cannot read the EBR at sector 6048: Input/output error");
	assert_int_equal(l->count, 2);
	layout_free(l);
	free(d.bytes);
}

static void a_chain_without_an_end(void **state)
{
	struct disk d = mbr_disk();
	struct layout *l;

	(void)state;
	put_mbr_entry(&d, 0, 0, 0, 0x0f, 2048, SECTORS - 2048);
	for (uint32_t i = 0; i < 3000; i++)
		put_ebr(&d, 2048 + 4 * i, 2, 2, 4 * (i + 1));
	l = read_disk(&d);
	assert_only_finding(l, FINDING_TABLE_DAMAGED, "more than 1024 partitions");
	assert_int_equal(l->count, LAYOUT_PARTITIONS_MAX);
	layout_free(l);

	for (uint32_t i = 0; i < 3000; i++) /* empty ones count too */
		put_mbr_entry(&d, 2048 + 4 * i, 0, 0, 0, 0, 0);
	l = read_disk(&d);
	assert_only_finding(l, FINDING_TABLE_DAMAGED, "more than 1024 links");
	layout_free(l);
	free(d.bytes);
}

static void four_kib_sectors(void **state)
{
	struct disk d = disk_new(64 * MIB, 4096);
	struct layout *l;

	(void)state;
	put_signature(&d, 0);
	put_mbr_entry(&d, 0, 0, 0, 0x83, 256, 100);
	put_mbr_entry(&d, 0, 1, 0, 0x05, 512, 1000);
	put_ebr(&d, 512, 8, 100, 200);
	put_ebr(&d, 712, 9, 100, 0);
	l = read_and_free(&d);
	assert_no_findings(l);
	assert_int_equal(l->sector_size, 4096);
	assert_place(l, 0, 1, 256, 100);
	assert_place(l, 2, 5, 520, 100);
	assert_place(l, 3, 6, 721, 100);
	assert_true(l->partitions[3].ebr == 712 * 4096);
	layout_free(l);
}

/* ---- reads */

static void unreadable_and_small(void **state)
{
	static const struct layout_options options = { .sector_size = 512 };
	struct disk d = chain_disk();
	struct memory_io m = memory_io_wrap(d.bytes, d.size);
	struct reason reason = { "" };
	struct layout *l = NULL;

	(void)state;
	m.fail_error = -EIO;
	assert_int_equal(read_layout(&m.io, &options, &l, &reason), -EIO);
	assert_string_equal(reason.text, "cannot read sector 0: Input/output error");
	assert_null(l);

	m.fail_at = 512; /* sector 1 might have been a GPT's */
	l = read_io(&m.io, 512, true);
	assert_only_finding(l, FINDING_TABLE_DAMAGED, "cannot read sector 1: Input/output error");
	assert_int_equal(l->count, 4);
	layout_free(l);

	m.fail_error = 0;
	for (uint64_t size = 0; size < 512; size += 73) {
		m.io.size = size;
		assert_int_equal(read_layout(&m.io, &options, &l, &reason), -EINVAL);
		assert_string_equal(reason.text, "cannot check: smaller than one sector");
	}
	m.io.size = 512; /* a table and nothing else */
	l = read_io(&m.io, 512, true);
	assert_int_equal(l->type, TABLE_DOS);
	assert_int_equal(count_findings(l, FINDING_BEYOND_END), 1);
	layout_free(l);
	free(d.bytes);
}

static void reads_are_few(void **state)
{
	struct disk d = chain_disk();
	struct memory_io m = memory_io_wrap(d.bytes, d.size);
	struct layout *l;

	(void)state;
	m.io.size = d.size;
	l = read_io(&m.io, 512, true);
	assert_int_equal(m.reads, 1 + 3);
	assert_true(m.bytes_read <= 64 * KIB + 3 * 512);
	layout_free(l);
	free(d.bytes);
}

/* ---- any layout that can be encoded is decoded as it was meant */

static void random_layouts_come_back(void **state)
{
	uint64_t seed = 0x2b7e1516;

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct disk d = mbr_disk();
		struct partition expected[64];
		uint64_t at = 1 + next_random(&seed) % 100;
		size_t n = 0, primaries = next_random(&seed) % 4;
		uint32_t logicals = next_random(&seed) % 20, container = 0;

		for (size_t i = 0; i < primaries; i++) {
			uint64_t sectors = 1 + next_random(&seed) % 3000;

			put_mbr_entry(&d, 0, i, 0, 0x83, at, sectors);
			expected[n++] =
				(struct partition){ .number = i + 1, .start = at, .size = sectors };
			at += sectors + next_random(&seed) % 100;
		}
		container = at;
		put_mbr_entry(&d, 0, 3, 0, 0x0f, container, SECTORS - container);
		expected[n++] = (struct partition){ .number = 4,
						    .start = container,
						    .size = SECTORS - container };
		for (uint32_t i = 0; i < logicals; i++) {
			uint32_t gap = 1 + next_random(&seed) % 64;
			uint32_t sectors = 1 + next_random(&seed) % 3000;
			uint64_t next = at + gap + sectors;

			put_ebr(&d, at, gap, sectors, i + 1 < logicals ? next - container : 0);
			expected[n++] = (struct partition){ .number = 5 + i,
							    .start = at + gap,
							    .size = sectors };
			at = next;
		}

		struct layout *l = read_and_free(&d);

		assert_no_findings(l);
		assert_int_equal(l->count, n);
		for (size_t i = 0; i < n; i++)
			assert_place(l, i, expected[i].number, expected[i].start, expected[i].size);
		layout_free(l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(logicals_are_numbered_from_five),
		cmocka_unit_test(every_extended_type_and_several_of_them),
		cmocka_unit_test(odd_entries_in_an_ebr),
		cmocka_unit_test(chains_that_loop),
		cmocka_unit_test(a_chain_that_goes_backwards_is_a_warning),
		cmocka_unit_test(chains_that_leave_their_container),
		cmocka_unit_test(a_logical_outside_its_container),
		cmocka_unit_test(an_ebr_inside_data),
		cmocka_unit_test(missing_ebrs),
		cmocka_unit_test(an_unreadable_ebr),
		cmocka_unit_test(a_chain_without_an_end),
		cmocka_unit_test(four_kib_sectors),
		cmocka_unit_test(unreadable_and_small),
		cmocka_unit_test(reads_are_few),
		cmocka_unit_test(random_layouts_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
