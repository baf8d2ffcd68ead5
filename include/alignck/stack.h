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
	uint64_t block_size;  /* unit it writes in, bytes; 0: unknown */
	uint8_t ashift;       /* ZFS; 0: none */
	bool has_data_offset; /* false: named only */
};

/* The layers of one extent, outermost first. */
struct content {
	struct layer layers[STACK_DEPTH_MAX];
	size_t count;
	bool ambiguous;           /* two signatures: the first stands, nothing may be moved */
	struct findings findings; /* partition index -1; the caller knows which */
};

/*
 * Looks into [start, start + size) of `io`. `sector` is the logical sector size in bytes. Reads at
 * most 16 KiB (ZFS: its labels too). A read error inside is a finding, not a failure. 0 or -ENOMEM.
 */
int read_content(struct io *io, uint64_t start, uint64_t size, uint32_t sector,
		 struct content *content);

void content_free(struct content *content);

#endif
