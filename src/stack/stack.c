// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads the few places where superblocks are, asks the table of signatures, and goes down one layer
 * at a time. The only file of the stage that does I/O.
 */
#include "decode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Up to 14 small reads, 7 KiB together, most of them for the head, and what a decoder asks for.
 * What lies in a container that was searched to its end can be searched as well within its share.
 */
enum {
	HEAD_LEN = 5120, /* many signatures, and LUKS2's and LVM's texts if they are short */
	ZFS_CHECKSUM = 128 * 1024 - 40,
	BUFFER_LEN = 8 * 1024,
	STEPS_MAX = 24, /* what one decoder may ask for; UDF has the most descriptors */
	/* libblkid takes the first file system for a floppy's, and sees no RAID there. */
	TINY = 1440 * 1024,
	SECTOR = 1, /* the disk's own logical sector stands in for this unit */
};

/* Where each window lies: `at` from the start, or that far before the end rounded down to `unit`.
 * As long as the longest of the superblocks that are decoded from it. */
static const struct {
	uint32_t unit; /* bytes; 0: from the start; SECTOR: both numbers count sectors */
	uint32_t at, len;
} places[WINDOW_COUNT] = {
	[WINDOW_HEAD] = { 0, 0, HEAD_LEN },
	[WINDOW_8K] = { 0, 8 * 1024 - 16, 16 + 256 },
	[WINDOW_16K] = { 0, 16 * 1024, 512 },
	[WINDOW_32K] = { 0, 32 * 1024, 64 },
	[WINDOW_64K] = { 0, 64 * 1024, 160 },
	[WINDOW_ZFS_LABEL0] = { 0, ZFS_CHECKSUM, 48 },
	[WINDOW_ZFS_LABEL1] = { 0, 256 * 1024 + ZFS_CHECKSUM, 48 },
	[WINDOW_ZFS_LABEL2] = { 256 * 1024, 512 * 1024 - ZFS_CHECKSUM, 48 },
	[WINDOW_ZFS_LABEL3] = { 256 * 1024, 256 * 1024 - ZFS_CHECKSUM, 48 },
	[WINDOW_MD090] = { 64 * 1024, 64 * 1024, 264 },
	[WINDOW_MD10] = { 4096, 8192, 256 },
	[WINDOW_LAST_4K] = { 512, 4096, 80 },
	[WINDOW_LAST_SECTOR] = { SECTOR, 1, 264 },
	[WINDOW_LAST_BUT_ONE] = { SECTOR, 2, 32 },
	[WINDOW_1M] = { 0, 1024 * 1024, 16 },
};

/* A container being looked into. */
struct look {
	struct io *io;
	uint64_t start, size; /* absolute bytes; size as the layer above claims it */
	uint32_t sector;
	struct content *content;
	size_t left;     /* bytes that may still be read */
	bool is_free;    /* ZFS: what is read now does not count */
	bool complained; /* of a read error: once is enough */
	bool tried[WINDOW_COUNT];
	size_t have[WINDOW_COUNT]; /* bytes of it that could be read */
	uint64_t at[WINDOW_COUNT];
	uint8_t *bytes[WINDOW_COUNT];
	uint8_t buffer[BUFFER_LEN];
	size_t used;
};

static void cannot_read(struct look *look, uint64_t offset, size_t len, int err)
{
	if (look->complained)
		return;
	look->complained = true;
	findings_add(&look->content->findings, FINDING_CONTENT_UNREAD, -1,
		     "cannot read %zu bytes at %llu: %s", len,
		     (unsigned long long)(look->start + offset), strerror(-err));
}

/* The share of one partition is used up: what is inside must not be called fine because nobody
 * looked. */
static void cannot_go_on(struct look *look, const char *what)
{
	if (look->complained)
		return;
	look->complained = true;
	findings_add(
		&look->content->findings, FINDING_CONTENT_UNREAD, -1,
		"%s needs more than the %d KiB that are read of it: where the data inside starts"
		" is not known",
		what, STACK_READ_MAX / 1024);
}

/* Reads what there is of [offset, offset + len) of the container: the table may claim more than the
 * disk has. Returns how much; 0 with a finding where it cannot be read. */
static size_t read_some(struct look *look, void *to, uint64_t offset, size_t len)
{
	uint64_t position, room;
	int r;

	if (offset >= look->size || !add_u64(look->start, offset, &position) ||
	    position >= look->io->size)
		return 0;
	room = look->size - offset;
	if (room > look->io->size - position)
		room = look->io->size - position;
	if (len > room)
		len = room;
	if (!look->is_free && len > look->left) {
		cannot_go_on(look, "what lies here");
		return 0;
	}
	if (!look->is_free)
		look->left -= len;
	r = io_read(look->io, to, len, position);
	if (r < 0) {
		cannot_read(look, offset, len, r);
		return 0;
	}
	return len;
}

/* Windows are read when the first signature asks for them. */
static void read_window(struct look *look, enum window w)
{
	uint64_t unit = places[w].unit, at = places[w].at, end;

	if (look->tried[w])
		return;
	look->tried[w] = true;
	if (unit == SECTOR) {
		unit = look->sector;
		at *= look->sector;
	}
	if (unit) {
		end = round_down_to(look->size, unit);
		if (end < at)
			return;
		at = end - at;
	}
	look->at[w] = at;
	look->bytes[w] = look->buffer + look->used;
	look->used += places[w].len;
	look->have[w] = read_some(look, look->bytes[w], look->at[w], places[w].len);
}

static bool has_magic(const struct look *look, const struct signature *s)
{
	size_t end = (size_t)s->super + s->magic_at + s->magic_len;

	return look->have[s->window] > s->super && look->have[s->window] >= end &&
	       !memcmp(look->bytes[s->window] + s->super + s->magic_at, s->magic, s->magic_len);
}

/*
 * Runs a decoder, and reads what it asks for, until it has made up its mind. The runs it asks for
 * live in *more, which grows as needed and is the caller's to free.
 */
static int run_decoder(struct look *look, const struct signature *s, struct decoding *d,
		       enum outcome *outcome, uint8_t **more)
{
	for (;;) {
		d->is_garbled = false;
		*outcome = s->decode(d);
		if (*outcome != DECODE_MORE)
			return 0;
		*outcome = d->fallback;
		if (d->step++ == STEPS_MAX)
			return 0;

		uint8_t *grown = realloc(*more, d->want_len);

		if (!grown)
			return -ENOMEM;
		*more = grown;
		d->more = NULL;
		d->more_len = read_some(look, grown, d->want_offset, d->want_len);
		d->more_at = d->want_offset;
		if (d->more_len == d->want_len)
			d->more = grown;
		else if (s->decode != decode_zfs && s->decode != decode_udf &&
			 s->decode != decode_swap_large)
			return 0; /* only these look elsewhere when a place cannot be had */
	}
}

/* *found: the signature stands, and *d says what it says. */
static int try_signature(struct look *look, const struct signature *s, struct decoding *d,
			 bool *found)
{
	enum outcome outcome = DECODE_FOUND;
	autofree uint8_t *more = NULL;
	int r = 0;

	*found = false;
	if (look->size < s->least * KIB)
		return 0;
	read_window(look, s->window);
	if (!has_magic(look, s))
		return 0;
	*d = (struct decoding){
		.bytes = look->bytes[s->window] + s->super,
		.len = look->have[s->window] - s->super,
		.at = look->at[s->window] + s->super,
		.size = look->size,
		.left = look->left,
	};
	name_layer(d, s->type);
	look->is_free = s->decode == decode_zfs;
	if (s->decode)
		r = run_decoder(look, s, d, &outcome, &more);
	look->is_free = false;
	*found = r == 0 && outcome == DECODE_FOUND;
	return r;
}

/* The rules of blkid_do_safeprobe() (see signatures.c), and what spares a read. */
static bool is_wanted(const struct look *look, const struct signature *s, unsigned found)
{
	if (look->size <= TINY && (s->usage == USAGE_RAID || found))
		return false;
	if (s->window == WINDOW_LAST_BUT_ONE && look->start)
		return false;
	return s->window != WINDOW_1M || !found;
}

static int find_layer(struct look *look, struct decoding *first, struct decoding *second,
		      bool *found)
{
	const struct signature *s;
	unsigned count = 0, intolerant = 0;

	for (s = signatures; s < signatures + signature_count; s++) {
		struct decoding d;
		bool match;
		int r;

		if (!is_wanted(look, s, count) || (count && !strcmp(first->layer.type, s->type)))
			continue;
		r = try_signature(look, s, &d, &match);
		if (r < 0)
			return r;
		if (!match)
			continue;
		if (!count)
			*first = d;
		else if (count == 1)
			*second = d;
		count++;
		if (s->usage == USAGE_RAID || s->usage == USAGE_CRYPTO)
			break;
		intolerant += s->usage != USAGE_TOLERANT;
	}
	*found = count;
	if (count > 1 && intolerant) {
		look->content->ambiguous = true;
		findings_add(&look->content->findings, FINDING_CONTENT_AMBIGUOUS, -1,
			     "signatures of both %s and %s; `wipefs` removes the one that is stale",
			     first->layer.type, second->layer.type);
	}
	return 0;
}

/* Whatever else is wrong with it follows from what has been said already. */
static void say_garbled(struct look *look, const char *what)
{
	if (look->complained)
		return;
	findings_add(&look->content->findings, FINDING_LAYER_INVALID, -1,
		     "%s does not say where its data starts: its superblock makes no sense", what);
}

/* Makes the layer's position absolute, where it lies inside its container. */
static bool place_layer(const struct look *look, struct layer *layer)
{
	if (!layer->has_data_offset ||
	    (layer->data_offset < look->size &&
	     add_u64(look->start, layer->data_offset, &layer->data_offset)))
		return true;
	layer->has_data_offset = false;
	layer->data_offset = 0;
	return false;
}

static void add_layer(struct look *look, const struct decoding *d)
{
	struct content *content = look->content;
	struct layer *layer = &content->layers[content->count++];
	uint64_t claimed = d->layer.data_offset;

	*layer = d->layer;
	if (d->is_cut)
		cannot_go_on(look, layer->type);
	if (d->is_garbled)
		say_garbled(look, layer->type);
	if (place_layer(look, layer))
		return;
	findings_add_value(&content->findings, FINDING_LAYER_INVALID, -1, claimed, look->size,
			   "%s claims that its data starts at byte %llu of %llu", layer->type,
			   (unsigned long long)claimed, (unsigned long long)look->size);
}

/* Where the next layer down is: false when there is none to be seen. */
static bool go_inside(struct look *look, const struct decoding *d)
{
	struct content *content = look->content;
	const struct layer *layer = &content->layers[content->count - 1];
	uint64_t room, inside = d->inside;

	if (!inside || !layer->has_data_offset)
		return false;
	room = look->size - (layer->data_offset - look->start);
	if (inside > room)
		inside = room;
	/* Each container is smaller than the one around it, so this ends. */
	if (inside == look->size) {
		findings_add(&content->findings, FINDING_LAYER_INVALID, -1,
			     "%s claims to lie inside itself", layer->type);
		return false;
	}
	if (content->count == STACK_DEPTH_MAX) {
		findings_add(&content->findings, FINDING_LAYER_INVALID, -1,
			     "more than %d layers, one inside the other", STACK_DEPTH_MAX);
		return false;
	}
	look->start = layer->data_offset;
	look->size = inside;
	return true;
}

int read_content(struct io *io, uint64_t start, uint64_t size, uint32_t sector,
		 struct content *content)
{
	struct look look = {
		.io = io, .start = start, .size = size, .content = content, .left = STACK_READ_MAX
	};

	/* Only where the last sector is depends on it; an odd one must not make us divide by 0. */
	look.sector = is_power_of_two(sector) && sector <= 65536 ? sector : 512;
	*content = (struct content){ 0 };
	for (;;) {
		struct decoding d, other;
		bool found;
		int r = find_layer(&look, &d, &other, &found);

		if (r < 0)
			return r;
		if (!found)
			return 0;
		add_layer(&look, &d);
		if (content->ambiguous) {
			content->other = other.layer;
			place_layer(&look, &content->other);
			return 0;
		}
		if (!go_inside(&look, &d))
			return 0;
		memset(look.tried, 0, sizeof(look.tried));
		memset(look.have, 0, sizeof(look.have));
		look.used = 0;
	}
}

bool is_content_told(const struct content *content)
{
	return findings_status(&content->findings, false) != STATUS_UNKNOWN;
}

const struct layer *innermost_payload(const struct content *content)
{
	for (size_t i = content->count; i > 0; i--)
		if (content->layers[i - 1].has_data_offset)
			return &content->layers[i - 1];
	return NULL;
}

void content_free(struct content *content)
{
	findings_free(&content->findings);
	content->count = 0;
}
