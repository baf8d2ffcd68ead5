// SPDX-License-Identifier: GPL-2.0-or-later
#include "internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Keeps what libfdisk complains of; it may ask nothing, because everything is told to it. */
static int hear_fdisk(struct fdisk_context *cxt, struct fdisk_ask *ask, void *data)
{
	struct reason *said = data;

	(void)cxt;
	switch (fdisk_ask_get_type(ask)) {
	case FDISK_ASKTYPE_WARN:
	case FDISK_ASKTYPE_WARNX:
		sanitize_text(said->text, sizeof(said->text), fdisk_ask_print_get_mesg(ask),
			      strlen(fdisk_ask_print_get_mesg(ask)));
		return 0;
	case FDISK_ASKTYPE_INFO:
		return 0;
	default:
		return -EINVAL;
	}
}

struct fdisk_context *open_fdisk(const struct io *memory, uint32_t sector, const char *name,
				 struct reason *said, struct reason *reason)
{
	struct fdisk_context *cxt = fdisk_new_context();
	uint64_t base;
	int r;

	*said = (struct reason){ "" };
	if (!cxt) {
		reason_set(reason, -ENOMEM, "cannot encode the new table: out of memory");
		return NULL;
	}
	fdisk_set_ask(cxt, hear_fdisk, said);
	fdisk_disable_dialogs(cxt, 1);

	/* A grain of one sector, for libfdisk rounds to its grain (libfdisk/src/alignment.c), and
	 * no start may move that the plan did not move. */
	fdisk_save_user_sector_size(cxt, sector, sector);
	fdisk_save_user_grain(cxt, sector);
	r = fdisk_assign_device_by_fd(cxt, io_fd(memory, &base), name, 0);
	if (r == 0 && fdisk_has_label(cxt))
		return cxt;
	reason_set(reason, -EINVAL, "libfdisk cannot read the table%s%s", *said->text ? ": " : "",
		   said->text);
	fdisk_unref_context(cxt);
	return NULL;
}

/* A type as the layout spells it: hex digits for an MBR, a GUID in upper case for GPT. */
static bool is_same_type(const struct partition *partition, struct fdisk_partition *pa)
{
	struct fdisk_parttype *type = fdisk_partition_get_type(pa);
	const char *guid = type ? fdisk_parttype_get_string(type) : NULL;

	if (!type)
		return false;
	if (guid)
		return strcasecmp(partition->type, guid) == 0;
	return strtoul(partition->type, NULL, 16) == fdisk_parttype_get_code(type);
}

static int compare_entry(struct fdisk_context *cxt, const struct partition *partition,
			 const struct plan_place *place, uint32_t sector, struct reason *reason)
{
	struct fdisk_partition *pa = NULL;
	int r = fdisk_get_partition(cxt, partition->number - 1, &pa);

	if (r < 0)
		r = reason_set(reason, -EINVAL, "libfdisk finds no partition %u",
			       partition->number);
	else if (fdisk_partition_get_start(pa) != place->start / sector ||
		 fdisk_partition_get_size(pa) != place->size / sector)
		r = reason_set(reason, -EINVAL,
			       "libfdisk reads partition %u as %" PRIu64 " sectors at %" PRIu64
			       ", not %" PRIu64 " at %" PRIu64,
			       partition->number, (uint64_t)fdisk_partition_get_size(pa),
			       (uint64_t)fdisk_partition_get_start(pa), place->size / sector,
			       place->start / sector);
	else if (!is_same_type(partition, pa))
		r = reason_set(reason, -EINVAL, "libfdisk reads another type of partition %u",
			       partition->number);
	else if (*partition->uuid && fdisk_partition_get_uuid(pa) &&
		 strcasecmp(partition->uuid, fdisk_partition_get_uuid(pa)) != 0)
		r = reason_set(reason, -EINVAL, "libfdisk reads another id of partition %u",
			       partition->number);
	fdisk_unref_partition(pa);
	return r;
}

int compare_fdisk(struct fdisk_context *cxt, const struct layout *layout, const struct plan *plan,
		  struct reason *reason)
{
	size_t ours = 0, theirs = 0;

	for (size_t i = 0; i < layout->count; i++) {
		const struct partition *p = &layout->partitions[i];
		struct plan_place place = new_place(layout, plan, i);
		int r;

		if (!is_own_entry(layout, p))
			continue;
		r = compare_entry(cxt, p, &place, layout->sector_size, reason);
		if (r < 0)
			return r;
		ours++;
	}
	for (size_t n = 0; n < fdisk_get_npartitions(cxt); n++)
		theirs += fdisk_is_partition_used(cxt, n) == 1;
	if (ours != theirs)
		return reason_set(reason, -EINVAL, "libfdisk finds %zu partitions, not %zu", theirs,
				  ours);
	return 0;
}
