// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "alignck/io.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/alignck-io-XXXXXX";
static char path[64];

static int make_file(void **state)
{
	char bytes[4096];
	FILE *f;

	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/disk", dir);
	f = fopen(path, "w");
	if (!f)
		return -1;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = i % 251;
	fwrite(bytes, 1, sizeof(bytes), f);
	return fclose(f);
}

static int remove_file(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);
}

static void a_file_reads_whole(void **state)
{
	struct reason reason;
	struct io *io;
	uint8_t buf[300];
	uint64_t base = 9;

	(void)state;
	assert_int_equal(io_open_readonly(path, &io, &reason), 0);
	assert_true(io->size == 4096);
	assert_int_equal(io_read(io, buf, sizeof(buf), 1000), 0);
	for (size_t i = 0; i < sizeof(buf); i++)
		assert_int_equal(buf[i], (1000 + i) % 251);
	assert_int_equal(io_read(io, buf, 1, 4095), 0);
	assert_int_equal(io_read(io, buf, 2, 4095), -ENODATA);
	assert_int_equal(io_read(io, buf, 1, UINT64_MAX), -ENODATA);
	assert_int_equal(io_write(io, buf, 1, 0), -EROFS);
	assert_int_equal(io_flush(io), -EROFS);
	assert_true(io_fd(io, &base) >= 0 && base == 0);
	io_close(io);
}

static void a_file_that_shrinks_is_an_error(void **state)
{
	struct reason reason;
	struct io *io;
	uint8_t buf[512];

	(void)state;
	assert_int_equal(io_open_readonly(path, &io, &reason), 0);
	assert_int_equal(truncate(path, 4000), 0);
	assert_int_equal(io_read(io, buf, sizeof(buf), 3584), -ENODATA);
	assert_int_equal(truncate(path, 4096), 0);
	io_close(io);
}

static void a_view_is_a_window(void **state)
{
	struct reason reason;
	struct io *io, *view;
	uint8_t byte;
	uint64_t base;

	(void)state;
	assert_int_equal(io_open_readonly(path, &io, &reason), 0);
	assert_int_equal(io_open_view(io, 512, 1024, &view), 0);
	assert_int_equal(io_read(view, &byte, 1, 3), 0);
	assert_int_equal(byte, 515 % 251);
	assert_int_equal(io_read(view, &byte, 1, 1024), -ENODATA);
	assert_true(io_fd(view, &base) >= 0 && base == 512);
	io_close(view);
	assert_int_equal(io_open_view(io, 4096, 0, &view), 0);
	io_close(view);
	assert_int_equal(io_open_view(io, 4096, 1, &view), -ERANGE);
	assert_int_equal(io_open_view(io, UINT64_MAX, 2, &view), -ERANGE);
	io_close(io);
}

static void what_is_no_disk_is_refused(void **state)
{
	struct reason reason;
	struct io *io;
	char fifo[80];

	(void)state;
	snprintf(fifo, sizeof(fifo), "%s/fifo", dir);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(io_open_readonly(fifo, &io, &reason), -EINVAL); /* and does not hang */
	assert_non_null(strstr(reason.text, "is a FIFO"));
	unlink(fifo);
	assert_int_equal(io_open_readonly(dir, &io, &reason), -EINVAL);
	assert_non_null(strstr(reason.text, "is a directory"));
	assert_int_equal(io_open_readonly("/dev/null", &io, &reason), -EINVAL);
	assert_non_null(strstr(reason.text, "character device"));
	assert_int_equal(io_open_readonly(fifo, &io, &reason), -ENOENT);
	assert_string_equal(reason.text, "cannot open: No such file or directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_reads_whole),
		cmocka_unit_test(a_file_that_shrinks_is_an_error),
		cmocka_unit_test(a_view_is_a_window),
		cmocka_unit_test(what_is_no_disk_is_refused),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
