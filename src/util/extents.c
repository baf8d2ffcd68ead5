// SPDX-License-Identifier: GPL-2.0-or-later
#include "alignck/util.h"

#include <errno.h>
#include <stdlib.h>

int extent_list_add(struct extent_list *extents, uint64_t start, uint64_t end)
{
	if (start >= end)
		return 0;
	if (extents->count == extents->room) {
		size_t room = extents->room ? 2 * extents->room : 16;
		void *list = reallocarray(extents->list, room, sizeof(*extents->list));

		if (!list)
			return -ENOMEM;
		extents->list = list;
		extents->room = room;
	}
	extents->list[extents->count++] = (struct extent){ start, end };
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

void extent_list_sort(struct extent_list *extents)
{
	if (extents->count)
		qsort(extents->list, extents->count, sizeof(*extents->list), by_start);
}

int extent_list_add_rest(struct extent_list *out, struct extent whole,
			 const struct extent_list *covered)
{
	uint64_t at = whole.start;
	int err = 0;

	for (size_t i = 0; i < covered->count && !err && at < whole.end; i++) {
		const struct extent *c = &covered->list[i];

		if (c->end <= at || c->start >= whole.end)
			continue;
		err = extent_list_add(out, at, c->start);
		at = c->end;
	}
	return err ? err : extent_list_add(out, at, whole.end);
}
