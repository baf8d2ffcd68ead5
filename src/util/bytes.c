// SPDX-License-Identifier: GPL-2.0-or-later
#include "alignck/util.h"

#include <endian.h>
#include <stdio.h>
#include <string.h>

#define DEFINE_GET(name, type, convert)                                                            \
	type name(const void *p)                                                                   \
	{                                                                                          \
		type v;                                                                            \
                                                                                                   \
		memcpy(&v, p, sizeof(v));                                                          \
		return convert(v);                                                                 \
	}

#define DEFINE_PUT(name, type, convert)                                                            \
	void name(void *p, type v)                                                                 \
	{                                                                                          \
		v = convert(v);                                                                    \
		memcpy(p, &v, sizeof(v));                                                          \
	}

DEFINE_GET(get_le16, uint16_t, le16toh)
DEFINE_GET(get_le32, uint32_t, le32toh)
DEFINE_GET(get_le64, uint64_t, le64toh)
DEFINE_GET(get_be16, uint16_t, be16toh)
DEFINE_GET(get_be32, uint32_t, be32toh)
DEFINE_GET(get_be64, uint64_t, be64toh)
DEFINE_PUT(put_le16, uint16_t, htole16)
DEFINE_PUT(put_le32, uint32_t, htole32)
DEFINE_PUT(put_le64, uint64_t, htole64)

void format_guid(char dst[GUID_TEXT_MAX], const uint8_t g[16])
{
	snprintf(dst, GUID_TEXT_MAX, "%08X-%04X-%04X-%02X%02X-%02X%02X%02X%02X%02X%02X",
		 get_le32(g), get_le16(g + 4), get_le16(g + 6), g[8], g[9], g[10], g[11], g[12],
		 g[13], g[14], g[15]);
}

/* A nibble at a time: 16 constants, fast enough for a header. */
static uint32_t crc32_nibbles(uint32_t crc, const uint8_t *p, size_t len)
{
	static const uint32_t table[16] = {
		0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
		0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
		0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
	};

	for (; len; len--) {
		crc ^= *p++;
		crc = table[crc & 15] ^ (crc >> 4);
		crc = table[crc & 15] ^ (crc >> 4);
	}
	return crc;
}

/*
 * Eight bytes at a time (Intel's "slicing by 8"): table[k][b] is what byte b does to the CRC k
 * bytes further on. A check spends most of its own time in the CRCs of two GPT entry arrays of 16
 * KiB, so this is worth the 2048 steps that filling the tables takes; they live on the stack, as
 * pure code has no globals.
 */
static uint32_t crc32_slices(uint32_t crc, const uint8_t *p, size_t len)
{
	uint32_t table[8][256];

	for (unsigned b = 0; b < 256; b++)
		table[0][b] = crc32_nibbles(0, &(const uint8_t){ (uint8_t)b }, 1);
	for (int k = 1; k < 8; k++)
		for (unsigned b = 0; b < 256; b++) {
			uint32_t before = table[k - 1][b];

			table[k][b] = table[0][before & 255] ^ (before >> 8);
		}
	for (; len >= 8; p += 8, len -= 8) {
		uint32_t low = crc ^ get_le32(p), high = get_le32(p + 4);

		crc = table[7][low & 255] ^ table[6][low >> 8 & 255] ^ table[5][low >> 16 & 255] ^
		      table[4][low >> 24] ^ table[3][high & 255] ^ table[2][high >> 8 & 255] ^
		      table[1][high >> 16 & 255] ^ table[0][high >> 24];
	}
	return crc32_nibbles(crc, p, len);
}

uint32_t crc32_update(uint32_t crc, const void *data, size_t len)
{
	return ~(len < 4096 ? crc32_nibbles : crc32_slices)(~crc, data, len);
}
