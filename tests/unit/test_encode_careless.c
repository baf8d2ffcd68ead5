// SPDX-License-Identifier: GPL-2.0-or-later
/* An encoder that changes more than positions: the plan's layout is all there, for every reader, and
 * yet the table must not be written. */
#include "encode_case.h"

#include "../../src/commit/internal.h"

enum { BACKUP_HEADER = 64 * MIB - 512, ARRAY = 1024 };

static uint64_t damage; /* the byte that it changes */

/* In the place of the real one. Weak: where that is linked in by name, it is that one. */
__attribute__((weak)) int edit_gpt_table(struct io *memory, const struct layout *layout,
					 const struct plan *plan, struct reason *reason)
{
	uint8_t sector[512];
	uint64_t at = damage / sizeof(sector) * sizeof(sector);
	int r = io_read(memory, sector, sizeof(sector), at);

	(void)layout, (void)plan, (void)reason;
	sector[damage % sizeof(sector)] ^= 1;
	return r ? r : io_write(memory, sector, sizeof(sector), at);
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

		run(GPT_MIX);
		open_case(&e, "a", 512);
		damage = nobodys[i];
		encode(&e);
		snprintf(word, sizeof(word), "byte %" PRIu64 ",", damage);
		if (e.result != -EINVAL || !strstr(e.reason.text, word))
			fail_msg("byte %" PRIu64 ": %d, %s", damage, e.result,
				 e.result ? e.reason.text : "not refused");
		close_case(&e);
	}
}

/* Its other readers say no where a checksum no longer holds. */
static void a_damaged_entry_is_refused(void **state)
{
	struct encoded e;

	(void)state;
	NEED_TOOL("sgdisk");
	run(GPT_MIX);
	open_case(&e, "a", 512);
	damage = ARRAY + 2 * 128 + 48; /* attributes of partition 3 */
	encode(&e);
	assert_int_equal(e.result, -EINVAL);
	close_case(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_byte_more_is_refused),
		cmocka_unit_test(a_damaged_entry_is_refused),
	};

	return cmocka_run_group_tests(tests, image_setup, image_teardown);
}
