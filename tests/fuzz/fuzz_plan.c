// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The first byte's lowest bit: a table as dice would make it, whose plan is also executed on
 * tokens; or that table with numbers of the input's choice in it. The planner and its check must
 * never disagree, and neither may crash.
 */
#include "../unit/plan_case.h"

static struct plan_case c;

static uint64_t take(struct dice *d)
{
	return roll(d, 1 << 16) | roll(d, 1 << 16) << 16 | roll(d, 1 << 16) << 32 |
	       roll(d, 1 << 16) << 48;
}

/* A number near something that matters, or any at all. */
static uint64_t odd_number(struct dice *d)
{
	const uint64_t landmarks[] = { 0, c.device.size, UINT64_MAX, 1ULL << 41,
				       c.layout.last_usable };
	uint64_t near = landmarks[roll(d, ARRAY_SIZE(landmarks))];

	if (!roll(d, 3))
		return take(d);
	return near + (roll(d, 64) - 32) * (roll(d, 4) ? c.layout.sector_size : 1);
}

static void spoil(struct dice *d)
{
	struct partition *p = &c.partitions[roll(d, c.layout.count)];

	switch (roll(d, 14)) {
	case 0:
		p->start = odd_number(d);
		break;
	case 1:
		p->size = odd_number(d);
		break;
	case 2:
		p->ebr = odd_number(d);
		break;
	case 3:
		p->role = roll(d, ROLE_CONTAINER + 1);
		break;
	case 4: /* a parent comes before what it holds */
		p->parent = (int)roll(d, p - c.partitions + 1) - 1;
		break;
	case 5:
		c.layout.first_usable = odd_number(d);
		break;
	case 6:
		c.layout.last_usable = odd_number(d);
		break;
	case 7:
		c.device.size = odd_number(d);
		break;
	case 8:
		c.device.image_offset = odd_number(d);
		break;
	case 9:
		c.device.topology.alignment_offset = (int64_t)roll(d, 1 << 16) - 1;
		break;
	case 10:
		c.request.grain = odd_number(d);
		break;
	case 11:
		c.layout.type = roll(d, TABLE_COUNT);
		break;
	case 12:
		p->number = roll(d, 300);
		break;
	default:
		if (c.request.occupied_count < CASE_EXTENTS)
			c.occupied[c.request.occupied_count++] =
				(struct extent){ odd_number(d), odd_number(d) };
	}
}

static void insist(bool condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "%s: %s\n", what, c.plan->reason);
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dice dice = { .bytes = data, .len = size };
	bool is_sound = roll(&dice, 2);
	struct reason reason;

	roll_case(&c, &dice, 1 + roll(&dice, 9));
	roll_occupied(&c, &dice);
	c.request.journal_file = roll(&dice, 2);
	for (unsigned n = is_sound || !c.layout.count ? 0 : 1 + roll(&dice, 6); n-- > 0;)
		spoil(&dice);
	case_plan(&c);
	insist(!strstr(c.plan->reason, "own check"), "planner and check disagree");
	insist(c.plan->feasible == case_verify(&c, &reason), "verdicts differ");
	if (is_sound && c.plan->feasible)
		insist(!case_execute(&c), "bytes lost");
	case_free(&c);
	return 0;
}
