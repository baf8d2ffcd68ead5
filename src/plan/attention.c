// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What no program can bring up to date from the disk alone: records of a position that lie in
 * firmware, on another disk, in a registry. One row a kind; each says what helps. Boot sectors with
 * block lists are told by their bytes, which commit looks at (check_content_movable()).
 */
#include "internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int add_attention(struct plan *plan, const char *format, ...)
{
	char **list = reallocarray(plan->attention, plan->attention_count + 1, sizeof(*list));
	char *text = NULL;
	va_list args;
	int len;

	if (!list)
		return -ENOMEM;
	plan->attention = list;
	va_start(args, format);
	len = vasprintf(&text, format, args);
	va_end(args);
	if (len < 0)
		return -ENOMEM;
	list[plan->attention_count++] = text;
	return 0;
}

static bool has_active_windows(const struct layout *layout)
{
	for (size_t i = 0; i < layout->count; i++)
		if (layout->partitions[i].bootable && !strcmp(layout->partitions[i].type, "7"))
			return true;
	return false;
}

/* Windows Vista and later name a disk by its MBR signature and a partition by its byte offset. */
static bool is_windows_boot(const struct ground *ground, const struct partition *p)
{
	return p->table == TABLE_DOS && !strcmp(p->type, "7") && has_active_windows(ground->layout);
}

static bool has_drive_letter(const struct ground *ground, const struct partition *p)
{
	static const char *const types[] = { "7", "6", "b", "c", "e" };

	if (p->table != TABLE_DOS || is_windows_boot(ground, p))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(p->type, types[i]))
			return true;
	return false;
}

static bool is_esp(const struct ground *ground, const struct partition *p)
{
	(void)ground;
	return !strcmp(p->type,
		       p->table == TABLE_GPT ? "C12A7328-F81F-11D2-BA4B-00A0C93EC93B" : "ef");
}

static bool has_layer(const struct ground *ground, const struct partition *p, const char *type)
{
	const struct content *content;

	if (!ground->contents)
		return false;
	content = &ground->contents[p - ground->layout->partitions];
	for (size_t i = 0; i < content->count; i++)
		if (!strcmp(content->layers[i].type, type))
			return true;
	return false;
}

static bool is_bitlocker(const struct ground *ground, const struct partition *p)
{
	return has_layer(ground, p, "BitLocker");
}

/* Payloads keep their distance from the start: where that is no multiple, a good start is not
 * enough. */
static bool stays_off_inside(const struct ground *ground, const struct partition *p)
{
	const struct layer *payload;

	if (!ground->contents)
		return false;
	payload = innermost_payload(&ground->contents[p - ground->layout->partitions]);
	return payload && payload->data_offset > p->start &&
	       (payload->data_offset - p->start) % ground->required;
}

static const struct {
	bool (*applies)(const struct ground *ground, const struct partition *p);
	const char *text; /* what follows "partition N: " */
} rows[] = {
	{ is_windows_boot,
	  "the Windows boot store (BCD) on an MBR disk names partitions by their byte offset: if"
	  " Windows does not start, run startup repair or bootrec /rebuildbcd; drive letters may"
	  " have to be given again" },
	{ has_drive_letter,
	  "Windows remembers drive letters on an MBR disk by byte offset: it may have to be given"
	  " its letter again" },
	{ is_esp,
	  "UEFI boot entries record start and size of the EFI system partition: where firmware no"
	  " longer finds it, make them anew (efibootmgr --create --disk DISK --part NUMBER --loader"
	  " PATH)" },
	{ is_bitlocker,
	  "BitLocker measures the boot path: suspend its protection before the move, or have the"
	  " recovery key at hand" },
	{ stays_off_inside,
	  "what is inside begins off a boundary by itself; after the move it still does" },
};

/* What was judged misaligned, was asked for and stays: said, so that exit status 1 after a fix is
 * no surprise. */
static int list_left_behind(const struct ground *ground, struct plan *plan)
{
	const struct layout *layout = ground->layout;

	for (size_t i = 0; i < layout->count; i++) {
		const char *why = why_pinned(ground, i);

		if (ground->analysis->partitions[i].verdict != VERDICT_MISALIGNED ||
		    !is_requested(ground, i) ||
		    plan->places[i].start != layout->partitions[i].start)
			continue;
		if (add_attention(plan, "partition %u stays misaligned: it %s",
				  layout->partitions[i].number,
				  why ? why : "starts on a boundary, but what is inside does not") <
		    0)
			return -ENOMEM;
	}
	return 0;
}

int list_attention(const struct ground *ground, struct plan *plan)
{
	for (size_t i = 0; i < plan->move_count; i++) {
		const struct partition *p = &ground->layout->partitions[plan->moves[i].partition];

		for (size_t k = 0; k < ARRAY_SIZE(rows); k++)
			if (rows[k].applies(ground, p) &&
			    add_attention(plan, "partition %u: %s", p->number, rows[k].text) < 0)
				return -ENOMEM;
	}
	return list_left_behind(ground, plan);
}
