// SPDX-License-Identifier: GPL-2.0-or-later
/* probe_device() on image files, and on what cannot be checked. */
#include "machine.h"

#include <sys/stat.h>

/* --- images ----------------------------------------------------------------------------------- */

static int probe_image(struct machine *m, uint64_t size)
{
	char path[128];

	machine_file(m, "disk.img", size);
	snprintf(path, sizeof(path), "%s/disk.img", m->root);
	return machine_probe(m, path);
}

static void test_image(void **state)
{
	struct machine m = machine_new(NULL);
	const struct device *d;

	(void)state;
	m.options.image_offset = 3584;
	assert_int_equal(probe_image(&m, 8 * MIB), 0);
	d = m.device;
	assert_int_equal(d->kind, KIND_IMAGE);
	assert_string_equal(d->name, "disk.img");
	assert_string_equal(d->disk_name, "disk.img");
	assert_string_equal(d->disk_path, d->path);
	assert_int_equal(d->size, 8 * MIB);
	assert_int_equal(m.io->size, 8 * MIB);
	assert_int_equal(d->reported.logical_block_size, 0);
	assert_int_equal(d->reported.physical_block_size, 0);
	assert_false(d->reported.has_alignment_offset);
	assert_int_equal(d->topology.logical_block_size, 512);
	assert_int_equal(d->topology.physical_block_size, 4096);
	assert_int_equal(d->topology.minimum_io_size, 0);
	assert_int_equal(d->topology.optimal_io_size, 0);
	assert_int_equal(d->sector_source, SOURCE_ASSUMED);
	assert_int_equal(d->image_offset, 3584);
	assert_int_equal(d->rotational, TRI_UNKNOWN);
	assert_false(d->logical_is_user);
	assert_int_equal(d->findings.count, 0);
	assert_null(d->model);
	assert_null(d->kernel_partitions);
	machine_free(&m);
}

static void test_image_options(void **state)
{
	struct machine m = machine_new(NULL);

	(void)state;
	m.options.sector_size = 4096;
	assert_int_equal(probe_image(&m, 8 * MIB), 0);
	assert_int_equal(m.device->topology.logical_block_size, 4096);
	assert_true(m.device->logical_is_user);

	m.options.physical_sector = 8192;
	assert_int_equal(probe_image(&m, 8 * MIB), 0);
	assert_int_equal(m.device->topology.physical_block_size, 8192);
	assert_int_equal(m.device->sector_source, SOURCE_USER);

	m.options.physical_sector = 512;
	assert_int_equal(probe_image(&m, 8 * MIB), -EINVAL);
	assert_non_null(strstr(m.reason.text, "smaller than the logical sector"));

	m.options.physical_sector = 0;
	m.options.sector_size = 16384; /* a physical sector holds whole logical ones */
	assert_int_equal(probe_image(&m, 8 * MIB), 0);
	assert_int_equal(m.device->topology.physical_block_size, 16384);
	machine_free(&m);
}

/* --- refusals --------------------------------------------------------------------------------- */

static void test_unusable_disks(void **state)
{
	static const struct {
		const char *machine, *path, *reason;
		int err;
	} refusals[] = {
		{ "sector-520", "/dev/sda", "sector size 520 is not a power of two", -EINVAL },
		{ "size-0", "/dev/sda", "size 0", -ENOMEDIUM },
		{ "huge", "/dev/sda", "size 0", -ENOMEDIUM },
		{ "512e", "/dev/sdb", "No such file", -ENOENT },
		{ "512e", "/dev/sda3", "No such file", -ENOENT },
		{ "512e", "/dev/", "is a directory", -EINVAL },
		{ "512e", "/dev/.", "is a directory", -EINVAL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
		struct machine m = machine_new(refusals[i].machine);

		shell("mkdir %s/dev", m.root);
		print_message("# %s %s\n", refusals[i].machine, refusals[i].path);
		assert_int_equal(machine_probe(&m, refusals[i].path), refusals[i].err);
		if (!strstr(m.reason.text, refusals[i].reason))
			fail_msg("%s", m.reason.text);
		machine_free(&m);
	}
}

static void test_unusable_files(void **state)
{
	static const struct {
		const char *make, *reason;
		int err;
	} refusals[] = {
		{ "mkdir", "is a directory", -EINVAL },
		{ "mkfifo", "is a FIFO", -EINVAL }, /* and does not wait for its other end */
		{ "touch", "size 0; the file is empty", -ENODATA },
		{ "true", "No such file or directory", -ENOENT },
		{ "ln -s /dev/null", "is a character device", -EINVAL },
		{ "ln -s thing", "Too many levels", -ELOOP },
	};
	struct machine m = machine_new(NULL);
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/thing", m.root);
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
		shell("rm -rf %s; %s %s", path, refusals[i].make, path);
		print_message("# %s\n", refusals[i].make);
		assert_int_equal(machine_probe(&m, path), refusals[i].err);
		if (!strstr(m.reason.text, refusals[i].reason))
			fail_msg("%s", m.reason.text);
	}
	machine_free(&m);
}

/* As another user in a child, because the tests may be run by root, who may read everything. */
static void test_no_permission(void **state)
{
	struct machine m = machine_new(NULL);
	char path[128];

	(void)state;
	machine_file(&m, "disk.img", MIB);
	snprintf(path, sizeof(path), "%s/disk.img", m.root);
	assert_int_equal(chmod(path, 0), 0);
	assert_int_equal(chmod(m.root, 0755), 0);
	if (!geteuid())
		assert_int_equal(seteuid(65534), 0);
	int r = machine_probe(&m, path);

	if (!getuid())
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(r, -EACCES);
	assert_string_equal(m.reason.text, "cannot open: Permission denied; run it as root");
	machine_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_image),          cmocka_unit_test(test_image_options),
		cmocka_unit_test(test_unusable_disks), cmocka_unit_test(test_unusable_files),
		cmocka_unit_test(test_no_permission),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
