// SPDX-License-Identifier: GPL-2.0-or-later
#include "alignck/finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What each id is called, how severe it is, and what an error of its kind does to the exit status.
 */
static const struct {
	const char *name;
	enum severity severity;
	enum status status;
} kinds[FINDING_COUNT] = {
#define NOTICE  SEVERITY_NOTICE, STATUS_ALIGNED
#define WARNING SEVERITY_WARNING, STATUS_ALIGNED
#define ERROR   SEVERITY_ERROR
	[FINDING_START_MISALIGNED] = { "start-misaligned", ERROR, STATUS_MISALIGNED },
	[FINDING_PAYLOAD_MISALIGNED] = { "payload-misaligned", ERROR, STATUS_MISALIGNED },
	[FINDING_PAYLOAD_COMPENSATES] = { "payload-compensates", NOTICE },
	[FINDING_START_NOT_RECOMMENDED] = { "start-not-recommended", WARNING },
	[FINDING_START_EXEMPT] = { "start-exempt", NOTICE },
	[FINDING_END_MISALIGNED] = { "end-misaligned", WARNING },
	[FINDING_SIZE_MISALIGNED] = { "size-misaligned", WARNING },
	[FINDING_STACK_MISALIGNED] = { "stack-misaligned", ERROR, STATUS_MISALIGNED },
	[FINDING_STACK_PLACE] = { "stack-place", NOTICE },
	[FINDING_LYING_DRIVE] = { "lying-drive", WARNING },
	[FINDING_TOPOLOGY_IGNORED] = { "topology-ignored", NOTICE },
	[FINDING_TOPOLOGY_IMPLAUSIBLE] = { "topology-ignored", WARNING },
	[FINDING_SECTOR_SIZE_MISMATCH] = { "sector-size-mismatch", ERROR, STATUS_UNKNOWN },
	[FINDING_TABLE_DAMAGED] = { "table-damaged", ERROR, STATUS_UNKNOWN },
	[FINDING_BACKUP_GPT_MISPLACED] = { "backup-gpt-misplaced", WARNING },
	[FINDING_HYBRID_MBR] = { "hybrid-mbr", WARNING },
	[FINDING_HYBRID_MBR_CONTRADICTS] = { "hybrid-mbr", ERROR, STATUS_UNKNOWN },
	[FINDING_OVERLAP] = { "overlap", ERROR, STATUS_UNKNOWN },
	[FINDING_EBR_INSIDE_DATA] = { "ebr-inside-data", ERROR, STATUS_UNKNOWN },
	[FINDING_EBR_OUT_OF_ORDER] = { "ebr-out-of-order", WARNING },
	[FINDING_BEYOND_END] = { "beyond-end", ERROR, STATUS_UNKNOWN },
	[FINDING_KERNEL_DISAGREES] = { "kernel-disagrees", ERROR, STATUS_UNKNOWN },
	[FINDING_ZONE_MISALIGNED] = { "zone-misaligned", ERROR, STATUS_MISALIGNED },
	[FINDING_SHINGLED] = { "shingled", NOTICE },
	[FINDING_MIXED_SECTOR_SIZES] = { "mixed-sector-sizes", WARNING },
	[FINDING_ASHIFT_TOO_SMALL] = { "ashift-too-small", WARNING },
	[FINDING_BLOCK_SMALLER_THAN_SECTOR] = { "block-smaller-than-sector", WARNING },
	[FINDING_CONTENT_AMBIGUOUS] = { "content-ambiguous", WARNING },
	[FINDING_CONTENT_DOUBTFUL] = { "content-ambiguous", ERROR, STATUS_UNKNOWN },
	[FINDING_CONTENT_UNREAD] = { "content-unread", ERROR, STATUS_UNKNOWN },
	[FINDING_LAYER_INVALID] = { "layer-invalid", ERROR, STATUS_UNKNOWN },
	[FINDING_UNFINISHED_REALIGNMENT] = { "unfinished-realignment", ERROR, STATUS_UNFINISHED },
#undef NOTICE
#undef WARNING
#undef ERROR
};

const char *finding_name(enum finding_id id)
{
	return kinds[id].name;
}

enum severity finding_severity(enum finding_id id)
{
	return kinds[id].severity;
}

enum status finding_status(enum finding_id id)
{
	return kinds[id].status;
}

const char *severity_name(enum severity severity)
{
	static const char *const names[] = { "notice", "warning", "error" };

	return names[severity];
}

const char *cost_name(enum cost cost)
{
	static const char *const names[] = { "", "none", "ends", "every-write" };

	return names[cost];
}

/*
 * Makes room for one more. A full list gives up its last entry for one that weighs more, so that
 * the exit status stays right however many findings a hostile table earns. NULL: there is no room
 * for this one.
 */
static struct finding *make_room(struct findings *findings, enum finding_id id)
{
	if (findings->count == FINDINGS_MAX) {
		struct finding *last = &findings->list[FINDINGS_MAX - 1];

		return kinds[id].status > kinds[last->id].status ? last : NULL;
	}
	if (findings->count == findings->room) {
		size_t room = findings->room ? 2 * findings->room : 4;

		findings->list = reallocarray(findings->list, room, sizeof(*findings->list));
		if (!findings->list)
			abort();
		findings->room = room;
	}
	return &findings->list[findings->count++];
}

__attribute__((format(printf, 3, 0))) static void
add(struct findings *findings, const struct finding *head, const char *format, va_list args)
{
	struct finding *slot = make_room(findings, head->id);

	if (!slot)
		return;
	*slot = *head;
	vsnprintf(slot->message, sizeof(slot->message), format, args);
}

void findings_add(struct findings *findings, enum finding_id id, int partition, const char *format,
		  ...)
{
	const struct finding head = { .id = id, .partition = partition };
	va_list args;

	va_start(args, format);
	add(findings, &head, format, args);
	va_end(args);
}

void findings_add_value(struct findings *findings, enum finding_id id, int partition,
			uint64_t value, uint64_t boundary, const char *format, ...)
{
	const struct finding head = { .id = id,
				      .partition = partition,
				      .has_value = true,
				      .value = value,
				      .boundary = boundary };
	va_list args;

	va_start(args, format);
	add(findings, &head, format, args);
	va_end(args);
}

void findings_add_copy(struct findings *findings, const struct finding *finding)
{
	struct finding *slot = make_room(findings, finding->id);

	if (slot)
		*slot = *finding;
}

void findings_append(struct findings *to, const struct findings *from)
{
	for (size_t i = 0; i < from->count; i++)
		findings_add_copy(to, &from->list[i]);
}

enum status findings_status(const struct findings *findings, bool strict)
{
	enum status worst = STATUS_ALIGNED;

	for (size_t i = 0; i < findings->count; i++) {
		enum finding_id id = findings->list[i].id;
		enum status status = finding_status(id);

		if (strict && finding_severity(id) == SEVERITY_WARNING)
			status = STATUS_MISALIGNED;
		if (status > worst)
			worst = status;
	}
	return worst;
}

void findings_free(struct findings *findings)
{
	free(findings->list);
	*findings = (struct findings){ 0 };
}
