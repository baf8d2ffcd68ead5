// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A table of a stranger that read_layout() has nothing against, and a plan that shifts some of its
 * entries: encode_tables() refuses, or gives tables that differ in positions alone. The first byte
 * chooses the shift; then come the disk's first sectors, and the same bytes once more at its end,
 * where the backup of a GPT may be.
 */
#include "alignck/commit.h"

#include "../unit/memory_io.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* libfdisk 2.38 forgets the sector of a logical partition that it then finds no room for. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libfdisk.so";
}

static void encode(struct io *disk, const struct layout *layout, uint8_t how)
{
	struct plan_place places[LAYOUT_PARTITIONS_MAX];
	struct plan plan = { .feasible = true, .places = places, .place_count = layout->count };
	struct table_image before, after;
	struct reason reason;

	for (size_t i = 0; i < layout->count; i++) {
		const struct partition *p = &layout->partitions[i];
		uint64_t shift = how >> (i % 4) & 1 ? (how / 16 + 1) * layout->sector_size : 0;

		places[i] = (struct plan_place){ p->start + shift, p->size, p->ebr };
	}
	if (encode_tables(disk, layout, &plan, &before, &after, &reason) < 0) {
		if (before.count || after.count || !*reason.text)
			abort();
		return;
	}
	if (!before.count || !after.count || before.sectors[before.count - 1].offset ||
	    after.sectors[after.count - 1].offset)
		abort();
	table_image_free(&before);
	table_image_free(&after);
}

static bool is_in_order(const struct layout *layout)
{
	for (size_t i = 0; i < layout->findings.count; i++)
		if (finding_severity(layout->findings.list[i].id) == SEVERITY_ERROR)
			return false;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { DISK = 4 * MIB };
	struct memory_io disk = memory_io_new(DISK);
	struct layout_options options = { .sector_size = 512, .may_change_sector_size = true };
	struct layout *layout;
	struct reason reason;

	if (size < 2 || size > MIB)
		return 0;
	memory_io_put(&disk, 0, data + 1, size - 1);
	memory_io_put(&disk, DISK - (size - 1), data + 1, size - 1);
	if (read_layout(&disk.io, &options, &layout, &reason) < 0)
		return 0;
	if (is_in_order(layout))
		encode(&disk.io, layout, data[0]);
	layout_free(layout);
	return 0;
}
