// SPDX-License-Identifier: GPL-2.0-or-later
/* From what a device reports to what we go by: the user's word, the drive list, plausibility. */
#include "internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Refuses what no arithmetic may be done on. */
static int check_usable(const struct probe *probe)
{
	const struct device *device = probe->device;
	uint64_t logical = device->reported.logical_block_size;
	uint64_t wanted = probe->options->sector_size;

	if (!device->size)
		return reason_set(probe->reason, probe->is_block ? -ENOMEDIUM : -ENODATA,
				  probe->is_block
					  ? "cannot check: size 0; there is no medium, or it has "
					    "sectors of 520 or 528 bytes, to be reformatted to "
					    "512 or 4096"
					  : "cannot check: size 0; the file is empty");
	if (!probe->is_block)
		return 0;
	if (!logical)
		return reason_set(probe->reason, -EIO,
				  "cannot read its logical sector size; mount sysfs");
	if (!is_power_of_two(logical))
		return reason_set(
			probe->reason, -EINVAL,
			"cannot check: sector size %llu is not a power of two; reformat the "
			"disk to 512 or 4096",
			(unsigned long long)logical);
	if (logical < 512 || logical > 65536)
		return reason_set(probe->reason, -EINVAL,
				  "cannot check: sector size %llu is not from 512 to 65536",
				  (unsigned long long)logical);
	if (wanted && wanted != logical)
		return reason_set(
			probe->reason, -EINVAL,
			"--sector-size %llu contradicts the kernel, which says %llu; that "
			"option is for image files",
			(unsigned long long)wanted, (unsigned long long)logical);
	return 0;
}

/* --physical-sector has the last word, but a physical sector holds whole logical ones. */
static int check_physical(const struct probe *probe)
{
	const struct probe_options *options = probe->options;
	uint64_t logical = probe->is_block        ? probe->device->reported.logical_block_size
			   : options->sector_size ? options->sector_size
						  : 512;

	if (!options->physical_sector || options->physical_sector >= logical)
		return 0;
	return reason_set(probe->reason, -EINVAL,
			  "--physical-sector %llu is smaller than the logical sector, %llu",
			  (unsigned long long)options->physical_sector,
			  (unsigned long long)logical);
}

/* The drive list's word on a drive that claims to have no larger physical sectors. */
static const struct lying_drive *find_lie(const struct device *device)
{
	const struct topology *reported = &device->reported;
	const struct lying_drive *drive;

	if (!device->model || reported->physical_block_size != reported->logical_block_size)
		return NULL;
	drive = find_lying_drive_row(device->model);
	return drive && drive->physical_block_size > reported->physical_block_size ? drive : NULL;
}

static void report_lie(struct device *device, const struct lying_drive *drive)
{
	char shifted[64] = "";

	if (drive->alignment_offset)
		snprintf(shifted, sizeof(shifted), ", the first boundary at byte %u",
			 (unsigned)drive->alignment_offset);
	findings_add_value(
		&device->findings, FINDING_LYING_DRIVE, -1, device->reported.physical_block_size,
		drive->physical_block_size,
		"%.64s reports physical sectors of %llu bytes but has %u%s (%s); a jumper "
		"that shifts its sectors cannot be seen",
		device->model, (unsigned long long)device->reported.physical_block_size,
		(unsigned)drive->physical_block_size, shifted, drive->why);
}

/* Puts another physical size in place of the reported one, and of a minimum that repeats it. */
static void replace_physical(struct topology *topology, uint64_t size)
{
	if (topology->minimum_io_size == topology->physical_block_size)
		topology->minimum_io_size = size;
	topology->physical_block_size = size;
}

void judge_block(struct device *device, uint64_t user_physical)
{
	struct topology given = device->reported;
	enum tristate rotational = device->rotational;
	const struct lying_drive *drive = user_physical ? NULL : find_lie(device);
	bool believed;

	device->sector_source = SOURCE_KERNEL;
	if (user_physical) {
		device->sector_source = SOURCE_USER;
		replace_physical(&given, user_physical);
		rotational = TRI_UNKNOWN; /* the user's word needs no plausibility */
	} else if (drive) {
		device->sector_source = SOURCE_DRIVE_LIST;
		replace_physical(&given, drive->physical_block_size);
		if (drive->alignment_offset && !given.alignment_offset) {
			given.alignment_offset = drive->alignment_offset;
			given.has_alignment_offset = true;
		}
		report_lie(device, drive);
	}
	believe_topology(&given, rotational, &device->topology, &believed, &device->findings);
	if (!believed)
		device->sector_source = SOURCE_ASSUMED;
}

/* "sda (sda1)": the disk and the way to it. */
static void name_below(char *name, size_t size, const struct below *b)
{
	snprintf(name, size, "%.48s%s%.80s%s", b->disk, *b->through ? " (through " : "", b->through,
		 *b->through ? ")" : "");
}

static void say_below(struct device *device, const struct below *b)
{
	uint64_t required = below_boundary(b);
	uint64_t offset = b->alignment_offset > 0 ? (uint64_t)b->alignment_offset : 0;
	uint64_t off_by = misalignment(b->place, offset, required);
	char name[160];

	name_below(name, sizeof(name), b);
	if (!b->has_place)
		findings_add(&device->findings, FINDING_STACK_PLACE, -1,
			     "lies on %s, where on it cannot be read; the kernel says"
			     " alignment_offset %lld",
			     name, (long long)device->reported.alignment_offset);
	else
		findings_add_value(&device->findings, FINDING_STACK_PLACE, -1, off_by, required,
				   "byte %llu of it is byte %llu of %s, %llu past a %llu-byte"
				   " boundary there; the kernel says alignment_offset %lld",
				   (unsigned long long)b->start, (unsigned long long)b->place, name,
				   (unsigned long long)off_by, (unsigned long long)required,
				   (long long)device->reported.alignment_offset);
}

/*
 * What the disks below say outranks what the kernel adds up from them: it does not know the drives
 * that lie. Its -1 stands, for it may know of more than offsets.
 */
static void judge_below(struct device *device)
{
	struct topology *t = &device->topology;
	uint64_t physical;
	int64_t offset = alignment_below(device->below, device->below_count, &physical);

	for (size_t i = 0; i < device->below_count; i++)
		say_below(device, &device->below[i]);
	if (physical > t->physical_block_size && device->sector_source != SOURCE_USER) {
		t->physical_block_size = physical;
		device->sector_source = SOURCE_DRIVE_LIST;
	}
	if (offset == INT64_MIN || t->alignment_offset < 0)
		return;
	if (offset < 0)
		findings_add(&device->findings, FINDING_STACK_MISALIGNED, -1,
			     "the places it has on the disks below are at odds, so no start can be"
			     " aligned on all of them");
	t->alignment_offset = offset;
	t->has_alignment_offset = true;
}

static void judge_image(struct device *device, const struct probe_options *options)
{
	struct topology *topology = &device->topology;

	topology->logical_block_size = options->sector_size ? options->sector_size : 512;
	device->logical_is_user = options->sector_size != 0;
	device->sector_source = SOURCE_ASSUMED;
	topology->physical_block_size =
		topology->logical_block_size > 4096 ? topology->logical_block_size : 4096;
	if (options->physical_sector) {
		device->sector_source = SOURCE_USER;
		topology->physical_block_size = options->physical_sector;
	}
}

static void report_zones(struct device *device)
{
	if (!device->zoned)
		return;
	if (!strcmp(device->zoned, "host-aware") || !strcmp(device->zoned, "drive-managed"))
		findings_add(&device->findings, FINDING_SHINGLED, -1,
			     "%s zones (shingled): a realignment rewrites them and will be slow",
			     device->zoned);
}

int judge_device(struct probe *probe)
{
	struct device *device = probe->device;
	int r = check_usable(probe);

	if (r < 0)
		return r;
	r = check_physical(probe);
	if (r < 0)
		return r;
	device->image_offset = probe->options->image_offset;
	if (probe->is_block) {
		device->logical_is_user = probe->options->sector_size != 0;
		judge_block(device, probe->options->physical_sector);
		if (device->below_count)
			judge_below(device);
	} else {
		judge_image(device, probe->options);
	}
	report_zones(device);
	return 0;
}
