// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * LVM2 physical volume: LVM2's lib/format_text/layout.h (pv_header, disk_locn, mda_header,
 * raw_locn) and lib/label/label.h (label_header). LVM1: lib/format1/disk-rep.h.
 */
#include "decode.h"

#include <string.h>

enum {
	LABEL_SECTOR = 8,  /* le64, which sector this label is in */
	LABEL_CRC = 16,    /* le32, from the next field to the end of the sector */
	LABEL_OFFSET = 20, /* le32, from the label to the pv_header */
	LABEL_TYPE = 24,   /* "LVM2 001" */
	LABEL_SIZE = 512,
	PV_DISK_AREAS = 40, /* after the uuid (32) and the device size (8) */
	DISK_LOCN = 16,     /* le64 offset, le64 size, bytes; offset 0 ends a list */
	MDA_MAGIC = 4,
	MDA_START = 24, /* le64 */
	MDA_SIZE = 32,  /* le64 */
	MDA_LOCNS = 40, /* le64 offset from the start of the area, le64 size, crc, flags */
	MDA_HEADER = 512,
	TEXT_LEN = 1024, /* extent_size stands in the first lines of the volume group */
};

static const uint32_t crc_start = 0xf597a6cf;

/* LVM's CRC-32 starts elsewhere and is not inverted at either end. */
static uint32_t lvm_crc(const uint8_t *bytes, size_t len)
{
	return ~crc32_update(~crc_start, bytes, len);
}

/* "extent_size = 8192" in the text of the metadata: sectors of 512 bytes. 0: not there. */
static uint64_t find_extent_size(const char *text, size_t len)
{
	static const char key[] = "\nextent_size = ";
	const char *p = memmem(text, len, key, sizeof(key) - 1), *end = text + len;
	uint64_t sectors = 0;

	if (!p)
		return 0;
	for (p += sizeof(key) - 1; p < end && *p >= '0' && *p <= '9'; p++)
		if (sectors > UINT32_MAX)
			return 0;
		else
			sectors = sectors * 10 + (*p - '0');
	/* Cut off in the middle of the number: nothing is better than a part of it. */
	return p < end ? sectors * 512 : 0;
}

/* Reads the extent size from the metadata area at `mda`. A volume not in a group has none. */
static enum outcome read_extent_size(struct decoding *d, uint64_t mda)
{
	uint64_t from, area, text_at, text_size;
	const uint8_t *header, *text;
	size_t len;

	if (mda < d->at || mda - d->at > d->len || d->len - (mda - d->at) < MDA_HEADER)
		return DECODE_FOUND; /* an unusual place: not worth another read */
	header = d->bytes + (mda - d->at);
	if (memcmp(header + MDA_MAGIC, " LVM2 x[5A%r0N*>", 16))
		return DECODE_FOUND;
	from = get_le64(header + MDA_LOCNS);
	text_size = get_le64(header + MDA_LOCNS + 8);
	area = get_le64(header + MDA_SIZE);
	if (!text_size || from < MDA_HEADER || from >= area || !add_u64(mda, from, &text_at))
		return DECODE_FOUND;

	/* The area is a ring; a text cut by its end is not worth another read either. */
	len = TEXT_LEN;
	if (len > text_size)
		len = text_size;
	if (len > area - from)
		len = area - from;
	text = reach(d, text_at, len);
	if (!text)
		return DECODE_MORE;
	d->layer.chunk_size = find_extent_size((const char *)text, len);
	return DECODE_FOUND;
}

enum outcome decode_lvm2(struct decoding *d)
{
	uint32_t header;
	size_t locn;

	if (d->len < LABEL_SIZE || get_le64(d->bytes + LABEL_SECTOR) != d->at / LABEL_SIZE ||
	    memcmp(d->bytes + LABEL_TYPE, "LVM2 001", 8) ||
	    get_le32(d->bytes + LABEL_CRC) !=
		    lvm_crc(d->bytes + LABEL_OFFSET, LABEL_SIZE - LABEL_OFFSET))
		return DECODE_NOT_THIS;
	header = get_le32(d->bytes + LABEL_OFFSET);
	if (header > LABEL_SIZE - PV_DISK_AREAS - DISK_LOCN)
		return found_garbled(d);

	/* Two lists, each ended by a zero offset: data areas, then metadata areas. Its writes are
	 * those of whoever uses the logical volume: no block size. */
	locn = header + PV_DISK_AREAS;
	if (!get_le64(d->bytes + locn))
		return found_name(d);
	found_at(d, get_le64(d->bytes + locn), 0);
	while (locn + DISK_LOCN <= LABEL_SIZE && get_le64(d->bytes + locn))
		locn += DISK_LOCN;
	locn += DISK_LOCN;
	if (locn + DISK_LOCN > LABEL_SIZE || !get_le64(d->bytes + locn))
		return DECODE_FOUND; /* no metadata on this volume */
	d->fallback = DECODE_FOUND;
	return read_extent_size(d, get_le64(d->bytes + locn));
}

enum outcome decode_lvm1(struct decoding *d)
{
	/* The two-byte magic is weak; a version of 1 or 2 follows it. */
	if (d->len < 4 || get_le16(d->bytes + 2) < 1 || get_le16(d->bytes + 2) > 2)
		return DECODE_NOT_THIS;
	return found_name(d);
}
