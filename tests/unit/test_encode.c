// SPDX-License-Identifier: GPL-2.0-or-later
/* MBR, with the chain of its EBRs. */
#include "encode_case.h"

static void primaries_move_and_the_rest_stays(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sfdisk");
	/* Boot code, id, a hole in the numbers, an unknown type, CHS addresses of nobody's making.
	 */
	run("rm -f a; truncate -s 64M a; printf 'label: dos\nlabel-id: 0x0000beef\n1: start=63, "
	    "size=20000, "
	    "type=7, bootable\n3: start=30000, size=20000, type=d3\n4: start=60000, size=20000, "
	    "type=83\n' | sfdisk -q a; head -c 440 /dev/urandom | dd of=a conv=notrunc "
	    "status=none; "
	    "printf '\\1\\2\\3' | dd of=a bs=1 seek=%d conv=notrunc status=none",
	    446 + 3 * 16 + 1);
	open_case(&e, "a", 512);
	place(&e, 1, 2048, 0);
	place(&e, 3, 32768, 0);
	check_round_trip(&e, "a");
	assert_true(is_same_range(&e, 0, 446));
	assert_true(is_same_range(&e, 446 + 3 * 16, 16));
	assert_true(is_same_range(&e, 510, 2));
	assert_false(is_same_range(&e, 446, 16));
	assert_int_equal(byte_of(&e.after, 446), 0x80);
	assert_int_equal(e.before.count, 1);
	assert_int_equal(e.after.count, 1);
	close_case(&e);
}

/* The shift is smaller than the partition, and neighbours touch: what set_partition() refuses. */
static void packed_primaries_all_shift(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sfdisk");
	run("rm -f a; truncate -s 64M a; printf "
	    "'63,40000,83\n40063,40001,82\n80064,40000,c\n120064,7000,7\n' "
	    "| sfdisk -q a");
	open_case(&e, "a", 512);
	place(&e, 1, 64, 0);
	place(&e, 2, 40064, 0);
	place(&e, 3, 80072, 0);
	place(&e, 4, 120072, 0);
	check_round_trip(&e, "a");
	close_case(&e);
	open_case(&e, "a", 512);
	place(&e, 1, 1, 0); /* to the left, onto the first sector there is */
	check_round_trip(&e, "a");
	close_case(&e);
}

static void logicals_of_the_chs_era_move(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("fdisk");
	run(CHS_ERA);
	open_case(&e, "a", 512);
	assert_int_equal(e.layout->count, 5);
	place(&e, 1, 2048, 0);
	place(&e, 2, 83000, 0);
	resize(&e, 2, 330000);
	place(&e, 5, 83968, 83000);
	place(&e, 6, 165888, 165888 - 63);
	place(&e, 7, 247808, 247808 - 63);
	check_round_trip(&e, "a");
	assert_true(place_of(&e, 6)->ebr == (uint64_t)(165888 - 63) * 512);
	assert_int_equal(e.after.count, 4);
	close_case(&e);
}

/* One logical moves, its neighbours' entries stay the same to the byte, CHS addresses included. */
static void one_logical_moves_alone(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("fdisk");
	run(CHS_ERA);
	/* An EBR with code in front, and a link of the other type. */
	/* And a container whose CHS addresses are of another school. */
	run("printf '\\376\\377\\377' | dd of=a bs=1 seek=%d conv=notrunc status=none", 446 + 17);
	run("printf 'BOOTIT' | dd of=a bs=1 seek=%d conv=notrunc status=none; "
	    "printf '\\17' | dd of=a bs=1 seek=%d conv=notrunc status=none; "
	    "printf '\\376\\377\\377' | dd of=a bs=1 seek=%d conv=notrunc status=none",
	    240975 * 512 + 17, 80325 * 512 + 446 + 16 + 4, 240975 * 512 + 446 + 1);
	open_case(&e, "a", 512);
	place(&e, 6, 160704, 160650);
	check_round_trip(&e, "a");
	/* The link in front of it covers it, so its length changes; its type does not. */
	assert_true(is_same_range(&e, 80325 * 512, 446 + 16));
	assert_int_equal(byte_of(&e.after, 80325 * 512 + 446 + 16 + 4), 0x0f);
	assert_true(is_same_range(&e, 240975 * 512, 512));
	assert_true(is_same_range(&e, 0, 512));
	assert_false(is_same_range(&e, 160650 * 512, 512));
	close_case(&e);
}

static void the_container_may_change(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sfdisk");
	run("rm -f a; truncate -s 64M a; printf '63,40000,83\n40063,80000,f\n120063,4000,83\n"
	    "5: start=40126, size=30000\n6: start=70189, size=40000, type=82, bootable\n' | "
	    "sfdisk -q a");
	open_case(&e, "a", 512);
	place(&e, 1, 2048, 0);
	place(&e, 2, 43008, 0);
	resize(&e, 2, 79872);
	place(&e, 3, 124928, 0);
	place(&e, 5, 45056, 43008);
	place(&e, 6, 77824, 75776);
	check_round_trip(&e, "a");
	/* The container's type stays, and so does the boot flag of a logical. */
	assert_int_equal(byte_of(&e.after, 446 + 16 + 4), 0x0f);
	assert_int_equal(byte_of(&e.after, 75776 * 512 + 446), 0x80);
	close_case(&e);
}

static void gaps_of_one_sector_are_kept(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sfdisk");
	/* Packed: EBR, data, EBR, data. p6 is moved by one sector, its EBR stays right in front. */
	run("rm -f a; truncate -s 64M a; printf '1: start=2048, size=100000, type=5\n"
	    "5: start=2049, size=20000\n6: start=22050, size=20000\n7: start=42051, size=1000\n' "
	    "| sfdisk -q a");
	open_case(&e, "a", 512);
	assert_int_equal(e.layout->count, 4);
	assert_true(place_of(&e, 6)->ebr == 22049 * 512);
	place(&e, 7, 45056, 45055);
	check_round_trip(&e, "a");
	assert_true(place_of(&e, 6)->ebr == 22049 * 512);
	close_case(&e);
}

/* No sector is left for p6's EBR: refused before anything moves, with the number. */
static void a_logical_without_room_for_its_ebr_is_refused(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sfdisk");
	run("rm -f a; truncate -s 64M a; printf '1: start=2048, size=100000, type=5\n"
	    "5: start=2049, size=20000\n6: start=22050, size=20000\n' | sfdisk -q a");
	open_case(&e, "a", 512);
	place(&e, 5, 2050, 2048); /* its end now touches p6, where p6's EBR is */
	encode(&e);
	assert_int_not_equal(e.result, 0);
	assert_non_null(strstr(e.reason.text, "partition"));
	assert_int_equal(e.before.count + e.after.count, 0);
	place(&e, 5, 2049, 2048);
	place(&e, 6, 30000, 21000); /* an EBR wished into p5's data, which libfdisk would do */
	encode(&e);
	assert_int_equal(e.result, -EINVAL);
	assert_non_null(strstr(e.reason.text, "EBR"));
	place(&e, 6, 30000, 29999);
	encode_well(&e);
	close_case(&e);
}

static void logicals_out_of_disk_order_keep_their_numbers(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sfdisk");
	run("rm -f a; truncate -s 64M a; printf '1: start=2048, size=100000, type=5\n"
	    "5: start=64000, size=20000\n6: start=4000, size=20000\n7: start=30001, size=20000\n' "
	    "| sfdisk -q a");
	open_case(&e, "a", 512);
	assert_true(e.layout->partitions[1].start > e.layout->partitions[2].start);
	place(&e, 5, 65536, 2048);
	place(&e, 6, 4096, 2500);
	place(&e, 7, 32768, 32768 - 1024);
	check_round_trip(&e, "a");
	close_case(&e);
}

static void an_empty_first_ebr_is_understood(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sfdisk");
	run("rm -f a; truncate -s 64M a; printf '63,1000\n2: start=2048, size=100000, type=5\n"
	    "5: start=4096, size=20000\n6: start=30001, size=20000\n' | sfdisk -q a; dd "
	    "if=/dev/zero of=a bs=1 seek=%d count=16 conv=notrunc status=none",
	    2048 * 512 + 446);
	/* Only a primary moves: the chain stays as odd as it is. */
	open_case(&e, "a", 512);
	assert_int_equal(e.layout->count, 3);
	place(&e, 1, 64, 0);
	encode_well(&e);
	assert_int_equal(e.before.count, 3);
	assert_true(is_same_range(&e, 2048 * 512, 512));
	close_case(&e);
	/* The logical moves: its EBR goes to where the chain starts. */
	open_case(&e, "a", 512);
	place(&e, 5, 32768, place_of(&e, 5)->ebr / 512);
	encode_well(&e);
	assert_true(place_of(&e, 5)->ebr == 2048 * 512);
	close_case(&e);
}

static void an_empty_container_moves(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sfdisk");
	run("rm -f a; truncate -s 64M a; printf '63,1000\n2: start=3001, size=100000, type=85\n' | "
	    "sfdisk -q a");
	open_case(&e, "a", 512);
	place(&e, 2, 4096, 0);
	check_round_trip(&e, "a");
	assert_int_equal(e.after.count, 2);
	assert_int_equal(byte_of(&e.after, 4096 * 512 + 511), 0xaa);
	close_case(&e);
}

/* A plan that wishes an EBR where libfdisk will not put it. */
static void an_ebr_that_libfdisk_chose_may_not_hit_data_in_a_gap(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sfdisk");
	run("rm -f a; truncate -s 64M a; printf '1: start=3001, size=100000, type=5\n"
	    "5: start=9000, size=1000\n6: start=3400, size=5550\n' | sfdisk -q a");
	open_case(&e, "a", 512);
	/* It checks with the gap in front of p6 whether there is room in front of p5, too. */
	place(&e, 6, 3300, 3100);
	encode_well(&e);
	assert_true(place_of(&e, 6)->ebr == 3299 * 512);
	table_image_free(&e.before);
	table_image_free(&e.after);
	place(&e, 6, 3300, 3100);
	run("printf x | dd of=a bs=1 seek=%d conv=notrunc", 3299 * 512 + 511);
	encode(&e);
	assert_int_equal(e.result, -EINVAL);
	assert_non_null(strstr(e.reason.text, "holds data"));
	close_case(&e);
}

/* An EBR may go neither where new data will be nor into the journal. */
static void the_table_stays_clear_of_data_and_journal(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sfdisk");
	run("rm -f a; truncate -s 64M a; printf '63,1000\n2: start=3001, size=100000, type=5\n"
	    "5: start=3064, size=1000\n6: start=6000, size=1000\n' | sfdisk -q a");
	open_case(&e, "a", 512);
	place(&e, 6, 8192, 8000);
	e.plan.journal = JOURNAL_GAP;
	e.plan.journal_start = 7000 * 512;
	e.plan.journal_bytes = 1000 * 512;
	encode_well(&e);
	assert_true(place_of(&e, 6)->ebr == 8000 * 512);
	table_image_free(&e.before);
	table_image_free(&e.after);
	e.plan.journal_bytes = 1001 * 512;
	encode(&e);
	assert_int_equal(e.result, -EINVAL);
	assert_non_null(strstr(e.reason.text, "would lie in the journal"));
	e.plan.journal = JOURNAL_FILE;
	/* libfdisk and read_layout() both take a primary that starts at the container's EBR. */
	place(&e, 1, 2002, 0);
	encode(&e);
	assert_int_equal(e.result, -EINVAL);
	close_case(&e);
}

static void a_plan_that_is_none_is_refused(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sfdisk");
	run("rm -f a; truncate -s 64M a; printf '63,1000\n' | sfdisk -q a");
	open_case(&e, "a", 512);
	e.plan.feasible = false;
	encode(&e);
	assert_int_equal(e.result, -EINVAL);
	e.plan.feasible = true;
	place_of(&e, 1)->start = 1000;
	encode(&e);
	assert_int_equal(e.result, -EINVAL);
	place_of(&e, 1)->start = UINT64_MAX - 511;
	encode(&e);
	assert_int_equal(e.result, -EINVAL);
	place(&e, 1, 64 * 2048 - 999, 0); /* one sector past the end */
	encode(&e);
	assert_int_equal(e.result, -EINVAL);
	close_case(&e);
}

static void a_boot_indicator_that_libfdisk_would_lose_is_refused(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sfdisk");
	run("rm -f a; truncate -s 64M a; printf '1: start=2048, size=100000, type=5\n"
	    "5: start=4096, size=20000\n' | sfdisk -q a; "
	    "printf '\\1' | dd of=a bs=1 seek=%d conv=notrunc status=none",
	    2048 * 512 + 446);
	open_case(&e, "a", 512);
	place(&e, 5, 6144, 2048);
	encode(&e);
	assert_int_equal(e.result, -EINVAL);
	assert_non_null(strstr(e.reason.text, "boot indicator of 0x01"));
	close_case(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(primaries_move_and_the_rest_stays),
		cmocka_unit_test(packed_primaries_all_shift),
		cmocka_unit_test(logicals_of_the_chs_era_move),
		cmocka_unit_test(one_logical_moves_alone),
		cmocka_unit_test(the_container_may_change),
		cmocka_unit_test(gaps_of_one_sector_are_kept),
		cmocka_unit_test(a_logical_without_room_for_its_ebr_is_refused),
		cmocka_unit_test(logicals_out_of_disk_order_keep_their_numbers),
		cmocka_unit_test(an_empty_first_ebr_is_understood),
		cmocka_unit_test(an_empty_container_moves),
		cmocka_unit_test(an_ebr_that_libfdisk_chose_may_not_hit_data_in_a_gap),
		cmocka_unit_test(the_table_stays_clear_of_data_and_journal),
		cmocka_unit_test(a_plan_that_is_none_is_refused),
		cmocka_unit_test(a_boot_indicator_that_libfdisk_would_lose_is_refused),
	};

	return cmocka_run_group_tests(tests, image_setup, image_teardown);
}
