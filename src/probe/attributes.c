// SPDX-License-Identifier: GPL-2.0-or-later
/* What sysfs says of a disk: a row an attribute (Documentation/ABI/stable/sysfs-block). */
#include "internal.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ssize_t read_attribute(int dir, const char *name, char *text, size_t size)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n;

	text[0] = '\0';
	if (fd < 0)
		return -errno;
	n = read(fd, text, size - 1);
	if (n < 0)
		n = -errno;
	close(fd);
	if (n < 0)
		return n;
	text[n] = '\0';
	n = strcspn(text, "\n");
	text[n] = '\0';
	return n;
}

bool parse_u64(const char *text, uint64_t *value)
{
	uint64_t number = 0;

	if (!*text)
		return false;
	for (; *text; text++)
		if (!isdigit((unsigned char)*text) || !mul_u64(number, 10, &number) ||
		    !add_u64(number, *text - '0', &number))
			return false;
	*value = number;
	return true;
}

bool parse_i64(const char *text, int64_t *value)
{
	bool negative = *text == '-';
	uint64_t number;

	if (!parse_u64(text + negative, &number) || number > INT64_MAX)
		return false;
	*value = negative ? -(int64_t)number : (int64_t)number;
	return true;
}

enum attribute_kind { NUMBER, SECT512, OFFSET, FLAG, TEXT };

#define ROW(path, field, kind)                                                                     \
	{                                                                                          \
		path, offsetof(struct disk_facts, field), kind                                     \
	}

/* A field named twice keeps the first that has something to say. */
static const struct {
	const char *path;
	size_t field;
	enum attribute_kind kind;
} attributes[] = {
	ROW("size", size, SECT512),
	ROW("queue/logical_block_size", logical_block_size, NUMBER),
	ROW("queue/physical_block_size", physical_block_size, NUMBER),
	ROW("queue/minimum_io_size", minimum_io_size, NUMBER),
	ROW("queue/optimal_io_size", optimal_io_size, NUMBER),
	ROW("alignment_offset", alignment_offset, OFFSET),
	ROW("queue/rotational", rotational, FLAG),
	ROW("ro", read_only, FLAG),
	ROW("queue/zoned", zoned, TEXT),
	ROW("queue/chunk_sectors", zone_size, SECT512),
	ROW("dev", number, TEXT),
	ROW("device/vendor", vendor, TEXT), /* SCSI; virtio has a number there */
	ROW("device/model", model, TEXT),   /* SCSI: 16 characters; NVMe: all 40 */
	ROW("device/name", model, TEXT),    /* MMC */
	ROW("device/serial", serial, TEXT), /* NVMe, MMC */
	ROW("serial", serial, TEXT),        /* virtio */
};

static void store(struct disk_facts *facts, size_t row, const char *text)
{
	void *field = (char *)facts + attributes[row].field;
	uint64_t number;

	switch (attributes[row].kind) {
	case NUMBER:
		parse_u64(text, field);
		break;
	case SECT512:
		if (parse_u64(text, &number))
			mul_u64(number, 512, field);
		break;
	case OFFSET:
		facts->has_alignment_offset = parse_i64(text, field);
		break;
	case FLAG:
		*(enum tristate *)field = !strcmp(text, "1")   ? TRI_YES
					  : !strcmp(text, "0") ? TRI_NO
							       : TRI_UNKNOWN;
		break;
	case TEXT:
		memcpy(field, text, strnlen(text, FACT_TEXT_MAX - 1));
		break;
	}
}

static bool is_known(const struct disk_facts *facts, size_t row)
{
	return attributes[row].kind == TEXT && *((const char *)facts + attributes[row].field);
}

/*
 * A drive that shingles behind the block layer's back says so at its SCSI disk only
 * (Documentation/ABI/testing/sysfs-class-scsi_disk), whose directory is named after its address.
 */
static void read_zoned_cap(int disk, struct disk_facts *facts)
{
	int fd = openat(disk, "device/scsi_disk", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(dir))) {
		char name[sizeof(entry->d_name) + 16], text[FACT_TEXT_MAX];

		if (entry->d_name[0] == '.')
			continue;
		strcpy(name, entry->d_name);
		strcat(name, "/zoned_cap");
		if (read_attribute(fd, name, text, sizeof(text)) > 0)
			strcpy(facts->zoned, text);
	}
	closedir(dir);
}

void read_disk_facts(int disk, struct disk_facts *facts)
{
	char text[ATTRIBUTE_MAX];

	*facts = (struct disk_facts){ .rotational = TRI_UNKNOWN, .read_only = TRI_UNKNOWN };
	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++)
		if (!is_known(facts, i) &&
		    read_attribute(disk, attributes[i].path, text, sizeof(text)) > 0)
			store(facts, i, text);
	if (facts->rotational == TRI_YES && (!*facts->zoned || !strcmp(facts->zoned, "none")))
		read_zoned_cap(disk, facts);
}

unsigned partition_number(const char *disk, const char *name)
{
	size_t len = strlen(disk);
	uint64_t number;

	if (strncmp(name, disk, len))
		return 0;
	name += len;
	if (len && isdigit((unsigned char)disk[len - 1]) && *name++ != 'p')
		return 0;
	return parse_u64(name, &number) && number <= INT32_MAX ? number : 0;
}

static int by_number(const void *a, const void *b)
{
	const struct kernel_partition *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* false: not a partition of this disk. The name gives the number, which saves a read. */
static bool read_partition(const struct sysfs *sysfs, const char *name,
			   struct kernel_partition *partition)
{
	char path[NODE_NAME_MAX + 16], text[ATTRIBUTE_MAX];
	uint64_t start, size;

	*partition =
		(struct kernel_partition){ .number = partition_number(sysfs->disk_name, name) };
	if (!partition->number || strlen(name) >= sizeof(partition->name))
		return false;
	strcpy(partition->name, name);
	strcpy(path, name);
	strcat(path, "/start");
	if (read_attribute(sysfs->disk, path, text, sizeof(text)) <= 0 ||
	    !parse_u64(text, &start) || !mul_u64(start, 512, &partition->start))
		return false;
	strcpy(path + strlen(name), "/size");
	return read_attribute(sysfs->disk, path, text, sizeof(text)) > 0 &&
	       parse_u64(text, &size) && mul_u64(size, 512, &partition->size);
}

int read_kernel_partitions(const struct sysfs *sysfs, struct kernel_partition **list, size_t *count)
{
	/* A descriptor of its own: readdir moves the position all dups share. */
	int fd = openat(sysfs->disk, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	size_t room = 0;
	int r = 0;

	*list = NULL;
	*count = 0;
	if (!dir) {
		r = -errno;
		if (fd >= 0)
			close(fd);
		return r;
	}
	while ((entry = readdir(dir))) {
		struct kernel_partition partition;

		if (!read_partition(sysfs, entry->d_name, &partition))
			continue;
		if (*count == room) {
			size_t more = room ? 2 * room : 8;
			struct kernel_partition *longer =
				reallocarray(*list, more, sizeof(*longer));

			if (!longer) {
				r = -ENOMEM;
				break;
			}
			*list = longer;
			room = more;
		}
		(*list)[(*count)++] = partition;
	}
	closedir(dir);
	if (*count)
		qsort(*list, *count, sizeof(**list), by_number);
	return r;
}
