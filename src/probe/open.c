// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the device behind a path, on this machine or a captured one, and opens the whole disk. */
#include "internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* What to do about an open that failed, where the error alone does not say it. */
static void add_remedy(int err, struct reason *reason)
{
	static const struct {
		int err;
		const char *remedy;
	} remedies[] = {
		{ ENXIO, "; the device is gone or has no medium" },
		{ ENODEV, "; the device is gone or its driver is not loaded" },
		{ ENOMEDIUM, "; insert a medium" },
		{ EBUSY, "; close what uses it first" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(remedies); i++)
		if (remedies[i].err == -err)
			strncat(reason->text, remedies[i].remedy,
				sizeof(reason->text) - strlen(reason->text) - 1);
}

static int open_bytes(const char *path, struct io **io, struct reason *reason)
{
	int r = io_open_readonly(path, io, reason);

	if (r < 0) {
		*io = NULL;
		add_remedy(r, reason);
	}
	return r;
}

static void stat_io(const struct io *io, struct stat *st)
{
	uint64_t base;

	if (fstat(io_fd(io, &base), st) < 0)
		*st = (struct stat){ 0 };
}

/* Turns the io of a partition into that of its disk; without a node for it, into none. */
static void open_whole_disk(struct probe *probe)
{
	autofree char *path = node_path(probe->sysfs.disk_name);
	char number[ATTRIBUTE_MAX], expected[ATTRIBUTE_MAX];
	struct reason unused;
	struct stat st;

	io_close(probe->io);
	probe->io = NULL;
	if (open_bytes(path, &probe->io, &unused) < 0)
		return;

	/* A container's /dev may name another disk so. */
	stat_io(probe->io, &st);
	snprintf(number, sizeof(number), "%u:%u", major(st.st_rdev), minor(st.st_rdev));
	if (!S_ISBLK(st.st_mode) ||
	    read_attribute(probe->sysfs.disk, "dev", expected, sizeof(expected)) <= 0 ||
	    strcmp(number, expected)) {
		io_close(probe->io);
		probe->io = NULL;
	}
}

static int open_running(struct probe *probe)
{
	int r = open_bytes(probe->path, &probe->io, probe->reason);
	struct stat st;

	if (r < 0)
		return r;
	stat_io(probe->io, &st);
	if (!S_ISBLK(st.st_mode))
		return 0;
	probe->is_block = true;
	probe->is_running = true;
	if (!sysfs_open_by_number(probe->sysroot, st.st_rdev, &probe->sysfs) &&
	    probe->sysfs.partition >= 0)
		open_whole_disk(probe);
	return 0;
}

/* A captured machine's device: known by name, its bytes perhaps not captured. */
static int open_captured(struct probe *probe)
{
	autofree char *name = copy_text(probe->path + strlen("/dev/"));
	autofree char *file = NULL;
	bool is_known;
	int r;

	for (char *p = name; *p; p++)
		if (*p == '/')
			*p = '!';
	is_known = !sysfs_open_by_name(probe->sysroot, name, &probe->sysfs);
	if (is_known) {
		autofree char *node = node_path(probe->sysfs.disk_name);

		file = sysroot_path(probe->sysroot, "%s", node);
		probe->is_block = true;
	} else {
		file = sysroot_path(probe->sysroot, "%s", probe->path);
	}

	r = open_bytes(file, &probe->io, probe->reason);
	if (r == -ENOENT && is_known)
		return 0;
	if (!r && !is_known) {
		struct stat st;

		stat_io(probe->io, &st);
		probe->is_block = probe->is_running = S_ISBLK(st.st_mode);
	}
	return r;
}

int open_device(struct probe *probe)
{
	probe->sysfs = (struct sysfs){ .disk = -1, .partition = -1 };
	if (*probe->sysroot && !strncmp(probe->path, "/dev/", 5))
		return open_captured(probe);
	return open_running(probe);
}
