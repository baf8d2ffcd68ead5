// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON schema 1, parsed back: every key, its type, its order, and what hostile bytes become. */
#include "report_fixture.h"

#include <errno.h>
#include <json-c/json.h>

static const struct report_options json_options = { .format = FORMAT_JSON };

static struct json_object *parse(const struct result *results, size_t count)
{
	char *text = render_all(results, count, &json_options);
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *top;

	/* Strict: UTF-8 is checked, nothing may follow. */
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	top = json_tokener_parse_ex(tokener, text, (int)strlen(text) + 1);
	assert_int_equal(json_tokener_get_error(tokener), json_tokener_success);
	json_tokener_free(tokener);
	free(text);
	assert_non_null(top);
	return top;
}

/* "devices.0.partitions.1.start": the value there; fails where there is none. */
static struct json_object *at(struct json_object *o, const char *path)
{
	char copy[128], *save = NULL;

	snprintf(copy, sizeof(copy), "%s", path);
	for (char *word = strtok_r(copy, ".", &save); word; word = strtok_r(NULL, ".", &save)) {
		if (json_object_is_type(o, json_type_array)) {
			assert_true((size_t)atoi(word) < json_object_array_length(o));
			o = json_object_array_get_idx(o, (size_t)atoi(word));
		} else if (!json_object_object_get_ex(o, word, &o)) {
			fail_msg("no %s in %s", word, path);
		}
	}
	return o;
}

static void assert_null_at(struct json_object *o, const char *path)
{
	assert_null(at(o, path));
}

static void assert_string_at(struct json_object *o, const char *path, const char *expected)
{
	assert_true(json_object_is_type(at(o, path), json_type_string));
	assert_string_equal(json_object_get_string(at(o, path)), expected);
}

static void assert_number_at(struct json_object *o, const char *path, uint64_t expected)
{
	assert_true(json_object_is_type(at(o, path), json_type_int));
	assert_int_equal(json_object_get_uint64(at(o, path)), expected);
}

static void assert_bool_at(struct json_object *o, const char *path, bool expected)
{
	assert_true(json_object_is_type(at(o, path), json_type_boolean));
	assert_int_equal(json_object_get_boolean(at(o, path)), expected);
}

/* The keys of an object, in order, as "a b c". */
static void assert_keys(struct json_object *o, const char *expected)
{
	char keys[1024] = "";

	json_object_object_foreach(o, key, value)
	{
		(void)value;
		if (*keys)
			strcat(keys, " ");
		strcat(keys, key);
	}
	assert_string_equal(keys, expected);
}

static void test_keys_and_their_order(void **state)
{
	struct device_user user = { "sda1", "mounted on /srv" };
	struct json_object *top;
	struct fixture f;

	(void)state;
	setup_disk(&f);
	f.device.users = &user;
	f.device.user_count = 1;
	set_misaligned(&f, add_partition(&f, 1, 63, 8), 3584);
	add_layer(&f, 0, "ext4", 63 * 512);
	top = parse(&f.result, 1);
	assert_keys(top, "alignck devices pool summary");
	assert_keys(at(top, "alignck"), "version schema");
	assert_keys(at(top, "devices.0"),
		    "path kind size model serial rotational zoned logical_block_size"
		    " physical_block_size minimum_io_size optimal_io_size alignment_offset"
		    " sector_source reported required_alignment recommended_alignment table"
		    " verdict findings partitions users disk content image_offset below");
	assert_keys(at(top, "devices.0.reported"),
		    "logical_block_size physical_block_size minimum_io_size optimal_io_size"
		    " alignment_offset");
	assert_keys(at(top, "devices.0.table"), "type id sector_size");
	assert_keys(at(top, "devices.0.partitions.0"),
		    "number name node parent start size start_sector sectors type uuid label"
		    " alignment misaligned_by verdict content findings role table");
	assert_keys(at(top, "devices.0.partitions.0.content.0"),
		    "type data_offset block_size misaligned_by ashift");
	assert_keys(at(top, "devices.0.partitions.0.findings.0"),
		    "id severity message value boundary cost");
	assert_keys(at(top, "devices.0.users.0"), "node what");
	assert_keys(at(top, "pool"), "ashift mixed_logical mixed_physical consequences findings");
	assert_keys(at(top, "summary"), "devices partitions misaligned unknown");
	json_object_put(top);
	teardown(&f);
}

static void test_values_of_a_disk(void **state)
{
	struct json_object *top;
	struct fixture f;

	(void)state;
	setup_disk(&f);
	add_partition(&f, 1, 2048, 8);
	set_misaligned(&f, add_partition(&f, 5, 63, 16), 3584);
	f.partitions[1].parent = 0;
	strcpy(f.partitions[1].uuid, "UUID");
	strcpy(f.partitions[1].label, "data");
	add_layer(&f, 1, "crypto_LUKS", 4097 * 512);
	f.contents[1].layers[0].block_size = 512;
	f.contents[1].layers[0].ashift = 9;
	top = parse(&f.result, 1);
	assert_string_at(top, "alignck.version", ALIGNCK_VERSION);
	assert_number_at(top, "alignck.schema", 1);
	assert_string_at(top, "devices.0.path", "/dev/sda");
	assert_string_at(top, "devices.0.kind", "disk");
	assert_number_at(top, "devices.0.size", 100 * GIB);
	assert_string_at(top, "devices.0.model", "WDC WD15EARS-00Z5B1");
	assert_null_at(top, "devices.0.serial");
	assert_bool_at(top, "devices.0.rotational", true);
	assert_string_at(top, "devices.0.zoned", "none");
	assert_number_at(top, "devices.0.physical_block_size", 4096);
	assert_null_at(top, "devices.0.optimal_io_size");
	assert_number_at(top, "devices.0.alignment_offset", 0);
	assert_string_at(top, "devices.0.sector_source", "drive-list");
	assert_number_at(top, "devices.0.reported.optimal_io_size", 33553920);
	assert_string_at(top, "devices.0.table.type", "gpt");
	assert_number_at(top, "devices.0.table.sector_size", 512);
	assert_string_at(top, "devices.0.verdict", "misaligned");
	assert_null_at(top, "devices.0.content");
	assert_null_at(top, "devices.0.partitions.0.parent");
	assert_null_at(top, "devices.0.partitions.0.uuid");
	assert_null_at(top, "devices.0.partitions.0.label");
	assert_number_at(top, "devices.0.partitions.0.misaligned_by", 0);
	assert_int_equal(json_object_array_length(at(top, "devices.0.partitions.0.content")), 0);
	assert_int_equal(json_object_array_length(at(top, "devices.0.findings")), 0);
	assert_string_at(top, "devices.0.partitions.1.name", "sda5");
	assert_string_at(top, "devices.0.partitions.1.node", "/dev/sda5");
	assert_number_at(top, "devices.0.partitions.1.parent", 1);
	assert_number_at(top, "devices.0.partitions.1.start", 32256);
	assert_number_at(top, "devices.0.partitions.1.start_sector", 63);
	assert_number_at(top, "devices.0.partitions.1.sectors", 16);
	assert_number_at(top, "devices.0.partitions.1.misaligned_by", 3584);
	assert_string_at(top, "devices.0.partitions.1.verdict", "misaligned");
	assert_number_at(top, "devices.0.partitions.1.content.0.data_offset", 4097 * 512);
	assert_number_at(top, "devices.0.partitions.1.content.0.misaligned_by", 512);
	assert_number_at(top, "devices.0.partitions.1.content.0.ashift", 9);
	assert_string_at(top, "devices.0.partitions.1.findings.0.id", "start-misaligned");
	assert_string_at(top, "devices.0.partitions.1.findings.0.severity", "error");
	assert_number_at(top, "devices.0.partitions.1.findings.0.value", 3584);
	assert_number_at(top, "devices.0.partitions.1.findings.0.boundary", 4096);
	assert_number_at(top, "summary.partitions", 2);
	assert_number_at(top, "summary.misaligned", 1);
	json_object_put(top);
	teardown(&f);
}

/* What is not known is null, and never 0 or false. */
static void test_unknown_is_null(void **state)
{
	struct json_object *top;
	struct fixture f;

	(void)state;
	setup_image(&f);
	f.layout.id[0] = '\0';
	f.result.contents = NULL;
	add_partition(&f, 1, 2048, 8);
	f.judgements[0].verdict = VERDICT_UNKNOWN;
	f.judgements[0].has_misaligned_by = false;
	f.layout.sector_size = 4096;
	f.partitions[0].start = 63 * 512;
	findings_add(&f.analysis.findings, FINDING_TABLE_DAMAGED, -1, "is damaged");
	top = parse(&f.result, 1);
	assert_string_at(top, "devices.0.kind", "image");
	assert_null_at(top, "devices.0.model");
	assert_null_at(top, "devices.0.rotational");
	assert_null_at(top, "devices.0.zoned");
	assert_null_at(top, "devices.0.minimum_io_size");
	assert_null_at(top, "devices.0.alignment_offset");
	assert_null_at(top, "devices.0.reported.logical_block_size");
	assert_null_at(top, "devices.0.reported.alignment_offset");
	assert_null_at(top, "devices.0.table.id");
	assert_null_at(top, "devices.0.partitions.0.node");
	assert_null_at(top, "devices.0.partitions.0.start_sector");
	assert_number_at(top, "devices.0.partitions.0.sectors", 1);
	assert_null_at(top, "devices.0.partitions.0.misaligned_by");
	assert_string_at(top, "devices.0.partitions.0.verdict", "unknown");
	assert_null_at(top, "devices.0.partitions.0.content");
	assert_string_at(top, "devices.0.findings.0.id", "table-damaged");
	assert_null_at(top, "devices.0.findings.0.value");
	assert_null_at(top, "devices.0.findings.0.boundary");
	json_object_put(top);
	teardown(&f);
}

static void test_stacked_offset_and_large_numbers(void **state)
{
	struct json_object *top;
	struct fixture f;

	(void)state;
	setup_disk(&f);
	f.device.topology.alignment_offset = f.device.reported.alignment_offset = -1;
	add_partition(&f, 1, 2048, 8);
	f.partitions[0].start = UINT64_MAX - 511;
	f.partitions[0].size = UINT64_MAX;
	add_layer(&f, 0, "ext4", 0);
	top = parse(&f.result, 1);
	assert_int_equal(json_object_get_int64(at(top, "devices.0.alignment_offset")), -1);
	assert_int_equal(json_object_get_int64(at(top, "devices.0.reported.alignment_offset")), -1);
	assert_null_at(top, "devices.0.partitions.0.content.0.misaligned_by");
	assert_number_at(top, "devices.0.partitions.0.start", UINT64_MAX - 511);
	assert_number_at(top, "devices.0.partitions.0.size", UINT64_MAX);
	assert_null_at(top, "devices.0.partitions.0.sectors");
	json_object_put(top);
	teardown(&f);
}

/* A path may hold any byte; what comes out is UTF-8 that no terminal can be led astray by. */
static void test_hostile_bytes(void **state)
{
	struct json_object *top;
	struct fixture f;
	char *text;

	(void)state;
	setup_image(&f);
	f.result.path = "a\xff\x1b\"\\\n\x7f\xc2\x9b\xe2\x80\xae\xc3\xa9/\xe2\x82";
	text = render(&f, &json_options);
	for (const unsigned char *p = (unsigned char *)text; *p; p++)
		assert_true(*p == '\n' || (*p >= 0x20 && *p != 0x7f && *p != 0xff));
	assert_null(strstr(text, "\xc2\x9b"));
	assert_null(strstr(text, "\xe2\x80\xae"));
	free(text);
	top = parse(&f.result, 1);
	assert_string_at(top, "devices.0.path",
			 "a\xef\xbf\xbd\x1b\"\\\n\x7f\xc2\x9b\xe2\x80\xae\xc3\xa9/"
			 "\xef\xbf\xbd\xef\xbf\xbd");
	json_object_put(top);
	teardown(&f);
}

static void test_no_table(void **state)
{
	struct json_object *top;
	struct fixture f;

	(void)state;
	setup_image(&f);
	f.layout = (struct layout){ .type = TABLE_NONE };
	add_layer(&f, 0, "LVM2_member", MIB);
	top = parse(&f.result, 1);
	assert_string_at(top, "devices.0.table.type", "none");
	assert_null_at(top, "devices.0.table.sector_size");
	assert_int_equal(json_object_array_length(at(top, "devices.0.partitions")), 0);
	assert_string_at(top, "devices.0.content.0.type", "LVM2_member");
	json_object_put(top);
	teardown(&f);
}

static void test_only_what_was_named(void **state)
{
	struct json_object *top;
	struct fixture f;

	(void)state;
	setup_disk(&f);
	f.device.kind = KIND_PARTITION;
	f.device.length = 4096;
	f.result.path = "/dev/sda2";
	add_partition(&f, 1, 2048, 8);
	add_partition(&f, 2, 4096, 8);
	f.result.policy.only = 1;
	top = parse(&f.result, 1);
	assert_string_at(top, "devices.0.kind", "partition");
	assert_number_at(top, "devices.0.size", 4096);
	assert_string_at(top, "devices.0.disk", "/dev/sda");
	assert_int_equal(json_object_array_length(at(top, "devices.0.partitions")), 1);
	assert_string_at(top, "devices.0.partitions.0.name", "sda2");
	json_object_put(top);
	teardown(&f);
}

/* The pool of 512, 4096 and 262144, and of nothing at all; with a device that could not be read
 * nobody knows what suits all. */
static void test_pool_and_summary(void **state)
{
	struct result results[3];
	struct json_object *top;
	struct fixture f[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		setup_disk(&f[i]);
		add_partition(&f[i], 1, 2048, 8);
	}
	results[0] = f[0].result;
	results[1] = f[1].result;
	results[2] = (struct result){ .path = "/dev/sdx", .error = -EIO };
	top = parse(results, 3);
	assert_null_at(top, "pool.ashift");
	json_object_put(top);
	top = parse(results, 2);
	assert_number_at(top, "pool.ashift", 12);
	assert_bool_at(top, "pool.mixed_logical", false);
	assert_bool_at(top, "pool.mixed_physical", false);
	assert_number_at(top, "summary.devices", 2);
	assert_number_at(top, "summary.partitions", 2);
	json_object_put(top);

	f[0].device.topology.physical_block_size = 512;
	f[1].device.topology.physical_block_size = 8192;
	f[1].device.topology.logical_block_size = 4096;
	top = parse(results, 2);
	assert_number_at(top, "pool.ashift", 13);
	assert_bool_at(top, "pool.mixed_logical", true);
	assert_bool_at(top, "pool.mixed_physical", true);
	json_object_put(top);

	f[1].device.topology.physical_block_size = 262144;
	top = parse(results, 2);
	assert_number_at(top, "pool.ashift", 16);
	json_object_put(top);

	results[1] = (struct result){ .path = "/dev/sdx", .error = -EIO };
	top = parse(&results[1], 1);
	assert_null_at(top, "pool.ashift");
	assert_int_equal(json_object_array_length(at(top, "devices")), 0);
	assert_number_at(top, "summary.devices", 0);
	json_object_put(top);
	teardown(&f[0]);
	teardown(&f[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys_and_their_order),
		cmocka_unit_test(test_values_of_a_disk),
		cmocka_unit_test(test_unknown_is_null),
		cmocka_unit_test(test_stacked_offset_and_large_numbers),
		cmocka_unit_test(test_hostile_bytes),
		cmocka_unit_test(test_no_table),
		cmocka_unit_test(test_only_what_was_named),
		cmocka_unit_test(test_pool_and_summary),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
