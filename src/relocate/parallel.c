// SPDX-License-Identifier: GPL-2.0-or-later
#include "run.h"

#include <errno.h>

/* The reads and writes of one batch may go in any order, so they may go at once. Threads live for
 * one batch: against its flush they cost nothing, and between batches there is nothing to wait for.
 */

static void *work_along(void *argument)
{
	struct crew *crew = argument;
	struct reason reason = { "" };
	struct run mine = *crew->run;

	mine.reason = &reason;
	while (!atomic_load(&crew->error)) {
		uint32_t index = atomic_fetch_add(&crew->next, 1);
		int r, none = 0;

		if (index >= crew->count)
			break;
		r = crew->work(&mine, crew->context, index);
		if (r && atomic_compare_exchange_strong(&crew->error, &none, r))
			crew->reason = reason;
	}
	return NULL;
}

static void start(struct crew *crew, unsigned others)
{
	if (others > CREW_MAX)
		others = CREW_MAX;
	while (crew->started < others &&
	       !pthread_create(&crew->threads[crew->started], NULL, work_along, crew))
		crew->started++;
}

static void prepare(struct crew *crew, struct run *run, uint32_t count, crew_work work,
		    void *context)
{
	*crew = (struct crew){ .run = run, .work = work, .context = context, .count = count };
}

void crew_start(struct crew *crew, struct run *run, uint32_t count, crew_work work, void *context)
{
	unsigned wanted = run->rel->threads;

	prepare(crew, run, count, work, context);
	start(crew, wanted < 2 ? 0 : wanted < count ? wanted : count);
}

int crew_join(struct crew *crew, int failed)
{
	int r;

	work_along(crew);
	while (crew->started)
		pthread_join(crew->threads[--crew->started], NULL);
	r = atomic_load(&crew->error);
	if (failed || !r)
		return failed;
	*crew->run->reason = crew->reason;
	return r;
}

int run_parallel(struct run *run, uint32_t count, crew_work work, void *context)
{
	unsigned wanted = run->rel->threads;
	struct crew crew;

	prepare(&crew, run, count, work, context);
	if (wanted > count)
		wanted = count;
	start(&crew, wanted ? wanted - 1 : 0); /* the caller is one of them */
	return crew_join(&crew, 0);
}
