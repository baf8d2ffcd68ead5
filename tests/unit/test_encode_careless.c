// SPDX-License-Identifier: GPL-2.0-or-later
/* An encoder that changes more than positions, and a second reader that sees something else: the
 * plan's layout is all there for read_layout(), and yet the table must not be written. */
#include "encode_case.h"

#include "../../src/commit/fdisk.h"

enum { BACKUP_HEADER = 64 * MIB - 512, ARRAY = 1024 };

static uint64_t damage; /* the byte that the encoder changes; UINT64_MAX: none */
static int opinion;     /* of the second reader */

/* In the places of the real ones. Weak: where those are linked in by name, they are the ones. */
#define INSTEAD __attribute__((weak))

INSTEAD int edit_gpt_table(struct io *memory, const struct layout *layout, const struct plan *plan,
			   struct reason *reason)
{
	uint8_t sector[512];
	uint64_t at = damage / sizeof(sector) * sizeof(sector);
	int r;

	(void)layout, (void)plan, (void)reason;
	if (damage == UINT64_MAX)
		return 0;
	r = io_read(memory, sector, sizeof(sector), at);
	sector[damage % sizeof(sector)] ^= 1;
	return r ? r : io_write(memory, sector, sizeof(sector), at);
}

INSTEAD int open_fdisk(const struct io *memory, uint32_t sector, const char *name,
		       struct fdisk *fdisk, struct reason *reason)
{
	(void)memory, (void)sector, (void)name, (void)fdisk, (void)reason;
	return 0;
}

INSTEAD void close_fdisk(struct fdisk *fdisk)
{
	(void)fdisk;
}

INSTEAD int fdisk_failed(const struct fdisk *fdisk, struct reason *reason, const char *format, ...)
{
	(void)fdisk, (void)reason, (void)format;
	return -EINVAL;
}

INSTEAD int compare_fdisk(const struct fdisk *fdisk, const struct layout *layout,
			  const struct plan *plan, struct reason *reason)
{
	(void)fdisk, (void)layout, (void)plan;
	return opinion ? reason_set(reason, opinion, "libfdisk sees another table") : 0;
}

static void encode_with(struct encoded *e, uint64_t byte, int second)
{
	run(GPT_MIX);
	open_case(e, "a", 512);
	damage = byte;
	opinion = second;
	encode(e);
}

static void a_byte_more_is_refused(void **state)
{
	/* The code of sector 0, what is behind either header: nobody's. */
	static const uint64_t nobodys[] = { 0, 439, 512 + 92, 512 + 511, BACKUP_HEADER + 200 };

	(void)state;
	NEED_TOOL("sgdisk");
	for (size_t i = 0; i < ARRAY_SIZE(nobodys); i++) {
		char word[40];
		struct encoded e;

		encode_with(&e, nobodys[i], 0);
		snprintf(word, sizeof(word), "byte %" PRIu64 ",", damage);
		if (e.result != -EINVAL || !strstr(e.reason.text, word))
			fail_msg("byte %" PRIu64 ": %d, %s", damage, e.result,
				 e.result ? e.reason.text : "not refused");
		close_case(&e);
	}
}

static void a_damaged_entry_is_refused(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sgdisk");
	encode_with(&e, ARRAY + 2 * 128 + 48, 0); /* attributes of partition 3: a wrong checksum */
	assert_int_equal(e.result, -EINVAL);
	close_case(&e);
}

static void the_second_reader_is_asked(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sgdisk");
	encode_with(&e, UINT64_MAX, 0);
	assert_int_equal(e.result, 0);
	close_case(&e);
	encode_with(&e, UINT64_MAX, -EINVAL);
	assert_int_equal(e.result, -EINVAL);
	assert_string_equal(e.reason.text, "libfdisk sees another table");
	close_case(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_byte_more_is_refused),
		cmocka_unit_test(a_damaged_entry_is_refused),
		cmocka_unit_test(the_second_reader_is_asked),
	};

	return cmocka_run_group_tests(tests, image_setup, image_teardown);
}
