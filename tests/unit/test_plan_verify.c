// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The check of a plan, rule by rule: a good plan in which one rule is broken and all else agrees,
 * moves and sums included. The reason tells that it was this rule that noticed.
 */
#include "unit.h"

#include "plan_case.h"

static struct plan_case c;

static int forget(void **state)
{
	(void)state;
	case_free(&c);
	memset(&c, 0, sizeof(c));
	return 0;
}

static void plan_it(void)
{
	struct reason reason = { "" };

	case_plan(&c);
	if (!c.plan->feasible)
		print_error("%s\n", c.plan->reason);
	assert_true(c.plan->feasible);
	assert_true(c.plan->move_count > 0);
	assert_true(case_verify(&c, &reason));
}

static void expect_noticed(const char *what)
{
	struct reason reason = { "" };

	assert_false(case_verify(&c, &reason));
	if (!strstr(reason.text, what))
		print_error("noticed instead: %s\n", reason.text);
	assert_non_null(strstr(reason.text, what));
}

static struct plan_place *place(unsigned number)
{
	return &c.plan->places[find_partition(&c.layout, number)];
}

static void put(unsigned number, uint64_t start)
{
	place(number)->start = start * c.layout.sector_size;
}

static void add_move(size_t i)
{
	const struct partition *p = &c.partitions[i];
	struct plan_move *m = &c.plan->moves[c.plan->move_count++];
	uint64_t to = c.plan->places[i].start;
	uint64_t d = to > p->start ? to - p->start : p->start - to;

	*m = (struct plan_move){ .partition = i,
				 .number = p->number,
				 .from = p->start,
				 .to = to,
				 .size = p->size,
				 .window = d,
				 .lanes = 1 };
	c.plan->bytes_to_move += p->size;
	c.plan->bytes_used = c.plan->bytes_to_move;
}

/* Makes the moves that lead to the places, in the order that works: the table's is the disk's in
 * these tests. */
static void remake_moves(void)
{
	free(c.plan->moves);
	c.plan->moves = calloc(c.layout.count, sizeof(*c.plan->moves));
	c.plan->move_count = 0;
	c.plan->bytes_to_move = 0;
	if (!c.plan->moves)
		abort();
	for (size_t i = c.layout.count; i-- > 0;)
		if (case_is_data(&c, i) && c.plan->places[i].start > c.partitions[i].start)
			add_move(i);
	for (size_t i = 0; i < c.layout.count; i++)
		if (case_is_data(&c, i) && c.plan->places[i].start < c.partitions[i].start)
			add_move(i);
}

/* Two primaries, a container with two logicals; all of them move. */
static void make_plan_of_five(void)
{
	case_free(&c);
	case_init(&c, TABLE_DOS, 400000, 512);
	case_add(&c, 1, "83", 63, 10000);
	case_add(&c, 2, "83", 20001, 10000);
	case_add(&c, 4, "5", 40960 - 63, 300000 - 40960 + 63);
	case_add_logical(&c, 5, 40960 - 63, 41001, 10000);
	case_add_logical(&c, 6, 60000, 60063, 10000);
	plan_it();
}

static void the_moves_that_are_made_here_are_good(void **state)
{
	struct reason reason;

	(void)state;
	make_plan_of_five();
	remake_moves();
	assert_true(case_verify(&c, &reason));
}

static void grain_and_shift(void **state)
{
	(void)state;
	make_plan_of_five();
	c.device.topology.alignment_offset = 3584;
	expect_noticed("the shift is not the device's");
	c.device.topology.alignment_offset = 0;
	c.device.image_offset = 512;
	expect_noticed("the shift is not the device's");
	c.device.image_offset = 0;
	c.plan->grain = 2048 * 512 + 4096;
	expect_noticed("would not start on a boundary");
	c.plan->grain = 2048 * 512 + 512;
	expect_noticed("does not meet the required alignment");
}

static void who_moves(void **state)
{
	(void)state;
	make_plan_of_five();
	put(1, 63);
	remake_moves();
	expect_noticed("partition 1 stays misaligned");
	make_plan_of_five();
	c.analysis->partitions[0].verdict = VERDICT_ALIGNED;
	expect_noticed("partition 1 is aligned inside and must not move");
	c.analysis->partitions[0].verdict = VERDICT_MISALIGNED;
	c.partitions[0].role = ROLE_MSR;
	expect_noticed("partition 1 must not move");
	c.partitions[0].role = ROLE_DATA;
}

/* Slices go nowhere, and so nobody leaves them. */
static void slices(void **state)
{
	(void)state;
	case_init(&c, TABLE_DOS, 400000, 512);
	case_add(&c, 1, "83", 2048, 10000);
	case_add(&c, 2, "83", 20001, 10000);
	case_add(&c, 5, "7", 4000, 100)->parent = 0;
	plan_it();
	put(5, 4008);
	expect_noticed("partition 5 must stay in its slice");
	put(5, 4000);
	c.partitions[2].parent = 1;
	expect_noticed("partition 2 would leave its slices behind");
	c.partitions[2].size = UINT64_MAX;
	expect_noticed("partition 5 would end beyond any disk");
	c.partitions[2].size = 100 * 512;
	place(5)->ebr = UINT64_MAX - 511;
	expect_noticed("partition 5 would end beyond any disk");
}

static void limits_of_an_mbr(void **state)
{
	const uint64_t end = 1ULL << 32;

	(void)state;
	case_init(&c, TABLE_DOS, 400000, 512);
	c.request.grain = 4096;
	case_add(&c, 1, "83", 63, 10000);
	plan_it();
	put(1, 56);
	remake_moves();
	expect_noticed("partition 1 would be out of reach of an MBR");
	case_free(&c);
	case_init(&c, TABLE_DOS, end + 100000, 512);
	case_add(&c, 1, "83", end - 20001, 15000);
	plan_it();
	put(1, end - 14336);
	remake_moves();
	expect_noticed("partition 1 would be out of reach of an MBR");
}

static void limits_of_a_gpt(void **state)
{
	(void)state;
	case_init(&c, TABLE_GPT, 400000, 512);
	c.request.grain = 4096;
	case_add(&c, 1, "x", 63, 10000);
	plan_it();
	put(1, 32);
	remake_moves();
	expect_noticed("partition 1 would leave the usable area");
	put(1, (400000 - 10000 - 32) / 8 * 8);
	remake_moves();
	expect_noticed("partition 1 would reach into the backup table");
	c.layout.last_usable -= 4096 * 512;
	put(1, (400000 - 10000 - 40) / 8 * 8);
	remake_moves();
	expect_noticed("partition 1 would leave the usable area");
}

static void pairs(void **state)
{
	(void)state;
	make_plan_of_five();
	put(2, 10240);
	remake_moves();
	expect_noticed("partitions 1 and 2 would overlap");
	put(1, 20480);
	put(2, 2048);
	remake_moves();
	expect_noticed("partitions 1 and 2 would change places");
}

static void gaps_with_data(void **state)
{
	(void)state;
	make_plan_of_five();
	case_occupy(&c, 12000, 12001);
	expect_noticed("partition 1 would cover data in a gap");
	c.request.occupied_count = 0;
	case_occupy(&c, place(6)->ebr / 512, place(6)->ebr / 512 + 1);
	expect_noticed("the EBR of partition 6 would destroy data in a gap");
	/* An extent that is not even empty counts for nothing; an old EBR is no data. */
	c.occupied[0] = (struct extent){ 12001 * 512, 12000 * 512 };
	c.request.occupied_count = 2;
	c.occupied[1] = (struct extent){ 60000 * 512, 60001 * 512 };

	struct reason reason;

	assert_true(case_verify(&c, &reason));
	c.occupied[1].end += 512;
	put(5, 53248);
	put(6, 65536);
	place(6)->ebr = 65535 * 512;
	remake_moves();
	expect_noticed("partition 5 would cover data in a gap");
	c.occupied[1].end -= 512;
	assert_true(case_verify(&c, &reason));
}

static void ebrs(void **state)
{
	(void)state;
	make_plan_of_five();
	place(6)->ebr = place(5)->ebr;
	expect_noticed("would share an EBR");
	place(6)->ebr = place(5)->start + 512;
	expect_noticed("the EBR of partition 6 would lie in partition 5");
	place(6)->ebr = place(6)->start;
	expect_noticed("the EBR of partition 6 would not lie in front of it");
	place(6)->ebr = place(4)->start - 512;
	expect_noticed("the EBR of partition 6 would not lie in front of it");
	place(6)->ebr = place(6)->start - 100;
	expect_noticed("the EBR of partition 6 would not lie in front of it");
	place(6)->ebr = place(6)->start - 512;
	place(1)->ebr = 4096;
	expect_noticed("partition 1 is no logical");
	place(1)->ebr = 0;
	plan_it();
	place(4)->size = place(6)->start + place(6)->size - place(4)->start - 512;
	expect_noticed("partition 6 would leave its container");
}

static void containers(void **state)
{
	(void)state;
	make_plan_of_five();
	place(4)->size += place(4)->start - 25 * KIB * 512;
	place(4)->start = place(5)->ebr = 25 * KIB * 512; /* inside partition 2 */
	expect_noticed("partition 2 would reach into the extended partition");
	plan_it();
	place(4)->size += 512;
	place(4)->start -= 512;
	expect_noticed("would not begin with its first EBR");
	/* The chain's head is the lowest number, wherever it lies. */
	plan_it();
	c.partitions[3].number = 8;
	for (size_t n = 0; n < c.plan->move_count; n++)
		c.plan->moves[n].number = c.partitions[c.plan->moves[n].partition].number;
	expect_noticed("would not begin with its first EBR");
	case_free(&c);
	case_init(&c, TABLE_DOS, 400000, 512);
	case_add(&c, 4, "5", 1000, 300000);
	case_add_logical(&c, 5, 1000, 1063, 10000);
	plan_it();
	place(4)->size += place(4)->start - 10 * 512;
	place(4)->start = place(5)->ebr = 10 * 512;
	expect_noticed("would begin in the boot gap");
}

static void moves(void **state)
{
	struct plan *plan;

	(void)state;
	make_plan_of_five();
	plan = c.plan;
	assert_int_equal(plan->move_count, 4);
	/* One more, made twice. */
	plan->moves = reallocarray(plan->moves, 5, sizeof(*plan->moves));
	plan->moves[4] = plan->moves[0];
	plan->move_count++;
	plan->bytes_to_move += plan->moves[4].size;
	expect_noticed("would move twice");
	plan->move_count -= 2;
	plan->bytes_to_move -= plan->moves[3].size + plan->moves[4].size;
	plan->bytes_used = plan->bytes_to_move;
	expect_noticed("4 partitions change places in 3 moves");
	plan->move_count++;
	expect_noticed("the bytes to move are counted wrong");
	plan->bytes_to_move += plan->moves[3].size;
	plan->bytes_used = plan->bytes_to_move + 1;
	expect_noticed("the bytes to move are counted wrong");
	plan->bytes_used = plan->bytes_to_move;
	plan->moves[1].to += plan->grain;
	expect_noticed("is not from the old place to the new one");
	plan->moves[1].partition = 2; /* the container */
	expect_noticed("is of nothing that can move");
	plan->moves[1].partition = SIZE_MAX;
	expect_noticed("is of nothing that can move");
}

static void order(void **state)
{
	struct plan_move swap;

	(void)state;
	case_init(&c, TABLE_GPT, 400000, 512);
	case_add(&c, 1, "x", 63, 10000);
	case_add(&c, 2, "x", 10063, 10000);
	plan_it();
	swap = c.plan->moves[0];
	c.plan->moves[0] = c.plan->moves[1];
	c.plan->moves[1] = swap;
	expect_noticed("moving partition 1 would overwrite partition 2");
	case_free(&c);
	case_init(&c, TABLE_GPT, 40960, 512);
	case_add(&c, 1, "x", 4097, 10000);
	case_add(&c, 2, "x", 14337, 26623 - 33);
	plan_it();
	assert_int_equal(c.plan->moves[0].number, 1);
	swap = c.plan->moves[0];
	c.plan->moves[0] = c.plan->moves[1];
	c.plan->moves[1] = swap;

	struct reason reason;

	assert_true(case_verify(&c, &reason)); /* they do not meet: either order is right */
}

static void protection(void **state)
{
	struct plan_move *m;

	(void)state;
	case_init(&c, TABLE_DOS, 2400000, 512);
	c.request.lanes = 8;
	case_add(&c, 1, "83", 63, 2000000);
	plan_it();
	m = c.plan->moves;
	assert_int_equal(m->protection, PROTECT_LANES);
	c.plan->journal_bytes = 7 * 1985 * 512;
	expect_noticed("is not protected"); /* the sills fill it, no room for records */
	c.plan->journal_bytes *= 2;
	m->lanes = 1;
	expect_noticed("is not protected");
	m->lanes = 8;
	m->window = 1986 * 512;
	expect_noticed("is not protected");
	m->protection = PROTECT_SHIFT;
	m->lanes = 1;
	expect_noticed("is not protected");
	m->window = 1985 * 512;
	m->lanes = 2;
	expect_noticed("is not protected");
	m->protection = PROTECT_JOURNAL;
	expect_noticed("is not protected");
	m->lanes = 1;
	m->window = c.plan->journal_bytes / 2;
	expect_noticed("is not protected");
	m->window -= m->window % 512 + 512;

	struct reason reason;

	assert_true(case_verify(&c, &reason));
	m->window -= 1;
	expect_noticed("is not protected");
	m->window = 0;
	expect_noticed("is not protected");
	m->window = 512;
	m->protection = (enum protection)3;
	expect_noticed("is not protected");
	c.request.lanes = 1000;
	case_plan(&c);
	c.plan->moves[0].lanes = 1008; /* parts of 1985 sectors and less */
	c.plan->journal_bytes = GIB * 2;
	expect_noticed("is not protected");
}

static void journal(void **state)
{
	struct plan *plan;

	(void)state;
	case_init(&c, TABLE_DOS, 400000, 512);
	c.request.journal_file = false;
	c.request.grain = 16 * MIB;
	case_add(&c, 1, "83", 4097, 100);
	case_add(&c, 2, "5", 49152, 49152);
	case_add_logical(&c, 5, 49152, 65536, 10000);
	plan_it();
	plan = c.plan;
	assert_int_equal(plan->moves[0].to, 32768 * 512);
	plan->journal_start = 2048 * 512;
	expect_noticed("the journal would lie in partition 1"); /* its old place */
	plan->journal_start = 30000 * 512;
	expect_noticed("the journal would lie in partition 1"); /* its new place */
	plan->journal_start = 48000 * 512;
	expect_noticed("the journal would lie in partition 2 or its table");
	plan->journal_start = 8 * 512;
	expect_noticed("the journal lies outside the usable area");
	plan->journal_start = (400000 - 4096) * 512;
	expect_noticed("the journal lies outside the usable area");
	plan->journal_start = 400000 * 512;
	expect_noticed("the journal is not in a gap of the disk");
	plan->journal_start = 200001 * 512;
	expect_noticed("the journal is not in a gap of the disk");
	plan->journal_start = 200000 * 512;
	case_occupy(&c, 204000, 204001);
	expect_noticed("the journal would destroy data in a gap");
	c.request.occupied_count = 0;

	struct reason reason;

	assert_true(case_verify(&c, &reason));
	plan->journal_bytes = PLAN_JOURNAL_GAP - 512;
	expect_noticed("the journal is not in a gap of the disk");
	plan->journal_bytes = PLAN_JOURNAL_GAP;
	plan->journal = JOURNAL_FILE;
	expect_noticed("the journal is not in a gap of the disk");
	c.request.journal_file = true;
	assert_true(case_verify(&c, &reason));
	plan->journal = JOURNAL_GAP;
	expect_noticed("the journal is not where it was asked to be");
	case_free(&c);
	case_init(&c, TABLE_GPT, 400000, 512);
	c.request.journal_file = false;
	case_add(&c, 1, "x", 8193, 100000);
	plan_it();
	c.plan->journal_start = 8 * 512;
	expect_noticed("the journal lies outside the usable area");
	c.plan->journal_start = round_down_to(c.device.size - c.plan->journal_bytes, 4096);
	expect_noticed("the journal lies outside the usable area");
}

static void plans_of_something_else(void **state)
{
	struct reason reason;

	(void)state;
	make_plan_of_five();
	c.plan->place_count--;
	expect_noticed("for another table");
	c.plan->place_count++;
	c.analysis->count--;
	expect_noticed("for another table");
	c.analysis->count++;
	c.layout.type = TABLE_SUN;
	expect_noticed("not rewritten");
	c.layout.type = TABLE_DOS;
	c.layout.sector_size = 0;
	expect_noticed("no sector size");
	c.layout.sector_size = 512;
	c.plan->feasible = false;
	expect_noticed("not feasible");
	c.plan->feasible = true;
	place(1)->size += 512;
	expect_noticed("the size of partition 1 changes");
	place(1)->size -= 512;
	c.device.size = place(6)->start;
	expect_noticed("past the end of the disk");
	c.device.size = 400000 * 512;
	c.plan->move_count = 0;
	expect_noticed("would move without a move");
	/* Nothing moves, so nothing may differ, a container included. */
	for (size_t i = 0; i < c.layout.count; i++)
		c.plan->places[i] =
			(struct plan_place){ c.partitions[i].start, c.partitions[i].size,
					     c.partitions[i].ebr };
	c.plan->journal = JOURNAL_NOWHERE;
	assert_true(case_verify(&c, &reason));
	place(4)->size -= 512;
	expect_noticed("partition 4 would move without a move");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_teardown(f, forget)
	const struct CMUnitTest tests[] = {
		TEST(the_moves_that_are_made_here_are_good),
		TEST(grain_and_shift),
		TEST(who_moves),
		TEST(slices),
		TEST(limits_of_an_mbr),
		TEST(limits_of_a_gpt),
		TEST(pairs),
		TEST(gaps_with_data),
		TEST(ebrs),
		TEST(containers),
		TEST(moves),
		TEST(order),
		TEST(protection),
		TEST(journal),
		TEST(plans_of_something_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
