// SPDX-License-Identifier: GPL-2.0-or-later
/* The pure parts of relocate: sums, cover, header, records, geometry; bytes that lie included. */
#include "unit.h"

#include "../../src/relocate/journal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void sums_are_xxh64(void **state)
{
	uint8_t bytes[101];
	struct sum64 sum;

	(void)state;
	/* From the specification's reference: empty, short, and its own test buffer. */
	assert_int_equal(sum64(0, "", 0), 0xEF46DB3751D8E999ULL);
	assert_int_equal(sum64(0, "abc", 3), 0x44BC2CF5AD770999ULL);
	assert_int_equal(sum64(0, "Nobody inspects the spammish repetition", 39),
			 0xFBCEA83C8A378BF1ULL);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = i * 37;
	/* However it is cut, the sum is the same. */
	for (size_t cut = 0; cut <= sizeof(bytes); cut++) {
		sum64_begin(&sum, 7);
		sum64_add(&sum, bytes, cut);
		sum64_add(&sum, bytes + cut, sizeof(bytes) - cut);
		assert_int_equal(sum64_end(&sum), sum64(7, bytes, sizeof(bytes)));
	}
}

static struct cover a_cover(void)
{
	struct cover c = {
		.in_gap = true, .journal_base = 0x123456789000, .first_lba = 1, .lba_count = 4711
	};

	memcpy(c.plan_id, "0123456789abcdef", 16);
	strcpy(c.journal_name, "/boot/of/another/disk/sdb.alignck");
	for (size_t i = 0; i < sizeof(c.entries); i++)
		c.entries[i] = i + 1;
	return c;
}

static void cover_says_what_it_was_told(void **state)
{
	struct cover in = a_cover(), out;
	uint8_t sector[512];

	(void)state;
	encode_cover(&in, sector);
	assert_true(is_cover(sector, sizeof(sector), &out));
	assert_memory_equal(out.plan_id, in.plan_id, PLAN_ID_SIZE);
	assert_true(out.in_gap);
	assert_int_equal(out.journal_base, in.journal_base);
	assert_string_equal(out.journal_name, in.journal_name);
	assert_int_equal(out.first_lba, 1);
	assert_int_equal(out.lba_count, 4711);
	assert_memory_equal(out.entries, in.entries, sizeof(in.entries));
	assert_non_null(memmem(sector, 512, "alignck --resume", 16));
	assert_false(is_cover(sector, 511, &out));
}

static void cover_is_whole_or_none(void **state)
{
	struct cover in = a_cover();
	uint8_t sector[512];

	(void)state;
	encode_cover(&in, sector);
	for (size_t i = 0; i < sizeof(sector); i++) {
		bool is_disk_id = i >= 440 && i < 446;

		sector[i] ^= 0x10;
		assert_int_equal(is_cover(sector, sizeof(sector), NULL), is_disk_id);
		sector[i] ^= 0x10;
	}
	/* A name that fills its field has no NUL of its own. */
	memset(in.journal_name, 'x', sizeof(in.journal_name));
	encode_cover(&in, sector);
	assert_true(is_cover(sector, sizeof(sector), &in));
	assert_int_equal(strlen(in.journal_name), sizeof(in.journal_name) - 1);
}

/* sfdisk sees one partition of type da, blkid no file system. */
static void cover_is_one_entry_to_others(void **state)
{
	char path[] = "/tmp/alignck-cover-XXXXXX", command[200], line[200] = "";
	struct cover in = a_cover();
	uint8_t sector[512];
	int fd = mkstemp(path), lines = 0;
	FILE *pipe;

	(void)state;
	assert_true(fd >= 0);
	encode_cover(&in, sector);
	assert_int_equal(write(fd, sector, 512), 512);
	assert_int_equal(ftruncate(fd, 4 * MIB), 0);
	snprintf(command, sizeof(command), "sfdisk -d %s | grep start=", path);
	pipe = popen(command, "r");
	while (fgets(line, sizeof(line), pipe))
		lines++;
	pclose(pipe);
	close(fd);
	unlink(path);
	assert_int_equal(lines, 1);
	assert_non_null(strstr(line, "type=da"));
}

static struct move moves[] = {
	{ .number = 1,
	  .protection = PROTECT_SHIFT,
	  .from = 512,
	  .to = 4096,
	  .size = 8192,
	  .part_size = 8192,
	  .parts = 1 },
	{ .number = 2,
	  .protection = PROTECT_LANES,
	  .from = 65536,
	  .to = 66560,
	  .size = 9216,
	  .part_size = 4096,
	  .parts = 3 },
	{ .number = 3,
	  .protection = PROTECT_JOURNAL,
	  .from = 131072,
	  .to = 130560,
	  .size = 16384,
	  .part_size = 16384,
	  .parts = 1,
	  .window = 2048 },
};

static struct journal a_journal(void)
{
	static uint8_t old_bytes[2][512], new_bytes[2][512];
	static struct table_sector old_sectors[] = { { 1024, old_bytes[0] }, { 0, old_bytes[1] } };
	static struct table_sector new_sectors[] = { { 2048, new_bytes[0] }, { 0, new_bytes[1] } };
	struct journal j = {
		.disk_size = MIB,
		.logical_sector_size = 512,
		.physical_sector_size = 4096,
		.base = 8192,
		.in_gap = true,
		.cover_first_lba = 1,
		.cover_lba_count = 2046,
		.fields_offset = 16384,
		.fields_size = 24576,
		.data_offset = 40960,
		.data_size = 16384,
		.move_count = 3,
		.table_count = { 2, 2 },
		.moves = moves,
		.table = { { old_sectors, 2 }, { new_sectors, 2 } },
	};

	memcpy(j.plan_id, "fedcba9876543210", 16);
	j.seed = get_le64(j.plan_id) ^ get_le64(j.plan_id + 8);
	strcpy(j.serial, "WD-1234");
	memset(old_bytes, 'o', sizeof(old_bytes));
	memset(new_bytes, 'n', sizeof(new_bytes));
	j.content_size = content_size(&j);
	return j;
}

static void header_and_content_come_back(void **state)
{
	struct journal in = a_journal(), out;
	uint8_t block[JOURNAL_BLOCK], *content = malloc(in.content_size);

	(void)state;
	encode_content(&in, content);
	in.content_sum = sum64(in.seed, content, in.content_size);
	encode_header(&in, block);
	assert_true(is_journal_header(block, sizeof(block), NULL));
	assert_true(decode_header(block, sizeof(block), &out));
	assert_int_equal(out.seed, in.seed);
	assert_string_equal(out.serial, "WD-1234");
	assert_int_equal(decode_content(&out, content), 0);
	assert_memory_equal(out.moves, moves, sizeof(moves));
	assert_memory_equal(out.table[1].sectors[1].bytes, in.table[1].sectors[1].bytes, 512);
	journal_free(&out);
	for (size_t i = 0; i < 512; i++) {
		block[i] ^= 1;
		assert_false(decode_header(block, sizeof(block), &out));
		block[i] ^= 1;
	}
	in.is_begun = true;
	encode_header(&in, block);
	assert_false(is_journal_header(block, sizeof(block), NULL));
	free(content);
}

/* A sum proves only that somebody computed it: each number is held against what it may be. */
static void headers_that_lie(void **state)
{
	static const struct {
		size_t at, len;
		uint64_t value;
	} lies[] = {
		{ 12, 4, 0 },
		{ 12, 4, 513 },
		{ 12, 4, 8192 },
		{ 12, 4, 256 },
		{ 32, 8, 0 },
		{ 32, 8, UINT64_MAX },
		{ 40, 4, 0 },
		{ 40, 4, 700 },
		{ 40, 4, 1u << 31 },
		{ 44, 4, 0 },
		{ 44, 4, UINT32_MAX },
		{ 48, 4, 0 },
		{ 48, 4, UINT32_MAX },
		{ 52, 4, 0 },
		{ 52, 4, 1u << 30 },
		{ 56, 8, 1 },
		{ 56, 8, UINT64_MAX },
		{ 72, 8, 4096 },
		{ 72, 8, UINT64_MAX - 4095 },
		{ 80, 8, UINT64_MAX },
		{ 80, 8, 1ULL << 40 },
		{ 88, 8, 100 },
		{ 96, 8, UINT64_MAX - 4095 },
		{ 96, 8, 1 },
		{ 104, 8, 512 },
		{ 120, 4, 0 },
	};
	struct journal in = a_journal(), out;
	uint8_t block[JOURNAL_BLOCK];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lies); i++) {
		encode_header(&in, block);
		if (lies[i].len == 4)
			put_le32(block + lies[i].at, lies[i].value);
		else
			put_le64(block + lies[i].at, lies[i].value);
		put_le64(block + 504, sum64(0, block, 504));
		if (decode_header(block, sizeof(block), &out))
			fail_msg("lie %zu at %zu was believed", i, lies[i].at);
	}
}

static void moves_that_lie(void **state)
{
	struct journal in = a_journal(), out;
	uint8_t block[JOURNAL_BLOCK], *content = malloc(in.content_size);
	static const struct {
		size_t move, at;
		uint64_t value;
	} lies[] = {
		{ 0, 8, 0 },
		{ 0, 8, 513 },
		{ 0, 8, UINT64_MAX - 511 },
		{ 0, 16, MIB },
		{ 0, 16, 512 },
		{ 0, 24, 0 },
		{ 0, 24, 100 },
		{ 0, 24, UINT64_MAX - 511 },
		{ 0, 32, 3 },
		{ 0, 40, 0 },
		{ 0, 40, 512 },
		{ 0, 40, 1ULL << 63 },
		{ 0, 48, 0 },
		{ 0, 48, 2 },
		{ 1, 48, 257 },
		{ 1, 40, 512 },
		{ 1, 40, 100 },
		{ 1, 16, 65536 + 32768 },
		{ 2, 4, 3 },
		{ 2, 4, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lies); i++) {
		encode_header(&in, block);
		encode_content(&in, content);
		if (lies[i].at == 4 || lies[i].at == 48)
			put_le32(content + 64 * lies[i].move + lies[i].at, lies[i].value);
		else
			put_le64(content + 64 * lies[i].move + lies[i].at, lies[i].value);
		assert_true(decode_header(block, sizeof(block), &out));
		if (decode_content(&out, content) == 0)
			fail_msg("lie %zu of move %zu at %zu was believed", i, lies[i].move,
				 lies[i].at);
		journal_free(&out);
	}
	/* Tables: outside the disk, between sectors, sector 0 not last. */
	for (size_t i = 0; i < 3; i++) {
		static const uint64_t offsets[] = { MIB, 100, 0 };

		encode_header(&in, block);
		encode_content(&in, content);
		put_le64(content + ARRAY_SIZE(moves) * 64, offsets[i]);
		assert_true(decode_header(block, sizeof(block), &out));
		assert_int_not_equal(decode_content(&out, content), 0);
		journal_free(&out);
	}
	free(content);
}

static const struct record records[] = {
	{ .kind = RECORD_FRONTIER, .sequence = 1, .move = 3 },
	{ .kind = RECORD_FRONTIER,
	  .sequence = 2,
	  .move = 1,
	  .lo = 512,
	  .sills = true,
	  .sills_sum = 9 },
	{ .kind = RECORD_ROUND,
	  .sequence = 3,
	  .move = 1,
	  .lo = 512,
	  .hi = 1024,
	  .sills = true,
	  .sum_count = 3,
	  .sums = { 1, 2, 3 } },
	{ .kind = RECORD_ROUND, .sequence = 4, .back = true, .hi = 8192, .sum_count = 1 },
	{ .kind = RECORD_HALVES,
	  .sequence = 5,
	  .move = 2,
	  .next_hi = 2048,
	  .sum_count = 2,
	  .half = 1 },
	{ .kind = RECORD_HALVES, .sequence = 6, .move = 2, .lo = 512, .hi = 1024, .sum_count = 2 },
	{ .kind = RECORD_END, .sequence = 7, .is_new = true, .field_count = 2, .field_bytes = 64 },
	{ .kind = RECORD_DONE, .sequence = 8 },
};

static void records_come_back(void **state)
{
	struct journal j = a_journal(), other = a_journal();
	uint8_t block[JOURNAL_BLOCK];
	struct record out;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(records); i++) {
		encode_record(&j, &records[i], block);
		assert_true(decode_record(&j, block, &out));
		assert_memory_equal(&out, &records[i], sizeof(out));
		for (size_t at = 0; at < sizeof(block); at += at < 160 || at > 4080 ? 1 : 97) {
			block[at] ^= 0x40;
			assert_false(decode_record(&j, block, &out));
			block[at] ^= 0x40;
		}
		/* The same place on the same disk, but another plan. */
		other.plan_id[3] = 'x';
		assert_false(decode_record(&other, block, &out));
	}
}

static void records_that_lie(void **state)
{
	static const struct record lies[] = {
		{ .kind = 0, .sequence = 1 },
		{ .kind = 6, .sequence = 1 },
		{ .kind = RECORD_FRONTIER, .sequence = 0 },
		{ .kind = RECORD_FRONTIER, .sequence = UINT64_MAX },
		{ .kind = RECORD_FRONTIER, .sequence = 1, .move = 4 },
		{ .kind = RECORD_FRONTIER, .sequence = 1, .move = 3, .lo = 512 },
		{ .kind = RECORD_FRONTIER, .sequence = 1, .move = 3, .sills = true },
		{ .kind = RECORD_FRONTIER, .sequence = 1, .move = 0, .sills = true },
		{ .kind = RECORD_FRONTIER, .sequence = 1, .move = 0, .lo = 8704 },
		{ .kind = RECORD_FRONTIER, .sequence = 1, .move = 0, .lo = 100 },
		{ .kind = RECORD_ROUND, .sequence = 1, .move = 3, .hi = 512, .sum_count = 1 },
		{ .kind = RECORD_ROUND, .sequence = 1, .move = 2, .hi = 512, .sum_count = 1 },
		{ .kind = RECORD_ROUND, .sequence = 1, .move = 1, .hi = 512, .sum_count = 3 },
		{ .kind = RECORD_ROUND,
		  .sequence = 1,
		  .move = 1,
		  .hi = 512,
		  .sills = true,
		  .sum_count = 2 },
		{ .kind = RECORD_ROUND,
		  .sequence = 1,
		  .move = 1,
		  .hi = 8192,
		  .sills = true,
		  .sum_count = 3 },
		{ .kind = RECORD_ROUND, .sequence = 1, .lo = 512, .hi = 512, .sum_count = 1 },
		{ .kind = RECORD_ROUND, .sequence = 1, .lo = 1024, .hi = 512, .sum_count = 1 },
		{ .kind = RECORD_HALVES, .sequence = 1, .move = 0, .hi = 512, .sum_count = 2 },
		{ .kind = RECORD_HALVES, .sequence = 1, .move = 2, .sum_count = 2 },
		{ .kind = RECORD_HALVES,
		  .sequence = 1,
		  .move = 2,
		  .hi = 512,
		  .sum_count = 2,
		  .half = 2 },
		{ .kind = RECORD_HALVES, .sequence = 1, .move = 2, .hi = 16384, .sum_count = 2 },
		{ .kind = RECORD_HALVES, .sequence = 1, .move = 2, .hi = 512, .sum_count = 1 },
		{ .kind = RECORD_END, .sequence = 1, .field_bytes = 1ULL << 40 },
		{ .kind = RECORD_END, .sequence = 1, .field_bytes = 64, .field_count = 5 },
	};
	struct journal j = a_journal();
	uint8_t block[JOURNAL_BLOCK];
	struct record out;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lies); i++) {
		encode_record(&j, &lies[i], block);
		if (decode_record(&j, block, &out))
			fail_msg("lie %zu was believed", i);
	}
	encode_record(&j, &records[2], block);
	put_le32(block + 92, MOVE_LANES_MAX + 1);
	put_le64(block + 4088, sum64(j.seed, block, 4088));
	assert_false(decode_record(&j, block, &out));
}

/* Random moves: parts tile the partition, windows tile the parts, sills are where neighbours write.
 */
static void parts_and_windows_tile(void **state)
{
	uint64_t seed = 11;

	(void)state;
	for (int turn = 0; turn < 3000; turn++) {
		uint64_t unit = turn % 3 ? 512 : 4096, size = (1 + next_random(&seed) % 60) * 512;
		uint64_t d = (1 + next_random(&seed) % 20) * 512, covered = 0, sills = 0;
		uint64_t data = next_random(&seed) % 40000;
		struct journal j = { .physical_sector_size = unit };
		struct move m = { .protection = PROTECT_LANES,
				  .from = MIB,
				  .size = size,
				  .to = turn % 2 ? MIB + d : MIB - d };

		cut_parts(&m, 1 + next_random(&seed) % 9, unit, data);
		assert_true(m.parts == 1 || m.part_size >= d);
		assert_true((m.parts - 1) * d <= data);
		for (uint64_t f = 0; f < m.part_size;) {
			uint64_t next =
				next_frontier(&j, &m, false, f, 512 * (1 + next_random(&seed) % 9));

			assert_true(next > f && next <= m.part_size);
			for (uint32_t lane = 0; lane < m.parts; lane++) {
				struct extent e = lane_extent(&m, lane, f, next);

				assert_true(e.end <= size && e.start <= e.end);
				covered += e.end - e.start;
			}
			f = next;
		}
		assert_int_equal(covered, size);
		assert_int_equal(bytes_moved(&m, m.part_size), size);
		for (uint64_t f = m.part_size; f;) {
			uint64_t next =
				next_frontier(&j, &m, true, f, 512 * (1 + next_random(&seed) % 9));

			assert_true(next < f);
			f = next;
		}
		for (uint32_t lane = 0; lane < m.parts; lane++) {
			struct extent s = sill_extent(&m, lane);

			sills += s.end - s.start;
			if (s.end > s.start)
				assert_true(sill_offset(&m, lane) + (s.end - s.start) <= data);
		}
		assert_true(sills <= (m.parts - 1) * d);
		assert_true(m.parts == 1 || sills);
	}
}

static void cover_entry_avoids_edges(void **state)
{
	struct move m[] = { { .from = 512, .to = 1024, .size = MIB - 1536 } };
	struct journal j = {
		.disk_size = MIB, .logical_sector_size = 512, .moves = m, .move_count = 1
	};
	uint32_t first, count;

	(void)state;
	place_cover_entry(&j, &first, &count);
	/* Starts 1 and 2 are taken; ends 2046 and 2047 too. */
	assert_int_equal(first, 3);
	assert_int_equal(first + count, 2045);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_xxh64),
		cmocka_unit_test(cover_says_what_it_was_told),
		cmocka_unit_test(cover_is_whole_or_none),
		cmocka_unit_test(cover_is_one_entry_to_others),
		cmocka_unit_test(header_and_content_come_back),
		cmocka_unit_test(headers_that_lie),
		cmocka_unit_test(moves_that_lie),
		cmocka_unit_test(records_come_back),
		cmocka_unit_test(records_that_lie),
		cmocka_unit_test(parts_and_windows_tile),
		cmocka_unit_test(cover_entry_avoids_edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
