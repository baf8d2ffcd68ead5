// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The flow of a probe: find the device and open it, ask it, decide what to believe, look for its
 * users. Opens read-only, asks little (an image costs one open; a disk a read per attribute), and
 * keeps nothing between calls, so that devices can be probed side by side.
 */
#include "internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char *copy_text(const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		abort();
	return copy;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int fd_of(const struct io *io)
{
	uint64_t base;

	return io ? io_fd(io, &base) : -1;
}

/* Without sysfs a disk can be asked, but a partition cannot be placed on its disk: read from 0 as
 * if it were one, any start would look aligned. */
static int ask_without_sysfs(struct probe *probe)
{
	int fd = fd_of(probe->io);
	char disk[NODE_NAME_MAX];
	struct stat st;
	enum tristate whole;

	if (fstat(fd, &st) < 0)
		return reason_set(probe->reason, -errno, "cannot probe: %s", strerror(errno));
	whole = is_whole_disk(probe->sysroot, st.st_rdev, disk);
	if (whole == TRI_NO)
		return reason_set(probe->reason, -ENOENT,
				  "cannot find where it starts on %s: sysfs is not there; mount it "
				  "on %s/sys, or name the disk",
				  disk, probe->sysroot);
	if (whole == TRI_UNKNOWN)
		return reason_set(probe->reason, -ENOENT,
				  "cannot tell whether it is a whole disk: neither %s/sys nor "
				  "%s/proc/partitions has it; mount them",
				  probe->sysroot, probe->sysroot);
	read_topology_fallback(fd, &probe->facts);
	probe->facts.size = probe->io->size;
	return 0;
}

static void fill_names(struct probe *probe)
{
	struct device *device = probe->device;
	const struct sysfs *sysfs = &probe->sysfs;

	device->path = copy_text(probe->path);
	if (sysfs->disk < 0) {
		device->disk_path = copy_text(probe->path);
		device->disk_name = copy_text(base_name(probe->path));
		device->name = copy_text(device->disk_name);
		return;
	}
	device->disk_name = copy_text(sysfs->disk_name);
	if (sysfs->partition < 0) {
		device->disk_path = copy_text(probe->path);
		device->name = copy_text(sysfs->disk_name);
	} else {
		device->disk_path = node_path(sysfs->disk_name);
		device->name = copy_text(sysfs->partition_name);
	}
}

/* NULL for an empty text. */
static char *clean_text(const char *raw)
{
	char *clean = sanitize_dup(raw);

	if (!clean)
		abort();
	if (*clean)
		return clean;
	free(clean);
	return NULL;
}

static void fill_facts(struct probe *probe)
{
	const struct disk_facts *facts = &probe->facts;
	struct device *device = probe->device;

	device->size = facts->size;
	device->model = clean_text(facts->model);
	device->serial = clean_text(facts->serial);
	device->rotational = facts->rotational;
	device->zoned = clean_text(facts->zoned);
	/* chunk_sectors is the zone size only where there are zones; else an array's stripe. */
	if (device->zoned && !strncmp(device->zoned, "host-", 5))
		device->zone_size = facts->zone_size;
	device->read_only = facts->read_only == TRI_YES;
	device->reported = (struct topology){
		.logical_block_size = facts->logical_block_size,
		.physical_block_size = facts->physical_block_size,
		.minimum_io_size = facts->minimum_io_size,
		.optimal_io_size = facts->optimal_io_size,
		.alignment_offset = facts->alignment_offset,
		.has_alignment_offset = facts->has_alignment_offset,
	};
}

/* The partition's own number, start and length, out of the list the disk's directory gave. */
static int fill_partition(struct probe *probe)
{
	struct device *device = probe->device;

	device->kind = KIND_PARTITION;
	for (size_t i = 0; i < device->kernel_partition_count; i++) {
		const struct kernel_partition *p = &device->kernel_partitions[i];

		if (strcmp(p->name, probe->sysfs.partition_name))
			continue;
		device->number = p->number;
		device->start = p->start;
		device->length = p->size;
		return 0;
	}
	return reason_set(probe->reason, -ENODEV,
			  "cannot read where it starts: the partition is gone");
}

static int ask_device(struct probe *probe)
{
	struct device *device = probe->device;
	const struct sysfs *sysfs = &probe->sysfs;
	int r;

	fill_names(probe);
	if (!probe->is_block) {
		device->kind = KIND_IMAGE;
		device->size = probe->io->size;
		device->rotational = TRI_UNKNOWN;
		return 0;
	}
	device->kind = KIND_DISK;
	if (sysfs->disk < 0) {
		r = ask_without_sysfs(probe);
		if (r < 0)
			return r;
	} else {
		read_disk_facts(sysfs->disk, &probe->facts);
		identify_drive(probe->sysroot, sysfs->disk,
			       probe->is_running ? fd_of(probe->io) : -1, &probe->facts);
	}
	fill_facts(probe);
	if (sysfs->disk < 0)
		return 0;
	r = read_kernel_partitions(sysfs, &device->kernel_partitions,
				   &device->kernel_partition_count);
	if (r < 0)
		return reason_set(probe->reason, r, "cannot list its partitions: %s", strerror(-r));
	r = find_below(device, probe->sysroot, sysfs, probe->is_running);
	if (r < 0)
		return reason_set(probe->reason, r, "cannot find what is below it: %s",
				  strerror(-r));
	return sysfs->partition < 0 ? 0 : fill_partition(probe);
}

int probe_device(const char *path, const struct probe_options *options, struct device **device,
		 struct io **io, struct reason *reason)
{
	struct probe probe = {
		.path = path,
		.sysroot = options->sysroot ? options->sysroot : "",
		.options = options,
		.reason = reason,
		.device = calloc(1, sizeof(**device)),
	};
	int r;

	if (!probe.device)
		return reason_set(reason, -ENOMEM, "cannot probe: %s", strerror(ENOMEM));
	r = open_device(&probe);
	if (!r)
		r = ask_device(&probe);
	if (!r)
		r = judge_device(&probe);
	if (!r && options->users)
		r = find_users(probe.device, probe.sysroot, &probe.sysfs, reason);
	sysfs_close(&probe.sysfs);
	if (r < 0) {
		io_close(probe.io);
		device_free(probe.device);
		return r;
	}
	*device = probe.device;
	*io = probe.io;
	return 0;
}
