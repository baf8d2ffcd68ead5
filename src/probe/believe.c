// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which of a device's numbers do we go by? Bridges, host adapters and arrays fill these fields with
 * transfer limits, counters that ran over and defaults; what cannot be true is dropped, and said.
 */
#include "alignck/probe.h"

#include <inttypes.h>
#include <stdio.h>

/* Sectors of disks (INTERFACE: "believable"). */
#define SECTOR_MIN 512
#define SECTOR_MAX 65536

/* A disk that turns has 512- or 4096-byte sectors on its platters, whatever a controller says. */
#define ROTATING_SECTOR_MAX 4096

/* What is assumed of a device whose own word is not believed. */
#define ASSUMED_SECTOR 4096

/* Larger advice than this is a transfer limit, not a stripe. */
#define GRAIN_MAX (16 * MIB)

/* 2^n - 1 blocks with n from here on is a field's largest value, not a geometry. */
#define COUNTER_MIN_BITS 10

static uint64_t largest(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static bool is_sector_size(uint64_t size)
{
	return is_power_of_two(size) && size >= SECTOR_MIN && size <= SECTOR_MAX;
}

/* Says that `name` is not gone by. One sentence; the numbers go with it. */
static void ignore(struct findings *findings, enum finding_id id, const char *name, uint64_t value,
		   uint64_t boundary, const char *why)
{
	findings_add_value(findings, id, -1, value, boundary, "%s %" PRIu64 " ignored: %s", name,
			   value, why);
}

static void believe_logical(const struct topology *reported, struct topology *believed,
			    struct findings *findings)
{
	uint64_t size = reported->logical_block_size;

	if (!size || is_sector_size(size))
		believed->logical_block_size = size;
	else
		ignore(findings, FINDING_TOPOLOGY_IMPLAUSIBLE, "logical_block_size", size, 0,
		       is_power_of_two(size) ? "not from 512 to 65536" : "not a power of two");
}

/* Why a physical sector size cannot be true; NULL: it can. */
static const char *physical_fault(const struct topology *reported, enum tristate rotational,
				  const struct topology *believed)
{
	uint64_t size = reported->physical_block_size;

	if (!is_power_of_two(size))
		return "not a power of two";
	if (size < SECTOR_MIN || size > SECTOR_MAX)
		return "not from 512 to 65536";
	if (size < believed->logical_block_size)
		return "smaller than the logical sector";
	if (rotational == TRI_YES &&
	    size > largest(ROTATING_SECTOR_MAX, believed->logical_block_size))
		return "no rotating disk has sectors above 4096";
	return NULL;
}

static bool believe_physical(const struct topology *reported, enum tristate rotational,
			     struct topology *believed, struct findings *findings)
{
	uint64_t assumed = largest(ASSUMED_SECTOR, believed->logical_block_size);
	const char *fault;

	believed->physical_block_size = assumed;
	if (!reported->physical_block_size)
		return false;
	fault = physical_fault(reported, rotational, believed);
	if (!fault) {
		believed->physical_block_size = reported->physical_block_size;
		return true;
	}
	findings_add_value(findings, FINDING_TOPOLOGY_IMPLAUSIBLE, -1,
			   reported->physical_block_size, assumed,
			   "physical_block_size %" PRIu64 " ignored: %s; %" PRIu64 " assumed",
			   reported->physical_block_size, fault, assumed);
	return false;
}

static void believe_minimum(const struct topology *reported, bool physical_believed,
			    struct topology *believed, struct findings *findings)
{
	uint64_t minimum = reported->minimum_io_size;
	uint64_t logical = largest(believed->logical_block_size, SECTOR_MIN);

	if (!minimum)
		return;
	if (!physical_believed && minimum == reported->physical_block_size)
		ignore(findings, FINDING_TOPOLOGY_IGNORED, "minimum_io_size", minimum,
		       believed->physical_block_size, "repeats the physical_block_size");
	else if (minimum % logical)
		ignore(findings, FINDING_TOPOLOGY_IMPLAUSIBLE, "minimum_io_size", minimum, logical,
		       "not a multiple of the logical sector");
	else if (minimum > GRAIN_MAX)
		ignore(findings, FINDING_TOPOLOGY_IMPLAUSIBLE, "minimum_io_size", minimum,
		       GRAIN_MAX, "above 16 MiB");
	else
		believed->minimum_io_size = minimum;
}

/* true: 2^n - 1 blocks of `block`, as 65535 sectors of 512 or 4095 of 4096. */
static bool is_counter_limit(uint64_t size, uint64_t block)
{
	uint64_t blocks = block ? size / block : 0;

	return block && !(size % block) && blocks >= (1U << COUNTER_MIN_BITS) - 1 &&
	       is_power_of_two(blocks + 1);
}

static void believe_optimal(const struct topology *reported, struct topology *believed,
			    struct findings *findings)
{
	/* The 4096-byte block counts even where the device says 512: adapters count pages. */
	const uint64_t blocks[] = { believed->logical_block_size, believed->physical_block_size,
				    ASSUMED_SECTOR };
	uint64_t optimal = reported->optimal_io_size;
	uint64_t minimum = believed->minimum_io_size;
	char why[96] = "";
	uint64_t boundary = 0;

	if (!optimal)
		return;
	if (optimal % 4096) {
		boundary = 4096;
		snprintf(why, sizeof(why), "not a multiple of 4096");
	} else if (optimal > GRAIN_MAX) {
		boundary = GRAIN_MAX;
		snprintf(why, sizeof(why), "above 16 MiB");
	} else if (minimum && optimal % minimum) {
		boundary = minimum;
		snprintf(why, sizeof(why), "not a multiple of the minimum_io_size %" PRIu64,
			 minimum);
	}
	for (size_t i = 0; !*why && i < ARRAY_SIZE(blocks); i++)
		if (is_counter_limit(optimal, blocks[i])) {
			boundary = blocks[i];
			snprintf(why, sizeof(why),
				 "%" PRIu64 " blocks of %" PRIu64
				 " is the limit of a counter, not a stripe",
				 optimal / blocks[i], blocks[i]);
		}
	if (*why)
		ignore(findings, FINDING_TOPOLOGY_IGNORED, "optimal_io_size", optimal, boundary,
		       why);
	else
		believed->optimal_io_size = optimal;
}

static void believe_offset(const struct topology *reported, struct topology *believed,
			   struct findings *findings)
{
	uint64_t granularity = largest(largest(believed->physical_block_size, ASSUMED_SECTOR),
				       believed->minimum_io_size);
	int64_t offset = reported->alignment_offset;

	if (!reported->has_alignment_offset)
		return;
	believed->has_alignment_offset = true;
	if (offset == -1) {
		believed->alignment_offset = -1;
		findings_add(findings, FINDING_STACK_MISALIGNED, -1,
			     "alignment_offset -1: the kernel finds the devices below this one at "
			     "odds, so no start can be aligned");
	} else if (offset < 0 || (uint64_t)offset >= granularity || offset % SECTOR_MIN) {
		believed->has_alignment_offset = false;
		findings_add(findings, FINDING_TOPOLOGY_IMPLAUSIBLE, -1,
			     "alignment_offset %" PRId64 " ignored: not a sector below %" PRIu64,
			     offset, granularity);
	} else {
		believed->alignment_offset = offset;
	}
}

void believe_topology(const struct topology *reported, enum tristate rotational,
		      struct topology *believed, bool *physical_believed, struct findings *findings)
{
	*believed = (struct topology){ 0 };
	believe_logical(reported, believed, findings);
	*physical_believed = believe_physical(reported, rotational, believed, findings);
	believe_minimum(reported, *physical_believed, believed, findings);
	believe_optimal(reported, believed, findings);
	believe_offset(reported, believed, findings);
}
