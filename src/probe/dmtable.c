// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where a device-mapper device lies: its table, asked of the kernel
 * (include/uapi/linux/dm-ioctl.h). Lines are as Documentation/admin-guide/device-mapper has them
 * for each target.
 */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <linux/kdev_t.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int add_piece(struct piece_list *pieces, const struct piece *piece)
{
	if (pieces->count == pieces->room) {
		size_t room = pieces->room ? 2 * pieces->room : 4;
		void *more = reallocarray(pieces->list, room, sizeof(*pieces->list));

		if (!more)
			return -ENOMEM;
		pieces->list = more;
		pieces->room = room;
	}
	pieces->list[pieces->count++] = *piece;
	return 0;
}

#define WORDS_MAX 64

/* Splits a line at its blanks, in place. */
static size_t split(char *line, char *words[WORDS_MAX])
{
	size_t count = 0;
	char *rest = NULL;

	for (char *w = strtok_r(line, " ", &rest); w && count < WORDS_MAX;
	     w = strtok_r(NULL, " ", &rest))
		words[count++] = w;
	return count;
}

/* false: the words are no device and offset, or the numbers do not fit. */
static bool set_piece(struct piece *piece, const char *number, const char *offset, uint64_t start,
		      uint64_t length)
{
	uint64_t place;

	if (strlen(number) >= sizeof(piece->number) || !strchr(number, ':') ||
	    !parse_u64(offset, &place) || !mul_u64(start, 512, &piece->start) ||
	    !mul_u64(length, 512, &piece->length) || !mul_u64(place, 512, &piece->place))
		return false;
	strcpy(piece->number, number);
	piece->is_known = true;
	return true;
}

/* Targets that pass everything on to one place of one device: which words name it. */
static const struct {
	const char *type;
	size_t device, offset;
} simple_targets[] = {
	{ "linear", 0, 1 },
	{ "crypt", 3, 4 },
	{ "delay", 0, 1 },
	{ "flakey", 0, 1 },
};

/* "striped N CHUNK DEVICE OFFSET ...": stripe i begins i chunks further on. */
static int decode_striped(char *words[WORDS_MAX], size_t count, uint64_t start, uint64_t length,
			  struct piece_list *pieces)
{
	uint64_t stripes, chunk, begin = start;

	if (count < 2 || !parse_u64(words[0], &stripes) || !parse_u64(words[1], &chunk) ||
	    stripes > (count - 2) / 2 || chunk % 8)
		return -ENOTSUP;
	for (uint64_t i = 0; i < stripes; i++) {
		struct piece piece = { 0 };

		if (!set_piece(&piece, words[2 + 2 * i], words[3 + 2 * i], begin, length))
			return -ENOTSUP;
		if (add_piece(pieces, &piece) < 0)
			return -ENOMEM;
		if (!add_u64(begin, chunk, &begin))
			return -ENOTSUP;
	}
	return 0;
}

int decode_dm_target(const char *type, const char *params, uint64_t start, uint64_t length,
		     struct piece_list *pieces)
{
	autofree char *line = copy_text(params);
	char *words[WORDS_MAX] = { 0 };
	size_t count = split(line, words);
	const char *device, *offset;

	if (!strcmp(type, "striped"))
		return decode_striped(words, count, start, length, pieces);
	for (size_t i = 0; i < ARRAY_SIZE(simple_targets); i++) {
		struct piece piece = { 0 };

		if (strcmp(type, simple_targets[i].type) != 0)
			continue;
		device = words[simple_targets[i].device];
		offset = words[simple_targets[i].offset];
		if (!device || !offset || !set_piece(&piece, device, offset, start, length))
			return -ENOTSUP;
		return add_piece(pieces, &piece);
	}
	return -ENOTSUP;
}

/* Walks the targets behind the answer's header; `data` ends with a NUL. */
static int decode_answer(const char *data, size_t len, uint32_t targets, struct piece_list *pieces)
{
	size_t at = 0;
	int r = 0;

	for (uint32_t i = 0; i < targets && !r; i++) {
		struct dm_target_spec spec;
		char type[DM_MAX_TYPE_NAME + 1] = "";

		if (at > len || len - at <= sizeof(spec))
			return -EBADMSG;
		memcpy(&spec, data + at, sizeof(spec));
		memcpy(type, spec.target_type, DM_MAX_TYPE_NAME);
		r = decode_dm_target(type, data + at + sizeof(spec), spec.sector_start, spec.length,
				     pieces);
		at = spec.next;
	}
	return r;
}

/* Asks with room for the answer; -ENOBUFS: it needs more. The table of a crypt target holds its
 * key, so the kernel and we wipe it. */
static int ask(int control, uint64_t device, size_t size, struct piece_list *pieces)
{
	struct dm_ioctl *dm = calloc(1, size + 1);
	int r = 0;

	if (!dm)
		return -ENOMEM;
	dm->version[0] = DM_VERSION_MAJOR;
	dm->data_size = (uint32_t)size;
	dm->data_start = sizeof(*dm);
	dm->dev = device;
	dm->flags = DM_STATUS_TABLE_FLAG | DM_SECURE_DATA_FLAG | DM_NOFLUSH_FLAG;
	if (ioctl(control, DM_TABLE_STATUS, dm) < 0)
		r = -errno;
	else if (dm->flags & DM_BUFFER_FULL_FLAG)
		r = -ENOBUFS;
	else if (dm->data_start > size)
		r = -EBADMSG;
	else
		r = decode_answer((char *)dm + dm->data_start, size - dm->data_start,
				  dm->target_count, pieces);
	explicit_bzero(dm, size);
	free(dm);
	return r;
}

int read_dm_table(const char *number, struct piece_list *pieces)
{
	enum { ROOM_MIN = 16 * 1024, ROOM_MAX = 1024 * 1024 };
	unsigned major_number, minor_number;
	int control, r = -ENOBUFS;

	if (sscanf(number, "%u:%u", &major_number, &minor_number) != 2)
		return -EINVAL;
	control = open("/dev/" DM_DIR "/" DM_CONTROL_NODE, O_RDONLY | O_CLOEXEC);
	if (control < 0)
		return -errno;
	for (size_t size = ROOM_MIN; r == -ENOBUFS && size <= ROOM_MAX; size *= 4)
		r = ask(control,
			(minor_number & 0xff) | major_number << 8 |
				(uint64_t)(minor_number & ~0xffU) << 12,
			size, pieces);
	close(control);
	return r;
}
