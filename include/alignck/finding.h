/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_FINDING_H
#define ALIGNCK_FINDING_H

/*
 * A finding is one thing worth saying about a device or one of its partitions. Every stage reports
 * in this one form; `src/util/finding.c` has a row per id: its public name, severity and what it
 * does to the exit status. The names are a contract with scripts: only ever added to.
 */

#include "alignck/util.h"

enum severity { SEVERITY_NOTICE, SEVERITY_WARNING, SEVERITY_ERROR };

/* The exit status of the program and what a device contributes to it; the highest wins. */
enum status {
	STATUS_ALIGNED = 0,    /* or: the work asked for is done */
	STATUS_MISALIGNED = 1, /* at least one partition is */
	STATUS_UNKNOWN = 2,    /* could not tell, refused or failed */
	STATUS_UNFINISHED = 3, /* an unfinished realignment is on the device */
	STATUS_USAGE = 64,
};

enum finding_id {
	FINDING_START_MISALIGNED,
	FINDING_PAYLOAD_MISALIGNED,
	FINDING_PAYLOAD_COMPENSATES, /* start off, payload on a boundary: aligned, never moved */
	FINDING_START_NOT_RECOMMENDED,
	FINDING_START_EXEMPT, /* off a boundary where that does not matter */
	FINDING_END_MISALIGNED,
	FINDING_SIZE_MISALIGNED,
	FINDING_STACK_MISALIGNED, /* the kernel's alignment_offset is -1 */
	FINDING_STACK_PLACE,      /* where a dm or md device lies on a disk below */
	FINDING_LYING_DRIVE,
	FINDING_TOPOLOGY_IGNORED,     /* a number that changes nothing we require */
	FINDING_TOPOLOGY_IMPLAUSIBLE, /* named "topology-ignored" too, as a warning */
	FINDING_SECTOR_SIZE_MISMATCH,
	FINDING_TABLE_DAMAGED,
	FINDING_BACKUP_GPT_MISPLACED,
	FINDING_HYBRID_MBR,
	FINDING_HYBRID_MBR_CONTRADICTS, /* named "hybrid-mbr" too, as an error */
	FINDING_OVERLAP,
	FINDING_EBR_INSIDE_DATA,
	FINDING_EBR_OUT_OF_ORDER, /* the chain goes backwards on the disk: legal, some tools stop */
	FINDING_BEYOND_END,
	FINDING_KERNEL_DISAGREES, /* the kernel's partition is not where the table says */
	FINDING_ZONE_MISALIGNED,
	FINDING_SHINGLED,
	FINDING_MIXED_SECTOR_SIZES,
	FINDING_ASHIFT_TOO_SMALL,
	FINDING_BLOCK_SMALLER_THAN_SECTOR,
	FINDING_CONTENT_AMBIGUOUS, /* two signatures */
	FINDING_CONTENT_DOUBTFUL,  /* named "content-ambiguous" too: one of them spoils the start */
	FINDING_CONTENT_UNREAD,    /* more would have to be read than is, or it cannot be read */
	/* a layer that points outside its container or nowhere, or nests too deep */
	FINDING_LAYER_INVALID,
	FINDING_UNFINISHED_REALIGNMENT,
	FINDING_COUNT
};

/* What it costs a disk whose sectors are larger than what is written. */
enum cost {
	COST_UNSAID,
	COST_NONE,  /* no read-modify-write */
	COST_ENDS,  /* only where writes begin and end */
	COST_EVERY, /* on every write */
};

struct finding {
	enum finding_id id;
	int partition;     /* index into layout->partitions, -1: the device */
	bool has_value;    /* the two numbers below mean something */
	uint64_t value;    /* what was found, bytes unless the message says otherwise */
	uint64_t boundary; /* what it was held against, bytes; 0: nothing */
	enum cost cost;
	char message[240]; /* one sentence, no name in front, no full stop */
};

/* A list that grows. Zero-initialise; findings_free() when done. Owns its array. */
struct findings {
	struct finding *list;
	size_t count, room;
};

const char *finding_name(enum finding_id id);
enum severity finding_severity(enum finding_id id);
const char *severity_name(enum severity severity);
const char *cost_name(enum cost cost); /* "every-write", "ends", "none"; "" */

/* What an error of this kind does to the exit status: STATUS_MISALIGNED, _UNKNOWN or _UNFINISHED;
 * STATUS_ALIGNED for warnings and notices. */
enum status finding_status(enum finding_id id);

/* Appends one. Out of memory aborts: a finding must never be lost in silence. At most FINDINGS_MAX
 * are kept (a hostile table can earn thousands); the worst status is kept whatever is dropped. */
#define FINDINGS_MAX 1024
void findings_add(struct findings *findings, enum finding_id id, int partition, const char *format,
		  ...) __attribute__((format(printf, 4, 5)));

/* The same with the two numbers. */
void findings_add_value(struct findings *findings, enum finding_id id, int partition,
			uint64_t value, uint64_t boundary, const char *format, ...)
	__attribute__((format(printf, 6, 7)));

/* Appends a copy of one finding, or of every finding of `from`. */
void findings_add_copy(struct findings *findings, const struct finding *finding);
void findings_append(struct findings *to, const struct findings *from);

/* The highest status among them; with `strict` a warning counts as STATUS_MISALIGNED. */
enum status findings_status(const struct findings *findings, bool strict);

void findings_free(struct findings *findings);

#endif
