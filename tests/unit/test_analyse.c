// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "alignck/analyse.h"

#include <string.h>

#define S 512ULL /* a sector, in the cases that count them */

/* A disk with one table of partitions, judged. */
struct bench {
	struct device device;
	struct layout layout;
	struct partition partitions[8];
	struct content contents[8];
	struct policy policy;
	struct analysis *analysis;
};

static void setup_bench(struct bench *b, uint64_t physical, uint64_t minimum, uint64_t optimal,
			int64_t offset)
{
	memset(b, 0, sizeof(*b));
	b->device.kind = KIND_DISK;
	b->device.size = 100 * GIB;
	b->device.topology = (struct topology){ 512, physical, minimum, optimal, offset, true };
	b->layout.type = TABLE_GPT;
	b->layout.sector_size = 512;
	b->layout.partitions = b->partitions;
	b->policy.only = -1;
}

static int add_partition(struct bench *b, uint64_t start_sector, uint64_t sectors)
{
	int i = b->layout.count++;

	b->partitions[i] = (struct partition){ .number = i + 1,
					       .parent = -1,
					       .start = start_sector * S,
					       .size = sectors * S,
					       .table = TABLE_GPT };
	return i;
}

static void judge(struct bench *b, bool with_content)
{
	assert_int_equal(analyse(&b->device, &b->layout, with_content ? b->contents : NULL,
				 &b->policy, &b->analysis),
			 0);
}

static const struct finding *find(const struct bench *b, enum finding_id id, int partition)
{
	for (size_t i = 0; i < b->analysis->findings.count; i++)
		if (b->analysis->findings.list[i].id == id &&
		    b->analysis->findings.list[i].partition == partition)
			return &b->analysis->findings.list[i];
	return NULL;
}

static void teardown_bench(struct bench *b)
{
	analysis_free(b->analysis);
	findings_free(&b->device.findings);
	findings_free(&b->layout.findings);
}

/* Start sectors of the field reports and what they miss a 4096-byte boundary by. */
static void starts_from_the_field(void **state)
{
	static const struct {
		uint64_t start, off;
	} cases[] = {
		{ 34, 1024 },     { 1, 512 },      { 63, 3584 },    { 1953, 512 }, { 3906, 1024 },
		{ 208845, 2560 }, { 65535, 3584 }, { 48195, 1536 }, { 40, 0 },     { 48, 0 },
		{ 56, 0 },        { 64, 0 },       { 2048, 0 },     { 48200, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bench b;

		setup_bench(&b, 512, 512, 0, 0); /* 512 reported: 4096 required all the same */
		add_partition(&b, cases[i].start, 4096);
		judge(&b, false);
		assert_true(b.analysis->required == 4096);
		assert_true(b.analysis->partitions[0].misaligned_by == cases[i].off);
		assert_int_equal(b.analysis->partitions[0].verdict,
				 cases[i].off ? VERDICT_MISALIGNED : VERDICT_ALIGNED);
		assert_int_equal(analysis_status(b.analysis, false), cases[i].off ? 1 : 0);
		assert_int_equal(!!find(&b, FINDING_START_MISALIGNED, 0), cases[i].off != 0);
		teardown_bench(&b);
	}
}

static void the_sentence_says_why(void **state)
{
	struct bench b;

	(void)state;
	setup_bench(&b, 4096, 4096, 0, 0);
	add_partition(&b, 63, 204800);
	judge(&b, false);
	assert_string_equal(
		find(&b, FINDING_START_MISALIGNED, 0)->message,
		"starts 3584 bytes past a 4096-byte boundary (sector 63 is not divisible"
		" by 8)");
	teardown_bench(&b);
}

static void alignment_offset_shifts_the_boundaries(void **state)
{
	struct bench b;

	(void)state;
	setup_bench(&b, 4096, 4096, 0, 3584);
	add_partition(&b, 63, 8);
	add_partition(&b, 2055, 8);
	add_partition(&b, 2048, 8);
	judge(&b, false);
	assert_int_equal(b.analysis->partitions[0].verdict, VERDICT_ALIGNED);
	assert_int_equal(b.analysis->partitions[1].verdict, VERDICT_ALIGNED);
	assert_int_equal(b.analysis->partitions[2].verdict, VERDICT_MISALIGNED);
	assert_true(b.analysis->partitions[2].misaligned_by == 512);
	assert_null(find(&b, FINDING_START_NOT_RECOMMENDED, 1)); /* 2055 is 7 + 1 MiB */
	assert_non_null(find(&b, FINDING_START_NOT_RECOMMENDED, 0));
	teardown_bench(&b);
}

static void an_unknowable_offset_is_never_aligned(void **state)
{
	struct bench b;

	(void)state;
	setup_bench(&b, 4096, 4096, 0, -1);
	findings_add(&b.device.findings, FINDING_STACK_MISALIGNED, -1, "x");
	add_partition(&b, 2048, 8);
	judge(&b, false);
	assert_int_equal(b.analysis->partitions[0].verdict, VERDICT_MISALIGNED);
	assert_false(b.analysis->partitions[0].has_misaligned_by);
	assert_int_equal(analysis_status(b.analysis, false), STATUS_MISALIGNED);
	teardown_bench(&b);
}

static void a_stripe_is_no_power_of_two(void **state)
{
	struct bench b;

	(void)state;
	setup_bench(&b, 512, 196608, 196608, 0);
	add_partition(&b, 2048, 384);
	add_partition(&b, 3072, 384);
	judge(&b, false);
	assert_true(b.analysis->required == 196608 && b.analysis->recommended == 196608);
	assert_true(b.analysis->partitions[0].misaligned_by == 65536);
	assert_int_equal(b.analysis->partitions[0].verdict, VERDICT_MISALIGNED);
	assert_int_equal(b.analysis->partitions[1].verdict, VERDICT_ALIGNED);
	assert_non_null(strstr(find(&b, FINDING_START_MISALIGNED, 0)->message, "4096-byte one"));
	teardown_bench(&b);
}

static void minimum_and_optimal(void **state)
{
	struct bench b;

	(void)state;
	setup_bench(&b, 512, 4096, 65536, 0);
	add_partition(&b, 63, 8);
	add_partition(&b, 8, 8);
	add_partition(&b, 128, 8);
	judge(&b, false);
	assert_int_equal(b.analysis->partitions[0].verdict, VERDICT_MISALIGNED);
	assert_int_equal(b.analysis->partitions[1].verdict, VERDICT_ALIGNED);
	assert_non_null(find(&b, FINDING_START_NOT_RECOMMENDED, 1));
	assert_null(find(&b, FINDING_START_NOT_RECOMMENDED, 2));
	teardown_bench(&b);
}

static void larger_sectors(void **state)
{
	struct bench b;

	(void)state;
	setup_bench(&b, 16384, 16384, 0, 0);
	add_partition(&b, 40, 32);
	add_partition(&b, 64, 32);
	judge(&b, false);
	assert_true(b.analysis->partitions[0].misaligned_by == 4096);
	assert_int_equal(b.analysis->partitions[1].verdict, VERDICT_ALIGNED);
	teardown_bench(&b);

	/* 4096-byte logical sectors: 256 of them are 1 MiB, and every sector is on a boundary. */
	setup_bench(&b, 4096, 4096, 0, 0);
	b.device.topology.logical_block_size = b.layout.sector_size = 4096;
	add_partition(&b, 256 * 8, 8);
	add_partition(&b, 6 * 8, 8);
	judge(&b, false);
	assert_int_equal(b.analysis->partitions[0].verdict, VERDICT_ALIGNED);
	assert_null(find(&b, FINDING_START_NOT_RECOMMENDED, 0));
	assert_int_equal(b.analysis->partitions[1].verdict, VERDICT_ALIGNED);
	assert_non_null(find(&b, FINDING_START_NOT_RECOMMENDED, 1));
	teardown_bench(&b);
}

static void ends_and_sizes_are_warnings(void **state)
{
	struct bench b;

	(void)state;
	setup_bench(&b, 4096, 4096, 0, 0);
	add_partition(&b, 2048, 100001);
	add_partition(&b, 206848, 8);
	judge(&b, false);
	assert_int_equal(b.analysis->partitions[0].verdict, VERDICT_ALIGNED);
	assert_true(find(&b, FINDING_SIZE_MISALIGNED, 0)->value == 512);
	assert_true(find(&b, FINDING_END_MISALIGNED, 0)->value == 512);
	assert_null(find(&b, FINDING_SIZE_MISALIGNED, 1));
	assert_null(find(&b, FINDING_END_MISALIGNED, 1));
	assert_int_equal(analysis_status(b.analysis, false), 0);
	assert_int_equal(analysis_status(b.analysis, true), 1);
	teardown_bench(&b);
}

static void exempt_roles(void **state)
{
	static const enum partition_role roles[] = { ROLE_EXTENDED,   ROLE_BIOS_BOOT, ROLE_MSR,
						     ROLE_PROTECTIVE, ROLE_MAP,       ROLE_WHOLE };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(roles); i++) {
		struct bench b;

		setup_bench(&b, 4096, 4096, 0, 0);
		add_partition(&b, 34, 2015);
		b.partitions[0].role = roles[i];
		judge(&b, false);
		assert_int_equal(b.analysis->partitions[0].verdict, VERDICT_EXEMPT);
		assert_non_null(find(&b, FINDING_START_EXEMPT, 0));
		assert_int_equal(analysis_status(b.analysis, true), 0);
		assert_int_equal(b.analysis->judged, 0);
		teardown_bench(&b);
	}
}

static void a_container_is_judged_and_its_slices_too(void **state)
{
	struct bench b;

	(void)state;
	setup_bench(&b, 4096, 4096, 0, 0);
	add_partition(&b, 63, 1000);
	add_partition(&b, 79, 100);
	add_partition(&b, 2048, 100);
	b.partitions[0].role = ROLE_CONTAINER;
	b.partitions[1].parent = 0;
	judge(&b, false);
	assert_int_equal(b.analysis->misaligned, 2);
	/* The slice's bytes lie in the container: counted once. */
	assert_true(b.analysis->bytes_misaligned == 1000 * S);
	analysis_free(b.analysis);

	b.policy.only = 2;
	judge(&b, false);
	assert_int_equal(b.analysis->judged, 1);
	assert_int_equal(analysis_status(b.analysis, false), 0);
	analysis_free(b.analysis);

	b.policy.only = 0;
	judge(&b, false);
	assert_int_equal(b.analysis->judged, 2);
	teardown_bench(&b);
}

static void no_table_starts_at_byte_0(void **state)
{
	struct bench b;

	(void)state;
	setup_bench(&b, 4096, 4096, 0, 0);
	b.layout.type = TABLE_NONE;
	judge(&b, false);
	assert_int_equal(b.analysis->whole.verdict, VERDICT_ALIGNED);
	assert_int_equal(analysis_status(b.analysis, true), 0);
	analysis_free(b.analysis);
	b.device.topology.alignment_offset = 3584;
	judge(&b, false);
	assert_int_equal(b.analysis->whole.verdict, VERDICT_MISALIGNED);
	assert_true(b.analysis->whole.misaligned_by == 512);
	assert_int_equal(analysis_status(b.analysis, false), 1);
	teardown_bench(&b);
}

static void an_image_sits_somewhere(void **state)
{
	struct bench b;

	(void)state;
	setup_bench(&b, 4096, 0, 0, 0);
	b.device.image_offset = 63 * S;
	add_partition(&b, 1, 8);
	add_partition(&b, 2048, 8);
	judge(&b, false);
	assert_int_equal(b.analysis->partitions[0].verdict, VERDICT_ALIGNED);
	assert_int_equal(b.analysis->partitions[1].verdict, VERDICT_MISALIGNED);
	teardown_bench(&b);
}

static void add_layer(struct bench *b, int index, struct layer layer)
{
	struct content *c = &b->contents[index];

	c->layers[c->count++] = layer;
}

static void put_layer(struct bench *b, int index, const char *type, uint64_t sector)
{
	struct layer layer = { .data_offset = sector * S, .has_data_offset = true };

	strcpy(layer.type, type);
	add_layer(b, index, layer);
}

static void payloads_decide(void **state)
{
	struct bench b;

	(void)state;
	setup_bench(&b, 4096, 4096, 0, 0);
	add_partition(&b, 63, 100000);     /* LUKS1 that aligned itself */
	add_partition(&b, 200063, 100000); /* and one that did not */
	add_partition(&b, 400000, 100000); /* good start, bad payload */
	add_partition(&b, 600000, 100000); /* md off, LUKS within makes up for it */
	put_layer(&b, 0, "crypto_LUKS", 63 + 4097);
	put_layer(&b, 1, "crypto_LUKS", 200063 + 4096);
	put_layer(&b, 2, "LVM2_member", 400000 + 385);
	put_layer(&b, 3, "linux_raid_member", 600000 + 1);
	put_layer(&b, 3, "crypto_LUKS", 600000 + 4096);
	judge(&b, true);
	assert_int_equal(b.analysis->partitions[0].verdict, VERDICT_ALIGNED);
	assert_non_null(find(&b, FINDING_PAYLOAD_COMPENSATES, 0));
	assert_null(find(&b, FINDING_START_MISALIGNED, 0));
	assert_int_equal(b.analysis->partitions[1].verdict, VERDICT_MISALIGNED);
	assert_int_equal(b.analysis->partitions[2].verdict, VERDICT_MISALIGNED);
	assert_true(find(&b, FINDING_PAYLOAD_MISALIGNED, 2)->value == 512);
	assert_int_equal(b.analysis->partitions[3].verdict, VERDICT_ALIGNED);
	analysis_free(b.analysis);

	/* Clusters smaller than a sector split it wherever the first one lies. */
	b.contents[0].layers[0].block_size = 2048;
	judge(&b, true);
	assert_int_equal(b.analysis->partitions[0].verdict, VERDICT_MISALIGNED);
	assert_non_null(find(&b, FINDING_START_MISALIGNED, 0));
	analysis_free(b.analysis);
	b.contents[0].layers[0].block_size = 4096;
	judge(&b, true);
	assert_int_equal(b.analysis->partitions[0].verdict, VERDICT_ALIGNED);
	analysis_free(b.analysis);

	/* Two signatures: nobody knows what the payload is, so it cannot make up for anything. */
	b.contents[0].ambiguous = true;
	judge(&b, true);
	assert_int_equal(b.analysis->partitions[0].verdict, VERDICT_MISALIGNED);
	teardown_bench(&b);
}

/* One of two signatures is stale: the start counts where both agree, else nobody can tell. */
static void two_signatures(void **state)
{
	static const struct {
		uint64_t start, first, second; /* sectors; 0: it does not say */
		enum verdict verdict;
	} cases[] = {
		{ 2048, 2048, 2048, VERDICT_ALIGNED }, { 2048, 2056, 4096, VERDICT_ALIGNED },
		{ 2048, 2049, 2048, VERDICT_UNKNOWN }, { 2048, 2048, 2049, VERDICT_UNKNOWN },
		{ 2048, 0, 2049, VERDICT_UNKNOWN },    { 2048, 2049, 2051, VERDICT_UNKNOWN },
		{ 2048, 0, 0, VERDICT_ALIGNED },       { 63, 63, 63, VERDICT_MISALIGNED },
		{ 63, 64, 63, VERDICT_MISALIGNED },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bench b;

		setup_bench(&b, 4096, 4096, 0, 0);
		add_partition(&b, cases[i].start, 100000);
		add_layer(&b, 0,
			  (struct layer){ .type = "vfat",
					  .data_offset = cases[i].first * S,
					  .has_data_offset = cases[i].first });
		b.contents[0].ambiguous = true;
		b.contents[0].other = (struct layer){ .type = "exfat",
						      .data_offset = cases[i].second * S,
						      .has_data_offset = cases[i].second };
		judge(&b, true);
		assert_int_equal(b.analysis->partitions[0].verdict, cases[i].verdict);
		teardown_bench(&b);
	}
}

/* Where the data inside starts is not known: a good start proves nothing, a bad one neither. */
static void untold_content_is_unknown(void **state)
{
	static const enum finding_id ids[] = { FINDING_CONTENT_UNREAD, FINDING_LAYER_INVALID };
	static const uint64_t starts[] = { 63, 2048 };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct bench b;

		setup_bench(&b, 4096, 4096, 0, 0);
		add_partition(&b, starts[i % 2], 100000);
		add_layer(&b, 0, (struct layer){ .type = "crypto_LUKS" });
		findings_add(&b.contents[0].findings, ids[i / 2], -1, "untold");
		judge(&b, true);
		assert_int_equal(b.analysis->partitions[0].verdict, VERDICT_UNKNOWN);
		assert_int_equal(analysis_status(b.analysis, false), STATUS_UNKNOWN);
		assert_int_equal(!!find(&b, FINDING_START_MISALIGNED, 0), i % 2 == 0);
		findings_free(&b.contents[0].findings);
		teardown_bench(&b);
	}
}

static void blocks_and_ashift(void **state)
{
	struct bench b;

	(void)state;
	setup_bench(&b, 8192, 0, 0, 0);
	add_partition(&b, 2048, 8192);
	add_partition(&b, 20480, 8192);
	add_partition(&b, 40960, 8192);
	add_layer(&b, 0, (struct layer){ .type = "ext4", .block_size = 1024 });
	add_layer(&b, 1, (struct layer){ .type = "zfs_member", .ashift = 12 });
	add_layer(&b, 2, (struct layer){ .type = "zfs_member", .ashift = 13, .block_size = 8192 });
	judge(&b, true);
	assert_non_null(find(&b, FINDING_BLOCK_SMALLER_THAN_SECTOR, 0));
	assert_non_null(find(&b, FINDING_ASHIFT_TOO_SMALL, 1));
	assert_null(find(&b, FINDING_ASHIFT_TOO_SMALL, 2));
	assert_null(find(&b, FINDING_BLOCK_SMALLER_THAN_SECTOR, 2));
	assert_int_equal(analysis_status(b.analysis, false), 0);
	teardown_bench(&b);
}

static void zones(void **state)
{
	struct bench b;

	(void)state;
	setup_bench(&b, 4096, 4096, 0, 0);
	b.device.zoned = "host-managed";
	b.device.zone_size = 3 * MIB; /* not every zone is a power of two */
	add_partition(&b, 6144, 6144);
	add_partition(&b, 16384, 6144);
	judge(&b, false);
	assert_null(find(&b, FINDING_ZONE_MISALIGNED, 0));
	assert_true(find(&b, FINDING_ZONE_MISALIGNED, 1)->value == 8 * MIB % (3 * MIB));
	assert_int_equal(analysis_status(b.analysis, false), 1);
	analysis_free(b.analysis);
	b.device.zoned = "none";
	judge(&b, false);
	assert_null(find(&b, FINDING_ZONE_MISALIGNED, 1));
	teardown_bench(&b);
}

static void the_kernel_disagrees(void **state)
{
	struct kernel_partition k[] = { { 1, "sda1", 2048 * S, 8 * S },
					{ 2, "sda2", 5000 * S, 8 * S },
					{ 9, "sda9", 1, 1 } };
	struct bench b;

	(void)state;
	setup_bench(&b, 4096, 4096, 0, 0);
	add_partition(&b, 2048, 8);
	add_partition(&b, 4096, 8);
	b.device.kernel_partitions = k;
	b.device.kernel_partition_count = 3;
	judge(&b, false);
	assert_null(find(&b, FINDING_KERNEL_DISAGREES, 0));
	assert_non_null(find(&b, FINDING_KERNEL_DISAGREES, 1));
	assert_int_equal(b.analysis->partitions[1].verdict, VERDICT_UNKNOWN);
	assert_int_equal(b.analysis->unknown, 1);
	assert_int_equal(analysis_status(b.analysis, false), STATUS_UNKNOWN);
	teardown_bench(&b);
}

static void a_damaged_table_is_never_aligned(void **state)
{
	struct bench b;

	(void)state;
	setup_bench(&b, 4096, 4096, 0, 0);
	add_partition(&b, 2048, 8);
	findings_add(&b.layout.findings, FINDING_TABLE_DAMAGED, -1, "x");
	judge(&b, false);
	assert_int_equal(b.analysis->partitions[0].verdict, VERDICT_ALIGNED);
	assert_int_equal(b.analysis->verdict, VERDICT_UNKNOWN);
	assert_int_equal(analysis_status(b.analysis, false), STATUS_UNKNOWN);
	teardown_bench(&b);
}

static void misalignment_property(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		uint64_t boundary = 1 + (next_random(&seed) >> (1 + next_random(&seed) % 62));
		uint64_t position = next_random(&seed), offset = next_random(&seed) >> 8;
		uint64_t m = misalignment(position, offset, boundary);
		__int128 distance = (__int128)position - offset - m;

		assert_true(m < boundary);
		assert_true(distance % boundary == 0);
	}
}

static void natural_alignment_property(void **state)
{
	uint64_t seed = 8;

	(void)state;
	assert_true(natural_alignment(0) == GIB);
	assert_true(natural_alignment(63 * S) == 512);
	assert_true(natural_alignment(1ULL << 40) == GIB);
	for (int i = 0; i < 100000; i++) {
		uint64_t p = next_random(&seed) >> (next_random(&seed) % 64);
		uint64_t a = natural_alignment(p);

		assert_true(is_power_of_two(a) && a <= GIB && p % a == 0);
		assert_true(a == GIB || p % (2 * a) != 0);
	}
}

static void recommended_is_a_multiple_of_required(void **state)
{
	struct bench b;

	(void)state;
	setup_bench(&b, 4096, 196608, 0, 0);
	judge(&b, false);
	assert_true(b.analysis->recommended == 6 * 196608);
	teardown_bench(&b);
}

/* Units of a payload, how far it is off, and what that costs; without a unit its users may write as
 * little as a page. */
static void costs(void **state)
{
	static const struct {
		uint64_t sector, block;
		uint8_t ashift;
		enum finding_id id;
		enum cost cost;
	} rows[] = {
		{ 2048 + 63, 0, 0, FINDING_PAYLOAD_MISALIGNED, COST_EVERY },
		{ 2048 + 63, 512, 0, FINDING_PAYLOAD_MISALIGNED, COST_EVERY },
		{ 2048 + 63, 4096, 0, FINDING_PAYLOAD_MISALIGNED, COST_EVERY },
		{ 2048 + 63, 8192, 0, FINDING_PAYLOAD_MISALIGNED, COST_ENDS },
		{ 2048 + 1, 65536, 0, FINDING_PAYLOAD_MISALIGNED, COST_ENDS },
		{ 2048 + 64, 1024, 0, FINDING_BLOCK_SMALLER_THAN_SECTOR, COST_EVERY },
		{ 2048 + 8192, 512, 9, FINDING_ASHIFT_TOO_SMALL, COST_EVERY },
	};
	struct bench b;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct finding *f;

		setup_bench(&b, 4096, 4096, 0, 0);
		add_partition(&b, 2048, 8192 * 4);
		add_layer(&b, 0,
			  (struct layer){ .data_offset = rows[i].sector * S,
					  .has_data_offset = true,
					  .type = "vfat",
					  .block_size = rows[i].block,
					  .ashift = rows[i].ashift });
		judge(&b, true);
		f = find(&b, rows[i].id, 0);
		assert_non_null(f);
		assert_int_equal(f->cost, rows[i].cost);
		assert_non_null(strstr(f->message, rows[i].cost == COST_ENDS
							   ? "only at the ends of writes"
							   : "on every write"));
		teardown_bench(&b);
	}

	/* LUKS that makes up for sector 63; an end that is off */
	setup_bench(&b, 4096, 4096, 0, 0);
	add_partition(&b, 63, 8193);
	put_layer(&b, 0, "crypto_LUKS", 63 + 4097);
	judge(&b, true);
	assert_int_equal(find(&b, FINDING_PAYLOAD_COMPENSATES, 0)->cost, COST_NONE);
	assert_int_equal(find(&b, FINDING_SIZE_MISALIGNED, 0)->cost, COST_ENDS);
	teardown_bench(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_from_the_field),
		cmocka_unit_test(the_sentence_says_why),
		cmocka_unit_test(alignment_offset_shifts_the_boundaries),
		cmocka_unit_test(an_unknowable_offset_is_never_aligned),
		cmocka_unit_test(a_stripe_is_no_power_of_two),
		cmocka_unit_test(minimum_and_optimal),
		cmocka_unit_test(larger_sectors),
		cmocka_unit_test(ends_and_sizes_are_warnings),
		cmocka_unit_test(exempt_roles),
		cmocka_unit_test(a_container_is_judged_and_its_slices_too),
		cmocka_unit_test(no_table_starts_at_byte_0),
		cmocka_unit_test(an_image_sits_somewhere),
		cmocka_unit_test(payloads_decide),
		cmocka_unit_test(two_signatures),
		cmocka_unit_test(untold_content_is_unknown),
		cmocka_unit_test(blocks_and_ashift),
		cmocka_unit_test(zones),
		cmocka_unit_test(the_kernel_disagrees),
		cmocka_unit_test(a_damaged_table_is_never_aligned),
		cmocka_unit_test(misalignment_property),
		cmocka_unit_test(natural_alignment_property),
		cmocka_unit_test(recommended_is_a_multiple_of_required),
		cmocka_unit_test(costs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
