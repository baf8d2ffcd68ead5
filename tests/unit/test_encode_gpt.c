// SPDX-License-Identifier: GPL-2.0-or-later
/* GPT, 4096-byte sectors, tables that are not ours, and the backup of a table. */
#include "encode_case.h"

static void gpt_entries_move_and_no_other_bit_changes(void **state)
{
	struct encoded e;
	uint64_t array = 2 * 512;

	(void)state;
	NEED_TOOL("sgdisk");
	NEED_TOOL("parted");
	run(GPT_MIX);
	/* A protective entry with a boot flag, and boot code. */
	run("parted -s a disk_set pmbr_boot on; head -c 440 /dev/urandom | "
	    "dd of=a conv=notrunc status=none");
	open_case(&e, "a", 512);
	assert_int_equal(e.layout->count, 4);
	place(&e, 3, 2050, 0);
	place(&e, 7, 30002, 0);
	place(&e, 5, 60002, 0);
	check_round_trip(&e, "a");
	assert_int_equal(e.after.count, 67);
	assert_true(is_same_range(&e, 0, 512));
	assert_true(is_same_range(&e, array, 128 * 2 + 32));
	assert_true(is_same_range(&e, array + 128 * 2 + 48, 80));
	assert_false(is_same_range(&e, array + 128 * 2 + 32, 16));
	assert_int_equal(e.after.sectors[32].offset, 64 * MIB - 512); /* backup header, */
	assert_int_equal(e.after.sectors[33].offset, 1024);           /* then the primary's array */
	close_case(&e);
}

static void a_gpt_of_few_entries_and_one_on_a_grown_disk_stay_as_they_are(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sfdisk");
	NEED_TOOL("sgdisk");
	run("rm -f a; truncate -s 64M a; printf 'label: gpt\ntable-length: 8\nfirst-lba: "
	    "34\n63,10000\n20001,10000\n' | sfdisk -q a");
	open_case(&e, "a", 512);
	place(&e, 1, 2048, 0);
	check_round_trip(&e, "a");
	assert_int_equal(e.after.count, 7);
	close_case(&e);

	run(GPT_MIX);
	run("truncate -s 80M a");
	open_case(&e, "a", 512);
	place(&e, 1, 40, 0);
	encode_well(&e);
	assert_int_equal(e.after.sectors[32].offset, 64 * MIB - 512);
	write_image(&e, &e.after);
	run("sgdisk -i1 a | grep 'First sector: 40'");
	close_case(&e);
}

static void gpt_copies_that_differ_are_refused(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sgdisk");
	run(GPT_MIX);
	run("cp a b; sgdisk -d3 b; dd if=b of=a bs=512 skip=%d seek=%d count=33 conv=notrunc "
	    "status=none",
	    64 * 2048 - 33, 64 * 2048 - 33);
	open_case(&e, "a", 512);
	place(&e, 7, 30008, 0);
	encode(&e);
	assert_int_equal(e.result, -EINVAL);
	assert_non_null(strstr(e.reason.text, "copies differ"));
	close_case(&e);
	run(GPT_MIX);
	run("dd if=/dev/zero of=a bs=512 seek=%d count=1 conv=notrunc status=none", 64 * 2048 - 1);
	open_case(&e, "a", 512);
	encode(&e);
	assert_int_equal(e.result, -EINVAL);
	assert_non_null(strstr(e.reason.text, "GPT damaged"));
	close_case(&e);
}

static void tables_of_4096_byte_sectors(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sfdisk");
	run("rm -f a; truncate -s 256M a; printf 'g\nn\n1\n257\n2006\nn\n2\n3001\n13000\nw\n' | "
	    "fdisk -b 4096 a");
	open_case(&e, "a", 4096);
	place(&e, 1, 512, 0);
	place(&e, 2, 3072, 0);
	check_round_trip(&e, "a");
	assert_int_equal(e.after.count, 11);
	close_case(&e);
	run("rm -f a; truncate -s 256M a; printf "
	    "'o\nn\np\n1\n257\n2000\nn\ne\n2\n3001\n33000\nn\nl\n"
	    "3500\n4000\nn\nl\n5001\n6000\nw\n' | fdisk -b 4096 a");
	open_case(&e, "a", 4096);
	place(&e, 1, 512, 0);
	place(&e, 5, 3072, 3001);
	place(&e, 6, 5120, 5119);
	check_round_trip(&e, "a");
	close_case(&e);
}

static void tables_that_are_not_ours_are_refused(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sgdisk");
	run("rm -f a; truncate -s 64M a; sgdisk -a1 -n1:63:20000 -t1:0700 -n2:20480:100000 -h 1:2 "
	    "a");
	open_case(&e, "a", 512);
	encode(&e);
	assert_int_equal(e.result, -EINVAL);
	assert_non_null(strstr(e.reason.text, "hybrid"));
	close_case(&e);
	NEED_TOOL("parted");
	run("rm -f a; truncate -s 64M a; parted -s a mklabel sun mkpart ext2 1 30");
	open_case(&e, "a", 512);
	encode(&e);
	assert_int_equal(e.result, -EINVAL);
	assert_non_null(strstr(e.reason.text, "type sun"));
	close_case(&e);
}

static void the_backup_restores_the_table(void **state)
{
	static const char *const makers[] = { CHS_ERA, GPT_MIX };

	(void)state;
	NEED_TOOL("fdisk");
	NEED_TOOL("sgdisk");
	for (size_t i = 0; i < ARRAY_SIZE(makers); i++) {
		struct encoded e;
		FILE *f = fopen("backup", "w");
		char *before, *after;

		run("rm -f a");
		run("%s", makers[i]);
		if (i == 1) /* a reserved attribute bit has no name in a script */
			run("sgdisk -A3:clear:17 a");
		before = output_of("sfdisk -d a");
		open_case(&e, "a", 512);
		assert_int_equal(write_table_backup(&e.image.io, e.layout, "a", f, &e.reason), 0);
		fclose(f);
		close_case(&e);
		run("grep label: backup; rm a; truncate -s %s a; sfdisk -q a < backup",
		    i ? "64M" : "256M");
		after = output_of("sfdisk -d a");
		assert_string_equal(before, after);
		free(before);
		free(after);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gpt_entries_move_and_no_other_bit_changes),
		cmocka_unit_test(a_gpt_of_few_entries_and_one_on_a_grown_disk_stay_as_they_are),
		cmocka_unit_test(gpt_copies_that_differ_are_refused),
		cmocka_unit_test(tables_of_4096_byte_sectors),
		cmocka_unit_test(tables_that_are_not_ours_are_refused),
		cmocka_unit_test(the_backup_restores_the_table),
	};

	return cmocka_run_group_tests(tests, image_setup, image_teardown);
}
