// SPDX-License-Identifier: GPL-2.0-or-later
/* What people read: a tree, the findings, and a line that says what to do. */
#include "internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

static void put_fact(FILE *out, const char *name, const char *what, const char *value)
{
	if (!value)
		return;
	put_text(out, name);
	fprintf(out, ": %s: ", what);
	put_text(out, value);
	fputc('\n', out);
}

static void put_bytes(FILE *out, const char *what, uint64_t bytes)
{
	if (bytes)
		fprintf(out, "%s %" PRIu64, what, bytes);
	else
		fprintf(out, "%s unknown", what);
}

static void put_topology(FILE *out, const char *name, const char *what, const struct topology *t)
{
	put_text(out, name);
	fprintf(out, ": %s:", what);
	put_bytes(out, " logical", t->logical_block_size);
	put_bytes(out, ", physical", t->physical_block_size);
	put_bytes(out, ", minimum I/O", t->minimum_io_size);
	put_bytes(out, ", optimal I/O", t->optimal_io_size);
	if (t->has_alignment_offset)
		fprintf(out, ", alignment offset %" PRId64, t->alignment_offset);
	fputc('\n', out);
}

static void put_facts(FILE *out, const struct result *result)
{
	static const char *const rotates[] = { "solid state", "rotating" };
	const struct device *device = result->device;
	const char *name = device->disk_name;

	put_fact(out, name, "model", device->model);
	put_fact(out, name, "serial", device->serial);
	if (device->rotational != TRI_UNKNOWN)
		put_fact(out, name, "medium", rotates[device->rotational]);
	put_fact(out, name, "zoned", device->zoned);
	put_topology(out, name, "reported", &device->reported);
	put_topology(out, name, "believed", &device->topology);
	put_fact(out, name, "physical sector size from", sector_source_name(device->sector_source));
	put_text(out, name);
	fprintf(out, ": required alignment: %" PRIu64 ", recommended %" PRIu64 "\n",
		result->analysis->required, result->analysis->recommended);
	for (size_t i = 0; i < device->user_count; i++)
		put_fact(out, device->users[i].node, "in use", device->users[i].what);
}

static bool has_error(const struct findings *findings, int partition)
{
	for (size_t i = 0; i < findings->count; i++)
		if (findings->list[i].partition == partition &&
		    finding_severity(findings->list[i].id) == SEVERITY_ERROR)
			return true;
	return false;
}

/*
 * What a reader can do without: that an exempt partition is off a boundary (its verdict says so),
 * and what else could be better about a partition that is wrong. JSON and --verbose have all of it.
 */
static bool is_trivial(const struct findings *findings, const struct finding *f)
{
	return f->id == FINDING_START_EXEMPT ||
	       (f->partition >= 0 && finding_severity(f->id) != SEVERITY_ERROR &&
		has_error(findings, f->partition));
}

static void put_findings(FILE *out, const struct result *result, int partition, bool verbose)
{
	const struct findings *findings = &result->analysis->findings;
	char name[NAME_TEXT_MAX];

	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *f = &findings->list[i];

		if (f->partition != partition || (!verbose && is_trivial(findings, f)))
			continue;
		put_text(out,
			 partition < 0
				 ? result->device->disk_name
				 : partition_name(name, sizeof(name), result->device,
						  result->layout->partitions[partition].number));
		fputs(": ", out);
		put_text(out, f->message);
		fputc('\n', out);
	}
}

static int print_device(FILE *out, const struct result *result,
			const struct report_options *options)
{
	int err = print_table_of(out, result, options);

	/* Without headings somebody's script reads the rows: rows are all it gets. */
	if (err || options->noheadings)
		return err;
	if (options->verbose)
		put_facts(out, result);
	for (int p = -1; p < (int)result->layout->count; p++)
		put_findings(out, result, p, options->verbose);
	put_text(out, result->device->name);
	fputs(": ", out);
	put_advice(out, result, options->strict);
	fputc('\n', out);
	if (options->plan && result->plan)
		print_plan(out, result, options);
	return 0;
}

int render_text(struct result *result, const struct report_options *options)
{
	size_t size;
	FILE *out;
	int err;

	if (options->format != FORMAT_TEXT || !has_facts(result))
		return 0;
	out = open_memstream(&result->text, &size);
	if (!out)
		return -ENOMEM;
	err = print_device(out, result, options);
	if (ferror(out))
		err = -ENOMEM;
	if (fclose(out))
		err = -ENOMEM;
	return err;
}

int print_tree(FILE *out, const struct result *results, size_t count,
	       const struct report_options *options)
{
	bool first = true;
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		const struct result *result = &results[i];

		if (!has_facts(result))
			continue;
		if (!first && !options->noheadings)
			fputc('\n', out);
		first = false;
		if (result->text)
			fputs(result->text, out);
		else
			err = print_device(out, result, options);
	}
	if (!err && !options->noheadings && is_pool(results, count))
		err = print_pool(out, results, count);
	return err;
}
