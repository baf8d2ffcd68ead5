// SPDX-License-Identifier: GPL-2.0-or-later
/* Random tables and random plans, seeded. ALIGNCK_TEST_ROUNDS=N: N times as many. */
#include "encode_case.h"

static uint64_t seed;

static uint64_t below(uint64_t n)
{
	return next_random(&seed) % n;
}

static void random_primaries(char *script, size_t room, bool gpt)
{
	unsigned entries = 1 + below(gpt ? 10 : 4), at = 0, lba = 34 + below(3000);

	at += snprintf(script, room, "label: %s\n", gpt ? "gpt\nfirst-lba: 34" : "dos");
	for (unsigned n = 1; n <= entries; n++) {
		unsigned size = 1 + below(9000);

		if (below(4)) /* else a hole in the numbers */
			at += snprintf(script + at, room - at, "%u: start=%u, size=%u%s\n", n, lba,
				       size, below(5) || gpt ? "" : ", bootable");
		lba += size + (below(2) ? 0 : below(5000));
	}
	if (!strchr(script, '='))
		snprintf(script + at, room - at, "1: start=63, size=1000\n");
}

static void random_logicals(char *script, size_t room)
{
	unsigned logicals = 1 + below(7), first = 10000 + below(4000), lba = first, at;
	char *lines[8];
	unsigned order[8];

	for (unsigned i = 0; i < logicals; i++) {
		unsigned gap = below(3) ? 1 + below(3000) : 1, size = 1 + below(9000);

		order[i] = i;
		lines[i] = NULL;
		assert_true(asprintf(&lines[i], "start=%u, size=%u, type=%u\n", lba + gap, size,
				     83 - (unsigned)below(2)) > 0);
		lba += gap + size;
	}
	/* Half of them out of disk order, where the first one to be named has its EBR far away. */
	if (below(2))
		for (unsigned i = logicals - 1; i > 0; i--) {
			unsigned j = below(i + 1), k = order[i];

			order[i] = order[j];
			order[j] = k;
		}
	at = snprintf(script, room,
		      "label: dos\n1: start=63, size=%u\n2: start=%u, size=%u, type=f\n",
		      1 + (unsigned)below(9000), first, lba - first + 1 + (unsigned)below(3000));
	for (unsigned i = 0; i < logicals; i++)
		at += snprintf(script + at, room - at, "%u: %s", 5 + i, lines[order[i]]);
	for (unsigned i = 0; i < logicals; i++)
		free(lines[i]);
}

/* Starts in disk order, each rounded up behind the one before; the EBR somewhere in the gap. */
static void random_plan(struct encoded *e)
{
	uint64_t grain = 1ULL << below(12), cursor = 34;
	int container = -1;
	bool done[64] = { false };

	for (size_t n = 0; n < e->layout->count; n++) {
		size_t next = e->layout->count;
		const struct partition *p;
		uint64_t start, sectors;

		for (size_t i = 0; i < e->layout->count; i++)
			if (!done[i] &&
			    (next == e->layout->count ||
			     e->layout->partitions[i].start < e->layout->partitions[next].start))
				next = i;
		done[next] = true;
		p = &e->layout->partitions[next];
		start = p->start / 512 > cursor ? p->start / 512 : cursor;
		sectors = p->size / 512;
		if (p->role == ROLE_EXTENDED) {
			container = next;
			place(e, p->number, start, 0);
			cursor = start + 1;
			continue;
		}
		if (p->ebr)
			start++; /* room for an EBR */
		start = (start + grain - 1) / grain * grain;
		if (!p->ebr)
			place(e, p->number, start, 0);
		else if (p->number == 5)
			place(e, 5, start, e->plan.places[container].start / 512);
		else
			place(e, p->number, start, start - 1 - below(start - cursor));
		cursor = start + sectors;
	}
	if (container >= 0) {
		uint64_t end = cursor + below(2000);

		e->plan.places[container].size = end * 512 - e->plan.places[container].start;
	}
}

/* sfdisk and our random plan are free to make what libfdisk cannot express; most must work. */
static void check_random(bool gpt, bool logicals, unsigned rounds)
{
	const char *more = getenv("ALIGNCK_TEST_ROUNDS"); /* that many times as many */
	unsigned refused = 0;

	if (more)
		rounds *= strtoul(more, NULL, 10);
	for (unsigned i = 0; i < rounds; i++) {
		char script[1024];
		struct encoded e;

		if (logicals)
			random_logicals(script, sizeof(script));
		else
			random_primaries(script, sizeof(script), gpt);
		/* sfdisk cannot make all that may exist: that round is none. */
		if (try_run("{ rm -f a; truncate -s 100M a; printf '%s' | sfdisk -q a; } >run.log "
			    "2>&1",
			    script))
			continue;
		open_case(&e, "a", 512);
		random_plan(&e);
		encode(&e);
		if (e.result) {
			print_message("# round %u refused: %s\n%s", i, e.reason.text, script);
			refused++;
		} else {
			table_image_free(&e.before);
			table_image_free(&e.after);
			check_round_trip(&e, "a");
		}
		close_case(&e);
	}
	assert_in_range(refused, 0, rounds / 10);
}

static void random_tables_of_primaries(void **state)
{
	(void)state;
	NEED_TOOL("sfdisk");
	NEED_TOOL("parted");
	seed = 20240611;
	check_random(false, false, 8);
}

static void random_tables_of_logicals(void **state)
{
	(void)state;
	NEED_TOOL("sfdisk");
	NEED_TOOL("parted");
	seed = 42;
	check_random(false, true, 15);
}

static void random_gpts(void **state)
{
	(void)state;
	NEED_TOOL("sfdisk");
	NEED_TOOL("sgdisk");
	seed = 7;
	check_random(true, false, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_tables_of_primaries),
		cmocka_unit_test(random_tables_of_logicals),
		cmocka_unit_test(random_gpts),
	};

	return cmocka_run_group_tests(tests, image_setup, image_teardown);
}
