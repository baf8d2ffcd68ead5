/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Images made by real tools in a directory of their own. Group setup make_dir, teardown remove_dir.
 * A test whose tool is missing is skipped by name.
 */
#ifndef ALIGNCK_TEST_IMAGES_H
#define ALIGNCK_TEST_IMAGES_H

#include "tables.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/alignck-image-XXXXXX";
static char image[64];

static inline int make_dir(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	/* Ends in a letter, so that partition 1 is named imagea1. */
	snprintf(image, sizeof(image), "%s/imagea", dir);
	return 0;
}

static inline int remove_dir(void **state)
{
	(void)state;
	unlink(image);
	return rmdir(dir);
}

/* Skips the test, by name, where a tool it needs is not there. */
static inline void need(const char *tool)
{
	char command[128];

	snprintf(command, sizeof(command), "PATH=$PATH:/sbin:/usr/sbin command -v %s >/dev/null",
		 tool);
	if (system(command)) {
		print_message("# SKIP: %s is not installed\n", tool);
		skip();
	}
}

/* Runs a shell line with $I as the image; it must succeed. */
static inline void run(const char *line)
{
	char command[2048];

	snprintf(command, sizeof(command),
		 "export I=%s LC_ALL=C PATH=$PATH:/sbin:/usr/sbin; set -e; { %s; } >/dev/null 2>&1",
		 image, line);
	if (system(command))
		fail_msg("failed: %s", line);
}

static inline void new_image(uint64_t size)
{
	int fd = open(image, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	close(fd);
}

static inline void write_at(uint64_t offset, const void *bytes, size_t len)
{
	int fd = open(image, O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, len, offset), len);
	close(fd);
}

static inline struct layout *read_image_as(uint32_t sector, bool may_change)
{
	struct reason reason;
	struct layout *l;
	struct io *io;

	assert_int_equal(io_open_readonly(image, &io, &reason), 0);
	l = read_io(io, sector, may_change);
	io_close(io);
	return l;
}

static inline struct layout *read_image(void)
{
	return read_image_as(512, true);
}

#endif
