// SPDX-License-Identifier: GPL-2.0-or-later
/* Who uses a disk, and which disks there are. */
#include "machine.h"

#include <pthread.h>

static bool has_user(const struct device *device, const char *node, const char *what)
{
	for (size_t i = 0; i < device->user_count; i++)
		if (!strcmp(device->users[i].node, node) && !strcmp(device->users[i].what, what))
			return true;
	return false;
}

static void test_users(void **state)
{
	static const struct {
		const char *node, *what;
	} users[] = {
		{ "sda1", "mounted on /srv/my data" },
		{ "sda1", "mounted on /mnt/again" },
		{ "sda2", "swap" },
		{ "sda3", "dm-0 (crypt home)" },
		{ "sda4", "dm-1 (LVM vg-root)" },
		{ "sda5", "md0" },
		{ "sda6", "loop3" },
		{ "sda7", "mounted btrfs 5f2c1d7e-0000-4000-8000-000000000001" },
		{ "sda8", "mounted on /pool" },
		{ "sda9", "dm-2 (dm mystery)" },
	};
	struct machine m = machine_new("users");

	(void)state;
	m.options.users = true;
	if (machine_probe(&m, "/dev/sda"))
		fail_msg("%s", m.reason.text);
	for (size_t i = 0; i < m.device->user_count; i++)
		print_message("# %s: %s\n", m.device->users[i].node, m.device->users[i].what);
	for (size_t i = 0; i < ARRAY_SIZE(users); i++)
		assert_true(has_user(m.device, users[i].node, users[i].what));
	assert_int_equal(m.device->user_count, ARRAY_SIZE(users));

	/* asked for the whole disk whichever partition is named */
	assert_int_equal(machine_probe(&m, "/dev/sda3"), 0);
	assert_int_equal(m.device->user_count, ARRAY_SIZE(users));

	/* and not looked for unless asked */
	m.options.users = false;
	assert_int_equal(machine_probe(&m, "/dev/sda"), 0);
	assert_int_equal(m.device->user_count, 0);
	machine_free(&m);
}

static void test_nobody(void **state)
{
	struct machine m = machine_new("512e");

	(void)state;
	m.options.users = true;
	assert_int_equal(machine_probe(&m, "/dev/sda"), 0);
	assert_int_equal(m.device->user_count, 0);
	machine_free(&m);
}

/* A disk used whole: its own mount, its own holder. */
static void test_whole_disk(void **state)
{
	struct machine m = machine_new("users");

	(void)state;
	shell("ln -s /sys/block/md9 %s/sys/block/sda/holders/md9; "
	      "echo '30 26 8:0 / /whole rw - ext4 /dev/sda rw' >>%s/proc/self/mountinfo",
	      m.root, m.root);
	m.options.users = true;
	assert_int_equal(machine_probe(&m, "/dev/sda"), 0);
	assert_true(has_user(m.device, "sda", "md9"));
	assert_true(has_user(m.device, "sda", "mounted on /whole"));
	machine_free(&m);
}

static void test_image_users(void **state)
{
	struct machine m = machine_new("users");
	char path[128];

	(void)state;
	shell("truncate -s 1M '%s/disk image.img'; ln -s 'disk image.img' %s/link.img", m.root,
	      m.root);
	shell("echo '%s/disk image.img' >%s/sys/block/loop4/loop/backing_file", m.root, m.root);
	/* a neighbour of the image is not the image */
	shell("touch %s/other.img; echo %s/other.img >%s/sys/block/loop3/loop/backing_file", m.root,
	      m.root, m.root);
	m.options.users = true;
	snprintf(path, sizeof(path), "%s/link.img", m.root);
	assert_int_equal(machine_probe(&m, path), 0);
	assert_int_equal(m.device->user_count, 1);
	assert_true(has_user(m.device, "link.img", "loop4"));
	machine_free(&m);
}

/* A mount point can be named to forge a line. */
static void test_what_is_made_safe(void **state)
{
	struct machine m = machine_new("512e");

	(void)state;
	shell("mkdir -p %s/proc/self; printf '30 26 8:1 / /a\\\\012b\\033[2J rw - ext4 /dev/x "
	      "rw\\n' "
	      ">%s/proc/self/mountinfo",
	      m.root, m.root);
	m.options.users = true;
	assert_int_equal(machine_probe(&m, "/dev/sda"), 0);
	assert_true(has_user(m.device, "sda1", "mounted on /a\\x0ab\\x1b[2J"));
	machine_free(&m);
}

static void test_all_disks(void **state)
{
	static const char *const expected[] = {
		"/dev/cciss/c0d0", "/dev/hda", "/dev/mmcblk0", "/dev/nvme0n1", "/dev/nvme2n1",
		"/dev/nvme10n1",   "/dev/sda", "/dev/sdb",     "/dev/sdz",     "/dev/sdaa",
		"/dev/sdab",       "/dev/vda", "/dev/xvdb",    "/dev/xvdaa",
	};
	struct machine m = machine_new("many");
	char **paths = NULL;
	size_t i;

	(void)state;
	assert_int_equal(probe_all_disks(m.root, &paths, &m.reason), 0);
	for (i = 0; paths[i]; i++) {
		print_message("# %s\n", paths[i]);
		assert_true(i < ARRAY_SIZE(expected));
		assert_string_equal(paths[i], expected[i]);
		assert_int_equal(machine_probe(&m, paths[i]), 0);
	}
	assert_int_equal(i, ARRAY_SIZE(expected));
	probe_free_paths(paths);
	machine_free(&m);
}

static void test_no_disks(void **state)
{
	struct machine m = machine_new(NULL);
	char **paths = NULL;

	(void)state;
	assert_int_equal(probe_all_disks(m.root, &paths, &m.reason), -ENOENT);
	assert_null(paths);
	assert_non_null(strstr(m.reason.text, "cannot list disks"));
	shell("mkdir -p %s/sys/block", m.root);
	assert_int_equal(probe_all_disks(m.root, &paths, &m.reason), 0);
	assert_non_null(paths);
	assert_null(paths[0]);
	probe_free_paths(paths);
	probe_free_paths(NULL);
	machine_free(&m);
}

/* This machine, whatever it has: every disk listed can be asked. */
static void test_this_machine(void **state)
{
	struct probe_options options = { .users = true };
	struct reason reason;
	char **paths = NULL;

	(void)state;
	if (probe_all_disks(NULL, &paths, &reason))
		skip(); /* no sysfs here */
	for (size_t i = 0; paths[i]; i++) {
		struct device *device;
		struct io *io;

		if (probe_device(paths[i], &options, &device, &io, &reason)) {
			print_message("# %s: %s\n", paths[i], reason.text);
			continue; /* not root, or no node in this container */
		}
		assert_int_equal(device->kind, KIND_DISK);
		assert_non_null(io);
		assert_int_equal(device->size, io->size);
		device_free(device);
		io_close(io);
	}
	probe_free_paths(paths);
}

static void *probe_again(void *argument)
{
	const struct machine *m = argument;
	size_t wrong = 0;

	for (int i = 0; i < 20; i++) {
		struct device *device;
		struct io *io;
		struct reason reason;

		if (probe_device(i % 2 ? "/dev/sda" : "/dev/sda3", &m->options, &device, &io,
				 &reason)) {
			wrong++;
			continue;
		}
		wrong += device->user_count != 10 || device->kernel_partition_count != 9;
		device_free(device);
		io_close(io);
	}
	return (void *)wrong;
}

/* --jobs: devices are probed side by side. */
static void test_side_by_side(void **state)
{
	struct machine m = machine_new("users");
	pthread_t threads[4];
	void *wrong;

	(void)state;
	m.options.users = true;
	m.options.sysroot = m.root;
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, probe_again, &m), 0);
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
		assert_int_equal(pthread_join(threads[i], &wrong), 0);
		assert_null(wrong);
	}
	machine_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_users),
		cmocka_unit_test(test_nobody),
		cmocka_unit_test(test_whole_disk),
		cmocka_unit_test(test_image_users),
		cmocka_unit_test(test_what_is_made_safe),
		cmocka_unit_test(test_all_disks),
		cmocka_unit_test(test_no_disks),
		cmocka_unit_test(test_this_machine),
		cmocka_unit_test(test_side_by_side),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
