// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who uses a disk or one of its partitions? Holders (dm, md, bcache) and mounted btrfs from sysfs,
 * loop devices from their backing files, mounts and swap from /proc by way of libmount.
 *
 * libmount is opened here and not linked: with libselinux and pcre behind it, it would cost every
 * run a third of its start-up time, and only few ask for users.
 */
#include "internal.h"

#include "alignck/library.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libmount/libmount.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* More are not kept: a container host has thousands of mounts of one file system. */
#define USERS_MAX 128

#define LIBMOUNT "libmount.so.1"

/* The functions we need of it, one row each; all or nothing. */
static struct {
	typeof(mnt_new_table) *new_table;
	typeof(mnt_unref_table) *unref_table;
	typeof(mnt_table_parse_file) *parse_file;
	typeof(mnt_table_parse_swaps) *parse_swaps;
	typeof(mnt_new_iter) *new_iter;
	typeof(mnt_free_iter) *free_iter;
	typeof(mnt_table_next_fs) *next_fs;
	typeof(mnt_fs_get_devno) *get_devno;
	typeof(mnt_fs_get_source) *get_source;
	typeof(mnt_fs_get_target) *get_target;
	bool is_loaded;
} libmount;

static void load_libmount(void)
{
	static const struct library_call functions[] = {
#define ROW(name, field) { name, offsetof(typeof(libmount), field) }
		ROW("mnt_new_table", new_table),         ROW("mnt_unref_table", unref_table),
		ROW("mnt_table_parse_file", parse_file), ROW("mnt_table_parse_swaps", parse_swaps),
		ROW("mnt_new_iter", new_iter),           ROW("mnt_free_iter", free_iter),
		ROW("mnt_table_next_fs", next_fs),       ROW("mnt_fs_get_devno", get_devno),
		ROW("mnt_fs_get_source", get_source),    ROW("mnt_fs_get_target", get_target),
#undef ROW
	};

	libmount.is_loaded = load_library(LIBMOUNT, functions, ARRAY_SIZE(functions), &libmount);
}

/* A disk or partition that may be used. */
struct node {
	const char *name; /* the kernel's */
	char number[24];  /* "8:1" */
};

struct search {
	struct device *device;
	const char *sysroot;
	const struct sysfs *sysfs;
	struct node *nodes; /* the disk, then its partitions; none for an image */
	size_t count;
	struct stat file; /* of an image; st_ino 0: not an image */
};

static void add_user(struct search *search, const char *node, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void add_user(struct search *search, const char *node, const char *format, ...)
{
	struct device *device = search->device;
	struct device_user user = { 0 };
	char raw[PATH_MAX + 64];
	va_list args;
	int n;

	if (device->user_count == USERS_MAX)
		return;
	va_start(args, format);
	n = vsnprintf(raw, sizeof(raw), format, args);
	va_end(args);
	if (n < 0)
		return;
	sanitize_text(user.node, sizeof(user.node), node, strlen(node));
	sanitize_text(user.what, sizeof(user.what), raw, strlen(raw));

	struct device_user *longer =
		reallocarray(device->users, device->user_count + 1, sizeof(*longer));

	if (!longer)
		abort(); /* a user must never be lost in silence */
	device->users = longer;
	device->users[device->user_count++] = user;
}

static int find_nodes(struct search *search)
{
	const struct device *device = search->device;
	size_t count = 1 + device->kernel_partition_count;

	if (search->sysfs->disk < 0)
		return 0;
	search->nodes = calloc(count, sizeof(*search->nodes));
	if (!search->nodes)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct node *node = &search->nodes[i];
		char path[NODE_NAME_MAX + 16] = "dev";

		node->name = i ? device->kernel_partitions[i - 1].name : device->disk_name;
		if (i)
			snprintf(path, sizeof(path), "%s/dev", node->name);
		read_attribute(search->sysfs->disk, path, node->number, sizeof(node->number));
	}
	search->count = count;
	return 0;
}

static const struct node *find_node_by_number(const struct search *search, dev_t number)
{
	char text[32];

	snprintf(text, sizeof(text), "%u:%u", major(number), minor(number));
	for (size_t i = 0; i < search->count; i++)
		if (!strcmp(search->nodes[i].number, text))
			return &search->nodes[i];
	return NULL;
}

/* The node a path such as "/dev/sda1" or "/dev/disk/by-id/..." leads to. The links of a captured
 * machine are not there to follow: its names must do. */
static const struct node *find_node_by_path(const struct search *search, const char *path)
{
	struct stat st;

	if (!path || strncmp(path, "/dev/", 5))
		return NULL;
	if (!*search->sysroot && !stat(path, &st))
		return S_ISBLK(st.st_mode) ? find_node_by_number(search, st.st_rdev) : NULL;
	for (size_t i = 0; i < search->count; i++) {
		autofree char *node = node_path(search->nodes[i].name);

		if (!strcmp(path, node))
			return &search->nodes[i];
	}
	return NULL;
}

/* true: `path` is the image that is probed. */
static bool is_image(const struct search *search, const char *path)
{
	struct stat st;

	return search->file.st_ino && path && !stat(path, &st) &&
	       st.st_dev == search->file.st_dev && st.st_ino == search->file.st_ino;
}

/* --- sysfs ------------------------------------------------------------------------------------ */

/* What a dm device is, by what its maker put in front of its UUID. */
static const struct {
	const char *prefix, *kind;
} dm_kinds[] = {
	{ "CRYPT-", "crypt" },   { "LVM-", "LVM" },       { "mpath-", "multipath" },
	{ "DMRAID-", "dmraid" }, { "part", "partition" },
};

/* "dm-0 (crypt home)", "md0". */
static void add_holder(struct search *search, const char *node, const char *holder)
{
	autofree char *path = sysroot_path(search->sysroot, "/sys/class/block/%s/dm", holder);
	char uuid[ATTRIBUTE_MAX] = "", name[ATTRIBUTE_MAX] = "";
	const char *kind = "dm";
	int dir = strncmp(holder, "dm-", 3) ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0) {
		add_user(search, node, "%s", holder);
		return;
	}
	read_attribute(dir, "uuid", uuid, sizeof(uuid));
	read_attribute(dir, "name", name, sizeof(name));
	close(dir);
	for (size_t i = 0; i < ARRAY_SIZE(dm_kinds); i++)
		if (!strncmp(uuid, dm_kinds[i].prefix, strlen(dm_kinds[i].prefix)))
			kind = dm_kinds[i].kind;
	add_user(search, node, "%s (%s%s%s)", holder, kind, *name ? " " : "", name);
}

/* Opens a directory below the disk's; NULL: there is none. */
static DIR *open_below(const struct search *search, const char *path)
{
	int fd = openat(search->sysfs->disk, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir && fd >= 0)
		close(fd);
	return dir;
}

static void find_holders(struct search *search)
{
	for (size_t i = 0; i < search->count; i++) {
		char path[NODE_NAME_MAX + 16] = "holders";
		const struct dirent *entry;
		DIR *dir;

		if (i)
			snprintf(path, sizeof(path), "%s/holders", search->nodes[i].name);
		dir = open_below(search, path);
		while (dir && (entry = readdir(dir)))
			if (entry->d_name[0] != '.')
				add_holder(search, search->nodes[i].name, entry->d_name);
		if (dir)
			closedir(dir);
	}
}

/* Loop devices over the image, the disk or a partition. */
static void find_loops(struct search *search)
{
	autofree char *block = sysroot_path(search->sysroot, "/sys/block");
	const struct dirent *entry;
	DIR *dir = opendir(block);

	while (dir && (entry = readdir(dir))) {
		char path[sizeof(entry->d_name) + 32], file[PATH_MAX];
		const struct node *node;

		if (strncmp(entry->d_name, "loop", 4))
			continue;
		snprintf(path, sizeof(path), "%s/loop/backing_file", entry->d_name);
		if (read_attribute(dirfd(dir), path, file, sizeof(file)) <= 0)
			continue;
		node = find_node_by_path(search, file);
		if (node || is_image(search, file))
			add_user(search, node ? node->name : search->device->name, "%s",
				 entry->d_name);
	}
	if (dir)
		closedir(dir);
}

static bool is_mounted(const struct device *device, const char *node)
{
	for (size_t i = 0; i < device->user_count; i++)
		if (!strcmp(device->users[i].node, node) &&
		    !strncmp(device->users[i].what, "mounted", 7))
			return true;
	return false;
}

/* The members of a btrfs of several devices, of which mountinfo names only one. */
static void find_btrfs(struct search *search)
{
	autofree char *fs = sysroot_path(search->sysroot, "/sys/fs/btrfs");
	const struct dirent *entry;
	DIR *dir = opendir(fs);

	while (dir && (entry = readdir(dir))) {
		for (size_t i = 0; i < search->count; i++) {
			const char *name = search->nodes[i].name;
			char path[sizeof(entry->d_name) + NODE_NAME_MAX + 16];

			snprintf(path, sizeof(path), "%s/devices/%s", entry->d_name, name);
			if (entry->d_name[0] != '.' && !is_mounted(search->device, name) &&
			    !faccessat(dirfd(dir), path, F_OK, AT_SYMLINK_NOFOLLOW))
				add_user(search, name, "mounted btrfs %s", entry->d_name);
		}
	}
	if (dir)
		closedir(dir);
}

/* --- /proc ------------------------------------------------------------------------------------ */

static void take_mount(struct search *search, struct libmnt_fs *fs)
{
	const struct node *node = find_node_by_number(search, libmount.get_devno(fs));
	const char *target = libmount.get_target(fs);

	/* btrfs and the like mount under a device number of their own. */
	if (!node)
		node = find_node_by_path(search, libmount.get_source(fs));
	if (node)
		add_user(search, node->name, "mounted on %s", target ? target : "?");
}

static void take_swap(struct search *search, struct libmnt_fs *fs)
{
	const char *source = libmount.get_source(fs);
	const struct node *node = find_node_by_path(search, source);

	if (node || is_image(search, source))
		add_user(search, node ? node->name : search->device->name, "swap");
}

/* The two files, and what an entry of theirs means. */
static int read_proc(struct search *search, const char *name, bool swaps, struct reason *reason)
{
	autofree char *path = sysroot_path(search->sysroot, "%s", name);
	struct libmnt_table *table;
	struct libmnt_iter *iter;
	struct libmnt_fs *fs;
	int r;

	if (access(path, R_OK) < 0) {
		/* Captured machines need not have it; a kernel without swap has no /proc/swaps. */
		if (*search->sysroot || (swaps && errno == ENOENT))
			return 0;
		return reason_set(reason, -errno, "cannot tell who uses it: %s: %s; mount /proc",
				  path, strerror(errno));
	}
	table = libmount.new_table();
	iter = libmount.new_iter(MNT_ITER_FORWARD);
	r = !table || !iter ? -ENOMEM
	    : swaps         ? libmount.parse_swaps(table, path)
			    : libmount.parse_file(table, path);
	while (!r && !libmount.next_fs(table, iter, &fs))
		swaps ? take_swap(search, fs) : take_mount(search, fs);
	libmount.free_iter(iter);
	libmount.unref_table(table);
	if (r)
		return reason_set(reason, r < 0 ? r : -EINVAL,
				  "cannot tell who uses it: %s cannot be read", path);
	return 0;
}

int find_users(struct device *device, const char *sysroot, const struct sysfs *sysfs,
	       struct reason *reason)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct search search = { .device = device, .sysroot = sysroot, .sysfs = sysfs };
	int r;

	pthread_once(&once, load_libmount);
	if (!libmount.is_loaded)
		return reason_set(reason, -ELIBACC,
				  "cannot tell who uses it: " LIBMOUNT
				  " cannot be loaded; install it");
	if (device->kind == KIND_IMAGE && stat(device->path, &search.file) < 0)
		search.file.st_ino = 0;
	r = find_nodes(&search);
	if (r < 0)
		return reason_set(reason, r, "cannot tell who uses it: %s", strerror(-r));
	find_holders(&search);
	find_loops(&search);
	r = read_proc(&search, "/proc/self/mountinfo", false, reason);
	if (!r)
		r = read_proc(&search, "/proc/swaps", true, reason);
	find_btrfs(&search);
	free(search.nodes);
	return r;
}
