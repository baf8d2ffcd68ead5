// SPDX-License-Identifier: GPL-2.0-or-later
/* The planner on tables that people have: numbers from the field, and both sides of each refusal.
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

static void expect_feasible(void)
{
	const char *wrong;

	case_plan(&c);
	if (!c.plan->feasible)
		print_error("refused: %s\n", c.plan->reason);
	assert_true(c.plan->feasible);
	wrong = case_execute(&c);
	if (wrong)
		print_error("%s\n", wrong);
	assert_null(wrong);
}

static void expect_refused(const char *what)
{
	case_plan(&c);
	assert_false(c.plan->feasible);
	assert_int_equal(c.plan->move_count, 0);
	assert_int_equal(c.plan->journal, JOURNAL_NOWHERE);
	if (!strstr(c.plan->reason, what))
		print_error("reason: %s\n", c.plan->reason);
	assert_non_null(strstr(c.plan->reason, what));
	for (size_t i = 0; i < c.layout.count; i++)
		assert_int_equal(c.plan->places[i].start, c.partitions[i].start);
}

static void expect_attention(const char *what, bool is_there)
{
	bool found = false;

	for (size_t i = 0; i < c.plan->attention_count; i++)
		found |= strstr(c.plan->attention[i], what) != NULL;
	assert_int_equal(found, is_there);
}

/* ---- where partitions go ---- */

static void nothing_to_do(void **state)
{
	(void)state;
	case_init(&c, TABLE_DOS, 131072, 512);
	case_add(&c, 1, "83", 2048, 100000);
	expect_feasible();
	assert_int_equal(c.plan->move_count, 0);
	assert_int_equal(c.plan->bytes_to_move, 0);
	assert_int_equal(c.plan->journal, JOURNAL_NOWHERE);
	assert_string_equal(c.plan->reason, "");
}

static void mbr_63(void **state)
{
	(void)state;
	case_init(&c, TABLE_DOS, 262144, 512);
	case_add(&c, 1, "83", 63, 200000);
	expect_feasible();
	assert_int_equal(case_start(&c, 1), 2048);
	assert_int_equal(c.plan->move_count, 1);
	assert_int_equal(c.plan->bytes_to_move, 200000 * 512);
	assert_int_equal(c.plan->moves[0].protection, PROTECT_SHIFT);
	assert_int_equal(c.plan->moves[0].window, 1985 * 512);
	assert_int_equal(c.plan->journal, JOURNAL_FILE);
}

/* fdisk -c=dos of a 256 MiB disk with 255 heads: case 35. */
static void add_chs_era(void)
{
	case_init(&c, TABLE_DOS, 524288, 512);
	case_add(&c, 1, "83", 63, 80262);
	case_add(&c, 2, "5", 80325, 433755);
	case_add_logical(&c, 5, 80325, 80388, 80262);
	case_add_logical(&c, 6, 160650, 160713, 80262);
	case_add_logical(&c, 7, 240975, 241038, 160587);
}

static void chs_era(void **state)
{
	(void)state;
	add_chs_era();
	expect_feasible();
	assert_int_equal(case_start(&c, 1), 2048);
	/* Partition 1 now ends at 82310: the container and its first EBR make way. */
	assert_int_equal(case_start(&c, 5), 83968);
	assert_int_equal(case_start(&c, 2), 83968 - 63);
	assert_int_equal(c.plan->places[2].ebr, (83968 - 63) * 512);
	assert_int_equal(case_start(&c, 6), 165888);
	assert_int_equal(c.plan->places[3].ebr, (165888 - 63) * 512);
	assert_int_equal(case_start(&c, 7), 247808);
	assert_int_equal(c.plan->places[1].start + c.plan->places[1].size, 514080 * 512);
	/* All to the right: the last one first. */
	assert_int_equal(c.plan->move_count, 4);
	assert_int_equal(c.plan->moves[0].number, 7);
	assert_int_equal(c.plan->moves[3].number, 1);
}

/* Logicals from back to back, one sector for each EBR, the container full to the end. */
static void tight_logicals(void **state)
{
	(void)state;
	case_init(&c, TABLE_DOS, 400000, 512);
	case_add(&c, 1, "83", 63, 99937);
	case_add(&c, 4, "f", 100000, 200002);
	case_add_logical(&c, 5, 100000, 100001, 99999);
	case_add_logical(&c, 6, 200000, 200001, 100001);
	expect_feasible();
	assert_int_equal(case_start(&c, 1), 2048);
	assert_int_equal(case_start(&c, 5), 102400);
	assert_int_equal(case_start(&c, 4), 102399);
	assert_int_equal(case_start(&c, 6), 202752);
	assert_true(c.plan->places[1].start + c.plan->places[1].size >=
		    c.plan->places[3].start + c.plan->places[3].size);
}

/* Numbers follow the chain, not the disk: the head of the chain may lie last. */
static void chain_out_of_order(void **state)
{
	(void)state;
	case_init(&c, TABLE_DOS, 400000, 512);
	case_add(&c, 1, "5", 2048, 300000);
	case_add_logical(&c, 5, 2048, 200001, 50000);
	case_add_logical(&c, 6, 4000, 4063, 50000);
	expect_feasible();
	assert_int_equal(case_start(&c, 6), 4096);
	assert_int_equal(case_start(&c, 5), 200704);
	assert_int_equal(case_start(&c, 1), 2048);
	assert_int_equal(c.plan->places[1].ebr, 2048 * 512);
	assert_int_equal(c.plan->places[2].ebr, (4096 - 63) * 512);
}

/* Two EBRs have to fit in front of the first on the disk where it is not the chain's head. */
static void room_for_two_ebrs(void **state)
{
	(void)state;
	case_init(&c, TABLE_DOS, 400000, 512);
	case_add(&c, 1, "83", 2048, 2047); /* to 4095 */
	case_add(&c, 4, "5", 4095, 300000);
	case_add_logical(&c, 5, 4095, 204800, 50000);
	case_add_logical(&c, 6, 4096, 4097, 50000);
	expect_feasible();
	assert_int_equal(case_start(&c, 6), 6144);
	c.partitions[0].size -= 512;
	expect_feasible();
	assert_int_equal(case_start(&c, 6), 4096);
	assert_int_equal(case_start(&c, 4), 4094);
	assert_int_equal(c.plan->places[3].ebr, 4095 * 512);
}

/* An aligned logical makes way when its neighbour would leave no sector for its EBR. */
static void no_room_for_an_ebr(void **state)
{
	(void)state;
	case_init(&c, TABLE_DOS, 400000, 512);
	case_add(&c, 1, "83", 2048, 2046);
	case_add(&c, 4, "5", 4094, 300000);
	case_add_logical(&c, 5, 4094, 4095, 4104); /* goes to 4096, to end at 8200 */
	case_add_logical(&c, 6, 8199, 8200, 100);
	expect_feasible();
	assert_int_equal(case_start(&c, 5), 4096);
	assert_int_equal(case_start(&c, 6), 10240);
	c.partitions[2].size -= 512; /* one sector is enough, */
	expect_feasible();
	assert_int_equal(case_start(&c, 6), 8200);
	assert_int_equal(c.plan->places[3].ebr, 8199 * 512);
	c.partitions[3].ebr = 8198 * 512; /* unless it holds data */
	c.partitions[2].size -= 512;
	case_occupy(&c, 8199, 8200);
	expect_feasible();
	assert_int_equal(case_start(&c, 6), 8200);
	c.partitions[2].size += 512;
	c.partitions[2].start -= 512;
	c.partitions[1].start -= 512;
	c.partitions[2].ebr -= 512;
	c.partitions[0].size -= 512;
	expect_feasible();
	assert_int_equal(case_start(&c, 6), 10240);
}

/* The same for the container's own sector: a primary grows up to its first logical. */
static void no_room_for_the_first_ebr(void **state)
{
	(void)state;
	case_init(&c, TABLE_DOS, 400000, 512);
	case_add(&c, 1, "83", 63, 100352); /* goes to 2048, to end at 102400 */
	case_add(&c, 4, "5", 102337, 200000);
	case_add_logical(&c, 5, 102337, 102400, 100);
	expect_feasible();
	assert_int_equal(case_start(&c, 5), 104448);
	c.partitions[0].size -= 512;
	expect_feasible();
	assert_int_equal(case_start(&c, 5), 102400);
	assert_int_equal(case_start(&c, 4), 102399);
}

/* The old distance where that is free, else right in front. */
static void ebr_keeps_off_data(void **state)
{
	(void)state;
	case_init(&c, TABLE_DOS, 400000, 512);
	case_add(&c, 1, "5", 2048, 300000);
	case_add_logical(&c, 5, 2048, 4096, 10000);
	case_add_logical(&c, 6, 20500, 20563, 10000);
	expect_feasible();
	assert_int_equal(c.plan->places[2].ebr, (20480 - 63) * 512);
	case_occupy(&c, 20480 - 64, 20480 - 62);
	expect_feasible();
	assert_int_equal(c.plan->places[2].ebr, 20479 * 512);
	/* The container's own sector as well. */
	c.partitions[1].start = 4159 * 512;
	c.partitions[0].start = c.partitions[1].ebr = 4096 * 512;
	c.request.occupied_count = 0;
	case_occupy(&c, 4096 - 63, 4096 - 62);
	expect_feasible();
	assert_int_equal(case_start(&c, 5), 4096);
	assert_int_equal(case_start(&c, 1), 4095);
	c.request.occupied_count = 0;
	expect_feasible();
	assert_int_equal(case_start(&c, 1), 4096 - 63);
}

static void gpt_34(void **state)
{
	(void)state;
	case_init(&c, TABLE_GPT, 131072, 512);
	case_add(&c, 1, "0FC63DAF-8483-4772-8E79-3D69D8477DE4", 34, 119967);
	expect_feasible();
	assert_int_equal(case_start(&c, 1), 2048);
}

static void gpt_34_filling_the_disk(void **state)
{
	(void)state;
	case_init(&c, TABLE_GPT, 131072, 512);
	case_add(&c, 1, "0FC63DAF-8483-4772-8E79-3D69D8477DE4", 34, 131072 - 33 - 34);
	expect_refused("needs 2014 more sectors behind partition 1");
	assert_null(strstr(c.plan->reason, "--grain"));
}

/* With six sectors to spare a smaller boundary does: said, with what to type. */
static void smaller_grain_is_offered(void **state)
{
	(void)state;
	case_init(&c, TABLE_GPT, 131072, 512);
	case_add(&c, 1, "0FC63DAF-8483-4772-8E79-3D69D8477DE4", 34, 131072 - 33 - 40);
	expect_refused("needs 2008 more sectors behind partition 1");
	assert_non_null(strstr(c.plan->reason, "--grain=4K"));
	c.request.grain = 4096;
	expect_feasible();
	assert_int_equal(case_start(&c, 1), 40);
	c.partitions[0].size += 512;
	expect_refused("needs 1 more sectors");
	assert_null(strstr(c.plan->reason, "--grain"));
}

/* A disk that grew: the backup, and all behind it, is as its table says. */
static void grown_gpt(void **state)
{
	(void)state;
	case_init(&c, TABLE_GPT, 131072, 512);
	case_add(&c, 1, "x", 2048, 2048);
	case_add(&c, 2, "x", 4097, 131072 - 33 - 6144);
	expect_feasible();
	assert_int_equal(case_start(&c, 2), 4096);
	c.partitions[0].size += 512;
	expect_feasible();
	assert_int_equal(case_start(&c, 2), 6144);
	c.partitions[1].size += 512;
	c.device.size *= 2;
	expect_refused("no room");
	c.layout.last_usable += 512;
	expect_feasible();
}

static void mbr_to_the_last_sector(void **state)
{
	(void)state;
	case_init(&c, TABLE_DOS, 131072, 512);
	case_add(&c, 1, "83", 63, 131072 - 63);
	expect_refused("needs 1985 more sectors behind partition 1");
	/* The same with just enough behind it, and one sector less: case 34. */
	c.partitions[0].size = (131072 - 2048) * 512;
	expect_feasible();
	assert_int_equal(case_start(&c, 1), 2048);
	c.partitions[0].size += 512;
	expect_refused("needs 1 more sectors");
}

/* GEOM and fake RAID keep their metadata in the last sectors: used where there is no other way. */
static void last_sectors_come_last(void **state)
{
	(void)state;
	case_init(&c, TABLE_DOS, 131072, 512);
	case_add(&c, 1, "83", 2048, 18432);
	case_add(&c, 2, "83", 102401, 131072 - 104448 - 10);
	expect_feasible();
	assert_int_equal(case_start(&c, 2), 102400);
	c.partitions[0].size = (102401 - 2048) * 512;
	expect_feasible();
	assert_int_equal(case_start(&c, 2), 104448);
	case_occupy(&c, 131060, 131072);
	expect_refused("no room"); /* and 1 in front of it has nowhere to go */
	c.occupied[0] = (struct extent){ 131062 * 512, 131072 * 512 };
	expect_feasible();
	/* As cheap on either side: the nearer one is in there, so it goes the longer way. */
	case_free(&c);
	case_init(&c, TABLE_DOS, 131072, 512);
	case_add(&c, 1, "83", 102401 + 1300, 26600);
	expect_feasible();
	assert_int_equal(case_start(&c, 1), 102400);
	c.device.size += PLAN_TAIL;
	expect_feasible();
	assert_int_equal(case_start(&c, 1), 104448);
}

static void back_to_back(void **state)
{
	(void)state;
	case_init(&c, TABLE_GPT, 400000, 512);
	for (unsigned i = 0; i < 10; i++)
		case_add(&c, i + 1, "x", 34 + i * 20001, 20001);
	expect_feasible();
	assert_int_equal(c.plan->move_count, 10);
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(case_start(&c, i + 1), 2048 + i * 20480);
	assert_int_equal(c.plan->moves[0].number, 10);
}

/* A hole in front lets the misaligned one go left; otherwise a large aligned neighbour would move.
 */
static void left_into_a_hole(void **state)
{
	(void)state;
	case_init(&c, TABLE_DOS, 400000, 512);
	case_add(&c, 1, "83", 2048, 20480);
	case_add(&c, 2, "83", 30001, 23247); /* to 53248, where 3 begins */
	case_add(&c, 3, "83", 53248, 200000);
	expect_feasible();
	assert_int_equal(c.plan->move_count, 1);
	assert_int_equal(case_start(&c, 2), 28672);
	assert_int_equal(case_start(&c, 3), 53248);
	/* Nearer to the right: it goes there where there is room. */
	c.partitions[1].start = 30700 * 512;
	c.partitions[1].size = 1000 * 512;
	expect_feasible();
	assert_int_equal(case_start(&c, 2), 30720);
}

/* Three small ones make way to the left, so that the large one behind can stay. */
static void fewest_bytes(void **state)
{
	(void)state;
	case_init(&c, TABLE_DOS, 900000, 512);
	case_add(&c, 1, "83", 6144, 1024);
	case_add(&c, 2, "83", 7168, 1025);
	case_add(&c, 3, "83", 8193, 40959);
	case_add(&c, 4, "83", 49152, 400000);
	expect_feasible();
	assert_int_equal(case_start(&c, 1), 4096);
	assert_int_equal(case_start(&c, 2), 6144);
	assert_int_equal(case_start(&c, 3), 8192);
	assert_int_equal(case_start(&c, 4), 49152);
	assert_int_equal(c.plan->moves[0].number, 1);
	/* A small one behind: now that side is cheaper. */
	c.partitions[3].size = 2048 * 512;
	expect_feasible();
	assert_int_equal(c.plan->move_count, 2);
	assert_int_equal(case_start(&c, 3), 10240);
	assert_int_equal(case_start(&c, 4), 51200);
}

static void one_or_two_sectors(void **state)
{
	(void)state;
	case_init(&c, TABLE_DOS, 400000, 512);
	case_add(&c, 1, "83", 2047, 50001);
	case_add(&c, 2, "83", 102402, 50001);
	expect_feasible();
	assert_int_equal(case_start(&c, 1), 2048);
	assert_int_equal(case_start(&c, 2), 102400);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(c.plan->moves[i].protection, PROTECT_JOURNAL);
		assert_int_equal(c.plan->moves[i].window, 50001 * 512); /* all of it */
	}
	assert_true(c.plan->journal_bytes >= 2 * 50001 * 512 + 64 * KIB);
	/* First what moves right, then what moves left. */
	assert_int_equal(c.plan->moves[0].number, 1);
	assert_int_equal(c.plan->moves[1].number, 2);
}

static void large_sectors(void **state)
{
	(void)state;
	case_init(&c, TABLE_GPT, 60000, 4096);
	c.device.topology.physical_block_size = 16384;
	case_add(&c, 1, "x", 6, 1000);
	case_add(&c, 2, "x", 2049, 20000);
	expect_feasible();
	assert_int_equal(case_start(&c, 1), 256);
	assert_int_equal(case_start(&c, 2), 2048);
}

/* Case 6: lowest aligned LBA 7. */
static void jumper(void **state)
{
	(void)state;
	case_init(&c, TABLE_DOS, 400000, 512);
	c.device.topology.alignment_offset = 3584;
	case_add(&c, 1, "83", 2048, 20000);
	case_add(&c, 2, "83", 24583, 20000); /* 7 past 24576: aligned here */
	expect_feasible();
	assert_int_equal(case_start(&c, 1), 2055);
	assert_int_equal(case_start(&c, 2), 24583);
	assert_int_equal(c.plan->shift, 3584);
}

/* The image lies at sector 63 of its disk: what counts is the disk's boundary. */
static void image_offset(void **state)
{
	(void)state;
	case_init(&c, TABLE_DOS, 400000, 512);
	c.device.image_offset = 63 * 512;
	case_add(&c, 1, "83", 2048, 20000);
	expect_feasible();
	assert_int_equal(case_start(&c, 1), 2048 - 63);
	c.device.image_offset = 100;
	expect_refused("no sector of this device begins on a physical boundary");
}

/* Case 4: three chunks of 64 KiB. */
static void stripe(void **state)
{
	(void)state;
	case_init(&c, TABLE_DOS, 400000, 512);
	c.device.topology.minimum_io_size = 196608;
	case_add(&c, 1, "83", 2048, 20000);
	expect_feasible();
	assert_int_equal(c.plan->grain, 3 * MIB);
	assert_int_equal(case_start(&c, 1), 6144);
	assert_non_null(strstr(c.plan->note, "3M instead of 1M"));
	c.request.grain = 196608;
	expect_feasible();
	assert_int_equal(case_start(&c, 1), 1920);
	assert_string_equal(c.plan->note, "");
	c.request.grain = 512;
	expect_feasible();
	assert_int_equal(c.plan->grain, 196608);
	/* 257 pages and 1 MiB meet every 257 MiB: the requirement alone counts. */
	c.request.grain = 0;
	c.device.topology.minimum_io_size = 257 * 4096;
	expect_feasible();
	assert_int_equal(c.plan->grain, 257 * 4096);
}

static void only(void **state)
{
	(void)state;
	add_chs_era();
	case_only(&c, 6);
	expect_feasible();
	assert_int_equal(c.plan->move_count, 2); /* 7 begins where 6 has to go */
	assert_int_equal(case_start(&c, 1), 63);
	assert_int_equal(case_start(&c, 5), 80388);
	assert_int_equal(case_start(&c, 6), 161792);
	assert_int_equal(case_start(&c, 7), 243712);
	c.only[0] = 7;
	expect_feasible();
	assert_int_equal(c.plan->move_count, 1);
	c.only[0] = 2;
	expect_refused("name its logicals");
	c.only[0] = 9;
	expect_refused("there is no partition 9");
}

/* Case 42. */
static void gaps_with_data(void **state)
{
	(void)state;
	case_init(&c, TABLE_DOS, 400000, 512);
	case_add(&c, 1, "83", 63, 20000);
	case_occupy(&c, 20500, 20501); /* after it */
	expect_feasible();
	assert_int_equal(case_start(&c, 1), 22528);
	case_occupy(&c, 22500, 300000);
	case_occupy(&c, 300000, 399000);
	expect_refused("no room");
	assert_non_null(strstr(c.plan->reason, "gaps hold data"));
}

/* What a table's own sectors hold is no data: they are written anew. */
static void old_ebrs_are_no_data(void **state)
{
	(void)state;
	add_chs_era();
	case_occupy(&c, 80325, 80326);
	case_occupy(&c, 160650, 160651);
	case_occupy(&c, 240975, 240976);
	expect_feasible();
	assert_int_equal(case_start(&c, 7), 247808);
}

static void mbr_beyond_2_tib(void **state)
{
	const uint64_t end = 1ULL << 32;

	(void)state;
	/* Only planned: a disk of tokens would not fit. */
	case_init(&c, TABLE_DOS, end + 1000000, 512);
	case_add(&c, 1, "83", end - 100001, 90000);
	case_plan(&c);
	assert_true(c.plan->feasible);
	assert_int_equal(case_start(&c, 1), end - 100352);
	case_add(&c, 2, "83", end - 8193, 8193);
	case_plan(&c);
	assert_true(c.plan->feasible);
	/* It must not go right, over the last sector that an MBR can name. */
	assert_int_equal(case_start(&c, 2), end - 10240);
}

static void near_the_end_of_numbers(void **state)
{
	(void)state;
	case_init(&c, TABLE_GPT, 1ULL << 54, 512); /* 8 ZiB in sectors would not fit: 8 EiB */
	case_add(&c, 1, "x", (1ULL << 54) - 100001, 50000);
	case_plan(&c);
	assert_true(c.plan->feasible);
	c.partitions[0].size = UINT64_MAX - 511;
	case_plan(&c);
	assert_false(c.plan->feasible);
}

/* ---- what never moves ---- */

static void exempt_roles_stay(void **state)
{
	(void)state;
	case_init(&c, TABLE_GPT, 400000, 512);
	case_add(&c, 1, "21686148-6449-6E6F-744E-656564454649", 48, 2000)->role = ROLE_BIOS_BOOT;
	case_add(&c, 2, "E3C9E316-0B5C-4DB8-817D-F92DF00215AE", 2097, 2000)->role = ROLE_MSR;
	case_add(&c, 3, "x", 4097, 20000);
	expect_feasible();
	assert_int_equal(c.plan->move_count, 1);
	assert_int_equal(case_start(&c, 3), 6144);
	/* A wall on the other side too: nowhere to go. */
	case_add(&c, 4, "y", 24200, 2000)->role = ROLE_BIOS_BOOT;
	expect_refused("needs 1944 more sectors between partition 3 and partition 4");
}

/* Case 30: LUKS that aligned itself. */
static void compensated_payload_stays(void **state)
{
	(void)state;
	case_init(&c, TABLE_DOS, 400000, 512);
	case_add(&c, 1, "83", 63, 100000);
	case_add(&c, 2, "83", 110001, 100000);
	case_content(&c, 1, "crypto_LUKS", 2048 * 512 - 63 * 512);
	expect_feasible();
	assert_int_equal(case_start(&c, 1), 63);
	assert_int_equal(case_start(&c, 2), 110592);
	case_only(&c, 1);
	expect_feasible();
	assert_int_equal(c.plan->move_count, 0);
	/* Not even to make room. */
	case_free(&c);
	case_init(&c, TABLE_DOS, 400000, 512);
	case_add(&c, 1, "83", 63, 100000);
	case_add(&c, 2, "83", 100063, 100000);
	case_content(&c, 2, "crypto_LUKS", (102400 - 100063) * 512);
	expect_refused("between partition 1 and partition 2, which makes up for its start");
	c.contents[1].count = 0;
	expect_feasible();
}

static void off_inside_only(void **state)
{
	(void)state;
	case_init(&c, TABLE_DOS, 400000, 512);
	case_add(&c, 1, "83", 2048, 100000);
	case_content(&c, 1, "crypto_LUKS", 63 * 512);
	expect_refused("what is misaligned is inside");
	/* Beside one that can be mended it is only mentioned. */
	case_add(&c, 2, "83", 110001, 100000);
	expect_feasible();
	assert_int_equal(c.plan->move_count, 1);
	expect_attention("partition 1 stays misaligned", true);
}

static void nested_labels_stay(void **state)
{
	struct partition *slice, *p;

	(void)state;
	case_init(&c, TABLE_DOS, 600000, 512);
	slice = case_add(&c, 1, "a5", 63, 200000);
	slice->role = ROLE_CONTAINER;
	p = case_add(&c, 5, "7", 79, 50000);
	p->parent = 0;
	p->table = TABLE_BSD;
	expect_refused("partition 1 holds a label of its own");
	case_add(&c, 2, "83", 200064 + 1, 100000);
	expect_refused("--only=N");
	case_only(&c, 2);
	expect_feasible();
	assert_int_equal(c.plan->move_count, 1);
	assert_int_equal(case_start(&c, 2), 200704);
	/* What its label claims need not be on the disk, nor on any. */
	p->size = UINT64_MAX;
	expect_refused("partition 5 lies beyond any disk");
	p->size = 50000 * 512;
	p->ebr = UINT64_MAX - 511;
	expect_refused("partition 5 lies beyond any disk");
	p->ebr = 0;
	c.request.grain = UINT64_MAX - 4095;
	expect_refused("--grain is too large");
	c.request.grain = 0;
	/* The slice is aligned, what is in it is not. */
	c.request.only_count = 0;
	c.layout.count = 2;
	c.partitions[0].start = 64 * 512;
	expect_refused("lies in the label of another partition");
	c.partitions[1].start = 80 * 512;
	expect_feasible();
	/* Either sign is enough: slices, or the role. */
	c.partitions[0].start = 63 * 512;
	c.partitions[1].start = 80 * 512;
	snprintf(c.partitions[0].type, GUID_TEXT_MAX, "83");
	c.partitions[0].role = ROLE_DATA;
	expect_refused("partition 1 holds a label of its own");
	c.layout.count = 1;
	expect_feasible();
	c.partitions[0].role = ROLE_CONTAINER;
	expect_refused("partition 1 holds a label of its own");
	snprintf(c.partitions[0].type, GUID_TEXT_MAX, "a5");
	/* The label could not be read: the type is enough. */
	c.layout.count = 1;
	c.partitions[0].start = 63 * 512;
	c.partitions[0].role = ROLE_DATA;
	expect_refused("label records positions");
}

static void fixed_contents_stay(void **state)
{
	static const char *const types[] = { "swsuspend", "ReFS" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		case_free(&c);
		case_init(&c, TABLE_DOS, 400000, 512);
		case_add(&c, 1, "82", 63, 100000);
		case_content(&c, 1, types[i], 0);
		expect_refused("partition 1 holds");
		snprintf(c.contents[0].layers[0].type, sizeof(c.contents[0].layers[0].type),
			 "swap");
		expect_feasible();
	}
	c.contents[0].ambiguous = true;
	expect_refused("two signatures");
}

/* ---- refusals of the whole table ---- */

static void damaged_tables(void **state)
{
	static const enum finding_id ids[] = {
		FINDING_TABLE_DAMAGED,    FINDING_OVERLAP,
		FINDING_HYBRID_MBR,       FINDING_HYBRID_MBR_CONTRADICTS,
		FINDING_EBR_INSIDE_DATA,  FINDING_BEYOND_END,
		FINDING_KERNEL_DISAGREES, FINDING_SECTOR_SIZE_MISMATCH,
		FINDING_STACK_MISALIGNED, FINDING_UNFINISHED_REALIGNMENT,
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		case_free(&c);
		case_init(&c, TABLE_DOS, 400000, 512);
		case_add(&c, 1, "83", 63, 100000);
		expect_feasible();
		findings_add(&c.layout.findings, ids[i], (int)(i % 2) - 1, "is wrong");
		expect_refused(finding_name(ids[i]));
	}
	/* Even where nothing would move: such a table is not to be called done. */
	c.partitions[0].start = 2048 * 512;
	expect_refused(finding_name(ids[ARRAY_SIZE(ids) - 1]));
	/* What is only worth a warning does not stand in the way. */
	findings_free(&c.layout.findings);
	c.partitions[0].start = 63 * 512;
	findings_add(&c.layout.findings, FINDING_BACKUP_GPT_MISPLACED, -1, "is wrong");
	expect_feasible();
	c.layout.hybrid = true;
	expect_refused("hybrid");
}

static void dynamic_disks(void **state)
{
	(void)state;
	case_init(&c, TABLE_DOS, 400000, 512);
	case_add(&c, 1, "42", 63, 100000);
	expect_refused("dynamic disk");
	case_free(&c);
	case_init(&c, TABLE_GPT, 400000, 512);
	case_add(&c, 1, "x", 63, 100000);
	expect_feasible();
	case_add(&c, 2, "AF9B60A0-1431-4F62-BC68-3311714A69AD", 204800, 10000);
	expect_refused("dynamic disk");
	snprintf(c.partitions[1].type, GUID_TEXT_MAX, "5808C8AA-7E8F-42E0-85D2-E1E90434CFB3");
	expect_refused("dynamic disk");
}

static void other_tables(void **state)
{
	static char host_managed[] = "host-managed", host_aware[] = "host-aware";

	(void)state;
	case_init(&c, TABLE_SUN, 400000, 512);
	case_add(&c, 1, "2", 16065, 100000);
	expect_refused("a sun table is not rewritten");
	c.partitions[0].start = 16064 * 512;
	expect_feasible(); /* nothing to move: nothing to refuse */
	case_free(&c);
	case_init(&c, TABLE_NONE, 400000, 512);
	expect_feasible();
	c.device.topology.alignment_offset = 3584;
	expect_refused("no partition table");
	case_free(&c);
	case_init(&c, TABLE_DOS, 400000, 512);
	case_add(&c, 1, "83", 63, 100000);
	c.device.zoned = host_managed;
	expect_refused("zoned");
	c.device.zoned = host_aware;
	expect_feasible();
	c.device.topology.alignment_offset = -1;
	expect_refused("layer below");
}

/* A table that is only written down: starts go up, and what its types would hold is not there. */
static void written_tables(void **state)
{
	(void)state;
	case_init(&c, TABLE_DOS, 1000000, 512);
	case_add(&c, 1, "bf", 48195, 100000);
	c.request.grain = 4096;
	expect_refused("label records positions");
	c.device.kind = KIND_TABLE;
	expect_feasible();
	assert_int_equal(c.plan->move_count, 1);
	assert_int_equal(c.plan->moves[0].to, 48200 * 512);
	case_free(&c);
}

/* Layout says these; the planner does not rest on it. */
static void impossible_tables(void **state)
{
	(void)state;
	case_init(&c, TABLE_DOS, 400000, 512);
	case_add(&c, 1, "83", 63, 100000);
	case_add(&c, 2, "83", 100062, 1000);
	expect_refused("partitions 1 and 2 overlap");
	c.partitions[1].start = 100063 * 512;
	expect_feasible();
	c.partitions[1].size = 0;
	expect_refused("partition 2 is empty");
	c.partitions[1].size = 400000 * 512;
	expect_refused("past the end");
	c.partitions[1].size = 1000;
	expect_refused("whole sectors");
	c.partitions[1].size = 1024;
	c.partitions[0].size = 40 * 512;
	c.partitions[0].start = 0;
	expect_refused("in the table itself");
	c.partitions[0].start = 512;
	expect_feasible();
	case_free(&c);
	add_chs_era();
	c.partitions[3].ebr = c.partitions[4].ebr;
	expect_refused("in one EBR");
	c.partitions[3].ebr = c.partitions[2].start + 512;
	expect_refused("the EBR of partition 6 lies in partition 5");
	case_free(&c);
	add_chs_era();
	c.partitions[2].start = c.partitions[1].start;
	expect_refused("crosses the border of partition 2");
	case_free(&c);
	add_chs_era();
	c.partitions[1].size += 3 * 512;
	case_add(&c, 3, "83", 514082, 1000);
	expect_refused("crosses the border of partition 2");
	c.partitions[1].size -= 3 * 512;
	expect_feasible();
}

/* Case 40: found from the end of what it is in, so under the cover from the end of the disk. */
static void end_metadata(void **state)
{
	(void)state;
	case_init(&c, TABLE_DOS, 400000, 512); /* a multiple of 64 KiB, 128 sectors: 3125 */
	case_add(&c, 1, "fd", 63, 100000);
	case_add(&c, 2, "fd", 200064 - 64, 400000 - 200000);
	case_content(&c, 2, "linux_raid_member", 0);
	expect_refused("partition 2 ends with the disk");
	c.contents[1].layers[0].data_offset += MIB; /* 1.1 or 1.2: its superblock is in front */
	expect_feasible();
	c.contents[1].layers[0].data_offset -= MIB;
	c.partitions[1].size -= 128 * 512;
	expect_feasible();
	c.partitions[1].size += 128 * 512;
	snprintf(c.contents[1].layers[0].type, sizeof(c.contents[1].layers[0].type), "ext4");
	expect_feasible();
	snprintf(c.contents[1].layers[0].type, sizeof(c.contents[1].layers[0].type), "zfs_member");
	c.device.size = 400384 * 512ULL;
	c.partitions[1].start = 200704 * 512ULL;
	c.partitions[1].size = c.device.size - c.partitions[1].start;
	expect_refused("zfs_member");
	c.partitions[1].size -= 512 * 512;
	expect_feasible();
}

/* ---- journal and protection ---- */

static void journal_in_a_gap(void **state)
{
	(void)state;
	case_init(&c, TABLE_DOS, 262144, 512);
	c.request.journal_file = false;
	case_add(&c, 1, "83", 63, 200000);
	expect_feasible();
	assert_int_equal(c.plan->journal, JOURNAL_GAP);
	assert_true(c.plan->journal_start >= (2048 + 200000) * 512);
	assert_int_equal(c.plan->journal_start % 4096, 0);
	assert_int_equal(c.plan->journal_bytes, 2 * MIB);
	/* Less than 2 MiB: the user names a file. */
	c.device.size = (2048 + 200000 + 4000) * 512;
	expect_refused("--journal");
	c.request.journal_file = true;
	expect_feasible();
	c.request.journal_file = false;
	c.device.size = (2048 + 200000 + 8 + 4096 + 128) * 512;
	expect_feasible();
	case_occupy(&c, 204000, 204001);
	expect_refused("--journal");
}

/* The only gap, between two logicals, has an EBR in it. */
static void journal_keeps_off_tables(void **state)
{
	(void)state;
	case_init(&c, TABLE_DOS, 61440, 512);
	c.request.journal_file = false;
	case_add(&c, 1, "5", 2048, 60543 - 2048);
	case_add_logical(&c, 5, 2048, 2111, 11889); /* to 14000 */
	case_add_logical(&c, 6, 17000, 20543, 40000);
	expect_refused("--journal");
	c.partitions[2].ebr = 20480 * 512;
	expect_feasible();
	assert_in_range(c.plan->journal_start, 14000 * 512, 14010 * 512);
	/* Where the EBR goes counts as well: 8 sectors in front of 20480. */
	c.partitions[1].size += (20480 - 4096 - 14000) * 512;
	expect_refused("--journal");
	c.partitions[1].size -= 70 * 512;
	expect_feasible();
	/* The old EBR alone: the new one is right in front of its logical. */
	c.partitions[1].start = 4033 * 512;
	c.partitions[1].size = 11889 * 512; /* to 15922, then to 15985 */
	c.partitions[2].ebr = 16000 * 512;
	expect_feasible();
	assert_int_equal(c.plan->places[2].ebr, 20479 * 512);
	assert_int_equal(c.plan->journal_start, 16008 * 512);
}

/* A small gap takes smaller windows; a large one all that is wanted. */
static void journal_windows_follow_the_gap(void **state)
{
	(void)state;
	case_init(&c, TABLE_DOS, 110000 + 4096 + 300, 512);
	c.request.journal_file = false;
	case_add(&c, 1, "83", 2049, 107900);
	expect_feasible();
	assert_int_equal(c.plan->moves[0].protection, PROTECT_JOURNAL);
	assert_in_range(c.plan->moves[0].window, 512 * KIB, 600 * KIB);
	c.device.size += 80 * MIB;
	expect_feasible();
	assert_int_equal(c.plan->moves[0].window, 32 * MIB);
	assert_in_range(c.plan->journal_bytes, 65 * MIB, 66 * MIB);
}

static void lanes(void **state)
{
	(void)state;
	case_init(&c, TABLE_DOS, 2400000, 512);
	case_add(&c, 1, "83", 63, 2000000);
	c.request.lanes = 64;
	expect_feasible();
	assert_int_equal(c.plan->moves[0].protection, PROTECT_LANES);
	assert_int_equal(c.plan->moves[0].lanes, 64);
	assert_true(c.plan->journal_bytes > 63 * 1985 * 512);
	c.request.rotational = TRI_YES;
	expect_feasible();
	assert_int_equal(c.plan->moves[0].protection, PROTECT_SHIFT);
	c.request.rotational = TRI_NO;
	c.request.journal_file = false; /* sills take what the gap has */
	expect_feasible();
	assert_int_equal(c.plan->moves[0].lanes, 64);
	c.device.size = (2002048 + 128 + 4 * 2048) * 512ULL;
	expect_feasible();
	assert_int_equal(c.plan->moves[0].lanes, 4);
	/* A partition of few shifts gets few lanes. */
	c.request.journal_file = true;
	c.partitions[0].size = 20000 * 512;
	expect_feasible();
	assert_int_equal(c.plan->moves[0].lanes, 2);
	c.partitions[0].size = 10000 * 512;
	expect_feasible();
	assert_int_equal(c.plan->moves[0].protection, PROTECT_SHIFT);
}

static void windows(void **state)
{
	(void)state;
	case_init(&c, TABLE_DOS, 2400000, 512);
	case_add(&c, 1, "83", 63, 1000000);
	case_occupy(&c, 1000063, 1000063 + 40000); /* far: 20 MiB and more */
	case_occupy(&c, 1050000, 1050001);
	c.request.grain = 64 * MIB;
	expect_feasible();
	assert_int_equal(c.plan->moves[0].window, 8 * MIB);
	c.request.rotational = TRI_YES;
	expect_feasible();
	assert_int_equal(c.plan->moves[0].window,
			 c.plan->moves[0].to - c.plan->moves[0].from < 64 * MIB
				 ? c.plan->moves[0].to - c.plan->moves[0].from
				 : 64 * MIB);
}

/* ---- attention ---- */

static void attention(void **state)
{
	(void)state;
	case_init(&c, TABLE_DOS, 400000, 512);
	case_add(&c, 1, "7", 63, 100000)->bootable = true;
	case_content(&c, 1, "ntfs", 0);
	expect_feasible();
	expect_attention("BCD", true);
	c.partitions[0].bootable = false;
	expect_feasible();
	expect_attention("BCD", false);
	expect_attention("drive letter", true);
	snprintf(c.partitions[0].type, GUID_TEXT_MAX, "83");
	c.partitions[0].bootable = true;
	expect_feasible();
	expect_attention("drive letter", false);
	snprintf(c.contents[0].layers[0].type, sizeof(c.contents[0].layers[0].type), "BitLocker");
	expect_feasible();
	expect_attention("BitLocker", true);
	c.partitions[0].start = 2048 * 512; /* nothing moves, nothing to mend */
	c.contents[0].layers[0].data_offset = 2048 * 512;
	expect_feasible();
	assert_int_equal(c.plan->attention_count, 0);
	case_free(&c);
	case_init(&c, TABLE_GPT, 400000, 512);
	case_add(&c, 1, "C12A7328-F81F-11D2-BA4B-00A0C93EC93B", 34, 100000);
	expect_feasible();
	expect_attention("efibootmgr", true);
	case_content(&c, 1, "crypto_LUKS", 3 * 512);
	expect_feasible();
	expect_attention("off a boundary by itself", true);
}

static void names(void **state)
{
	(void)state;
	assert_string_equal(protection_name(PROTECT_SHIFT), "shift");
	assert_string_equal(protection_name(PROTECT_LANES), "lanes");
	assert_string_equal(protection_name(PROTECT_JOURNAL), "journal");
	assert_string_equal(journal_where_name(JOURNAL_NOWHERE), "none");
	assert_string_equal(journal_where_name(JOURNAL_GAP), "gap");
	assert_string_equal(journal_where_name(JOURNAL_FILE), "file");
	plan_free(NULL);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_teardown(f, forget)
	const struct CMUnitTest tests[] = {
		TEST(nothing_to_do),
		TEST(mbr_63),
		TEST(chs_era),
		TEST(tight_logicals),
		TEST(chain_out_of_order),
		TEST(room_for_two_ebrs),
		TEST(no_room_for_an_ebr),
		TEST(no_room_for_the_first_ebr),
		TEST(ebr_keeps_off_data),
		TEST(gpt_34),
		TEST(gpt_34_filling_the_disk),
		TEST(smaller_grain_is_offered),
		TEST(grown_gpt),
		TEST(mbr_to_the_last_sector),
		TEST(last_sectors_come_last),
		TEST(back_to_back),
		TEST(left_into_a_hole),
		TEST(fewest_bytes),
		TEST(one_or_two_sectors),
		TEST(large_sectors),
		TEST(jumper),
		TEST(image_offset),
		TEST(stripe),
		TEST(only),
		TEST(gaps_with_data),
		TEST(old_ebrs_are_no_data),
		TEST(mbr_beyond_2_tib),
		TEST(near_the_end_of_numbers),
		TEST(exempt_roles_stay),
		TEST(compensated_payload_stays),
		TEST(off_inside_only),
		TEST(nested_labels_stay),
		TEST(fixed_contents_stay),
		TEST(damaged_tables),
		TEST(dynamic_disks),
		TEST(other_tables),
		TEST(written_tables),
		TEST(impossible_tables),
		TEST(end_metadata),
		TEST(journal_in_a_gap),
		TEST(journal_keeps_off_tables),
		TEST(journal_windows_follow_the_gap),
		TEST(lanes),
		TEST(windows),
		TEST(attention),
		TEST(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
