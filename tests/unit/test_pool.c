// SPDX-License-Identifier: GPL-2.0-or-later
/* What a set of devices needs as one pool. */
#include "unit.h"

#include "alignck/analyse.h"

#include <string.h>

static struct device disk(uint64_t logical, uint64_t physical)
{
	return (struct device){
		.name = (char *)"sda",
		.topology = { .logical_block_size = logical, .physical_block_size = physical },
	};
}

static struct pool judge(const struct device *devices, size_t count)
{
	struct pool_member members[4] = { 0 };
	struct pool pool;

	for (size_t i = 0; i < count; i++)
		members[i].device = &devices[i];
	judge_pool(members, count, &pool);
	return pool;
}

static const struct finding *find(const struct pool *pool, enum finding_id id)
{
	for (size_t i = 0; i < pool->findings.count; i++)
		if (pool->findings.list[i].id == id)
			return &pool->findings.list[i];
	return NULL;
}

/* The least ashift that holds the largest physical sector, 12 to 16. */
static void test_ashift(void **state)
{
	static const struct {
		uint64_t a, b;
		unsigned ashift;
	} rows[] = { { 512, 512, 12 },    { 512, 4096, 12 },    { 4096, 4096, 12 },
		     { 4096, 8192, 13 },  { 16384, 512, 14 },   { 4096, 4097, 13 },
		     { 65536, 4096, 16 }, { 65536, 65536, 16 }, { 512, 1 << 17, 16 },
		     { 32768, 1024, 15 }, { 4096, 1 << 18, 16 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct device devices[] = { disk(512, rows[i].a), disk(512, rows[i].b) };
		struct pool pool = judge(devices, 2);

		assert_int_equal(pool.ashift, rows[i].ashift);
		assert_int_equal(pool.mixed_physical, rows[i].a != rows[i].b);
		findings_free(&pool.findings);
	}
}

static void test_no_member_has_no_ashift(void **state)
{
	struct pool pool = judge(NULL, 0);

	(void)state;
	assert_int_equal(pool.ashift, 0);
	assert_false(pool.mixed_logical || pool.mixed_physical);
	assert_null(pool.consequences);
	assert_int_equal(pool.findings.count, 0);
}

static void test_alike_is_nothing_to_say(void **state)
{
	const struct device devices[] = { disk(512, 4096), disk(512, 4096), disk(512, 4096) };
	struct pool pool = judge(devices, 3);

	(void)state;
	assert_false(pool.mixed_logical || pool.mixed_physical);
	assert_null(pool.consequences);
	assert_int_equal(pool.findings.count, 0);
}

/* 512 and 4096 as logical sectors: an error for LVM, a warning for md, said for ZFS. */
static void test_mixed_logical(void **state)
{
	const struct device devices[] = { disk(512, 4096), disk(4096, 4096), disk(512, 4096) };
	struct pool pool = judge(devices, 3);
	const struct finding *f = find(&pool, FINDING_MIXED_SECTOR_SIZES);

	(void)state;
	assert_true(pool.mixed_logical);
	assert_false(pool.mixed_physical);
	assert_non_null(f);
	assert_int_equal(f->value, 4096);
	assert_int_equal(f->boundary, 512);
	assert_int_equal(pool.findings.count, 1);
	assert_non_null(pool.consequences);
	assert_int_equal(pool.consequences[POOL_LVM].severity, SEVERITY_ERROR);
	assert_int_equal(pool.consequences[POOL_MD].severity, SEVERITY_WARNING);
	assert_int_equal(pool.consequences[POOL_ZFS].severity, SEVERITY_NOTICE);
	findings_free(&pool.findings);
}

/* Physical sizes alone: nobody refuses. Where both differ the logical ones weigh more. */
static void test_mixed_physical(void **state)
{
	const struct device e[] = { disk(512, 512), disk(512, 4096) };
	const struct device both[] = { disk(512, 512), disk(4096, 4096) };
	struct pool pool = judge(e, 2);

	(void)state;
	assert_true(pool.mixed_physical);
	assert_false(pool.mixed_logical);
	assert_int_equal(pool.findings.count, 1);
	for (int u = 0; u < POOL_USER_COUNT; u++)
		assert_int_equal(pool.consequences[u].severity, SEVERITY_NOTICE);
	findings_free(&pool.findings);

	pool = judge(both, 2);
	assert_true(pool.mixed_physical && pool.mixed_logical);
	assert_int_equal(pool.findings.count, 2);
	assert_int_equal(pool.consequences[POOL_LVM].severity, SEVERITY_ERROR);
	findings_free(&pool.findings);
}

/* A vdev that is there already: 12 is right on its own disk, too small beside one of 16 KiB. */
static void test_ashift_of_a_vdev(void **state)
{
	const struct device devices[] = { disk(512, 4096), disk(512, 16384) };
	struct content zfs[2] = { 0 };
	struct pool_member members[] = { { &devices[0], zfs, 2 }, { &devices[1], NULL, 0 } };
	const struct finding *f;
	struct pool pool;

	(void)state;
	zfs[1].count = 1;
	zfs[1].layers[0].ashift = 12;
	judge_pool(members, 2, &pool);
	f = find(&pool, FINDING_ASHIFT_TOO_SMALL);
	assert_non_null(f);
	assert_int_equal(f->value, 4096);
	assert_int_equal(f->boundary, 16384);
	findings_free(&pool.findings);

	zfs[1].layers[0].ashift = 14;
	judge_pool(members, 2, &pool);
	assert_null(find(&pool, FINDING_ASHIFT_TOO_SMALL));
	findings_free(&pool.findings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ashift),
		cmocka_unit_test(test_no_member_has_no_ashift),
		cmocka_unit_test(test_alike_is_nothing_to_say),
		cmocka_unit_test(test_mixed_logical),
		cmocka_unit_test(test_mixed_physical),
		cmocka_unit_test(test_ashift_of_a_vdev),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
