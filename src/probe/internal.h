/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_PROBE_INTERNAL_H
#define ALIGNCK_PROBE_INTERNAL_H

/* What the files of probe share with each other (and with their unit tests), and with nobody else.
 */

#include "alignck/probe.h"

#include <sys/types.h>

/* A kernel name ("sda1", "cciss!c0d0p1"): DISK_NAME_LEN is 32 with its NUL, partitions add digits.
 */
#define NODE_NAME_MAX 64

/* --- sysfs.c: where a device is in sysfs ------------------------------------------------------ */

/* Directories of one disk. Zero is not a state: sysfs_open_*() fill it, sysfs_close() ends it. */
struct sysfs {
	int disk;      /* its directory's descriptor; -1: sysfs does not know the device */
	int partition; /* the partition's; -1: the device is a whole disk */
	char disk_name[NODE_NAME_MAX];
	char partition_name[NODE_NAME_MAX];
};

/* "": the running system. Both return 0, or -errno with sysfs->disk == -1. */
int sysfs_open_by_number(const char *sysroot, dev_t number, struct sysfs *sysfs);
int sysfs_open_by_name(const char *sysroot, const char *name, struct sysfs *sysfs);
void sysfs_close(struct sysfs *sysfs);

/* A path below `sysroot` as a new string; aborts when out of memory. */
char *sysroot_path(const char *sysroot, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* "/dev/cciss/c0d0" of "cciss!c0d0": a slash in a node's name is '!' in sysfs. New string. */
char *node_path(const char *kernel_name);

/* --- attributes.c: what sysfs says ------------------------------------------------------------ */

#define ATTRIBUTE_MAX 256

/* One attribute below `dir` as text without its newline. Its length or -errno; never more than
 * `size` - 1 bytes. */
ssize_t read_attribute(int dir, const char *name, char *text, size_t size);

/* A number in decimal and nothing else. false: it is none, or does not fit. */
bool parse_u64(const char *text, uint64_t *value);
bool parse_i64(const char *text, int64_t *value);

#define FACT_TEXT_MAX 96

/* The attributes of a whole disk, as they stand there. Numbers are 0 and texts "" when sysfs does
 * not have them. */
struct disk_facts {
	uint64_t size; /* bytes, from sysfs's 512-byte units */
	uint64_t logical_block_size, physical_block_size, minimum_io_size, optimal_io_size;
	uint64_t zone_size; /* bytes; a stripe where the disk has no zones */
	int64_t alignment_offset;
	bool has_alignment_offset;
	enum tristate rotational, read_only;
	char number[FACT_TEXT_MAX]; /* "8:0" */
	char zoned[FACT_TEXT_MAX];
	char vendor[FACT_TEXT_MAX], model[FACT_TEXT_MAX], serial[FACT_TEXT_MAX];
};

void read_disk_facts(int disk, struct disk_facts *facts);

/* "3" of "sda3" and "nvme0n1p3" on their disks: the number a partition's name ends in; 0: it is no
 * partition of that disk. */
unsigned partition_number(const char *disk, const char *name);

/* The partitions of a disk, by number. 0 or -errno; *list is the caller's. */
int read_kernel_partitions(const struct sysfs *sysfs, struct kernel_partition **list,
			   size_t *count);

/* --- fallback.c ------------------------------------------------------------------------------- */

/* Topology of a block device that sysfs does not know: libblkid, then ioctls. */
void read_topology_fallback(int fd, struct disk_facts *facts);

/* Is `number` a whole disk, by the names in /proc/partitions below `sysroot`? TRI_NO: `disk` is the
 * name of the one it lies on. TRI_UNKNOWN: not listed there. */
enum tristate is_whole_disk(const char *sysroot, dev_t number, char disk[NODE_NAME_MAX]);

/* --- identify.c ------------------------------------------------------------------------------- */

/*
 * Who the drive is: udev's record below `sysroot`, the ATA information page in sysfs, IDENTIFY on
 * `fd` (-1: there is none, ask nobody), else what sysfs has. Fills facts->model and ->serial, raw.
 */
void identify_drive(const char *sysroot, int disk, int fd, struct disk_facts *facts);

/* Model and serial out of ATA IDENTIFY DEVICE data (ACS-3 table 45: words 27-46 and 10-19, two
 * characters a word, the first in the high byte: `swapped` as it comes from the drive). Trimmed;
 * false: there is no model in it. */
bool decode_ata_identity(const uint8_t data[512], bool swapped, char model[41], char serial[21]);

/* "KEY" of udev's record (lines "E:KEY=VALUE"), \xNN decoded. false: not there. */
bool find_udev_property(const char *record, const char *key, char *value, size_t size);

/* --- drives.c --------------------------------------------------------------------------------- */

/* A row of the list: the true physical size, and where the drive's first boundary is. */
struct lying_drive {
	const char *pattern;
	uint32_t physical_block_size; /* bytes */
	uint32_t alignment_offset;    /* bytes; as the kernel's */
	const char *why;              /* who says so */
};

const struct lying_drive *find_lying_drive_row(const char *model);

/* true: `model` fits `pattern` (? one character, [abc] one of these, * at the end: anything). With
 * `cut` a model that ends early fits when what it has tells the family. */
bool matches_model(const char *pattern, const char *model, bool cut);

/* --- below.c ---------------------------------------------------------------------------------- */

/* Follows sysfs's `slaves` from the disk down to those that have none; fills device->below. With
 * `is_running` device-mapper is asked for its tables (root may). 0 or -ENOMEM. */
int find_below(struct device *device, const char *sysroot, const struct sysfs *sysfs,
	       bool is_running);

/* --- dmtable.c -------------------------------------------------------------------------------- */

/* A piece of a device and where it lies on one of its slaves; bytes. */
struct piece {
	char node[NODE_NAME_MAX]; /* the slave's kernel name */
	char number[24];          /* "8:1", before the name is known */
	uint64_t start, length;
	uint64_t place;
	bool is_known; /* false: the numbers mean nothing */
};

struct piece_list {
	struct piece *list;
	size_t count, room;
};

int add_piece(struct piece_list *pieces, const struct piece *piece);

/*
 * The pieces of one target out of its table line: "linear 8:1 2048", "crypt ... 8:1 4096",
 * "striped 2 128 8:1 0 8:17 0". `start` and `length` are the target's, sectors of 512. 0: done;
 * -ENOTSUP: a target that does not tell; -ENOMEM.
 */
int decode_dm_target(const char *type, const char *params, uint64_t start, uint64_t length,
		     struct piece_list *pieces);

/* The table of the running device-mapper device `number` ("253:0"). 0 or -errno. */
int read_dm_table(const char *number, struct piece_list *pieces);

/* --- users.c ---------------------------------------------------------------------------------- */

/* Finds who uses the device and its partitions; fills device->users. 0 or -errno with the reason:
 * "nobody" is never said where it could not be found out. */
int find_users(struct device *device, const char *sysroot, const struct sysfs *sysfs,
	       struct reason *reason);

/* --- the steps of probe.c --------------------------------------------------------------------- */

/* One probe on its way. */
struct probe {
	const char *path, *sysroot;
	const struct probe_options *options;
	struct reason *reason;
	struct device *device;
	struct io *io;      /* the whole disk; NULL: no bytes to be had */
	struct sysfs sysfs; /* .disk -1: unknown there */
	bool is_block;      /* a block device, or captured as one */
	bool is_running;    /* of this machine: the drive itself can be asked */
	struct disk_facts facts;
};

/* open.c: finds the device and opens its bytes: ->io, ->sysfs, ->is_block, ->is_running. */
int open_device(struct probe *probe);

/* judge.c: refuses what no arithmetic may be done on; else fills what we go by, and says what is
 * not believed. */
int judge_device(struct probe *probe);

/* The part of it about a block device alone, whose ->reported is filled. */
void judge_block(struct device *device, uint64_t user_physical);

/* A copy; aborts when out of memory. */
char *copy_text(const char *text);

#endif
