// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The GPT behind its checksums. Input: u8 flags (bits 0-1: sector size; bit 2: seal the primary;
 * bit 3: seal the backup; bit 4: may change), the fields of both headers (92 bytes each), then the
 * bytes that both arrays are made of. Sealing gives what the fuzzer made up the right checksums, so
 * that it gets past them; without, the checksums are the input's.
 */
#include "layout_invariants.h"

enum { HEADER = 92, ARRAY_AT = 2, DISK_SECTORS = 256 };

static void seal(uint8_t *disk, size_t size, uint32_t sector, uint64_t lba)
{
	uint8_t *h = disk + lba * sector;
	uint64_t array = get_le64(h + 72), len = (uint64_t)get_le32(h + 80) * get_le32(h + 84);
	uint64_t offset, end;
	uint32_t header = get_le32(h + 12);

	if (mul_u64(array, sector, &offset) && add_u64(offset, len, &end) && end <= size)
		put_le32(h + 88, crc32_update(0, disk + offset, len));
	if (header < HEADER || header > sector)
		return;
	put_le32(h + 16, 0);
	put_le32(h + 16, crc32_update(0, h, header));
}

static void put_headers(uint8_t *disk, uint32_t sector, const uint8_t *data)
{
	const uint64_t places[2] = { 1, DISK_SECTORS - 1 };

	for (size_t i = 0; i < 2; i++) {
		uint8_t *h = disk + places[i] * sector;

		memcpy(h, data + i * HEADER, HEADER);
		memcpy(h, "EFI PART\0\0\1", 12);
		/* The other half of the time its place is right. */
		if (h[24] & 1)
			put_le64(h + 24, places[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t disk[DISK_SECTORS * 4096];

	if (size < 1 + 2 * HEADER)
		return 0;

	uint32_t sector = 512U << (data[0] & 3);
	size_t len = DISK_SECTORS * sector, rest = size - 1 - 2 * HEADER;
	size_t room = len - ARRAY_AT * sector - sector;
	struct memory_io m = memory_io_wrap(disk, len);

	memset(disk, 0, len);
	disk[446 + 4] = 0xee;
	disk[446 + 8] = 1;
	disk[446 + 12] = DISK_SECTORS - 1;
	disk[510] = 0x55;
	disk[511] = 0xaa;
	memcpy(disk + ARRAY_AT * sector, data + 1 + 2 * HEADER, rest < room ? rest : room);
	put_headers(disk, sector, data + 1);
	if (data[0] & 4)
		seal(disk, len, sector, 1);
	if (data[0] & 8)
		seal(disk, len, sector, DISK_SECTORS - 1);
	fuzz_read_layout(&m.io, sector, data[0] & 16);
	MUST(m.bytes_read <= LAYOUT_READ_MAX);
	return 0;
}
