// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * File systems by their own mkfs, at the place where a move has put them; what
 * find_position_fields() lists is written, and then their own checkers look. The old values bring
 * back the old bytes.
 */
#include "unit.h"

#include "alignck/commit.h"
#include "image.h"
#include "memory_io.h"

/* A partition of SIZE bytes that has moved from `from` to `to` (sectors), with `fs` in it. */
struct moved_case {
	struct partition partition;
	struct plan_place place;
	struct layout layout;
	struct plan plan;
	struct image_io image;
	struct position_field *fields;
	size_t count;
	struct reason reason;
};

#define FROM 63
#define TO   2048

static void open_moved(struct moved_case *c, const char *fs)
{
	struct image_io file = image_open(fs);
	uint64_t size = file.io.size;

	io_close(&file.io);
	run("rm -f disk; truncate -s %llu disk; dd if=%s of=disk bs=512 seek=%d "
	    "conv=notrunc,sparse",
	    (unsigned long long)(TO * 512 + size + MIB), fs, TO);
	*c = (struct moved_case){
		.partition = { .number = 1,
			       .parent = -1,
			       .start = FROM * 512,
			       .size = size,
			       .table = TABLE_DOS },
		.place = { .start = TO * 512, .size = size },
		.image = image_open("disk"),
	};
	c->layout = (struct layout){
		.type = TABLE_DOS, .sector_size = 512, .partitions = &c->partition, .count = 1
	};
	c->plan = (struct plan){ .feasible = true, .places = &c->place, .place_count = 1 };
}

static void close_moved(struct moved_case *c)
{
	free(c->fields);
	io_close(&c->image.io);
}

/* Looks, writes the new values, takes the file system out again as "after". */
static void mend(struct moved_case *c, size_t expected)
{
	uint8_t now[POSITION_FIELD_MAX];

	c->image.frozen = true;
	assert_int_equal(find_position_fields(&c->image.io, &c->layout, &c->plan, 512, &c->fields,
					      &c->count, &c->reason),
			 0);
	c->image.frozen = false;
	assert_int_equal(c->count, expected);
	for (size_t i = 0; i < c->count; i++) {
		struct position_field *f = &c->fields[i];

		assert_in_range(f->length, 1, POSITION_FIELD_MAX);
		assert_in_range(f->offset, c->place.start,
				c->place.start + c->place.size - f->length);
		assert_int_equal(io_read(&c->image.io, now, f->length, f->offset), 0);
		assert_memory_equal(now, f->old_bytes, f->length);
		assert_int_equal(io_write(&c->image.io, f->new_bytes, f->length, f->offset), 0);
	}
	run("dd if=disk of=after bs=512 skip=%d count=%llu conv=sparse", TO,
	    (unsigned long long)c->place.size / 512);
}

static void undo(struct moved_case *c, const char *fs)
{
	for (size_t i = 0; i < c->count; i++)
		assert_int_equal(io_write(&c->image.io, c->fields[i].old_bytes, c->fields[i].length,
					  c->fields[i].offset),
				 0);
	run("dd if=disk of=after bs=512 skip=%d count=%llu conv=sparse; cmp after %s", TO,
	    (unsigned long long)c->place.size / 512, fs);
}

static uint64_t field_of(const char *path, uint64_t offset, size_t width)
{
	struct image_io file = image_open(path);
	uint8_t bytes[8] = { 0 };

	assert_int_equal(io_read(&file.io, bytes, width, offset), 0);
	io_close(&file.io);
	return get_le64(bytes);
}

static void fat_of_each_width_is_mended(void **state)
{
	static const struct {
		const char *bits, *size;
		size_t fields;
	} cases[] = { { "12", "4M", 1 }, { "16", "20M", 1 }, { "32", "40M", 2 } };

	(void)state;
	NEED_TOOL("mkfs.fat");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct moved_case c;

		run("rm -f fs; truncate -s %s fs; mkfs.fat -F%s -h %d fs", cases[i].size,
		    cases[i].bits, FROM);
		open_moved(&c, "fs");
		mend(&c, cases[i].fields);
		assert_int_equal(field_of("after", 0x1c, 4), TO);
		if (cases[i].fields == 2)
			assert_int_equal(field_of("after", 6 * 512 + 0x1c, 4), TO);
		run("fsck.fat -n after");
		undo(&c, "fs");
		close_moved(&c);
	}
}

static void values_that_are_not_the_old_start_stay(void **state)
{
	static const unsigned values[] = { 0, 64, 62, 2048, 0xffffffff };

	(void)state;
	NEED_TOOL("mkfs.fat");
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		struct moved_case c;

		run("rm -f fs; truncate -s 20M fs; mkfs.fat -F16 -h %u fs", values[i]);
		open_moved(&c, "fs");
		mend(&c, 0);
		close_moved(&c);
	}
}

/* Where only one of the two copies holds the old start, only that one is brought up to date. */
static void each_copy_is_judged_by_itself(void **state)
{
	struct moved_case c;

	(void)state;
	NEED_TOOL("mkfs.fat");
	run("rm -f fs; truncate -s 40M fs; mkfs.fat -F32 -h %d fs; "
	    "printf '\\7' | dd of=fs bs=1 seek=%d conv=notrunc",
	    FROM, 6 * 512 + 0x1c);
	open_moved(&c, "fs");
	mend(&c, 1);
	assert_int_equal(field_of("after", 0x1c, 4), TO);
	assert_int_equal(field_of("after", 6 * 512 + 0x1c, 4), 7);
	close_moved(&c);
}

static void a_logical_follows_its_own_rule(void **state)
{
	static const struct {
		unsigned value, expected;
	} cases[] = { { 80388, 83968 }, { 63, 1968 }, { 80325, 0 } };

	(void)state;
	NEED_TOOL("mkfs.fat");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct moved_case c;

		run("rm -f fs; truncate -s 40M fs; mkfs.fat -F32 -h %u fs", cases[i].value);
		open_moved(&c, "fs");
		c.partition.number = 5;
		c.partition.start = 80388 * 512;
		c.partition.ebr = 80325 * 512;
		c.place.start = 83968 * 512;
		c.place.ebr = 82000 * 512;
		run("truncate -s 100M disk; dd if=fs of=disk bs=512 seek=83968 "
		    "conv=notrunc,sparse");
		io_close(&c.image.io);
		c.image = image_open("disk");
		assert_int_equal(find_position_fields(&c.image.io, &c.layout, &c.plan, 512,
						      &c.fields, &c.count, &c.reason),
				 0);
		assert_int_equal(c.count, cases[i].expected ? 2 : 0);
		for (size_t f = 0; f < c.count; f++)
			assert_int_equal(get_le32(c.fields[f].new_bytes), cases[i].expected);
		close_moved(&c);
	}
}

static void ntfs_is_mended_at_both_ends(void **state)
{
	struct moved_case c;

	(void)state;
	NEED_TOOL("mkfs.ntfs");
	run("rm -f fs; truncate -s 20M fs; mkfs.ntfs -Q -F -p %d -H 255 -S 63 fs", FROM);
	open_moved(&c, "fs");
	mend(&c, 2);
	assert_int_equal(field_of("after", 0x1c, 4), TO);
	assert_int_equal(field_of("after", 20 * MIB - 512 + 0x1c, 4), TO);
	run("cmp -n 512 after after 0 %llu; ntfsfix -n after", 20 * MIB - 512);
	undo(&c, "fs");
	close_moved(&c);

	/* A partition that is larger than the volume: the backup is where the volume ends. */
	run("truncate -s 24M fs");
	open_moved(&c, "fs");
	mend(&c, 2);
	run("cmp -n 512 after after 0 %llu", 20 * MIB - 512);
	close_moved(&c);
}

/* The checksum in other words than ours. */
#define EXFAT_OFFSET(value)                                                                        \
	"cat >set.py <<'END'\n"                                                                    \
	"import struct\n"                                                                          \
	"d = bytearray(open('fs', 'rb').read())\n"                                                 \
	"for base in (0, 12 * 512):\n"                                                             \
	"    struct.pack_into('<Q', d, base + 64, " value ")\n"                                    \
	"    s = 0\n"                                                                              \
	"    for i in range(11 * 512):\n"                                                          \
	"        if i not in (106, 107, 112):\n"                                                   \
	"            s = ((s << 31) & 0xffffffff | s >> 1) + d[base + i] & 0xffffffff\n"           \
	"    d[base + 11 * 512:base + 12 * 512] = struct.pack('<I', s) * 128\n"                    \
	"open('fs', 'wb').write(d)\n"                                                              \
	"END\n"                                                                                    \
	"rm -f fs; truncate -s 8M fs; mkfs.exfat fs; python3 set.py; fsck.exfat -n fs"

static void exfat_is_mended_with_its_checksums(void **state)
{
	struct moved_case c;

	(void)state;
	NEED_TOOL("mkfs.exfat");
	NEED_TOOL("python3");
	run(EXFAT_OFFSET("63"));
	open_moved(&c, "fs");
	mend(&c, 4);
	assert_int_equal(field_of("after", 64, 8), TO);
	assert_int_equal(field_of("after", 12 * 512 + 64, 8), TO);
	run("fsck.exfat -n after; cmp -n 6144 after after 0 6144");
	undo(&c, "fs");
	close_moved(&c);

	run(EXFAT_OFFSET("0")); /* 0 is "ignore", and stays */
	open_moved(&c, "fs");
	mend(&c, 0);
	close_moved(&c);

	/* One region is damaged: it stays as it is, the other one is mended. */
	run(EXFAT_OFFSET("63"));
	run("printf 'x' | dd of=fs bs=1 seek=200 conv=notrunc");
	open_moved(&c, "fs");
	mend(&c, 2);
	assert_int_equal(field_of("after", 64, 8), FROM);
	assert_int_equal(field_of("after", 12 * 512 + 64, 8), TO);
	close_moved(&c);
}

static void put_repeated(uint8_t *sector, uint32_t len, uint32_t sum)
{
	for (uint32_t i = 0; i < len; i += 4)
		put_le32(sector + i, sum);
}

/* 4096-byte sectors, where the checksum's sector takes eight fields. */
static void exfat_of_4096_byte_sectors(void **state)
{
	enum { SECTOR = 4096, REGION = 12 * SECTOR };
	uint8_t *bytes = calloc(1, 4 * REGION);
	struct memory_io disk = memory_io_wrap(bytes, 4 * REGION);
	struct partition p = { .number = 1, .start = 7 * SECTOR, .size = 2 * REGION };
	struct plan_place place = { .start = 8 * SECTOR, .size = 2 * REGION };
	struct layout layout = { .partitions = &p, .count = 1 };
	struct plan plan = { .places = &place, .place_count = 1 };
	struct position_field *fields;
	struct reason reason;
	size_t count;

	(void)state;
	for (int i = 0; i < 2; i++) {
		uint8_t *region = bytes + place.start + i * REGION;

		memcpy(region,
		       "\xeb\x76\x90"
		       "EXFAT   ",
		       11);
		put_le64(region + 64, 7);
		region[108] = 12;
		region[510] = 0x55;
		region[511] = 0xaa;
		put_repeated(region + 11 * SECTOR, SECTOR, exfat_boot_checksum(region, SECTOR));
	}
	assert_int_equal(
		find_position_fields(&disk.io, &layout, &plan, SECTOR, &fields, &count, &reason),
		0);
	assert_int_equal(count, 18);
	for (size_t i = 0; i < count; i++)
		memcpy(bytes + fields[i].offset, fields[i].new_bytes, fields[i].length);
	for (int i = 0; i < 2; i++) {
		uint8_t *region = bytes + place.start + i * REGION, sums[SECTOR];

		assert_true(get_le64(region + 64) == 8);
		put_repeated(sums, SECTOR, exfat_boot_checksum(region, SECTOR));
		assert_memory_equal(region + 11 * SECTOR, sums, SECTOR);
	}
	free(fields);
	free(bytes);
}

static void a_read_error_is_no_answer(void **state)
{
	static uint8_t boot[512];
	struct memory_io disk = memory_io_new(64 * MIB);
	struct partition p = { .number = 3, .start = 63 * 512, .size = 8 * MIB };
	struct plan_place place = { .start = MIB, .size = 8 * MIB };
	struct layout layout = { .partitions = &p, .count = 1 };
	struct plan plan = { .places = &place, .place_count = 1 };
	struct position_field *fields;
	struct reason reason;
	size_t count;

	(void)state;
	memcpy(boot,
	       "\xeb\x58\x90"
	       "mkfs.fat\0\2\1\x20\0\2\0\0\0\0\xf8",
	       22);
	put_le32(boot + 0x1c, 63);
	put_le32(boot + 36, 100);
	put_le16(boot + 0x32, 6);
	boot[510] = 0x55;
	boot[511] = 0xaa;
	memory_io_put(&disk, MIB, boot, sizeof(boot));
	assert_int_equal(
		find_position_fields(&disk.io, &layout, &plan, 512, &fields, &count, &reason), 0);
	assert_int_equal(count, 1);
	free(fields);
	disk.fail_error = -EIO;
	disk.fail_at = MIB + 6 * 512;
	assert_int_equal(
		find_position_fields(&disk.io, &layout, &plan, 512, &fields, &count, &reason),
		-EIO);
	assert_non_null(strstr(reason.text, "partition 3"));
	assert_null(fields);
	/* Who stays is not looked at. */
	place.start = p.start;
	disk.fail_at = p.start;
	assert_int_equal(
		find_position_fields(&disk.io, &layout, &plan, 512, &fields, &count, &reason), 0);
	assert_int_equal(count, 0);
}

static void start_values_follow_their_rule(void **state)
{
	static const struct {
		struct place_change change;
		uint32_t fs_sector;
		uint64_t value;
		uint32_t width;
		uint64_t expected; /* 0: it stays */
	} cases[] = {
		{ { 63 * 512, MIB, 0, 0, 512 }, 512, 63, 4, 2048 },
		{ { 63 * 512, MIB, 0, 0, 512 }, 512, 0, 4, 0 },
		{ { 63 * 512, MIB, 0, 0, 512 }, 512, 62, 4, 0 },
		/* 4096-byte disk: its sectors, or 512-byte ones by a tool that knew no other */
		{ { 7 * 4096, MIB, 0, 0, 4096 }, 4096, 7, 4, 256 },
		{ { 7 * 4096, MIB, 0, 0, 4096 }, 4096, 56, 4, 2048 },
		/* a file system of 4096-byte sectors on a disk of 512 */
		{ { 64 * 512, MIB, 0, 0, 512 }, 4096, 8, 4, 256 },
		{ { 64 * 512, MIB + 512, 0, 0, 512 }, 4096, 8, 4, 0 },
		{ { 63 * 512, MIB, 0, 0, 512 }, 4096, 7, 4, 0 },
		/* logicals */
		{ { 126 * 512, 2 * MIB, 63 * 512, MIB, 512 }, 512, 126, 4, 4096 },
		{ { 126 * 512, 2 * MIB, 63 * 512, MIB, 512 }, 512, 63, 4, 2048 },
		{ { 126 * 512, 2 * MIB, 63 * 512, 0, 512 }, 512, 63, 4, 4096 },
		{ { 63 * 512, 2 * MIB, 64 * 512, MIB, 512 }, 512, UINT64_MAX, 8, 0 },
		/* what 32 bits cannot hold stays, 64 can */
		{ { 63 * 512, 512ULL << 32, 0, 0, 512 }, 512, 63, 4, 0 },
		{ { 63 * 512, 512ULL << 32, 0, 0, 512 }, 512, 63, 8, 1ULL << 32 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t value = 0;
		bool found = find_start_value(&cases[i].change, cases[i].fs_sector, cases[i].value,
					      cases[i].width, &value);

		if (found != (cases[i].expected != 0) || value != cases[i].expected)
			fail_msg("case %zu: %d %llu", i, found, (unsigned long long)value);
	}
}

static void boot_records_are_told_apart(void **state)
{
	uint8_t b[512] = "\xeb\x3c\x90"
			 "mkfs.fat";
	struct boot_record record;

	(void)state;
	put_le16(b + 11, 512);
	b[13] = 4;
	put_le16(b + 14, 1);
	b[16] = 2;
	b[21] = 0xf8;
	put_le16(b + 22, 20);
	assert_false(decode_boot_record(b, &record)); /* no 55 aa */
	b[510] = 0x55;
	b[511] = 0xaa;
	assert_true(decode_boot_record(b, &record));
	assert_int_equal(record.kind, BOOT_RECORD_FAT);
	assert_true(record.backup == 0);
	put_le16(b + 0x32, 6); /* of a FAT16: no backup */
	assert_true(decode_boot_record(b, &record) && record.backup == 0);
	put_le16(b + 22, 0);
	assert_false(decode_boot_record(b, &record)); /* FAT32 of no size */
	put_le32(b + 36, 20);
	assert_true(decode_boot_record(b, &record) && record.backup == 0); /* 6 is not reserved */
	put_le16(b + 14, 32);
	assert_true(decode_boot_record(b, &record) && record.backup == 6 * 512);
	put_le16(b + 0x32, 0xffff);
	assert_true(decode_boot_record(b, &record) && record.backup == 0);
#define IMPOSSIBLE(at, value)                                                                      \
	do {                                                                                       \
		uint8_t kept = b[at];                                                              \
                                                                                                   \
		b[at] = value;                                                                     \
		assert_false(decode_boot_record(b, &record));                                      \
		assert_int_equal(record.kind, BOOT_RECORD_NONE);                                   \
		b[at] = kept;                                                                      \
	} while (0)
	IMPOSSIBLE(0, 0xfa); /* a boot manager */
	IMPOSSIBLE(12, 0x03);
	IMPOSSIBLE(12, 0x20);
	IMPOSSIBLE(13, 3);
	IMPOSSIBLE(13, 0);
	IMPOSSIBLE(14, 0);
	IMPOSSIBLE(16, 0);
	IMPOSSIBLE(16, 5);
	IMPOSSIBLE(21, 0x10);
	memcpy(b + 3, "NTFS    ", 8);
	assert_true(decode_boot_record(b, &record));
	assert_int_equal(record.kind, BOOT_RECORD_NTFS);
	memcpy(b + 3, "EXFAT   ", 8);
	b[108] = 12;
	assert_int_not_equal(decode_boot_record(b, &record) ? record.kind : BOOT_RECORD_NONE,
			     BOOT_RECORD_EXFAT); /* parameters where zeros must be */
	memset(b + 11, 0, 53);
	assert_true(decode_boot_record(b, &record));
	assert_int_equal(record.kind, BOOT_RECORD_EXFAT);
	assert_int_equal(record.sector, 4096);
	assert_true(record.backup == 12 * 4096);
	IMPOSSIBLE(108, 8);
	IMPOSSIBLE(108, 13);
	IMPOSSIBLE(108, 255);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fat_of_each_width_is_mended),
		cmocka_unit_test(values_that_are_not_the_old_start_stay),
		cmocka_unit_test(each_copy_is_judged_by_itself),
		cmocka_unit_test(a_logical_follows_its_own_rule),
		cmocka_unit_test(ntfs_is_mended_at_both_ends),
		cmocka_unit_test(exfat_is_mended_with_its_checksums),
		cmocka_unit_test(exfat_of_4096_byte_sectors),
		cmocka_unit_test(a_read_error_is_no_answer),
		cmocka_unit_test(start_values_follow_their_rule),
		cmocka_unit_test(boot_records_are_told_apart),
	};

	return cmocka_run_group_tests(tests, image_setup, image_teardown);
}
