// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the device behind a path, on this machine or a captured one, and opens the whole disk. */
#include "internal.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

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

/* Looks a node's name up in the captured sysfs, below /dev as the user wrote it: a slash in it is
 * '!' there, and a link (by-id, mapper) counts as what it leads to. */
static bool find_captured(struct probe *probe)
{
	autofree char *name = copy_text(probe->path + strlen("/dev/"));
	autofree char *file = sysroot_path(probe->sysroot, "%s", probe->path);
	char target[PATH_MAX];
	const char *slash;
	ssize_t n;

	for (char *p = name; *p; p++)
		if (*p == '/')
			*p = '!';
	if (!sysfs_open_by_name(probe->sysroot, name, &probe->sysfs))
		return true;
	n = readlink(file, target, sizeof(target) - 1);
	if (n < 0)
		return false;
	target[n] = '\0';
	slash = strrchr(target, '/');
	return !sysfs_open_by_name(probe->sysroot, slash ? slash + 1 : target, &probe->sysfs);
}

/* A captured machine's device: its bytes may not have been captured. */
static int open_captured(struct probe *probe)
{
	bool is_known = find_captured(probe);
	autofree char *node = is_known ? node_path(probe->sysfs.disk_name) : copy_text(probe->path);
	autofree char *file = sysroot_path(probe->sysroot, "%s", node);
	int r = open_bytes(file, &probe->io, probe->reason);

	probe->is_block = is_known;
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
