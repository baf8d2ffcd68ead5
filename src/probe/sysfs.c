// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where a device is in sysfs. On the running system the device number leads there; a captured
 * machine knows names only, and may hold sys/block alone, without the links beside it.
 */
#include "internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

char *sysroot_path(const char *sysroot, const char *format, ...)
{
	autofree char *tail = NULL;
	char *path;
	va_list args;
	int n;

	va_start(args, format);
	n = vasprintf(&tail, format, args);
	va_end(args);
	if (n < 0 || asprintf(&path, "%s%s", sysroot, tail) < 0)
		abort();
	return path;
}

char *node_path(const char *kernel_name)
{
	char *path = sysroot_path("/dev/", "%s", kernel_name);

	for (char *p = path; *p; p++)
		if (*p == '!')
			*p = '/';
	return path;
}

/* Copies the last component of `path`, `end` bytes long, and returns where it began; 0: no name. */
static size_t last_component(const char *path, size_t end, char name[NODE_NAME_MAX])
{
	size_t start = end;

	while (start && path[start - 1] != '/')
		start--;
	if (end - start >= NODE_NAME_MAX)
		return 0;
	memcpy(name, path + start, end - start);
	name[end - start] = '\0';
	return start;
}

/*
 * Fills `sysfs` from a directory that is a disk's or a partition's. In sysfs a partition lies in
 * its disk's directory, so ".." of where a link leads is the disk, and the link's text names both.
 */
static int open_directory(const char *path, struct sysfs *sysfs)
{
	char target[PATH_MAX];
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ssize_t n;
	size_t parent;

	if (fd < 0)
		return -errno;
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0) {
		/* a plain directory: its own path names it */
		n = snprintf(target, sizeof(target), "%s", path);
		if (n >= (ssize_t)sizeof(target))
			n = 0;
	}
	parent = last_component(target, n, sysfs->disk_name);
	if (!parent) {
		close(fd);
		return -ENAMETOOLONG;
	}
	if (faccessat(fd, "partition", F_OK, 0) < 0) {
		sysfs->disk = fd;
		return 0;
	}

	memcpy(sysfs->partition_name, sysfs->disk_name, sizeof(sysfs->partition_name));
	sysfs->partition = fd;
	if (!last_component(target, parent - 1, sysfs->disk_name))
		return -ENOENT;
	sysfs->disk = openat(fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* A link flattened by the capture leads to class/block, which is nobody's disk. */
	if (sysfs->disk < 0 || faccessat(sysfs->disk, "size", F_OK, 0) < 0)
		return -ENOENT;
	return 0;
}

static int open_or_reset(const char *path, struct sysfs *sysfs)
{
	int r = open_directory(path, sysfs);

	if (r < 0)
		sysfs_close(sysfs);
	return r;
}

int sysfs_open_by_number(const char *sysroot, dev_t number, struct sysfs *sysfs)
{
	autofree char *path =
		sysroot_path(sysroot, "/sys/dev/block/%u:%u", major(number), minor(number));

	*sysfs = (struct sysfs){ .disk = -1, .partition = -1 };
	return open_or_reset(path, sysfs);
}

/* Looks for a partition's directory in those of all disks. */
static int open_inside_disks(const char *sysroot, const char *name, struct sysfs *sysfs)
{
	autofree char *block = sysroot_path(sysroot, "/sys/block");
	DIR *dir = opendir(block);
	const struct dirent *entry;
	int r = -ENOENT;

	if (!dir)
		return -errno;
	while (r < 0 && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || strlen(entry->d_name) >= NODE_NAME_MAX)
			continue;

		autofree char *path = sysroot_path(block, "/%s/%s", entry->d_name, name);

		r = open_or_reset(path, sysfs);
		if (!r && sysfs->partition < 0) { /* some other directory of that name */
			sysfs_close(sysfs);
			r = -ENOENT;
		}
	}
	closedir(dir);
	return r;
}

int sysfs_open_by_name(const char *sysroot, const char *name, struct sysfs *sysfs)
{
	static const char *const places[] = { "/sys/block", "/sys/class/block" };

	*sysfs = (struct sysfs){ .disk = -1, .partition = -1 };
	if (!*name || *name == '.' || strchr(name, '/') || strlen(name) >= NODE_NAME_MAX)
		return -ENOENT;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		autofree char *path = sysroot_path(sysroot, "%s/%s", places[i], name);

		if (!open_or_reset(path, sysfs))
			return 0;
	}
	return open_inside_disks(sysroot, name, sysfs);
}

void sysfs_close(struct sysfs *sysfs)
{
	if (sysfs->disk >= 0)
		close(sysfs->disk);
	if (sysfs->partition >= 0)
		close(sysfs->partition);
	*sysfs = (struct sysfs){ .disk = -1, .partition = -1 };
}
