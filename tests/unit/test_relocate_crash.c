// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The crash test: for every call N until a run meets no crash: run, crash at N, look at what the
 * disk shows, then resume and (in another run) undo, with crashes inside those too; every byte of
 * every partition against the oracle. `make check-crash` tries every second crash as well.
 *
 * CRASH_FULL=1: all of it. CRASH_STOP=1: leave at the first failure. CRASH_LAYOUT=NAME: that one.
 * CRASH_SEED=N: other luck. The number of crash states is printed at the end.
 */
#include "unit.h"

#include "relocation_oracle.h"

static const struct world_layout layouts[] = {
	{ "shift right",
	  WORLD_MBR,
	  512,
	  512,
	  160,
	  true,
	  2,
	  { { 3, 10, 7, PROTECT_SHIFT, 9, 1, 0, 0 } },
	  { 1 } },
	{ "shift right, gap, cut at physical sectors",
	  WORLD_MBR,
	  512,
	  2048,
	  256,
	  false,
	  2,
	  { { 3, 13, 8, PROTECT_SHIFT, 5, 1, 0, 0 } },
	  { 1 } },
	{ "shift left, gap",
	  WORLD_MBR,
	  512,
	  512,
	  256,
	  false,
	  2,
	  { { 8, 11, 5, PROTECT_SHIFT, 2, 1, 0, 0 } },
	  { 1 } },
	{ "shift farther than its size",
	  WORLD_MBR,
	  512,
	  1024,
	  160,
	  true,
	  2,
	  { { 2, 7, 16, PROTECT_SHIFT, 7, 1, 0, 0 } },
	  { 1 } },
	{ "shift one sector",
	  WORLD_MBR,
	  512,
	  4096,
	  160,
	  true,
	  2,
	  { { 2, 1, 3, PROTECT_SHIFT, 0, 1, 0, 0 }, { 3, 2, 4, PROTECT_SHIFT, 1, 1, 0, 0 } },
	  { 2, 1 } },
	{ "journal right",
	  WORLD_MBR,
	  512,
	  512,
	  160,
	  true,
	  2,
	  { { 3, 11, 4, PROTECT_JOURNAL, 3, 1, 0, 0 } },
	  { 1 } },
	{ "journal left, gap",
	  WORLD_MBR,
	  512,
	  2048,
	  256,
	  false,
	  2,
	  { { 4, 10, 3, PROTECT_JOURNAL, 4, 1, 0, 0 } },
	  { 1 } },
	{ "two right, the first over the second",
	  WORLD_MBR,
	  512,
	  512,
	  256,
	  false,
	  4,
	  { { 3, 8, 9, PROTECT_SHIFT, 3, 1, 0, 0 }, { 11, 7, 18, PROTECT_JOURNAL, 9, 1, 0, 0 } },
	  { 2, 1 } },
	{ "two left",
	  WORLD_MBR,
	  512,
	  512,
	  160,
	  true,
	  4,
	  { { 8, 6, 4, PROTECT_SHIFT, 4, 1, 0, 0 }, { 14, 6, 11, PROTECT_JOURNAL, 2, 1, 0, 0 } },
	  { 1, 2 } },
	{ "right, fixed, left",
	  WORLD_MBR,
	  512,
	  512,
	  256,
	  false,
	  2,
	  { { 2, 5, 4, PROTECT_SHIFT, 2, 1, 0, 0 },
	    { 10, 4, 10, PROTECT_SHIFT, 0, 1, 0, 0 },
	    { 19, 6, 16, PROTECT_SHIFT, 2, 1, 0, 0 } },
	  { 1, 3 } },
	{ "EBR right, the old EBR overwritten",
	  WORLD_EBR,
	  512,
	  512,
	  256,
	  false,
	  2,
	  { { 3, 5, 5, PROTECT_SHIFT, 2, 1, 2, 2 }, { 9, 6, 14, PROTECT_SHIFT, 5, 1, 8, 12 } },
	  { 2, 1 } },
	{ "EBR left",
	  WORLD_EBR,
	  512,
	  512,
	  160,
	  true,
	  4,
	  { { 8, 5, 4, PROTECT_SHIFT, 4, 1, 2, 2 }, { 15, 6, 12, PROTECT_JOURNAL, 3, 1, 13, 10 } },
	  { 1, 2 } },
	{ "GPT right, gap",
	  WORLD_GPT,
	  512,
	  512,
	  256,
	  false,
	  2,
	  { { 4, 6, 6, PROTECT_SHIFT, 2, 1, 0, 0 }, { 11, 7, 16, PROTECT_SHIFT, 4, 1, 0, 0 } },
	  { 2, 1 } },
	{ "GPT journal left",
	  WORLD_GPT,
	  512,
	  1024,
	  160,
	  true,
	  2,
	  { { 5, 8, 4, PROTECT_JOURNAL, 3, 1, 0, 0 } },
	  { 1 } },
	{ "lanes right, the last part short",
	  WORLD_MBR,
	  512,
	  512,
	  160,
	  true,
	  2,
	  { { 3, 14, 5, PROTECT_LANES, 2, 3, 0, 0 } },
	  { 1 } },
	{ "lanes left, gap",
	  WORLD_MBR,
	  512,
	  1024,
	  256,
	  false,
	  2,
	  { { 6, 17, 4, PROTECT_LANES, 2, 4, 0, 0 } },
	  { 1 } },
	{ "lanes that are all sill",
	  WORLD_MBR,
	  512,
	  512,
	  160,
	  true,
	  2,
	  { { 3, 11, 7, PROTECT_LANES, 0, 8, 0, 0 } },
	  { 1 } },
	{ "lanes whose record takes two sectors",
	  WORLD_MBR,
	  512,
	  512,
	  192,
	  true,
	  8,
	  { { 3, 64, 4, PROTECT_LANES, 1, 64, 0, 0 } },
	  { 1 } },
	{ "lanes, journal and shift",
	  WORLD_MBR,
	  512,
	  512,
	  256,
	  false,
	  2,
	  { { 3, 8, 4, PROTECT_LANES, 1, 3, 0, 0 },
	    { 12, 6, 13, PROTECT_JOURNAL, 3, 1, 0, 0 },
	    { 19, 9, 21, PROTECT_LANES, 1, 2, 0, 0 },
	    { 33, 5, 31, PROTECT_SHIFT, 2, 1, 0, 0 } },
	  { 3, 2, 1, 4 } },
	{ "GPT, lanes in both directions",
	  WORLD_GPT,
	  512,
	  512,
	  256,
	  false,
	  2,
	  { { 4, 8, 5, PROTECT_LANES, 1, 3, 0, 0 }, { 16, 9, 14, PROTECT_LANES, 2, 3, 0, 0 } },
	  { 1, 2 } },
	{ "4096: shift and journal",
	  WORLD_GPT,
	  4096,
	  4096,
	  64,
	  false,
	  8,
	  { { 4, 5, 6, PROTECT_SHIFT, 2, 1, 0, 0 }, { 12, 5, 13, PROTECT_JOURNAL, 2, 1, 0, 0 } },
	  { 2, 1 } },
	{ "4096: lanes",
	  WORLD_EBR,
	  4096,
	  4096,
	  64,
	  false,
	  4,
	  { { 3, 8, 4, PROTECT_LANES, 1, 3, 2, 2 }, { 15, 4, 13, PROTECT_SHIFT, 2, 1, 14, 12 } },
	  { 1, 2 } },
};

enum crash_mode { POWER_NONE, POWER_ALL, POWER_SOME, KILL, BAD_FLUSH, CRASH_MODES };
enum command { FIX, RESUME, UNDO };

struct trial {
	struct world start, now, second, third;
	uint64_t states;
	const struct world_layout *layout;
	const char *path[8]; /* what led here, for the message */
	size_t depth;
};

static void fail_trial(struct trial *t, const struct world *w, const char *what)
{
	print_error("%s: %s (%s; %d changes) after:\n", t->layout->name, what, w->said.text,
		    w->changes);
	for (size_t i = 0; i < t->depth; i++)
		print_error("    %s\n", t->path[i]);
	if (getenv("CRASH_STOP")) /* one is enough for tests/mutate */
		exit(1);
	fail();
}

static void check(struct trial *t, const struct world *w, const char *wrong)
{
	if (wrong)
		fail_trial(t, w, wrong);
}

/* Runs a command; `crash_at` counts its writes and flushes. */
static enum move_result run(struct world *w, enum command command, uint64_t crash_at, bool bad)
{
	struct relocation_request request = {
		.plan = &w->plan,
		.old_table = &w->image[0],
		.new_table = &w->image[1],
		.logical_sector_size = w->layout->sector,
		.physical_sector_size = w->layout->physical,
		.journal_name = w->layout->journal_file ? "/some/where/journal" : NULL,
	};
	struct reason reason = { "" };

	w->clock.writes = w->clock.calls = 0;
	w->clock.crash_at = crash_at;
	w->clock.is_dead = false;
	w->clock.bad_flush = bad;
	w->relocation.window_max = (1 + crash_random(&w->clock) % 6) * w->layout->sector;
	enum move_result result = MOVE_REFUSED;

	if (command == UNDO)
		result = relocation_undo(&w->relocation, &reason);
	else if (command == RESUME || !relocation_create(&w->relocation, &request, &reason))
		result = relocation_resume(&w->relocation, &reason);
	w->said = reason;
	return result;
}

/* After a crash: what is left, and what the machine makes of it. */
static void settle(struct trial *t, struct world *w, enum crash_mode mode)
{
	static const unsigned odds[] = { [POWER_NONE] = 0, [POWER_ALL] = 256 };

	w->clock.is_dead = false;
	t->states++;
	if (mode <= POWER_SOME) {
		unsigned some = 16 + crash_random(&w->clock) % 224;

		crash_power(&w->disk, mode == POWER_SOME ? some : odds[mode]);
		crash_power(&w->file, mode == POWER_SOME ? some : odds[mode]);
		/* It boots: the kernel shows what sector 0 says. */
		w->nodes = is_cover(w->disk.view, w->layout->sector, NULL) ? -1
			   : world_shows(w, w->disk.view, 1)               ? 1
									   : 0;
	}
	check(t, w, world_wrong_state(w));
	if (mode <= POWER_SOME && crash_random(&w->clock) % 2)
		world_change(w);
}

/* The command must end, with every byte right. */
static void finish(struct trial *t, struct world *w, enum command command)
{
	int is_new = command != UNDO;
	enum move_result result = run(w, command, CRASH_NEVER, false);

	/* Died before there was a journal: then nothing has begun, and the fix starts again. */
	if (result == MOVE_REFUSED && !is_cover(w->disk.view, w->layout->sector, NULL)) {
		if (!world_shows(w, w->disk.view, 0))
			fail_trial(t, w, "refused, but not in the old layout");
		result = is_new ? run(w, FIX, CRASH_NEVER, false) : MOVE_DONE;
	}
	if (result != MOVE_DONE)
		fail_trial(t, w, is_new ? "resume does not end" : "undo does not end");
	if (w->disk.queued || w->file.queued)
		fail_trial(t, w, "done, but not flushed");
	if (!world_shows(w, w->disk.durable, is_new))
		fail_trial(t, w, "done, but with another table");
	if (w->nodes != is_new)
		fail_trial(t, w, "done, but the kernel was not told");
	check(t, w, world_wrong(w, w->disk.durable, is_new));
	check(t, w, world_wrong_gaps(w, w->disk.durable, is_new));
}

static void finish_both(struct trial *t, const struct world *from, struct world *scratch)
{
	static const char *const names[] = { "fix", "resume", "undo" };

	for (enum command c = RESUME; c <= UNDO; c++) {
		world_copy(scratch, from);
		t->path[t->depth++] = names[c];
		finish(t, scratch, c);
		/* And the other way from the end, after the owner went on working. */
		world_change(scratch);
		t->path[t->depth++] = "the other way";
		finish(t, scratch, c == UNDO ? RESUME : UNDO);
		t->depth -= 2;
	}
}

/* Crashes inside a resume or undo that started from `from`. */
static void crash_again(struct trial *t, const struct world *from, bool full)
{
	static const char *const names[] = { "fix", "crash in resume", "crash in undo" };

	for (enum command c = RESUME; c <= UNDO; c++) {
		for (uint64_t n = 0;; n++) {
			enum crash_mode mode = crash_random(&t->second.clock) % CRASH_MODES;

			if (!full)
				n += crash_random(&t->second.clock) % 96;
			world_copy(&t->second, from);
			run(&t->second, c, n, mode == BAD_FLUSH);
			if (!t->second.clock.is_dead)
				break;
			t->path[t->depth++] = names[c];
			settle(t, &t->second, mode);
			finish_both(t, &t->second, &t->third);
			t->depth--;
		}
	}
}

/* Any number of crashes, pauses, changes, one after the other. */
static void walk(struct trial *t, unsigned steps)
{
	enum command c = FIX;

	world_copy(&t->now, &t->start);
	for (unsigned i = 0; i < steps; i++) {
		enum crash_mode mode = crash_random(&t->now.clock) % CRASH_MODES;

		t->now.pause_in = crash_random(&t->now.clock) % 16;
		run(&t->now, c, crash_random(&t->now.clock) % 48, mode == BAD_FLUSH);
		t->now.pause_in = -1;
		if (t->now.clock.is_dead)
			settle(t, &t->now, mode);
		finish_both(t, &t->now, &t->third);
		c = crash_random(&t->now.clock) % 2 ? RESUME : UNDO;
	}
}

/* Every second layout begins with the journal of an earlier fix in the same place; then somebody
 * put the disk back as it was. */
static void make_stale(struct trial *t)
{
	struct world *w = &t->start;
	uint64_t base = w->relocation.journal_base, end = base + w->relocation.journal_size;

	if ((t->layout - layouts) % 2)
		return;
	if (run(w, FIX, CRASH_NEVER, false) != MOVE_DONE)
		fail_trial(t, w, "the first fix does not end");
	for (uint64_t at = 0; at < w->disk.io.size; at += w->layout->sector)
		if (t->layout->journal_file || at < base || at >= end)
			memcpy(w->disk.durable + at, w->truth + at, w->layout->sector);
	crash_power(&w->disk, 0);
	w->nodes = 0;
}

static uint64_t all_states;

static void crash_everywhere(void **state)
{
	struct trial t = { .layout = *state };
	bool full = getenv("CRASH_FULL");
	const char *seed = getenv("CRASH_SEED");
	struct world *worlds[] = { &t.start, &t.now, &t.second, &t.third };

	for (size_t i = 0; i < ARRAY_SIZE(worlds); i++)
		world_init(worlds[i], t.layout, seed ? strtoull(seed, NULL, 0) : 1);
	make_stale(&t);
	for (uint64_t n = 0; !t.now.clock.writes || t.now.clock.is_dead || n < 2; n++) {
		for (enum crash_mode mode = 0; mode < CRASH_MODES; mode++) {
			world_copy(&t.now, &t.start);
			t.path[0] = "crash in fix";
			t.depth = 1;
			run(&t.now, FIX, n, mode == BAD_FLUSH);
			if (!t.now.clock.is_dead)
				break;
			settle(&t, &t.now, mode);
			finish_both(&t, &t.now, &t.third);
			if (full || mode == POWER_SOME || mode == KILL)
				crash_again(&t, &t.now, full);
			t.now.clock.is_dead = true;
		}
	}
	t.depth = 0;
	for (unsigned i = 0; i < (full ? 200 : 6); i++)
		walk(&t, 8);
	all_states += t.states;
	for (size_t i = 0; i < ARRAY_SIZE(worlds); i++)
		world_free(worlds[i]);
}

int main(void)
{
	struct CMUnitTest tests[ARRAY_SIZE(layouts)];
	const char *only = getenv("CRASH_LAYOUT");
	size_t count = 0;
	int failed;

	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		if (!only || !strcmp(only, layouts[i].name))
			tests[count++] =
				(struct CMUnitTest){ .name = layouts[i].name,
						     .test_func = crash_everywhere,
						     .initial_state = (void *)&layouts[i] };
	failed = _cmocka_run_group_tests("relocate_crash", tests, count, NULL, NULL);
	fprintf(stderr, "%llu crash states\n", (unsigned long long)all_states);
	return failed;
}
