// SPDX-License-Identifier: GPL-2.0-or-later
/* The MBR and its chains of EBRs: what is a table at all, how it is numbered, how it breaks. */
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

/* ---- EBRs */

/* A container at 2048, 20000 sectors; three logicals, each 63 behind its EBR. */
static struct disk chain_disk(void)
{
	struct disk d = mbr_disk();

	put_mbr_entry(&d, 0, 0, 0, 0x05, 2048, 20000);
	put_ebr(&d, 2048, 63, 1000, 4000);
	put_ebr(&d, 6048, 63, 2000, 8000);
	put_ebr(&d, 10048, 63, 3000, 0);
	return d;
}

static void logicals_are_numbered_from_five(void **state)
{
	struct disk d = chain_disk();
	struct layout *l = read_and_free(&d);

	(void)state;
	assert_no_findings(l);
	assert_int_equal(l->count, 4);
	assert_place(l, 0, 1, 2048, 20000);
	assert_int_equal(l->partitions[0].role, ROLE_EXTENDED);
	assert_place(l, 1, 5, 2048 + 63, 1000);
	assert_place(l, 2, 6, 6048 + 63, 2000);
	assert_place(l, 3, 7, 10048 + 63, 3000);
	for (size_t i = 1; i < 4; i++) {
		assert_int_equal(l->partitions[i].parent, 0);
		assert_int_equal(l->partitions[i].role, ROLE_DATA);
	}
	assert_true(l->partitions[2].ebr == 6048 * 512);
	assert_string_equal(l->partitions[3].uuid, "0000beef-07");
	layout_free(l);
}

static void every_extended_type_and_several_of_them(void **state)
{
	static const uint8_t types[] = { 0x05, 0x0f, 0x85 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct disk d = chain_disk();

		put_mbr_entry(&d, 0, 0, 0, types[i], 2048, 20000);
		put_mbr_entry(&d, 0, 2, 0, 0x0f, 40000, 10000);
		put_ebr(&d, 40000, 1, 100, 0); /* container + 1 */

		struct layout *l = read_and_free(&d);

		assert_no_findings(l);
		assert_int_equal(l->count, 6);
		assert_place(l, 1, 3, 40000, 10000);
		assert_place(l, 5, 8, 40001, 100);
		assert_int_equal(l->partitions[5].parent, 1);
		layout_free(l);
	}
}

/* DR-DOS puts the link first, OS/2 uses all four entries; the last two only where they fit. */
static void odd_entries_in_an_ebr(void **state)
{
	struct disk d = chain_disk();

	(void)state;
	put_mbr_entry(&d, 2048, 0, 0, 0x05, 4000, 1000); /* an empty EBR with its link in front */
	put_mbr_entry(&d, 2048, 1, 0, 0, 0, 0);
	put_mbr_entry(&d, 6048, 2, 0, 0x83, 100, 100); /* within the 1000 of the link */
	put_mbr_entry(&d, 6048, 3, 0, 0x83, 100, 5000);
	put_mbr_entry(&d, 10048, 1, 0, 0x83, 5000, 10);

	struct layout *l = read_and_free(&d);

	assert_int_equal(l->count, 5);
	assert_place(l, 1, 5, 6048 + 63, 2000);
	assert_place(l, 2, 6, 6148, 100);
	assert_place(l, 3, 7, 10048 + 63, 3000);
	assert_place(l, 4, 8, 15048, 10);
	assert_only_finding(l, FINDING_OVERLAP, "overlaps partition 5");
	layout_free(l);
}

static void chains_that_loop(void **state)
{
	static const struct {
		uint32_t from, to; /* the EBR whose link is bent, relative to the container */
		size_t logicals;
	} loops[] = { { 8000, 4000, 3 }, { 8000, 8000, 3 }, { 4000, 4000, 2 }, { 8000, 0, 3 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(loops); i++) {
		struct disk d = chain_disk();

		put_mbr_entry(&d, 2048 + loops[i].from, 1, 0, 0x05, loops[i].to, 1000);

		struct layout *l = read_and_free(&d);

		assert_only_finding(l, FINDING_TABLE_DAMAGED, "loops: sector ");
		assert_int_equal(l->findings.list[0].partition, 0);
		assert_int_equal(l->count, 1 + loops[i].logicals);
		layout_free(l);
	}
}

/* fdisk writes such a chain when a logical is deleted and another put in its place. */
static void a_chain_that_goes_backwards_is_a_warning(void **state)
{
	struct disk d = chain_disk();

	(void)state;
	put_ebr(&d, 10048, 63, 3000, 2000);
	put_ebr(&d, 4048, 63, 100, 0);

	struct layout *l = read_and_free(&d);

	assert_only_finding(l, FINDING_EBR_OUT_OF_ORDER, "sector 10048 links to sector 4048");
	assert_int_equal(findings_status(&l->findings, false), STATUS_ALIGNED);
	assert_int_equal(l->count, 5);
	assert_place(l, 4, 8, 4048 + 63, 100);
	layout_free(l);
}

static void chains_that_leave_their_container(void **state)
{
	struct disk d = chain_disk();
	struct layout *l;

	(void)state;
	put_ebr(&d, 10048, 63, 3000, 20000);
	put_ebr(&d, 22048, 63, 100, 0);
	l = read_disk(&d);
	assert_only_finding(l, FINDING_TABLE_DAMAGED,
			    "leaves its extended partition: sector 10048 "
			    "links to sector 22048");
	assert_int_equal(l->count, 4);
	layout_free(l);

	put_ebr(&d, 10048, 63, 3000, 19999); /* its last sector is still inside */
	put_ebr(&d, 22047, 0, 0, 0);
	l = read_disk(&d);
	assert_no_findings(l);
	layout_free(l);
	free(d.bytes);
}

static void a_logical_outside_its_container(void **state)
{
	struct disk d = chain_disk();
	struct layout *l;

	(void)state;
	put_ebr(&d, 10048, 63, 20000 - 8063, 0); /* right up to the end */
	l = read_disk(&d);
	assert_no_findings(l);
	layout_free(l);
	put_ebr(&d, 10048, 63, 20000 - 8062, 0);
	l = read_disk(&d);
	assert_only_finding(l, FINDING_TABLE_DAMAGED,
			    "sectors 10111-22048 lie outside its extended partition (2048-22047)");
	assert_int_equal(l->findings.list[0].partition, 3);
	assert_int_equal(l->count, 4);
	layout_free(l);
	free(d.bytes);
}

static void an_ebr_inside_data(void **state)
{
	struct disk d = chain_disk();
	struct layout *l;

	(void)state;
	put_ebr(&d, 2048, 63, 4000 - 63, 4000); /* ends right before the next EBR */
	l = read_disk(&d);
	assert_no_findings(l);
	layout_free(l);
	put_ebr(&d, 2048, 63, 4000 - 62, 4000);
	l = read_disk(&d);
	assert_only_finding(l, FINDING_EBR_INSIDE_DATA, "sector 6048");
	assert_int_equal(l->findings.list[0].partition, 1);
	layout_free(l);
	put_ebr(&d, 2048, 0, 100, 4000); /* over its own */
	l = read_disk(&d);
	assert_only_finding(l, FINDING_EBR_INSIDE_DATA, "sector 2048");
	layout_free(l);
	free(d.bytes);
}

static void missing_ebrs(void **state)
{
	struct disk d = chain_disk();
	struct layout *l;

	(void)state;
	sector_at(&d, 6048)[511] = 0;
	l = read_disk(&d);
	assert_only_finding(l, FINDING_TABLE_DAMAGED, "sector 6048 should hold an EBR");
	assert_int_equal(l->count, 2);
	layout_free(l);

	/* The first one: blank is an extended partition never used, anything else is damage. */
	sector_at(&d, 2048)[511] = 0;
	l = read_disk(&d);
	assert_only_finding(l, FINDING_TABLE_DAMAGED, "sector 2048 should hold an EBR");
	layout_free(l);
	memset(sector_at(&d, 2048), 0, 512);
	l = read_disk(&d);
	assert_no_findings(l);
	assert_int_equal(l->count, 1);
	layout_free(l);

	/* A container cut off by the end, and one that starts over the table. */
	put_mbr_entry(&d, 0, 0, 0, 0x05, SECTORS, 100);
	l = read_disk(&d);
	assert_true(strstr(finding_text(l, FINDING_TABLE_DAMAGED), "past the end of the disk"));
	assert_int_equal(count_findings(l, FINDING_BEYOND_END), 1);
	layout_free(l);
	put_mbr_entry(&d, 0, 0, 0, 0x05, 0, 100);
	l = read_disk(&d);
	assert_only_finding(l, FINDING_TABLE_DAMAGED, "starts at sector 0");
	layout_free(l);
	free(d.bytes);
}

static void an_unreadable_ebr(void **state)
{
	struct disk d = chain_disk();
	struct memory_io m = memory_io_wrap(d.bytes, d.size);
	struct layout *l;

	(void)state;
	m.fail_error = -EIO;
	m.fail_at = 6048 * 512;
	l = read_io(&m.io, 512, true);
	assert_only_finding(l, FINDING_TABLE_DAMAGED,
			    "cannot read the EBR at sector 6048: Input/output error");
	assert_int_equal(l->count, 2);
	layout_free(l);
	free(d.bytes);
}

static void a_chain_without_an_end(void **state)
{
	struct disk d = mbr_disk();
	struct layout *l;

	(void)state;
	put_mbr_entry(&d, 0, 0, 0, 0x0f, 2048, SECTORS - 2048);
	for (uint32_t i = 0; i < 3000; i++)
		put_ebr(&d, 2048 + 4 * i, 2, 2, 4 * (i + 1));
	l = read_disk(&d);
	assert_only_finding(l, FINDING_TABLE_DAMAGED, "more than 1024 partitions");
	assert_int_equal(l->count, LAYOUT_PARTITIONS_MAX);
	layout_free(l);

	for (uint32_t i = 0; i < 3000; i++) /* empty ones count too */
		put_mbr_entry(&d, 2048 + 4 * i, 0, 0, 0, 0, 0);
	l = read_disk(&d);
	assert_only_finding(l, FINDING_TABLE_DAMAGED, "more than 1024 links");
	layout_free(l);
	free(d.bytes);
}

static void four_kib_sectors(void **state)
{
	struct disk d = disk_new(64 * MIB, 4096);
	struct layout *l;

	(void)state;
	put_signature(&d, 0);
	put_mbr_entry(&d, 0, 0, 0, 0x83, 256, 100);
	put_mbr_entry(&d, 0, 1, 0, 0x05, 512, 1000);
	put_ebr(&d, 512, 8, 100, 200);
	put_ebr(&d, 712, 9, 100, 0);
	l = read_and_free(&d);
	assert_no_findings(l);
	assert_int_equal(l->sector_size, 4096);
	assert_place(l, 0, 1, 256, 100);
	assert_place(l, 2, 5, 520, 100);
	assert_place(l, 3, 6, 721, 100);
	assert_true(l->partitions[3].ebr == 712 * 4096);
	layout_free(l);
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

/* ---- reads */

static void unreadable_and_small(void **state)
{
	static const struct layout_options options = { .sector_size = 512 };
	struct disk d = chain_disk();
	struct memory_io m = memory_io_wrap(d.bytes, d.size);
	struct reason reason = { "" };
	struct layout *l = NULL;

	(void)state;
	m.fail_error = -EIO;
	assert_int_equal(read_layout(&m.io, &options, &l, &reason), -EIO);
	assert_string_equal(reason.text, "cannot read sector 0: Input/output error");
	assert_null(l);

	m.fail_at = 512; /* sector 1 might have been a GPT's */
	l = read_io(&m.io, 512, true);
	assert_only_finding(l, FINDING_TABLE_DAMAGED, "cannot read sector 1: Input/output error");
	assert_int_equal(l->count, 4);
	layout_free(l);

	m.fail_error = 0;
	for (uint64_t size = 0; size < 512; size += 73) {
		m.io.size = size;
		assert_int_equal(read_layout(&m.io, &options, &l, &reason), -EINVAL);
		assert_string_equal(reason.text, "cannot check: smaller than one sector");
	}
	m.io.size = 512; /* a table and nothing else */
	l = read_io(&m.io, 512, true);
	assert_int_equal(l->type, TABLE_DOS);
	assert_int_equal(count_findings(l, FINDING_BEYOND_END), 1);
	layout_free(l);
	free(d.bytes);
}

static void reads_are_few(void **state)
{
	struct disk d = chain_disk();
	struct memory_io m = memory_io_wrap(d.bytes, d.size);
	struct layout *l;

	(void)state;
	m.io.size = d.size;
	l = read_io(&m.io, 512, true);
	assert_int_equal(m.reads, 1 + 3);
	assert_true(m.bytes_read <= 64 * KIB + 3 * 512);
	layout_free(l);
	free(d.bytes);
}

/* ---- any layout that can be encoded is decoded as it was meant */

static void random_layouts_come_back(void **state)
{
	uint64_t seed = 0x2b7e1516;

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct disk d = mbr_disk();
		struct partition expected[64];
		uint64_t at = 1 + next_random(&seed) % 100;
		size_t n = 0, primaries = next_random(&seed) % 4;
		uint32_t logicals = next_random(&seed) % 20, container = 0;

		for (size_t i = 0; i < primaries; i++) {
			uint64_t sectors = 1 + next_random(&seed) % 3000;

			put_mbr_entry(&d, 0, i, 0, 0x83, at, sectors);
			expected[n++] =
				(struct partition){ .number = i + 1, .start = at, .size = sectors };
			at += sectors + next_random(&seed) % 100;
		}
		container = at;
		put_mbr_entry(&d, 0, 3, 0, 0x0f, container, SECTORS - container);
		expected[n++] = (struct partition){ .number = 4,
						    .start = container,
						    .size = SECTORS - container };
		for (uint32_t i = 0; i < logicals; i++) {
			uint32_t gap = 1 + next_random(&seed) % 64;
			uint32_t sectors = 1 + next_random(&seed) % 3000;
			uint64_t next = at + gap + sectors;

			put_ebr(&d, at, gap, sectors, i + 1 < logicals ? next - container : 0);
			expected[n++] = (struct partition){ .number = 5 + i,
							    .start = at + gap,
							    .size = sectors };
			at = next;
		}

		struct layout *l = read_and_free(&d);

		assert_no_findings(l);
		assert_int_equal(l->count, n);
		for (size_t i = 0; i < n; i++)
			assert_place(l, i, expected[i].number, expected[i].start, expected[i].size);
		layout_free(l);
	}
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
		cmocka_unit_test(logicals_are_numbered_from_five),
		cmocka_unit_test(every_extended_type_and_several_of_them),
		cmocka_unit_test(odd_entries_in_an_ebr),
		cmocka_unit_test(chains_that_loop),
		cmocka_unit_test(a_chain_that_goes_backwards_is_a_warning),
		cmocka_unit_test(chains_that_leave_their_container),
		cmocka_unit_test(a_logical_outside_its_container),
		cmocka_unit_test(an_ebr_inside_data),
		cmocka_unit_test(missing_ebrs),
		cmocka_unit_test(an_unreadable_ebr),
		cmocka_unit_test(a_chain_without_an_end),
		cmocka_unit_test(four_kib_sectors),
		cmocka_unit_test(a_table_in_other_units),
		cmocka_unit_test(a_neighbour_is_no_proof),
		cmocka_unit_test(unreadable_and_small),
		cmocka_unit_test(reads_are_few),
		cmocka_unit_test(random_layouts_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
