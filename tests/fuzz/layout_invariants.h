/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must hold of every layout, whatever bytes it was read from. */
#ifndef ALIGNCK_FUZZ_LAYOUT_INVARIANTS_H
#define ALIGNCK_FUZZ_LAYOUT_INVARIANTS_H

#include "../../src/layout/internal.h"
#include "../unit/memory_io.h"
#include "must.h"

static inline void check_partition(const struct layout *l, size_t i)
{
	const struct partition *p = &l->partitions[i];
	uint64_t end;

	MUST(add_u64(p->start, p->size, &end));
	MUST(p->size && p->start % 512 == 0 && p->size % 512 == 0);
	MUST(p->parent >= -1 && p->parent < (int)i);
	MUST(p->number && *p->type && *partition_role_name(p->role));
	MUST(p->table > TABLE_NONE && p->table < TABLE_COUNT);
	MUST(strnlen(p->type, sizeof(p->type)) < sizeof(p->type));
	MUST(strnlen(p->label, sizeof(p->label)) < sizeof(p->label));
	for (const char *c = p->label; *c; c++)
		MUST((unsigned char)*c >= 0x20 && *c != 0x7f);
	MUST(partition_type_name(p));
}

static inline void check_layout(const struct layout *l)
{
	MUST(l->count <= LAYOUT_PARTITIONS_MAX);
	MUST(l->type < TABLE_COUNT && (l->type == TABLE_NONE) == (l->sector_size == 0));
	MUST(!l->count || l->sector_size >= 512);
	for (size_t i = 0; i < l->count; i++) {
		check_partition(l, i);
		/* Numbers are names: no two alike. (Quadratic is fine for a fuzzer's few.) */
		for (size_t j = 0; j < i && i < 64; j++)
			MUST(l->partitions[j].number != l->partitions[i].number);
	}
	for (size_t i = 0; i < l->findings.count; i++) {
		const struct finding *f = &l->findings.list[i];

		MUST(f->id < FINDING_COUNT && *f->message);
		MUST(f->partition >= -1 && f->partition < (int)l->count);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads, checks, frees. */
static inline void fuzz_read_layout(struct io *io, uint32_t sector_size, bool may_change)
{
	const struct layout_options options = { sector_size, may_change };
	struct reason reason = { "" };
	struct layout *layout = NULL;

	if (read_layout(io, &options, &layout, &reason)) {
		MUST(*reason.text && !layout);
		return;
	}
	check_layout(layout);
	layout_free(layout);
}

#endif
