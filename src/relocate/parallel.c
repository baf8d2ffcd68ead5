// SPDX-License-Identifier: GPL-2.0-or-later
#include "run.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#define THREADS_MAX 32

/* The reads and writes of one batch may go in any order, so they may go at once. Threads live for
 * one batch: against its flush they cost nothing, and between batches there is nothing to wait for.
 */

struct crew {
	struct run *run;
	int (*work)(struct run *run, void *context, uint32_t index);
	void *context;
	uint32_t count;
	atomic_uint next;
	atomic_int error; /* the first one; nothing new is begun after it */
};

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
			*crew->run->reason = reason;
	}
	return NULL;
}

int run_parallel(struct run *run, uint32_t count,
		 int (*work)(struct run *run, void *context, uint32_t index), void *context)
{
	struct crew crew = { .run = run, .work = work, .context = context, .count = count };
	pthread_t threads[THREADS_MAX];
	unsigned started = 0, wanted = run->rel->threads;

	if (wanted > THREADS_MAX)
		wanted = THREADS_MAX;
	if (wanted > count)
		wanted = count;
	/* The caller is one of them; if no other can be had, it does all. */
	while (started + 1 < wanted && !pthread_create(&threads[started], NULL, work_along, &crew))
		started++;
	work_along(&crew);
	while (started)
		pthread_join(threads[--started], NULL);
	return atomic_load(&crew.error);
}
