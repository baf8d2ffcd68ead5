// SPDX-License-Identifier: GPL-2.0-or-later
/* Disks without a table, and the labels that are neither MBR nor GPT, as real tools make them. */
#include "images.h"

#include "alignck/probe.h"

/* ---- no table */

static void no_table(void **state)
{
	static const struct {
		const char *tool, *line;
	} makers[] = {
		{ "true", "true" },
		{ "mkfs.fat", "mkfs.fat -F 16 $I" },
		{ "mkfs.fat", "mkfs.fat -F 32 $I" },
		{ "mkfs.fat", "mkfs.fat --mbr=yes $I" },
		{ "mkfs.exfat", "mkfs.exfat $I" },
		{ "mkntfs", "mkntfs -Q -F $I" },
		{ "mkfs.ext4", "mkfs.ext4 -q -F $I" },
		{ "mkswap", "mkswap $I" },
		{ "mkfs.xfs", "truncate -s 400M $I; mkfs.xfs -q -f $I" },
		{ "cryptsetup", "echo pw | cryptsetup -q luksFormat --pbkdf pbkdf2 "
				"--pbkdf-force-iterations 1000 $I -" },
		{ "mkfs.ext4", "mkfs.ext4 -q -F $I; printf '\\125\\252' | "
			       "dd of=$I bs=1 seek=510 conv=notrunc" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(makers); i++) {
		struct layout *l;

		print_message("# %s\n", makers[i].line);
		need(makers[i].tool);
		new_image(64 * MIB);
		run(makers[i].line);
		l = read_image();
		assert_no_findings(l);
		assert_int_equal(l->type, TABLE_NONE);
		assert_int_equal(l->count, 0);
		assert_int_equal(l->sector_size, 0);
		assert_string_equal(table_type_name(l->type), "none");
		layout_free(l);
	}
}

/* ---- libblkid's labels */

static void bsd_in_a_slice(void **state)
{
	struct layout *l;

	(void)state;
	need("fdisk");
	need("sfdisk");
	new_image(256 * MIB);
	run("printf '2048,512000,a5,*\\n,,83\\n' | sfdisk $I");
	l = read_image(); /* the type alone makes no label */
	assert_int_equal(l->count, 2);
	assert_int_equal(l->partitions[0].role, ROLE_DATA);
	layout_free(l);
	run("printf "
	    "'b\\ny\\nn\\na\\n2064\\n100078\\nn\\nb\\n100079\\n160078\\nn\\ne\\n160079\\n512047\\n"
	    "t\\na\\n7\\nt\\nb\\n1\\nt\\ne\\n7\\nw\\nr\\nw\\n' | fdisk $I");
	l = read_image();
	assert_no_findings(l);
	assert_int_equal(l->count, 5);
	assert_int_equal(l->partitions[0].role, ROLE_CONTAINER);
	assert_int_equal(l->partitions[1].role, ROLE_DATA);
	assert_place(l, 2, 5, 2064, 98015);
	assert_place(l, 3, 6, 100079, 60000);
	assert_place(l, 4, 7, 160079, 351969);
	for (size_t i = 2; i < 5; i++) {
		assert_int_equal(l->partitions[i].parent, 0);
		assert_int_equal(l->partitions[i].table, TABLE_BSD);
	}
	assert_string_equal(l->partitions[2].type, "7");
	layout_free(l);
}

/* A VTOC in sector 1 of the slice (sys/vtoc.h): u32 sanity at 12, version at 16, u16 sector size at
 * 28 and slices at 30; from 72 on slices of u16 tag, u16 flag, u32 start, u32 size. */
static void write_vtoc(uint64_t slice_lba)
{
	static const struct {
		uint16_t tag;
		uint32_t start, size;
	} slices[] = { { 2, 16065, 200000 },
		       { 3, 216065, 64260 },
		       { 5, 0, 433755 },
		       { 0, 0, 0 },
		       { 8, 280325, 100000 } };
	uint8_t vtoc[512] = { 0 };

	put_le32(vtoc + 12, 0x600ddeee);
	put_le32(vtoc + 16, 1);
	put_le16(vtoc + 28, 512);
	put_le16(vtoc + 30, 16);
	for (size_t i = 0; i < ARRAY_SIZE(slices); i++) {
		put_le16(vtoc + 72 + 12 * i, slices[i].tag);
		put_le32(vtoc + 76 + 12 * i, slices[i].start);
		put_le32(vtoc + 80 + 12 * i, slices[i].size);
	}
	write_at((slice_lba + 1) * 512, vtoc, sizeof(vtoc));
}

static void solaris_in_a_slice(void **state)
{
	static const char *const types[] = { "bf", "82" };

	(void)state;
	need("sfdisk");
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		char line[128];
		struct layout *l;

		new_image(256 * MIB);
		/* A logical before the slices, so that they are numbered behind it. */
		snprintf(line, sizeof(line),
			 "printf '48195,433755,%s\\n2048,40000,5\\n\\n\\n4096,1000\\n' | sfdisk $I",
			 types[i]);
		run(line);
		l = read_image();
		assert_int_equal(l->count, 3);
		assert_int_equal(l->partitions[0].role, ROLE_DATA);
		layout_free(l);

		write_vtoc(48195);
		l = read_image();
		assert_no_findings(l);
		assert_int_equal(l->count, 6);
		assert_int_equal(l->partitions[0].role, ROLE_CONTAINER);
		assert_place(l, 3, 6, 48195 + 16065, 200000);
		assert_place(l, 4, 7, 48195 + 216065, 64260);
		assert_place(l, 5, 9, 48195 + 280325, 100000); /* the kernel's 8 is the whole */
		assert_int_equal(l->partitions[3].table, TABLE_SOLARIS);
		assert_int_equal(l->partitions[3].parent, 0);
		layout_free(l);
	}
}

static void minix_in_a_slice(void **state)
{
	uint8_t inner[512] = { 0 };
	struct layout *l;

	(void)state;
	need("sfdisk");
	new_image(64 * MIB);
	run("printf '63,100000,81\\n' | sfdisk $I");
	for (size_t i = 0; i < 2; i++) { /* an MBR of its own, with absolute starts */
		uint8_t *e = inner + 446 + 16 * i;

		e[4] = 0x81;
		put_le32(e + 8, i ? 50000 : 64);
		put_le32(e + 12, 40000);
	}
	inner[510] = 0x55;
	inner[511] = 0xaa;
	write_at(63 * 512, inner, sizeof(inner));
	l = read_image();
	assert_no_findings(l);
	assert_int_equal(l->count, 3);
	assert_int_equal(l->partitions[0].role, ROLE_CONTAINER);
	assert_int_equal(l->partitions[1].table, TABLE_MINIX);
	assert_place(l, 1, 5, 64, 40000);
	assert_place(l, 2, 6, 50000, 40000);
	layout_free(l);
}

/* d_magic at 4 of the slice's sector 29, the VTOC at 156: u32 magic, u16 slices at 16; from 60 on
 * slices of u16 tag, u16 flags, u32 start, u32 size, absolute. */
static void unixware_in_a_slice(void **state)
{
	uint8_t label[512] = { 0 };
	uint8_t *vtoc = label + 156;
	struct layout *l;

	(void)state;
	need("sfdisk");
	new_image(64 * MIB);
	run("printf '63,100000,63\\n' | sfdisk $I");
	put_le32(label + 4, 0xca5e600d);
	put_le32(vtoc, 0x600ddeee);
	put_le16(vtoc + 16, 16);
	for (size_t i = 0; i < 3; i++) {
		uint8_t *s = vtoc + 60 + 12 * i;

		put_le16(s, 2);
		put_le16(s + 2, 0x0200);
		put_le32(s + 4, 63 + 1000 * i);
		put_le32(s + 8, 1000);
	}
	write_at((63 + 29) * 512, label, sizeof(label));
	l = read_image();
	assert_no_findings(l);
	assert_int_equal(l->count, 3);
	assert_int_equal(l->partitions[0].role, ROLE_CONTAINER);
	assert_int_equal(l->partitions[1].table, TABLE_UNIXWARE);
	assert_place(l, 1, 5, 1063, 1000);
	assert_place(l, 2, 6, 2063, 1000);
	layout_free(l);

	put_le16(vtoc + 60 + 24, 5); /* the whole, and one that leaves its slice */
	put_le32(vtoc + 60 + 12 + 4, 99864);
	write_at((63 + 29) * 512, label, sizeof(label));
	l = read_image();
	assert_only_finding(l, FINDING_TABLE_DAMAGED, "slice 1 lies outside the partition");
	assert_int_equal(l->partitions[2].role, ROLE_WHOLE);
	layout_free(l);

	put_le32(vtoc, 0); /* no VTOC, no slices */
	write_at((63 + 29) * 512, label, sizeof(label));
	l = read_image();
	assert_no_findings(l);
	assert_int_equal(l->count, 1);
	layout_free(l);
}

static void sun_sgi_and_mac(void **state)
{
	struct layout *l;
	int i;

	(void)state;
	need("fdisk");
	new_image(256 * MIB);
	run("printf 's\\nd\\n1\\nd\\n2\\nn\\n1\\n16065\\n200000\\nn\\n2\\n208845\\n300000\\nw\\n' "
	    "| fdisk $I");
	l = read_image();
	assert_no_findings(l);
	assert_int_equal(l->type, TABLE_SUN);
	assert_int_equal(l->count, 2); /* the third, the whole disk, libblkid leaves out */
	assert_place(l, 0, 1, 16065, 200000 - 16065);
	assert_string_equal(l->partitions[0].type, "83");
	layout_free(l);

	new_image(256 * MIB);
	run("printf 'G\\nn\\n1\\n16065\\n208844\\nn\\n2\\n208845\\n400000\\nw\\n' | fdisk $I");
	l = read_image();
	assert_no_findings(l);
	assert_int_equal(l->type, TABLE_SGI);
	assert_int_equal(l->count, 4);
	assert_int_equal(l->partitions[find_partition(l, 9)].role, ROLE_MAP);
	assert_int_equal(l->partitions[find_partition(l, 11)].role, ROLE_WHOLE);
	layout_free(l);

	need("parted");
	new_image(64 * MIB);
	run("parted -s $I mklabel mac unit s mkpart x ext2 65 60000 mkpart y ext2 61440 100000");
	l = read_image();
	assert_no_findings(l);
	assert_int_equal(l->type, TABLE_MAC);
	i = find_partition(l, 2);
	assert_int_equal(l->partitions[find_partition(l, 1)].role, ROLE_MAP);
	assert_int_equal(l->partitions[i].role, ROLE_DATA);
	assert_true(l->partitions[i].start == 65 * 512);
	assert_string_equal(l->partitions[i].label, "x");
	assert_string_equal(l->partitions[i].type, "Apple_UNIX_SVR2");
	for (size_t j = 3; j < l->count; j++) /* free space is no partition */
		assert_int_equal(l->partitions[j].role, ROLE_MAP);
	layout_free(l);

	write_at(3 * 512 + 12, "\0\0\0\0",
		 4); /* the third entry of the map: empty, as Apple_Void */
	l = read_image();
	assert_no_findings(l);
	assert_int_equal(find_partition(l, 3), -1);
	layout_free(l);
}

static void aix_is_named(void **state)
{
	struct layout *l;

	(void)state;
	new_image(64 * MIB);
	write_at(0, "\xc9\xc2\xd4\xc1", 4);
	write_at(510, "\x55\xaa", 2);
	l = read_image();
	assert_no_findings(l);
	assert_int_equal(l->type, TABLE_AIX);
	assert_int_equal(l->count, 0);
	layout_free(l);
}

static void a_bsd_label_on_the_whole_disk(void **state)
{
	uint8_t label[512] = { 0 }; /* sys/disklabel.h: sector 1, partitions of 16 bytes from 148 */
	struct layout *l;

	(void)state;
	new_image(64 * MIB);
	put_le32(label, 0x82564557);
	put_le32(label + 132, 0x82564557);
	put_le16(label + 138, 3);
	for (size_t i = 0; i < 3; i++) {
		uint8_t *p = label + 148 + 16 * i;

		put_le32(p, i == 2 ? 130000 : 1000); /* c: whole cylinders only */
		put_le32(p + 4, i == 2 ? 0 : 16 + 1001 * i);
		p[12] = 7;
	}
	write_at(512, label, sizeof(label));
	for (int boot_code = 0; boot_code < 2; boot_code++) {
		l = read_image();
		assert_no_findings(l);
		assert_int_equal(l->type, TABLE_BSD);
		assert_int_equal(l->count, 3);
		assert_place(l, 1, 2, 1017, 1000);
		assert_int_equal(l->partitions[2].role, ROLE_WHOLE);
		layout_free(l);
		write_at(510, "\x55\xaa", 2); /* and with a signature in sector 0 */
	}
}

static void iso_images(void **state)
{
	struct layout *l;

	(void)state;
	need("xorriso");
	run("mkdir -p $I.d && echo hi >$I.d/a && "
	    "xorriso -as mkisofs -quiet --protective-msdos-label -o $I $I.d; rm -r $I.d");
	l = read_image();
	assert_no_findings(l);
	assert_int_equal(l->type, TABLE_DOS);
	assert_int_equal(l->count, 1);
	assert_int_equal(l->partitions[0].role, ROLE_PROTECTIVE);
	layout_free(l);

	/* Ones that boot everywhere carry a GPT too, which their MBR does not announce. */
	need("sgdisk");
	run("truncate -s 4M $I.g; sgdisk -a1 -n1:100:200 $I.g; "
	    "dd if=$I.g of=$I bs=512 skip=1 seek=1 count=33 conv=notrunc; rm $I.g");
	l = read_image();
	assert_only_finding(l, FINDING_HYBRID_MBR, "hybrid ISO image");
	assert_true(l->hybrid);
	assert_int_equal(l->type, TABLE_DOS);
	layout_free(l);
}

/* ---- the rest of the face */

static void from_the_kernel(void **state)
{
	static const struct kernel_partition partitions[] = {
		{ .number = 1, .name = "sda1", .start = 63 * 512, .size = MIB },
		{ .number = 5, .name = "sda5", .start = 2 * MIB, .size = 3 * MIB },
	};
	struct layout *l;

	(void)state;
	assert_int_equal(layout_from_kernel(partitions, 2, 512, &l), 0);
	assert_int_equal(l->type, TABLE_KERNEL);
	assert_int_equal(l->count, 2);
	assert_place(l, 0, 1, 63, 2048);
	assert_place(l, 1, 5, 4096, 6144);
	assert_int_equal(find_partition(l, 5), 1);
	assert_int_equal(find_partition(l, 2), -1);
	layout_free(l);
	assert_int_equal(layout_from_kernel(NULL, 0, 4096, &l), 0);
	assert_int_equal(l->count, 0);
	layout_free(l);
	layout_free(NULL);
}

static void every_enum_has_a_name(void **state)
{
	(void)state;
	for (int t = 0; t < TABLE_COUNT; t++)
		assert_true(*table_type_name(t));
	for (int r = ROLE_DATA; r <= ROLE_CONTAINER; r++)
		assert_true(*partition_role_name(r));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_table),
		cmocka_unit_test(bsd_in_a_slice),
		cmocka_unit_test(solaris_in_a_slice),
		cmocka_unit_test(minix_in_a_slice),
		cmocka_unit_test(unixware_in_a_slice),
		cmocka_unit_test(sun_sgi_and_mac),
		cmocka_unit_test(aix_is_named),
		cmocka_unit_test(a_bsd_label_on_the_whole_disk),
		cmocka_unit_test(iso_images),
		cmocka_unit_test(from_the_kernel),
		cmocka_unit_test(every_enum_has_a_name),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
