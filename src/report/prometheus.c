// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text for node_exporter's textfile collector (Prometheus text exposition format 0.0.4): all
 * samples of a metric together, no series twice, or the collector refuses the whole file.
 */
#include "internal.h"

#include <inttypes.h>
#include <string.h>

/* A label's value: backslash, quote and newline are escaped, malformed bytes and controls shown as
 * text; the format is UTF-8 whatever the locale. */
static void put_label(FILE *out, const char *name, const char *value)
{
	char safe[1024];

	sanitize_text(safe, sizeof(safe), value, strlen(value));
	fprintf(out, "%s=\"", name);
	for (const char *p = safe; *p; p++) {
		if (*p == '\\' || *p == '"')
			fputc('\\', out);
		fputc(*p, out);
	}
	fputc('"', out);
}

/* "sda" joins with node_exporter's own metrics; anything outside /dev keeps its path. */
static const char *device_label(const struct result *result)
{
	return !strncmp(result->path, "/dev/", 5) ? result->path + 5 : result->path;
}

static void put_head(FILE *out, const char *metric, const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s gauge\n", metric, help, metric);
}

static void put_device_sample(FILE *out, const char *metric, const struct result *result,
			      uint64_t value)
{
	fprintf(out, "%s{", metric);
	put_label(out, "device", device_label(result));
	fprintf(out, "} %" PRIu64 "\n", value);
}

/* What a metric about a device is; false: this device has none. */
struct device_metric {
	const char *name, *help;
	bool (*value)(const struct result *result, bool strict, uint64_t *value);
};

static bool device_error(const struct result *result, bool strict, uint64_t *value)
{
	(void)strict;
	*value = !has_facts(result);
	return true;
}

static bool device_status(const struct result *result, bool strict, uint64_t *value)
{
	*value = report_status(result, 1, strict);
	return true;
}

static bool device_required(const struct result *result, bool strict, uint64_t *value)
{
	(void)strict;
	if (!has_facts(result))
		return false;
	*value = result->analysis->required;
	return true;
}

static const struct device_metric device_metrics[] = {
	{ "alignck_device_error", "1 where the device could not be read.", device_error },
	{ "alignck_device_status",
	  "0 aligned, 1 misaligned, 2 cannot tell, 3 unfinished realignment.", device_status },
	{ "alignck_device_required_alignment_bytes", "Alignment that a start must have.",
	  device_required },
};

/* What a metric about a partition is; false: this partition has none. */
struct partition_metric {
	const char *name, *help;
	bool (*value)(const struct row *row, uint64_t *value);
};

static bool partition_misaligned(const struct row *row, uint64_t *value)
{
	enum verdict verdict = row->result->analysis->partitions[row->index].verdict;

	*value = verdict == VERDICT_MISALIGNED;
	return verdict != VERDICT_UNKNOWN;
}

static bool partition_start(const struct row *row, uint64_t *value)
{
	*value = row->partition->start;
	return true;
}

static bool partition_misaligned_by(const struct row *row, uint64_t *value)
{
	const struct judgement *j = &row->result->analysis->partitions[row->index];

	*value = j->misaligned_by;
	return j->has_misaligned_by;
}

static const struct partition_metric partition_metrics[] = {
	{ "alignck_partition_misaligned", "1 where it is misaligned; absent where nobody can tell.",
	  partition_misaligned },
	{ "alignck_partition_start_bytes", "First byte on the device.", partition_start },
	{ "alignck_partition_misaligned_by_bytes", "Bytes past the last boundary.",
	  partition_misaligned_by },
};

/* The same device named twice would make a series twice. */
static bool is_repeated(const struct result *results, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (!strcmp(device_label(&results[i]), device_label(&results[index])))
			return true;
	return false;
}

static void put_partitions(FILE *out, const struct partition_metric *metric,
			   const struct result *result)
{
	for (size_t i = 0; i < result->layout->count; i++) {
		struct row row = { result, &result->layout->partitions[i], i, true };
		char name[NAME_TEXT_MAX];
		uint64_t value;

		if (!is_shown(result, i) || !metric->value(&row, &value))
			continue;
		fprintf(out, "%s{", metric->name);
		put_label(out, "device", device_label(result));
		fputc(',', out);
		put_label(
			out, "partition",
			partition_name(name, sizeof(name), result->device, row.partition->number));
		fprintf(out, "} %" PRIu64 "\n", value);
	}
}

static void put_findings(FILE *out, const struct result *result)
{
	const struct findings *findings = &result->analysis->findings;
	size_t counts[FINDING_COUNT] = { 0 };

	for (size_t i = 0; i < findings->count; i++)
		counts[findings->list[i].id]++;
	for (size_t id = 0; id < FINDING_COUNT; id++) {
		if (!counts[id])
			continue;
		fputs("alignck_findings{", out);
		put_label(out, "device", device_label(result));
		fprintf(out, ",id=\"%s\",severity=\"%s\"} %zu\n", finding_name(id),
			severity_name(finding_severity(id)), counts[id]);
	}
}

int print_prometheus(FILE *out, const struct result *results, size_t count,
		     const struct report_options *options)
{
	for (size_t m = 0; m < ARRAY_SIZE(device_metrics); m++) {
		put_head(out, device_metrics[m].name, device_metrics[m].help);
		for (size_t i = 0; i < count; i++) {
			uint64_t value;

			if (!is_repeated(results, i) &&
			    device_metrics[m].value(&results[i], options->strict, &value))
				put_device_sample(out, device_metrics[m].name, &results[i], value);
		}
	}
	for (size_t m = 0; m < ARRAY_SIZE(partition_metrics); m++) {
		put_head(out, partition_metrics[m].name, partition_metrics[m].help);
		for (size_t i = 0; i < count; i++)
			if (has_facts(&results[i]) && !is_repeated(results, i))
				put_partitions(out, &partition_metrics[m], &results[i]);
	}
	put_head(out, "alignck_findings", "Findings by id and severity.");
	for (size_t i = 0; i < count; i++)
		if (has_facts(&results[i]) && !is_repeated(results, i))
			put_findings(out, &results[i]);
	return 0;
}
