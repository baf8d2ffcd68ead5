// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whole tables as real tools write them, held against what `sfdisk --json` says of the same image,
 * and the remedies our messages name, carried out.
 */
#include "images.h"

#include <json-c/json.h>

/* ---- the oracle */

static struct json_object *ask_sfdisk(void)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *root = NULL;
	char command[128], buf[4096];
	size_t n;
	FILE *f;

	snprintf(command, sizeof(command),
		 "PATH=$PATH:/sbin:/usr/sbin sfdisk --json %s 2>/dev/null", image);
	f = popen(command, "r");
	assert_non_null(f);
	while ((n = fread(buf, 1, sizeof(buf), f)))
		root = json_tokener_parse_ex(tokener, buf, n);
	pclose(f);
	json_tokener_free(tokener);
	assert_non_null(root);
	return root;
}

static struct json_object *member(struct json_object *o, const char *key)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(o, key, &value);
	return value;
}

static const char *text_of(struct json_object *o, const char *key)
{
	return member(o, key) ? json_object_get_string(member(o, key)) : "";
}

static void assert_entry(const struct layout *l, struct json_object *entry)
{
	uint64_t sector = l->sector_size;
	unsigned number = atoi(text_of(entry, "node") + strlen(image));
	int i = find_partition(l, number);

	if (i < 0)
		fail_msg("sfdisk has a partition %u", number);

	const struct partition *p = &l->partitions[i];

	assert_true(p->start == json_object_get_uint64(member(entry, "start")) * sector);
	assert_true(p->size == json_object_get_uint64(member(entry, "size")) * sector);
	assert_string_equal(p->type, text_of(entry, "type"));
	assert_int_equal(p->bootable, json_object_get_boolean(member(entry, "bootable")) ||
					      strstr(text_of(entry, "attrs"), "LegacyBIOS"));
	if (l->type == TABLE_GPT) {
		assert_string_equal(p->uuid, text_of(entry, "uuid"));
		assert_string_equal(p->label, text_of(entry, "name"));
		assert_int_equal(p->attributes & 1,
				 !!strstr(text_of(entry, "attrs"), "RequiredPartition"));
	}
}

/* Entry by entry the same table, and nothing to complain about. */
static void assert_as_sfdisk(void)
{
	struct layout *l = read_image();
	struct json_object *root = ask_sfdisk(), *table = member(root, "partitiontable");
	struct json_object *entries = member(table, "partitions");
	size_t count = entries ? json_object_array_length(entries) : 0;
	const char *id = text_of(table, "id");

	assert_no_findings(l);
	assert_string_equal(table_type_name(l->type), text_of(table, "label"));
	assert_string_equal(l->id, strncmp(id, "0x", 2) ? id : id + 2);
	assert_int_equal(l->sector_size, json_object_get_int(member(table, "sectorsize")));
	assert_int_equal(l->count, count);
	for (size_t i = 0; i < count; i++)
		assert_entry(l, json_object_array_get_idx(entries, i));
	if (l->type == TABLE_GPT) {
		assert_true(l->first_usable ==
			    json_object_get_uint64(member(table, "firstlba")) * l->sector_size);
		assert_true(l->last_usable == (json_object_get_uint64(member(table, "lastlba")) +
					       1) * l->sector_size);
	}
	json_object_put(root);
	layout_free(l);
}

/* ---- MBR */

static void sfdisk_dos(void **state)
{
	(void)state;
	need("sfdisk");
	new_image(64 * MIB);
	run("printf 'label: dos\\nlabel-id: 0x0000cafe\\n63,2000,7,*\\n2100,1000,c\\n"
	    "start=4000,size=100000,type=f\\nstart=110000,size=5000,type=82\\n"
	    "start=4100,size=1000\\nstart=6000,size=2000,type=8e\\nstart=9000,size=91000,type="
	    "fd\\n'"
	    " | sfdisk $I");
	assert_as_sfdisk();

	struct layout *l = read_image();

	assert_int_equal(l->count, 7);
	assert_string_equal(l->id, "0000cafe");
	assert_true(l->partitions[5].ebr > l->partitions[2].start);
	layout_free(l);
}

static void parted_dos(void **state)
{
	(void)state;
	need("parted");
	need("sfdisk");
	new_image(64 * MIB);
	run("parted -s $I mklabel msdos mkpart primary 0% 10% mkpart extended 10% 100% "
	    "mkpart logical 10% 30% mkpart logical 30% 31% mkpart logical 60% 100%");
	assert_as_sfdisk();
}

/* Cylinders: a partition at 63, each logical 63 behind its EBR. */
static void fdisk_cylinders(void **state)
{
	(void)state;
	need("fdisk");
	need("sfdisk");
	new_image(256 * MIB);
	run("printf "
	    "'o\\nn\\np\\n1\\n63\\n80324\\nn\\ne\\n2\\n80325\\n514079\\nn\\nl\\n80388\\n160649\\n"
	    "n\\nl\\n160713\\n240974\\nn\\nl\\n241038\\n401624\\nw\\n'"
	    " | fdisk -c=dos -u=sectors -H 255 -S 63 -C 32 $I");
	assert_as_sfdisk();

	struct layout *l = read_image();

	assert_int_equal(l->count, 5);
	assert_place(l, 0, 1, 63, 80262);
	assert_place(l, 4, 7, 241038, 160587);
	assert_true(l->partitions[4].ebr == (241038 - 63) * 512);
	layout_free(l);
}

static void logicals_out_of_order(void **state)
{
	struct layout *l;

	(void)state;
	need("sfdisk");
	new_image(64 * MIB);
	run("printf 'label: dos\\nstart=2048,size=120000,type=5\\nstart=4096,size=10000\\n"
	    "start=20480,size=20480\\nstart=45000,size=20480\\n' | sfdisk $I");
	run("sfdisk --delete $I 6; echo start=20480,size=4096 | sfdisk --append $I");
	l = read_image();
	assert_only_finding(l, FINDING_EBR_OUT_OF_ORDER, "goes backwards");
	assert_int_equal(l->count, 4);
	assert_place(l, 3, 7, 20480, 4096);
	layout_free(l);
}

static void fdisk_4096(void **state)
{
	struct layout *l;

	(void)state;
	need("fdisk");
	new_image(256 * MIB);
	run("printf "
	    "'o\\nn\\np\\n1\\n256\\n10000\\nn\\ne\\n2\\n10240\\n60000\\nn\\nl\\n10496\\n20000\\nw\\"
	    "n' "
	    "| "
	    "fdisk -b 4096 $I");
	l = read_image_as(4096, false);
	assert_no_findings(l);
	assert_int_equal(l->count, 3);
	assert_place(l, 0, 1, 256, 10000 - 256 + 1);
	assert_place(l, 2, 5, 10496, 20000 - 10496 + 1);
	layout_free(l);

	/* A file system where it counts in 4096 tells on an image, and contradicts a disk. */
	need("mkfs.ext4");
	run("mkfs.ext4 -q -F -E offset=$((256*4096)) $I 8M");
	l = read_image();
	assert_no_findings(l);
	assert_int_equal(l->sector_size, 4096);
	assert_int_equal(l->count, 3);
	layout_free(l);
	l = read_image_as(512, false);
	assert_only_finding(l, FINDING_SECTOR_SIZE_MISMATCH, "4096");
	layout_free(l);

	/* libblkid knows more kinds than our own look does: btrfs where it counts in 512. */
	need("mkfs.btrfs");
	run("truncate -s 110M $I.fs; mkfs.btrfs -q $I.fs; "
	    "dd if=$I.fs of=$I bs=512 count=1024 seek=256 conv=notrunc; rm $I.fs");
	l = read_image();
	assert_int_equal(l->sector_size, 512);
	layout_free(l);
}

/* ---- GPT */

static void sfdisk_gpt(void **state)
{
	(void)state;
	need("sfdisk");
	new_image(64 * MIB);
	run("printf 'label: gpt\\nfirst-lba: "
	    "34\\nstart=34,size=2000,type=21686148-6449-6E6F-744E-656564454649\\n"
	    "start=2048,size=20000,type=U,name=\"EFI \\303\\244\"\\n"
	    "4: start=40001,size=3,attrs=\"RequiredPartition LegacyBIOSBootable GUID:63\"\\n'"
	    " | sfdisk $I");
	assert_as_sfdisk();

	struct layout *l = read_image();

	assert_int_equal(l->partitions[0].role, ROLE_BIOS_BOOT);
	assert_string_equal(l->partitions[1].label, "EFI \xc3\xa4");
	assert_true(l->partitions[2].attributes == 0x8000000000000005);
	layout_free(l);
	run("printf 'label: gpt\\ntable-length: 4\\n,10M\\n,10M\\n' | sfdisk $I");
	assert_as_sfdisk();
}

static void parted_gpt(void **state)
{
	(void)state;
	need("parted");
	need("sfdisk");
	new_image(64 * MIB);
	run("parted -s $I mklabel gpt mkpart one 0% 50% mkpart two 50% 100%");
	assert_as_sfdisk();
}

static void sgdisk_gpt(void **state)
{
	(void)state;
	need("sgdisk");
	need("sfdisk");
	new_image(64 * MIB);
	run("sgdisk -a1 -n1:34:100 -n3:4096:+1M -t3:ef00 -c3:odd -n128:101:101 $I");
	assert_as_sfdisk();
	new_image(64 * MIB);
	run("sgdisk -j 1000 -n1:2048:+1M $I"); /* the array elsewhere */
	assert_as_sfdisk();
	new_image(8 * KIB * GIB); /* 8 TiB, sparse */
	run("sgdisk -a1 -n1:2048:+1G -n2:4294967297:+5T $I");
	assert_as_sfdisk();
}

static void a_table_of_4096_byte_sectors(void **state)
{
	struct layout *l;

	(void)state;
	need("fdisk");
	new_image(256 * MIB);
	run("printf 'g\\nn\\n1\\n256\\n2000\\nn\\n2\\n2048\\n8191\\nw\\n' | fdisk -b 4096 $I");
	l = read_image();
	assert_no_findings(l);
	assert_int_equal(l->sector_size, 4096);
	assert_int_equal(l->count, 2);
	assert_place(l, 1, 2, 2048, 6144);
	layout_free(l);
	l = read_image_as(512, false);
	assert_only_finding(l, FINDING_SECTOR_SIZE_MISMATCH, "4096");
	layout_free(l);
	l = read_image_as(4096, false);
	assert_no_findings(l);
	layout_free(l);
}

static void sgdisk_hybrid(void **state)
{
	struct layout *l;

	(void)state;
	need("sgdisk");
	new_image(64 * MIB);
	run("sgdisk -a1 -n1:63:20000 -t1:0700 -n2:20480:100000 -h 1:2 $I");
	l = read_image();
	assert_only_finding(l, FINDING_HYBRID_MBR, "same partitions");
	assert_int_equal(l->count, 2);
	layout_free(l);
	write_at(446 + 32 + 8, "\x01\x50\0\0", 4); /* one sector later in the MBR alone */
	l = read_image();
	assert_only_finding(l, FINDING_HYBRID_MBR_CONTRADICTS, "sectors 20481-100001");
	layout_free(l);
}

/* ---- what our messages tell people to do does it */

static void expect(enum finding_id id, const char *word)
{
	struct layout *l = read_image();

	if (!strstr(finding_text(l, id), word)) {
		print_findings(l);
		fail_msg("no %s with \"%s\"", finding_name(id), word);
	}
	layout_free(l);
}

static void gpts_are_mended(void **state)
{
	static const struct {
		enum finding_id id;
		const char *damage, *remedy, *carried_out;
	} cases[] = {
		{ FINDING_TABLE_DAMAGED, "dd if=/dev/zero of=$I bs=512 seek=1 count=1 conv=notrunc",
		  "`sgdisk -C`", "sgdisk -C $I" },
		{ FINDING_TABLE_DAMAGED,
		  "dd if=/dev/urandom of=$I bs=512 seek=16 count=1 conv=notrunc", "`sgdisk -C`",
		  "sgdisk -C $I" },
		/* a disk that has grown, and lost its primary array */
		{ FINDING_TABLE_DAMAGED,
		  "truncate -s 100M $I; dd if=/dev/zero of=$I bs=512 seek=2 count=1 conv=notrunc",
		  "`sgdisk -C`", "sgdisk -C $I; sfdisk --relocate gpt-bak-std $I" },
		{ FINDING_TABLE_DAMAGED, "dd if=/dev/zero of=$I bs=512 count=1 conv=notrunc",
		  "`sgdisk -C`", "sgdisk -C $I" },
		/* nothing but the backup is left */
		{ FINDING_TABLE_DAMAGED, "dd if=/dev/zero of=$I bs=512 count=100 conv=notrunc",
		  "`gdisk` rebuilds the primary from it (answer 1, then r, b, w)",
		  "printf '1\\nr\\nb\\nw\\ny\\n' | gdisk $I" },
		{ FINDING_TABLE_DAMAGED,
		  "dd if=/dev/zero of=$I bs=512 seek=131071 count=1 conv=notrunc",
		  "`sfdisk --relocate gpt-bak-std`", "sfdisk --relocate gpt-bak-std $I" },
		{ FINDING_TABLE_DAMAGED,
		  "dd if=/dev/urandom of=$I bs=512 seek=131050 count=20 conv=notrunc",
		  "`sfdisk --relocate gpt-bak-std`", "sfdisk --relocate gpt-bak-std $I" },
		{ FINDING_BACKUP_GPT_MISPLACED, "truncate -s 100M $I",
		  "`sfdisk --relocate gpt-bak-std`", "sfdisk --relocate gpt-bak-std $I" },
	};

	(void)state;
	need("sfdisk");
	need("sgdisk");
	need("gdisk");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		new_image(64 * MIB);
		run("printf 'label: gpt\\n2048,20000\\n30000,100000\\n' | sfdisk $I");
		run(cases[i].damage);
		expect(cases[i].id, cases[i].remedy);
		run(cases[i].carried_out);
		assert_as_sfdisk();
	}
}

static void wipefs_mends(void **state)
{
	struct layout *l;

	(void)state;
	need("sfdisk");
	need("wipefs");
	new_image(64 * MIB);
	run("echo 2048,20000 | sfdisk -X gpt $I");
	write_at(450, "\x83", 1);
	expect(FINDING_TABLE_DAMAGED, "`wipefs --force -a -t gpt`");
	run("wipefs --force -a -t gpt $I");
	assert_as_sfdisk();

	new_image(64 * MIB);
	run("echo 1,,ee | sfdisk $I");
	expect(FINDING_TABLE_DAMAGED, "`wipefs --force -a -t PMBR`");
	run("wipefs --force -a -t PMBR $I");
	l = read_image();
	assert_no_findings(l);
	assert_int_equal(l->type, TABLE_NONE);
	layout_free(l);

	new_image(64 * MIB);
	run("echo 2048,20000 | sfdisk -X gpt $I; dd if=/dev/zero of=$I bs=512 count=34 "
	    "conv=notrunc");
	write_at(0, "LUKS\xba\xbe", 6);
	expect(FINDING_BACKUP_GPT_MISPLACED, "`wipefs --force -a -t gpt`");
	run("wipefs --force -a -t gpt $I");
	l = read_image();
	assert_no_findings(l);
	layout_free(l);
}

static void a_truncated_image(void **state)
{
	struct layout *l;

	(void)state;
	need("sfdisk");
	new_image(64 * MIB);
	run("printf 'label: gpt\\n2048,20000\\n30000,100000\\n' | sfdisk $I; truncate -s 32M $I");
	l = read_image();
	assert_int_equal(l->count, 2);
	assert_int_equal(count_findings(l, FINDING_BEYOND_END), 1);
	assert_true(strstr(finding_text(l, FINDING_TABLE_DAMAGED), "cut short"));
	layout_free(l);
}

/* ---- random tables of sfdisk's making */

static void random_dos(uint64_t *seed, char *script, size_t size)
{
	uint64_t at = 1 + next_random(seed) % 5000;
	size_t used = snprintf(script, size, "printf 'label: dos\\n");
	int primaries = next_random(seed) % 4;

	for (int i = 0; i < 3; i++) {
		if (i >= primaries) {
			used += snprintf(script + used, size - used, "start=0,size=0,type=0\\n");
			continue;
		}

		uint64_t sectors = 1 + next_random(seed) % 9000;

		used += snprintf(script + used, size - used, "start=%llu,size=%llu,type=%x\\n",
				 (unsigned long long)at, (unsigned long long)sectors,
				 (unsigned)(0x80 + next_random(seed) % 3));
		at += sectors + next_random(seed) % 3000;
	}
	used += snprintf(script + used, size - used, "start=%llu,size=%llu,type=f\\n",
			 (unsigned long long)at, 131072ULL - at);
	for (int i = next_random(seed) % 9; i > 0; i--) {
		uint64_t start = at + 2 + next_random(seed) % 2000;
		uint64_t sectors = 1 + next_random(seed) % 8000;

		used += snprintf(script + used, size - used, "start=%llu,size=%llu\\n",
				 (unsigned long long)start, (unsigned long long)sectors);
		at = start + sectors;
	}
	snprintf(script + used, size - used, "' | sfdisk $I");
}

static void random_tables_of_sfdisk(void **state)
{
	uint64_t seed = 0xabad1dea;

	(void)state;
	need("sfdisk");
	for (int round = 0; round < 12; round++) {
		char script[900];

		new_image(64 * MIB);
		random_dos(&seed, script, sizeof(script));
		run(script);
		assert_as_sfdisk();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sfdisk_dos),
		cmocka_unit_test(parted_dos),
		cmocka_unit_test(fdisk_cylinders),
		cmocka_unit_test(logicals_out_of_order),
		cmocka_unit_test(fdisk_4096),
		cmocka_unit_test(sfdisk_gpt),
		cmocka_unit_test(parted_gpt),
		cmocka_unit_test(sgdisk_gpt),
		cmocka_unit_test(a_table_of_4096_byte_sectors),
		cmocka_unit_test(sgdisk_hybrid),
		cmocka_unit_test(gpts_are_mended),
		cmocka_unit_test(wipefs_mends),
		cmocka_unit_test(a_truncated_image),
		cmocka_unit_test(random_tables_of_sfdisk),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
