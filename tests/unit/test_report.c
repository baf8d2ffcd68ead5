// SPDX-License-Identifier: GPL-2.0-or-later
/* Names, columns, tables. */
#include "report_fixture.h"

#include <errno.h>
#include <locale.h>

static const struct report_options plain = { .format = FORMAT_TEXT };

static void test_partition_name(void **state)
{
	static const struct {
		enum device_kind kind;
		const char *disk;
		unsigned number;
		const char *expected;
	} cases[] = {
		{ KIND_DISK, "sda", 1, "sda1" },
		{ KIND_DISK, "nvme0n1", 1, "nvme0n1p1" },
		{ KIND_DISK, "loop7", 12, "loop7p12" },
		{ KIND_PARTITION, "mmcblk0", 2, "mmcblk0p2" },
		{ KIND_IMAGE, "disk.img", 1, "disk.img1" },
		{ KIND_IMAGE, "disk2", 1, "disk21" },
		{ KIND_TABLE, "dump9", 3, "dump93" },
		{ KIND_DISK, "", 4294967295U, "4294967295" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct device device = { .kind = cases[i].kind,
					 .disk_name = (char *)cases[i].disk };
		char buf[288];

		assert_string_equal(partition_name(buf, sizeof(buf), &device, cases[i].number),
				    cases[i].expected);
	}
}

static void test_long_name_keeps_the_number(void **state)
{
	struct device device = { .kind = KIND_IMAGE };
	char file[256], buf[288];

	(void)state;
	memset(file, 'x', 255);
	file[255] = '\0';
	device.disk_name = file;
	partition_name(buf, sizeof(buf), &device, 4294967295U);
	assert_string_equal(buf + 255, "4294967295");
}

/* Who uses a device costs a look around the system: only for those who get to see it. */
static void test_shows_users(void **state)
{
	struct report_options options = { 0 };
	char bad[64];

	(void)state;
	assert_false(report_shows_users(&options));
	options.verbose = true;
	assert_true(report_shows_users(&options));
	options.format = FORMAT_PAIRS;
	assert_false(report_shows_users(&options));
	assert_int_equal(report_parse_columns("NAME,USERS", &options, bad), 0);
	assert_true(report_shows_users(&options));
	options = (struct report_options){ .format = FORMAT_JSON };
	assert_true(report_shows_users(&options));
}

static void test_parse_columns(void **state)
{
	struct report_options options = { 0 };
	char bad[64];

	(void)state;
	assert_int_equal(report_parse_columns("NAME,start_bytes,Start-Bytes", &options, bad), 0);
	assert_int_equal(options.column_count, 3);
	assert_int_equal(options.columns[1], options.columns[2]);
	assert_int_not_equal(options.columns[0], options.columns[1]);
	assert_int_equal(report_parse_columns("+MODEL", &options, bad), 0);
	assert_int_equal(options.column_count, 8);
	assert_int_equal(report_parse_columns("NAME,NONSENSE,START", &options, bad), -EINVAL);
	assert_string_equal(bad, "NONSENSE");
	assert_int_equal(report_parse_columns("NAME,", &options, bad), -EINVAL);
	assert_string_equal(bad, "");
	assert_int_equal(report_parse_columns("", &options, bad), -EINVAL);
	assert_int_equal(report_parse_columns("+", &options, bad), -EINVAL);
	assert_int_equal(report_parse_columns("MODE", &options, bad), -EINVAL);
	assert_int_equal(report_parse_columns("\033[31m", &options, bad), -EINVAL);
	assert_string_equal(bad, "\\x1b[31m");
}

static void test_too_many_columns(void **state)
{
	struct report_options options = { 0 };
	char list[5 * (REPORT_COLUMNS_MAX + 1) + 1] = "", bad[64];

	(void)state;
	for (int i = 0; i < REPORT_COLUMNS_MAX; i++)
		strcat(list, i ? ",NAME" : "NAME");
	assert_int_equal(report_parse_columns(list, &options, bad), 0);
	strcat(list, ",SIZE");
	assert_int_equal(report_parse_columns(list, &options, bad), -EINVAL);
	assert_string_equal(bad, "SIZE");
}

static void test_tree(void **state)
{
	struct fixture f;

	(void)state;
	setup_image(&f);
	add_partition(&f, 1, 63, 204800);
	add_partition(&f, 2, 206848, 204800);
	set_misaligned(&f, 0, 3584);
	add_layer(&f, 0, "ext4", 63 * 512);
	add_layer(&f, 1, "crypto_LUKS", 206848 * 512);
	add_layer(&f, 1, "LVM2_member", 208896 * 512);
	assert_renders(
		&f, &plain,
		"NAME         START SECTORS  SIZE ALIGNED VERDICT    CONTENT\n"
		"disk.img                    100G         misaligned dos, 512-byte sectors, 4096 "
		"assumed\n"
		"|-disk.img1     63  204800  100M    512B misaligned ext4\n"
		"`-disk.img2 206848  204800  100M      1M aligned    crypto_LUKS>LVM2_member\n"
		"disk.img1: starts 3584 bytes past a 4096-byte boundary\n"
		"disk.img: 1 of 2 partitions is misaligned; re-create it at a multiple of 8 sectors"
		" (2048 is customary), or move it with its data\n");
	teardown(&f);
}

/* Logicals hang below their container; 4096-byte sectors are counted as such. */
static void test_tree_nested(void **state)
{
	struct report_options options = { .format = FORMAT_TEXT, .noheadings = true };
	struct fixture f;

	(void)state;
	setup_disk(&f);
	f.device.disk_name = (char *)"nvme0n1";
	f.layout.sector_size = 4096;
	f.device.topology.logical_block_size = 4096;
	f.device.sector_source = SOURCE_KERNEL;
	add_partition(&f, 1, 2048, 2048);
	add_partition(&f, 4, 4096, 8192);
	set_exempt(&f, 1, ROLE_EXTENDED);
	add_partition(&f, 5, 4104, 2040);
	f.partitions[2].parent = 1;
	f.partitions[2].size += 512;
	assert_renders(&f, &options,
		       "nvme0n1                         100G         aligned"
		       "    gpt, 4096-byte sectors, 4096 physical\n"
		       "|-nvme0n1p1     256      256      1M      1M aligned\n"
		       "`-nvme0n1p4     512     1024      4M      2M exempt     extended\n"
		       "  `-nvme0n1p5   513 1044992B 1020.5K      4K aligned\n");
	teardown(&f);
}

static void test_only_what_was_named(void **state)
{
	struct fixture f;

	(void)state;
	setup_disk(&f);
	f.device.kind = KIND_PARTITION;
	f.device.name = (char *)"sda2";
	add_partition(&f, 1, 63, 2048);
	add_partition(&f, 2, 4096, 2048);
	set_misaligned(&f, 0, 3584);
	f.analysis.findings.count = 0;
	f.analysis.judged = 1;
	f.analysis.misaligned = 0;
	f.analysis.verdict = VERDICT_ALIGNED;
	f.result.policy.only = 1;
	assert_renders(&f, &plain,
		       "NAME     START SECTORS  SIZE ALIGNED VERDICT    CONTENT\n"
		       "sda                     100G         aligned"
		       "    gpt, 512-byte sectors, 4096 from the drive list\n"
		       "`-sda2    4096    2048    1M      2M aligned\n"
		       "sda2: aligned\n");
	teardown(&f);
}

static void test_box_characters_only_on_a_terminal(void **state)
{
	struct report_options options = { .format = FORMAT_TEXT, .terminal = true };
	struct fixture f;
	char *text;

	(void)state;
	setup_image(&f);
	add_partition(&f, 1, 2048, 2048);
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		skip();
	text = render(&f, &options);
	assert_non_null(strstr(text, "\n└─disk.img1 "));
	free(text);
	options.terminal = false;
	text = render(&f, &options);
	assert_non_null(strstr(text, "\n`-disk.img1 "));
	free(text);
	setlocale(LC_CTYPE, "C");
	options.terminal = true;
	text = render(&f, &options);
	assert_non_null(strstr(text, "\n`-disk.img1 "));
	free(text);
	teardown(&f);
}

static void test_pairs_and_raw(void **state)
{
	struct report_options options = { .format = FORMAT_PAIRS, .bytes = true };
	struct fixture f[2];
	struct result results[3];
	char bad[64], *text;

	(void)state;
	for (int i = 0; i < 2; i++) {
		setup_disk(&f[i]);
		add_partition(&f[i], 1, 2048, 8);
		strcpy(f[i].partitions[0].label, "a \"b\" $(c) `d`");
		results[2 * i] = f[i].result;
	}
	results[1] = (struct result){ .path = "/dev/sdx", .error = -EIO };
	f[1].device.disk_name = (char *)"sdb";
	report_parse_columns("NAME,SIZE,START-BYTES,PARTLABEL", &options, bad);
	text = render_all(results, 3, &options);
	assert_string_equal(text,
			    "NAME=\"sda\" SIZE=\"107374182400\" START_BYTES=\"\" PARTLABEL=\"\"\n"
			    "NAME=\"sda1\" SIZE=\"4096\" START_BYTES=\"1048576\" "
			    "PARTLABEL=\"a \\x22b\\x22 \\x24(c) \\x60d\\x60\"\n"
			    "NAME=\"sdb\" SIZE=\"107374182400\" START_BYTES=\"\" PARTLABEL=\"\"\n"
			    "NAME=\"sdb1\" SIZE=\"4096\" START_BYTES=\"1048576\" "
			    "PARTLABEL=\"a \\x22b\\x22 \\x24(c) \\x60d\\x60\"\n");
	free(text);
	options.format = FORMAT_RAW;
	report_parse_columns("NAME,SIZE", &options, bad);
	text = render_all(results, 3, &options);
	assert_string_equal(text, "NAME SIZE\nsda 107374182400\nsda1 4096\nsdb 107374182400\n"
				  "sdb1 4096\n");
	free(text);
	teardown(&f[0]);
	teardown(&f[1]);
}

/* Whatever is in a name, the terminal sees one printable line. */
static void test_hostile_text(void **state)
{
	struct report_options options = { .format = FORMAT_TEXT, .verbose = true };
	struct device_user user = { "sda1", "mounted on /x\ny" };
	struct fixture f;
	char *text;

	(void)state;
	setup_disk(&f);
	f.device.name = f.device.disk_name = (char *)"a\033[2Jb\nc";
	f.device.model = (char *)"evil\rmodel\302\233";
	f.device.users = &user;
	f.device.user_count = 1;
	add_partition(&f, 1, 63, 8);
	set_misaligned(&f, 0, 3584);
	text = render(&f, &options);
	for (const char *p = text; *p; p++)
		assert_true(*p == '\n' || (*p >= 0x20 && *p < 0x7f));
	assert_non_null(strstr(text, "\na\\x1b[2Jb\\x0ac: model: evil\\x0dmodel\\xc2\\x9b\n"));
	assert_non_null(strstr(text, "\nsda1: in use: mounted on /x\\x0ay\n"));
	assert_non_null(strstr(text, "\na\\x1b[2Jb\\x0ac1: starts 3584"));
	free(text);
	teardown(&f);
}

/* Latin-1 terminals take the second byte of U+00DB for CSI. */
static void test_text_outside_utf8(void **state)
{
	struct report_options options = { .format = FORMAT_TEXT };
	struct fixture f;
	char bad[64], *text;

	(void)state;
	setup_disk(&f);
	add_partition(&f, 1, 2048, 8);
	strcpy(f.partitions[0].label, "\303\233");
	report_parse_columns("PARTLABEL", &options, bad);
	setlocale(LC_CTYPE, "C");
	text = render(&f, &options);
	assert_non_null(strstr(text, "\n\\xc3\\x9b\n"));
	free(text);
	teardown(&f);
}

static void test_quiet(void **state)
{
	struct report_options options = { .format = FORMAT_QUIET };
	struct fixture f;

	(void)state;
	setup_disk(&f);
	assert_renders(&f, &options, "");
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_partition_name),
		cmocka_unit_test(test_long_name_keeps_the_number),
		cmocka_unit_test(test_shows_users),
		cmocka_unit_test(test_parse_columns),
		cmocka_unit_test(test_too_many_columns),
		cmocka_unit_test(test_tree),
		cmocka_unit_test(test_tree_nested),
		cmocka_unit_test(test_only_what_was_named),
		cmocka_unit_test(test_box_characters_only_on_a_terminal),
		cmocka_unit_test(test_pairs_and_raw),
		cmocka_unit_test(test_hostile_text),
		cmocka_unit_test(test_text_outside_utf8),
		cmocka_unit_test(test_quiet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
