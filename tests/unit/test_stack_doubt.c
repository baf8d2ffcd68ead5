// SPDX-License-Identifier: GPL-2.0-or-later
/* A magic is not enough: the numbers after it must hold water, else a leftover passes for content.
 */
#include "unit.h"

#include "../../src/stack/decode.h"
#include "look.h"

#include <stdlib.h>

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

/* LVM's CRC-32, bit by bit: lib/misc/crc.c starts with this and inverts nothing. */
static uint32_t crc_of_label(const uint8_t *label)
{
	uint32_t crc = 0xf597a6cf;

	for (int i = 20; i < 512; i++) {
		crc ^= label[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
	}
	return crc;
}

/* A physical volume's label with good checksum: what of its lists and its metadata is believed. */
static void test_lvm_lists(void **state)
{
	static const struct {
		uint32_t header;    /* from the label to the pv_header */
		uint64_t data, mda; /* the first of each list; 0 ends it */
		uint64_t text, area, text_size;
		const char *metadata;
		bool placed;
		uint64_t extent;
	} cases[] = {
		{ 32, MIB, 4096, 512, MIB, 100, "vg {\nextent_size = 8192\n", true, 4 * MIB },
		{ 32, MIB, 4096, 512, MIB, 100, "vg {\nextent_size = 1\n", true, 512 },
		{ 32, 63 * 512, 0, 0, 0, 0, "", true, 0 },    /* no metadata here */
		{ 32, 0, 4096, 512, MIB, 100, "", false, 0 }, /* no data area */
		{ 32, MIB, 4096, 512, MIB, 0, "", true, 0 },  /* in no group */
		{ 32, MIB, 4096, 512, MIB, 22, "vg {\nextent_size = 8192\n", true, 0 }, /* cut */
		{ 32, MIB, 4096, 512, 512 + 22, 100, "vg {\nextent_size = 8192\n", true, 0 },
		{ 32, MIB, 4096, 511, MIB, 100, "vg {\nextent_size = 8192\n", true,
		  0 },                                         /* text inside the header */
		{ 32, MIB, 4096, MIB, MIB, 100, "", true, 0 }, /* and past the area */
		{ 32, MIB, 4096, UINT64_MAX - 4095, UINT64_MAX, 100, "", true, 0 },
		{ 32, MIB, 4096, 40 * MIB, GIB, 100, "", true, 0 }, /* and past the disk */
		{ 32, MIB, 4096, 512, MIB, 100, "vg {\nextent_size = 99999999999\n", true, 0 },
		{ 32, MIB, 4096, 512, MIB, 100, "vg {\nextent_size = x\n", true, 0 },
		{ 32, MIB, 9500, 512, MIB, 100, "", true, 0 }, /* header cut by what was read */
		{ 32, MIB, UINT64_MAX, 512, MIB, 100, "", true, 0 },
		{ 456, MIB, 4096, 512, MIB, 100, "", true, 0 }, /* lists to the end of the label */
		{ 457, MIB, 4096, 512, MIB, 100, "", false, 0 },
		{ UINT32_MAX, MIB, 4096, 512, MIB, 100, "", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct memory_io disk = memory_io_new(32 * MIB);
		uint8_t label[1024] = "LABELONE", header[64] = { 0 };
		uint32_t locn = cases[i].header + 40;
		struct content content;

		label[8] = 1;
		put_le32(label + 20, cases[i].header);
		memcpy(label + 24, "LVM2 001", 8);
		if (locn <= 512 - 16) {
			put_le64(label + locn, cases[i].data);
			if (cases[i].data && locn + 40 <= 512)
				put_le64(label + locn + 32, cases[i].mda);
		}
		put_le32(label + 16, crc_of_label(label));
		memcpy(header + 4, " LVM2 x[5A%r0N*>", 16);
		put_le64(header + 32, cases[i].area);
		put_le64(header + 40, cases[i].text);
		put_le64(header + 48, cases[i].text_size);
		memory_io_put(&disk, 512, label, 512);
		memory_io_put(&disk, 4096, header, sizeof(header));
		memory_io_put(&disk, 4096 + 512, cases[i].metadata, strlen(cases[i].metadata));
		content = look(&disk, 0, 32 * MIB);
		assert_int_equal(content.count, 1);
		assert_string_equal(content.layers[0].type, "LVM2_member");
		assert_int_equal(content.layers[0].has_data_offset, cases[i].placed);
		if (cases[i].placed)
			assert_int_equal(content.layers[0].data_offset, cases[i].data);
		assert_int_equal(content.layers[0].chunk_size, cases[i].extent);
		content_free(&content);
	}
}

/* An external XFS log whose first record is in the first sector. */
static void test_xfs_log(void **state)
{
	static const struct {
		uint32_t version, len, format;
		size_t count;
	} cases[] = { { 2, 512, 1, 1 },        { 0, 512, 1, 0 }, { 4, 512, 1, 0 }, { 2, 0, 1, 0 },
		      { 2, UINT32_MAX, 1, 0 }, { 2, 512, 0, 0 }, { 2, 512, 4, 0 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct memory_io disk = memory_io_new(32 * MIB);
		struct content content;
		uint8_t record[512] = { 0xfe, 0xed, 0xba, 0xbe };

		put_be32(record + 8, cases[i].version);
		put_be32(record + 12, cases[i].len);
		put_be32(record + 300, cases[i].format);
		memory_io_put(&disk, 0, record, sizeof(record));
		content = look(&disk, 0, 32 * MIB);
		assert_int_equal(content.count, cases[i].count);
		content_free(&content);
	}
}

/* Every decoder on every length, with nothing but zeros, ones, and noise behind its magic: the
 * exact buffer lets the sanitizers see one byte too far. */
static void test_any_buffer(void **state)
{
	uint64_t seed = 4711;

	(void)state;
	for (size_t i = 0; i < signature_count; i++) {
		const struct signature *s = &signatures[i];

		for (size_t len = 0; s->decode && len < 1100; len += 1 + len / 16) {
			uint8_t *bytes = malloc(len + 1);
			struct decoding d = { .bytes = bytes + 1, .len = len, .size = GIB };

			assert_non_null(bytes);
			for (int fill = 0; fill < 3; fill++) {
				for (size_t b = 0; b < len; b++)
					bytes[1 + b] = fill == 2 ? (uint8_t)next_random(&seed)
								 : (uint8_t)-fill;
				if (s->magic_at + s->magic_len <= len)
					memcpy(bytes + 1 + s->magic_at, s->magic, s->magic_len);
				assert_in_range(s->decode(&d), DECODE_NOT_THIS, DECODE_MORE);
			}
			free(bytes);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_md_must_be_whole),
		cmocka_unit_test(test_md0_must_fit),
		cmocka_unit_test(test_fat_must_add_up),
		cmocka_unit_test(test_swap_must_have_pages),
		cmocka_unit_test(test_lvm_lists),
		cmocka_unit_test(test_xfs_log),
		cmocka_unit_test(test_any_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
