/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Results made by hand for the tests of report: no device, no table is read. */
#ifndef ALIGNCK_TEST_REPORT_FIXTURE_H
#define ALIGNCK_TEST_REPORT_FIXTURE_H

#include "unit.h"

#include "alignck/report.h"

#include <stdlib.h>
#include <string.h>

struct fixture {
	struct device device;
	struct layout layout;
	struct partition partitions[8];
	struct judgement judgements[8];
	struct content contents[8];
	struct analysis analysis;
	struct result result;
};

/* Adds a partition (sectors of 512), aligned at 1 MiB until said otherwise. */
static inline int add_partition(struct fixture *f, unsigned number, uint64_t start,
				uint64_t sectors)
{
	int i = (int)f->layout.count++;

	f->partitions[i] = (struct partition){ .number = number,
					       .parent = -1,
					       .start = start * 512,
					       .size = sectors * 512,
					       .table = f->layout.type,
					       .type = "83" };
	f->judgements[i] =
		(struct judgement){ VERDICT_ALIGNED, natural_alignment(start * 512), 0, true };
	f->analysis.count = f->analysis.judged = f->layout.count;
	return i;
}

static inline void set_exempt(struct fixture *f, int i, enum partition_role role)
{
	f->partitions[i].role = role;
	f->judgements[i].verdict = VERDICT_EXEMPT;
	f->analysis.judged--;
}

static inline void set_misaligned(struct fixture *f, int i, uint64_t by)
{
	f->judgements[i].verdict = VERDICT_MISALIGNED;
	f->judgements[i].misaligned_by = by;
	f->analysis.misaligned++;
	f->analysis.verdict = VERDICT_MISALIGNED;
	findings_add_value(&f->analysis.findings, FINDING_START_MISALIGNED, i, by, 4096,
			   "starts %u bytes past a 4096-byte boundary", (unsigned)by);
}

static inline void add_layer(struct fixture *f, int i, const char *type, uint64_t data_offset)
{
	struct layer *layer = &f->contents[i].layers[f->contents[i].count++];

	snprintf(layer->type, sizeof(layer->type), "%s", type);
	layer->data_offset = data_offset;
	layer->has_data_offset = true;
}

/* An image with a dos table and nothing in it yet. */
static inline void setup_image(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	f->device.path = (char *)"dir/disk.img";
	f->device.disk_path = f->device.path;
	f->device.name = f->device.disk_name = (char *)"disk.img";
	f->device.kind = KIND_IMAGE;
	f->device.size = 100 * GIB;
	f->device.rotational = TRI_UNKNOWN;
	f->device.topology = (struct topology){ 512, 4096, 0, 0, 0, false };
	f->device.sector_source = SOURCE_ASSUMED;
	f->layout.type = TABLE_DOS;
	f->layout.sector_size = 512;
	strcpy(f->layout.id, "0012abcd");
	f->layout.partitions = f->partitions;
	f->analysis.partitions = f->judgements;
	f->analysis.required = 4096;
	f->analysis.recommended = MIB;
	f->analysis.whole = (struct judgement){ VERDICT_ALIGNED, GIB, 0, true };
	f->result = (struct result){ .path = f->device.path,
				     .device = &f->device,
				     .layout = &f->layout,
				     .contents = f->contents,
				     .policy = { .only = -1 },
				     .analysis = &f->analysis };
}

/* A real disk with 4096-byte physical sectors and a GPT. */
static inline void setup_disk(struct fixture *f)
{
	setup_image(f);
	f->device.path = f->device.disk_path = (char *)"/dev/sda";
	f->device.name = f->device.disk_name = (char *)"sda";
	f->device.kind = KIND_DISK;
	f->device.rotational = TRI_YES;
	f->device.model = (char *)"WDC WD15EARS-00Z5B1";
	f->device.zoned = (char *)"none";
	f->device.reported = (struct topology){ 512, 512, 512, 33553920, 0, true };
	f->device.topology = (struct topology){ 512, 4096, 4096, 0, 0, true };
	f->device.sector_source = SOURCE_DRIVE_LIST;
	f->layout.type = TABLE_GPT;
	f->result.path = f->device.path;
}

static inline void teardown(struct fixture *f)
{
	findings_free(&f->analysis.findings);
}

/* The report as one string; the caller frees it. Not inline: gcc 12 would take the string for one
 * that dangles. */
static __attribute__((noinline, unused)) char *
render_all(const struct result *results, size_t count, const struct report_options *options)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(report(out, results, count, options), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static inline char *render(const struct fixture *f, const struct report_options *options)
{
	return render_all(&f->result, 1, options);
}

static inline void assert_renders(const struct fixture *f, const struct report_options *options,
				  const char *expected)
{
	char *text = render(f, options);

	assert_string_equal(text, expected);
	free(text);
}

#endif
