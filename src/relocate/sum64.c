// SPDX-License-Identifier: GPL-2.0-or-later
#include "journal.h"

#include <string.h>

/*
 * XXH64 as specified in xxHash's doc/xxhash_spec.md: four lanes of multiply and rotate, 32 bytes a
 * turn, about as fast as memory. It is here to find torn and mixed windows, not forgeries.
 */
#define PRIME1 0x9E3779B185EBCA87ULL
#define PRIME2 0xC2B2AE3D27D4EB4FULL
#define PRIME3 0x165667B19E3779F9ULL
#define PRIME4 0x85EBCA77C2B2AE63ULL
#define PRIME5 0x27D4EB2F165667C5ULL

HASHES static inline uint64_t rotate(uint64_t x, int n)
{
	return x << n | x >> (64 - n);
}

HASHES static inline uint64_t turn(uint64_t lane, uint64_t input)
{
	return rotate(lane + input * PRIME2, 31) * PRIME1;
}

HASHES void sum64_begin(struct sum64 *sum, uint64_t seed)
{
	*sum = (struct sum64){
		.lane = { seed + PRIME1 + PRIME2, seed + PRIME2, seed, seed - PRIME1 },
		.seed = seed,
	};
}

static void add_stripes(struct sum64 *sum, const uint8_t *p, size_t stripes)
{
	uint64_t a = sum->lane[0], b = sum->lane[1], c = sum->lane[2], d = sum->lane[3];

	for (; stripes; stripes--, p += 32) {
		a = turn(a, get_le64(p));
		b = turn(b, get_le64(p + 8));
		c = turn(c, get_le64(p + 16));
		d = turn(d, get_le64(p + 24));
	}
	sum->lane[0] = a;
	sum->lane[1] = b;
	sum->lane[2] = c;
	sum->lane[3] = d;
}

void sum64_add(struct sum64 *sum, const void *data, size_t len)
{
	const uint8_t *p = data;
	size_t held = sum->total % 32;

	sum->total += len;
	if (held) {
		size_t more = len < 32 - held ? len : 32 - held;

		memcpy(sum->tail + held, p, more);
		p += more;
		len -= more;
		if (held + more < 32)
			return;
		add_stripes(sum, sum->tail, 1);
	}
	add_stripes(sum, p, len / 32);
	if (len % 32)
		memcpy(sum->tail, p + len / 32 * 32, len % 32);
}

HASHES static uint64_t merge(uint64_t hash, uint64_t lane)
{
	return (hash ^ turn(0, lane)) * PRIME1 + PRIME4;
}

HASHES uint64_t sum64_end(const struct sum64 *sum)
{
	const uint8_t *p = sum->tail;
	size_t left = sum->total % 32;
	uint64_t h = sum->seed + PRIME5;

	if (sum->total >= 32) {
		h = rotate(sum->lane[0], 1) + rotate(sum->lane[1], 7) + rotate(sum->lane[2], 12) +
		    rotate(sum->lane[3], 18);
		for (int i = 0; i < 4; i++)
			h = merge(h, sum->lane[i]);
	}
	h += sum->total;
	for (; left >= 8; left -= 8, p += 8)
		h = rotate(h ^ turn(0, get_le64(p)), 27) * PRIME1 + PRIME4;
	for (; left >= 4; left -= 4, p += 4)
		h = rotate(h ^ (get_le32(p) * PRIME1), 23) * PRIME2 + PRIME3;
	for (; left; left--, p++)
		h = rotate(h ^ (*p * PRIME5), 11) * PRIME1;
	h = (h ^ h >> 33) * PRIME2;
	h = (h ^ h >> 29) * PRIME3;
	return h ^ h >> 32;
}

uint64_t sum64(uint64_t seed, const void *data, size_t len)
{
	struct sum64 sum;

	sum64_begin(&sum, seed);
	sum64_add(&sum, data, len);
	return sum64_end(&sum);
}
