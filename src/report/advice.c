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
	{ FINDING_CONTENT_DOUBTFUL, NULL, NULL, "`wipefs` lists and removes signatures" },
	{ FINDING_CONTENT_UNREAD, NULL, NULL,
	  "the tools of what lies inside say where its data starts" },
	{ FINDING_LAYER_INVALID, NULL, NULL,
	  "the tools of what lies inside say whether it is whole" },
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

/* Where partitions may start, bytes: first, first + required, ...; `good` is the first of them that
 * is on a recommended boundary and leaves the customary 1 MiB free. */
struct boundaries {
	uint64_t first, good;
};

/* false: nowhere, because no sector lies on a boundary. */
static bool find_boundaries(const struct result *result, struct boundaries *found)
{
	const struct analysis *a = result->analysis;
	const struct device *device = result->device;
	int64_t offset = device->topology.alignment_offset;
	uint64_t unit = sector_unit(result);

	if (offset < 0)
		offset = 0;
	/* Bytes on this device that the medium below counts as 0 modulo required, recommended. */
	found->first = misalignment((uint64_t)offset, device->image_offset, a->required);
	found->good = misalignment((uint64_t)offset, device->image_offset, a->recommended);
	if (found->good < MIB)
		found->good +=
			(MIB - found->good + a->recommended - 1) / a->recommended * a->recommended;
	return found->first % unit == 0 && a->required % unit == 0;
}

/* "a multiple of 8 sectors (2048 is customary)", or with an alignment offset "sector 7 plus a
 * multiple of 8 (2055 is a good one)". */
static void put_good_start(FILE *out, const struct result *result, const struct boundaries *where)
{
	uint64_t unit = sector_unit(result), step = result->analysis->required / unit;

	if (where->first)
		fprintf(out, "sector %" PRIu64 " plus a multiple of %" PRIu64, where->first / unit,
			step);
	else
		fprintf(out, "a multiple of %" PRIu64 " sectors", step);
	if (where->good % unit == 0 && where->good < result->device->size)
		fprintf(out, " (%" PRIu64 " is %s)", where->good / unit,
			where->good == MIB ? "customary" : "a good one");
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

	if (result->device->kind == KIND_TABLE) {
		fputs("; `alignck --fix --dry-run ", out);
		report_path(out, result->device->disk_path);
		fputs("` prints it aligned", out);
		return true;
	}
	if (!plan || (plan->feasible && !plan->move_count))
		return false;
	if (!plan->feasible) {
		fputs("; `alignck --fix` cannot move it: ", out);
		put_text(out, plan->reason);
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
	struct boundaries where;

	if (put_fix(out, result))
		return;
	if (!find_boundaries(result, &where)) {
		fputs("; no sector of it lies on a boundary: what holds it must be moved", out);
	} else if (result->layout->type == TABLE_NONE) {
		fputs("; put it into a partition that starts at ", out);
		put_good_start(out, result, &where);
	} else {
		fprintf(out, "; re-create %s at ", one ? "it" : "them");
		put_good_start(out, result, &where);
		fprintf(out, ", or move %s with %s data", one ? "it" : "them",
			one ? "its" : "their");
	}
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
