/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Partition tables for tests: an encoder of our own, so that what the decoder reads was not written
 * by its inverse, and shorthand to read a layout and look for findings. A disk is an array.
 */
#ifndef ALIGNCK_TEST_TABLES_H
#define ALIGNCK_TEST_TABLES_H

#include "alignck/layout.h"
#include "memory_io.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

struct disk {
	uint8_t *bytes;
	size_t size;
	uint32_t sector;
};

static inline struct disk disk_new(size_t size, uint32_t sector)
{
	struct disk d = { calloc(1, size), size, sector };

	assert_non_null(d.bytes);
	return d;
}

static inline uint8_t *sector_at(struct disk *d, uint64_t lba)
{
	assert_true((lba + 1) * d->sector <= d->size);
	return d->bytes + lba * d->sector;
}

/* ---- MBR and EBR */

static inline void put_mbr_entry(struct disk *d, uint64_t lba, int i, uint8_t boot, uint8_t type,
				 uint32_t start, uint32_t sectors)
{
	uint8_t *e = sector_at(d, lba) + 446 + 16 * i;

	memset(e, 0, 16);
	e[0] = boot;
	e[4] = type;
	put_le32(e + 8, start);
	put_le32(e + 12, sectors);
}

static inline void put_signature(struct disk *d, uint64_t lba)
{
	sector_at(d, lba)[510] = 0x55;
	sector_at(d, lba)[511] = 0xaa;
}

/* A link of a chain: data at `start` from here, next EBR at `next` from the container; 0: none. */
static inline void put_ebr(struct disk *d, uint64_t lba, uint32_t start, uint32_t sectors,
			   uint32_t next)
{
	put_mbr_entry(d, lba, 0, 0, 0x83, start, sectors);
	put_mbr_entry(d, lba, 1, 0, next ? 0x05 : 0, next, next ? 1000 : 0);
	put_signature(d, lba);
}

/* ---- GPT */

struct gpt_spec {
	uint64_t primary_array, backup_array; /* LBA; 0: beside the headers as usual */
	uint64_t backup_lba;                  /* 0: the last sector */
	uint64_t first_usable, last_usable;   /* 0: as sgdisk has them */
	uint32_t count, entry_size;           /* 0: 128 of 128 bytes */
};

/* Bit by bit, from the definition; the product's is a table. */
static inline uint32_t plain_crc32(const uint8_t *p, size_t len)
{
	uint32_t crc = 0xffffffff;

	while (len--) {
		crc ^= *p++;
		for (int i = 0; i < 8; i++)
			crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
	}
	return ~crc;
}

/* Sets both checksums of the header at `lba` to what its bytes need. */
static inline void seal_gpt(struct disk *d, uint64_t lba)
{
	uint8_t *h = sector_at(d, lba);
	uint64_t array = get_le64(h + 72);
	size_t len = (size_t)get_le32(h + 80) * get_le32(h + 84);

	if (array < d->size / d->sector && array * d->sector + len <= d->size)
		put_le32(h + 88, plain_crc32(d->bytes + array * d->sector, len));
	put_le32(h + 16, 0);
	put_le32(h + 16, plain_crc32(h, get_le32(h + 12)));
}

static inline void put_gpt_header(struct disk *d, const struct gpt_spec *s, uint64_t lba,
				  uint64_t other, uint64_t array)
{
	static const uint8_t guid[16] = { 0x78, 0x56, 0x34, 0x12, 0xbc, 0x9a, 0xf0, 0xde,
					  1,    2,    3,    4,    5,    6,    7,    8 };
	uint8_t *h = sector_at(d, lba);

	memset(h, 0, d->sector);
	memcpy(h, "EFI PART", 8);
	put_le32(h + 8, 0x10000);
	put_le32(h + 12, 92);
	put_le64(h + 24, lba);
	put_le64(h + 32, other);
	put_le64(h + 40, s->first_usable);
	put_le64(h + 48, s->last_usable);
	memcpy(h + 56, guid, sizeof(guid));
	put_le64(h + 72, array);
	put_le32(h + 80, s->count);
	put_le32(h + 84, s->entry_size);
}

/* Fills in what is 0 in `s`. */
static inline void complete_gpt(const struct disk *d, struct gpt_spec *s)
{
	uint64_t sectors;

	s->count = s->count ? s->count : 128;
	s->entry_size = s->entry_size ? s->entry_size : 128;
	sectors = ((uint64_t)s->count * s->entry_size + d->sector - 1) / d->sector;
	s->backup_lba = s->backup_lba ? s->backup_lba : d->size / d->sector - 1;
	s->primary_array = s->primary_array ? s->primary_array : 2;
	s->backup_array = s->backup_array ? s->backup_array : s->backup_lba - sectors;
	s->first_usable = s->first_usable ? s->first_usable : s->primary_array + sectors;
	s->last_usable = s->last_usable ? s->last_usable : s->backup_array - 1;
}

/* An empty GPT with its protective MBR, both copies. Completes `s`. Entries follow, then seals. */
static inline void put_gpt(struct disk *d, struct gpt_spec *s)
{
	complete_gpt(d, s);
	put_mbr_entry(d, 0, 0, 0, 0xee, 1, d->size / d->sector - 1);
	put_signature(d, 0);
	put_gpt_header(d, s, 1, s->backup_lba, s->primary_array);
	put_gpt_header(d, s, s->backup_lba, 1, s->backup_array);
}

static inline void seal_both(struct disk *d, const struct gpt_spec *s)
{
	seal_gpt(d, 1);
	seal_gpt(d, s->backup_lba);
}

/* Entry `i` (from 0) in both arrays: type Linux, a GUID of the number. */
static inline void put_gpt_entry(struct disk *d, const struct gpt_spec *s, uint32_t i,
				 uint64_t first, uint64_t last, const char *name)
{
	static const uint8_t linux_type[16] = { 0xaf, 0x3d, 0xc6, 0x0f, 0x83, 0x84, 0x72, 0x47,
						0x8e, 0x79, 0x3d, 0x69, 0xd8, 0x47, 0x7d, 0xe4 };
	const uint64_t arrays[] = { s->primary_array, s->backup_array };

	for (size_t a = 0; a < 2; a++) {
		uint8_t *e = d->bytes + arrays[a] * d->sector + (size_t)i * s->entry_size;

		memset(e, 0, 128);
		memcpy(e, linux_type, 16);
		put_le32(e + 16, i + 1);
		put_le64(e + 32, first);
		put_le64(e + 40, last);
		for (size_t c = 0; name && name[c]; c++)
			put_le16(e + 56 + 2 * c, (uint8_t)name[c]);
	}
}

/* ---- reading */

static inline struct layout *read_io(struct io *io, uint32_t sector, bool may_change)
{
	const struct layout_options options = { sector, may_change };
	struct reason reason = { "" };
	struct layout *layout = NULL;
	int r = read_layout(io, &options, &layout, &reason);

	if (r)
		fail_msg("read_layout: %d %s", r, reason.text);
	return layout;
}

/* As an image: the table may prove another sector size. */
static inline struct layout *read_disk(struct disk *d)
{
	struct memory_io m = memory_io_wrap(d->bytes, d->size);

	return read_io(&m.io, d->sector, true);
}

static inline size_t count_findings(const struct layout *layout, enum finding_id id)
{
	size_t n = 0;

	for (size_t i = 0; i < layout->findings.count; i++)
		n += layout->findings.list[i].id == id;
	return n;
}

/* The message of the first finding of that kind; "" where there is none. */
static inline const char *finding_text(const struct layout *layout, enum finding_id id)
{
	for (size_t i = 0; i < layout->findings.count; i++)
		if (layout->findings.list[i].id == id)
			return layout->findings.list[i].message;
	return "";
}

static inline void print_findings(const struct layout *layout)
{
	for (size_t i = 0; i < layout->findings.count; i++)
		print_error("  %s [%d]: %s\n", finding_name(layout->findings.list[i].id),
			    layout->findings.list[i].partition, layout->findings.list[i].message);
}

static inline void assert_no_findings(const struct layout *layout)
{
	if (layout->findings.count) {
		print_findings(layout);
		fail_msg("%zu findings where none belong", layout->findings.count);
	}
}

/* Exactly one finding, of this kind, whose message holds `word`. */
static inline void assert_only_finding(const struct layout *layout, enum finding_id id,
				       const char *word)
{
	if (layout->findings.count != 1 || layout->findings.list[0].id != id ||
	    !strstr(layout->findings.list[0].message, word)) {
		print_findings(layout);
		fail_msg("expected %s with \"%s\" and nothing else", finding_name(id), word);
	}
}

static inline void assert_place(const struct layout *layout, size_t i, unsigned number,
				uint64_t start, uint64_t sectors)
{
	const struct partition *p = &layout->partitions[i];

	assert_true(i < layout->count);
	assert_int_equal(p->number, number);
	assert_true(p->start == start * layout->sector_size);
	assert_true(p->size == sectors * layout->sector_size);
}

#endif
