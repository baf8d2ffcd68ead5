// SPDX-License-Identifier: GPL-2.0-or-later
/* Several devices seen as one pool: its line in the text, its object in JSON, and its ashift alone.
 */
#include "json_build.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* A table that is only written down is no device. */
static bool is_device(const struct result *result)
{
	return !has_facts(result) || result->device->kind != KIND_TABLE;
}

/* Whoever lists every disk of a machine means no pool of them; their facts are told all the same.
 */
static bool is_member(const struct result *results, size_t count, size_t i)
{
	if (!is_device(&results[i]))
		return false;
	if (!results[i].is_listed)
		return true;
	for (size_t k = 0; k < count; k++)
		if (!results[k].is_listed)
			return false;
	return true;
}

static struct pool_member member_of(const struct result *result)
{
	size_t contents = result->layout->count ? result->layout->count : 1;

	return (struct pool_member){
		.device = result->device,
		.contents = result->contents,
		.content_count = result->contents ? contents : 0,
	};
}

int make_pool(const struct result *results, size_t count, struct pool *pool)
{
	struct pool_member *members = calloc(count + 1, sizeof(*members));
	size_t known = 0, unknown = 0;

	if (!members)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (!is_member(results, count, i))
			continue;
		if (has_facts(&results[i]))
			members[known++] = member_of(&results[i]);
		else
			unknown++;
	}
	judge_pool(members, known, pool);
	if (unknown)
		pool->ashift = 0;
	free(members);
	return 0;
}

bool is_pool(const struct result *results, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (results[i].is_listed || !is_device(&results[i]))
			return false;
	return count > 1;
}

static uint64_t logical_of(const struct result *result)
{
	return result->device->topology.logical_block_size;
}

static uint64_t physical_of(const struct result *result)
{
	return result->device->topology.physical_block_size;
}

/* "pool: 512-byte logical sectors: a.img b.img", a line a size, in the order they were named. */
static void put_sizes(FILE *out, const struct result *results, size_t count, const char *what,
		      uint64_t (*size_of)(const struct result *result))
{
	for (size_t i = 0; i < count; i++) {
		size_t k = 0;

		if (!has_facts(&results[i]))
			continue;
		while (k < i &&
		       (!has_facts(&results[k]) || size_of(&results[k]) != size_of(&results[i])))
			k++;
		if (k < i) /* named with the first one of that size */
			continue;
		fprintf(out, "pool: %" PRIu64 "-byte %s sectors:", size_of(&results[i]), what);
		for (k = i; k < count; k++) {
			if (!has_facts(&results[k]) || size_of(&results[k]) != size_of(&results[i]))
				continue;
			fputc(' ', out);
			put_text(out, results[k].path);
		}
		fputc('\n', out);
	}
}

static void put_pool(FILE *out, const struct result *results, size_t count, const struct pool *pool)
{
	if (pool->ashift)
		fprintf(out, "pool: ashift=%u suits all %zu devices\n", pool->ashift, count);
	else
		fputs("pool: cannot tell which ashift suits all: not every device could be read\n",
		      out);
	if (pool->mixed_logical)
		put_sizes(out, results, count, "logical", logical_of);
	if (pool->mixed_physical)
		put_sizes(out, results, count, "physical", physical_of);
	for (enum pool_user u = 0; pool->consequences && u < POOL_USER_COUNT; u++)
		fprintf(out, "pool: %s %s\n", pool_user_name(u), pool->consequences[u].message);
	for (size_t i = 0; i < pool->findings.count; i++) {
		if (pool->findings.list[i].id == FINDING_MIXED_SECTOR_SIZES)
			continue; /* the lines above have it with names */
		fputs("pool: ", out);
		put_text(out, pool->findings.list[i].message);
		fputc('\n', out);
	}
}

int print_pool(FILE *out, const struct result *results, size_t count)
{
	struct pool pool;
	int err = make_pool(results, count, &pool);

	if (err)
		return err;
	fputc('\n', out);
	put_pool(out, results, count, &pool);
	findings_free(&pool.findings);
	return 0;
}

int print_ashift(FILE *out, const struct result *results, size_t count,
		 const struct report_options *options)
{
	struct pool pool;
	int err = make_pool(results, count, &pool);

	(void)options;
	if (err)
		return err;
	if (ashift_status(results, count) == STATUS_ALIGNED)
		fprintf(out, "%u\n", pool.ashift);
	findings_free(&pool.findings);
	return 0;
}

enum status ashift_status(const struct result *results, size_t count)
{
	enum status worst = count ? STATUS_ALIGNED : STATUS_UNKNOWN;

	for (size_t i = 0; i < count; i++) {
		enum status status = STATUS_ALIGNED;

		/* Its partitions may be as they like, but not half moved: a pool would end them. */
		if (!has_facts(&results[i]) || !is_device(&results[i]))
			status = STATUS_UNKNOWN;
		else if (analysis_status(results[i].analysis, false) == STATUS_UNFINISHED)
			status = STATUS_UNFINISHED;
		if (status > worst)
			worst = status;
	}
	return worst;
}

static struct json_object *consequences_json(struct json_builder *b, const struct pool *pool)
{
	struct json_object *list = build_array(b, POOL_USER_COUNT);

	for (enum pool_user u = 0; pool->consequences && u < POOL_USER_COUNT; u++) {
		struct json_object *o = build_object(b);

		build_put_string(b, o, "for", pool_user_name(u));
		build_put_string(b, o, "severity", severity_name(pool->consequences[u].severity));
		build_put_string(b, o, "message", pool->consequences[u].message);
		build_append(b, list, o);
	}
	return list;
}

struct json_object *build_pool(struct json_builder *b, const struct result *results, size_t count)
{
	struct json_object *o = build_object(b), *list;
	struct pool pool;

	if (make_pool(results, count, &pool) < 0) {
		b->failed = true;
		return o;
	}
	build_put_known(b, o, "ashift", pool.ashift);
	build_put_bool(b, o, "mixed_logical", pool.mixed_logical);
	build_put_bool(b, o, "mixed_physical", pool.mixed_physical);
	build_put(b, o, "consequences", consequences_json(b, &pool));
	/* Of a machine's disks, which nobody means for a pool, the facts above are enough. */
	list = is_pool(results, count) ? build_findings(b, &pool.findings, -1) : build_array(b, 1);
	build_put(b, o, "findings", list);
	findings_free(&pool.findings);
	return o;
}
