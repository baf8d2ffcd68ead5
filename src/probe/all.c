// SPDX-License-Identifier: GPL-2.0-or-later
/* Every whole disk of a machine, in the order people count them. */
#include "internal.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is no disk of its own: a name that is one of these followed by a digit, '-' or '_'. */
static const char *const left_out[] = { "loop", "ram", "zram", "dm", "md", "sr", "scd", "fd" };

static bool is_left_out(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(left_out); i++) {
		size_t len = strlen(left_out[i]);

		if (!strncmp(name, left_out[i], len) && strchr("0123456789-_", name[len]) &&
		    name[len])
			return true;
	}
	return false;
}

/* `block` is sys/block. The paths of a multipath NVMe disk are hidden: they have no node. */
static bool is_disk(int block, const char *name)
{
	char path[NODE_NAME_MAX + 16], text[ATTRIBUTE_MAX];
	uint64_t size;

	if (*name == '.' || strlen(name) >= NODE_NAME_MAX || is_left_out(name))
		return false;
	strcpy(path, name);
	strcat(path, "/size");
	if (read_attribute(block, path, text, sizeof(text)) <= 0 || !parse_u64(text, &size) ||
	    !size)
		return false;
	strcpy(path + strlen(name), "/hidden");
	return read_attribute(block, path, text, sizeof(text)) <= 0 || strcmp(text, "1");
}

/*
 * The driver's two letters, then letters by length and alphabet (sdb before sdaa), then numbers by
 * value (nvme2n1 before nvme10n1).
 */
static int compare_names(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	size_t letters_x, letters_y;
	int order = strncmp(x, y, strlen("/dev/") + 2);

	if (order)
		return order;
	letters_x = strcspn(x, "0123456789");
	letters_y = strcspn(y, "0123456789");
	if (letters_x != letters_y)
		return letters_x < letters_y ? -1 : 1;
	return strverscmp(x, y);
}

static int add_path(char ***paths, size_t *count, size_t *room, char *path)
{
	if (*count + 1 >= *room) {
		size_t more = *room ? 2 * *room : 16;
		char **longer = reallocarray(*paths, more, sizeof(*longer));

		if (!longer)
			return -ENOMEM;
		*paths = longer;
		*room = more;
	}
	(*paths)[(*count)++] = path;
	(*paths)[*count] = NULL;
	return 0;
}

int probe_all_disks(const char *sysroot, char ***paths, struct reason *reason)
{
	autofree char *block = sysroot_path(sysroot ? sysroot : "", "/sys/block");
	size_t count = 0, room = 0;
	const struct dirent *entry;
	DIR *dir = opendir(block);
	int r = 0;

	*paths = NULL;
	if (!dir)
		return reason_set(reason, -errno, "cannot list disks: %s: %s", block,
				  strerror(errno));
	while (!r && (entry = readdir(dir)))
		if (is_disk(dirfd(dir), entry->d_name))
			r = add_path(paths, &count, &room, node_path(entry->d_name));
	closedir(dir);
	if (!r && !count) {
		*paths = calloc(1, sizeof(**paths));
		r = *paths ? 0 : -ENOMEM;
	}
	if (r < 0) {
		probe_free_paths(*paths);
		*paths = NULL;
		return reason_set(reason, r, "cannot list disks: %s", strerror(-r));
	}
	if (count)
		qsort(*paths, count, sizeof(**paths), compare_names);
	return 0;
}

void probe_free_paths(char **paths)
{
	for (size_t i = 0; paths && paths[i]; i++)
		free(paths[i]);
	free(paths);
}
