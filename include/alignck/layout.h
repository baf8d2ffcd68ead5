/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_LAYOUT_H
#define ALIGNCK_LAYOUT_H

/*
 * layout: which partitions does the table name, and is the table itself in order?
 *
 * MBR with EBRs and GPT, the two tables alignck mends, are decoded here from the bytes, because the
 * libraries hide what an administrator must know: which of two GPT headers is damaged, where an EBR
 * lies, entries that leave their container. Every other table and every nested one (BSD, Solaris,
 * Minix, UnixWare in an MBR slice; Sun, SGI, Mac, ... on the disk) is libblkid's. All bytes are
 * taken to be hostile: lengths and sums checked, loops bounded, damage becomes a finding, never a
 * crash.
 */

#include "alignck/finding.h"
#include "alignck/io.h"

enum table_type {
	TABLE_NONE,
	TABLE_DOS,
	TABLE_GPT,
	TABLE_BSD,
	TABLE_SUN,
	TABLE_SGI,
	TABLE_SOLARIS,
	TABLE_MAC,
	TABLE_MINIX,
	TABLE_UNIXWARE,
	TABLE_AIX,
	TABLE_ULTRIX,
	TABLE_ATARI,
	TABLE_KERNEL, /* no bytes to read: the kernel's own list (a captured machine) */
	TABLE_COUNT
};

/* What the entry is for; those above ROLE_DATA are exempt from judgement. */
enum partition_role {
	ROLE_DATA,
	ROLE_EXTENDED,   /* MBR 05, 0f, 85: its logicals are judged */
	ROLE_BIOS_BOOT,  /* GPT 21686148-6449-6E6F-744E-656564454649 */
	ROLE_MSR,        /* GPT E3C9E316-0B5C-4DB8-817D-F92DF00215AE */
	ROLE_PROTECTIVE, /* MBR ee */
	ROLE_MAP,        /* describes the table itself (Mac map, SGI header) or free space (Mac) */
	ROLE_WHOLE,     /* an entry that stands for the whole disk or slice (BSD c, Sun 3rd, SGI) */
	ROLE_CONTAINER, /* holds a nested table, and no payload of its own: its slices are judged
			   too, and so is it */
};

#define PARTITION_NAME_MAX 192

struct partition {
	unsigned number;      /* as the kernel names it: 1-4, logicals and nested from 5 */
	int parent;           /* index of the extended container or slice it lies in, -1 */
	uint64_t start, size; /* bytes, absolute */
	uint64_t ebr;         /* a logical's own EBR, absolute byte; 0: none */
	enum partition_role role;
	enum table_type table; /* the table that names it (nested: not layout->type) */
	bool bootable;
	uint64_t attributes;      /* GPT attribute bits; MBR: the boot indicator */
	char type[GUID_TEXT_MAX]; /* "83" (hex, as sfdisk), GUID upper case, or the label's own
				     number */
	char uuid[GUID_TEXT_MAX]; /* GPT: GUID; MBR: "DISKID-NN" as the kernel's PARTUUID; "" */
	char label[PARTITION_NAME_MAX]; /* GPT/Mac name, sanitised UTF-8; "" */
};

struct layout {
	enum table_type type;
	char id[GUID_TEXT_MAX];  /* MBR: 8 hex digits with leading zeros; GPT: disk GUID; "" */
	uint32_t sector_size;    /* the unit the table was written in, bytes; 0: no table */
	bool sector_size_proven; /* the table's own bytes prove that unit (GPT header, MBR + FS) */
	bool hybrid;             /* an MBR with real entries beside a GPT */
	uint64_t first_usable,
		last_usable; /* GPT: first and last byte+1 of the usable area; else 0 */
	struct partition
		*partitions; /* in the order of the table, containers before what they hold */
	size_t count;
	struct findings findings; /* .partition indexes `partitions` */
};

struct layout_options {
	uint32_t sector_size;        /* bytes: what the device says, 512 for an image */
	bool may_change_sector_size; /* an image: the table proves it (GPT at 4096); a disk:
					mismatch */
};

/*
 * Reads the table of `io` (the whole disk). On success *layout is the caller's (layout_free). A
 * disk without a table is success with TABLE_NONE; damage is success with findings. Returns -errno
 * with the reason only where sector 0 or memory cannot be had. Reads at most 64 KiB for a plain
 * table, 512 bytes for each EBR; never more than LAYOUT_READ_MAX.
 */
#define LAYOUT_READ_MAX       (8 * MIB)
#define LAYOUT_PARTITIONS_MAX 1024
int read_layout(struct io *io, const struct layout_options *options, struct layout **layout,
		struct reason *reason);

/* A copy of the partitions the kernel has, as a layout of TABLE_KERNEL (see probe.h). */
struct kernel_partition;
int layout_from_kernel(const struct kernel_partition *partitions, size_t count,
		       uint32_t sector_size, struct layout **layout);

void layout_free(struct layout *layout);

const char *table_type_name(enum table_type type); /* "dos", "gpt", ... as in JSON; "none" */
const char *partition_role_name(enum partition_role role);
const char *
partition_type_name(const struct partition *partition); /* "Linux", "EFI System"; or "" */

/* Index of the partition with that number, -1: none. */
int find_partition(const struct layout *layout, unsigned number);

#endif
