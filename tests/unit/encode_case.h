/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_TESTS_ENCODE_CASE_H
#define ALIGNCK_TESTS_ENCODE_CASE_H

/*
 * A table by sfdisk, fdisk, sgdisk or parted; a plan made by hand; the sectors that encode_tables()
 * gives, written to the image; and then the tools again: they must see the old table with other
 * starts.
 */
#include "unit.h"

#include "alignck/commit.h"
#include "image.h"

#include <inttypes.h>

#define CHS_ERA                                                                                    \
	"rm -f a; truncate -s 256M a; printf "                                                     \
	"'o\nn\np\n1\n63\n80324\nn\ne\n2\n80325\n514079\nn\nl\n80388\n"                            \
	"160649\nn\nl\n160713\n240974\nn\nl\n241038\n401624\nw\n' | "                              \
	"fdisk -c=dos -u=sectors -H 255 -S 63 -C 32 a"

#define GPT_MIX                                                                                      \
	"rm -f a; truncate -s 64M a; sgdisk -a1 -n1:34:2000 -t1:ef02 -n3:2049:30000 -c3:'Bürö 3' " \
	"-A3:set:2 "                                                                                 \
	"-A3:set:60 -A3:set:17 -n7:30001:60000 -t7:0700 -n5:60001:131000 -t5:8e00 a"

struct encoded {
	struct image_io image;
	struct layout *layout;
	struct plan plan;
	struct table_image before, after;
	struct reason reason;
	int result;
};

static inline void open_case(struct encoded *e, const char *path, uint32_t sector)
{
	struct layout_options options = { .sector_size = sector };

	*e = (struct encoded){ .image = image_open(path) };
	assert_int_equal(read_layout(&e->image.io, &options, &e->layout, &e->reason), 0);
	assert_int_not_equal(e->layout->type, TABLE_NONE);
	e->plan.feasible = true;
	e->plan.place_count = e->layout->count;
	e->plan.places = calloc(e->layout->count, sizeof(*e->plan.places));
	assert_non_null(e->plan.places);
	for (size_t i = 0; i < e->layout->count; i++) {
		const struct partition *p = &e->layout->partitions[i];

		e->plan.places[i] = (struct plan_place){ p->start, p->size, p->ebr };
	}
}

static inline void close_case(struct encoded *e)
{
	table_image_free(&e->before);
	table_image_free(&e->after);
	layout_free(e->layout);
	free(e->plan.places);
	io_close(&e->image.io);
}

static inline struct plan_place *place_of(struct encoded *e, unsigned number)
{
	int i = find_partition(e->layout, number);

	assert_true(i >= 0);
	return &e->plan.places[i];
}

/* All in sectors of the table; ebr 0: none. */
static inline void place(struct encoded *e, unsigned number, uint64_t start, uint64_t ebr)
{
	place_of(e, number)->start = start * e->layout->sector_size;
	place_of(e, number)->ebr = ebr * e->layout->sector_size;
}

static inline void resize(struct encoded *e, unsigned number, uint64_t sectors)
{
	place_of(e, number)->size = sectors * e->layout->sector_size;
}

static inline void encode(struct encoded *e)
{
	e->image.frozen = true;
	e->result =
		encode_tables(&e->image.io, e->layout, &e->plan, &e->before, &e->after, &e->reason);
	e->image.frozen = false;
}

static inline void encode_well(struct encoded *e)
{
	encode(e);
	if (e->result)
		fail_msg("refused: %s", e->reason.text);
}

static inline void write_image(struct encoded *e, const struct table_image *table)
{
	for (size_t i = 0; i < table->count; i++)
		assert_int_equal(io_write(&e->image.io, table->sectors[i].bytes,
					  e->layout->sector_size, table->sectors[i].offset),
				 0);
	assert_true(table->count && table->sectors[table->count - 1].offset == 0);
}

/* What the table says but for starts, and for the sizes of containers. */
static inline char *dump_without_starts(const struct encoded *e, const char *path)
{
	uint32_t sector = e->layout->sector_size;
	char command[200];

	/* sfdisk cannot be told the sector size of an image, fdisk can. */
	if (sector == 512)
		snprintf(command, sizeof(command),
			 "sfdisk -d %s | sed 's/start= *[0-9]*/start=/;"
			 "/type=\\(5\\|f\\|85\\)\\b/s/size= *[0-9]*/size=/'",
			 path);
	else
		snprintf(command, sizeof(command), "fdisk -b %u -l -o Device,Sectors,%s %s", sector,
			 e->layout->type == TABLE_GPT ? "Type-UUID,UUID,Name,Attrs" : "Boot,Id",
			 path);
	return output_of(command);
}

/* What parted, which shares no code with us or libfdisk, says of number, start and size. */
static inline void check_with_parted(struct encoded *e, const char *path)
{
	char command[200], *text, *line;
	size_t seen = 0;

	snprintf(command, sizeof(command), "parted -sm %s unit s print </dev/null", path);
	text = output_of(command);
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		unsigned number;
		uint64_t start, end, size;

		if (sscanf(line, "%u:%" SCNu64 "s:%" SCNu64 "s:%" SCNu64 "s", &number, &start, &end,
			   &size) != 4)
			continue;
		assert_true(place_of(e, number)->start == start * 512);
		assert_true(place_of(e, number)->size == size * 512);
		seen++;
	}
	assert_int_equal(seen, e->layout->count);
	free(text);
}

static inline bool is_old_data(const struct encoded *e, uint64_t offset)
{
	for (size_t n = 0; n < e->layout->count; n++) {
		const struct partition *p = &e->layout->partitions[n];

		if (p->role != ROLE_EXTENDED && offset >= p->start && offset < p->start + p->size)
			return true;
	}
	return false;
}

/* Where a new EBR came to lie in old data, undo would move that data back. What its owner wrote to
 * it since is in there: the old table has no say. */
static inline void put_old_data_back(struct encoded *e)
{
	struct image_io original = image_open("original");

	for (size_t i = 0; i < e->before.count; i++)
		assert_false(is_old_data(e, e->before.sectors[i].offset));
	for (size_t i = 0; i < e->after.count; i++) {
		uint64_t offset = e->after.sectors[i].offset;
		uint8_t bytes[4096];

		if (!is_old_data(e, offset))
			continue;
		assert_int_equal(io_read(&original.io, bytes, e->layout->sector_size, offset), 0);
		assert_int_equal(io_write(&e->image.io, bytes, e->layout->sector_size, offset), 0);
	}
	io_close(&original.io);
}

/* Nothing but the sectors of both images was written, so nothing else needs to be compared. */
static inline void check_restored(struct encoded *e)
{
	const struct table_image *images[] = { &e->before, &e->after };
	struct image_io original = image_open("original");

	for (size_t t = 0; t < ARRAY_SIZE(images); t++)
		for (size_t i = 0; i < images[t]->count; i++) {
			uint64_t offset = images[t]->sectors[i].offset;
			uint8_t was[4096], is[4096];

			assert_int_equal(io_read(&original.io, was, e->layout->sector_size, offset),
					 0);
			assert_int_equal(io_read(&e->image.io, is, e->layout->sector_size, offset),
					 0);
			assert_memory_equal(was, is, e->layout->sector_size);
		}
	io_close(&original.io);
}

/*
 * Encodes, writes the new table, lets the tools look, writes the old one back: the image must be
 * what it was. `path` is left as it was.
 */
static inline void check_round_trip(struct encoded *e, const char *path)
{
	uint32_t sector = e->layout->sector_size;
	char *before = dump_without_starts(e, path), *after;

	run("cp %s original", path);
	encode_well(e);
	write_image(e, &e->after);
	after = dump_without_starts(e, path);
	assert_string_equal(before, after);
	if (sector == 512)
		check_with_parted(e, path);
	if (e->layout->type == TABLE_GPT && sector == 512) {
		char command[80], *text;

		snprintf(command, sizeof(command), "sgdisk -v %s", path);
		text = output_of(command);
		assert_non_null(strstr(text, "No problems found."));
		free(text);
	}
	write_image(e, &e->before);
	put_old_data_back(e);
	check_restored(e);
	free(before);
	free(after);
}

static inline uint8_t byte_of(const struct table_image *image, uint64_t offset)
{
	for (size_t i = 0; i < image->count; i++)
		if (offset >= image->sectors[i].offset && offset < image->sectors[i].offset + 512)
			return image->sectors[i].bytes[offset - image->sectors[i].offset];
	fail_msg("no sector holds byte %" PRIu64, offset);
	return 0;
}

static inline bool is_same_range(const struct encoded *e, uint64_t offset, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (byte_of(&e->before, offset + i) != byte_of(&e->after, offset + i))
			return false;
	return true;
}

#endif
