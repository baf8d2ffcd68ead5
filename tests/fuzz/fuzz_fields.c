// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Boot sectors, NTFS records, swap and LUKS headers of a stranger: the first byte chooses the
 * sector size and the rule of the start, the rest is the partition.
 */
#include "alignck/commit.h"

#include "../unit/memory_io.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(struct io *disk, const struct layout *layout, uint32_t sector)
{
	struct content_check check;

	if (check_content_movable(disk, layout, 0, sector, &check) == 0 &&
	    (check.attention_count > CONTENT_ATTENTION_MAX ||
	     (check.refused && !*check.reason.text)))
		abort();
}

static void mend(struct io *disk, const struct layout *layout, const struct plan *plan,
		 uint32_t sector)
{
	const struct plan_place *place = &plan->places[0];
	struct position_field *fields;
	struct reason reason;
	size_t count;

	if (find_position_fields(disk, layout, plan, sector, &fields, &count, &reason) < 0)
		abort();
	for (size_t i = 0; i < count; i++)
		if (fields[i].length > POSITION_FIELD_MAX || fields[i].offset < place->start ||
		    fields[i].offset + fields[i].length > place->start + place->size)
			abort();
	free(fields);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { DISK = 4 * MIB, TO = MIB };
	uint32_t sector;
	struct memory_io disk = memory_io_new(DISK);
	struct partition p = { .number = 5, .parent = -1, .table = TABLE_DOS };
	struct plan_place place = { .start = TO, .size = DISK - TO };
	struct layout layout = { .type = TABLE_DOS, .partitions = &p, .count = 1 };
	struct plan plan = { .places = &place, .place_count = 1 };

	if (!size)
		return 0;
	sector = data[0] & 1 ? 4096 : 512;
	p.start = 63 * sector;
	p.ebr = data[0] & 2 ? 7 * sector : 0;
	p.size = place.size;
	place.ebr = p.ebr ? TO / 2 : 0;
	layout.sector_size = sector;
	memory_io_put(&disk, TO, data + 1, size - 1);
	memory_io_put(&disk, p.start, data + 1, size - 1 < TO / 2 ? size - 1 : TO / 2);
	mend(&disk.io, &layout, &plan, sector);
	look(&disk.io, &layout, sector);
	return 0;
}
