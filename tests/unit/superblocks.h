/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Superblocks that no tool here can write without a kernel's help, built from their documented
 * layout. The tests hold them against mdadm --examine and blkid. */
#ifndef ALIGNCK_TESTS_SUPERBLOCKS_H
#define ALIGNCK_TESTS_SUPERBLOCKS_H

#include "alignck/util.h"

#include <string.h>

static inline void put_be32(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = v >> (24 - 8 * i);
}

static inline void put_be64(uint8_t *p, uint64_t v)
{
	put_be32(p, v >> 32);
	put_be32(p + 4, v);
}

/* md 1.x, include/uapi/linux/raid/md_p.h: numbers in sectors. */
struct md1 {
	uint32_t level, chunk;
	uint64_t data_offset, data_size, super_offset;
};

enum { MD1_LEN = 512 }; /* 256 and 128 roles of two bytes */

static inline void sum_md1(uint8_t sb[MD1_LEN])
{
	uint64_t sum = 0;

	put_le32(sb + 216, 0);
	for (int i = 0; i < MD1_LEN; i += 4)
		sum += get_le32(sb + i);
	put_le32(sb + 216, (uint32_t)(sum >> 32) + (uint32_t)sum);
}

static inline void build_md1(uint8_t sb[MD1_LEN], const struct md1 *md)
{
	memset(sb, 0, MD1_LEN);
	put_le32(sb, 0xa92b4efc);
	put_le32(sb + 4, 1);
	memcpy(sb + 16, "0123456789abcdef", 16);
	memcpy(sb + 32, "host:mirror", 11);
	put_le32(sb + 72, md->level);
	put_le64(sb + 80, md->data_size);
	put_le32(sb + 88, md->chunk);
	put_le32(sb + 92, 2); /* disks */
	put_le64(sb + 128, md->data_offset);
	put_le64(sb + 136, md->data_size);
	put_le64(sb + 144, md->super_offset);
	memcpy(sb + 168, "fedcba9876543210", 16);
	put_le64(sb + 200, 1); /* events */
	put_le32(sb + 220, 128);
	for (int i = 0; i < 128; i++)
		put_le16(sb + 256 + 2 * i, i < 2 ? i : 0xfffe);
	sum_md1(sb);
}

/* md 0.90: words in the writer's byte order; the checksum is the sum of them all. */
enum { MD0_SB_LEN = 4096 };

static inline void build_md0(uint8_t sb[MD0_SB_LEN], uint32_t level, uint32_t size_kib,
			     uint32_t chunk)
{
	static const uint32_t uuid[] = { 0x01020304, 0x05060708, 0x090a0b0c, 0x0d0e0f10 };
	uint64_t sum = 0;

	memset(sb, 0, MD0_SB_LEN);
	put_le32(sb, 0xa92b4efc);
	put_le32(sb + 8, 90); /* 0.90.0 */
	put_le32(sb + 20, uuid[0]);
	put_le32(sb + 28, level);
	put_le32(sb + 32, size_kib);
	put_le32(sb + 36, 2);
	put_le32(sb + 40, 2);
	for (int i = 1; i < 4; i++)
		put_le32(sb + 48 + 4 * i, uuid[i]);
	put_le32(sb + 132, 1); /* clean */
	put_le32(sb + 136, 2); /* active */
	put_le32(sb + 140, 2); /* working */
	put_le32(sb + 260, chunk);
	for (int i = 0; i < MD0_SB_LEN; i += 4)
		sum += get_le32(sb + i);
	put_le32(sb + 152, (uint32_t)(sum >> 32) + (uint32_t)sum);
}

/*
 * An XDR nvlist as a ZFS label has it (nvpair.c): names padded to four, big-endian numbers, each
 * pair led by its encoded and decoded size, a list closed by two zero words.
 */
struct nvlist {
	uint8_t bytes[4096];
	size_t len;
};

static inline void nv_word(struct nvlist *nv, uint32_t word)
{
	put_be32(nv->bytes + nv->len, word);
	nv->len += 4;
}

/* Starts a pair; returns where it started, for nv_close(). */
static inline size_t nv_open(struct nvlist *nv, const char *name, uint32_t type)
{
	size_t start = nv->len, padded = (strlen(name) + 3) / 4 * 4;

	nv->len += 8;
	nv_word(nv, strlen(name));
	memset(nv->bytes + nv->len, 0, padded);
	memcpy(nv->bytes + nv->len, name, strlen(name));
	nv->len += padded;
	nv_word(nv, type);
	nv_word(nv, 1);
	return start;
}

static inline void nv_close(struct nvlist *nv, size_t start)
{
	put_be32(nv->bytes + start, nv->len - start);
	put_be32(nv->bytes + start + 4, nv->len - start);
}

static inline void nv_uint64(struct nvlist *nv, const char *name, uint64_t value)
{
	size_t start = nv_open(nv, name, 8);

	nv_word(nv, value >> 32);
	nv_word(nv, value);
	nv_close(nv, start);
}

static inline void nv_string(struct nvlist *nv, const char *name, const char *value)
{
	size_t start = nv_open(nv, name, 9), padded = (strlen(value) + 3) / 4 * 4;

	nv_word(nv, strlen(value));
	memset(nv->bytes + nv->len, 0, padded);
	memcpy(nv->bytes + nv->len, value, strlen(value));
	nv->len += padded;
	nv_close(nv, start);
}

static inline struct nvlist build_zfs_label(uint64_t ashift)
{
	struct nvlist nv = { .bytes = { 1, 1 }, .len = 4 };
	size_t tree;

	nv_word(&nv, 0);
	nv_word(&nv, 1);
	nv_uint64(&nv, "version", 5000);
	nv_string(&nv, "name", "tank");
	nv_uint64(&nv, "state", 0);
	nv_uint64(&nv, "txg", 4);
	nv_uint64(&nv, "pool_guid", 0x1122334455667788);
	nv_uint64(&nv, "guid", 0x8877665544332211);
	tree = nv_open(&nv, "vdev_tree", 19);
	nv_word(&nv, 0);
	nv_word(&nv, 1);
	nv_string(&nv, "type", "disk");
	nv_uint64(&nv, "id", 0);
	nv_uint64(&nv, "ashift", ashift);
	nv_word(&nv, 0);
	nv_word(&nv, 0);
	nv_close(&nv, tree);
	nv_word(&nv, 0);
	nv_word(&nv, 0);
	return nv;
}

#endif
