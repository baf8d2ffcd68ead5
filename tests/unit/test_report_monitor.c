// SPDX-License-Identifier: GPL-2.0-or-later
/* What monitoring reads: Prometheus text and the Nagios line. */
#include "report_fixture.h"

#include <errno.h>

static const struct report_options prometheus = { .format = FORMAT_PROMETHEUS };
static const struct report_options nagios = { .format = FORMAT_NAGIOS };

static void test_prometheus(void **state)
{
	struct result results[3];
	struct fixture f;
	char *text;

	(void)state;
	setup_disk(&f);
	add_partition(&f, 1, 2048, 8);
	set_misaligned(&f, add_partition(&f, 2, 63, 8), 3584);
	add_partition(&f, 3, 4096, 8);
	f.judgements[2].verdict = VERDICT_UNKNOWN;
	f.judgements[2].has_misaligned_by = false;
	findings_add(&f.analysis.findings, FINDING_LYING_DRIVE, -1, "x");
	results[0] = f.result;
	results[1] = (struct result){ .path = "dir/\"q\\\n.img", .error = -EIO };
	results[2] = f.result; /* named twice: a series twice would make the file unreadable */
	text = render_all(results, 3, &prometheus);
	assert_string_equal(
		text,
		"# HELP alignck_device_error 1 where the device could not be read.\n"
		"# TYPE alignck_device_error gauge\n"
		"alignck_device_error{device=\"sda\"} 0\n"
		"alignck_device_error{device=\"dir/\\\"q\\\\\\\\x0a.img\"} 1\n"
		"# HELP alignck_device_status 0 aligned, 1 misaligned, 2 cannot tell, 3 unfinished"
		" realignment.\n"
		"# TYPE alignck_device_status gauge\n"
		"alignck_device_status{device=\"sda\"} 1\n"
		"alignck_device_status{device=\"dir/\\\"q\\\\\\\\x0a.img\"} 2\n"
		"# HELP alignck_device_required_alignment_bytes Alignment that a start must have.\n"
		"# TYPE alignck_device_required_alignment_bytes gauge\n"
		"alignck_device_required_alignment_bytes{device=\"sda\"} 4096\n"
		"# HELP alignck_partition_misaligned 1 where it is misaligned; absent where nobody"
		" can tell.\n"
		"# TYPE alignck_partition_misaligned gauge\n"
		"alignck_partition_misaligned{device=\"sda\",partition=\"sda1\"} 0\n"
		"alignck_partition_misaligned{device=\"sda\",partition=\"sda2\"} 1\n"
		"# HELP alignck_partition_start_bytes First byte on the device.\n"
		"# TYPE alignck_partition_start_bytes gauge\n"
		"alignck_partition_start_bytes{device=\"sda\",partition=\"sda1\"} 1048576\n"
		"alignck_partition_start_bytes{device=\"sda\",partition=\"sda2\"} 32256\n"
		"alignck_partition_start_bytes{device=\"sda\",partition=\"sda3\"} 2097152\n"
		"# HELP alignck_partition_misaligned_by_bytes Bytes past the last boundary.\n"
		"# TYPE alignck_partition_misaligned_by_bytes gauge\n"
		"alignck_partition_misaligned_by_bytes{device=\"sda\",partition=\"sda1\"} 0\n"
		"alignck_partition_misaligned_by_bytes{device=\"sda\",partition=\"sda2\"} 3584\n"
		"# HELP alignck_findings Findings by id and severity.\n"
		"# TYPE alignck_findings gauge\n"
		"alignck_findings{device=\"sda\",id=\"start-misaligned\",severity=\"error\"} 1\n"
		"alignck_findings{device=\"sda\",id=\"lying-drive\",severity=\"warning\"} 1\n");
	free(text);
	teardown(&f);
}

static void assert_nagios(const struct result *results, size_t count, const char *expected)
{
	char *text = render_all(results, count, &nagios);

	assert_string_equal(text, expected);
	free(text);
}

static void test_nagios(void **state)
{
	struct result results[2];
	struct fixture f;

	(void)state;
	setup_disk(&f);
	add_partition(&f, 1, 2048, 8);
	add_partition(&f, 2, 4096, 8);
	results[0] = f.result;
	results[1] = (struct result){ .path = "/dev/sdx",
				      .error = -EACCES,
				      .reason = { "open: Permission | denied" } };
	assert_nagios(results, 0,
		      "ALIGNCK UNKNOWN - no device to check | misaligned=0;;0;0;0 unknown=0;;0;0;0"
		      " warnings=0;0;;0 errors=0;;0;0;0\n");
	assert_nagios(results, 1,
		      "ALIGNCK OK - 1 device, 2 partitions, all aligned | misaligned=0;;0;0;2"
		      " unknown=0;;0;0;2 warnings=0;0;;0 errors=0;;0;0;1\n");
	findings_add(&f.analysis.findings, FINDING_LYING_DRIVE, -1, "x");
	assert_nagios(results, 1,
		      "ALIGNCK WARNING - sda: 1 warning | misaligned=0;;0;0;2 unknown=0;;0;0;2"
		      " warnings=1;0;;0 errors=0;;0;0;1\n");
	assert_nagios(results, 2,
		      "ALIGNCK UNKNOWN - /dev/sdx: open: Permission / denied; sda: 1 warning |"
		      " misaligned=0;;0;0;2 unknown=0;;0;0;2 warnings=1;0;;0 errors=1;;0;0;2\n");
	set_misaligned(&f, 1, 512);
	assert_nagios(results, 2,
		      "ALIGNCK CRITICAL - sda: 1 of 2 partitions is misaligned; /dev/sdx: open: "
		      "Permission / denied |"
		      " misaligned=1;;0;0;2 unknown=0;;0;0;2 warnings=1;0;;0 errors=1;;0;0;2\n");
	teardown(&f);
}

/* One line, one bar, however many devices and whatever they are called. */
static void test_nagios_many_hostile(void **state)
{
	struct result results[12];
	char *text;
	int bars = 0;

	(void)state;
	for (int i = 0; i < 12; i++)
		results[i] = (struct result){ .path = "a|b\n|c", .error = -EIO };
	text = render_all(results, 12, &nagios);
	for (const char *p = text; (p = strchr(p, '|')); p++)
		bars++;
	assert_int_equal(bars, 1);
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
	assert_non_null(strstr(text, "; and 4 more |"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_prometheus),
		cmocka_unit_test(test_nagios),
		cmocka_unit_test(test_nagios_many_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
