// SPDX-License-Identifier: GPL-2.0-or-later
#include "ntfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A size in clusters, or, negative, as a power of two of bytes. 0: impossible. */
static uint32_t decode_size(int8_t n, uint32_t cluster)
{
	uint64_t size = n > 0 ? (uint64_t)n * cluster : n < 0 && n > -32 ? 1ULL << -n : 0;

	return is_power_of_two(size) && size >= 512 && size <= 64 * KIB ? size : 0;
}

/* Boot sector: u16 @11 bytes per sector, u8 @13 sectors per cluster (above 128: 2^(256 - n)), u64
 * @48 first cluster of the MFT, s8 @64 record size, s8 @68 index block size. */
static bool decode_geometry(const uint8_t *b, struct ntfs *ntfs)
{
	uint32_t sector = get_le16(b + 11), per_cluster = b[13];

	if (per_cluster > 128)
		per_cluster = 256 - per_cluster < 24 ? 1U << (256 - per_cluster) : 0;
	if (!is_power_of_two(sector) || sector < 512 || sector > 4096 ||
	    !is_power_of_two(per_cluster) || (uint64_t)sector * per_cluster > 2 * MIB)
		return false;
	ntfs->cluster = sector * per_cluster;
	ntfs->record_size = decode_size((int8_t)b[64], ntfs->cluster);
	ntfs->index_size = decode_size((int8_t)b[68], ntfs->cluster);
	return ntfs->record_size && ntfs->index_size &&
	       mul_u64(get_le64(b + 48), ntfs->cluster, &ntfs->mft);
}

/* Reads any range: the disk may be open past all caches and wants whole blocks, so the lower edges
 * are rounded outwards to 4096. */
static int read_bytes(struct ntfs *ntfs, uint64_t offset, void *buf, size_t len)
{
	enum { BLOCK = 4096 };
	uint64_t from = round_down_to(offset, BLOCK), end;
	uint8_t *bounce;
	int r;

	if (!add_u64(offset, len, &end) || end > ntfs->io->size)
		return -EINVAL;
	if (round_up_to(end, BLOCK, &end), end > ntfs->io->size)
		end = ntfs->io->size;
	bounce = malloc(end - from);
	if (!bounce)
		return -ENOMEM;
	r = io_read(ntfs->io, bounce, end - from, from);
	if (r == 0)
		memcpy(buf, bounce + (offset - from), len);
	free(bounce);
	return r;
}

/* u16 @4 where the update sequence is, u16 @6 how many words: the number, then one for each 512. */
bool ntfs_fix_up(uint8_t *block, size_t len, const char signature[4])
{
	uint32_t at = get_le16(block + 4), words = get_le16(block + 6);

	if (memcmp(block, signature, 4) != 0 || len % 512 || words != len / 512 + 1 || at % 2 ||
	    at < 8 || at + 2 * words > 510)
		return false;
	for (uint32_t i = 1; i < words; i++) {
		uint8_t *last = block + 512 * i - 2;

		if (memcmp(last, block + at, 2) != 0)
			return false;
		memcpy(last, block + at + 2 * i, 2);
	}
	return true;
}

static int read_raw_record(struct ntfs *ntfs, uint64_t at, uint8_t **record)
{
	uint8_t *bytes = malloc(ntfs->record_size);
	int r = bytes ? read_bytes(ntfs, at, bytes, ntfs->record_size) : -ENOMEM;

	if (r == 0 && !ntfs_fix_up(bytes, ntfs->record_size, "FILE"))
		r = -EINVAL;
	if (r < 0) {
		free(bytes);
		return r;
	}
	*record = bytes;
	return 0;
}

int ntfs_open(struct io *partition, const uint8_t *boot, struct ntfs *ntfs)
{
	*ntfs = (struct ntfs){ .io = partition };
	if (!decode_geometry(boot, ntfs))
		return -EINVAL;
	return read_raw_record(ntfs, ntfs->mft, &ntfs->mft_record);
}

void ntfs_close(struct ntfs *ntfs)
{
	free(ntfs->mft_record);
	*ntfs = (struct ntfs){ 0 };
}

static bool is_named(const uint8_t *a, uint32_t len, const char *name)
{
	uint32_t at = get_le16(a + 10), n = a[9];

	if (n != strlen(name) || at + 2 * n > len)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (get_le16(a + at + 2 * i) != (uint8_t)name[i])
			return false;
	return true;
}

/* u32 @0 type, u32 @4 length, u8 @8 non-resident, u8 @9 length of the name, u16 @10 where it is;
 * resident: u32 @16 length, u16 @20 where; else: u64 @16 first cluster, u64 @48 data size. */
static bool decode_attribute(const uint8_t *a, uint32_t len, struct ntfs_attribute *attribute)
{
	uint32_t at;

	*attribute = (struct ntfs_attribute){ .bytes = a, .len = len, .resident = !a[8] };
	if (!attribute->resident) {
		/* A record further on in the list would start at another cluster. */
		if (len < 64 || get_le64(a + 16))
			return false;
		attribute->size = get_le64(a + 48);
		return true;
	}
	at = get_le16(a + 20);
	attribute->value_len = get_le32(a + 16);
	if (at > len || attribute->value_len > len - at)
		return false;
	attribute->value = a + at;
	attribute->size = attribute->value_len;
	return true;
}

/* u16 @20 first attribute, u32 @24 bytes in use. */
bool ntfs_find_attribute(const struct ntfs *ntfs, const uint8_t *record, uint32_t type,
			 const char *name, struct ntfs_attribute *attribute)
{
	uint32_t at = get_le16(record + 20), end = get_le32(record + 24);

	if (end > ntfs->record_size)
		return false;
	while (at % 8 == 0 && at + 24 <= end) {
		const uint8_t *a = record + at;
		uint32_t len = get_le32(a + 4);

		if (get_le32(a) == 0xffffffff || len < 24 || len > end - at)
			return false;
		if (get_le32(a) == type && is_named(a, len, name))
			return decode_attribute(a, len, attribute);
		at += len;
	}
	return false;
}

/* A run of a mapping pairs array: low nibble of the first byte = bytes of the length, high nibble =
 * bytes of the signed distance from the run before, none: a hole. */
struct run {
	uint64_t clusters, cluster;
	bool hole;
};

static bool next_run(const uint8_t **p, const uint8_t *end, uint64_t *position, struct run *run)
{
	const uint8_t *b = *p;
	unsigned length_bytes, distance_bytes;
	uint64_t length = 0, distance = 0;

	if (b >= end || !*b)
		return false;
	length_bytes = *b & 15;
	distance_bytes = *b >> 4;
	if (!length_bytes || length_bytes > 8 || distance_bytes > 8 ||
	    length_bytes + distance_bytes >= (size_t)(end - b))
		return false;
	for (unsigned i = 0; i < length_bytes; i++)
		length |= (uint64_t)b[1 + i] << (8 * i);
	b += 1 + length_bytes;
	for (unsigned i = 0; i < distance_bytes; i++)
		distance |= (uint64_t)b[i] << (8 * i);
	if (distance_bytes && distance_bytes < 8 && b[distance_bytes - 1] & 0x80)
		distance |= UINT64_MAX << (8 * distance_bytes);
	*position += distance; /* modulo 2^64: it may go back */
	*run = (struct run){ length, *position, !distance_bytes };
	*p = b + distance_bytes;
	return true;
}

/* Which run holds that cluster of the data? *skip: how far into it. */
static bool find_run(const struct ntfs_attribute *a, uint64_t cluster, struct run *run,
		     uint64_t *skip)
{
	uint32_t at = get_le16(a->bytes + 32);
	const uint8_t *p = a->bytes + at, *end = a->bytes + a->len;
	uint64_t first = 0, position = 0, next;

	if (at < 64 || at > a->len)
		return false;
	while (next_run(&p, end, &position, run)) {
		if (!add_u64(first, run->clusters, &next))
			return false;
		if (cluster < next) {
			*skip = cluster - first;
			return true;
		}
		first = next;
	}
	return false;
}

int ntfs_read_attribute(struct ntfs *ntfs, const struct ntfs_attribute *attribute, uint64_t offset,
			void *buf, size_t len)
{
	uint64_t end;

	if (!add_u64(offset, len, &end) || end > attribute->size)
		return -EINVAL;
	if (attribute->resident) {
		memcpy(buf, attribute->value + offset, len);
		return 0;
	}
	while (len) {
		uint64_t skip, at, inside = offset % ntfs->cluster;
		size_t n = ntfs->cluster - inside;
		struct run run;
		int r = 0;

		if (n > len)
			n = len;
		if (!find_run(attribute, offset / ntfs->cluster, &run, &skip))
			return -EINVAL;
		if (run.hole)
			memset(buf, 0, n);
		else if (!add_u64(run.cluster, skip, &at) || !mul_u64(at, ntfs->cluster, &at) ||
			 !add_u64(at, inside, &at))
			return -EINVAL;
		else
			r = read_bytes(ntfs, at, buf, n);
		if (r < 0)
			return r;
		buf = (uint8_t *)buf + n;
		offset += n;
		len -= n;
	}
	return 0;
}

int ntfs_read_record(struct ntfs *ntfs, uint64_t number, uint8_t **record)
{
	struct ntfs_attribute data;
	uint64_t offset;
	uint8_t *bytes;
	int r;

	if (!mul_u64(number, ntfs->record_size, &offset) ||
	    !ntfs_find_attribute(ntfs, ntfs->mft_record, NTFS_DATA, "", &data))
		return -EINVAL;
	bytes = malloc(ntfs->record_size);
	r = bytes ? ntfs_read_attribute(ntfs, &data, offset, bytes, ntfs->record_size) : -ENOMEM;
	if (r == 0 && !ntfs_fix_up(bytes, ntfs->record_size, "FILE"))
		r = -EINVAL;
	if (r < 0) {
		free(bytes);
		return r;
	}
	*record = bytes;
	return 0;
}
