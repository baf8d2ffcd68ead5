// SPDX-License-Identifier: GPL-2.0-or-later
/* What a pool of several devices needs, and what those who make pools do with sectors that differ.
 */
#include "alignck/analyse.h"

/* Today's disks have sectors of 4096 whatever they say, and one of 512 is replaced by such a one
 * some day: below 12 a pool could never take it in. 16 is ZFS's own limit. */
enum { ASHIFT_LEAST = 12, ASHIFT_MOST = 16 };

/*
 * Logical sizes: OpenZFS module/zfs/vdev.c (vdev_open), the kernel's block/blk-settings.c
 * (blk_stack_limits takes the largest), lvm.conf(5) devices/allow_mixed_block_sizes.
 */
static const struct pool_consequence mixed_logical[POOL_USER_COUNT] = {
	[POOL_ZFS] = { SEVERITY_NOTICE, "takes them all with this ashift; a vdev of ashift 9 takes"
					" none with logical sectors of 4096" },
	[POOL_MD] = { SEVERITY_WARNING,
		      "takes them, and the array has the largest logical sector of all: adding a"
		      " larger one later can make what is on it unreadable" },
	[POOL_LVM] = { SEVERITY_ERROR,
		       "refuses them in one volume group; with allow_mixed_block_sizes it takes"
		       " them, but a volume must stay on those that are alike" },
};

static const struct pool_consequence mixed_physical[POOL_USER_COUNT] = {
	[POOL_ZFS] = { SEVERITY_NOTICE, "chooses ashift for each vdev by its own disks, and never"
					" changes it: set it for all" },
	[POOL_MD] = { SEVERITY_NOTICE,
		      "takes them, and the array reports the largest physical sector" },
	[POOL_LVM] = { SEVERITY_NOTICE,
		       "takes them; a volume that is extended from small to large keeps its old"
		       " block size, so make file systems with 4096 or more" },
};

const char *pool_user_name(enum pool_user user)
{
	static const char *const names[] = { "ZFS", "md", "LVM" };

	return names[user];
}

static unsigned ashift_for(const struct device *device)
{
	unsigned ashift = ASHIFT_LEAST;

	while (ashift < ASHIFT_MOST && 1ULL << ashift < device->topology.physical_block_size)
		ashift++;
	return ashift;
}

/* The sizes one number of the topology has among the members. */
struct range {
	uint64_t smallest, largest;
};

static void widen(struct range *range, uint64_t size)
{
	if (!range->smallest || size < range->smallest)
		range->smallest = size;
	if (size > range->largest)
		range->largest = size;
}

static bool is_mixed(struct pool *pool, const struct range *range, const char *what)
{
	if (range->smallest == range->largest)
		return false;
	findings_add_value(&pool->findings, FINDING_MIXED_SECTOR_SIZES, -1, range->largest,
			   range->smallest, "%s sectors differ: from %llu to %llu bytes", what,
			   (unsigned long long)range->smallest, (unsigned long long)range->largest);
	return true;
}

/* A vdev that is there already keeps its ashift: too small for the others, though not for the disk
 * it lies on, which the rules see to. */
static void check_ashift(struct pool *pool, const struct pool_member *member)
{
	for (size_t i = 0; i < member->content_count; i++)
		for (size_t k = 0; k < member->contents[i].count; k++) {
			const struct layer *layer = &member->contents[i].layers[k];

			if (!layer->ashift || layer->ashift >= pool->ashift)
				continue;
			findings_add_value(&pool->findings, FINDING_ASHIFT_TOO_SMALL, -1,
					   1ULL << layer->ashift, 1ULL << pool->ashift,
					   "the ZFS vdev on %.128s has ashift %u, these devices"
					   " need %u; only a new vdev can have it",
					   member->device->name, layer->ashift, pool->ashift);
		}
}

void judge_pool(const struct pool_member *members, size_t count, struct pool *pool)
{
	struct range logical = { 0 }, physical = { 0 };

	*pool = (struct pool){ 0 };
	for (size_t i = 0; i < count; i++) {
		const struct topology *t = &members[i].device->topology;
		unsigned ashift = ashift_for(members[i].device);

		widen(&logical, t->logical_block_size);
		widen(&physical, t->physical_block_size);
		if (ashift > pool->ashift)
			pool->ashift = ashift;
	}
	pool->mixed_logical = is_mixed(pool, &logical, "logical");
	pool->mixed_physical = is_mixed(pool, &physical, "physical");
	if (pool->mixed_logical)
		pool->consequences = mixed_logical;
	else if (pool->mixed_physical)
		pool->consequences = mixed_physical;
	for (size_t i = 0; i < count; i++)
		check_ashift(pool, &members[i]);
}
