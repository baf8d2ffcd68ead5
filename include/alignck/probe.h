/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_PROBE_H
#define ALIGNCK_PROBE_H

/*
 * probe: what does the device say about itself, do we believe it, what is below it, who uses it?
 *
 * Sources, first one that has the fact wins: `--physical-sector`/`--sector-size` (user), sysfs
 * below `sysroot` (kernel: Documentation/ABI/stable/sysfs-block), libblkid's topology, block
 * ioctls. sysfs comes first because libblkid hides an alignment_offset of -1 as 0. A regular file
 * reports nothing; its physical sector is assumed 4096.
 */

#include "alignck/finding.h"
#include "alignck/io.h"

enum device_kind { KIND_DISK, KIND_PARTITION, KIND_IMAGE, KIND_TABLE };

/* Where the physical sector size that decides came from. */
enum sector_source {
	SOURCE_KERNEL,
	SOURCE_DRIVE_LIST,
	SOURCE_USER,
	SOURCE_TABLE,
	SOURCE_ASSUMED,
	SOURCE_MEASURED,
};

/* Bytes; 0 means "not known" but for alignment_offset, whose 0 is a real value. */
struct topology {
	uint64_t logical_block_size;
	uint64_t physical_block_size;
	uint64_t minimum_io_size;
	uint64_t optimal_io_size;
	int64_t alignment_offset;  /* -1: the kernel says the stack below is misaligned */
	bool has_alignment_offset; /* somebody said so */
};

enum tristate { TRI_UNKNOWN = -1, TRI_NO = 0, TRI_YES = 1 };

/* Who holds a device: "mounted on /srv", "swap", "dm-0 (crypt)", "md0", "loop0". */
struct device_user {
	char node[64];  /* the disk or partition that is used, kernel name */
	char what[176]; /* how, as words */
};

/* One partition as the kernel has it. */
struct kernel_partition {
	unsigned number;
	char name[64];
	uint64_t start, size; /* bytes */
};

/*
 * A disk that a dm or md device is built on in the end, and where on it what the device has at
 * `start` lies. The sums of offsets on the way down; inside a stripe they hold modulo the chunk,
 * which is a multiple of every sector size.
 */
struct below {
	char disk[64];                /* kernel name, "sda" */
	char through[192];            /* the way to it, nearest first: "md0, sda1"; "" */
	bool has_place;               /* false: how the device lies on it cannot be read */
	uint64_t start, place;        /* bytes on the device, bytes on the disk */
	uint64_t physical_block_size; /* of the disk, believed as for a disk that is named; bytes */
	int64_t alignment_offset;     /* of the disk */
};

/* What places on that disk are held against, bytes. */
static inline uint64_t below_boundary(const struct below *below)
{
	return max_u64(4096, below->physical_block_size);
}

struct device {
	char *path;      /* as the user named it */
	char *name;      /* what to call it: kernel name or file name; partitions add to it */
	char *disk_path; /* the whole disk's node where `path` is a partition, else a copy of path
			  */
	char *disk_name; /* the same for name */
	enum device_kind kind;
	uint64_t size; /* bytes of the whole disk or image */
	char *model;   /* sanitised, full ATA/NVMe string where it can be had; NULL: unknown */
	char *serial;
	enum tristate rotational;
	char *zoned;              /* "none", "host-aware", "host-managed", "drive-managed"; NULL */
	uint64_t zone_size;       /* bytes, 0: none */
	bool read_only;           /* write-protected medium */
	struct topology reported; /* as the device said it, unbelievable values included */
	struct topology topology; /* what we go by; logical and physical never 0 after probe */
	enum sector_source sector_source;
	bool logical_is_user;  /* --sector-size was given: the table may not overrule it */
	uint64_t image_offset; /* --image-offset: where byte 0 of the image sits below, bytes */
	unsigned number;       /* KIND_PARTITION: which one, */
	uint64_t start;        /* and where the kernel says it starts, */
	uint64_t length;       /* and how long it is, bytes */
	struct kernel_partition *kernel_partitions; /* sysfs; NULL for images */
	size_t kernel_partition_count;
	struct below *below; /* in the order of the device's own bytes where these are known */
	size_t below_count;  /* 0: nothing is below it */
	struct device_user *users;
	size_t user_count;
	struct findings findings; /* lying-drive, topology-ignored, stack-misaligned, shingled */
};

struct probe_options {
	const char *sysroot;      /* NULL or "": the running system */
	uint64_t physical_sector; /* 0: not given; else a power of two, 512 to 65536 (checked) */
	uint64_t sector_size;     /* 0: not given; same limits */
	uint64_t image_offset;
	bool users; /* look for users too */
};

/*
 * Opens `path` and learns all of the above. On success *device and *io are the caller's
 * (device_free, io_close); *io reads the WHOLE DISK even where `path` is a partition, and is NULL
 * where a captured machine (`sysroot`) has no bytes for it: the kernel's partitions then stand in
 * for a table. Returns 0 or -errno with the reason: no such file, no permission, a directory, a
 * FIFO, capacity 0, a logical sector of 520 or 528 bytes ("... sector size 520 is not a power of
 * two").
 *
 * Under `sysroot` a path below /dev names sysroot/dev/..., which may be a regular file.
 */
int probe_device(const char *path, const struct probe_options *options, struct device **device,
		 struct io **io, struct reason *reason);

/* Every whole disk of the machine, sorted by name ("sda" < "sdb" < "sdaa"), no loop, ram, zram, dm,
 * md, optical or floppy, nothing of size 0. *paths is a NULL-terminated array of "/dev/NAME"; free
 * with probe_free_paths(). 0 or -errno. */
int probe_all_disks(const char *sysroot, char ***paths, struct reason *reason);
void probe_free_paths(char **paths);

void device_free(struct device *device);

const char *device_kind_name(enum device_kind kind);       /* "disk", ... as in JSON */
const char *sector_source_name(enum sector_source source); /* "drive-list", ... */

/*
 * Pure parts, public for tests.
 *
 * believe_topology() fills `believed` from `reported`: sector sizes are powers of two from 512 to
 * 65536, physical >= logical; above 4096 a physical size on a rotating disk is not believed; a
 * minimum_io_size is a multiple of the logical size, at most 16 MiB, and falls with the physical
 * size it repeats; an optimal_io_size is a multiple of 4096, of the minimum and at most 16 MiB and
 * not 2^n - 1 blocks (n >= 10); an alignment_offset is below the largest granularity. What is not
 * believed is 0 (physical: 4096) in `believed` and is said in `findings` with the value and why.
 */
void believe_topology(const struct topology *reported, enum tristate rotational,
		      struct topology *believed, bool *physical_believed,
		      struct findings *findings);

/*
 * How boundaries of the disks below lie on the device: the alignment offset that is right on all of
 * them. -1: none is; INT64_MIN: not every place is known. *physical: the largest of their physical
 * sectors.
 */
int64_t alignment_below(const struct below *below, size_t count, uint64_t *physical);

/*
 * The drive list: models that report 512 physical and have larger ones (and a few that are factory
 * shifted, which report it honestly unless a bridge hides it: then probe_device() takes the offset
 * from the list too). Returns the true physical size in bytes, 0: not on the list; *why (may be
 * NULL) says whose list. The caller applies it only where the drive reports physical == logical.
 * `model` as ATA IDENTIFY words 27-46, NVMe MN or SCSI "VENDOR PRODUCT" has it; a 16-character
 * string is taken as cut (SCSI INQUIRY product field): a longer entry fits it when the part that is
 * there fits and is long enough to tell the family (12 literal characters).
 */
uint64_t find_lying_drive(const char *model, const char **why);

#endif
