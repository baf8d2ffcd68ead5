// SPDX-License-Identifier: GPL-2.0-or-later
/* Metadata at a container's end: DRBD, FreeBSD's GEOM, and the RAID of a mainboard's firmware. The
 * data begins where the container does. */
#include "decode.h"

#include <string.h>

/*
 * DRBD 8 and 9 with internal metadata: drbd-utils' user/shared/drbdmeta.c, md_on_disk_08, in the
 * last 4 KiB, big-endian: the agreed size in sectors, then the magic at 68. A mirror over the
 * network: what lies in it starts at byte 0.
 */
enum outcome decode_drbd(struct decoding *d)
{
	enum { SIZE_SECTORS = 0, HEADER_LEN = 72, SECTOR = 512 };
	uint64_t bytes;

	if (d->len < HEADER_LEN)
		return DECODE_NOT_THIS;
	if (!mul_u64(get_be64(d->bytes + SIZE_SECTORS), SECTOR, &bytes) || bytes > d->at)
		return DECODE_NOT_THIS;
	d->inside = bytes;
	return found_at(d, 0, 0);
}

/*
 * FreeBSD sys/geom: the class's name in 16 bytes of the provider's last sector. Mirrors and labels
 * pass the rest through as it is; the others stripe, join or encrypt it.
 */
enum outcome decode_geom(struct decoding *d)
{
	static const char *const classes[] = { "MIRROR", "LABEL",  "ELI",     "STRIPE",
					       "RAID3",  "CONCAT", "JOURNAL", "VIRSTOR" };
	enum { PREFIX = 6, NAME = 16, SEEN_THROUGH = 2 };

	if (d->len < NAME)
		return DECODE_NOT_THIS;
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++) {
		size_t len = strlen(classes[i]);
		char type[NAME + 1] = { 0 };

		if (memcmp(d->bytes + PREFIX, classes[i], len) || d->bytes[PREFIX + len])
			continue;
		memcpy(type, d->bytes, NAME);
		name_layer(d, type);
		if (i < SEEN_THROUGH)
			d->inside = d->at;
		return found_at(d, 0, 0);
	}
	return DECODE_NOT_THIS;
}

/* Adaptec HostRAID: a second magic, be32 "DPTM" at 256, backs the first. */
enum outcome decode_adaptec(struct decoding *d)
{
	enum { SECOND_MAGIC = 256 };

	if (d->len < SECOND_MAGIC + 4 || memcmp(d->bytes + SECOND_MAGIC, "DPTM", 4))
		return DECODE_NOT_THIS;
	return found_name(d);
}

/* SNIA "Common RAID Disk Data Format" 2.0, DDF header: the primary header it names has the same
 * signature. */
enum outcome decode_ddf(struct decoding *d)
{
	enum { PRIMARY_LBA = 96, SECTOR = 512 };
	const uint8_t *primary;
	uint64_t lba, at;

	if (d->len < PRIMARY_LBA + 8)
		return DECODE_NOT_THIS;
	lba = d->bytes[0] == 0xde ? get_be64(d->bytes + PRIMARY_LBA)
				  : get_le64(d->bytes + PRIMARY_LBA);
	if (!lba)
		return found_name(d);
	if (!mul_u64(lba, SECTOR, &at))
		return DECODE_NOT_THIS;
	primary = reach(d, at, 4);
	if (!primary)
		return DECODE_MORE;
	return memcmp(primary, d->bytes, 4) ? DECODE_NOT_THIS : found_name(d);
}
