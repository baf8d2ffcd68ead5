// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Members of arrays and pools: what mdadm, blkid and LVM read is what we read. The superblocks are
 * built from the documented layout where the tool cannot make one without its kernel module.
 */
#include "unit.h"

#include "alignck/stack.h"
#include "superblocks.h"
#include "tools.h"

#include <fcntl.h>

#define SIZE (128 * MIB)

static void write_at(const char *path, uint64_t offset, const void *bytes, size_t len)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, len, offset), len);
	assert_int_equal(ftruncate(fd, SIZE), 0);
	close(fd);
}

/* The outermost layer, which must have the name blkid gives. */
static struct layer look_at(const char *path)
{
	autoio struct io *io = NULL;
	struct reason reason;
	struct content content;
	struct layer layer;
	char type[64], command[256];

	assert_int_equal(io_open_readonly(path, &io, &reason), 0);
	assert_int_equal(read_content(io, 0, io->size, 512, &content), 0);
	assert_true(content.count >= 1);
	assert_int_equal(content.findings.count, 0);
	layer = content.layers[0];
	snprintf(command, sizeof(command), "blkid -p -o value -s TYPE %s", path);
	capture(type, sizeof(type), command);
	assert_string_equal(layer.type, type);
	content_free(&content);
	return layer;
}

static void test_md1(void **state)
{
	static const struct {
		const char *version;
		uint64_t at;
		struct md1 md;
	} cases[] = {
		{ "1.0", SIZE - 8192, { 1, 0, 0, 200000, (SIZE - 8192) / 512 } },
		{ "1.1", 0, { 5, 128, 2049, 200000, 0 } },
		{ "1.2", 4096, { 1, 0, 2060, 200000, 8 } },
		{ "1.2", 4096, { 0, 1024, 262144 - 4096, 4096, 8 } },
	};

	(void)state;
	if (!has_tool("mdadm"))
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint8_t sb[MD1_LEN];
		struct layer layer;
		char line[64];

		unlink("image");
		build_md1(sb, &cases[i].md);
		write_at("image", cases[i].at, sb, sizeof(sb));
		capture(line, sizeof(line),
			"mdadm --examine image | awk '/^ *Version/ { print $3 }'");
		assert_string_equal(line, cases[i].version);
		capture(line, sizeof(line),
			"mdadm --examine image | awk '/^ *Checksum/ { print $5 }'");
		assert_string_equal(line, "correct");
		layer = look_at("image");
		assert_true(layer.has_data_offset);
		assert_int_equal(layer.data_offset, cases[i].md.data_offset * 512);
		/* mdadm says nothing of a data offset of 0 at the end of 1.0 */
		if (cases[i].md.data_offset)
			assert_int_equal(layer.data_offset,
					 number("mdadm --examine image | "
						"awk '/Data Offset/ { print $4 * 512 }'"));
		if (cases[i].md.chunk)
			assert_int_equal(layer.chunk_size,
					 number("mdadm --examine image | "
						"sed -n 's/^ *Chunk Size : //p'"));
		assert_int_equal(layer.level, cases[i].md.level);
	}
}

static void test_md0(void **state)
{
	uint8_t sb[MD0_SB_LEN];
	struct layer layer;
	char line[64];

	(void)state;
	if (!has_tool("mdadm"))
		skip();
	unlink("image");
	build_md0(sb, 5, (SIZE - 65536) / 1024, 65536);
	write_at("image", SIZE - 65536, sb, sizeof(sb));
	capture(line, sizeof(line), "mdadm --examine image | awk '/^ *Version/ { print $3 }'");
	assert_string_equal(line, "0.90.00");
	capture(line, sizeof(line), "mdadm --examine image | awk '/^ *Checksum/ { print $5 }'");
	assert_string_equal(line, "correct");
	layer = look_at("image");
	assert_int_equal(layer.data_offset, 0);
	assert_int_equal(layer.level, 5);
	assert_int_equal(layer.chunk_size,
			 number("mdadm --examine image | sed -n 's/^ *Chunk Size : //p'"));
}

static void put_label(const struct nvlist *nv, uint64_t label)
{
	uint8_t block[48] = { 0 };

	put_le64(block, 0x0210da7ab10c7a11);
	put_le64(block + 40, 0x00bab10c);
	write_at("image", label + 16 * KIB, nv->bytes, nv->len);
	write_at("image", label + 128 * KIB - 40, block, sizeof(block));
}

/* blkid takes its block size from the ashift of the nvlist we wrote. */
static void test_zfs(void **state)
{
	(void)state;
	for (unsigned ashift = 9; ashift <= 16; ashift++) {
		struct nvlist nv = build_zfs_label(ashift);
		struct layer layer;

		unlink("image");
		put_label(&nv, 0);
		put_label(&nv, 256 * KIB);
		put_label(&nv, SIZE - 512 * KIB);
		put_label(&nv, SIZE - 256 * KIB);
		layer = look_at("image");
		assert_int_equal(layer.data_offset, 4 * MIB);
		assert_int_equal(layer.ashift, ashift);
		assert_int_equal(layer.block_size, number("blkid -p -o value -s BLOCK_SIZE image"));
	}
}

static char loop[64]; /* the device in use, for the teardown; "": none */

static int detach(void **state)
{
	char command[128], line[8];

	(void)state;
	if (loop[0]) {
		snprintf(command, sizeof(command), "losetup -d %s", loop);
		capture(line, sizeof(line), command);
		loop[0] = '\0';
	}
	return 0;
}

static void check_lvm(const char *options)
{
	char command[1024], line[64];
	struct layer layer;

	snprintf(command, sizeof(command),
		 "export LVM_SUPPRESS_FD_WARNINGS=1; pvcreate -qq -ff -y --devices %s "
		 "%s %s >&2 "
		 "&& vgcreate -qq -y -s 128k --devices %s alignck-$$ %s >&2 && echo made",
		 loop, options, loop, loop, loop);
	capture(line, sizeof(line), command);
	assert_string_equal(line, "made");
	layer = look_at(loop);
	assert_true(layer.has_data_offset);
	snprintf(command, sizeof(command),
		 "pvs --devices %s --noheadings --nosuffix --units b -o pe_start %s | tr -d ' '",
		 loop, loop);
	assert_int_equal(layer.data_offset, number(command));
	assert_int_equal(layer.chunk_size, 128 * KIB);
	assert_int_equal(layer.block_size, 0);
}

static void test_lvm(void **state)
{
	static const char *const options[] = {
		"",
		"--metadatasize 1000k --dataalignment 512b --dataalignmentoffset 512b",
		"--dataalignment 192k",
		"--bootloaderareasize 1m",
		"--labelsector 3",
		"--pvmetadatacopies 2",
	};
	(void)state;
	if (!has_tool("pvcreate") || geteuid())
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		unlink("image");
		write_at("image", 0, "", 1);
		capture(loop, sizeof(loop), "losetup -f --show image");
		if (!loop[0])
			skip();
		check_lvm(options[i]);
		detach(NULL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_md1),
		cmocka_unit_test(test_md0),
		cmocka_unit_test(test_zfs),
		cmocka_unit_test_teardown(test_lvm, detach),
	};

	return cmocka_run_group_tests(tests, enter_home, leave_home);
}
