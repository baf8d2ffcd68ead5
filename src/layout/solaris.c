// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The numbers of Solaris slices. libblkid reads the label but leaves out the slice that stands for
 * the whole, which the kernel numbers like any other. Layout as in the kernel's
 * block/partitions/msdos.c (struct solaris_x86_vtoc), one sector into the slice: u16 slices at 30;
 * from 72 on 16 of u16 tag, u16 flag, u32 start in the slice, u32 sectors.
 */
#include "internal.h"

enum { VTOC_COUNT = 30, VTOC_SLICES = 72, SLICE_SIZE = 12, SLICES_FEW = 8, SLICES = 16 };

static void set_number(struct layout *layout, size_t first, uint64_t start, uint64_t size,
		       unsigned number)
{
	for (size_t i = first; i < layout->count; i++)
		if (layout->partitions[i].start == start && layout->partitions[i].size == size)
			layout->partitions[i].number = number;
}

void number_solaris_slices(struct source *source, struct layout *layout, int container,
			   size_t first, unsigned *number)
{
	uint64_t base = layout->partitions[container].start;
	unsigned n = *number - (layout->count - first), count;
	uint8_t vtoc[512];

	if (source_read(source, vtoc, sizeof(vtoc), base + sizeof(vtoc)))
		return;
	count = get_le16(vtoc + VTOC_COUNT) > SLICES_FEW ? SLICES : SLICES_FEW;
	for (unsigned i = 0; i < count; i++) {
		const uint8_t *slice = vtoc + VTOC_SLICES + SLICE_SIZE * i;

		if (get_le32(slice + 8))
			set_number(layout, first, base + 512 * (uint64_t)get_le32(slice + 4),
				   512 * (uint64_t)get_le32(slice + 8), n++);
	}
	if (n > *number)
		*number = n;
}
