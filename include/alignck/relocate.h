/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_RELOCATE_H
#define ALIGNCK_RELOCATE_H

/*
 * relocate: move the bytes so that no instant can lose one. Knows disks and journals only as
 * `struct io`, tables only as sectors to write, the kernel only through the hooks.
 */

#include "alignck/plan.h"

/* One sector of a table as it stands in one of the two layouts. */
struct table_sector {
	uint64_t offset; /* bytes, a multiple of the logical sector size */
	uint8_t *bytes;  /* one logical sector */
};

/* All sectors of one layout's table in the order in which they are written: GPT backup array and
 * header, primary array and header, EBRs; sector 0 is the LAST one. */
struct table_image {
	struct table_sector *sectors;
	size_t count;
};

/* A few bytes inside a partition that record its own start; `offset` is absolute, at the NEW place.
 */
#define POSITION_FIELD_MAX 512
struct position_field {
	uint64_t offset;
	uint32_t length;
	uint8_t old_bytes[POSITION_FIELD_MAX]; /* as they are for the old start */
	uint8_t new_bytes[POSITION_FIELD_MAX];
};

enum move_result { MOVE_DONE, MOVE_PAUSED, MOVE_NEEDS_RESUME };

#endif
