// SPDX-License-Identifier: GPL-2.0-or-later
/* The drive list on models as drives really spell them, and who a drive is. */
#include "machine.h"

#include "../../src/probe/internal.h"

static const struct {
	const char *model;
	uint64_t size; /* 0: must not be on the list */
} models[] = {
	/* ATA IDENTIFY's whole string */
	{ "WDC WD10EARS-00Y5B1", 4096 },
	{ "WDC WD20EARS-00MVWB0", 4096 },
	{ "WDC WD20EARX-00PASB0", 4096 },
	{ "WDC WD7500AARS-00Y5B1", 4096 }, /* six characters before RS */
	{ "WDC WD30EFRX-68AX9N0", 4096 },
	{ "WDC WD1003FZEX-00MK2A0", 4096 },
	{ "WDC WD10JPVT-22A1YT0", 4096 },   /* three characters before PVT */
	{ "WDC WD5000BPVT-22HXZT1", 4096 }, /* five */
	{ "WDC WD1600XPPVT-1", 0 },         /* six */
	{ "WDC WD1600BEVT-00A23T0", 4096 },
	{ "SAMSUNG HD204UI", 4096 },
	{ "SAMSUNG HD155UI", 4096 },
	{ "ST2000DL004 HD204UI", 4096 },
	{ "ST2000DL003-9VT166", 4096 },
	{ "ST3000DM001-9YN166", 4096 },
	{ "ST500LT012-9WS142", 4096 },
	{ "ST9750423AS", 4096 },
	{ "Hitachi HTS547575A9E384", 4096 },
	{ "Hitachi HDS5C3030ALA630", 4096 },
	{ "Samsung SSD 840 EVO 250GB", 8192 },
	{ "Samsung SSD 860 EVO 1TB", 4096 },
	{ "INTEL SSDSA2BZ200G3", 8192 },
	{ "INTEL SSDSA2M160G2GC", 4096 },
	{ "M4-CT128M4SSD2", 8192 },
	{ "OCZ-VERTEX", 4096 },
	{ "OCZ VERTEX2-EX", 8192 },
	{ "Corsair Force GS", 8192 },
	{ "Corsair Force GT", 4096 },
	{ "ZA1920NM10001-2ZG103", 4096 },
	{ "Amazon EC2 NVMe Instance Storage", 4096 },

	/* near misses */
	{ "WDC WD10EADS-00L5B1", 0 }, /* the EARS's brother with sectors of 512 */
	{ "WDC WD1001FALS-00J7B0", 0 },
	{ "WDC WD20EARS", 4096 },
	{ "WD20EARS-00MVWB0", 0 }, /* no maker in front */
	{ "SAMSUNG HD203WI", 0 },
	{ "SAMSUNG HD103SJ", 0 },
	{ "samsung hd204ui", 0 },
	{ "ST3500418AS", 0 },
	{ "ST9500325AS", 0 },
	{ "Hitachi HDS721010CLA332", 0 },
	{ "INTEL SSDSA2BZ400G3", 0 }, /* [123] */
	{ "OCZ-VERTEX PLUS", 0 },     /* no * in that row */
	{ "Samsung SSD 970 EVO Plus 500GB", 0 },
	{ "ZA19200NM1", 0 },
	{ "", 0 },
	{ "WDC", 0 },

	/* SCSI INQUIRY's 16 characters */
	{ "WDC WD15EARS-00Z", 4096 },
	{ "ST2000DL004 HD20", 4096 },
	{ "SAMSUNG SSD PM85", 4096 }, /* PM851: the pattern is longer, but what is there tells */
	{ "Micron 5100 MTFD", 4096 },
	{ "Hitachi HTS54757", 0 }, /* "Hitachi H" alone does not */
	{ "Hitachi HDS5C303", 4096 },
	{ "SAMSUNG SSD PM8", 0 }, /* fifteen: not cut */
};

static void test_models(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(models); i++) {
		const char *why = NULL;

		print_message("# %s\n", models[i].model);
		assert_int_equal(find_lying_drive(models[i].model, &why), models[i].size);
		if (models[i].size)
			assert_non_null(why);
		else
			assert_null(why);
	}
	assert_int_equal(find_lying_drive("SAMSUNG HD204UI", NULL), 4096);
}

static void test_factory_shifted(void **state)
{
	(void)state;
	assert_int_equal(find_lying_drive_row("ST9640322AS")->alignment_offset, 3584);
	assert_int_equal(find_lying_drive_row("ST9750423AS")->alignment_offset, 3584);
	assert_int_equal(find_lying_drive_row("ST9750422AS")->alignment_offset, 0);
}

static void test_matcher(void **state)
{
	static const struct {
		const char *pattern, *model;
		bool cut, fits;
	} cases[] = {
		{ "abc", "abc", false, true },
		{ "abc", "abcd", false, false },
		{ "abc", "ab", false, false },
		{ "abc*", "abc", false, true },
		{ "abc*", "abcdef", false, true },
		{ "*", "", false, true },
		{ "", "", false, true },
		{ "", "a", false, false },
		{ "a?c", "axc", false, true },
		{ "a?c", "ac", false, false },
		{ "a[xyz]c", "ayc", false, true },
		{ "a[xyz]c", "awc", false, false },
		{ "a[xyz]", "a", false, false },
		{ "a[xy", "ax", false, true }, /* an open bracket ends where the pattern does */
		{ "abcdefghijklmnop", "abcdefghijkl", true, true },
		{ "abcdefghijklmnop", "abcdefghijk", true, false },
		{ "abcdefghijk????????z", "abcdefghijk12345", true, false },
		{ "abcdefghijklmnop", "abcdefghijkX", true, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		print_message("# %s %s\n", cases[i].pattern, cases[i].model);
		assert_int_equal(matches_model(cases[i].pattern, cases[i].model, cases[i].cut),
				 cases[i].fits);
	}
}

/* IDENTIFY data as a drive sends it: two characters a word, swapped. */
static void put_ata_text(uint8_t *data, unsigned word, size_t len, const char *text)
{
	for (size_t i = 0; i < len; i++)
		data[2 * word + (i ^ 1)] = i < strlen(text) ? text[i] : ' ';
}

static void test_identity(void **state)
{
	uint8_t data[512] = { 0 };
	char model[41], serial[21];

	(void)state;
	assert_false(decode_ata_identity(data, true, model, serial));
	put_ata_text(data, 27, 40, "WDC WD15EARS-00Z5B1");
	put_ata_text(data, 10, 20, "     WD-WMAVU1234567");
	assert_true(decode_ata_identity(data, true, model, serial));
	assert_string_equal(model, "WDC WD15EARS-00Z5B1");
	assert_string_equal(serial, "WD-WMAVU1234567");

	put_ata_text(data, 27, 40, "0123456789012345678901234567890123456789");
	assert_true(decode_ata_identity(data, true, model, serial));
	assert_string_equal(model, "0123456789012345678901234567890123456789");

	memcpy(data + 54, "WDC WD15EARS-00Z5B1                     ", 40); /* in reading order */
	assert_true(decode_ata_identity(data, false, model, serial));
	assert_string_equal(model, "WDC WD15EARS-00Z5B1");
}

static void test_udev_record(void **state)
{
	static const char record[] = "I:1\nE:ID_MODEL=A_B\nS:E:ID_MODEL_ENC=no\n"
				     "E:ID_MODEL_ENC=A\\x20B\\x2fC\\x20\\x20\nE:LAST=x\\x4";
	char value[64], tiny[4];

	(void)state;
	assert_true(find_udev_property(record, "ID_MODEL", value, sizeof(value)));
	assert_string_equal(value, "A_B");
	assert_true(find_udev_property(record, "ID_MODEL_ENC", value, sizeof(value)));
	assert_string_equal(value, "A B/C");
	assert_true(find_udev_property(record, "LAST", value, sizeof(value)));
	assert_string_equal(value, "x\\x4"); /* an escape that is none, at the very end */
	assert_false(find_udev_property(record, "ID", value, sizeof(value)));
	assert_false(find_udev_property(record, "MISSING", value, sizeof(value)));
	assert_false(find_udev_property("", "ID", value, sizeof(value)));
	assert_true(find_udev_property(record, "ID_MODEL_ENC", tiny, sizeof(tiny)));
	assert_string_equal(tiny, "A B");
}

static void write_ata_page(const char *path, const char *model)
{
	uint8_t page[572] = { [1] = 0x89 };
	FILE *file = fopen(path, "w");

	put_ata_text(page + 60, 27, 40, model);
	put_ata_text(page + 60, 10, 20, "WD-WMAVU1234567");
	assert_int_equal(fwrite(page, 1, sizeof(page), file), sizeof(page));
	fclose(file);
}

/* The ATA information page, which needs neither udev nor privileges. */
static void test_ata_page(void **state)
{
	struct machine m = machine_new("ears");
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/sys/block/sda/device/vpd_pg89", m.root);
	write_ata_page(path, "WDC WD15EARS-00Z5B1");
	assert_int_equal(machine_probe(&m, "/dev/sda"), 0);
	assert_string_equal(m.device->model, "WDC WD15EARS-00Z5B1");
	assert_string_equal(m.device->serial, "WD-WMAVU1234567");

	shell("printf '\\0\\203' | dd of=%s conv=notrunc status=none", path); /* 83h */
	assert_int_equal(machine_probe(&m, "/dev/sda"), 0);
	assert_string_equal(m.device->model, "WDC WD15EARS-00Z");
	shell("printf '\\0\\211' | dd of=%s conv=notrunc status=none", path);
	assert_int_equal(machine_probe(&m, "/dev/sda"), 0);
	assert_string_equal(m.device->model, "WDC WD15EARS-00Z5B1");

	write_ata_page(path, "ST380013AS"); /* of another drive than sysfs's */
	assert_int_equal(machine_probe(&m, "/dev/sda"), 0);
	assert_string_equal(m.device->model, "WDC WD15EARS-00Z");

	write_ata_page(path, "WDC WD15EARS-00Z5B1");
	assert_int_equal(truncate(path, 571), 0); /* a page cut short is not read */
	assert_int_equal(machine_probe(&m, "/dev/sda"), 0);
	assert_string_equal(m.device->model, "WDC WD15EARS-00Z");
	machine_free(&m);
}

/* udev calls a USB disk what its enclosure does: sysfs's model stands. */
static void test_udev_of_an_enclosure(void **state)
{
	struct machine m = machine_new("ears-udev");

	(void)state;
	shell("sed -i s/ID_ATA=1/ID_BUS=usb/ %s/run/udev/data/*", m.root);
	assert_int_equal(machine_probe(&m, "/dev/sda"), 0);
	assert_string_equal(m.device->model, "WDC WD15EARS-00Z");
	assert_string_equal(m.device->serial, "WD-WMAVU1234567");
	machine_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_models),
		cmocka_unit_test(test_factory_shifted),
		cmocka_unit_test(test_matcher),
		cmocka_unit_test(test_identity),
		cmocka_unit_test(test_udev_record),
		cmocka_unit_test(test_ata_page),
		cmocka_unit_test(test_udev_of_an_enclosure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
