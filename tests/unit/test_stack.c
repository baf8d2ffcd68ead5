// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How layers are found, nested, and refused: superblocks on a disk in memory. What the numbers of
 * each format are is held against the real tools in test_stack_tools.c.
 */
#include "unit.h"

#include "look.h"

static const struct md1 mirror = {
	.level = 1, .data_offset = 2060, .data_size = 200000, .super_offset = 8
};

static void put_swap(struct memory_io *disk, uint64_t start)
{
	static const uint8_t header[8] = { 1, 0, 0, 0, 9 };

	memory_io_put(disk, start + 1024, header, sizeof(header));
	memory_io_put(disk, start + 4086, "SWAPSPACE2", 10);
}

static void test_empty_reads_little(void **state)
{
	struct memory_io disk = memory_io_new(64 * MIB);
	struct content content = look(&disk, 0, 64 * MIB);

	(void)state;
	assert_int_equal(content.count, 0);
	assert_int_equal(content.findings.count, 0);
	/* nothing found is the worst case: every place was looked at */
	assert_in_range(disk.reads, 1, 15);
	content_free(&content);
}

static void test_any_size(void **state)
{
	static const uint64_t sizes[] = { 0,      1,          511,          512,
					  1024,   4096,       65535,        65536,
					  100001, 1440 * KIB, 64 * MIB - 1, UINT64_MAX - 5 * MIB };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct memory_io disk = memory_io_new(sizes[i] < MIB ? sizes[i] : MIB);
		struct content content;

		assert_int_equal(read_content(&disk.io, 0, sizes[i], 512, &content), 0);
		assert_int_equal(content.count, 0);
		content_free(&content);
		/* a start far outside of the disk */
		assert_int_equal(read_content(&disk.io, UINT64_MAX - 7, sizes[i], 0, &content), 0);
		assert_int_equal(content.count, 0);
		content_free(&content);
	}
}

static void test_absolute(void **state)
{
	struct memory_io disk = memory_io_new(GIB);
	struct content content;

	(void)state;
	put_xfs(&disk, 63 * 512);
	content = look(&disk, 63 * 512, 100 * MIB);
	assert_int_equal(content.count, 1);
	expect_layer(&content, 0, "xfs", 63 * 512);
	assert_int_equal(content.layers[0].block_size, 512);
	content_free(&content);
}

static void test_md_mirror_is_seen_through(void **state)
{
	static const uint64_t supers[] = { 0, 8 };
	uint8_t sb[MD1_LEN];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(supers); i++) {
		struct memory_io disk = memory_io_new(128 * MIB);
		struct md1 md = mirror;
		struct content content;

		md.super_offset = supers[i];
		build_md1(sb, &md);
		memory_io_put(&disk, MIB + supers[i] * 512, sb, sizeof(sb));
		put_ext4(&disk, MIB + 2060 * 512);
		content = look(&disk, MIB, 120 * MIB);
		assert_int_equal(content.count, 2);
		expect_layer(&content, 0, "linux_raid_member", MIB + 2060 * 512);
		expect_layer(&content, 1, "ext4", MIB + 2060 * 512);
		assert_int_equal(content.layers[0].level, 1);
		assert_int_equal(content.layers[1].block_size, 4096);
		content_free(&content);
	}
}

static void test_md_at_the_end(void **state)
{
	struct memory_io disk = memory_io_new(128 * MIB + 12345);
	uint64_t size = 128 * MIB + 12345, at = size / 4096 * 4096 - 8192;
	struct md1 md = { .level = 1, .data_size = 200000, .super_offset = at / 512 };
	uint8_t sb[MD1_LEN], sb0[MD0_SB_LEN];
	struct content content;

	(void)state;
	build_md1(sb, &md);
	memory_io_put(&disk, at, sb, sizeof(sb));
	put_ext4(&disk, 0);
	content = look(&disk, 0, size);
	assert_int_equal(content.count, 2);
	assert_false(content.ambiguous);
	expect_layer(&content, 0, "linux_raid_member", 0);
	expect_layer(&content, 1, "ext4", 0);
	content_free(&content);

	disk = memory_io_new(size);
	build_md0(sb0, 5, 100 * 1024, 65536);
	memory_io_put(&disk, size / 65536 * 65536 - 65536, sb0, sizeof(sb0));
	put_ext4(&disk, 0);
	content = look(&disk, 0, size);
	assert_int_equal(content.count, 1); /* a stripe's piece is nothing to look into */
	expect_layer(&content, 0, "linux_raid_member", 0);
	assert_int_equal(content.layers[0].level, 5);
	assert_int_equal(content.layers[0].chunk_size, 65536);
	content_free(&content);
}

/* A layer that claims to start beyond its container. */
static void test_beyond_the_container(void **state)
{
	static const uint64_t offsets[] = { 128 * MIB / 512, 1ULL << 40, UINT64_MAX, 1ULL << 55 };
	uint8_t sb[MD1_LEN];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(offsets); i++) {
		struct memory_io disk = memory_io_new(129 * MIB);
		struct md1 md = mirror;
		struct content content;

		md.data_offset = offsets[i];
		build_md1(sb, &md);
		memory_io_put(&disk, MIB + 4096, sb, sizeof(sb));
		content = look(&disk, MIB, 128 * MIB);
		assert_int_equal(content.count, 1);
		assert_string_equal(content.layers[0].type, "linux_raid_member");
		assert_false(content.layers[0].has_data_offset);
		assert_true(has_finding(&content, FINDING_LAYER_INVALID));
		content_free(&content);
	}
}

static void test_inside_itself(void **state)
{
	struct memory_io disk = memory_io_new(128 * MIB);
	struct md1 md = { .level = 1, .data_size = UINT64_MAX, .super_offset = 8 };
	uint8_t sb[MD1_LEN];
	struct content content;

	(void)state;
	build_md1(sb, &md);
	memory_io_put(&disk, 4096, sb, sizeof(sb));
	content = look(&disk, 0, 128 * MIB);
	assert_int_equal(content.count, 1);
	assert_true(has_finding(&content, FINDING_LAYER_INVALID));
	content_free(&content);
}

/* The same superblock again and again, a few sectors further in each. */
struct repeating_io {
	struct io io;
	uint8_t sb[MD1_LEN];
	uint64_t step;
	uint64_t bytes_read;
};

static int repeating_read(struct io *io, void *buf, size_t len, uint64_t offset)
{
	struct repeating_io *r = (struct repeating_io *)io;
	uint8_t *to = buf;

	r->bytes_read += len;
	memset(to, 0, len);
	for (size_t i = 0; i < len; i++) {
		uint64_t at = (offset + i) % r->step;

		if (at >= 4096 && at < 4096 + sizeof(r->sb))
			to[i] = r->sb[at - 4096];
	}
	return 0;
}

/* An array of 0.90 in each array of 0.90: a superblock before every multiple of 64 KiB, whose data
 * ends where it begins. */
struct nested_io {
	struct io io;
	uint64_t bytes_read;
};

static int nested_read(struct io *io, void *buf, size_t len, uint64_t offset)
{
	static uint8_t sb[MD0_SB_LEN];

	((struct nested_io *)io)->bytes_read += len;
	build_md0(sb, 1, offset / KIB, 0);
	if (offset % (64 * KIB))
		memset(buf, 0, len);
	else
		memcpy(buf, sb, len < sizeof(sb) ? len : sizeof(sb));
	return 0;
}

static void test_too_deep(void **state)
{
	static const struct io_ops ops = { .read = nested_read };
	struct nested_io disk = { { &ops, 128 * MIB }, 0 };
	struct content content;

	(void)state;
	assert_int_equal(read_content(&disk.io, 0, 128 * MIB, 512, &content), 0);
	assert_int_equal(content.count, STACK_DEPTH_MAX);
	assert_true(has_finding(&content, FINDING_LAYER_INVALID));
	assert_in_range(disk.bytes_read, 1, STACK_READ_MAX);
	content_free(&content);
}

/* Arrays whose superblocks lie behind much that is read first: the share of bytes ends it. */
static void test_too_much_to_read(void **state)
{
	static const struct io_ops ops = { .read = repeating_read };
	struct repeating_io disk = { { &ops, 128 * MIB }, { 0 }, 16384, 0 };
	struct md1 md = {
		.level = 1, .data_offset = 32, .data_size = UINT64_MAX, .super_offset = 8
	};
	struct content content;

	(void)state;
	build_md1(disk.sb, &md);
	assert_int_equal(read_content(&disk.io, 0, 128 * MIB, 512, &content), 0);
	assert_in_range(content.count, 2, STACK_DEPTH_MAX - 1);
	assert_int_equal(content.layers[1].data_offset, 2 * 16384);
	assert_true(has_finding(&content, FINDING_CONTENT_UNREAD));
	assert_in_range(disk.bytes_read, 1, STACK_READ_MAX);
	content_free(&content);
}

/* Case 33 */
static void test_two_signatures(void **state)
{
	struct memory_io disk = memory_io_new(64 * MIB);
	struct content content;

	(void)state;
	put_ext4(&disk, 0);
	put_xfs(&disk, 0);
	content = look(&disk, 0, 64 * MIB);
	assert_true(content.ambiguous);
	assert_true(has_finding(&content, FINDING_CONTENT_AMBIGUOUS));
	expect_layer(&content, 0, "xfs", 0);
	assert_non_null(strstr(content.findings.list[0].message, "ext4"));
	content_free(&content);

	/* a floppy: the first one stands, as for libblkid */
	content = look(&disk, 0, 1440 * KIB);
	assert_false(content.ambiguous);
	content_free(&content);
}

static void test_company_tolerated(void **state)
{
	static const uint8_t iso[] = "\1CD001", hfs[128] = { 'B', 'D', [22] = 2 };
	struct memory_io disk = memory_io_new(64 * MIB);
	struct content content;

	(void)state;
	memory_io_put(&disk, 32768, iso, 6);
	content = look(&disk, 0, 64 * MIB);
	assert_false(content.ambiguous);
	expect_layer(&content, 0, "iso9660", 0);
	content_free(&content);
	memory_io_put(&disk, 1024, hfs, sizeof(hfs));
	content = look(&disk, 0, 64 * MIB);
	assert_false(content.ambiguous); /* a disc for two systems */
	expect_layer(&content, 0, "iso9660", 0);
	content_free(&content);
	put_swap(&disk, 0);
	content = look(&disk, 0, 64 * MIB);
	assert_true(content.ambiguous); /* swap tolerates nobody */
	content_free(&content);
}

/* A partition the table continues past the end of an image that was cut off. */
static void test_cut_off(void **state)
{
	struct memory_io disk = memory_io_new(MIB + 6000);
	struct content content;

	(void)state;
	put_ext4(&disk, MIB);
	content = look(&disk, MIB, 512 * MIB);
	expect_layer(&content, 0, "ext4", MIB);
	assert_int_equal(content.findings.count, 0);
	content_free(&content);
}

static void test_read_error(void **state)
{
	struct memory_io disk = memory_io_new(64 * MIB);
	struct content content;

	(void)state;
	put_ext4(&disk, 0);
	disk.fail_at = 65536;
	disk.fail_error = -EIO;
	content = look(&disk, 0, 64 * MIB);
	expect_layer(&content, 0, "ext4", 0);
	assert_int_equal(content.findings.count, 1);
	assert_int_equal(content.findings.list[0].id, FINDING_CONTENT_UNREAD);
	assert_non_null(strstr(content.findings.list[0].message, "cannot read"));
	assert_false(is_content_told(&content));
	content_free(&content);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty_reads_little),
		cmocka_unit_test(test_any_size),
		cmocka_unit_test(test_absolute),
		cmocka_unit_test(test_md_mirror_is_seen_through),
		cmocka_unit_test(test_md_at_the_end),
		cmocka_unit_test(test_beyond_the_container),
		cmocka_unit_test(test_inside_itself),
		cmocka_unit_test(test_too_deep),
		cmocka_unit_test(test_too_much_to_read),
		cmocka_unit_test(test_two_signatures),
		cmocka_unit_test(test_company_tolerated),
		cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_read_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
