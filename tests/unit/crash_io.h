/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_TESTS_CRASH_IO_H
#define ALIGNCK_TESTS_CRASH_IO_H

/*
 * Devices that forget. A write is queued until a flush; a crash applies or drops each queued sector
 * on its own, so that requests tear at logical sectors and arrive in any order. Several devices
 * share a world: one count of calls, one point of death, one clock of luck.
 *
 *     world.crash_at = N    the N-th write or flush (from 0) and all calls after it fail
 *     crash_power()         queued sectors applied with odds/256 each, caches empty
 *     crash_kill()          the process died, the machine did not: the queue lives on
 *     world.fail_at = N     the N-th call of any kind fails, once or for good
 *     failed flushes        keep a subset; reads still show all until io_drop_cache()
 */

#include "alignck/io.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CRASH_NEVER UINT64_MAX

struct crash_world {
	uint64_t writes, calls; /* writes and flushes so far; all calls so far */
	uint64_t crash_at, fail_at;
	uint64_t writes_after; /* that were asked for after the failed call */
	bool fail_for_good, is_dead, bad_flush;
	uint64_t luck; /* state of the generator; never 0 */
};

struct queued {
	uint64_t offset;
	uint32_t len, at; /* at: in `bytes` */
};

#define QUEUE_MAX 512
struct crash_io {
	struct io io; /* first: the ops cast back */
	struct crash_world *world;
	uint8_t *durable, *view; /* io.size bytes each */
	uint32_t sector;
	struct queued queue[QUEUE_MAX];
	size_t queued;
	uint8_t *bytes;
	size_t used, room;
	uint64_t punched; /* bytes, so far */
};

static inline uint64_t crash_random(struct crash_world *w)
{
	w->luck ^= w->luck << 13;
	w->luck ^= w->luck >> 7;
	w->luck ^= w->luck << 17;
	return w->luck * 0x2545F4914F6CDD1DULL;
}

/* Does this call fail? `is_write`: it counts as a point at which a crash makes a difference. */
static inline bool crash_fails(struct crash_io *c, bool is_write)
{
	struct crash_world *w = c->world;
	uint64_t call = w->calls++;

	if (is_write && call > w->fail_at)
		w->writes_after++;
	if (is_write && w->writes++ == w->crash_at)
		w->is_dead = true;
	return w->is_dead || call == w->fail_at || (w->fail_for_good && call > w->fail_at);
}

static inline int crash_read(struct io *io, void *buf, size_t len, uint64_t offset)
{
	struct crash_io *c = (struct crash_io *)io;

	if (crash_fails(c, false))
		return -EIO;
	memcpy(buf, c->view + offset, len);
	return 0;
}

static inline int crash_write(struct io *io, const void *buf, size_t len, uint64_t offset)
{
	struct crash_io *c = (struct crash_io *)io;

	if (len % c->sector || offset % c->sector)
		abort(); /* the engine may write whole sectors only */
	if (crash_fails(c, true))
		return -EIO;
	if (c->queued == QUEUE_MAX)
		abort();
	if (c->used + len > c->room) {
		c->room = 2 * (c->used + len);
		c->bytes = realloc(c->bytes, c->room);
	}
	c->queue[c->queued++] = (struct queued){ offset, len, c->used };
	memcpy(c->bytes + c->used, buf, len);
	c->used += len;
	memcpy(c->view + offset, buf, len);
	return 0;
}

/* Each queued sector reaches the medium with odds/256, in the order of the queue. */
static inline void crash_apply(struct crash_io *c, unsigned odds)
{
	for (size_t i = 0; i < c->queued; i++) {
		const struct queued *q = &c->queue[i];

		for (uint32_t at = 0; at < q->len; at += c->sector)
			if ((crash_random(c->world) >> 32) % 256 < odds)
				memcpy(c->durable + q->offset + at, c->bytes + q->at + at,
				       c->sector);
	}
	c->queued = c->used = 0;
}

static inline int crash_flush(struct io *io)
{
	struct crash_io *c = (struct crash_io *)io;

	if (crash_fails(c, true)) {
		/* The pages are clean now, and what did not reach the medium never will. */
		if (c->world->bad_flush)
			crash_apply(c, 128);
		return -EIO;
	}
	crash_apply(c, 256);
	return 0;
}

static inline int crash_drop_cache(struct io *io)
{
	struct crash_io *c = (struct crash_io *)io;

	if (c->world->is_dead)
		return -EIO;
	memcpy(c->view, c->durable, io->size);
	for (size_t i = 0; i < c->queued; i++) /* dirty pages stay */
		memcpy(c->view + c->queue[i].offset, c->bytes + c->queue[i].at, c->queue[i].len);
	return 0;
}

/* A hole is a write of zeros. */
static inline int crash_punch(struct io *io, uint64_t len, uint64_t offset)
{
	uint8_t *zeros = calloc(1, len);
	int r = crash_write(io, zeros, len, offset);

	((struct crash_io *)io)->punched += len;
	free(zeros);
	return r;
}

static inline void crash_close(struct io *io)
{
	(void)io;
}

static const struct io_ops crash_ops = {
	.read = crash_read,
	.write = crash_write,
	.flush = crash_flush,
	.close = crash_close,
	.drop_cache = crash_drop_cache,
	.punch = crash_punch,
};

static inline void crash_io_init(struct crash_io *c, struct crash_world *w, uint64_t size,
				 uint32_t sector)
{
	*c = (struct crash_io){ .io = { &crash_ops, size }, .world = w, .sector = sector };
	c->durable = calloc(1, size);
	c->view = calloc(1, size);
}

static inline void crash_io_free(struct crash_io *c)
{
	free(c->durable);
	free(c->view);
	free(c->bytes);
}

/* `to` becomes what `from` is; both were made for the same size. `to` keeps its own world. */
static inline void crash_io_copy(struct crash_io *to, const struct crash_io *from)
{
	memcpy(to->durable, from->durable, from->io.size);
	memcpy(to->view, from->view, from->io.size);
	memcpy(to->queue, from->queue, from->queued * sizeof(from->queue[0]));
	to->queued = from->queued;
	to->used = from->used;
	if (to->room < from->used) {
		to->room = from->used;
		to->bytes = realloc(to->bytes, to->room);
	}
	if (from->used)
		memcpy(to->bytes, from->bytes, from->used);
}

/* The power went: nothing is queued any more, reads show what reached the medium. */
static inline void crash_power(struct crash_io *c, unsigned odds)
{
	crash_apply(c, odds);
	memcpy(c->view, c->durable, c->io.size);
}

#endif
