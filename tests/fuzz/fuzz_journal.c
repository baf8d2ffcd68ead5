// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A hostile journal (and cover) under resume and undo. The input is a small disk's sector 0, then
 * its journal; sums are made good, so that what lies behind them is reached. Nothing may crash,
 * hang, or write outside the disk; what comes of it is not judged. The layouts that its tables make
 * of the disk are read too, as one who ends a realignment does.
 */
#include "alignck/commit.h"

#include "../../src/relocate/journal.h"
#include "../unit/crash_io.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_DISK  (256 * KIB)
#define FUZZ_INPUT (64 * KIB)

static int find_none(void *context, struct io *disk, struct position_field **fields, size_t *count,
		     struct reason *reason)
{
	(void)context, (void)disk, (void)reason;
	*fields = NULL;
	*count = 0;
	return 0;
}

/* Ends a relocation that goes on too long: a record can ask for many small windows. */
static bool pause_soon(void *context)
{
	return ++*(int *)context > 64;
}

static void make_sums_good(uint8_t *journal, size_t size)
{
	struct journal j;

	if (size < JOURNAL_CONTENT)
		return;
	put_le64(journal + 504, sum64(0, journal, 504));
	if (!decode_header(journal, JOURNAL_BLOCK, &j))
		return;
	if (j.content_size <= size - JOURNAL_CONTENT) {
		put_le64(journal + 64, sum64(j.seed, journal + JOURNAL_CONTENT, j.content_size));
		put_le64(journal + 504, sum64(0, journal, 504));
	}
	for (int slot = 0; slot < 2; slot++) {
		uint8_t *b = journal + JOURNAL_SLOT + slot * JOURNAL_BLOCK;

		memcpy(b + 16, j.plan_id, PLAN_ID_SIZE);
		put_le64(b + 4088, sum64(j.seed, b, 4088));
	}
}

static void read_saved_layout(struct io *disk, const struct table_image *table, uint32_t sector)
{
	const struct layout_options options = { .sector_size = sector };
	struct layout *layout = NULL;
	struct io *overlay = NULL;
	struct reason reason;
	int err = io_open_overlay(disk, &overlay);

	for (size_t i = 0; i < table->count && !err; i++)
		err = io_write(overlay, table->sectors[i].bytes, sector, table->sectors[i].offset);
	if (!err && !read_layout(overlay, &options, &layout, &reason))
		layout_free(layout);
	io_close(overlay);
}

static void read_saved_layouts(const struct relocation *rel)
{
	struct table_image before, after;
	struct reason reason;
	uint32_t sector;

	if (!relocation_tables(rel, &before, &after, &sector, &reason)) {
		read_saved_layout(rel->disk, &before, sector);
		read_saved_layout(rel->disk, &after, sector);
	}
	table_image_free(&before);
	table_image_free(&after);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct crash_world clock = { .crash_at = CRASH_NEVER, .fail_at = CRASH_NEVER, .luck = 1 };
	struct crash_io disk, file;
	struct reason reason;
	struct relocation_state state;
	int pauses = 0;
	struct relocation_hooks hooks = { .context = &pauses,
					  .find_fields = find_none,
					  .should_pause = pause_soon };
	struct relocation rel = { .hooks = &hooks, .window_max = 16 * KIB };
	struct cover cover;

	if (size < 512 || size > FUZZ_INPUT)
		return 0;
	crash_io_init(&disk, &clock, FUZZ_DISK, 512);
	crash_io_init(&file, &clock, FUZZ_INPUT, 512);
	memcpy(disk.view, data, 512);
	memcpy(file.view, data + 512, size - 512);
	make_sums_good(file.view, FUZZ_INPUT);
	if (is_cover(disk.view, 512, &cover)) {
		/* The same plan, or nothing behind it is reached. */
		memcpy(cover.plan_id, file.view + 16, PLAN_ID_SIZE);
		encode_cover(&cover, disk.view);
	}
	memcpy(disk.durable, disk.view, FUZZ_DISK);
	memcpy(file.durable, file.view, FUZZ_INPUT);
	rel.disk = &disk.io;
	rel.journal = &file.io;
	rel.journal_size = FUZZ_INPUT;
	relocation_open(&rel, &state, &reason);
	read_saved_layouts(&rel);
	relocation_resume(&rel, &reason);
	pauses = 0;
	relocation_undo(&rel, &reason);
	crash_io_free(&disk);
	crash_io_free(&file);
	return 0;
}
