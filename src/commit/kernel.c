// SPDX-License-Identifier: GPL-2.0-or-later
#include "internal.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/blkpg.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

/* ---- the lock ---- */

/* udev holds a shared lock while it looks at a disk that somebody has just closed, and opens the
 * nodes of partitions: that passes. A partitioning tool keeps its lock as long as it runs: that
 * does not. */
enum { TRIES = 30 };

/* After a call that came to `r`: waits, and true, while it is worth another. *tries: 0 at first. */
static bool is_worth_another(int r, int *tries)
{
	const struct timespec pause = { .tv_nsec = 100 * 1000 * 1000 };

	if (r != -EBUSY || ++*tries >= TRIES)
		return false;
	nanosleep(&pause, NULL);
	return true;
}

static int try_lock(int fd)
{
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	return errno == EWOULDBLOCK || errno == EINTR ? -EBUSY : -errno;
}

int lock_disk(int fd, struct reason *reason)
{
	int r, tries = 0;

	do
		r = try_lock(fd);
	while (is_worth_another(r, &tries));
	if (r != -EBUSY)
		return r ? reason_set(reason, r, "cannot lock the disk: %s", strerror(-r)) : 0;
	return reason_set(
		reason, -EBUSY,
		"in use: another program holds the lock on the disk (a partitioning tool, "
		"or udev)");
}

/* ---- what the kernel has ---- */

struct nodes {
	struct kernel_partition *list;
	size_t count;
};

static bool read_number(int dir, const char *name, uint64_t *n)
{
	char text[32] = "";
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (len <= 0 || !isdigit((unsigned char)*text))
		return false;
	*n = strtoull(text, NULL, 10);
	return true;
}

static int add_node(struct nodes *nodes, int dir, const char *name)
{
	struct kernel_partition node = { 0 }, *list;
	uint64_t number, start_sect512, size_sect512;
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool is_partition;

	if (fd < 0)
		return errno == ENOTDIR || errno == ENOENT || errno == ELOOP ? 0 : -errno;
	is_partition = read_number(fd, "partition", &number) &&
		       read_number(fd, "start", &start_sect512) &&
		       read_number(fd, "size", &size_sect512);
	close(fd);
	if (!is_partition)
		return 0;
	list = reallocarray(nodes->list, nodes->count + 1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	nodes->list = list;
	node.number = number;
	node.start = start_sect512 * 512;
	node.size = size_sect512 * 512;
	snprintf(node.name, sizeof(node.name), "%.63s", name);
	list[nodes->count++] = node;
	return 0;
}

/* Straight from sysfs and not from a probe of long ago: after kill -9 there may be others. */
static int read_nodes(dev_t disk, struct nodes *nodes)
{
	char path[64];
	const struct dirent *entry;
	int r = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(disk), minor(disk));
	dir = opendir(path);
	if (!dir)
		return -errno;
	while (r == 0 && (entry = readdir(dir)))
		if (*entry->d_name != '.')
			r = add_node(nodes, dirfd(dir), entry->d_name);
	closedir(dir);
	return r;
}

/* ---- BLKPG ---- */

static int tell_kernel(int fd, int operation, unsigned number, uint64_t start, uint64_t size)
{
	struct blkpg_partition partition = { .start = start, .length = size, .pno = number };
	struct blkpg_ioctl_arg arg = { .op = operation,
				       .datalen = sizeof(partition),
				       .data = &partition };

	return ioctl(fd, BLKPG, &arg) < 0 ? -errno : 0;
}

/* A node that somebody has open for a moment goes a little later. */
static int delete_node(int fd, unsigned number)
{
	int r, tries = 0;

	do
		r = tell_kernel(fd, BLKPG_DEL_PARTITION, number, 0, 0);
	while (is_worth_another(r, &tries));
	return r;
}

/* Is there a kernel to tell? 1: a block device, 0: a regular file, -errno. */
static int is_block_device(int fd, struct stat *st, struct reason *reason)
{
	if (fstat(fd, st) < 0)
		return reason_set(reason, -errno, "cannot look at the disk: %s", strerror(errno));
	return S_ISBLK(st->st_mode);
}

int drop_kernel_partitions(int fd, struct reason *reason)
{
	struct nodes nodes = { 0 };
	struct stat st;
	size_t dropped = 0;
	int r = is_block_device(fd, &st, reason);

	if (r <= 0)
		return r;
	r = read_nodes(st.st_rdev, &nodes);
	if (r < 0)
		reason_set(reason, r, "cannot list the kernel's partitions: %s", strerror(-r));
	for (; r == 0 && dropped < nodes.count; dropped++) {
		r = delete_node(fd, nodes.list[dropped].number);
		if (r == -ENXIO) /* gone meanwhile */
			r = 0;
		if (r == 0)
			continue;
		if (r == -EBUSY)
			reason_set(reason, r, "in use: %s is held open by another program",
				   nodes.list[dropped].name);
		else
			reason_set(reason, r, "cannot take %s away from the kernel: %s",
				   nodes.list[dropped].name, strerror(-r));
		break;
	}
	/* The disk will not be touched: all as it was. */
	for (; r < 0 && dropped > 0; dropped--) {
		const struct kernel_partition *node = &nodes.list[dropped - 1];

		tell_kernel(fd, BLKPG_ADD_PARTITION, node->number, node->start, node->size);
	}
	free(nodes.list);
	return r;
}

/* Of an extended container the kernel shows just enough for a boot loader, so that nobody makes a
 * file system over the logicals: two 512-byte sectors, at least one logical one
 * (block/partitions/msdos.c). Over BLKPG nothing may overlap, and a logical may begin in the
 * second.
 */
static uint64_t node_size(const struct layout *layout, const struct partition *partition)
{
	uint64_t size = layout->sector_size > 1024 ? layout->sector_size : 1024;

	if (partition->role != ROLE_EXTENDED || partition->size <= size)
		return partition->size;
	for (size_t i = 0; i < layout->count; i++) {
		const struct partition *p = &layout->partitions[i];

		if (p->start > partition->start && p->start - partition->start < size)
			size = p->start - partition->start;
	}
	return size;
}

/* One node as it should be. What a run before has told already is not told again; an old node of
 * the same number has to go first. */
static int tell_node(int fd, const struct nodes *nodes, const struct partition *p, uint64_t size)
{
	for (size_t i = 0; i < nodes->count; i++) {
		const struct kernel_partition *node = &nodes->list[i];
		int r;

		if (node->number != p->number)
			continue;
		if (node->start == p->start && node->size == size)
			return 0;
		r = delete_node(fd, p->number);
		if (r < 0)
			return r;
	}
	return tell_kernel(fd, BLKPG_ADD_PARTITION, p->number, p->start, size);
}

/* BLKPG gives no nodes for partitions inside others: these only the kernel's own look at the table
 * can make. -EINVAL: it never looks at tables of this device. */
static int read_table_again(int fd, const struct layout *layout, unsigned *failed)
{
	size_t i = 0;
	int r, tries = 0;

	while (i < layout->count && is_own_entry(layout, &layout->partitions[i]))
		i++;
	if (i == layout->count)
		return 0;
	do
		r = ioctl(fd, BLKRRPART) < 0 ? -errno : 0;
	while (is_worth_another(r, &tries));
	*failed = layout->partitions[i].number;
	return r == -EINVAL ? 0 : r;
}

int add_kernel_partitions(int fd, const struct layout *layout, struct reason *reason)
{
	struct nodes nodes = { 0 };
	struct stat st;
	int r = is_block_device(fd, &st, reason), first;
	unsigned failed = 0;

	if (r <= 0)
		return r;
	first = read_table_again(fd, layout, &failed);
	read_nodes(st.st_rdev, &nodes); /* without sysfs: as if there were none */
	for (size_t i = 0; i < layout->count; i++) {
		const struct partition *p = &layout->partitions[i];

		if (!is_own_entry(layout, p) || p->role == ROLE_PROTECTIVE)
			continue;
		/* One that cannot be had is no reason to leave the others out. */
		r = tell_node(fd, &nodes, p, node_size(layout, p));
		if (r < 0 && !first) {
			first = r;
			failed = p->number;
		}
	}
	free(nodes.list);
	if (!first)
		return 0;
	return reason_set(reason, first,
			  "the table is written, but the kernel was not told of partition %u (%s): "
			  "run partprobe, or start the machine again",
			  failed, strerror(-first));
}
