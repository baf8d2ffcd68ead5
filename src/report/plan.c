// SPDX-License-Identifier: GPL-2.0-or-later
/* A plan for people: what moves where, in which order, and what else there is to know. */
#include "internal.h"

#include <inttypes.h>

static void put_move(FILE *out, const struct result *result, const struct plan_move *move,
		     bool bytes)
{
	char name[NAME_TEXT_MAX], size[SIZE_TEXT_MAX];
	uint64_t unit = sector_unit(result);

	put_text(out, partition_name(name, sizeof(name), result->device, move->number));
	fprintf(out, ": moves from sector %" PRIu64 " to %" PRIu64 ", ", move->from / unit,
		move->to / unit);
	if (bytes)
		fprintf(out, "%" PRIu64 " bytes", move->size);
	else
		fputs(format_size(size, move->size), out);
	fprintf(out, ", protection %s\n", protection_name(move->protection));
}

static void put_journal(FILE *out, const struct result *result)
{
	const struct plan *plan = result->plan;
	char size[SIZE_TEXT_MAX];

	put_text(out, result->device->name);
	fprintf(out, ": the journal takes %s", format_size(size, plan->journal_bytes));
	if (plan->journal == JOURNAL_GAP)
		fprintf(out, " in the gap at sector %" PRIu64 "\n",
			plan->journal_start / sector_unit(result));
	else
		fputs(" in a file\n", out);
}

void print_plan(FILE *out, const struct result *result, const struct report_options *options)
{
	const struct plan *plan = result->plan;
	char size[SIZE_TEXT_MAX];

	for (size_t i = 0; i < plan->move_count; i++)
		put_move(out, result, &plan->moves[i], options->bytes);
	if (plan->move_count)
		put_journal(out, result);
	for (size_t i = 0; i < plan->attention_count; i++) {
		put_text(out, result->device->name);
		fputs(": attention: ", out);
		put_text(out, plan->attention[i]);
		fputc('\n', out);
	}
	put_text(out, result->device->name);
	if (plan->feasible && !plan->move_count)
		fputs(": nothing to move", out);
	else if (plan->feasible)
		fprintf(out, ": %zu move%s, %s; how long that takes is unknown", plan->move_count,
			plan->move_count == 1 ? "" : "s", format_size(size, plan->bytes_to_move));
	else
		fputs(": cannot be realigned as it is", out);
	if (plan->note[0]) {
		fputs("; ", out);
		put_text(out, plan->note);
	}
	fputc('\n', out);
}
