/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A disk in memory with something on it, looked into by read_content(). Include unit.h first. */
#ifndef ALIGNCK_TESTS_LOOK_H
#define ALIGNCK_TESTS_LOOK_H

#include "alignck/stack.h"
#include "memory_io.h"
#include "superblocks.h"

#include <string.h>

static inline void put_ext4(struct memory_io *disk, uint64_t start)
{
	static uint8_t sb[1024];

	memset(sb, 0, sizeof(sb));
	put_le32(sb + 24, 2); /* 4 KiB blocks */
	put_le16(sb + 56, 0xef53);
	put_le32(sb + 96, 0x40); /* extents */
	memory_io_put(disk, start + 1024, sb, sizeof(sb));
}

static inline void put_xfs(struct memory_io *disk, uint64_t start)
{
	static uint8_t sb[512];

	memset(sb, 0, sizeof(sb));
	memcpy(sb, "XFSB", 4);
	put_be32(sb + 4, 4096);
	put_be64(sb + 8, 1000);
	put_be32(sb + 84, 500);
	put_be32(sb + 88, 2);
	sb[102] = 0x02; /* sectors of 512 */
	sb[104] = 0x02; /* inodes of 512 */
	sb[120] = 12;
	sb[121] = 9;
	sb[122] = 9;
	memory_io_put(disk, start, sb, sizeof(sb));
}

/* Looks, and checks what holds whatever is there: a partition's share of bytes read, ZFS's labels
 * on top of it. */
static inline struct content look(struct memory_io *disk, uint64_t start, uint64_t size)
{
	enum { ZFS_LABELS = 4 * 112 * 1024 };
	uint64_t before = disk->bytes_read;
	struct content content;
	bool is_zfs;

	assert_int_equal(read_content(&disk->io, start, size, 512, &content), 0);
	assert_in_range(content.count, 0, STACK_DEPTH_MAX);
	is_zfs = content.ambiguous ||
		 (content.count && !strcmp(content.layers[0].type, "zfs_member"));
	assert_in_range(disk->bytes_read - before, 0, STACK_READ_MAX + (is_zfs ? ZFS_LABELS : 0));
	for (size_t i = 0; i < content.count; i++) {
		const struct layer *layer = &content.layers[i];

		assert_true(layer->type[0]);
		if (layer->has_data_offset)
			assert_in_range(layer->data_offset, start, start + size - 1);
	}
	return content;
}

static inline bool has_finding(const struct content *content, enum finding_id id)
{
	for (size_t i = 0; i < content->findings.count; i++)
		if (content->findings.list[i].id == id)
			return true;
	return false;
}

static inline void expect_layer(const struct content *content, size_t i, const char *type,
				uint64_t data_offset)
{
	assert_true(i < content->count);
	assert_string_equal(content->layers[i].type, type);
	assert_true(content->layers[i].has_data_offset);
	assert_int_equal(content->layers[i].data_offset, data_offset);
}

#endif
