// SPDX-License-Identifier: GPL-2.0-or-later
/* The MBR: what is a table at all, what it names, and in which unit it counts. */
#include "tables.h"

#include <errno.h>

enum { SECTORS = 131072 }; /* 64 MiB of 512-byte sectors */

static struct disk mbr_disk(void)
{
	struct disk d = disk_new((size_t)SECTORS * 512, 512);

	put_signature(&d, 0);
	put_le32(d.bytes + 440, 0x0000beef);
	return d;
}

static struct layout *read_and_free(struct disk *d)
{
	struct layout *l = read_disk(d);

	free(d->bytes);
	return l;
}

/* ---- what is a table */

static void primaries_are_listed(void **state)
{
	struct disk d = mbr_disk();

	(void)state;
	put_mbr_entry(&d, 0, 0, 0x80, 0x07, 63, 1000);
	put_mbr_entry(&d, 0, 2, 0, 0x0c, 2048, 4096);
	put_mbr_entry(&d, 0, 3, 0, 0, 8192,
		      1); /* type 0 with a size is a partition to the kernel */

	struct layout *l = read_and_free(&d);

	assert_no_findings(l);
	assert_int_equal(l->type, TABLE_DOS);
	assert_string_equal(l->id, "0000beef");
	assert_int_equal(l->sector_size, 512);
	assert_false(l->sector_size_proven);
	assert_int_equal(l->count, 3);
	assert_place(l, 0, 1, 63, 1000);
	assert_place(l, 1, 3, 2048, 4096);
	assert_place(l, 2, 4, 8192, 1);
	assert_true(l->partitions[0].bootable && !l->partitions[1].bootable);
	assert_true(l->partitions[0].attributes == 0x80);
	assert_string_equal(l->partitions[0].type, "7");
	assert_string_equal(l->partitions[1].type, "c");
	assert_string_equal(l->partitions[0].uuid, "0000beef-01");
	assert_string_equal(l->partitions[1].uuid, "0000beef-03");
	assert_string_equal(partition_type_name(&l->partitions[0]), "HPFS/NTFS/exFAT");
	assert_int_equal(l->partitions[0].parent, -1);
	assert_true(l->partitions[0].ebr == 0);
	layout_free(l);
}

static enum table_type type_of(struct disk *d)
{
	struct layout *l = read_disk(d);
	enum table_type type = l->type;

	assert_no_findings(l);
	layout_free(l);
	return type;
}

static void no_table(void **state)
{
	struct disk d = mbr_disk();

	(void)state;
	put_mbr_entry(&d, 0, 0, 0, 0x83, 2048, 4096);
	assert_int_equal(type_of(&d), TABLE_DOS);

	d.bytes[446] = 0x01; /* neither active nor not: no table, as to the kernel */
	assert_int_equal(type_of(&d), TABLE_NONE);
	d.bytes[446] = 0x80;
	assert_int_equal(type_of(&d), TABLE_DOS);
	d.bytes[446 + 48] = 0xff; /* an unused entry is held to it too */
	assert_int_equal(type_of(&d), TABLE_NONE);
	d.bytes[446 + 48] = 0;

	d.bytes[510] = 0x54;
	assert_int_equal(type_of(&d), TABLE_NONE);
	d.bytes[510] = 0x55;

	memcpy(d.bytes, "\xc9\xc2\xd4\xc1", 4); /* AIX */
	assert_int_equal(type_of(&d), TABLE_NONE);
	memset(d.bytes, 0, 4);
	assert_int_equal(type_of(&d), TABLE_DOS);
	free(d.bytes);
}

/* A file system's boot sector ends in 55 aa too (case 27). */
static void boot_sectors_are_no_tables(void **state)
{
	static const char *const names[] = { "NTFS    ", "EXFAT   ", "-FVE-FS-" };
	struct disk d = mbr_disk();

	(void)state;
	put_mbr_entry(&d, 0, 0, 0, 0x83, 2048, 4096);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		memcpy(d.bytes + 3, names[i], 8);
		assert_int_equal(type_of(&d), TABLE_NONE);
	}
	memset(d.bytes, 0, 440);

	/* FAT16 by its parameter block; each field alone takes it back. */
	static const struct {
		size_t offset;
		uint8_t good, bad;
	} fields[] = {
		{ 0, 0xeb, 0xfa }, { 12, 0x02, 0x03 }, { 13, 4, 3 },   { 14, 1, 0 },
		{ 16, 2, 0 },      { 21, 0xf8, 0xf1 }, { 22, 200, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		d.bytes[fields[i].offset] = fields[i].good;
	assert_int_equal(type_of(&d), TABLE_NONE);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		d.bytes[fields[i].offset] = fields[i].bad;
		assert_int_equal(type_of(&d), TABLE_DOS);
		d.bytes[fields[i].offset] = fields[i].good;
	}
	d.bytes[22] = 0; /* FAT32 has its size elsewhere */
	d.bytes[36] = 1;
	assert_int_equal(type_of(&d), TABLE_NONE);
	free(d.bytes);
}

/* GRUB's boot.img begins with the same jump as FAT and leaves the parameter block empty. */
static void boot_code_is_no_file_system(void **state)
{
	struct disk d = mbr_disk();

	(void)state;
	memcpy(d.bytes, "\xeb\x63\x90", 3);
	put_mbr_entry(&d, 0, 0, 0x80, 0x83, 2048, 4096);
	assert_int_equal(type_of(&d), TABLE_DOS);
	free(d.bytes);
}

static void an_empty_mbr(void **state)
{
	struct disk d = mbr_disk();
	struct layout *l = read_disk(&d);

	(void)state;
	assert_no_findings(l);
	assert_int_equal(l->type, TABLE_DOS);
	assert_int_equal(l->count, 0);
	layout_free(l);

	/* Boot code in front of LVM, or of a file system, that owns the disk. */
	memcpy(d.bytes + 512, "LABELONE", 8);
	assert_int_equal(type_of(&d), TABLE_NONE);
	put_mbr_entry(&d, 0, 0, 0, 0x8e, 2048, 4096);
	assert_int_equal(type_of(&d), TABLE_DOS);
	free(d.bytes);
}

static void odd_starts(void **state)
{
	struct disk d = mbr_disk();
	struct layout *l;

	(void)state;
	put_mbr_entry(&d, 0, 0, 0, 0x83, 0, 4096);
	l = read_disk(&d);
	assert_only_finding(l, FINDING_TABLE_DAMAGED, "starts at sector 0");
	layout_free(l);

	put_mbr_entry(&d, 0, 0, 0, 0xa5, 0, 50000); /* BSD's dangerously dedicated disks */
	l = read_disk(&d);
	assert_no_findings(l);
	layout_free(l);

	/* isohybrid and xorriso protect an ISO image */
	memcpy(d.bytes + 32769, "CD001", 5);
	put_mbr_entry(&d, 0, 0, 0x80, 0x17, 0, 4096);
	put_mbr_entry(&d, 0, 1, 0, 0xef, 1000, 64);
	l = read_disk(&d);
	assert_no_findings(l);
	assert_int_equal(l->partitions[0].role, ROLE_WHOLE);
	assert_int_equal(l->partitions[1].role, ROLE_DATA);
	layout_free(l);
	put_mbr_entry(&d, 0, 0, 0x80, 0xcd, 1, 4095);
	put_mbr_entry(&d, 0, 1, 0, 0, 0, 0);
	l = read_disk(&d);
	assert_no_findings(l);
	assert_int_equal(l->partitions[0].role, ROLE_PROTECTIVE);
	layout_free(l);
	d.bytes[32769] = 'X'; /* no ISO image: then it is a partition at sector 1 */
	l = read_disk(&d);
	assert_int_equal(l->partitions[0].role, ROLE_DATA);
	layout_free(l);
	free(d.bytes);
}

static void numbers_at_the_end_of_32_bits(void **state)
{
	struct disk d = mbr_disk();
	struct memory_io m;
	struct layout *l;

	(void)state;
	put_mbr_entry(&d, 0, 0, 0, 0x83, UINT32_MAX, UINT32_MAX);
	m = memory_io_new(1ULL << 44);
	memory_io_put(&m, 0, d.bytes, 512);
	l = read_io(&m.io, 512, true);
	assert_no_findings(l);
	assert_place(l, 0, 1, UINT32_MAX, UINT32_MAX);
	layout_free(l);
	l = read_io(&m.io, 4096, true);
	assert_only_finding(l, FINDING_BEYOND_END, "past the end");
	assert_place(l, 0, 1, UINT32_MAX, UINT32_MAX);
	layout_free(l);
	free(d.bytes);
}

static void overlap_and_end(void **state)
{
	struct disk d = mbr_disk();
	struct layout *l;

	(void)state;
	put_mbr_entry(&d, 0, 0, 0, 0x83, 2048, 1000);
	put_mbr_entry(&d, 0, 1, 0, 0x83, 3048, SECTORS - 3048);
	l = read_disk(&d);
	assert_no_findings(l);
	layout_free(l);

	put_mbr_entry(&d, 0, 1, 0, 0x83, 3047, SECTORS - 3046);
	l = read_disk(&d);
	assert_int_equal(l->findings.count, 2);
	assert_string_equal(finding_text(l, FINDING_OVERLAP), "overlaps partition 1 by 1 sectors");
	assert_true(strstr(finding_text(l, FINDING_BEYOND_END), "ends 512 bytes past the end"));
	layout_free(l);

	/* One that swallows two others is found with both, and they are not found with each other.
	 */
	put_mbr_entry(&d, 0, 0, 0, 0x83, 2048, 10000);
	put_mbr_entry(&d, 0, 1, 0, 0x83, 3000, 10);
	put_mbr_entry(&d, 0, 2, 0, 0x83, 4000, 10);
	l = read_disk(&d);
	assert_int_equal(l->findings.count, 2);
	assert_int_equal(l->findings.list[0].partition, 1);
	assert_int_equal(l->findings.list[1].partition, 2);
	assert_string_equal(l->findings.list[1].message, "overlaps partition 1 by 10 sectors");
	layout_free(l);
	free(d.bytes);
}

/* ---- a table in another unit (case 15) */

static void put_ext(struct disk *d, uint64_t offset)
{
	uint8_t *sb = d->bytes + offset + 1024;

	put_le32(sb, 1000);
	put_le32(sb + 4, 4000);
	put_le16(sb + 56, 0xef53);
}

static void a_table_in_other_units(void **state)
{
	static const uint32_t units[][2] = { { 512, 4096 }, { 4096, 512 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		uint32_t device = units[i][0], table = units[i][1];
		struct disk d = disk_new(64 * MIB, device);
		struct memory_io m = memory_io_wrap(d.bytes, d.size);
		struct layout *l;

		put_signature(&d, 0);
		put_mbr_entry(&d, 0, 0, 0, 0x83, 256, 4000);
		l = read_io(&m.io, device,
			    true); /* nothing there to tell: the device is believed */
		assert_int_equal(l->sector_size, device);
		assert_false(l->sector_size_proven);
		layout_free(l);

		put_ext(&d, 256 * table);
		l = read_io(&m.io, device, true);
		assert_no_findings(l);
		assert_int_equal(l->sector_size, table);
		assert_true(l->sector_size_proven);
		assert_place(l, 0, 1, 256, 4000);
		layout_free(l);

		l = read_io(&m.io, device, false);
		assert_only_finding(l, FINDING_SECTOR_SIZE_MISMATCH, "file systems lie where");
		assert_int_equal(l->count, 0);
		assert_int_equal(l->sector_size, table);
		layout_free(l);

		put_ext(&d, 256 * device); /* one that is where it should be settles it */
		l = read_io(&m.io, device, false);
		assert_no_findings(l);
		assert_int_equal(l->sector_size, device);
		layout_free(l);
		free(d.bytes);
	}
}

/* Boot loaders live raw in a first partition, and the next begins where eight times its start is.
 */
static void a_neighbour_is_no_proof(void **state)
{
	struct disk d = mbr_disk();
	struct layout *l;

	(void)state;
	put_mbr_entry(&d, 0, 0, 0, 0xda, 2048, 2048);
	put_mbr_entry(&d, 0, 1, 0, 0x83, 16384, 128);
	put_ext(&d, 16384 * 512);
	l = read_disk(&d);
	assert_int_equal(l->sector_size, 512);
	layout_free(l);
	free(d.bytes);
}

/* A table that fills its disk cannot count in larger units: nothing more is read to find out. */
static void a_full_disk_needs_no_second_look(void **state)
{
	struct disk d = mbr_disk();
	struct memory_io m = memory_io_wrap(d.bytes, d.size);
	struct layout *l;

	(void)state;
	put_mbr_entry(&d, 0, 0, 0, 0x83, 2048, SECTORS / 8 - 2047);
	put_ext(&d, 2048 * 4096);
	l = read_io(&m.io, 512, true);
	assert_int_equal(l->sector_size, 512);
	assert_int_equal(m.reads, 1);
	layout_free(l);
	put_mbr_entry(&d, 0, 0, 0, 0x83, 2048, SECTORS / 8 - 2048); /* this one could */
	l = read_io(&m.io, 512, true);
	assert_int_equal(l->sector_size, 4096);
	layout_free(l);
	free(d.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(primaries_are_listed),
		cmocka_unit_test(no_table),
		cmocka_unit_test(boot_sectors_are_no_tables),
		cmocka_unit_test(boot_code_is_no_file_system),
		cmocka_unit_test(an_empty_mbr),
		cmocka_unit_test(odd_starts),
		cmocka_unit_test(numbers_at_the_end_of_32_bits),
		cmocka_unit_test(overlap_and_end),
		cmocka_unit_test(a_table_in_other_units),
		cmocka_unit_test(a_neighbour_is_no_proof),
		cmocka_unit_test(a_full_disk_needs_no_second_look),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
