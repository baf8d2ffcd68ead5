// SPDX-License-Identifier: GPL-2.0-or-later
/* probe_device() on partitions of captured machines, and on the bytes captured with them. */
#include "machine.h"

/* --- partitions ------------------------------------------------------------------------------- */

static void test_partition(void **state)
{
	static const struct {
		const char *machine, *path, *disk;
		unsigned number;
		uint64_t start, length;
	} partitions[] = {
		{ "512e", "/dev/sda1", "/dev/sda", 1, 63 * 512, 204737 * 512 },
		{ "offset-3584", "/dev/sda3", "/dev/sda", 3, 411655 * 512, 204800 * 512 },
		{ "4kn", "/dev/sda1", "/dev/sda", 1, MIB, 409600 * 512 },
		{ "nvme", "/dev/nvme0n1p2", "/dev/nvme0n1", 2, 1050624ULL * 512,
		  999164559ULL * 512 },
		{ "parts-only", "/dev/sda10", "/dev/sda", 10, 512 * MIB, MIB },
		{ "odd-name", "/dev/cciss/c0d0p1", "/dev/cciss/c0d0", 1, MIB, 409600 * 512 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(partitions); i++) {
		struct machine m = machine_new(partitions[i].machine);

		print_message("# %s\n", partitions[i].path);
		if (machine_probe(&m, partitions[i].path))
			fail_msg("%s", m.reason.text);
		assert_int_equal(m.device->kind, KIND_PARTITION);
		assert_string_equal(m.device->path, partitions[i].path);
		assert_string_equal(m.device->disk_path, partitions[i].disk);
		assert_int_equal(m.device->number, partitions[i].number);
		assert_int_equal(m.device->start, partitions[i].start);
		assert_int_equal(m.device->length, partitions[i].length);
		assert_true(m.device->size > m.device->start + m.device->length);
		machine_free(&m);
	}
}

/* A capture that followed the links: class/block holds copies, and is nobody's disk. */
static void test_flattened_capture(void **state)
{
	struct machine m = machine_new("512e");

	(void)state;
	shell("cd %s/sys && cp -rL class/block flat && rm -r class/block && mv flat class/block",
	      m.root);
	assert_int_equal(machine_probe(&m, "/dev/sda1"), 0);
	assert_string_equal(m.device->disk_name, "sda");
	assert_int_equal(m.device->start, 63 * 512);
	machine_free(&m);
}

/* The disk's alignment_offset counts; the partition's own is relative to its start. */
static void test_partition_goes_by_its_disk(void **state)
{
	struct machine m = machine_new("offset-3584");

	(void)state;
	shell("echo 512 >%s/sys/class/block/sda2/alignment_offset", m.root);
	assert_int_equal(machine_probe(&m, "/dev/sda2"), 0);
	assert_int_equal(m.device->topology.alignment_offset, 3584);
	assert_int_equal(m.device->topology.physical_block_size, 4096);
	assert_string_equal(m.device->name, "sda2");
	assert_string_equal(m.device->disk_name, "sda");
	machine_free(&m);
}

static void test_kernel_partitions_are_in_order(void **state)
{
	static const unsigned numbers[] = { 1, 2, 5, 10 };
	struct machine m = machine_new("parts-only");

	(void)state;
	assert_int_equal(machine_probe(&m, "/dev/sda"), 0);
	assert_int_equal(m.device->kernel_partition_count, ARRAY_SIZE(numbers));
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		assert_int_equal(m.device->kernel_partitions[i].number, numbers[i]);
	assert_string_equal(m.device->kernel_partitions[3].name, "sda10");
	assert_int_equal(m.device->kernel_partitions[0].start, 63 * 512);
	assert_int_equal(m.device->kernel_partitions[0].size, 204737 * 512);
	machine_free(&m);
}

/* Directories that look like partitions and are none: mmcblk0boot0, a number that is none. */
static void test_no_partition(void **state)
{
	struct machine m = machine_new("512e");

	(void)state;
	shell("cd %s/sys/block/sda && mkdir sdaboot0 sda3x sdap4 sda0 sda99999999999 sda7 && "
	      "for d in sdaboot0 sda3x sdap4 sda0 sda99999999999; do cp sda1/start sda1/size $d; "
	      "done; "
	      "echo junk >sda7/start; cp sda1/size sda7",
	      m.root);
	assert_int_equal(machine_probe(&m, "/dev/sda"), 0);
	assert_int_equal(m.device->kernel_partition_count, 2);
	machine_free(&m);
}

/* --- bytes of a captured machine -------------------------------------------------------------- */

static void test_captured_bytes(void **state)
{
	struct machine m = machine_new("512e");

	(void)state;
	machine_file(&m, "dev/sda", MIB);
	assert_int_equal(machine_probe(&m, "/dev/sda1"), 0);
	assert_non_null(m.io);
	assert_int_equal(m.io->size, MIB);                     /* what can be read */
	assert_int_equal(m.device->size, 1953525168ULL * 512); /* what is judged */
	machine_free(&m);
}

static void test_captured_image_without_sysfs(void **state)
{
	struct machine m = machine_new(NULL);

	(void)state;
	machine_file(&m, "dev/sda", MIB);
	assert_int_equal(machine_probe(&m, "/dev/sda"), 0);
	assert_int_equal(m.device->kind, KIND_IMAGE);
	assert_int_equal(m.device->size, MIB);
	machine_free(&m);
}

/* A link names what it leads to, as /dev/disk/by-id and /dev/mapper do. */
static void test_captured_link(void **state)
{
	struct machine m = machine_new("ears");

	(void)state;
	machine_file(&m, "dev/sda", MIB);
	shell("cd %s/dev && mkdir -p disk/by-id && ln -s ../../sda disk/by-id/x && "
	      "ln -s ../../sda1 disk/by-id/x-part1",
	      m.root);
	assert_int_equal(machine_probe(&m, "/dev/disk/by-id/x"), 0);
	assert_int_equal(m.device->kind, KIND_DISK);
	assert_string_equal(m.device->name, "sda");
	assert_int_equal(m.device->sector_source, SOURCE_DRIVE_LIST);
	assert_non_null(m.io);
	assert_int_equal(machine_probe(&m, "/dev/disk/by-id/x-part1"), 0);
	assert_int_equal(m.device->kind, KIND_PARTITION);
	assert_string_equal(m.device->disk_path, "/dev/sda");
	machine_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_partition),
		cmocka_unit_test(test_flattened_capture),
		cmocka_unit_test(test_partition_goes_by_its_disk),
		cmocka_unit_test(test_kernel_partitions_are_in_order),
		cmocka_unit_test(test_no_partition),
		cmocka_unit_test(test_captured_bytes),
		cmocka_unit_test(test_captured_image_without_sysfs),
		cmocka_unit_test(test_captured_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
