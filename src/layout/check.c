// SPDX-License-Identifier: GPL-2.0-or-later
/* Extents against each other and against the end of the disk. Pure. */
#include "internal.h"

#include <errno.h>
#include <stdlib.h>

struct span {
	uint64_t start, end;
	int parent, index;
};

static int by_place(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

/* These cover others by their nature. */
static bool may_cover_others(enum partition_role role)
{
	return role == ROLE_PROTECTIVE || role == ROLE_MAP || role == ROLE_WHOLE;
}

/* Partitions of one level must not share a byte. One pass in order of place: whoever reaches
 * furthest so far is the one to compare with. */
static void check_overlaps(struct layout *layout, struct span *spans, size_t count)
{
	qsort(spans, count, sizeof(*spans), by_place);
	for (size_t i = 1, furthest = 0; i < count; i++) {
		const struct span *f = &spans[furthest], *s = &spans[i];

		if (s->parent == f->parent && s->start < f->end) {
			uint64_t end = s->end < f->end ? s->end : f->end;

			findings_add_value(
				&layout->findings, FINDING_OVERLAP, s->index, end - s->start, 0,
				"overlaps partition %u by %llu sectors",
				layout->partitions[f->index].number,
				(unsigned long long)(end - s->start) / layout->sector_size);
		}
		if (s->parent != f->parent || s->end > f->end)
			furthest = i;
	}
}

int check_extents(struct layout *layout, uint64_t disk_size)
{
	autofree struct span *spans = calloc(layout->count + 1, sizeof(*spans));
	size_t count = 0;

	if (!spans)
		return -ENOMEM;
	for (size_t i = 0; i < layout->count; i++) {
		const struct partition *p = &layout->partitions[i];
		uint64_t end = p->start + p->size; /* whoever added it checked the sum */

		if (p->role == ROLE_PROTECTIVE)
			continue;
		if (end > disk_size)
			findings_add_value(&layout->findings, FINDING_BEYOND_END, i,
					   end - disk_size, 0,
					   "ends %llu bytes past the end of the disk; the disk or "
					   "image is cut short, or the table is another disk's",
					   (unsigned long long)(end - disk_size));
		if (!may_cover_others(p->role))
			spans[count++] = (struct span){ p->start, end, p->parent, i };
	}
	check_overlaps(layout, spans, count);
	return 0;
}
