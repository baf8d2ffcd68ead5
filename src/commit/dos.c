// SPDX-License-Identifier: GPL-2.0-or-later
#include "fdisk.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool is_moved(const struct layout *layout, const struct plan *plan, size_t i)
{
	const struct partition *p = &layout->partitions[i];

	return p->start != plan->places[i].start || p->size != plan->places[i].size;
}

/* All of the chain or nothing: each EBR has a link to the next one, and all count from the
 * container's start. */
bool is_chain_changed(const struct layout *layout, const struct plan *plan)
{
	for (size_t i = 0; i < layout->count; i++) {
		const struct partition *p = &layout->partitions[i];

		if (!is_own_entry(layout, p))
			continue;
		if ((is_logical(p) || p->role == ROLE_EXTENDED) && is_moved(layout, plan, i))
			return true;
		if (is_logical(p) && p->ebr != plan->places[i].ebr)
			return true;
	}
	return false;
}

/* What libfdisk cannot say in an entry. */
static int check_expressible(const struct layout *layout, const struct plan *plan,
			     struct reason *reason)
{
	for (size_t i = 0; i < layout->count; i++) {
		const struct partition *p = &layout->partitions[i];
		uint64_t end = (plan->places[i].start + plan->places[i].size) / layout->sector_size;

		if (!is_own_entry(layout, p))
			continue;
		if (p->attributes != 0 && p->attributes != 0x80)
			return reason_set(reason, -EINVAL,
					  "partition %u has a boot indicator of 0x%02x that cannot "
					  "be written again",
					  p->number, (unsigned)p->attributes);
		if (end - 1 > UINT32_MAX)
			return reason_set(reason, -EINVAL,
					  "partition %u would end past what an MBR can say",
					  p->number);
	}
	return 0;
}

static struct fdisk_partition *new_entry(const struct fdisk *f, const struct partition *p,
					 const struct plan_place *place, uint32_t sector)
{
	struct fdisk_partition *pa = f->call->new_partition();
	unsigned code = strtoul(p->type, NULL, 16);
	struct fdisk_parttype *type =
		f->call->label_get_parttype_from_code(f->call->get_label(f->cxt, NULL), code);

	if (!type)
		type = f->call->new_unknown_parttype(code, NULL);
	if (!pa || !type) {
		if (pa)
			f->call->unref_partition(pa);
		if (type)
			f->call->unref_parttype(type);
		return NULL;
	}
	f->call->partition_set_partno(pa, p->number - 1);
	f->call->partition_set_start(pa, place->start / sector);
	f->call->partition_set_size(pa, place->size / sector);
	f->call->partition_size_explicit(pa, 1);
	f->call->partition_set_type(pa, type);
	f->call->unref_parttype(type);
	return pa;
}

/*
 * Adds one entry. libfdisk puts the EBR of a logical `first LBA` sectors in front of it and checks
 * with that number whether there is room, so that number is how we choose the place: the one of the
 * plan, and where libfdisk finds no room for that, right in front of the logical.
 */
static int add_entry(struct fdisk *f, const struct partition *p, const struct plan_place *place,
		     uint32_t sector, struct reason *reason)
{
	uint64_t gap = 1;
	size_t number = 0;
	int r;

	if (is_logical(p) && place->ebr && place->ebr < place->start)
		gap = (place->start - place->ebr) / sector;
	for (;;) {
		struct fdisk_partition *pa = new_entry(f, p, place, sector);

		if (!pa)
			return reason_set(reason, -ENOMEM,
					  "cannot encode the new table: out of memory");
		f->call->set_first_lba(f->cxt, gap);
		r = f->call->add_partition(f->cxt, pa, &number);
		f->call->unref_partition(pa);
		if (r == 0 || gap == 1)
			break;
		gap = 1;
	}
	if (r == 0 && number != p->number - 1)
		return reason_set(reason, -EINVAL,
				  "libfdisk gives partition %u another number: %zu", p->number,
				  number + 1);
	/* The flag is no part of the template. */
	if (r == 0 && p->bootable)
		r = f->call->toggle_partition_flag(f->cxt, number, DOS_FLAG_ACTIVE);
	if (r < 0)
		return fdisk_failed(f, reason,
				    "libfdisk cannot express the new place of partition %u (sector "
				    "%" PRIu64 ")",
				    p->number, place->start / sector);
	return 0;
}

/* Whether entry `i` is one of those that are taken out and put in again. */
static bool is_rewritten(const struct layout *layout, const struct plan *plan, bool chain, size_t i)
{
	const struct partition *p = &layout->partitions[i];

	if (!is_own_entry(layout, p))
		return false;
	return is_logical(p) || p->role == ROLE_EXTENDED ? chain : is_moved(layout, plan, i);
}

/*
 * First everything that changes goes, then it comes back: libfdisk refuses an entry that touches
 * any other one's place, old or new. Primaries before the container before the logicals, whose
 * order in the chain is their number; the container takes its logicals with it.
 */
static int rewrite_entries(struct fdisk *f, const struct layout *layout, const struct plan *plan,
			   struct reason *reason)
{
	bool chain = is_chain_changed(layout, plan);
	enum { PRIMARIES, CONTAINER, LOGICALS, PASSES };
	int r;

	for (size_t i = 0; i < layout->count; i++) {
		const struct partition *p = &layout->partitions[i];

		if (is_logical(p) || !is_rewritten(layout, plan, chain, i))
			continue;
		if (f->call->delete_partition(f->cxt, p->number - 1) < 0)
			return reason_set(reason, -EINVAL, "libfdisk cannot rewrite partition %u",
					  p->number);
	}
	for (int pass = PRIMARIES; pass < PASSES; pass++)
		for (size_t i = 0; i < layout->count; i++) {
			const struct partition *p = &layout->partitions[i];

			if (!is_rewritten(layout, plan, chain, i) ||
			    pass != (is_logical(p)              ? LOGICALS
				     : p->role == ROLE_EXTENDED ? CONTAINER
								: PRIMARIES))
				continue;
			r = add_entry(f, p, &plan->places[i], layout->sector_size, reason);
			if (r < 0)
				return r;
		}
	return 0;
}

int edit_dos_table(struct io *memory, const struct layout *layout, const struct plan *plan,
		   struct reason *reason)
{
	struct fdisk f;
	int r = check_expressible(layout, plan, reason);

	if (r < 0)
		return r;
	r = open_fdisk(memory, layout->sector_size, "table", &f, reason);
	if (r == 0)
		r = compare_fdisk(&f, layout, NULL, reason);
	if (r == 0)
		r = rewrite_entries(&f, layout, plan, reason);
	if (r == 0 && f.call->write_disklabel(f.cxt) < 0)
		r = fdisk_failed(&f, reason, "libfdisk cannot write the new table");
	close_fdisk(&f);
	return r;
}
