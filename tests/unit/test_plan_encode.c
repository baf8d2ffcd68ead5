// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables made by dice, written down by the tests' own encoder, read by layout, planned, and encoded
 * by commit: what the planner finds possible has to be a table that libfdisk can say, and what
 * libfdisk then makes of the EBRs has to pass the planner's check.
 */
#include "unit.h"

#include "alignck/commit.h"
#include "plan_case.h"
#include "tables.h"

static struct plan_case c;

/* The dice's partitions as bytes. Logicals count from their EBR, links from the container. */
static void write_mbr(struct disk *d)
{
	uint32_t sector = c.layout.sector_size;
	uint64_t box = 0;

	for (size_t i = 0; i < c.layout.count; i++) {
		const struct partition *p = &c.partitions[i], *next = p + 1;
		uint64_t ebr = p->ebr / sector, link = 0;

		if (p->parent < 0) {
			put_mbr_entry(d, 0, (int)p->number - 1, 0,
				      (uint8_t)strtoul(p->type, NULL, 16), p->start / sector,
				      p->size / sector);
			if (p->role == ROLE_EXTENDED)
				box = p->start / sector;
			continue;
		}
		if (i + 1 < c.layout.count && next->parent >= 0)
			link = next->ebr / sector - box;
		put_ebr(d, ebr, p->start / sector - ebr, p->size / sector, link);
	}
	put_signature(d, 0);
}

static const char *try_table(struct disk *d, unsigned *with_logicals)
{
	const struct layout_options options = { .sector_size = c.layout.sector_size };
	const struct policy policy = { .only = -1 };
	struct memory_io disk = memory_io_wrap(d->bytes, d->size);
	struct table_image before = { 0 }, after = { 0 };
	struct layout *layout;
	struct analysis *analysis;
	struct plan *plan;
	static struct reason reason;
	const char *wrong = NULL;

	if (read_layout(&disk.io, &options, &layout, &reason))
		return "cannot be read";
	if (layout->count != c.layout.count)
		wrong = "read as something else";
	if (analyse(&c.device, layout, NULL, &policy, &analysis) ||
	    make_plan(&c.device, layout, NULL, analysis, &c.request, &plan))
		abort();
	if (!wrong && plan->feasible && plan->move_count) {
		if (encode_tables(&disk.io, layout, plan, &before, &after, &reason))
			wrong = reason.text;
		else if (!verify_plan(&c.device, layout, analysis, &c.request, plan, &reason))
			wrong = reason.text;
		for (size_t i = 0; i < layout->count; i++)
			if (layout->partitions[i].parent >= 0) {
				(*with_logicals)++;
				break;
			}
	} else if (!wrong) {
		wrong = "";
	}
	table_image_free(&before);
	table_image_free(&after);
	plan_free(plan);
	analysis_free(analysis);
	layout_free(layout);
	return wrong;
}

static void plans_can_be_encoded(void **state)
{
	unsigned encoded = 0, with_logicals = 0, failed = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 1500; seed++) {
		struct dice dice = { .state = (seed + 500000) * 0x9e3779b97f4a7c15ULL };
		const char *wrong = "";

		roll_case(&c, &dice, 5);
		/* Roles come from types; GPT entries are a matter of two numbers. */
		for (size_t i = 0; i < c.layout.count; i++)
			if (c.partitions[i].role == ROLE_BIOS_BOOT)
				c.partitions[i].role = ROLE_DATA;
		if (c.layout.type == TABLE_DOS && c.device.size < 64 * MIB) {
			struct disk d = disk_new(c.device.size, c.layout.sector_size);

			write_mbr(&d);
			wrong = try_table(&d, &with_logicals);
			encoded += !wrong;
			free(d.bytes);
		}
		if (wrong && wrong[0]) {
			failed++;
			print_error("seed %" PRIu64 ": %s\n", seed, wrong);
		}
		case_free(&c);
	}
	print_message("%u encoded, %u of them with logicals\n", encoded, with_logicals);
	assert_int_equal(failed, 0);
	assert_true(encoded > 200 && with_logicals > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plans_can_be_encoded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
