// SPDX-License-Identifier: GPL-2.0-or-later
/* The two tables that a journal keeps, for those who must know both layouts after a crash. */
#include "journal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int copy_image(const struct table_image *from, uint32_t unit, struct table_image *to)
{
	to->count = 0;
	to->sectors = calloc(from->count + 1, sizeof(*to->sectors));
	if (!to->sectors)
		return -ENOMEM;
	for (; to->count < from->count; to->count++) {
		struct table_sector *s = &to->sectors[to->count];

		s->offset = from->sectors[to->count].offset;
		s->bytes = malloc(unit);
		if (!s->bytes)
			return -ENOMEM;
		memcpy(s->bytes, from->sectors[to->count].bytes, unit);
	}
	return 0;
}

int relocation_tables(const struct relocation *relocation, struct table_image *old_table,
		      struct table_image *new_table, uint32_t *sector_size, struct reason *reason)
{
	struct journal journal;
	int r = journal_open(relocation, &journal, reason);

	*old_table = *new_table = (struct table_image){ 0 };
	if (r < 0)
		return r;
	*sector_size = journal.logical_sector_size;
	r = copy_image(&journal.table[0], *sector_size, old_table);
	if (!r)
		r = copy_image(&journal.table[1], *sector_size, new_table);
	journal_free(&journal);
	return r ? reason_set(reason, r, "no memory to read the journal") : 0;
}
