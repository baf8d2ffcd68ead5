// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The chain of extended boot records. Each lies in one sector and looks like an MBR: a data entry
 * whose start counts from this EBR, and a link whose start counts from the extended partition. We
 * walk and number as the kernel does (block/partitions/msdos.c:parse_extended): any of the four
 * entries may be data (OS/2), the first of an extended type is the link (DR-DOS has it in front),
 * entries three and four only where they fit. Unlike the kernel we say what is wrong on the way.
 */
#include "internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Empty EBRs count too. The kernel gives up after 100 of them in a row, and at 256 partitions. */
#define EBR_MAX 1024

struct chain {
	struct source *source;
	struct layout *layout;
	int container;
	uint32_t disk_id, sector_size;
	uint64_t first_lba, end_lba; /* of the container */
	uint64_t ebr_lba;
	uint64_t room; /* sectors the link promised for this EBR and its data */
	uint64_t visited[EBR_MAX];
	size_t count;
};

static struct findings *chain_findings(struct chain *c)
{
	return &c->layout->findings;
}

static int add_logical(struct chain *c, const struct mbr_entry *entry, unsigned *number)
{
	struct partition p;

	set_mbr_partition(&p, entry, c->disk_id, *number, c->ebr_lba, c->sector_size);
	p.parent = c->container;
	p.ebr = c->ebr_lba * c->sector_size;

	int index = layout_add(c->layout, &p);

	if (index < 0)
		return index;
	(*number)++;

	uint64_t start = c->ebr_lba + entry->start_lba, end = start + entry->sectors;

	if (start < c->first_lba || end > c->end_lba)
		findings_add(chain_findings(c), FINDING_TABLE_DAMAGED, index,
			     "sectors %" PRIu64 "-%" PRIu64
			     " lie outside its extended partition (%" PRIu64 "-%" PRIu64 ")",
			     start, end - 1, c->first_lba, c->end_lba - 1);
	return 0;
}

static int add_data_entries(struct chain *c, const struct mbr *ebr, unsigned *number)
{
	for (size_t i = 0; i < MBR_ENTRIES; i++) {
		const struct mbr_entry *e = &ebr->entries[i];
		uint64_t end = c->ebr_lba + e->start_lba + e->sectors;

		if (!is_used_entry(e) || is_extended_type(e->type))
			continue;
		/* The last two often hold garbage. */
		if (i >= 2 && ((uint64_t)e->start_lba + e->sectors > c->room || end > c->end_lba))
			continue;

		int r = add_logical(c, e, number);

		if (r < 0)
			return r;
	}
	return 0;
}

/* The EBR's sector, or a finding that says why the chain ends here. */
static bool read_ebr(struct chain *c, struct mbr *ebr)
{
	static const uint8_t blank[512];
	uint8_t sector[512];
	int r = source_read(c->source, sector, sizeof(sector), c->ebr_lba * c->sector_size);

	if (r == -ENODATA) {
		findings_add(chain_findings(c), FINDING_TABLE_DAMAGED, c->container,
			     "the EBR at sector %" PRIu64
			     " is past the end of the disk; logical partitions may be missing here",
			     c->ebr_lba);
		return false;
	}
	if (r < 0) {
		findings_add(chain_findings(c), FINDING_TABLE_DAMAGED, c->container,
			     "cannot read the EBR at sector %" PRIu64 ": %s", c->ebr_lba,
			     strerror(-r));
		return false;
	}
	decode_mbr(sector, ebr);
	if (ebr->has_signature)
		return true;
	/* An extended partition that never held a logical one has a blank first sector. */
	if (c->count > 1 || memcmp(sector, blank, sizeof(blank)))
		findings_add(chain_findings(c), FINDING_TABLE_DAMAGED, c->container,
			     "sector %" PRIu64
			     " should hold an EBR and does not; logical partitions may be missing",
			     c->ebr_lba);
	return false;
}

/* Follows the link to the next EBR. false: the chain ends, rightly or with a finding. */
static bool follow_link(struct chain *c, const struct mbr *ebr)
{
	const struct mbr_entry *link = NULL;

	for (size_t i = 0; i < MBR_ENTRIES && !link; i++)
		if (is_used_entry(&ebr->entries[i]) && is_extended_type(ebr->entries[i].type))
			link = &ebr->entries[i];
	if (!link)
		return false;

	uint64_t next = c->first_lba + link->start_lba;

	for (size_t i = 0; i < c->count; i++)
		if (c->visited[i] == next) {
			findings_add(chain_findings(c), FINDING_TABLE_DAMAGED, c->container,
				     "the chain of EBRs loops: sector %" PRIu64
				     " links back to sector %" PRIu64,
				     c->ebr_lba, next);
			return false;
		}
	if (next >= c->end_lba) {
		findings_add(chain_findings(c), FINDING_TABLE_DAMAGED, c->container,
			     "the chain of EBRs leaves its extended partition: sector %" PRIu64
			     " links to sector %" PRIu64,
			     c->ebr_lba, next);
		return false;
	}
	/* fdisk appends a new logical to the chain wherever it lies, so this is no damage. */
	if (next < c->ebr_lba)
		findings_add(chain_findings(c), FINDING_EBR_OUT_OF_ORDER, c->container,
			     "the chain of EBRs goes backwards: sector %" PRIu64
			     " links to sector %" PRIu64 "; some tools stop reading there",
			     c->ebr_lba, next);
	c->ebr_lba = next;
	c->room = link->sectors;
	return true;
}

/*
 * An EBR that lies inside the data of a logical partition is overwritten by that partition's file
 * system sooner or later, and takes the rest of the chain with it.
 */
static void check_ebrs(struct chain *c, size_t first)
{
	const struct layout *layout = c->layout;

	for (size_t i = first; i < layout->count; i++) {
		const struct partition *p = &layout->partitions[i];

		for (size_t j = 0; j < c->count; j++) {
			uint64_t ebr = c->visited[j] * c->sector_size;

			if (ebr < p->start || ebr - p->start >= p->size)
				continue;
			findings_add(chain_findings(c), FINDING_EBR_INSIDE_DATA, i,
				     "an EBR lies inside it, at sector %" PRIu64
				     "; writing there loses logical partitions",
				     c->visited[j]);
			break;
		}
	}
}

int read_logicals(struct source *source, struct layout *layout, int container, uint32_t disk_id,
		  unsigned *number)
{
	const struct partition *extended = &layout->partitions[container];
	autofree struct chain *c = malloc(sizeof(*c));
	size_t first = layout->count;
	struct mbr ebr;
	int r = 0;

	if (!c)
		return -ENOMEM;
	*c = (struct chain){
		.source = source,
		.layout = layout,
		.container = container,
		.disk_id = disk_id,
		.sector_size = layout->sector_size,
		.first_lba = extended->start / layout->sector_size,
		.end_lba = (extended->start + extended->size) / layout->sector_size,
		.ebr_lba = extended->start / layout->sector_size,
		.room = extended->size / layout->sector_size,
	};
	do {
		if (c->count == EBR_MAX) {
			findings_add(&layout->findings, FINDING_TABLE_DAMAGED, container,
				     "the chain of EBRs has more than %d links", EBR_MAX);
			break;
		}
		c->visited[c->count++] = c->ebr_lba;
		if (!read_ebr(c, &ebr))
			break;
		r = add_data_entries(c, &ebr, number);
	} while (!r && follow_link(c, &ebr));
	check_ebrs(c, first);
	return r == -E2BIG ? 0 : r;
}
