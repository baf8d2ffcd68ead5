// SPDX-License-Identifier: GPL-2.0-or-later
#include "internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define PAGE_SECTOR 4096ULL /* what a sector is taken to be when nobody knows better */

uint64_t natural_alignment(uint64_t position)
{
	return position ? min_u64(GIB, position & ~(position - 1)) : GIB;
}

const char *verdict_name(enum verdict verdict)
{
	static const char *const names[] = { "aligned", "exempt", "unknown", "misaligned" };

	return names[verdict];
}

bool is_selected(const struct layout *layout, const struct policy *policy, size_t index)
{
	/* A parent comes before what it holds, so the walk up ends. */
	for (int i = (int)index; i >= 0; i = layout->partitions[i].parent)
		if (policy->only < 0 || i == policy->only)
			return true;
	return false;
}

static void find_boundaries(const struct topology *t, struct analysis *a)
{
	uint64_t multiple;

	a->required = max_u64(PAGE_SECTOR, max_u64(t->physical_block_size, t->minimum_io_size));
	a->recommended = t->optimal_io_size ? t->optimal_io_size : MIB;
	/* Advice must not contradict the requirement: a stripe of 192 KiB is never on 1 MiB. */
	if (a->recommended % a->required && round_up_to(a->recommended, a->required, &multiple))
		a->recommended = multiple;
}

static bool is_exempt(const struct partition *p)
{
	return p->role > ROLE_DATA && p->role != ROLE_CONTAINER;
}

/* Finds the judgement that the findings about one subject add up to. */
static enum verdict judge(const struct subject *s, const struct findings *found)
{
	if (s->partition && is_exempt(s->partition))
		return VERDICT_EXEMPT;
	if (s->device->topology.alignment_offset < 0)
		return VERDICT_MISALIGNED; /* no start can be right on all disks below */
	if (s->content && !is_content_told(s->content))
		return VERDICT_UNKNOWN;
	for (size_t i = 0; i < found->count; i++)
		if (finding_status(found->list[i].id) == STATUS_MISALIGNED)
			return VERDICT_MISALIGNED;
	return findings_status(found, false) == STATUS_ALIGNED ? VERDICT_ALIGNED : VERDICT_UNKNOWN;
}

static void fill_judgement(const struct subject *s, struct judgement *j, struct findings *found)
{
	/* A list of its own: `found` drops what it has no room for, a verdict must not. */
	struct findings own = { 0 };

	j->alignment = natural_alignment(s->position);
	j->has_misaligned_by = s->device->topology.alignment_offset >= 0;
	if (j->has_misaligned_by) {
		j->misaligned_by = misalignment(s->position, s->offset, s->analysis->required);
		apply_rules(s, &own);
	}
	j->verdict = judge(s, &own);
	findings_append(found, &own);
	findings_free(&own);
}

static struct subject subject_of(const struct device *device, const struct layout *layout,
				 const struct content *contents, const struct analysis *a,
				 int index)
{
	const struct partition *p = index >= 0 ? &layout->partitions[index] : NULL;
	const struct topology *t = &device->topology;
	uint64_t start = p ? p->start : 0;

	return (struct subject){
		.device = device,
		.layout = layout,
		.analysis = a,
		.partition = p,
		.content = contents ? &contents[p ? index : 0] : NULL,
		.index = index,
		.start = start,
		.size = p ? p->size : device->size,
		/* A sum that wraps still has the right residue for the powers of two; and
		 * beyond-end has been said of such an entry. */
		.position = wrap_add(start, device->image_offset),
		.offset = t->alignment_offset > 0 ? (uint64_t)t->alignment_offset : 0,
		.sector = layout->sector_size ? layout->sector_size : t->logical_block_size,
		.physical = max_u64(PAGE_SECTOR, t->physical_block_size),
	};
}

/* The kernel and the table must agree on where a partition is: whichever is stale, data is at
 * stake. */
static void compare_with_kernel(const struct device *device, const struct layout *layout,
				struct analysis *a)
{
	for (size_t i = 0; i < device->kernel_partition_count; i++) {
		const struct kernel_partition *k = &device->kernel_partitions[i];
		int index = find_partition(layout, k->number);
		const struct partition *p = index >= 0 ? &layout->partitions[index] : NULL;

		if (!p || p->start == k->start || p->table != layout->type)
			continue; /* nested labels are numbered in an order of the kernel's own */
		findings_add_value(&a->findings, FINDING_KERNEL_DISAGREES, index, k->start, 0,
				   "the kernel has it at byte %" PRIu64 ", the table at %" PRIu64
				   "; run `partx -u` or reboot first",
				   k->start, p->start);
		a->partitions[index].verdict = VERDICT_UNKNOWN;
	}
}

static void keep_selected(const struct layout *layout, const struct policy *policy,
			  const struct findings *from, struct findings *to)
{
	for (size_t i = 0; i < from->count; i++) {
		const struct finding *f = &from->list[i];

		if (f->partition < 0 || is_selected(layout, policy, f->partition))
			findings_add_copy(to, f);
	}
}

static void append_content_findings(const struct content *contents, size_t count, bool has_table,
				    struct findings *to)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < contents[i].findings.count; j++) {
			struct finding f = contents[i].findings.list[j];

			f.partition = has_table ? (int)i : -1;
			findings_add_copy(to, &f);
		}
}

/* A nested slice's bytes are its container's: counted once. */
static bool has_misaligned_ancestor(const struct layout *layout, const struct analysis *a, size_t i)
{
	for (int p = layout->partitions[i].parent; p >= 0; p = layout->partitions[p].parent)
		if (a->partitions[p].verdict == VERDICT_MISALIGNED)
			return true;
	return false;
}

static void add_up(const struct layout *layout, const struct policy *policy, struct analysis *a)
{
	for (size_t i = 0; i < layout->count; i++) {
		enum verdict v = a->partitions[i].verdict;

		if (v == VERDICT_EXEMPT || !is_selected(layout, policy, i))
			continue;
		a->judged++;
		a->misaligned += v == VERDICT_MISALIGNED;
		a->unknown += v == VERDICT_UNKNOWN;
		if (v == VERDICT_MISALIGNED && !has_misaligned_ancestor(layout, a, i) &&
		    !add_u64(a->bytes_misaligned, layout->partitions[i].size, &a->bytes_misaligned))
			a->bytes_misaligned = UINT64_MAX;
	}
	switch (findings_status(&a->findings, false)) {
	case STATUS_ALIGNED:
		a->verdict = VERDICT_ALIGNED;
		break;
	case STATUS_MISALIGNED:
		a->verdict = VERDICT_MISALIGNED;
		break;
	default:
		a->verdict = VERDICT_UNKNOWN;
	}
}

int analyse(const struct device *device, const struct layout *layout,
	    const struct content *contents, const struct policy *policy, struct analysis **out)
{
	struct analysis *a = calloc(1, sizeof(*a));
	struct findings all = { 0 };

	if (!a)
		return -ENOMEM;
	a->count = layout->count;
	a->partitions = calloc(layout->count + 1, sizeof(*a->partitions));
	if (!a->partitions) {
		free(a);
		return -ENOMEM;
	}
	find_boundaries(&device->topology, a);

	struct subject whole = subject_of(device, layout, contents, a, -1);

	if (layout->type == TABLE_NONE) {
		fill_judgement(&whole, &a->whole, &all);
	} else {
		whole.content = NULL;
		a->whole.alignment = natural_alignment(whole.position);
	}
	for (size_t i = 0; i < layout->count; i++) {
		struct subject s = subject_of(device, layout, contents, a, (int)i);

		fill_judgement(&s, &a->partitions[i], &all);
	}
	if (contents)
		append_content_findings(contents, layout->count ? layout->count : 1,
					layout->count > 0, &all);

	/* Device first, then the table, then the positions: the order in which one would mend them.
	 */
	findings_append(&a->findings, &device->findings);
	keep_selected(layout, policy, &layout->findings, &a->findings);
	keep_selected(layout, policy, &all, &a->findings);
	findings_free(&all);
	compare_with_kernel(device, layout, a);
	add_up(layout, policy, a);
	*out = a;
	return 0;
}

void analysis_free(struct analysis *analysis)
{
	if (!analysis)
		return;
	findings_free(&analysis->findings);
	free(analysis->partitions);
	free(analysis);
}

enum status analysis_status(const struct analysis *analysis, bool strict)
{
	return findings_status(&analysis->findings, strict);
}
