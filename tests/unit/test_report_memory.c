// SPDX-License-Identifier: GPL-2.0-or-later
/* Out of memory at every single allocation: -ENOMEM, or a report that lacks nothing; never a crash.
 */
#include "report_fixture.h"

#include <errno.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1 /* as gcc says it */
#endif
#endif

#ifdef __SANITIZE_ADDRESS__
#define HAS_OWN_MALLOC 0 /* it is the sanitizer's there */
#else
#define HAS_OWN_MALLOC 1
#endif

static long allocations_left = -1; /* -1: as many as are wanted */
static bool has_failed;

#if HAS_OWN_MALLOC
/* The C library's own (malloc/malloc.c), below the names that we take over. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static bool must_fail(void)
{
	if (allocations_left < 0)
		return false;
	if (allocations_left > 0) {
		allocations_left--;
		return false;
	}
	has_failed = true;
	return true;
}

void *malloc(size_t size)
{
	if (!must_fail())
		return __libc_malloc(size);
	errno = ENOMEM;
	return NULL;
}

void *calloc(size_t count, size_t size)
{
	if (!must_fail())
		return __libc_calloc(count, size);
	errno = ENOMEM;
	return NULL;
}

void *realloc(void *old, size_t size)
{
	if (!must_fail())
		return __libc_realloc(old, size);
	errno = ENOMEM;
	return NULL;
}
#endif

/* Reports into `text` with the first `allowed` allocations only. */
static int report_within(const struct fixture *f, enum report_format format, long allowed,
			 char *text, size_t size)
{
	const struct report_options options = { .format = format, .verbose = true };
	FILE *out = fmemopen(text, size, "w");
	int err;

	assert_non_null(out);
	setvbuf(out, NULL, _IONBF, 0);
	has_failed = false;
	allocations_left = allowed;
	err = report(out, &f->result, 1, &options);
	allocations_left = -1;
	fclose(out);
	return err;
}

static void test_every_allocation_fails_once(void **state)
{
	enum { TEXT_MAX = 65536 };
	static char whole[TEXT_MAX], text[TEXT_MAX];
	struct fixture f;

	(void)state;
	if (!HAS_OWN_MALLOC)
		skip();
	setup_disk(&f);
	set_misaligned(&f, add_partition(&f, 1, 63, 8), 3584);
	add_partition(&f, 2, 2048, 8);
	add_layer(&f, 1, "ext4", MIB);
	for (int format = FORMAT_TEXT; format <= FORMAT_NAGIOS; format++) {
		long allowed = 0;
		int err;

		assert_int_equal(report_within(&f, format, -1, whole, TEXT_MAX), 0);
		do {
			err = report_within(&f, format, allowed++, text, TEXT_MAX);
			if (!err)
				assert_string_equal(text, whole);
			else
				assert_int_equal(err, -ENOMEM);
		} while (has_failed);
		assert_int_equal(err, 0);
	}
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_allocation_fails_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
