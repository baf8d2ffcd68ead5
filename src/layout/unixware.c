// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * UnixWare's label, in sector 29 of an MBR slice of type 63. libblkid knows it too but looks for
 * another magic in another place (libblkid/src/partitions/unixware.c: idinfo), so it
 * never finds one. Layout as in the kernel's block/partitions/msdos.c: u32 magic at 4; the VTOC at
 * 156: u32 magic; from 216 on 16 slices of u16 tag, u16 flags, u32 start, u32 sectors. Starts are
 * absolute; slice 0 is the whole.
 */
#include "internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

enum {
	LABEL_SECTOR = 29,
	LABEL_MAGIC = 4,
	VTOC_MAGIC = 156,
	VTOC_SLICES = 216,
	SLICE_SIZE = 12,
	SLICES = 16,
	TAG_UNUSED = 0,
	TAG_WHOLE = 5,
	FLAG_VALID = 0x0200,
};

bool is_unixware_label(const uint8_t sector[512])
{
	return get_le32(sector + LABEL_MAGIC) == 0xca5e600d &&
	       get_le32(sector + VTOC_MAGIC) == 0x600ddeee;
}

bool decode_unixware_slice(const uint8_t sector[512], unsigned index, struct unixware_slice *slice)
{
	const uint8_t *s = sector + VTOC_SLICES + SLICE_SIZE * index;

	*slice = (struct unixware_slice){ get_le16(s), get_le32(s + 4), get_le32(s + 8) };
	return slice->tag != TAG_UNUSED && slice->sectors && get_le16(s + 2) == FLAG_VALID;
}

int read_unixware(struct source *source, struct layout *layout, int container, unsigned *number)
{
	const struct partition parent = layout->partitions[container];
	uint8_t sector[512];

	if (source_read(source, sector, sizeof(sector),
			parent.start + (uint64_t)LABEL_SECTOR * sizeof(sector)) ||
	    !is_unixware_label(sector))
		return 0;
	for (unsigned i = 1; i < SLICES; i++) {
		struct unixware_slice slice;

		if (!decode_unixware_slice(sector, i, &slice))
			continue;

		struct partition p = {
			.number = *number,
			.parent = container,
			.start = (uint64_t)slice.start * layout->sector_size,
			.size = (uint64_t)slice.sectors * layout->sector_size,
			.table = TABLE_UNIXWARE,
			.role = slice.tag == TAG_WHOLE ? ROLE_WHOLE : ROLE_DATA,
		};

		snprintf(p.type, sizeof(p.type), "%x", slice.tag);

		int index = layout_add(layout, &p);

		if (index < 0)
			return index;
		(*number)++;
		layout->partitions[container].role = ROLE_CONTAINER;
		if (p.start < parent.start || p.start + p.size > parent.start + parent.size)
			findings_add(&layout->findings, FINDING_TABLE_DAMAGED, index,
				     "slice %u lies outside the partition that holds its label", i);
	}
	return 0;
}
