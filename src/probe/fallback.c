// SPDX-License-Identifier: GPL-2.0-or-later
/* Topology where there is no sysfs (a chroot, a container): libblkid, and ioctls for the rest. */
#include "internal.h"

#include <blkid/blkid.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>

static void read_blkid(int fd, struct disk_facts *facts)
{
	blkid_probe probe = blkid_new_probe();
	blkid_topology topology = NULL;

	if (probe && !blkid_probe_set_device(probe, fd, 0, 0))
		topology = blkid_probe_get_topology(probe);
	if (topology) {
		facts->logical_block_size = blkid_topology_get_logical_sector_size(topology);
		facts->physical_block_size = blkid_topology_get_physical_sector_size(topology);
		facts->minimum_io_size = blkid_topology_get_minimum_io_size(topology);
		facts->optimal_io_size = blkid_topology_get_optimal_io_size(topology);
		/* Its alignment_offset is not asked for: it makes 0 of the kernel's -1. */
	}
	blkid_free_probe(probe);
}

/* The last word, a row a number: each is an int or unsigned int in linux/fs.h's ioctls. */
static const struct {
	unsigned long request;
	size_t field;
} ioctls[] = {
	{ BLKSSZGET, offsetof(struct disk_facts, logical_block_size) },
	{ BLKPBSZGET, offsetof(struct disk_facts, physical_block_size) },
	{ BLKIOMIN, offsetof(struct disk_facts, minimum_io_size) },
	{ BLKIOOPT, offsetof(struct disk_facts, optimal_io_size) },
};

static void read_ioctls(int fd, struct disk_facts *facts)
{
	unsigned short rotational;
	int number;

	for (size_t i = 0; i < ARRAY_SIZE(ioctls); i++) {
		uint64_t *field = (void *)((char *)facts + ioctls[i].field);

		if (!*field && !ioctl(fd, ioctls[i].request, &number) && number > 0)
			*field = number;
	}
	if (!facts->has_alignment_offset && !ioctl(fd, BLKALIGNOFF, &number)) {
		facts->alignment_offset = number;
		facts->has_alignment_offset = true;
	}
	if (facts->rotational == TRI_UNKNOWN && !ioctl(fd, BLKROTATIONAL, &rotational))
		facts->rotational = rotational ? TRI_YES : TRI_NO;
	if (facts->read_only == TRI_UNKNOWN && !ioctl(fd, BLKROGET, &number))
		facts->read_only = number ? TRI_YES : TRI_NO;
}

void read_topology_fallback(int fd, struct disk_facts *facts)
{
	*facts = (struct disk_facts){ .rotational = TRI_UNKNOWN, .read_only = TRI_UNKNOWN };
	read_blkid(fd, facts);
	read_ioctls(fd, facts);
}

/* A line of /proc/partitions: "major minor #blocks name". false: the end. */
static bool read_partitions_line(FILE *file, dev_t *number, char name[NODE_NAME_MAX])
{
	char line[256];
	unsigned major_number, minor_number;

	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%u %u %*u %63s", &major_number, &minor_number, name) != 3)
			continue; /* the heading */
		*number = makedev(major_number, minor_number);
		return true;
	}
	return false;
}

enum tristate is_whole_disk(const char *sysroot, dev_t number, char disk[NODE_NAME_MAX])
{
	autofree char *path = sysroot_path(sysroot, "/proc/partitions");
	FILE *file = fopen(path, "re");
	enum tristate whole = TRI_UNKNOWN;
	char own[NODE_NAME_MAX];
	dev_t listed;

	if (!file)
		return TRI_UNKNOWN;
	while (whole == TRI_UNKNOWN && read_partitions_line(file, &listed, own))
		if (listed == number)
			whole = TRI_YES;
	rewind(file);
	while (whole == TRI_YES && read_partitions_line(file, &listed, disk))
		if (partition_number(disk, own))
			whole = TRI_NO;
	fclose(file);
	return whole;
}
