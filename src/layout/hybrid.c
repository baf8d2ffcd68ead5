// SPDX-License-Identifier: GPL-2.0-or-later
/* The MBR in front of a GPT: a mere protection, or a second table with its own view of the disk. */
#include "internal.h"

#include <inttypes.h>
#include <stdio.h>

/* Which GPT partition has exactly this extent; NULL: none. */
static const struct partition *find_same(const struct layout *layout, const struct partition *p)
{
	for (size_t i = 0; i < layout->count; i++)
		if (layout->partitions[i].start == p->start &&
		    layout->partitions[i].size == p->size)
			return &layout->partitions[i];
	return NULL;
}

/* Both views of a number: what the MBR says it is, and what the GPT does. */
static void say_contradiction(struct gpt *g, const struct mbr_entry *e, unsigned number)
{
	const struct layout *layout = g->layout;
	int index = find_partition(layout, number);
	char other[80] = "has no partition of that number";

	if (index >= 0) {
		const struct partition *q = &layout->partitions[index];

		snprintf(other, sizeof(other), "has %" PRIu64 "-%" PRIu64 " for that number",
			 q->start / g->sector, (q->start + q->size) / g->sector - 1);
	}
	findings_add(&g->layout->findings, FINDING_HYBRID_MBR_CONTRADICTS, -1,
		     "hybrid MBR: its entry %u has sectors %u-%" PRIu64
		     ", which is no partition of the GPT; the GPT %s",
		     number, e->start_lba, (uint64_t)e->start_lba + e->sectors - 1, other);
}

/* The MBR's other entries beside the protective one: the same partitions, or another story? */
static void check_hybrid(struct gpt *g)
{
	struct findings *findings = &g->layout->findings;
	bool contradicts = false;

	for (unsigned i = 0; i < MBR_ENTRIES; i++) {
		const struct mbr_entry *e = &g->mbr->entries[i];
		struct partition p;

		if (!is_used_entry(e) || e->type == 0xee)
			continue;
		set_mbr_partition(&p, e, 0, i + 1, 0, g->sector);
		g->layout->hybrid = true;
		if (find_same(g->layout, &p))
			continue;
		contradicts = true;
		say_contradiction(g, e, i + 1);
	}
	if (g->layout->hybrid && !contradicts)
		findings_add(findings, FINDING_HYBRID_MBR, -1,
			     "hybrid MBR: its entries name the same partitions as the GPT; tools "
			     "that write only one of the two make them disagree");
}

void check_protective(struct gpt *g)
{
	struct findings *findings = &g->layout->findings;
	bool valid, any = has_protective_entry(g->mbr, &valid);

	if (!g->mbr->has_signature || !any)
		findings_add(findings, FINDING_TABLE_DAMAGED, -1,
			     "sector 0 has no protective entry for the GPT, so the kernel ignores "
			     "the GPT%s",
			     g->primary.fault == GPT_OK ? "; `sgdisk -C` writes one" : "");
	else if (!valid)
		findings_add(findings, FINDING_TABLE_DAMAGED, -1,
			     "the protective entry in sector 0 does not start at sector 1, so the "
			     "kernel ignores the GPT");
	if (g->mbr->has_signature)
		check_hybrid(g);
}
