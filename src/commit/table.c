// SPDX-License-Identifier: GPL-2.0-or-later
#include "internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* 128 entries of 128 bytes are usual, a few thousand are legal; more is an attack on our memory. */
#define GPT_ARRAY_MAX MIB

void table_image_free(struct table_image *image)
{
	for (size_t i = 0; i < image->count; i++)
		free(image->sectors[i].bytes);
	free(image->sectors);
	*image = (struct table_image){ 0 };
}

uint8_t *find_table_sector(const struct table_image *image, uint64_t offset)
{
	for (size_t i = 0; i < image->count; i++)
		if (image->sectors[i].offset == offset)
			return image->sectors[i].bytes;
	return NULL;
}

uint32_t gpt_header_checksum(const uint8_t *header, uint32_t size)
{
	static const uint8_t zero[4];
	uint32_t crc = crc32_update(0, header, 16);

	/* The field itself counts as zero: UEFI 2.10, table 5.5. */
	crc = crc32_update(crc, zero, sizeof(zero));
	return crc32_update(crc, header + 20, size - 20);
}

static int read_failed(struct reason *reason, int err, uint64_t offset)
{
	return reason_set(reason, err, "cannot read the table at byte %" PRIu64 ": %s", offset,
			  strerror(-err));
}

/* A sector that is already there would be written twice with two contents: the table contradicts
 * itself. */
int add_sectors(struct table_image *image, uint64_t offset, const uint8_t *bytes, size_t len,
		uint32_t sector, struct reason *reason)
{
	size_t n = len / sector;
	struct table_sector *list =
		reallocarray(image->sectors, image->count + n, sizeof(*image->sectors));

	if (!list)
		return reason_set(reason, -ENOMEM, "cannot keep the table: out of memory");
	image->sectors = list;
	for (size_t i = 0; i < n; i++) {
		uint8_t *copy = malloc(sector);

		if (!copy)
			return reason_set(reason, -ENOMEM, "cannot keep the table: out of memory");
		memcpy(copy, bytes + i * sector, sector);
		if (find_table_sector(image, offset + i * sector)) {
			free(copy);
			return reason_set(reason, -EINVAL,
					  "table damaged: two of its parts share byte %" PRIu64,
					  offset + i * sector);
		}
		image->sectors[image->count++] = (struct table_sector){ offset + i * sector, copy };
	}
	return 0;
}

/* Start in sectors of the first used entry of that kind in an MBR or EBR; false: none. */
static bool find_extended(const uint8_t *bytes, uint32_t *start)
{
	for (const uint8_t *e = bytes + DOS_ENTRIES; e < bytes + DOS_SIGNATURE; e += DOS_ENTRY_SIZE)
		if (is_extended_type(e[4]) && get_le32(e + 12)) {
			*start = get_le32(e + 8);
			return true;
		}
	return false;
}

/* Sector 0 comes last: it is the switch. */
static int collect_dos(struct io *io, uint32_t sector, struct table_image *image,
		       struct reason *reason)
{
	autofree uint8_t *mbr = malloc(sector), *ebr = malloc(sector);
	uint32_t container, link = 0;
	int r = mbr && ebr ? io_read(io, mbr, sector, 0) : -ENOMEM;
	bool more = r == 0 && find_extended(mbr, &container);

	for (unsigned i = 0; more && r == 0; i++) {
		uint64_t offset = ((uint64_t)container + link) * sector;

		/* A chain that comes back to an EBR it has been at stops in add_sectors(). */
		if (i == LAYOUT_PARTITIONS_MAX)
			return reason_set(reason, -EINVAL, "table damaged: endless chain of EBRs");
		r = io_read(io, ebr, sector, offset);
		if (r < 0)
			return read_failed(reason, r, offset);
		r = add_sectors(image, offset, ebr, sector, sector, reason);
		if (r < 0)
			return r;
		more = ebr[DOS_SIGNATURE] == 0x55 && ebr[DOS_SIGNATURE + 1] == 0xaa &&
		       find_extended(ebr, &link);
	}
	return r < 0 ? read_failed(reason, r, 0)
		     : add_sectors(image, 0, mbr, sector, sector, reason);
}

void gpt_copy_free(struct gpt_copy *copy)
{
	free(copy->header);
	free(copy->array);
	*copy = (struct gpt_copy){ 0 };
}

/* Takes the header apart. All its numbers are checked before anything is allocated by them; the
 * fault in words, NULL: none. */
static const char *decode_gpt_header(const struct io *io, uint32_t sector, struct gpt_copy *copy)
{
	const uint8_t *h = copy->header;
	uint64_t end;

	copy->header_size = get_le32(h + 12);
	copy->entries = get_le32(h + 80);
	copy->entry_size = get_le32(h + 84);
	copy->array_size = (uint64_t)copy->entries * copy->entry_size;
	copy->array_room = copy->array_size + (sector - copy->array_size % sector) % sector;
	if (memcmp(h, "EFI PART", 8) != 0)
		return "no signature";
	if (copy->header_size < 92 || copy->header_size > sector)
		return "impossible header size";
	if (gpt_header_checksum(h, copy->header_size) != get_le32(h + 16))
		return "wrong header checksum";
	if (get_le64(h + 24) != copy->header_at / sector)
		return "header not where it says it is";
	if (copy->entry_size < 128 || !copy->entries || copy->array_size > GPT_ARRAY_MAX)
		return "impossible entry array";
	if (!mul_u64(get_le64(h + 32), sector, &copy->alternate_at) ||
	    !mul_u64(get_le64(h + 72), sector, &copy->array_at) ||
	    !add_u64(copy->array_at, copy->array_room, &end) || end > io->size)
		return "entry array outside the disk";
	return NULL;
}

int read_gpt_copy(struct io *io, uint64_t offset, uint32_t sector, struct gpt_copy *copy,
		  struct reason *reason)
{
	const char *fault;
	int r;

	*copy = (struct gpt_copy){ .header_at = offset, .header = malloc(sector) };
	r = copy->header ? io_read(io, copy->header, sector, offset) : -ENOMEM;
	if (r < 0)
		return read_failed(reason, r, offset);
	fault = decode_gpt_header(io, sector, copy);
	if (!fault) {
		copy->array = malloc(copy->array_room);
		r = copy->array ? io_read(io, copy->array, copy->array_room, copy->array_at)
				: -ENOMEM;
		if (r < 0)
			return read_failed(reason, r, copy->array_at);
		if (crc32_update(0, copy->array, copy->array_size) == get_le32(copy->header + 88))
			return 0;
		fault = "wrong entry array checksum";
	}
	return reason_set(reason, -EINVAL, "GPT damaged: %s (copy at byte %" PRIu64 ")", fault,
			  offset);
}

static int add_gpt_copy(struct table_image *image, const struct gpt_copy *copy, uint32_t sector,
			struct reason *reason)
{
	int r = add_sectors(image, copy->array_at, copy->array, copy->array_room, sector, reason);

	return r < 0 ? r
		     : add_sectors(image, copy->header_at, copy->header, sector, sector, reason);
}

/* Backup first, as UEFI 5.3.2 asks: at any instant one of the two is whole. The backup is where the
 * primary says, which after a disk has grown is not its end. */
static int collect_gpt(struct io *io, uint32_t sector, struct table_image *image,
		       struct reason *reason)
{
	struct gpt_copy primary, backup = { 0 };
	autofree uint8_t *mbr = malloc(sector);
	int r = read_gpt_copy(io, sector, sector, &primary, reason);

	if (r == 0)
		r = read_gpt_copy(io, primary.alternate_at, sector, &backup, reason);
	if (r == 0)
		r = add_gpt_copy(image, &backup, sector, reason);
	if (r == 0)
		r = add_gpt_copy(image, &primary, sector, reason);
	gpt_copy_free(&primary);
	gpt_copy_free(&backup);
	if (r < 0)
		return r;
	r = mbr ? io_read(io, mbr, sector, 0) : -ENOMEM;
	return r < 0 ? read_failed(reason, r, 0)
		     : add_sectors(image, 0, mbr, sector, sector, reason);
}

int collect_table(struct io *io, enum table_type type, uint32_t sector, struct table_image *image,
		  struct reason *reason)
{
	int r;

	*image = (struct table_image){ 0 };
	if (sector < 512 || !is_power_of_two(sector))
		return reason_set(reason, -EINVAL, "cannot write a table of %u-byte sectors",
				  sector);
	if (type == TABLE_DOS)
		r = collect_dos(io, sector, image, reason);
	else if (type == TABLE_GPT)
		r = collect_gpt(io, sector, image, reason);
	else
		r = reason_set(reason, -EINVAL,
			       "cannot write a table of type %s; only dos and gpt can be realigned",
			       table_type_name(type));
	if (r < 0)
		table_image_free(image);
	return r;
}
