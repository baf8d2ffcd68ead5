// SPDX-License-Identifier: GPL-2.0-or-later
/* Partition nodes and the lock, on real loop devices. What a machine cannot do is skipped by name.
 */
#include "unit.h"

#include "alignck/commit.h"
#include "image.h"

#include <sys/file.h>
#include <sys/ioctl.h>

static char loop[64];

static bool open_loop(void)
{
	char *text;

	if (geteuid() != 0 || !has_tool("losetup") || !has_tool("sfdisk") ||
	    try_run("losetup -f --show a >loop.name 2>/dev/null"))
		return false;
	text = output_of("cat loop.name");
	snprintf(loop, sizeof(loop), "%.*s", (int)strcspn(text, "\n"), text);
	free(text);
	try_run("partx -d %s >/dev/null 2>&1", loop); /* nodes that its last user left behind */
	return true;
}

#define NEED_LOOP()                                                                                \
	do {                                                                                       \
		if (!open_loop()) {                                                                \
			print_message("# needs root and loop devices\n");                          \
			skip();                                                                    \
		}                                                                                  \
	} while (0)

static int drop_loop(void **state)
{
	(void)state;
	if (*loop)
		try_run("partx -d %s >/dev/null 2>&1; losetup -d %s", loop, loop);
	*loop = '\0';
	return 0;
}

/* "1:63:20000 ..." in 512-byte sectors, from sysfs, sorted. */
static char *kernel_view(void)
{
	char command[400];

	snprintf(command, sizeof(command),
		 "cd /sys/block/%s; for p in %sp*; do test -d $p && "
		 "echo $(cat $p/partition):$(cat $p/start):$(cat $p/size); done | sort -n | "
		 "tr '\\n' ' '",
		 loop + 5, loop + 5);
	return output_of(command);
}

static void expect_view(const char *wanted)
{
	char *view = kernel_view();

	assert_string_equal(view, wanted);
	free(view);
}

static struct layout *layout_of(const char *path)
{
	struct layout_options options = { .sector_size = 512 };
	struct image_io image = image_open(path);
	struct layout *layout;
	struct reason reason;

	assert_int_equal(read_layout(&image.io, &options, &layout, &reason), 0);
	io_close(&image.io);
	return layout;
}

#define MAKE_DISK                                                                                  \
	"rm -f a; truncate -s 64M a; printf '63,20000,83\n2: start=30000, size=60000, type=5\n"    \
	"5: start=30063, size=10000\n6: start=45000, size=10000\n' | sfdisk -q a"
#define ALL_NODES "1:63:20000 2:30000:2 5:30063:10000 6:45000:10000 "

/* The loop device, whose nodes are those of the table in "a". */
static int open_with_nodes(struct layout **layout)
{
	struct reason reason;
	int fd = open(loop, O_RDWR | O_CLOEXEC);

	*layout = layout_of("a");
	assert_int_equal(add_kernel_partitions(fd, *layout, &reason), 0);
	return fd;
}

static void nodes_go_and_come_back(void **state)
{
	struct reason reason;
	struct layout *layout;
	int fd;

	(void)state;
	run(MAKE_DISK);
	NEED_LOOP();
	fd = open_with_nodes(&layout);
	expect_view(ALL_NODES);
	/* Again: nothing to tell. */
	assert_int_equal(add_kernel_partitions(fd, layout, &reason), 0);
	expect_view(ALL_NODES);
	/* One is elsewhere now. */
	layout->partitions[0].start = 2048 * 512;
	assert_int_equal(add_kernel_partitions(fd, layout, &reason), 0);
	expect_view("1:2048:20000 2:30000:2 5:30063:10000 6:45000:10000 ");
	assert_int_equal(drop_kernel_partitions(fd, &reason), 0);
	expect_view("");
	assert_int_equal(drop_kernel_partitions(fd, &reason), 0);
	close(fd);
	layout_free(layout);
}

/* 4096-byte sectors: the container's node is one of them. */
static void a_container_is_at_least_one_sector(void **state)
{
	struct partition parts[2] = {
		{ .number = 1, .parent = -1, .start = 64 * 4096, .size = MIB, .table = TABLE_DOS },
		{ .number = 2,
		  .parent = -1,
		  .start = 4 * MIB,
		  .size = MIB,
		  .table = TABLE_DOS,
		  .role = ROLE_EXTENDED },
	};
	struct layout layout = {
		.type = TABLE_DOS, .sector_size = 4096, .partitions = parts, .count = 2
	};
	struct reason reason;
	int fd;

	(void)state;
	run("rm -f a; truncate -s 64M a");
	NEED_LOOP();
	try_run("losetup -d %s", loop);
	*loop = '\0';
	if (try_run("losetup -f --show --sector-size 4096 a >loop.name 2>/dev/null")) {
		print_message("# needs loop devices of 4096-byte sectors\n");
		skip();
	}
	char *text = output_of("cat loop.name");

	snprintf(loop, sizeof(loop), "%.*s", (int)strcspn(text, "\n"), text);
	free(text);
	fd = open(loop, O_RDWR | O_CLOEXEC);
	assert_int_equal(add_kernel_partitions(fd, &layout, &reason), 0);
	expect_view("1:512:2048 2:8192:8 ");
	assert_int_equal(drop_kernel_partitions(fd, &reason), 0);
	close(fd);
}

/* The first logical right behind the container's EBR: two nodes may not overlap. */
static void a_logical_may_begin_in_the_second_sector(void **state)
{
	struct reason reason;
	struct layout *layout;
	int fd;

	(void)state;
	run("rm -f a; truncate -s 64M a; printf '2: start=30000, size=60000, type=5\n"
	    "5: start=30001, size=10000\n' | sfdisk -q a");
	NEED_LOOP();
	fd = open_with_nodes(&layout);
	expect_view("2:30000:1 5:30001:10000 ");
	assert_int_equal(drop_kernel_partitions(fd, &reason), 0);
	close(fd);
	layout_free(layout);
}

static void a_node_that_is_open_refuses_by_name_and_nothing_is_lost(void **state)
{
	struct reason reason;
	struct layout *layout;
	char node[80];
	int fd, held;

	(void)state;
	run(MAKE_DISK);
	NEED_LOOP();
	fd = open_with_nodes(&layout);
	snprintf(node, sizeof(node), "%sp6", loop);
	/* devtmpfs makes it before the ioctl returns. */
	held = open(node, O_RDONLY | O_CLOEXEC);
	assert_true(held >= 0);
	assert_int_equal(drop_kernel_partitions(fd, &reason), -EBUSY);
	assert_non_null(strstr(reason.text, node + 5));
	assert_non_null(strstr(reason.text, "in use"));
	expect_view(ALL_NODES);
	/* A busy node that would have to move: said, and the others are told. */
	layout->partitions[0].start = 64 * 512;
	layout->partitions[3].start += 512;
	assert_int_equal(add_kernel_partitions(fd, layout, &reason), -EBUSY);
	assert_non_null(strstr(reason.text, "the kernel was not told of partition 6"));
	expect_view("1:64:20000 2:30000:2 5:30063:10000 6:45000:10000 ");
	close(held);
	assert_int_equal(drop_kernel_partitions(fd, &reason), 0);
	close(fd);
	layout_free(layout);
}

/* udev looks at nodes now and then: here it closes the last one when it sees the first one gone. */
static void a_node_that_is_open_for_a_moment_goes_later(void **state)
{
	struct reason reason;
	struct layout *layout;
	int fd;

	(void)state;
	run(MAKE_DISK);
	NEED_LOOP();
	fd = open_with_nodes(&layout);
	run("cd /sys/block/%s; set -- $(ls -U | grep ^%sp); first=$1; for last; do :; done; "
	    "exec 9</dev/$last; while test -d $first; do :; done >/dev/null 2>&1 &",
	    loop + 5, loop + 5);
	assert_int_equal(drop_kernel_partitions(fd, &reason), 0);
	expect_view("");
	close(fd);
	layout_free(layout);
}

static void a_file_has_no_nodes_and_can_be_locked_once(void **state)
{
	struct layout layout = { .type = TABLE_DOS, .sector_size = 512 };
	struct reason reason;
	int fd, other;

	(void)state;
	run("rm -f a; truncate -s 1M a");
	fd = open("a", O_RDWR | O_CLOEXEC);
	other = open("a", O_RDWR | O_CLOEXEC);
	assert_int_equal(drop_kernel_partitions(fd, &reason), 0);
	assert_int_equal(add_kernel_partitions(fd, &layout, &reason), 0);
	assert_int_equal(lock_disk(fd, &reason), 0);
	assert_int_equal(lock_disk(other, &reason), -EBUSY);
	assert_non_null(strstr(reason.text, "in use"));
	close(fd);
	assert_int_equal(lock_disk(other, &reason), 0);
	close(other);
	assert_true(lock_disk(-1, &reason) < 0);
	assert_true(drop_kernel_partitions(-1, &reason) < 0);
}

static void users_are_named(void **state)
{
	struct device_user users[] = { { "sdb2", "mounted on /srv" },
				       { "sdb3", "swap" },
				       { "sdb5", "dm-0 (crypt home)" } };
	struct device_user many[100];
	struct device device = { .users = users };
	struct reason reason;

	(void)state;
	assert_int_equal(refuse_if_in_use(&device, &reason), 0);
	device.user_count = 1;
	assert_int_equal(refuse_if_in_use(&device, &reason), -EBUSY);
	assert_string_equal(reason.text, "in use: sdb2 is mounted on /srv");
	device.user_count = 3;
	assert_int_equal(refuse_if_in_use(&device, &reason), -EBUSY);
	assert_string_equal(reason.text, "in use: sdb2 is mounted on /srv, sdb3 is used as swap, "
					 "sdb5 is held by dm-0 (crypt home)");
	for (size_t i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = users[i % 3];
	device.users = many;
	device.user_count = ARRAY_SIZE(many);
	assert_int_equal(refuse_if_in_use(&device, &reason), -EBUSY);
	assert_non_null(strstr(reason.text, ", and 9"));
	/* One that alone fills the line. */
	memset(many[0].node, 'n', sizeof(many[0].node) - 1);
	memset(many[0].what, 'w', sizeof(many[0].what) - 1);
	assert_int_equal(refuse_if_in_use(&device, &reason), -EBUSY);
	assert_true(strlen(reason.text) < sizeof(reason.text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(nodes_go_and_come_back, drop_loop),
		cmocka_unit_test_teardown(a_container_is_at_least_one_sector, drop_loop),
		cmocka_unit_test_teardown(a_logical_may_begin_in_the_second_sector, drop_loop),
		cmocka_unit_test_teardown(a_node_that_is_open_refuses_by_name_and_nothing_is_lost,
					  drop_loop),
		cmocka_unit_test_teardown(a_node_that_is_open_for_a_moment_goes_later, drop_loop),
		cmocka_unit_test(a_file_has_no_nodes_and_can_be_locked_once),
		cmocka_unit_test(users_are_named),
	};

	return cmocka_run_group_tests(tests, image_setup, image_teardown);
}
