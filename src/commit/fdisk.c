// SPDX-License-Identifier: GPL-2.0-or-later
#include "fdisk.h"

#include "alignck/library.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static struct fdisk_calls calls;
static bool is_loaded;

static void load_libfdisk(void)
{
	static const struct library_call rows[] = {
#define CALL(name) { "fdisk_" #name, offsetof(struct fdisk_calls, name) },
		FDISK_CALLS(CALL)
#undef CALL
	};

	is_loaded = load_library(LIBFDISK, rows, ARRAY_SIZE(rows), &calls);
}

/* Keeps what libfdisk complains of; it may ask nothing, because everything is told to it. */
static int hear_fdisk(struct fdisk_context *cxt, struct fdisk_ask *ask, void *data)
{
	struct reason *said = data;
	const char *message;

	(void)cxt;
	switch (calls.ask_get_type(ask)) {
	case FDISK_ASKTYPE_WARN:
	case FDISK_ASKTYPE_WARNX:
		message = calls.ask_print_get_mesg(ask);
		sanitize_text(said->text, sizeof(said->text), message, strlen(message));
		return 0;
	case FDISK_ASKTYPE_INFO:
		return 0;
	default:
		return -EINVAL;
	}
}

int fdisk_failed(const struct fdisk *fdisk, struct reason *reason, const char *format, ...)
{
	char what[120];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	return reason_set(reason, -EINVAL, "%s%s%.100s", what, *fdisk->said.text ? ": " : "",
			  fdisk->said.text);
}

int open_fdisk(const struct io *memory, uint32_t sector, const char *name, struct fdisk *fdisk,
	       struct reason *reason)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	uint64_t base;
	int r;

	*fdisk = (struct fdisk){ .call = &calls };
	pthread_once(&once, load_libfdisk);
	if (!is_loaded)
		return reason_set(reason, -ELIBACC,
				  "cannot encode the new table: " LIBFDISK
				  " cannot be loaded; install it");
	fdisk->cxt = calls.new_context();
	if (!fdisk->cxt)
		return reason_set(reason, -ENOMEM, "cannot encode the new table: out of memory");
	calls.set_ask(fdisk->cxt, hear_fdisk, &fdisk->said);
	calls.disable_dialogs(fdisk->cxt, 1);

	/* A grain of one sector, for libfdisk rounds to its grain (libfdisk/src/alignment.c), and
	 * no start may move that the plan did not move. */
	calls.save_user_sector_size(fdisk->cxt, sector, sector);
	calls.save_user_grain(fdisk->cxt, sector);
	r = calls.assign_device_by_fd(fdisk->cxt, io_fd(memory, &base), name, 0);
	return r == 0 && calls.has_label(fdisk->cxt)
		       ? 0
		       : fdisk_failed(fdisk, reason, "libfdisk cannot read the table");
}

void close_fdisk(struct fdisk *fdisk)
{
	if (fdisk->cxt)
		calls.unref_context(fdisk->cxt);
	*fdisk = (struct fdisk){ 0 };
}

/* A type as the layout spells it: hex digits for an MBR, a GUID in upper case for GPT. */
static bool is_same_type(const struct partition *partition, struct fdisk_partition *pa)
{
	struct fdisk_parttype *type = calls.partition_get_type(pa);
	const char *guid = type ? calls.parttype_get_string(type) : NULL;

	if (!type)
		return false;
	if (guid)
		return strcasecmp(partition->type, guid) == 0;
	return strtoul(partition->type, NULL, 16) == calls.parttype_get_code(type);
}

static int compare_entry(const struct fdisk *fdisk, const struct partition *partition,
			 const struct plan_place *place, uint32_t sector, struct reason *reason)
{
	struct fdisk_partition *pa = NULL;
	int r = calls.get_partition(fdisk->cxt, partition->number - 1, &pa);

	if (r < 0)
		r = reason_set(reason, -EINVAL, "libfdisk finds no partition %u",
			       partition->number);
	else if (calls.partition_get_start(pa) != place->start / sector ||
		 calls.partition_get_size(pa) != place->size / sector)
		r = reason_set(reason, -EINVAL,
			       "libfdisk reads partition %u as %" PRIu64 " sectors at %" PRIu64
			       ", not %" PRIu64 " at %" PRIu64,
			       partition->number, (uint64_t)calls.partition_get_size(pa),
			       (uint64_t)calls.partition_get_start(pa), place->size / sector,
			       place->start / sector);
	else if (!is_same_type(partition, pa))
		r = reason_set(reason, -EINVAL, "libfdisk reads another type of partition %u",
			       partition->number);
	else if (*partition->uuid && calls.partition_get_uuid(pa) &&
		 strcasecmp(partition->uuid, calls.partition_get_uuid(pa)) != 0)
		r = reason_set(reason, -EINVAL, "libfdisk reads another id of partition %u",
			       partition->number);
	if (pa)
		calls.unref_partition(pa);
	return r;
}

int compare_fdisk(const struct fdisk *fdisk, const struct layout *layout, const struct plan *plan,
		  struct reason *reason)
{
	size_t ours = 0, theirs = 0;

	for (size_t i = 0; i < layout->count; i++) {
		const struct partition *p = &layout->partitions[i];
		struct plan_place place = new_place(layout, plan, i);
		int r;

		if (!is_own_entry(layout, p))
			continue;
		r = compare_entry(fdisk, p, &place, layout->sector_size, reason);
		if (r < 0)
			return r;
		ours++;
	}
	for (size_t n = 0; n < calls.get_npartitions(fdisk->cxt); n++)
		theirs += calls.is_partition_used(fdisk->cxt, n) == 1;
	if (ours != theirs)
		return reason_set(reason, -EINVAL, "libfdisk finds %zu partitions, not %zu", theirs,
				  ours);
	return 0;
}
