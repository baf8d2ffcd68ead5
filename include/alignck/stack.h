/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_STACK_H
#define ALIGNCK_STACK_H

/*
 * stack: what lies inside a partition (or a disk without a table), layer by layer, and where does
 * the data of each really start? Decoders are pure: bytes in, layer out.
 */

#include "alignck/finding.h"
#include "alignck/io.h"

#define STACK_DEPTH_MAX 16

struct layer {
	char type[24]; /* libblkid's name: "ext4", "crypto_LUKS", "LVM2_member", "vfat" ... */
	uint64_t data_offset; /* where its payload starts, absolute bytes on the disk */
	uint64_t block_size;  /* unit it writes in, bytes; 0: unknown, read-only, or as its users
				 write */
	uint64_t chunk_size; /* LVM extent, md chunk, a file system's stripe unit, bytes; 0: none */
	int level;           /* linux_raid_member: 0, 1, 5 ... as the kernel counts; else 0 */
	uint8_t ashift;      /* ZFS; 0: none */
	bool has_data_offset; /* false: named only */
};

/* The layers of one extent, outermost first. */
struct content {
	struct layer layers[STACK_DEPTH_MAX];
	size_t count;
	bool ambiguous;           /* two signatures: the first stands, nothing may be moved */
	struct layer other;       /* where ambiguous: what it is if it is not the first */
	struct findings findings; /* partition index -1; the caller knows which */
};

/*
 * Looks into [start, start + size) of `io`; `sector` is the logical sector size in bytes. What a
 * table claims past the end of `io` is not looked at.
 *
 * It goes down where the data can be read: into a RAID1 member or a bcache device that no cache
 * keeps anything from, where its data starts. What is encrypted, striped or allocated by somebody
 * else (LVM, ZFS) ends the stack.
 *
 * Reads at most STACK_READ_MAX bytes, in small pieces at both ends, and ZFS labels (112 KiB each)
 * on top of that. What would need more (a LUKS2 header with dozens of keyslots, arrays in arrays)
 * is a finding, and so are a read error and a superblock that makes no sense. Returns 0 or -ENOMEM.
 * *content is the caller's (content_free) in both cases.
 */
#define STACK_READ_MAX (16 * 1024)
int read_content(struct io *io, uint64_t start, uint64_t size, uint32_t sector,
		 struct content *content);

/* false: where the data inside starts could not be told, which a finding says; it may make up for
 * any start, or spoil it. */
bool is_content_told(const struct content *content);

/* The innermost layer whose data's place is known. NULL: there is none. */
const struct layer *innermost_payload(const struct content *content);

void content_free(struct content *content);

#endif
