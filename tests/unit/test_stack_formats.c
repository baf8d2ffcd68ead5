// SPDX-License-Identifier: GPL-2.0-or-later
/* What single formats say, and what may not be taken for them, where no tool can be asked. */
#include "unit.h"

#include "../../src/stack/decode.h"
#include "look.h"

#include <stdlib.h>

/* Case 30: LUKS1 at sector 63 whose payload makes up for it, and one whose does not. */
static void test_luks1_payload(void **state)
{
	static const struct {
		uint32_t payload, rest;
	} cases[] = { { 4097, 0 }, { 4096, 3584 } };
	uint8_t header[592] = "LUKS\xba\xbe\0\1";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct memory_io disk = memory_io_new(64 * MIB);
		struct content content;

		put_be32(header + 104, cases[i].payload);
		memory_io_put(&disk, 63 * 512, header, sizeof(header));
		content = look(&disk, 63 * 512, 32 * MIB);
		expect_layer(&content, 0, "crypto_LUKS", (63 + cases[i].payload) * 512ULL);
		assert_int_equal(content.layers[0].data_offset % 4096, cases[i].rest);
		content_free(&content);
	}
}

static void test_luks1_detached(void **state)
{
	static const uint8_t header[592] = "LUKS\xba\xbe\0\1";
	struct memory_io disk = memory_io_new(64 * MIB);
	struct content content;

	(void)state;
	memory_io_put(&disk, 0, header, sizeof(header));
	content = look(&disk, 0, 64 * MIB);
	assert_int_equal(content.count, 1);
	assert_false(content.layers[0].has_data_offset);
	assert_int_equal(content.findings.count, 0);
	content_free(&content);
}

static void test_luks2_json(void **state)
{
	static const struct {
		const char *text;
		enum outcome outcome;
		uint64_t offset, sector_size;
	} cases[] = {
		{ "{\"segments\":{\"0\":{\"offset\":\"16777216\",\"sector_size\":4096}}}",
		  DECODE_FOUND, 16777216, 4096 },
		{ "{\"segments\":{\"0\":{\"offset\":\"32768\"}}}", DECODE_FOUND, 32768, 0 },
		{ "{\"segments\":{\"0\":{\"offset\":\"32768\",\"sector_size\":-512}}}",
		  DECODE_FOUND, 32768, 0 },
		{ "{\"segments\":{\"0\":{\"offset\":\"32768\",\"sector_size\":\"512\"}}}",
		  DECODE_FOUND, 32768, 0 },
		{ "{\"segments\":{\"0\":{\"offset\":32768}}}", DECODE_NOT_THIS, 0, 0 },
		{ "{\"segments\":{\"0\":{\"offset\":\"16M\"}}}", DECODE_NOT_THIS, 0, 0 },
		{ "{\"segments\":{\"0\":{\"offset\":\"\"}}}", DECODE_NOT_THIS, 0, 0 },
		{ "{\"segments\":{\"0\":{\"offset\":\"99999999999999999999\"}}}", DECODE_NOT_THIS,
		  0, 0 },
		{ "{\"segments\":{\"1\":{\"offset\":\"32768\"}}}", DECODE_NOT_THIS, 0, 0 },
		{ "{\"segments\":[\"0\"]}", DECODE_NOT_THIS, 0, 0 },
		{ "{\"segments\":{\"0\":null}}", DECODE_NOT_THIS, 0, 0 },
		{ "[[[[[[[[[[[[[[[[", DECODE_NOT_THIS, 0, 0 },
		{ "{\"segments\":{\"0\":{\"offset\":\"16777216\"", DECODE_MORE, 0, 0 },
		{ "", DECODE_MORE, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t len = strlen(cases[i].text);

		/* In two pieces, cut anywhere; with its NUL nothing can follow. */
		for (size_t cut = 0; cut <= len + 1; cut++) {
			bool has_nul = cut % 2;
			struct piece pieces[] = { { cases[i].text, cut },
						  { cases[i].text + cut, len + has_nul - cut } };
			enum outcome wanted = cases[i].outcome, got;
			uint64_t offset = 0, sector_size = 0;

			if (cut > len && !has_nul)
				continue;
			if (has_nul && wanted == DECODE_MORE)
				wanted = DECODE_NOT_THIS;
			got = decode_luks2_json(pieces, 2, &offset, &sector_size);
			assert_int_equal(got, wanted);
			if (got != DECODE_FOUND)
				continue;
			assert_int_equal(offset, cases[i].offset);
			assert_int_equal(sector_size, cases[i].sector_size);
		}
	}
}

/* A LUKS2 header with a text of that many bytes; the segment stands at its end. */
static void put_luks2(struct memory_io *disk, size_t text_len, uint8_t *area)
{
	static const char head[] = "{\"keyslots\":{\"0\":\"",
			  tail[] = "\"},\"segments\":{\"0\":{\"offset\":\"16777216\"}}}";
	char *text = (char *)area + 4096;

	memset(area, 0, 4096);
	memcpy(area, "LUKS\xba\xbe\0\2", 8);
	put_be64(area + 8, 64 * KIB);
	memset(text, 'x', text_len);
	memset(text + text_len, 0, 64 * KIB - 4096 - text_len);
	memcpy(text, head, strlen(head));
	memcpy(text + text_len - strlen(tail), tail, strlen(tail));
	memory_io_put(disk, MIB, area, 64 * KIB);
}

/* As long as the text ends within the partition's share the answer is right; beyond that it is
 * unknown, and said. look() counts the bytes. */
static void test_luks2_long_text(void **state)
{
	static const size_t lengths[] = { 100,  1023, 1024, 1025,  2000,
					  4096, 8000, 9000, 12000, 40000 };
	static uint8_t area[64 * KIB];
	size_t longest = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		struct memory_io disk = memory_io_new(128 * MIB);
		struct content content;

		put_luks2(&disk, lengths[i], area);
		content = look(&disk, MIB, 100 * MIB);
		assert_int_equal(content.count, 1);
		assert_string_equal(content.layers[0].type, "crypto_LUKS");
		if (content.layers[0].has_data_offset) {
			expect_layer(&content, 0, "crypto_LUKS", MIB + 16 * MIB);
			assert_int_equal(content.findings.count, 0);
			longest = lengths[i];
		} else {
			assert_true(has_finding(&content, FINDING_CONTENT_UNREAD));
		}
		content_free(&content);
	}
	assert_int_equal(longest, 9000);
}

static void put_zfs(struct memory_io *disk, uint64_t label, const struct nvlist *nv)
{
	static uint8_t checksum[8];

	put_le64(checksum, 0x0210da7ab10c7a11);
	memory_io_put(disk, label + 16 * KIB, nv->bytes, nv->len);
	memory_io_put(disk, label + 128 * KIB - 40, checksum, sizeof(checksum));
}

/* All four labels: whichever is left tells. */
static void test_zfs_labels(void **state)
{
	const uint64_t size = 128 * MIB + 100000, end = size / (256 * KIB) * 256 * KIB;
	const uint64_t labels[] = { 0, 256 * KIB, end - 512 * KIB, end - 256 * KIB };

	(void)state;
	for (unsigned ashift = 9; ashift <= 16; ashift += 3)
		for (size_t keep = 0; keep < ARRAY_SIZE(labels); keep++) {
			struct nvlist good = build_zfs_label(ashift), bad = { .len = 64 };
			struct memory_io disk = memory_io_new(size);
			struct content content;

			for (size_t i = 0; i < ARRAY_SIZE(labels); i++)
				put_zfs(&disk, labels[i], i == keep ? &good : &bad);
			content = look(&disk, 0, size);
			assert_int_equal(content.count, 1);
			expect_layer(&content, 0, "zfs_member", 4 * MIB);
			assert_int_equal(content.layers[0].ashift, ashift);
			assert_int_equal(content.layers[0].block_size, 1ULL << ashift);
			content_free(&content);
		}
}

/* A new file system over a former pool: its last labels are still there. */
static void test_zfs_leftover(void **state)
{
	struct memory_io disk = memory_io_new(128 * MIB);
	struct nvlist nv = build_zfs_label(12);
	struct content content;

	(void)state;
	put_ext4(&disk, 0);
	put_zfs(&disk, 128 * MIB - 256 * KIB, &nv);
	content = look(&disk, 0, 128 * MIB);
	assert_true(content.ambiguous);
	expect_layer(&content, 0, "ext4", 0);
	content_free(&content);
}

/* Labels that zpool wrote (zfs-fuse 0.7, with ashift=12 and a mirror's 9): the fuzzer's kept
 * inputs. */
static void test_zfs_label_by_zpool(void **state)
{
	static const struct {
		const char *path;
		uint64_t ashift;
	} cases[] = {
		{ "tests/fuzz/corpus/fuzz_zfs_label/zpool-ashift12", 12 },
		{ "tests/fuzz/corpus/fuzz_zfs_label/zpool-mirror-ashift9", 9 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint8_t label[4096];
		uint64_t ashift = 0;
		FILE *f = fopen(cases[i].path, "rb");
		size_t len;

		assert_non_null(f);
		len = fread(label, 1, sizeof(label), f);
		fclose(f);
		assert_true(decode_zfs_label(label, len, &ashift));
		assert_int_equal(ashift, cases[i].ashift);
	}
}

static void test_zfs_label_hostile(void **state)
{
	struct nvlist nv = build_zfs_label(12);
	uint64_t seed = 29, ashift;

	(void)state;
	assert_true(decode_zfs_label(nv.bytes, nv.len, &ashift));
	for (size_t len = 0; len < nv.len - 60; len++)
		assert_false(decode_zfs_label(nv.bytes, len, &ashift));

	/* On the heap and as long as it says, so that the sanitizers see one byte too far. */
	uint8_t *mangled = malloc(nv.len);

	assert_non_null(mangled);
	for (int i = 0; i < 20000; i++) {
		memcpy(mangled, nv.bytes, nv.len);
		for (int n = 0; n < 3; n++)
			mangled[next_random(&seed) % nv.len] = next_random(&seed);
		if (decode_zfs_label(mangled, nv.len, &ashift))
			assert_in_range(ashift, 9, 16);
	}
	free(mangled);
}

/* Metadata at the end, over data that starts at byte 0. */
static void test_seen_through_from_the_end(void **state)
{
	static const uint8_t drbd[72] = { [68] = 0x83, 0x74, 0x02, 0x6d };
	static const char mirror_label[16] = "GEOM::MIRROR", eli[16] = "GEOM::ELI";
	uint8_t metadata[72];
	struct content content;

	(void)state;
	memcpy(metadata, drbd, sizeof(drbd));
	put_be64(metadata, 100000);
	struct memory_io disk = memory_io_new(64 * MIB);

	put_xfs(&disk, 0);
	memory_io_put(&disk, 64 * MIB - 4096, metadata, sizeof(metadata));
	content = look(&disk, 0, 64 * MIB);
	assert_int_equal(content.count, 2);
	expect_layer(&content, 0, "drbd", 0);
	expect_layer(&content, 1, "xfs", 0);
	content_free(&content);

	disk = memory_io_new(64 * MIB);
	put_xfs(&disk, MIB);
	memory_io_put(&disk, 33 * MIB - 512, mirror_label, sizeof(mirror_label));
	content = look(&disk, MIB, 32 * MIB);
	assert_int_equal(content.count, 2);
	expect_layer(&content, 0, "GEOM::MIRROR", MIB);
	expect_layer(&content, 1, "xfs", MIB);
	content_free(&content);

	memory_io_put(&disk, 33 * MIB - 512, eli, sizeof(eli));
	content = look(&disk, MIB, 32 * MIB);
	assert_int_equal(content.count, 1);
	expect_layer(&content, 0, "GEOM::ELI", MIB);
	content_free(&content);
}

/* Signatures without numbers of their own: the name, and what may not be taken for it. */
static void test_names(void **state)
{
	static const struct {
		const char *type;
		uint64_t at;
		const char *bytes;
		size_t len;
		bool placed;
	} cases[] = {
		{ "LDM", 512, "TOCBLOCK", 8, false },
		{ "LDM", 3072, "PRIVHEAD", 8, false },
		{ "stratis", 516, "!Stra0tis\x86\xff\x02^\x41rh", 16, false },
		{ "vdo", 0, "dmvdo001", 8, false },
		{ "ceph_bluestore", 0, "bluestore block device", 22, false },
		{ "LVM1_member", 0, "HM\2\0", 4, false },
		{ "ReFS", 0, "\0\0\0ReFS\0", 8, true },
		{ "BitLocker", 0, "\xeb\x52\x90-FVE-FS-", 11, true },
		{ "VMFS_volume_member", MIB, "\x0d\xd0\x01\xc0", 4, false },
		{ "isw_raid_member", 64 * MIB - 1024, "Intel Raid ISM Cfg Sig. ", 24, false },
		{ "swsuspend", 4086, "S1SUSPEND", 9, true },
		{ "DM_integrity", 0, "integrt\0\1", 9, false },
		{ "hpfs", 8192, "\x49\xe8\x95\xf9\xc5\xe9\x53\xfa", 8, true },
		{ NULL, 0, "HM\3\0", 4, false },
		{ NULL, 0, "NTFS    ", 8, false },
		{ NULL, 3, "NTFS    ", 8, false },
		{ NULL, 0, "integrt\0", 8, false },
		{ NULL, 510, "\x55\xaa", 2, false },
		{ NULL, 4086, "SWAPSPACE2", 10, false },
		{ NULL, 32769, "BEA01", 5, false },
		{ NULL, 0, "\xeb\x58\x90-FVE-FS-", 11, false },
		{ NULL, 1040, "\x7f\x13", 2, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct memory_io disk = memory_io_new(64 * MIB);
		struct content content;

		memory_io_put(&disk, cases[i].at, cases[i].bytes, cases[i].len);
		content = look(&disk, 0, 64 * MIB);
		if (!cases[i].type) {
			assert_int_equal(content.count, 0);
		} else {
			assert_int_equal(content.count, 1);
			assert_string_equal(content.layers[0].type, cases[i].type);
			assert_int_equal(content.layers[0].has_data_offset, cases[i].placed);
		}
		content_free(&content);
	}
}

/* Firmware puts its RAID's metadata at the end of a disk: at a partition's end it is a leftover. */
static void test_firmware_raid_is_the_disks(void **state)
{
	struct memory_io disk = memory_io_new(64 * MIB);
	struct content content;

	(void)state;
	memory_io_put(&disk, 64 * MIB - 1024, "Intel Raid ISM Cfg Sig. ", 24);
	content = look(&disk, 0, 64 * MIB);
	assert_int_equal(content.count, 1);
	content_free(&content);
	content = look(&disk, MIB, 63 * MIB);
	assert_int_equal(content.count, 0);
	content_free(&content);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_luks1_payload),
		cmocka_unit_test(test_luks1_detached),
		cmocka_unit_test(test_luks2_json),
		cmocka_unit_test(test_luks2_long_text),
		cmocka_unit_test(test_zfs_labels),
		cmocka_unit_test(test_zfs_leftover),
		cmocka_unit_test(test_zfs_label_by_zpool),
		cmocka_unit_test(test_zfs_label_hostile),
		cmocka_unit_test(test_seen_through_from_the_end),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_firmware_raid_is_the_disks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
