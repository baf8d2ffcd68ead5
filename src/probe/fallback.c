// SPDX-License-Identifier: GPL-2.0-or-later
/* Topology where there is no sysfs (a chroot, a container): libblkid, and ioctls for the rest. */
#include "internal.h"

#include <blkid/blkid.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

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
		uint64_t *field = (uint64_t *)((char *)facts + ioctls[i].field);

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
