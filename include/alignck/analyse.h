/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_ANALYSE_H
#define ALIGNCK_ANALYSE_H

/*
 * analyse: is each position aligned, and why not? Pure: facts in, verdicts and findings out. The
 * rules are a table, one row a rule, in src/analyse/rules.c.
 *
 *     required     = max(4096, physical_block_size, minimum_io_size)
 *     recommended  = optimal_io_size where believed, else 1 MiB (made a multiple of required)
 *     misaligned_by = (start - alignment_offset) mod required          0 means aligned
 */

#include "alignck/layout.h"
#include "alignck/probe.h"
#include "alignck/stack.h"

enum verdict { VERDICT_ALIGNED, VERDICT_EXEMPT, VERDICT_UNKNOWN, VERDICT_MISALIGNED };

struct judgement {
	enum verdict verdict;
	uint64_t alignment;     /* largest power of two that divides start, at most 1 GiB */
	uint64_t misaligned_by; /* bytes past the last boundary */
	bool has_misaligned_by; /* false: unknown (alignment_offset -1) */
};

struct analysis {
	uint64_t required, recommended; /* bytes */
	struct judgement *partitions;   /* one for each of layout->partitions */
	size_t count;
	struct judgement whole;             /* the device itself as if its data began at byte 0 */
	enum verdict verdict;               /* of the device */
	size_t judged, misaligned, unknown; /* partitions; exempt ones are in none of them */
	uint64_t bytes_misaligned;          /* sum of the sizes of the misaligned ones */
	struct findings findings; /* all of them: probe's, layout's, the contents', ours */
};

struct policy {
	bool strict;
	int only; /* judge only this partition (index) and what it holds; -1: all */
};

/*
 * Judges. `contents`: one for each partition, or one for the whole device where there is no table;
 * NULL: not looked at. *analysis is the caller's (analysis_free). Returns 0 or -ENOMEM.
 */
int analyse(const struct device *device, const struct layout *layout,
	    const struct content *contents, const struct policy *policy,
	    struct analysis **analysis);
void analysis_free(struct analysis *analysis);

/* One of several devices that are meant for a pool. */
struct pool_member {
	const struct device *device;
	const struct content *contents; /* content_count of them */
	size_t content_count;
};

enum pool_user { POOL_ZFS, POOL_MD, POOL_LVM, POOL_USER_COUNT };

/* What one of them does with sector sizes that differ: "refuses them in one volume group ...". */
struct pool_consequence {
	enum severity severity;
	const char *message;
};

struct pool {
	unsigned ashift; /* suits every member: 12 to 16; 0: there is none */
	bool mixed_logical, mixed_physical;
	const struct pool_consequence *consequences; /* POOL_USER_COUNT; NULL: nothing is mixed */
	struct findings findings; /* mixed-sector-sizes, ashift-too-small; the caller frees */
};

/* What a pool of these devices needs. A drive that lies counts with its true size. */
void judge_pool(const struct pool_member *members, size_t count, struct pool *pool);
const char *pool_user_name(enum pool_user user); /* "ZFS", "md", "LVM" */

/* What this device contributes to the exit status. "Unknown" is never 0. */
enum status analysis_status(const struct analysis *analysis, bool strict);

const char *verdict_name(enum verdict verdict);

/* Largest power of two that divides `position`, at most 1 GiB; 1 GiB for 0. */
uint64_t natural_alignment(uint64_t position);

/* true: partition `index` is part of what `policy->only` selects. */
bool is_selected(const struct layout *layout, const struct policy *policy, size_t index);

#endif
