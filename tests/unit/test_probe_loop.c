// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * probe on real block devices: a loop device with partition nodes. Needs root and a free loop
 * device; where they cannot be had the tests are skipped by name.
 */
#include "machine.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* An image of 64 MiB, first partition at sector 63, second at 1 MiB below the middle. */
struct loop {
	struct machine machine; /* a directory to work in, with nothing captured */
	char image[96], node[32], name[32];
};

/* A command whose failure is said and changes nothing: cleaning up goes on. */
__attribute__((format(printf, 1, 2))) static void try_shell(const char *format, ...)
{
	char command[512];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	if (system(command))
		print_message("# failed: %s\n", command);
}

static bool attach(struct loop *loop, const char *options)
{
	char command[256];
	FILE *pipe;

	snprintf(command, sizeof(command), "losetup %s -f --show %s 2>/dev/null", options,
		 loop->image);
	pipe = popen(command, "r");
	if (!pipe || !fgets(loop->node, sizeof(loop->node), pipe))
		loop->node[0] = '\0';
	if (pipe)
		pclose(pipe);
	loop->node[strcspn(loop->node, "\n")] = '\0';
	if (strncmp(loop->node, "/dev/", 5))
		loop->node[0] = '\0';
	snprintf(loop->name, sizeof(loop->name), "%s", loop->node + (loop->node[0] ? 5 : 0));
	return loop->node[0];
}

static void detach(struct loop *loop)
{
	if (!loop->node[0])
		return;
	try_shell("partx -d %s 2>/dev/null || true", loop->node);
	try_shell("losetup -d %s", loop->node);
	loop->node[0] = '\0';
}

static int set_up(void **state)
{
	struct loop *loop = calloc(1, sizeof(*loop));

	loop->machine = machine_new(NULL);
	snprintf(loop->image, sizeof(loop->image), "%s/disk.img", loop->machine.root);
	shell("truncate -s 64M %s && printf 'start=63,size=40000\\nstart=63488,size=20480\\n' | "
	      "sfdisk -q --label dos %s >/dev/null",
	      loop->image, loop->image);
	attach(loop, "");
	*state = loop;
	return 0;
}

static int tear_down(void **state)
{
	struct loop *loop = *state;

	try_shell("umount %s/mnt 2>/dev/null || true", loop->machine.root);
	detach(loop);
	machine_free(&loop->machine);
	free(loop);
	return 0;
}

#define NEEDS_LOOP(loop)                                                                           \
	do {                                                                                       \
		if (!(loop)->node[0]) {                                                            \
			print_message("# needs root and a free loop device\n");                    \
			skip();                                                                    \
		}                                                                                  \
	} while (0)

/* On the running system: no sysroot. */
static int probe_running(struct loop *loop, const char *path)
{
	struct machine *m = &loop->machine;

	device_free(m->device);
	io_close(m->io);
	m->device = NULL;
	m->io = NULL;
	m->options.sysroot = NULL;
	return probe_device(path, &m->options, &m->device, &m->io, &m->reason);
}

static bool has_user(const struct device *device, const char *node, const char *what)
{
	for (size_t i = 0; i < device->user_count; i++)
		if (!strcmp(device->users[i].node, node) && !strcmp(device->users[i].what, what))
			return true;
	return false;
}

static void test_disk(void **state)
{
	struct loop *loop = *state;
	const struct device *d;

	NEEDS_LOOP(loop);
	assert_int_equal(probe_running(loop, loop->node), 0);
	d = loop->machine.device;
	assert_int_equal(d->kind, KIND_DISK);
	assert_string_equal(d->name, loop->name);
	assert_int_equal(d->size, 64 * MIB);
	assert_int_equal(loop->machine.io->size, 64 * MIB);
	assert_int_equal(d->topology.logical_block_size, 512);
	assert_int_equal(d->sector_source, SOURCE_KERNEL);
	assert_false(d->read_only);
	assert_int_equal(d->kernel_partition_count, 0);
}

static void test_partition_nodes(void **state)
{
	struct loop *loop = *state;
	const struct device *d;
	char path[64], name[64];
	uint8_t sector[512];

	NEEDS_LOOP(loop);
	shell("partx -a %s", loop->node);
	snprintf(path, sizeof(path), "%sp1", loop->node);
	snprintf(name, sizeof(name), "%sp1", loop->name);
	assert_int_equal(probe_running(loop, path), 0);
	d = loop->machine.device;
	assert_int_equal(d->kind, KIND_PARTITION);
	assert_string_equal(d->path, path);
	assert_string_equal(d->name, name);
	assert_string_equal(d->disk_path, loop->node);
	assert_string_equal(d->disk_name, loop->name);
	assert_int_equal(d->number, 1);
	assert_int_equal(d->start, 63 * 512);
	assert_int_equal(d->length, 40000 * 512);
	assert_int_equal(d->size, 64 * MIB);
	assert_int_equal(d->kernel_partition_count, 2);
	assert_int_equal(d->kernel_partitions[1].start, 31 * MIB);

	/* the io is the whole disk's: the table is at its byte 0 */
	assert_int_equal(loop->machine.io->size, 64 * MIB);
	assert_int_equal(io_read(loop->machine.io, sector, sizeof(sector), 0), 0);
	assert_int_equal(sector[510], 0x55);
	assert_int_equal(sector[511], 0xaa);
}

static void test_link_to_a_node(void **state)
{
	struct loop *loop = *state;
	char path[128];

	NEEDS_LOOP(loop);
	snprintf(path, sizeof(path), "%s/by-id", loop->machine.root);
	assert_int_equal(symlink(loop->node, path), 0);
	assert_int_equal(probe_running(loop, path), 0);
	assert_int_equal(loop->machine.device->kind, KIND_DISK);
	assert_string_equal(loop->machine.device->path, path);
	assert_string_equal(loop->machine.device->name, loop->name);
}

static void test_mounted_partition(void **state)
{
	struct loop *loop = *state;
	char name[64], what[128], probed[64];

	NEEDS_LOOP(loop);
	shell("partx -a %s && mkfs.ext2 -q %sp2 && mkdir %s/mnt", loop->node, loop->node,
	      loop->machine.root);
	shell("mount %sp2 %s/mnt", loop->node, loop->machine.root);
	snprintf(name, sizeof(name), "%sp2", loop->name);
	snprintf(what, sizeof(what), "mounted on %s/mnt", loop->machine.root);
	snprintf(probed, sizeof(probed), "%sp1", loop->node);
	loop->machine.options.users = true;
	assert_int_equal(probe_running(loop, probed), 0);
	assert_true(has_user(loop->machine.device, name, what));
	assert_int_equal(loop->machine.device->user_count, 1);
	shell("umount %s/mnt", loop->machine.root);
	assert_int_equal(probe_running(loop, loop->node), 0);
	assert_int_equal(loop->machine.device->user_count, 0);
}

static void test_image_below_a_loop_device(void **state)
{
	struct loop *loop = *state;

	NEEDS_LOOP(loop);
	loop->machine.options.users = true;
	assert_int_equal(probe_running(loop, loop->image), 0);
	assert_int_equal(loop->machine.device->kind, KIND_IMAGE);
	assert_int_equal(loop->machine.device->user_count, 1);
	assert_true(has_user(loop->machine.device, "disk.img", loop->name));
}

static void test_write_protected(void **state)
{
	struct loop *loop = *state;

	NEEDS_LOOP(loop);
	detach(loop);
	assert_true(attach(loop, "-r"));
	assert_int_equal(probe_running(loop, loop->node), 0);
	assert_true(loop->machine.device->read_only);
}

static void test_sectors_of_4096(void **state)
{
	struct loop *loop = *state;

	NEEDS_LOOP(loop);
	detach(loop);
	assert_true(attach(loop, "-b 4096"));
	assert_int_equal(probe_running(loop, loop->node), 0);
	assert_int_equal(loop->machine.device->topology.logical_block_size, 4096);
	assert_int_equal(loop->machine.device->topology.physical_block_size, 4096);
	loop->machine.options.sector_size = 512;
	assert_int_equal(probe_running(loop, loop->node), -EINVAL);
}

static void test_detached(void **state)
{
	struct loop *loop = *state;
	char node[32];

	NEEDS_LOOP(loop);
	strcpy(node, loop->node);
	detach(loop);
	/* another process may take it at once: then it has a size, and is a disk */
	if (probe_running(loop, node))
		assert_non_null(strstr(loop->machine.reason.text, "size 0"));
}

/* A chroot without sysfs: libblkid and ioctls have the topology. */
static void test_without_sysfs(void **state)
{
	struct loop *loop = *state;
	struct machine *m = &loop->machine;
	char path[128];

	NEEDS_LOOP(loop);
	detach(loop);
	assert_true(attach(loop, "-r -b 4096"));
	snprintf(path, sizeof(path), "%s/node", m->root);
	assert_int_equal(symlink(loop->node, path), 0);
	assert_int_equal(machine_probe(m, path), -ENOENT); /* a disk? nothing tells */
	assert_non_null(strstr(m->reason.text, "cannot tell whether it is a whole disk"));

	shell("mkdir %s/proc && cp /proc/partitions %s/proc", m->root, m->root);
	assert_int_equal(machine_probe(m, path), 0);
	assert_int_equal(m->device->kind, KIND_DISK);
	assert_int_equal(m->device->size, 64 * MIB);
	assert_int_equal(m->device->reported.logical_block_size, 4096);
	assert_int_equal(m->device->reported.physical_block_size, 4096);
	assert_int_equal(m->device->reported.minimum_io_size, 4096);
	assert_int_equal(m->device->topology.physical_block_size, 4096);
	assert_true(m->device->reported.has_alignment_offset);
	assert_true(m->device->read_only);
	assert_int_equal(m->device->sector_source, SOURCE_KERNEL);
	assert_int_equal(m->device->kernel_partition_count, 0);
	assert_string_equal(m->device->name, "node");
}

/* There, a partition is refused: where it starts is not to be had. */
static void test_partition_without_sysfs(void **state)
{
	struct loop *loop = *state;
	struct machine *m = &loop->machine;
	char path[128], expected[64];

	NEEDS_LOOP(loop);
	shell("partx -a %s && mkdir %s/proc && cp /proc/partitions %s/proc", loop->node, m->root,
	      m->root);
	shell("ln -s %sp1 %s/node", loop->node, m->root);
	snprintf(path, sizeof(path), "%s/node", m->root);
	snprintf(expected, sizeof(expected), "cannot find where it starts on %s:", loop->name);
	assert_int_equal(machine_probe(m, path), -ENOENT);
	if (!strstr(m->reason.text, expected))
		fail_msg("%s", m->reason.text);
}

/*
 * Containers: /dev has the partition's node, and under the disk's name `over`. In a child with
 * mounts of its own; 0: the partition was probed, and no bytes of another device were taken.
 */
static int probe_in_container(struct loop *loop, const char *over)
{
	pid_t child = fork();
	int status = -1;

	if (!child) {
		struct machine *m = &loop->machine;
		struct device *device;
		struct io *io;
		char path[64];

		snprintf(path, sizeof(path), "%sp2", loop->node);
		/* In a chroot the root is no mount, but /dev is one. */
		if (unshare(CLONE_NEWNS) ||
		    (mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) &&
		     mount("none", "/dev", "none", MS_REC | MS_PRIVATE, NULL)) ||
		    mount(over, loop->node, "none", MS_BIND, NULL))
			_exit(77);
		m->options.sysroot = NULL;
		if (probe_device(path, &m->options, &device, &io, &m->reason))
			_exit(1);
		_exit(device->kind == KIND_PARTITION && device->start == 31 * MIB && !io ? 0 : 2);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_disk_without_node(void **state)
{
	struct loop *loop = *state;
	char other[64];

	NEEDS_LOOP(loop);
	shell("partx -a %s", loop->node);
	snprintf(other, sizeof(other), "%sp1", loop->node);
	assert_int_equal(probe_in_container(loop, "/dev/null"), 0);
	assert_int_equal(probe_in_container(loop, other), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_disk),
		TEST(test_partition_nodes),
		TEST(test_link_to_a_node),
		TEST(test_mounted_partition),
		TEST(test_image_below_a_loop_device),
		TEST(test_write_protected),
		TEST(test_sectors_of_4096),
		TEST(test_detached),
		TEST(test_without_sysfs),
		TEST(test_partition_without_sysfs),
		TEST(test_disk_without_node),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
