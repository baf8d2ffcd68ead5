// SPDX-License-Identifier: GPL-2.0-or-later
/* Resume and undo where the world is against them: faults, damage, foreign tables, other people. */
#include "unit.h"

#include "relocation_oracle.h"

static const struct world_layout lanes = { "lanes and journal",
					   WORLD_GPT,
					   512,
					   512,
					   256,
					   false,
					   4,
					   { { 4, 9, 6, PROTECT_LANES, 1, 3, 0, 0 },
					     { 14, 9, 16, PROTECT_JOURNAL, 4, 1, 0, 0 } },
					   { 2, 1 } };
static const struct world_layout file = { "shift, journal in a file",
					  WORLD_MBR,
					  512,
					  512,
					  160,
					  true,
					  2,
					  { { 3, 12, 7, PROTECT_SHIFT, 3, 1, 0, 0 } },
					  { 1 } };

static const struct world_layout two_lanes = { "lanes twice",
					       WORLD_MBR,
					       512,
					       512,
					       160,
					       true,
					       2,
					       { { 3, 6, 4, PROTECT_LANES, 1, 3, 0, 0 },
						 { 10, 6, 11, PROTECT_LANES, 1, 3, 0, 0 } },
					       { 2, 1 } };

static struct relocation_request request_of(struct world *w)
{
	return (struct relocation_request){ .plan = &w->plan,
					    .old_table = &w->image[0],
					    .new_table = &w->image[1],
					    .logical_sector_size = w->layout->sector,
					    .physical_sector_size = w->layout->physical,
					    .journal_name = w->layout->journal_file ? "/j" : NULL };
}

static int create(struct world *w)
{
	struct relocation_request request = request_of(w);

	int r = relocation_create(&w->relocation, &request, &w->said);

	/* Durable when it says so, header included. */
	assert_int_equal(w->disk.queued + w->file.queued, 0);
	return r;
}

static enum move_result resume(struct world *w)
{
	return relocation_resume(&w->relocation, &w->said);
}

static enum move_result undo(struct world *w)
{
	return relocation_undo(&w->relocation, &w->said);
}

/* A relocation that was paused after `batches`. */
static void begin(struct world *w, const struct world_layout *layout, int batches)
{
	world_init(w, layout, 3);
	w->relocation.window_max = 3 * layout->sector;
	assert_int_equal(create(w), 0);
	w->pause_in = batches;
	assert_int_equal(resume(w), MOVE_PAUSED);
	w->pause_in = -1;
}

/* Resumes; the power goes at the n-th write or flush. False: it did not come to that. */
static bool dies_at(struct world *w, uint64_t n, unsigned odds)
{
	bool died;

	w->clock.writes = 0;
	w->clock.crash_at = n;
	resume(w);
	died = w->clock.is_dead;
	w->clock.crash_at = CRASH_NEVER;
	w->clock.is_dead = false;
	crash_power(&w->disk, odds);
	crash_power(&w->file, odds);
	w->nodes = is_cover(w->disk.view, 512, NULL) ? -1 : world_shows(w, w->disk.view, 1);
	return died;
}

/* Both devices are what they were in `before`. */
static void assert_untouched(const struct world *w, const struct world *before)
{
	assert_int_equal(w->disk.queued + w->file.queued, 0);
	assert_memory_equal(w->disk.durable, before->disk.durable, w->disk.io.size);
	assert_memory_equal(w->file.durable, before->file.durable, w->file.io.size);
}

static void assert_done(struct world *w, int is_new)
{
	assert_true(world_shows(w, w->disk.durable, is_new));
	assert_null(world_wrong(w, w->disk.durable, is_new));
	assert_null(world_wrong_gaps(w, w->disk.durable, is_new));
	assert_int_equal(w->nodes, is_new);
}

static void pauses_after_any_batch(void **state)
{
	struct world w;
	int batches = 0;

	(void)state;
	for (bool paused = true; paused; batches++) {
		world_init(&w, &lanes, 5);
		w.relocation.window_max = 3 * 512;
		assert_int_equal(create(&w), 0);
		w.pause_in = batches;
		paused = resume(&w) == MOVE_PAUSED;
		w.pause_in = -1;
		assert_int_equal(w.disk.queued, 0);
		if (paused)
			assert_true(is_cover(w.disk.durable, 512, NULL));
		assert_int_equal(batches % 2 ? resume(&w) : undo(&w), MOVE_DONE);
		assert_done(&w, batches % 2);
		world_free(&w);
	}
	assert_true(batches > 6);
}

/* The N-th call fails, once or for good: it stops there, writes nothing more, and can go on. */
static void any_call_may_fail(void **state)
{
	const struct world_layout *layouts[] = { &lanes, &file };
	struct world w;

	(void)state;
	for (int turn = 0; turn < 8; turn++) {
		bool good = false, back = turn & 2;

		for (uint64_t n = 0; !good; n++) {
			enum move_result result;

			begin(&w, layouts[turn % 2], back ? 3 : 1);
			w.clock.calls = 0;
			w.clock.fail_at = n;
			w.clock.fail_for_good = turn & 4;
			result = back ? undo(&w) : resume(&w);
			good = w.clock.calls <= n;
			assert_int_equal(result, good ? MOVE_DONE : MOVE_NEEDS_RESUME);
			assert_int_equal(w.clock.writes_after, 0);
			assert_int_equal(!good, w.said.text[0] != 0);
			w.clock.fail_at = CRASH_NEVER;
			w.clock.fail_for_good = false;
			assert_null(world_wrong_state(&w));
			assert_int_equal(n % 2 ? resume(&w) : undo(&w), MOVE_DONE);
			assert_done(&w, n % 2);
			world_free(&w);
		}
	}
}

static void kernel_that_holds_on(void **state)
{
	struct world w, before;

	(void)state;
	world_init(&w, &lanes, 3);
	world_init(&before, &lanes, 3);
	assert_int_equal(create(&w), 0);
	world_copy(&before, &w);
	w.nodes_stuck = true;
	assert_int_equal(resume(&w), MOVE_REFUSED);
	assert_untouched(&w, &before); /* covered and uncovered again */
	assert_string_equal(w.said.text, "in use");
	world_free(&w);
	/* Under the cover of an earlier run there is no way back to the table. */
	begin(&w, &lanes, 2);
	world_copy(&before, &w);
	w.nodes_stuck = true;
	assert_int_equal(resume(&w), MOVE_NEEDS_RESUME);
	assert_int_equal(undo(&w), MOVE_NEEDS_RESUME);
	assert_untouched(&w, &before);
	world_free(&w);
	world_free(&before);
}

/* What is wrong with disk or journal, and what must be said; nothing is written. */
static void journal_gone(struct world *w)
{
	memset(w->disk.view + w->relocation.journal_base, 0, 4096);
}
static void header_damaged(struct world *w)
{
	w->disk.view[w->relocation.journal_base + 40] ^= 1;
}
static void content_damaged(struct world *w)
{
	w->disk.view[w->relocation.journal_base + 12288 + 70] ^= 1;
}
static void records_damaged(struct world *w)
{
	w->disk.view[w->relocation.journal_base + 4096 + 100] ^= 1;
	w->disk.view[w->relocation.journal_base + 8192 + 100] ^= 1;
}
static void other_plan(struct world *w)
{
	struct world other;

	begin(&other, &lanes, 1);
	memcpy(w->disk.view + w->relocation.journal_base,
	       other.disk.view + w->relocation.journal_base, w->relocation.journal_size);
	world_free(&other);
}
static void old_table_back(struct world *w)
{
	for (size_t i = 0; i < w->image[0].count; i++)
		memcpy(w->disk.view + w->image[0].sectors[i].offset, w->image[0].sectors[i].bytes,
		       512);
}
static void other_table(struct world *w)
{
	memset(w->disk.view, 'x', 512);
}
static void other_sector_size(struct world *w)
{
	w->relocation.logical_sector_size = 4096;
}
static void cut_journal(struct world *w)
{
	w->relocation.journal_size -= 4096;
}
static void sill_damaged(struct world *w)
{
	uint8_t *journal = w->disk.view + w->relocation.journal_base;

	journal[get_le64(journal + 88) + 50] ^= 1; /* FORMAT.md: the data area */
}

static void refuses_what_does_not_fit(void **state)
{
	static const struct {
		void (*damage)(struct world *w);
		const char *words;
		bool covered;
	} cases[] = {
		{ journal_gone, "there is no journal here", true },
		{ header_damaged, "header is damaged", true },
		{ content_damaged, "tables are damaged", true },
		{ records_damaged, "no valid record", true },
		{ other_plan, "of another realignment", true },
		{ old_table_back, "back without us", false },
		{ other_table, "neither the one before nor", false },
		{ other_sector_size, "512-byte sectors; this one has 4096", true },
		{ cut_journal, "cut off", true },
		{ sill_damaged, "saved of it is damaged", true },
	};
	struct world w, before;

	(void)state;
	world_init(&before, &lanes, 3);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct relocation_state found;

		begin(&w, &lanes, 10); /* in the lanes, sills saved */
		cases[i].damage(&w);
		memcpy(w.disk.durable, w.disk.view, w.disk.io.size);
		world_copy(&before, &w);
		for (int back = 0; back < 2; back++) {
			assert_int_equal(back ? undo(&w) : resume(&w),
					 cases[i].covered ? MOVE_NEEDS_RESUME : MOVE_REFUSED);
			if (!strstr(w.said.text, cases[i].words))
				fail_msg("case %zu says: %s", i, w.said.text);
			assert_untouched(&w, &before);
		}
		if (cases[i].damage != sill_damaged)
			assert_true(relocation_open(&w.relocation, &found, &w.said) < 0);
		world_free(&w);
	}
	world_free(&before);
}

static void disk_of_another_size(void **state)
{
	struct world w;

	(void)state;
	begin(&w, &file, 1);
	w.disk.io.size -= 512;
	assert_int_equal(resume(&w), MOVE_NEEDS_RESUME);
	assert_non_null(strstr(w.said.text, "another disk"));
	w.disk.io.size += 512;
	assert_int_equal(resume(&w), MOVE_DONE);
	assert_done(&w, 1);
	world_free(&w);
}

/* A window in flight whose source was lost by the drive: say so, write nothing. */
static void lost_source_stops(void **state)
{
	struct world w, before;

	(void)state;
	begin(&w, &file, 1);
	world_init(&before, &file, 3);
	/* Crash with the record durable and its data not: then the source counts. */
	w.clock.writes = 0;
	/* 2 flushes; frontier, turn and cover with 2 flushes each; window, record */
	w.clock.crash_at = 14;
	resume(&w);
	w.clock.is_dead = false;
	w.clock.crash_at = CRASH_NEVER;
	crash_power(&w.disk, 0);
	crash_power(&w.file, 256);
	for (uint64_t at = world_start(&w, 0, 0); at < world_start(&w, 0, 1) + world_size(&w, 0);
	     at++)
		w.disk.view[at] = w.disk.durable[at] = 0;
	world_copy(&before, &w);
	assert_int_equal(resume(&w), MOVE_NEEDS_RESUME);
	assert_non_null(strstr(w.said.text, "fits neither"));
	assert_untouched(&w, &before);
	world_free(&w);
	world_free(&before);
}

/* Of a paused disk there are two copies, and one goes on with the journal, for a batch first if
 * `twice`, until its n-th write or flush (0: to the end). Then the other, with that journal: what
 * it makes of it is right, or it is refused, with nothing written, and still ends right with the
 * journal it was made with. */
static bool other_goes_on(const struct world_layout *layout, bool twice, uint64_t n, bool back,
			  int *refused)
{
	struct world w, other, before;
	bool died;

	begin(&w, layout, 1);
	world_init(&other, layout, 3);
	world_init(&before, layout, 3);
	world_copy(&other, &w);
	if (twice) {
		other.pause_in = 1;
		assert_int_equal(resume(&other), MOVE_PAUSED);
		other.pause_in = -1;
	}
	died = dies_at(&other, n ? n : CRASH_NEVER, 128);
	crash_io_copy(&before.file, &w.file);
	crash_io_copy(&w.file, &other.file);
	crash_io_copy(&other.file, &before.file); /* the journal of the pause */
	world_copy(&before, &w);
	if ((back ? undo(&w) : resume(&w)) != MOVE_DONE) {
		assert_non_null(strstr(w.said.text, "another copy"));
		assert_untouched(&w, &before);
		crash_io_copy(&w.file, &other.file);
		assert_int_equal(back ? undo(&w) : resume(&w), MOVE_DONE);
		++*refused;
	}
	assert_done(&w, !back);
	world_free(&w);
	world_free(&other);
	world_free(&before);
	return died;
}

static void copies_of_a_disk_share_a_journal(void **state)
{
	const struct world_layout *layouts[] = { &file, &two_lanes };

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(layouts); i++) {
		for (int back = 0; back < 2; back++) {
			const struct world_layout *layout = layouts[i / 2];
			int refused = 0;

			other_goes_on(layout, i % 2, 0, back, &refused);
			assert_int_equal(refused, 1);
			for (uint64_t n = 1; other_goes_on(layout, i % 2, n, back, &refused); n++)
				;
			assert_true(refused > 10);
		}
	}
}

static void create_refuses(void **state)
{
	struct world w;
	struct relocation_request r;

	(void)state;
	/* The table changed since it was planned. */
	world_init(&w, &file, 3);
	w.disk.view[460] ^= 1;
	assert_int_equal(create(&w), -EINVAL);
	assert_non_null(strstr(w.said.text, "changed since"));
	w.disk.view[460] ^= 1;
	/* The place holds something. */
	w.file.view[w.file.io.size - 1] = 1;
	assert_int_equal(create(&w), -EEXIST);
	w.file.view[w.file.io.size - 1] = 0;
	/* No room. */
	w.relocation.journal_size = 16384;
	assert_int_equal(create(&w), -ENOSPC);
	w.relocation.journal_size = w.file.io.size + 4096;
	assert_int_equal(create(&w), -EINVAL);
	w.relocation.journal_size = w.file.io.size;
	/* A path that the cover cannot hold. */
	r = request_of(&w);
	r.journal_name =
		"/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		"/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		"/aaaaaaaaaaaaa";
	assert_int_equal(relocation_create(&w.relocation, &r, &w.said), -ENAMETOOLONG);
	/* A move off the disk, or of half a sector. */
	w.moves[0].to = w.disk.io.size - 512;
	assert_int_equal(create(&w), -EINVAL);
	w.moves[0].to = 100;
	assert_int_equal(create(&w), -EINVAL);
	w.moves[0].to = world_start(&w, 0, 1);
	assert_int_equal(w.disk.queued + w.file.queued, 0);
	assert_int_equal(w.clock.writes, 0);
	/* All mended: it goes. */
	assert_int_equal(create(&w), 0);
	assert_int_equal(resume(&w), MOVE_DONE);
	assert_done(&w, 1);
	world_free(&w);
}

static void create_spares_what_is_unfinished(void **state)
{
	struct world w, other;

	(void)state;
	/* The disk is covered. */
	begin(&w, &file, 1);
	assert_int_equal(create(&w), -EBUSY);
	/* The file is the journal of another disk that is. */
	world_init(&other, &file, 9);
	memcpy(other.file.view, w.file.view, w.file.io.size);
	assert_int_equal(create(&other), -EEXIST);
	/* Finished, it may be taken; nothing of the first plan is believed afterwards. */
	assert_int_equal(undo(&w), MOVE_DONE);
	memcpy(other.file.view, w.file.view, w.file.io.size);
	memcpy(other.file.durable, w.file.durable, w.file.io.size);
	assert_int_equal(create(&other), 0);
	assert_int_equal(resume(&other), MOVE_DONE);
	assert_done(&other, 1);
	world_free(&w);
	/* Somebody wrote the old table over the cover: only the journal knows where the data is. */
	begin(&w, &lanes, 4);
	old_table_back(&w);
	w.clock.writes = 0;
	assert_int_equal(create(&w), -EEXIST);
	assert_non_null(strstr(w.said.text, "unfinished"));
	assert_int_equal(w.clock.writes, 0);
	world_free(&w);
	world_free(&other);
}

static void open_says_how_far(void **state)
{
	struct relocation_state found;
	uint64_t last = 0;
	struct world w;

	(void)state;
	world_init(&w, &lanes, 3);
	w.relocation.window_max = 3 * 512;
	assert_int_equal(relocation_open(&w.relocation, &found, &w.said), -ENOENT);
	assert_int_equal(create(&w), 0);
	for (enum move_result r = MOVE_PAUSED; r == MOVE_PAUSED;) {
		w.pause_in = 1;
		r = resume(&w);
		assert_int_equal(relocation_open(&w.relocation, &found, &w.said), 0);
		assert_int_equal(found.bytes_total, 18 * 512);
		assert_true(found.bytes_done >= last && found.bytes_done <= found.bytes_total);
		assert_int_equal(found.finished, r == MOVE_DONE);
		last = found.bytes_done;
	}
	assert_int_equal(found.table, RELOCATION_NEW);
	assert_int_equal(last, 18 * 512);
	w.pause_in = -1;
	assert_int_equal(undo(&w), MOVE_DONE);
	assert_int_equal(relocation_open(&w.relocation, &found, &w.said), 0);
	assert_int_equal(found.table, RELOCATION_OLD);
	assert_int_equal(found.bytes_done, 0);
	/* Nothing to do is done, and stays so. */
	assert_int_equal(undo(&w), MOVE_DONE);
	assert_done(&w, 0);
	world_free(&w);
}

/* Every crash with all applied, and in the resume every crash with some: the sills of one move
 * must be let go before the next takes their place, recovery in between or not. */
static void sills_follow_each_other(void **state)
{
	struct world start, first, second;
	bool died = true;

	(void)state;
	world_init(&start, &two_lanes, 3);
	world_init(&first, &two_lanes, 3);
	world_init(&second, &two_lanes, 3);
	assert_int_equal(create(&start), 0);
	for (uint64_t n = 0; died; n++) {
		bool again = true;

		world_copy(&first, &start);
		died = dies_at(&first, n, 256);
		for (uint64_t m = 0; died && again; m++) {
			world_copy(&second, &first);
			again = dies_at(&second, m, 128);
			assert_null(world_wrong_state(&second));
			assert_int_equal(undo(&second), MOVE_DONE);
			assert_done(&second, 0);
		}
	}
	world_free(&start);
	world_free(&first);
	world_free(&second);
}

static void zeros_become_holes(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, &file, 3);
	assert_int_equal(create(&w), 0);
	assert_int_equal(resume(&w), MOVE_DONE);
	/* 12 sectors, 4 of them empty. */
	assert_int_equal(w.disk.punched, 4 * 512);
	assert_done(&w, 1);
	world_free(&w);
	world_init(&w, &lanes, 3);
	assert_int_equal(create(&w), 0);
	assert_int_equal(resume(&w), MOVE_DONE);
	assert_int_equal(w.disk.punched, 0);
	world_free(&w);
}

static void scan_finds_a_bad_sector(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, &file, 3);
	assert_int_equal(relocation_scan(&w.relocation, &w.plan, &w.said), 0);
	w.clock.calls = 0;
	w.clock.fail_at = 0;
	w.clock.fail_for_good = true;
	assert_int_equal(relocation_scan(&w.relocation, &w.plan, &w.said), -EIO);
	assert_non_null(strstr(w.said.text, "partition 1 cannot be read at sector 3 (byte 1536)"));
	assert_int_equal(w.clock.writes, 0);
	world_free(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pauses_after_any_batch),
		cmocka_unit_test(any_call_may_fail),
		cmocka_unit_test(kernel_that_holds_on),
		cmocka_unit_test(refuses_what_does_not_fit),
		cmocka_unit_test(disk_of_another_size),
		cmocka_unit_test(lost_source_stops),
		cmocka_unit_test(copies_of_a_disk_share_a_journal),
		cmocka_unit_test(create_refuses),
		cmocka_unit_test(create_spares_what_is_unfinished),
		cmocka_unit_test(open_says_how_far),
		cmocka_unit_test(sills_follow_each_other),
		cmocka_unit_test(zeros_become_holes),
		cmocka_unit_test(scan_finds_a_bad_sector),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
