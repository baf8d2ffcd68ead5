/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_ANALYSE_INTERNAL_H
#define ALIGNCK_ANALYSE_INTERNAL_H

#include "alignck/analyse.h"

/* What a rule sees: one object with a position (a partition, or a whole device without a table). */
struct subject {
	const struct device *device;
	const struct layout *layout;
	const struct analysis *analysis;
	const struct partition *partition; /* NULL: the whole device */
	const struct content *content;     /* NULL: not looked at */
	int index;                         /* of the partition, -1: the device */
	uint64_t start, size;              /* bytes on the disk */
	uint64_t position;                 /* start as the medium below sees it (--image-offset) */
	uint64_t offset;   /* the alignment_offset that positions are held against */
	uint64_t sector;   /* bytes the table counts in, for messages */
	uint64_t physical; /* max(4096, physical sector) */
};

/* What a rule measured; `text` is the finding's sentence. */
struct measure {
	uint64_t value, boundary;
	enum cost cost;
	char text[240];
};

/* Applies every rule of the table to `subject`; findings go to `out`. */
void apply_rules(const struct subject *subject, struct findings *out);

#endif
