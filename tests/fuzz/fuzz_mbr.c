// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The chain of EBRs. Input: u8 flags (bits 0-1: sector size, bit 2: may change); u32 size of the
 * disk in MiB; then pieces of 64 bytes: four entries each. Piece 0 is the MBR's; every other sector
 * of the disk is an EBR with one of the pieces, so that whatever a link says, the walk goes on.
 */
#include "layout_invariants.h"

enum { HEADER = 5, PIECE = 64 };

struct chain_io {
	struct io io;
	const uint8_t *pieces;
	size_t count;
	uint32_t sector_size;
	uint64_t bytes_read;
};

static void fill_sector(const struct chain_io *c, uint64_t lba, uint8_t sector[512])
{
	size_t piece = lba ? 1 + lba % (c->count > 1 ? c->count - 1 : 1) : 0;

	memset(sector, 0, 512);
	memcpy(sector + 446, c->pieces + PIECE * (piece < c->count ? piece : 0), PIECE);
	sector[510] = 0x55;
	sector[511] = 0xaa;
}

static int chain_read(struct io *io, void *buf, size_t len, uint64_t offset)
{
	struct chain_io *c = (struct chain_io *)io;
	uint8_t *to = buf;

	c->bytes_read += len;
	for (size_t i = 0; i < len;) {
		uint64_t lba = (offset + i) / c->sector_size;
		size_t within = (offset + i) % c->sector_size, n = c->sector_size - within;
		uint8_t sector[4096] = { 0 };

		if (n > len - i)
			n = len - i;
		fill_sector(c, lba, sector);
		memcpy(to + i, sector + within, n);
		i += n;
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct io_ops ops = { .read = chain_read };

	if (size < HEADER + PIECE)
		return 0;

	struct chain_io c = {
		.io = { .ops = &ops, .size = (uint64_t)get_le32(data + 1) * MIB },
		.pieces = data + HEADER,
		.count = (size - HEADER) / PIECE,
		.sector_size = 512U << (data[0] & 3),
	};

	fuzz_read_layout(&c.io, c.sector_size, data[0] & 4);
	MUST(c.bytes_read <= LAYOUT_READ_MAX);
	return 0;
}
