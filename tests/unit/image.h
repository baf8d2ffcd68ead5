/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_TESTS_IMAGE_H
#define ALIGNCK_TESTS_IMAGE_H

/*
 * Images made and read by real tools, in a directory of the test's own. The first failing tool ends
 * the test; a tool that is not installed is the caller's to skip (has_tool()).
 */

#include "unit.h"

#include "alignck/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char image_dir[32];

static inline int image_setup(void **state)
{
	(void)state;
	/* In memory where that can be had, because the tools flush after every sector. */
	snprintf(image_dir, sizeof(image_dir), "%s/alignck-XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	return mkdtemp(image_dir) && !chdir(image_dir) ? 0 : -1;
}

static inline int image_teardown(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", image_dir);
	return chdir("/") || system(command);
}

static inline bool has_tool(const char *name)
{
	char command[80];

	snprintf(command, sizeof(command), "command -v %s >/dev/null 2>&1", name);
	return system(command) == 0;
}

#define NEED_TOOL(name)                                                                            \
	do {                                                                                       \
		if (!has_tool(name)) {                                                             \
			print_message("# needs %s\n", name);                                       \
			skip();                                                                    \
		}                                                                                  \
	} while (0)

__attribute__((format(printf, 1, 2))) static inline int try_run(const char *format, ...)
{
	char command[8192];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	return system(command);
}

/* A shell command that must succeed; its output is shown only when it does not. */
#define run(...)                                                                                   \
	do {                                                                                       \
		char command_[8192];                                                               \
                                                                                                   \
		snprintf(command_, sizeof(command_), __VA_ARGS__);                                 \
		if (try_run("{ %s\n} >run.log 2>&1", command_)) {                                  \
			try_run("cat run.log >&2");                                                \
			fail_msg("failed: %s", command_);                                          \
		}                                                                                  \
	} while (0)

/* What a shell command prints; the caller frees. It must succeed. */
static inline char *output_of(const char *command)
{
	FILE *f = popen(command, "r");
	size_t room = 1 << 16, len;
	char *text = malloc(room);

	assert_non_null(f);
	assert_non_null(text);
	len = fread(text, 1, room - 1, f);
	text[len] = '\0';
	if (pclose(f) != 0)
		fail_msg("failed: %s", command);
	return text;
}

/* An image opened for reading and writing as an io; writes are unbuffered. */
struct image_io {
	struct io io;
	int fd;
	bool frozen; /* who writes now ends the test */
};

static inline int image_io_read(struct io *io, void *buf, size_t len, uint64_t offset)
{
	ssize_t n = pread(((struct image_io *)io)->fd, buf, len, offset);

	return n == (ssize_t)len ? 0 : -EIO;
}

static inline int image_io_write(struct io *io, const void *buf, size_t len, uint64_t offset)
{
	assert_false(((struct image_io *)io)->frozen);

	ssize_t n = pwrite(((struct image_io *)io)->fd, buf, len, offset);

	return n == (ssize_t)len ? 0 : -EIO;
}

static inline int image_io_fd(const struct io *io, uint64_t *base)
{
	*base = 0;
	return ((const struct image_io *)io)->fd;
}

static inline void image_io_close(struct io *io)
{
	close(((struct image_io *)io)->fd);
	((struct image_io *)io)->fd = -1;
}

static inline struct image_io image_open(const char *path)
{
	static const struct io_ops ops = {
		.read = image_io_read,
		.write = image_io_write,
		.fd = image_io_fd,
		.close = image_io_close,
	};
	struct image_io image = { .io = { .ops = &ops }, .fd = open(path, O_RDWR | O_CLOEXEC) };
	struct stat st;

	assert_true(image.fd >= 0);
	assert_int_equal(fstat(image.fd, &st), 0);
	image.io.size = st.st_size;
	return image;
}

#endif
