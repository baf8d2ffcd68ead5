// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables by sfdisk, fdisk, sgdisk and parted; a plan made by hand; the sectors that encode_tables()
 * gives, written to a copy; and then the tools again: they must see the old table with other
 * starts.
 */
#include "unit.h"

#include "alignck/commit.h"
#include "image.h"

#include <inttypes.h>

struct encoded {
	struct image_io image;
	struct layout *layout;
	struct plan plan;
	struct table_image before, after;
	struct reason reason;
	int result;
};

static void open_case(struct encoded *e, const char *path, uint32_t sector)
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

static void close_case(struct encoded *e)
{
	table_image_free(&e->before);
	table_image_free(&e->after);
	layout_free(e->layout);
	free(e->plan.places);
	io_close(&e->image.io);
}

static struct plan_place *place_of(struct encoded *e, unsigned number)
{
	int i = find_partition(e->layout, number);

	assert_true(i >= 0);
	return &e->plan.places[i];
}

/* All in sectors of the table; ebr 0: none. */
static void place(struct encoded *e, unsigned number, uint64_t start, uint64_t ebr)
{
	place_of(e, number)->start = start * e->layout->sector_size;
	place_of(e, number)->ebr = ebr * e->layout->sector_size;
}

static void resize(struct encoded *e, unsigned number, uint64_t sectors)
{
	place_of(e, number)->size = sectors * e->layout->sector_size;
}

static void encode(struct encoded *e)
{
	e->image.frozen = true;
	e->result =
		encode_tables(&e->image.io, e->layout, &e->plan, &e->before, &e->after, &e->reason);
	e->image.frozen = false;
}

static void encode_well(struct encoded *e)
{
	encode(e);
	if (e->result)
		fail_msg("refused: %s", e->reason.text);
}

static void write_image(struct encoded *e, const struct table_image *table)
{
	for (size_t i = 0; i < table->count; i++)
		assert_int_equal(io_write(&e->image.io, table->sectors[i].bytes,
					  e->layout->sector_size, table->sectors[i].offset),
				 0);
	assert_true(table->count && table->sectors[table->count - 1].offset == 0);
}

/* What the table says but for starts, and for the sizes of containers. */
static char *dump_without_starts(const struct encoded *e, const char *path)
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
static void check_with_parted(struct encoded *e, const char *path)
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

/* Where a new EBR came to lie in old data, undo would move that data back. */
static void put_old_data_back(struct encoded *e)
{
	struct image_io original = image_open("original");

	for (size_t i = 0; i < e->after.count; i++) {
		uint64_t offset = e->after.sectors[i].offset;
		uint8_t bytes[4096];
		bool in_data = false;

		for (size_t n = 0; n < e->layout->count; n++) {
			const struct partition *p = &e->layout->partitions[n];

			in_data |= p->role != ROLE_EXTENDED && offset >= p->start &&
				   offset < p->start + p->size;
		}
		if (!in_data)
			continue;
		assert_int_equal(io_read(&original.io, bytes, e->layout->sector_size, offset), 0);
		assert_int_equal(io_write(&e->image.io, bytes, e->layout->sector_size, offset), 0);
	}
	io_close(&original.io);
}

/* Nothing but the sectors of both images was written, so nothing else needs to be compared. */
static void check_restored(struct encoded *e)
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
static void check_round_trip(struct encoded *e, const char *path)
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

static uint8_t byte_of(const struct table_image *image, uint64_t offset)
{
	for (size_t i = 0; i < image->count; i++)
		if (offset >= image->sectors[i].offset && offset < image->sectors[i].offset + 512)
			return image->sectors[i].bytes[offset - image->sectors[i].offset];
	fail_msg("no sector holds byte %" PRIu64, offset);
	return 0;
}

static bool is_same_range(const struct encoded *e, uint64_t offset, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (byte_of(&e->before, offset + i) != byte_of(&e->after, offset + i))
			return false;
	return true;
}

static void primaries_move_and_the_rest_stays(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sfdisk");
	/* Boot code, id, a hole in the numbers, an unknown type, CHS addresses of nobody's making.
	 */
	run("rm -f a; truncate -s 64M a; printf 'label: dos\nlabel-id: 0x0000beef\n1: start=63, "
	    "size=20000, "
	    "type=7, bootable\n3: start=30000, size=20000, type=d3\n4: start=60000, size=20000, "
	    "type=83\n' | sfdisk -q a; head -c 440 /dev/urandom | dd of=a conv=notrunc "
	    "status=none; "
	    "printf '\\1\\2\\3' | dd of=a bs=1 seek=%d conv=notrunc status=none",
	    446 + 3 * 16 + 1);
	open_case(&e, "a", 512);
	place(&e, 1, 2048, 0);
	place(&e, 3, 32768, 0);
	check_round_trip(&e, "a");
	assert_true(is_same_range(&e, 0, 446));
	assert_true(is_same_range(&e, 446 + 3 * 16, 16));
	assert_true(is_same_range(&e, 510, 2));
	assert_false(is_same_range(&e, 446, 16));
	assert_int_equal(byte_of(&e.after, 446), 0x80);
	assert_int_equal(e.before.count, 1);
	assert_int_equal(e.after.count, 1);
	close_case(&e);
}

/* The shift is smaller than the partition, and neighbours touch: what set_partition() refuses. */
static void packed_primaries_all_shift(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sfdisk");
	run("rm -f a; truncate -s 64M a; printf "
	    "'63,40000,83\n40063,40001,82\n80064,40000,c\n120064,7000,7\n' "
	    "| sfdisk -q a");
	open_case(&e, "a", 512);
	place(&e, 1, 64, 0);
	place(&e, 2, 40064, 0);
	place(&e, 3, 80072, 0);
	place(&e, 4, 120072, 0);
	check_round_trip(&e, "a");
	close_case(&e);
	open_case(&e, "a", 512);
	place(&e, 1, 1, 0); /* to the left, onto the first sector there is */
	check_round_trip(&e, "a");
	close_case(&e);
}

#define CHS_ERA                                                                                    \
	"rm -f a; truncate -s 256M a; printf "                                                     \
	"'o\nn\np\n1\n63\n80324\nn\ne\n2\n80325\n514079\nn\nl\n80388\n"                            \
	"160649\nn\nl\n160713\n240974\nn\nl\n241038\n401624\nw\n' | "                              \
	"fdisk -c=dos -u=sectors -H 255 -S 63 -C 32 a"

static void logicals_of_the_chs_era_move(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("fdisk");
	run(CHS_ERA);
	open_case(&e, "a", 512);
	assert_int_equal(e.layout->count, 5);
	place(&e, 1, 2048, 0);
	place(&e, 2, 83000, 0);
	resize(&e, 2, 330000);
	place(&e, 5, 83968, 83000);
	place(&e, 6, 165888, 165888 - 63);
	place(&e, 7, 247808, 247808 - 63);
	check_round_trip(&e, "a");
	assert_true(place_of(&e, 6)->ebr == (uint64_t)(165888 - 63) * 512);
	assert_int_equal(e.after.count, 4);
	close_case(&e);
}

/* One logical moves, its neighbours' entries stay the same to the byte, CHS addresses included. */
static void one_logical_moves_alone(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("fdisk");
	run(CHS_ERA);
	/* An EBR with code in front, and a link of the other type. */
	run("printf 'BOOTIT' | dd of=a bs=1 seek=%d conv=notrunc status=none; "
	    "printf '\\17' | dd of=a bs=1 seek=%d conv=notrunc status=none; "
	    "printf '\\376\\377\\377' | dd of=a bs=1 seek=%d conv=notrunc status=none",
	    240975 * 512 + 17, 80325 * 512 + 446 + 16 + 4, 240975 * 512 + 446 + 1);
	open_case(&e, "a", 512);
	place(&e, 6, 160704, 160650);
	check_round_trip(&e, "a");
	/* The link in front of it covers it, so its length changes; its type does not. */
	assert_true(is_same_range(&e, 80325 * 512, 446 + 16));
	assert_int_equal(byte_of(&e.after, 80325 * 512 + 446 + 16 + 4), 0x0f);
	assert_true(is_same_range(&e, 240975 * 512, 512));
	assert_true(is_same_range(&e, 0, 512));
	assert_false(is_same_range(&e, 160650 * 512, 512));
	close_case(&e);
}

static void the_container_may_change(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sfdisk");
	run("rm -f a; truncate -s 64M a; printf '63,40000,83\n40063,80000,f\n120063,4000,83\n"
	    "5: start=40126, size=30000\n6: start=70189, size=40000, type=82, bootable\n' | "
	    "sfdisk -q a");
	open_case(&e, "a", 512);
	place(&e, 1, 2048, 0);
	place(&e, 2, 43008, 0);
	resize(&e, 2, 79872);
	place(&e, 3, 124928, 0);
	place(&e, 5, 45056, 43008);
	place(&e, 6, 77824, 75776);
	check_round_trip(&e, "a");
	/* The container's type stays, and so does the boot flag of a logical. */
	assert_int_equal(byte_of(&e.after, 446 + 16 + 4), 0x0f);
	assert_int_equal(byte_of(&e.after, 75776 * 512 + 446), 0x80);
	close_case(&e);
}

static void gaps_of_one_sector_are_kept(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sfdisk");
	/* Packed: EBR, data, EBR, data. p6 is moved by one sector, its EBR stays right in front. */
	run("rm -f a; truncate -s 64M a; printf '1: start=2048, size=100000, type=5\n"
	    "5: start=2049, size=20000\n6: start=22050, size=20000\n7: start=42051, size=1000\n' "
	    "| sfdisk -q a");
	open_case(&e, "a", 512);
	assert_int_equal(e.layout->count, 4);
	assert_true(place_of(&e, 6)->ebr == 22049 * 512);
	place(&e, 7, 45056, 45055);
	check_round_trip(&e, "a");
	assert_true(place_of(&e, 6)->ebr == 22049 * 512);
	close_case(&e);
}

/* No sector is left for p6's EBR: refused before anything moves, with the number. */
static void a_logical_without_room_for_its_ebr_is_refused(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sfdisk");
	run("rm -f a; truncate -s 64M a; printf '1: start=2048, size=100000, type=5\n"
	    "5: start=2049, size=20000\n6: start=22050, size=20000\n' | sfdisk -q a");
	open_case(&e, "a", 512);
	place(&e, 5, 2050, 2048); /* its end now touches p6, where p6's EBR is */
	encode(&e);
	assert_int_not_equal(e.result, 0);
	assert_non_null(strstr(e.reason.text, "partition"));
	assert_int_equal(e.before.count + e.after.count, 0);
	place(&e, 5, 2049, 2048);
	place(&e, 6, 30000, 21000); /* an EBR wished into p5's data, which libfdisk would do */
	encode(&e);
	assert_int_equal(e.result, -EINVAL);
	assert_non_null(strstr(e.reason.text, "EBR"));
	place(&e, 6, 30000, 29999);
	encode_well(&e);
	close_case(&e);
}

static void logicals_out_of_disk_order_keep_their_numbers(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sfdisk");
	run("rm -f a; truncate -s 64M a; printf '1: start=2048, size=100000, type=5\n"
	    "5: start=64000, size=20000\n6: start=4000, size=20000\n7: start=30001, size=20000\n' "
	    "| sfdisk -q a");
	open_case(&e, "a", 512);
	assert_true(e.layout->partitions[1].start > e.layout->partitions[2].start);
	place(&e, 5, 65536, 2048);
	place(&e, 6, 4096, 2500);
	place(&e, 7, 32768, 32768 - 1024);
	check_round_trip(&e, "a");
	close_case(&e);
}

static void an_empty_first_ebr_is_understood(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sfdisk");
	run("rm -f a; truncate -s 64M a; printf '63,1000\n2: start=2048, size=100000, type=5\n"
	    "5: start=4096, size=20000\n6: start=30001, size=20000\n' | sfdisk -q a; dd "
	    "if=/dev/zero of=a bs=1 seek=%d count=16 conv=notrunc status=none",
	    2048 * 512 + 446);
	/* Only a primary moves: the chain stays as odd as it is. */
	open_case(&e, "a", 512);
	assert_int_equal(e.layout->count, 3);
	place(&e, 1, 64, 0);
	encode_well(&e);
	assert_int_equal(e.before.count, 3);
	assert_true(is_same_range(&e, 2048 * 512, 512));
	close_case(&e);
	/* The logical moves: its EBR goes to where the chain starts. */
	open_case(&e, "a", 512);
	place(&e, 5, 32768, place_of(&e, 5)->ebr / 512);
	encode_well(&e);
	assert_true(place_of(&e, 5)->ebr == 2048 * 512);
	close_case(&e);
}

static void an_empty_container_moves(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sfdisk");
	run("rm -f a; truncate -s 64M a; printf '63,1000\n2: start=3001, size=100000, type=85\n' | "
	    "sfdisk -q a");
	open_case(&e, "a", 512);
	place(&e, 2, 4096, 0);
	check_round_trip(&e, "a");
	assert_int_equal(e.after.count, 2);
	assert_int_equal(byte_of(&e.after, 4096 * 512 + 511), 0xaa);
	close_case(&e);
}

/* A plan that wishes an EBR where libfdisk will not put it. */
static void an_ebr_that_libfdisk_chose_may_not_hit_data_in_a_gap(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sfdisk");
	run("rm -f a; truncate -s 64M a; printf '1: start=3001, size=100000, type=5\n"
	    "5: start=9000, size=1000\n6: start=3400, size=5550\n' | sfdisk -q a");
	open_case(&e, "a", 512);
	/* It checks with the gap in front of p6 whether there is room in front of p5, too. */
	place(&e, 6, 3300, 3100);
	encode_well(&e);
	assert_true(place_of(&e, 6)->ebr == 3299 * 512);
	table_image_free(&e.before);
	table_image_free(&e.after);
	place(&e, 6, 3300, 3100);
	run("printf x | dd of=a bs=1 seek=%d conv=notrunc", 3299 * 512 + 511);
	encode(&e);
	assert_int_equal(e.result, -EINVAL);
	assert_non_null(strstr(e.reason.text, "holds data"));
	close_case(&e);
}

/* An EBR may go neither where new data will be nor into the journal. */
static void the_table_stays_clear_of_data_and_journal(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sfdisk");
	run("rm -f a; truncate -s 64M a; printf '63,1000\n2: start=3001, size=100000, type=5\n"
	    "5: start=3064, size=1000\n6: start=6000, size=1000\n' | sfdisk -q a");
	open_case(&e, "a", 512);
	place(&e, 6, 8192, 8000);
	e.plan.journal = JOURNAL_GAP;
	e.plan.journal_start = 7000 * 512;
	e.plan.journal_bytes = 1000 * 512;
	encode_well(&e);
	assert_true(place_of(&e, 6)->ebr == 8000 * 512);
	table_image_free(&e.before);
	table_image_free(&e.after);
	e.plan.journal_bytes = 1001 * 512;
	encode(&e);
	assert_int_equal(e.result, -EINVAL);
	assert_non_null(strstr(e.reason.text, "would lie in the journal"));
	e.plan.journal = JOURNAL_FILE;
	/* libfdisk and read_layout() both take a primary that starts at the container's EBR. */
	place(&e, 1, 2002, 0);
	encode(&e);
	assert_int_equal(e.result, -EINVAL);
	close_case(&e);
}

static void a_plan_that_is_none_is_refused(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sfdisk");
	run("rm -f a; truncate -s 64M a; printf '63,1000\n' | sfdisk -q a");
	open_case(&e, "a", 512);
	e.plan.feasible = false;
	encode(&e);
	assert_int_equal(e.result, -EINVAL);
	e.plan.feasible = true;
	place_of(&e, 1)->start = 1000;
	encode(&e);
	assert_int_equal(e.result, -EINVAL);
	place_of(&e, 1)->start = UINT64_MAX - 511;
	encode(&e);
	assert_int_equal(e.result, -EINVAL);
	place(&e, 1, 64 * 2048 - 999, 0); /* one sector past the end */
	encode(&e);
	assert_int_equal(e.result, -EINVAL);
	close_case(&e);
}

static void a_boot_indicator_that_libfdisk_would_lose_is_refused(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sfdisk");
	run("rm -f a; truncate -s 64M a; printf '1: start=2048, size=100000, type=5\n"
	    "5: start=4096, size=20000\n' | sfdisk -q a; "
	    "printf '\\1' | dd of=a bs=1 seek=%d conv=notrunc status=none",
	    2048 * 512 + 446);
	open_case(&e, "a", 512);
	place(&e, 5, 6144, 2048);
	encode(&e);
	assert_int_equal(e.result, -EINVAL);
	assert_non_null(strstr(e.reason.text, "boot indicator of 0x01"));
	close_case(&e);
}

#define GPT_MIX                                                                                      \
	"rm -f a; truncate -s 64M a; sgdisk -a1 -n1:34:2000 -t1:ef02 -n3:2049:30000 -c3:'Bürö 3' " \
	"-A3:set:2 "                                                                                 \
	"-A3:set:60 -A3:set:17 -n7:30001:60000 -t7:0700 -n5:60001:131000 -t5:8e00 a"

static void gpt_entries_move_and_no_other_bit_changes(void **state)
{
	struct encoded e;
	uint64_t array = 2 * 512;

	(void)state;
	NEED_TOOL("sgdisk");
	NEED_TOOL("parted");
	run(GPT_MIX);
	/* A protective entry with a boot flag, and boot code. */
	run("parted -s a disk_set pmbr_boot on; head -c 440 /dev/urandom | "
	    "dd of=a conv=notrunc status=none");
	open_case(&e, "a", 512);
	assert_int_equal(e.layout->count, 4);
	place(&e, 3, 2050, 0);
	place(&e, 7, 30002, 0);
	place(&e, 5, 60002, 0);
	check_round_trip(&e, "a");
	assert_int_equal(e.after.count, 67);
	assert_true(is_same_range(&e, 0, 512));
	assert_true(is_same_range(&e, array, 128 * 2 + 32));
	assert_true(is_same_range(&e, array + 128 * 2 + 48, 80));
	assert_false(is_same_range(&e, array + 128 * 2 + 32, 16));
	assert_int_equal(e.after.sectors[32].offset, 64 * MIB - 512); /* backup header, */
	assert_int_equal(e.after.sectors[33].offset, 1024);           /* then the primary's array */
	close_case(&e);
}

static void a_gpt_of_few_entries_and_one_on_a_grown_disk_stay_as_they_are(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sfdisk");
	NEED_TOOL("sgdisk");
	run("rm -f a; truncate -s 64M a; printf 'label: gpt\ntable-length: 8\nfirst-lba: "
	    "34\n63,10000\n20001,10000\n' | sfdisk -q a");
	open_case(&e, "a", 512);
	place(&e, 1, 2048, 0);
	check_round_trip(&e, "a");
	assert_int_equal(e.after.count, 7);
	close_case(&e);

	run(GPT_MIX);
	run("truncate -s 80M a");
	open_case(&e, "a", 512);
	place(&e, 1, 40, 0);
	encode_well(&e);
	assert_int_equal(e.after.sectors[32].offset, 64 * MIB - 512);
	write_image(&e, &e.after);
	run("sgdisk -i1 a | grep 'First sector: 40'");
	close_case(&e);
}

static void gpt_copies_that_differ_are_refused(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sgdisk");
	run(GPT_MIX);
	run("cp a b; sgdisk -d3 b; dd if=b of=a bs=512 skip=%d seek=%d count=33 conv=notrunc "
	    "status=none",
	    64 * 2048 - 33, 64 * 2048 - 33);
	open_case(&e, "a", 512);
	place(&e, 7, 30008, 0);
	encode(&e);
	assert_int_equal(e.result, -EINVAL);
	assert_non_null(strstr(e.reason.text, "copies differ"));
	close_case(&e);
	run(GPT_MIX);
	run("dd if=/dev/zero of=a bs=512 seek=%d count=1 conv=notrunc status=none", 64 * 2048 - 1);
	open_case(&e, "a", 512);
	encode(&e);
	assert_int_equal(e.result, -EINVAL);
	assert_non_null(strstr(e.reason.text, "GPT damaged"));
	close_case(&e);
}

static void tables_of_4096_byte_sectors(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sfdisk");
	run("rm -f a; truncate -s 256M a; printf 'g\nn\n1\n257\n2006\nn\n2\n3001\n13000\nw\n' | "
	    "fdisk -b 4096 a");
	open_case(&e, "a", 4096);
	place(&e, 1, 512, 0);
	place(&e, 2, 3072, 0);
	check_round_trip(&e, "a");
	assert_int_equal(e.after.count, 11);
	close_case(&e);
	run("rm -f a; truncate -s 256M a; printf "
	    "'o\nn\np\n1\n257\n2000\nn\ne\n2\n3001\n33000\nn\nl\n"
	    "3500\n4000\nn\nl\n5001\n6000\nw\n' | fdisk -b 4096 a");
	open_case(&e, "a", 4096);
	place(&e, 1, 512, 0);
	place(&e, 5, 3072, 3001);
	place(&e, 6, 5120, 5119);
	check_round_trip(&e, "a");
	close_case(&e);
}

static void tables_that_are_not_ours_are_refused(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sgdisk");
	run("rm -f a; truncate -s 64M a; sgdisk -a1 -n1:63:20000 -t1:0700 -n2:20480:100000 -h 1:2 "
	    "a");
	open_case(&e, "a", 512);
	encode(&e);
	assert_int_equal(e.result, -EINVAL);
	assert_non_null(strstr(e.reason.text, "hybrid"));
	close_case(&e);
	NEED_TOOL("parted");
	run("rm -f a; truncate -s 64M a; parted -s a mklabel sun mkpart ext2 1 30");
	open_case(&e, "a", 512);
	encode(&e);
	assert_int_equal(e.result, -EINVAL);
	assert_non_null(strstr(e.reason.text, "type sun"));
	close_case(&e);
}

/* What is read back is compared in every field. */
static void each_difference_is_found(void **state)
{
	struct encoded e;
	struct layout changed;
	struct reason reason;
	struct partition parts[8];

	(void)state;
	NEED_TOOL("sfdisk");
	run(CHS_ERA);
	open_case(&e, "a", 512);
	memcpy(parts, e.layout->partitions, e.layout->count * sizeof(*parts));
	changed = *e.layout;
	changed.partitions = parts;
	assert_true(is_planned_layout(e.layout, NULL, &changed, &reason));
	assert_true(is_planned_layout(e.layout, &e.plan, &changed, &reason));
#define CHANGED(change, word)                                                                      \
	do {                                                                                       \
		memcpy(parts, e.layout->partitions, e.layout->count * sizeof(*parts));             \
		changed = *e.layout;                                                               \
		changed.partitions = parts;                                                        \
		change;                                                                            \
		assert_false(is_planned_layout(e.layout, &e.plan, &changed, &reason));             \
		if (!strstr(reason.text, word))                                                    \
			fail_msg("no word of %s: %s", word, reason.text);                          \
	} while (0)
	CHANGED(parts[3].start += 512, "partition 6 at byte");
	CHANGED(parts[3].size -= 512, "partition 6 at byte");
	CHANGED(parts[3].ebr += 512, "EBR of partition 6");
	CHANGED(parts[0].bootable ^= 1, "boot flag of partition 1");
	CHANGED(parts[0].attributes ^= 4, "attributes of partition 1");
	CHANGED(strcpy(parts[2].type, "7"), "type of partition 5");
	CHANGED(strcpy(parts[2].uuid, "7"), "id of partition 5");
	CHANGED(strcpy(parts[2].label, "7"), "name of partition 5");
	CHANGED(parts[2].number = 8, "number of partition 5");
	CHANGED(changed.count--, "number of partitions");
	CHANGED(strcpy(changed.id, "00000000"), "another id");
	close_case(&e);
}

/* ---- many random tables ---- */

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

static void the_backup_restores_the_table(void **state)
{
	static const char *const makers[] = { CHS_ERA, GPT_MIX };

	(void)state;
	NEED_TOOL("fdisk");
	NEED_TOOL("sgdisk");
	for (size_t i = 0; i < ARRAY_SIZE(makers); i++) {
		struct encoded e;
		FILE *f = fopen("backup", "w");
		char *before, *after;

		run("rm -f a");
		run("%s", makers[i]);
		if (i == 1) /* a reserved attribute bit has no name in a script */
			run("sgdisk -A3:clear:17 a");
		before = output_of("sfdisk -d a");
		open_case(&e, "a", 512);
		assert_int_equal(write_table_backup(&e.image.io, e.layout, "a", f, &e.reason), 0);
		fclose(f);
		close_case(&e);
		run("grep label: backup; dd if=/dev/zero of=a bs=1M count=64 conv=notrunc; "
		    "sfdisk -q a < backup");
		after = output_of("sfdisk -d a");
		assert_string_equal(before, after);
		free(before);
		free(after);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(primaries_move_and_the_rest_stays),
		cmocka_unit_test(packed_primaries_all_shift),
		cmocka_unit_test(logicals_of_the_chs_era_move),
		cmocka_unit_test(one_logical_moves_alone),
		cmocka_unit_test(the_container_may_change),
		cmocka_unit_test(gaps_of_one_sector_are_kept),
		cmocka_unit_test(a_logical_without_room_for_its_ebr_is_refused),
		cmocka_unit_test(logicals_out_of_disk_order_keep_their_numbers),
		cmocka_unit_test(an_empty_first_ebr_is_understood),
		cmocka_unit_test(an_empty_container_moves),
		cmocka_unit_test(an_ebr_that_libfdisk_chose_may_not_hit_data_in_a_gap),
		cmocka_unit_test(the_table_stays_clear_of_data_and_journal),
		cmocka_unit_test(a_plan_that_is_none_is_refused),
		cmocka_unit_test(a_boot_indicator_that_libfdisk_would_lose_is_refused),
		cmocka_unit_test(gpt_entries_move_and_no_other_bit_changes),
		cmocka_unit_test(a_gpt_of_few_entries_and_one_on_a_grown_disk_stay_as_they_are),
		cmocka_unit_test(gpt_copies_that_differ_are_refused),
		cmocka_unit_test(tables_of_4096_byte_sectors),
		cmocka_unit_test(tables_that_are_not_ours_are_refused),
		cmocka_unit_test(each_difference_is_found),
		cmocka_unit_test(random_tables_of_primaries),
		cmocka_unit_test(random_tables_of_logicals),
		cmocka_unit_test(random_gpts),
		cmocka_unit_test(the_backup_restores_the_table),
	};

	return cmocka_run_group_tests(tests, image_setup, image_teardown);
}
