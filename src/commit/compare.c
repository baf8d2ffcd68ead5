// SPDX-License-Identifier: GPL-2.0-or-later
#include "internal.h"

#include <inttypes.h>
#include <string.h>

/* What a move must leave as it is, one row a field of struct partition. */
static const struct {
	const char *name;
	size_t offset, size;
} kept[] = {
#define KEPT(name, field)                                                                          \
	{                                                                                          \
		name, offsetof(struct partition, field), sizeof(((struct partition *)0)->field)    \
	}
	KEPT("number", number),
	KEPT("table", table),
	KEPT("boot flag", bootable),
	KEPT("attributes", attributes),
#undef KEPT
};

static const struct {
	const char *name;
	size_t offset;
} kept_texts[] = {
	{ "type", offsetof(struct partition, type) },
	{ "id", offsetof(struct partition, uuid) },
	{ "name", offsetof(struct partition, label) },
};

/* That a label lies in it, its bytes say and not the table: encoded tables come without them. */
static enum partition_role role_in_table(const struct partition *p)
{
	return p->role == ROLE_CONTAINER ? ROLE_DATA : p->role;
}

static const char *find_difference(const struct partition *a, const struct partition *b)
{
	if (role_in_table(a) != role_in_table(b))
		return "role";
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
		if (memcmp((const char *)a + kept[i].offset, (const char *)b + kept[i].offset,
			   kept[i].size) != 0)
			return kept[i].name;
	for (size_t i = 0; i < ARRAY_SIZE(kept_texts); i++)
		if (strcmp((const char *)a + kept_texts[i].offset,
			   (const char *)b + kept_texts[i].offset) != 0)
			return kept_texts[i].name;
	return NULL;
}

/* Index of the next entry of the table itself from `i` on; layout->count: no more. */
static size_t next_own(const struct layout *layout, size_t i)
{
	while (i < layout->count && !is_own_entry(layout, &layout->partitions[i]))
		i++;
	return i;
}

static bool is_planned_entry(const struct partition *old, const struct plan_place *place,
			     const struct partition *now, struct reason *reason)
{
	const char *what = find_difference(old, now);

	if (what)
		reason_set(reason, 0, "the table has another %s of partition %u", what,
			   old->number);
	else if (now->start != place->start || now->size != place->size)
		reason_set(reason, 0,
			   "the table has partition %u at byte %" PRIu64 " with %" PRIu64
			   " bytes, not at %" PRIu64 " with %" PRIu64,
			   old->number, now->start, now->size, place->start, place->size);
	else if (now->ebr != place->ebr)
		reason_set(reason, 0,
			   "the table has the EBR of partition %u at byte %" PRIu64
			   ", not at %" PRIu64,
			   old->number, now->ebr, place->ebr);
	else
		return true;
	return false;
}

bool is_planned_layout(const struct layout *layout, const struct plan *plan,
		       const struct layout *found, struct reason *reason)
{
	size_t i = next_own(layout, 0), j = next_own(found, 0);

	if (found->type != layout->type || found->sector_size != layout->sector_size ||
	    strcmp(found->id, layout->id) != 0) {
		reason_set(reason, 0, "the table is of another type or has another id");
		return false;
	}
	/* Same order in the table, too: an MBR's PARTUUID counts on it. */
	while (i < layout->count && j < found->count) {
		struct plan_place place = new_place(layout, plan, i);

		if (!is_planned_entry(&layout->partitions[i], &place, &found->partitions[j],
				      reason))
			return false;
		i = next_own(layout, i + 1);
		j = next_own(found, j + 1);
	}
	if (i < layout->count || j < found->count) {
		reason_set(reason, 0, "the table has another number of partitions");
		return false;
	}
	for (size_t f = 0; f < found->findings.count; f++)
		if (finding_severity(found->findings.list[f].id) == SEVERITY_ERROR) {
			reason_set(reason, 0, "the table is not in order: %s",
				   found->findings.list[f].message);
			return false;
		}
	return true;
}
