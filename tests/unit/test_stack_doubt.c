// SPDX-License-Identifier: GPL-2.0-or-later
/* A magic is not enough: the numbers after it must hold water, else a leftover passes for content.
 */
#include "unit.h"

#include "look.h"

static void test_md_must_be_whole(void **state)
{
	static const struct md1 md = {
		.level = 1, .data_offset = 2060, .data_size = 200000, .super_offset = 8
	};
	uint8_t sb[MD1_LEN];

	(void)state;
	for (int broken = 0; broken < 3; broken++) {
		struct memory_io disk = memory_io_new(128 * MIB);
		struct content content;

		build_md1(sb, &md);
		if (broken == 0)
			sb[130]++; /* the checksum notices */
		if (broken == 1) {
			/* more roles than 4 KiB hold: (2^31 + 128) * 2 is 256 in 32 bits */
			put_le32(sb + 220, (1U << 31) + 128);
			sum_md1(sb);
		}
		memory_io_put(&disk, broken == 2 ? 0 : 4096, sb, sizeof(sb));
		content = look(&disk, 0, 128 * MIB);
		assert_int_equal(content.count, 0);
		content_free(&content);
	}
}

/* An 0.90 superblock that leaves no room for the data it speaks of is another container's. */
static void test_md0_must_fit(void **state)
{
	static const struct {
		uint32_t size_kib;
		size_t count;
	} cases[] = { { 64 * 1024 - 64, 1 }, { 64 * 1024 - 63, 0 }, { UINT32_MAX, 0 } };
	static uint8_t sb[MD0_SB_LEN];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct memory_io disk = memory_io_new(64 * MIB);
		struct content content;

		build_md0(sb, 5, cases[i].size_kib, 65536);
		memory_io_put(&disk, 64 * MIB - 65536, sb, sizeof(sb));
		content = look(&disk, 0, 64 * MIB);
		assert_int_equal(content.count, cases[i].count);
		content_free(&content);
	}
}

/* A FAT boot sector's numbers, good but for one. */
static void test_fat_must_add_up(void **state)
{
	static const struct {
		uint32_t at, bytes, value;
		bool is_fat;
	} cases[] = {
		{ 0, 0, 0, true },
		{ 11, 2, 513, false }, /* sector size */
		{ 11, 2, 8192, false },
		{ 13, 1, 3, false }, /* sectors per cluster */
		{ 13, 1, 0, false },
		{ 14, 2, 0, false },    /* reserved */
		{ 16, 1, 0, false },    /* FATs */
		{ 21, 1, 0x12, false }, /* media */
		{ 32, 4, 4 + 2 * 200 + 32 - 1,
		  false }, /* a sector less than what comes before the data */
		{ 32, 4, 4 + 2 * 200 + 32, true }, /* no data at all */
		{ 32, 4, 4 + 2 * 200 + 32 + 65525 * 4 - 1,
		  true }, /* as many clusters as FAT16 has */
		{ 32, 4, 4 + 2 * 200 + 32 + 65525 * 4, false },
		{ 54, 4, 0x2053464a, false }, /* "JFS " in front of a JFS */
		{ 510, 2, 0, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct memory_io disk = memory_io_new(256 * MIB);
		uint8_t boot[512] = { 0xeb, 0x3c, 0x90 };
		struct content content;

		put_le16(boot + 11, 512);
		boot[13] = 4;
		put_le16(boot + 14, 4);
		boot[16] = 2;
		put_le16(boot + 17, 512);
		boot[21] = 0xf8;
		put_le16(boot + 22, 200);
		put_le32(boot + 32, 200000);
		memcpy(boot + 54, cases[i].at == 54 ? "JFS     " : "        ", 8);
		put_le16(boot + 510, 0xaa55);
		for (uint32_t b = 0; b < cases[i].bytes; b++)
			boot[cases[i].at + b] = cases[i].value >> (8 * b);
		memory_io_put(&disk, 0, boot, sizeof(boot));
		content = look(&disk, 0, 256 * MIB);
		assert_int_equal(content.count, cases[i].is_fat);
		if (content.count)
			expect_layer(&content, 0, "vfat", (4 + 2 * 200 + 32) * 512);
		content_free(&content);
	}
}

/* The magic alone is no swap area: the version and the last page must be there. */
static void test_swap_must_have_pages(void **state)
{
	static const struct {
		uint8_t version, last_page;
		const char *magic;
		uint64_t page;
		size_t count;
	} cases[] = {
		{ 1, 9, "SWAPSPACE2", 4096, 1 },  { 1, 0, "SWAPSPACE2", 4096, 0 },
		{ 2, 9, "SWAPSPACE2", 4096, 0 },  { 0, 0, "SWAP-SPACE", 4096, 1 },
		{ 1, 9, "SWAPSPACE2", 32768, 1 }, { 1, 0, "SWAPSPACE2", 32768, 0 },
		{ 1, 9, "SWAPSPACE2", 12288, 0 }, { 1, 9, "LINHIB0001", 16384, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint8_t header[8] = { cases[i].version, [4] = cases[i].last_page };
		struct memory_io disk = memory_io_new(64 * MIB);
		struct content content;

		memory_io_put(&disk, 1024, header, sizeof(header));
		memory_io_put(&disk, cases[i].page - 10, cases[i].magic, 10);
		content = look(&disk, 0, 64 * MIB);
		assert_int_equal(content.count, cases[i].count);
		if (content.count)
			assert_int_equal(content.layers[0].block_size, cases[i].page);
		content_free(&content);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_md_must_be_whole),
		cmocka_unit_test(test_md0_must_fit),
		cmocka_unit_test(test_fat_must_add_up),
		cmocka_unit_test(test_swap_must_have_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
