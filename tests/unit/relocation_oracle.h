/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_TESTS_RELOCATION_ORACLE_H
#define ALIGNCK_TESTS_RELOCATION_ORACLE_H

/* What every byte must be, and an owner who goes on changing his data. No code of src/relocate is
 * used to judge. */

#include "relocation_world.h"

/* One partition at its place in a layout: NULL, or what is wrong. */
static inline const char *world_wrong_partition(const struct world *w, const uint8_t *disk,
						size_t p, int is_new)
{
	uint64_t size = world_size(w, p), old_start = world_start(w, p, 0);
	uint64_t old_value = world_value(w, p, 0);
	uint8_t *want = malloc(size);
	bool same;

	memcpy(want, w->truth + old_start, size);
	for (int k = 0; is_new && k < WORLD_FIELDS; k++)
		if (get_le64(want + world_field(w, p, k)) == old_value)
			put_le64(want + world_field(w, p, k), world_value(w, p, 1));
	same = !memcmp(want, disk + world_start(w, p, is_new), size);
	free(want);
	return same     ? NULL
	       : is_new ? "a partition's bytes are wrong in the new layout"
			: "a partition's bytes are wrong in the old layout";
}

static inline const char *world_wrong(const struct world *w, const uint8_t *disk, int is_new)
{
	for (size_t p = 0; p < world_parts(w); p++) {
		const char *wrong = world_wrong_partition(w, disk, p, is_new);

		if (wrong)
			return wrong;
	}
	return NULL;
}

static inline bool world_shows(const struct world *w, const uint8_t *disk, int is_new)
{
	for (size_t i = 0; i < w->image[is_new].count; i++)
		if (memcmp(disk + w->image[is_new].sectors[i].offset,
			   w->image[is_new].sectors[i].bytes, w->layout->sector))
			return false;
	return true;
}

/* Is this sector a partition's, the table's or the journal's in that layout? */
static inline bool world_is_ours(const struct world *w, uint64_t at, int is_new)
{
	if (!w->layout->journal_file && at >= w->relocation.journal_base &&
	    at < w->relocation.journal_base + w->relocation.journal_size)
		return true;
	for (size_t i = 0; i < w->image[is_new].count; i++)
		if (w->image[is_new].sectors[i].offset == at)
			return true;
	return world_is_data(w, at, is_new);
}

/* The gaps: nobody may touch what is one in both layouts; undo leaves all as they were. */
static inline const char *world_wrong_gaps(const struct world *w, const uint8_t *disk, int is_new)
{
	uint64_t unit = w->layout->sector;

	for (uint64_t at = 0; at < w->disk.io.size; at += unit)
		if (!world_is_ours(w, at, 0) && !(is_new && world_is_ours(w, at, 1)) &&
		    memcmp(disk + at, w->truth + at, unit))
			return "a gap is not as it was";
	return NULL;
}

/* Any state a crash may leave: what any reader of tables could take for a partition is whole. */
static inline const char *world_wrong_state(const struct world *w)
{
	const uint8_t *disk = w->disk.view;
	bool covered = is_cover(disk, w->layout->sector, NULL);
	uint64_t unit = w->layout->sector, last = w->layout->sectors - 1;

	for (int t = 0; t < 2; t++) {
		if (w->nodes == t && world_wrong(w, disk, t))
			return "the kernel shows a partition that is not whole";
		if (w->layout->table != WORLD_GPT)
			continue;
		/* A reader that ignores sector 0: primary header and array, or both backups. */
		if (((!memcmp(disk + unit, "EFI PART", 8) && disk[unit + 9] == t &&
		      disk[2 * unit + 9] == t) ||
		     (!memcmp(disk + last * unit, "EFI PART", 8) && disk[last * unit + 9] == t &&
		      disk[(last - 1) * unit + 9] == t)) &&
		    world_wrong(w, disk, t))
			return "a GPT shows a partition that is not whole";
	}
	if (covered)
		return NULL;
	for (int t = 0; t < 2; t++)
		if (world_shows(w, disk, t))
			return world_wrong(w, disk, t)
				       ? "a table shows a partition that is not whole"
				       : NULL;
	return "sector 0 is neither the cover nor of a complete table";
}

/* The owner changes a byte of a partition that a table shows, or one of its fields. */
static inline void world_change(struct world *w)
{
	uint8_t *disk = w->disk.view;
	size_t p = crash_random(&w->clock) % world_parts(w);
	uint64_t at = crash_random(&w->clock) % world_size(w, p);
	int shown = -1;

	if (crash_random(&w->clock) % 4 == 0)
		at = world_field(w, p, crash_random(&w->clock) % WORLD_FIELDS);

	for (int t = 0; t < 2; t++)
		if (!is_cover(disk, w->layout->sector, NULL) && world_shows(w, disk, t))
			shown = t;
	if (shown < 0 || w->disk.queued)
		return;
	w->changes++;
	for (int k = 0; k < WORLD_FIELDS; k++) {
		uint64_t field = world_field(w, p, k);

		if (at < field || at >= field + 8)
			continue;
		/* A field too, both halves; from then on it is no start any more. */
		for (uint64_t i = field; i < field + 8; i += 4) {
			disk[world_start(w, p, shown) + i] += 0x13;
			w->disk.durable[world_start(w, p, shown) + i] += 0x13;
		}
		memcpy(w->truth + world_start(w, p, 0) + field,
		       disk + world_start(w, p, shown) + field, 8);
		return;
	}
	w->truth[world_start(w, p, 0) + at] ^= 0x5a;
	disk[world_start(w, p, shown) + at] ^= 0x5a;
	w->disk.durable[world_start(w, p, shown) + at] ^= 0x5a;
}

#endif
