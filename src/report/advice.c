// SPDX-License-Identifier: GPL-2.0-or-later
/* The one line below each device: how it stands, and what to do. */
#include "internal.h"

#include <inttypes.h>
#include <string.h>

/* What helps where the table cannot be trusted. The command is given the disk's path. */
static const struct {
	enum finding_id id;
	const char *command, *gpt_command; /* NULL: none helps */
	const char *words;
} remedies[] = {
	{ FINDING_SECTOR_SIZE_MISMATCH, NULL, NULL,
	  "write nothing to it; attach it as it was when it was partitioned" },
	{ FINDING_KERNEL_DISAGREES, "partx --update", "partx --update",
	  "or a reboot makes the kernel read the table anew" },
	{ FINDING_HYBRID_MBR_CONTRADICTS, "fdisk --type dos --list", "fdisk --type dos --list",
	  "shows what the MBR says, with `--type gpt` what the GPT says" },
	{ FINDING_TABLE_DAMAGED, "sfdisk --verify", "sgdisk --verify", "shows more of the table" },
	{ FINDING_OVERLAP, "sfdisk --verify", "sgdisk --verify", "shows more of the table" },
	{ FINDING_EBR_INSIDE_DATA, "sfdisk --dump", "sfdisk --dump",
	  "saves the table before anything is mended" },
	{ FINDING_BEYOND_END, "sfdisk --verify", "sgdisk --verify", "shows more of the table" },
};

size_t count_warnings(const struct findings *findings)
{
	size_t warnings = 0;

	for (size_t i = 0; i < findings->count; i++)
		warnings += finding_severity(findings->list[i].id) == SEVERITY_WARNING;
	return warnings;
}

static bool has_finding(const struct findings *findings, enum finding_id id)
{
	for (size_t i = 0; i < findings->count; i++)
		if (findings->list[i].id == id)
			return true;
	return false;
}

/* "1 of 2 partitions is misaligned"; of a partition that was named, "misaligned". */
static void put_misaligned(FILE *out, const struct result *result)
{
	const struct analysis *a = result->analysis;

	if (!a->misaligned || (result->policy.only >= 0 && a->judged == 1)) {
		fputs("misaligned", out);
		return;
	}
	fprintf(out, "%zu of ", a->misaligned);
	put_count(out, a->judged, "partition");
	fputs(a->misaligned == 1 ? " is misaligned" : " are misaligned", out);
}

static void put_cannot_tell(FILE *out, const struct result *result)
{
	fputs("cannot tell", out);
	if (!result->analysis->misaligned)
		return;
	fputs(" for sure (", out);
	put_misaligned(out, result);
	fputc(')', out);
}

static void put_aligned(FILE *out, const struct result *result)
{
	const struct analysis *a = result->analysis;
	size_t exempt = 0;

	for (size_t i = 0; i < a->count; i++)
		exempt += a->partitions[i].verdict == VERDICT_EXEMPT && is_shown(result, i);
	if (result->layout->type == TABLE_NONE) {
		bool empty = !result->contents || !result->contents[0].count;

		fputs(empty ? "no partition table, and nothing known inside"
			    : "no partition table; what it holds is aligned",
		      out);
	} else if (!result->layout->count) {
		fputs("its table is empty", out);
	} else if (!a->judged) {
		fputs("nothing to judge", out);
	} else if (result->policy.only >= 0 && a->judged == 1) {
		fputs("aligned", out);
	} else {
		put_count(out, a->judged, "partition");
		fputs(a->judged == 1 ? ", aligned" : ", all aligned", out);
	}
	if (exempt)
		fprintf(out, " (%zu exempt)", exempt);
}

void put_state(FILE *out, const struct result *result, bool strict)
{
	const struct findings *findings = &result->analysis->findings;
	size_t warnings = count_warnings(findings);

	switch (findings_status(findings, false)) {
	case STATUS_ALIGNED:
		put_aligned(out, result);
		if (!strict || !warnings)
			break;
		fputs("; strict: ", out);
		put_count(out, warnings, "warning");
		fputs(warnings == 1 ? " counts" : " count", out);
		break;
	case STATUS_MISALIGNED:
		put_misaligned(out, result);
		break;
	case STATUS_UNFINISHED:
		fputs("an unfinished realignment is on it", out);
		break;
	default:
		put_cannot_tell(out, result);
	}
}

static void put_table_remedy(FILE *out, const struct result *result)
{
	for (size_t i = 0; i < ARRAY_SIZE(remedies); i++) {
		const char *command = result->layout->type == TABLE_GPT ? remedies[i].gpt_command
									: remedies[i].command;

		if (!has_finding(&result->analysis->findings, remedies[i].id))
			continue;
		fputs("; ", out);
		if (command) {
			fprintf(out, "`%s ", command);
			report_path(out, result->device->disk_path);
			fputs("` ", out);
		}
		fputs(remedies[i].words, out);
		return;
	}
}

/*
 * Where partitions may start, in sectors: "a multiple of 8 sectors (2048 is customary)", or with an
 * alignment offset "sector 7 plus a multiple of 8 (2055 is a good one)". false: nowhere, because no
 * sector lies on a boundary.
 */
static bool put_good_start(FILE *out, const struct result *result)
{
	const struct analysis *a = result->analysis;
	const struct device *device = result->device;
	uint64_t unit = sector_unit(result);
	uint64_t offset = device->topology.alignment_offset > 0
				  ? (uint64_t)device->topology.alignment_offset
				  : 0;
	/* Bytes on this device that the medium below counts as 0 modulo required, recommended. */
	uint64_t first = misalignment(offset, device->image_offset, a->required);
	uint64_t good = misalignment(offset, device->image_offset, a->recommended);

	if (first % unit || a->required % unit)
		return false;
	if (first)
		fprintf(out, "sector %" PRIu64 " plus a multiple of %" PRIu64, first / unit,
			a->required / unit);
	else
		fprintf(out, "a multiple of %" PRIu64 " sectors", a->required / unit);

	/* The first one that leaves the customary 1 MiB free. */
	if (good < MIB)
		good += (MIB - good + a->recommended - 1) / a->recommended * a->recommended;
	if (good % unit == 0 && good < device->size)
		fprintf(out, " (%" PRIu64 " is %s)", good / unit,
			good == MIB ? "customary" : "a good one");
	return true;
}

/* "100 MiB": the unit in full, because it stands in a sentence. */
static void put_amount(FILE *out, uint64_t bytes)
{
	char size[SIZE_TEXT_MAX];
	size_t len = strlen(format_size(size, bytes));
	char unit = size[len - 1];

	size[len - 1] = '\0';
	fprintf(out, unit == 'B' ? "%s bytes" : "%s %ciB", size, unit);
}

/* What `--fix` would do about it. false: nothing is planned. */
static bool put_fix(FILE *out, const struct result *result)
{
	const struct plan *plan = result->plan;

	if (!plan || (plan->feasible && !plan->move_count))
		return false;
	if (!plan->feasible) {
		fprintf(out, "; `alignck --fix` cannot move it: %s", plan->reason);
		return true;
	}
	fputs("; `alignck --fix ", out);
	report_path(out, result->device->disk_path);
	fputs("` would move ", out);
	put_amount(out, plan->bytes_to_move);
	return true;
}

/* How to mend misaligned starts where `--fix` cannot. */
static void put_start_remedy(FILE *out, const struct result *result)
{
	bool one = result->analysis->misaligned == 1;
	char *text = NULL;
	size_t size;
	FILE *where;
	bool possible;

	if (put_fix(out, result))
		return;
	where = open_memstream(&text, &size);
	possible = where && put_good_start(where, result);
	if (where)
		fclose(where);
	if (!possible)
		fputs("; no sector of it lies on a boundary: what holds it must be moved", out);
	else if (result->layout->type == TABLE_NONE)
		fprintf(out, "; put it into a partition that starts at %s", text);
	else
		fprintf(out, "; re-create %s at %s, or move %s with %s data", one ? "it" : "them",
			text, one ? "it" : "them", one ? "its" : "their");
	cleanup_free(&text);
}

static void put_alignment_remedy(FILE *out, const struct result *result)
{
	const struct findings *findings = &result->analysis->findings;

	if (has_finding(findings, FINDING_STACK_MISALIGNED))
		fputs("; what it is built on is misaligned: re-create that first", out);
	else if (has_finding(findings, FINDING_START_MISALIGNED))
		put_start_remedy(out, result);
	else if (has_finding(findings, FINDING_ZONE_MISALIGNED))
		fputs("; partitions of this disk must start where zones do", out);
	else if (has_finding(findings, FINDING_PAYLOAD_MISALIGNED))
		fputs("; the start is right: re-create what is inside with its data on a boundary",
		      out);
}

static void put_unfinished_remedy(FILE *out, const struct result *result)
{
	fputs("; `alignck --resume ", out);
	report_path(out, result->device->disk_path);
	fputs("` finishes it, `alignck --undo ", out);
	report_path(out, result->device->disk_path);
	fputs("` takes it back", out);
}

void put_advice(FILE *out, const struct result *result, bool strict)
{
	put_state(out, result, strict);
	switch (findings_status(&result->analysis->findings, false)) {
	case STATUS_MISALIGNED:
		put_alignment_remedy(out, result);
		break;
	case STATUS_UNFINISHED:
		put_unfinished_remedy(out, result);
		break;
	case STATUS_UNKNOWN:
		put_table_remedy(out, result);
		break;
	default:
		break;
	}
}
