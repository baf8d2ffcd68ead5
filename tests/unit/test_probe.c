// SPDX-License-Identifier: GPL-2.0-or-later
/* probe_device() on captured machines. */
#include "machine.h"

/* --- disks ------------------------------------------------------------------------------------ */

/* What is made of a captured machine's disk. */
static const struct {
	const char *machine, *path;
	uint64_t size, logical, physical, minimum, optimal;
	int64_t offset;
	enum sector_source source;
	size_t partitions;
	int finding; /* -1: none */
} disks[] = {
	{ "512e", "/dev/sda", 1000204886016, 512, 4096, 4096, 0, 0, SOURCE_KERNEL, 2, -1 },
	{ "512n", "/dev/sda", 500107862016, 512, 512, 512, 0, 0, SOURCE_KERNEL, 1, -1 },
	{ "4kn", "/dev/sda", 4000787030016, 4096, 4096, 4096, 0, 0, SOURCE_KERNEL, 1, -1 },
	{ "offset-3584", "/dev/sda", 1000204886016, 512, 4096, 4096, 0, 3584, SOURCE_KERNEL, 3,
	  -1 },
	{ "offset-minus1", "/dev/dm-0", 1000204886016, 512, 4096, 4096, 0, -1, SOURCE_KERNEL, 0,
	  FINDING_STACK_MISALIGNED },
	{ "opt-33553920", "/dev/sda", 1000204886016, 512, 512, 512, 0, 0, SOURCE_KERNEL, 1,
	  FINDING_TOPOLOGY_IGNORED },
	{ "opt-16773120", "/dev/sda", 2000398934016, 512, 4096, 4096, 0, 0, SOURCE_KERNEL, 1,
	  FINDING_TOPOLOGY_IGNORED },
	{ "opt-32m", "/dev/nvme0n1", 2000398934016, 512, 4096, 4096, 0, 0, SOURCE_KERNEL, 1,
	  FINDING_TOPOLOGY_IGNORED },
	{ "opt-below-min", "/dev/sda", 1000204886016, 512, 512, 262144, 0, 0, SOURCE_KERNEL, 1,
	  FINDING_TOPOLOGY_IGNORED },
	{ "min-4096", "/dev/sda", 1000204886016, 512, 512, 4096, 65536, 0, SOURCE_KERNEL, 3, -1 },
	{ "stripe-196608", "/dev/sda", 1000204886016, 512, 4096, 196608, 196608, 0, SOURCE_KERNEL,
	  2, -1 },
	{ "ears", "/dev/sda", 1500301910016, 512, 4096, 4096, 0, 0, SOURCE_DRIVE_LIST, 2,
	  FINDING_LYING_DRIVE },
	{ "ears-udev", "/dev/sda", 1500301910016, 512, 4096, 4096, 0, 0, SOURCE_DRIVE_LIST, 2,
	  FINDING_LYING_DRIVE },
	{ "ears-usb", "/dev/sda", 2000398934016, 512, 4096, 4096, 0, 0, SOURCE_DRIVE_LIST, 1,
	  FINDING_LYING_DRIVE },
	{ "hd204ui", "/dev/sda", 2000398934016, 512, 4096, 4096, 0, 0, SOURCE_DRIVE_LIST, 1,
	  FINDING_LYING_DRIVE },
	{ "shifted-usb", "/dev/sda", 640135028736, 512, 4096, 4096, 0, 3584, SOURCE_DRIVE_LIST, 1,
	  FINDING_LYING_DRIVE },
	{ "nvme", "/dev/nvme0n1", 512110190592, 512, 512, 512, 0, 0, SOURCE_KERNEL, 2, -1 },
	{ "nvme-262144", "/dev/nvme0n1", 2000398934016, 512, 4096, 0, 262144, 0, SOURCE_ASSUMED, 2,
	  FINDING_TOPOLOGY_IMPLAUSIBLE },
	{ "pbs-131072", "/dev/sda", 1000204886016, 512, 4096, 0, 0, 0, SOURCE_ASSUMED, 1,
	  FINDING_TOPOLOGY_IMPLAUSIBLE },
	{ "pbs-8192", "/dev/sda", 1000204886016, 512, 4096, 0, 0, 0, SOURCE_ASSUMED, 1,
	  FINDING_TOPOLOGY_IMPLAUSIBLE },
	{ "md", "/dev/md127", 3000395366400, 512, 4096, 524288, 1572864, 0, SOURCE_KERNEL, 1, -1 },
	{ "loop", "/dev/loop0", 1073741824, 512, 512, 512, 0, 0, SOURCE_KERNEL, 1, -1 },
	{ "host-managed", "/dev/sda", 14000519643136, 4096, 4096, 4096, 0, 0, SOURCE_KERNEL, 2,
	  -1 },
	{ "host-aware", "/dev/sda", 8001563222016, 512, 4096, 4096, 0, 0, SOURCE_KERNEL, 0,
	  FINDING_SHINGLED },
	{ "drive-managed", "/dev/sda", 8001563222016, 512, 4096, 4096, 0, 0, SOURCE_KERNEL, 1,
	  FINDING_SHINGLED },
	{ "parts-only", "/dev/sda", 1000204886016, 512, 4096, 4096, 0, 0, SOURCE_KERNEL, 4, -1 },
	{ "odd-name", "/dev/cciss/c0d0", 1000204886016, 512, 512, 512, 0, 0, SOURCE_KERNEL, 1, -1 },
	{ "read-only", "/dev/sda", 31914983424, 512, 512, 512, 0, 0, SOURCE_KERNEL, 0, -1 },
};

static void test_disks(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(disks); i++) {
		struct machine m = machine_new(disks[i].machine);
		const struct topology *t;

		print_message("# %s\n", disks[i].machine);
		if (machine_probe(&m, disks[i].path))
			fail_msg("%s", m.reason.text);
		t = &m.device->topology;
		assert_int_equal(m.device->kind, KIND_DISK);
		assert_null(m.io); /* nothing of it was captured but sysfs */
		assert_string_equal(m.device->path, disks[i].path);
		assert_string_equal(m.device->disk_path, disks[i].path);
		assert_string_equal(m.device->name, m.device->disk_name);
		assert_int_equal(m.device->size, disks[i].size);
		assert_int_equal(t->logical_block_size, disks[i].logical);
		assert_int_equal(t->physical_block_size, disks[i].physical);
		assert_int_equal(t->minimum_io_size, disks[i].minimum);
		assert_int_equal(t->optimal_io_size, disks[i].optimal);
		assert_int_equal(t->alignment_offset, disks[i].offset);
		assert_true(t->has_alignment_offset);
		assert_int_equal(m.device->sector_source, disks[i].source);
		assert_int_equal(m.device->kernel_partition_count, disks[i].partitions);
		if (disks[i].finding < 0)
			assert_int_equal(m.device->findings.count, 0);
		else
			assert_non_null(find_finding(&m.device->findings, disks[i].finding));
		machine_free(&m);
	}
}

static void test_what_was_reported_stays(void **state)
{
	struct machine m = machine_new("nvme-262144");

	(void)state;
	assert_int_equal(machine_probe(&m, "/dev/nvme0n1"), 0);
	assert_int_equal(m.device->reported.logical_block_size, 512);
	assert_int_equal(m.device->reported.physical_block_size, 262144);
	assert_int_equal(m.device->reported.minimum_io_size, 262144);
	assert_int_equal(m.device->reported.optimal_io_size, 262144);
	assert_int_equal(m.device->rotational, TRI_NO);
	machine_free(&m);
}

static void test_drive_list_says_who(void **state)
{
	struct machine m = machine_new("ears-udev");
	const struct finding *lie;

	(void)state;
	assert_int_equal(machine_probe(&m, "/dev/sda"), 0);
	lie = find_finding(&m.device->findings, FINDING_LYING_DRIVE);
	assert_int_equal(lie->value, 512);
	assert_int_equal(lie->boundary, 4096);
	assert_string_equal(
		lie->message,
		"WDC WD15EARS-00Z5B1 reports physical sectors of 512 bytes but has "
		"4096 (FreeBSD and OpenZFS); a jumper that shifts its sectors cannot be "
		"seen");
	assert_string_equal(m.device->model, "WDC WD15EARS-00Z5B1");
	assert_string_equal(m.device->serial, "WD-WMAVU1234567");
	assert_int_equal(m.device->reported.physical_block_size, 512);
	machine_free(&m);
}

static void test_models(void **state)
{
	static const struct {
		const char *machine, *path, *model, *serial;
	} models[] = {
		{ "ears", "/dev/sda", "WDC WD15EARS-00Z", NULL },
		{ "ears-usb", "/dev/sda", "WDC WD20EARS-00MVWB0", NULL },
		{ "min-4096", "/dev/sda", "NETAPP LUN", NULL },
		{ "nvme", "/dev/nvme0n1", "Samsung SSD 970 EVO Plus 500GB", "S4EVNX0M123456Z" },
		{ "odd-name", "/dev/cciss/c0d0", NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(models); i++) {
		struct machine m = machine_new(models[i].machine);

		assert_int_equal(machine_probe(&m, models[i].path), 0);
		if (models[i].model)
			assert_string_equal(m.device->model, models[i].model);
		else
			assert_null(m.device->model);
		if (models[i].serial)
			assert_string_equal(m.device->serial, models[i].serial);
		else
			assert_null(m.device->serial);
		machine_free(&m);
	}
}

static void test_zones(void **state)
{
	static const struct {
		const char *machine, *zoned;
		uint64_t zone_size;
	} zones[] = {
		{ "host-managed", "host-managed", 256 * MIB },
		{ "host-aware", "host-aware", 256 * MIB },
		{ "drive-managed", "drive-managed", 0 },
		{ "512e", "none", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(zones); i++) {
		struct machine m = machine_new(zones[i].machine);

		assert_int_equal(machine_probe(&m, "/dev/sda"), 0);
		assert_string_equal(m.device->zoned, zones[i].zoned);
		assert_int_equal(m.device->zone_size, zones[i].zone_size);
		machine_free(&m);
	}
}

static void test_chunk_is_no_zone(void **state)
{
	struct machine m = machine_new("512e");

	(void)state;
	shell("echo 128 >%s/sys/block/sda/queue/chunk_sectors", m.root);
	assert_int_equal(machine_probe(&m, "/dev/sda"), 0);
	assert_int_equal(m.device->zone_size, 0);
	machine_free(&m);
}

static void test_read_only_medium(void **state)
{
	struct machine m = machine_new("read-only");

	(void)state;
	assert_int_equal(machine_probe(&m, "/dev/sda"), 0);
	assert_true(m.device->read_only);
	machine_free(&m);
}

/* --- options on disks ------------------------------------------------------------------------- */

static void test_physical_sector_option(void **state)
{
	struct machine m = machine_new("ears");

	(void)state;
	/* the user's word comes before the drive list */
	m.options.physical_sector = 512;
	assert_int_equal(machine_probe(&m, "/dev/sda"), 0);
	assert_int_equal(m.device->topology.physical_block_size, 512);
	assert_int_equal(m.device->sector_source, SOURCE_USER);
	assert_int_equal(m.device->findings.count, 0);

	/* and a minimum that repeats what was reported goes with it; rotating or not */
	m.options.physical_sector = 8192;
	assert_int_equal(machine_probe(&m, "/dev/sda"), 0);
	assert_int_equal(m.device->topology.physical_block_size, 8192);
	assert_int_equal(m.device->topology.minimum_io_size, 8192);
	assert_int_equal(m.device->reported.physical_block_size, 512);
	assert_int_equal(m.device->findings.count, 0);
	machine_free(&m);

	m = machine_new("min-4096");
	m.options.physical_sector = 512;
	assert_int_equal(machine_probe(&m, "/dev/sda"), 0);
	assert_int_equal(m.device->topology.minimum_io_size, 4096); /* the device's own */
	machine_free(&m);

	m = machine_new("4kn");
	m.options.physical_sector = 512;
	assert_int_equal(machine_probe(&m, "/dev/sda"), -EINVAL);
	assert_non_null(strstr(m.reason.text, "smaller than the logical sector, 4096"));
	machine_free(&m);
}

static void test_sector_size_option(void **state)
{
	struct machine m = machine_new("512e");

	(void)state;
	m.options.sector_size = 512;
	assert_int_equal(machine_probe(&m, "/dev/sda"), 0);
	assert_true(m.device->logical_is_user);
	m.options.sector_size = 4096;
	assert_int_equal(machine_probe(&m, "/dev/sda"), -EINVAL);
	assert_string_equal(m.reason.text, "--sector-size 4096 contradicts the kernel, which says "
					   "512; that option is for image files");
	machine_free(&m);
}

/* FreeBSD's rule: who reports more than the logical size is honest and not overridden. */
static void test_honest_drive_is_left_alone(void **state)
{
	struct machine m = machine_new("ears");

	(void)state;
	shell("cd %s/sys/block/sda/queue && echo 4096 | tee physical_block_size >minimum_io_size",
	      m.root);
	assert_int_equal(machine_probe(&m, "/dev/sda"), 0);
	assert_int_equal(m.device->sector_source, SOURCE_KERNEL);
	assert_int_equal(m.device->findings.count, 0);

	/* a drive that is 4096 through and through is no liar either */
	shell("echo 4096 >%s/sys/block/sda/queue/logical_block_size", m.root);
	assert_int_equal(machine_probe(&m, "/dev/sda"), 0);
	assert_int_equal(m.device->sector_source, SOURCE_KERNEL);
	assert_int_equal(m.device->findings.count, 0);
	machine_free(&m);
}

/* --- odd values ----------------------------------------------------------------------------------
 */

/* Attributes that are missing or garbage are "not known", and nothing is made up for them. */
static void test_sparse_sysfs(void **state)
{
	struct machine m = machine_new("512e");

	(void)state;
	shell("cd %s/sys/block/sda && rm queue/physical_block_size alignment_offset "
	      "queue/rotational "
	      "queue/zoned && echo -4096 >queue/minimum_io_size && echo 0x1000 "
	      ">queue/optimal_io_size",
	      m.root);
	assert_int_equal(machine_probe(&m, "/dev/sda"), 0);
	assert_int_equal(m.device->reported.physical_block_size, 0);
	assert_int_equal(m.device->topology.physical_block_size, 4096);
	assert_int_equal(m.device->sector_source, SOURCE_ASSUMED);
	assert_int_equal(m.device->reported.minimum_io_size, 0);
	assert_int_equal(m.device->reported.optimal_io_size, 0);
	assert_false(m.device->topology.has_alignment_offset);
	assert_int_equal(m.device->rotational, TRI_UNKNOWN);
	assert_null(m.device->zoned);

	shell("rm %s/sys/block/sda/queue/logical_block_size", m.root);
	assert_int_equal(machine_probe(&m, "/dev/sda"), -EIO);
	machine_free(&m);
}

/* What a drive calls itself may hold anything. */
static void test_model_is_made_safe(void **state)
{
	struct machine m = machine_new("512e");

	(void)state;
	shell("printf 'EVIL\\033[2J\\377' >%s/sys/block/sda/device/model", m.root);
	assert_int_equal(machine_probe(&m, "/dev/sda"), 0);
	assert_string_equal(m.device->model, "EVIL\\x1b[2J\\xff");
	machine_free(&m);
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(device_kind_name(KIND_DISK), "disk");
	assert_string_equal(device_kind_name(KIND_PARTITION), "partition");
	assert_string_equal(device_kind_name(KIND_IMAGE), "image");
	assert_string_equal(device_kind_name(KIND_TABLE), "table");
	assert_string_equal(sector_source_name(SOURCE_KERNEL), "kernel");
	assert_string_equal(sector_source_name(SOURCE_DRIVE_LIST), "drive-list");
	assert_string_equal(sector_source_name(SOURCE_USER), "user");
	assert_string_equal(sector_source_name(SOURCE_TABLE), "table");
	assert_string_equal(sector_source_name(SOURCE_ASSUMED), "assumed");
	assert_string_equal(sector_source_name(SOURCE_MEASURED), "measured");
	device_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_disks),
		cmocka_unit_test(test_what_was_reported_stays),
		cmocka_unit_test(test_drive_list_says_who),
		cmocka_unit_test(test_models),
		cmocka_unit_test(test_zones),
		cmocka_unit_test(test_chunk_is_no_zone),
		cmocka_unit_test(test_read_only_medium),
		cmocka_unit_test(test_physical_sector_option),
		cmocka_unit_test(test_sector_size_option),
		cmocka_unit_test(test_honest_drive_is_left_alone),
		cmocka_unit_test(test_sparse_sysfs),
		cmocka_unit_test(test_model_is_made_safe),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
