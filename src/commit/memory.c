// SPDX-License-Identifier: GPL-2.0-or-later
#include "internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* An anonymous sparse file, because libfdisk and libblkid want a descriptor, not a callback. */
struct memory_io {
	struct io io;
	int fd;
};

static int memory_read(struct io *io, void *buf, size_t len, uint64_t offset)
{
	int fd = ((struct memory_io *)io)->fd;
	char *to = buf;

	while (len) {
		ssize_t n = pread(fd, to, len, offset);

		if (n < 0)
			return -errno;
		if (!n)
			return -ENODATA;
		to += n;
		offset += n;
		len -= n;
	}
	return 0;
}

static int memory_write(struct io *io, const void *buf, size_t len, uint64_t offset)
{
	int fd = ((struct memory_io *)io)->fd;
	const char *from = buf;

	while (len) {
		ssize_t n = pwrite(fd, from, len, offset);

		if (n < 0)
			return -errno;
		from += n;
		offset += n;
		len -= n;
	}
	return 0;
}

static int memory_fd(const struct io *io, uint64_t *base)
{
	*base = 0;
	return ((const struct memory_io *)io)->fd;
}

static void memory_close(struct io *io)
{
	close(((struct memory_io *)io)->fd);
	free(io);
}

static const struct io_ops memory_ops = {
	.read = memory_read,
	.write = memory_write,
	.fd = memory_fd,
	.close = memory_close,
};

int open_memory_disk(uint64_t size, struct io **io, struct reason *reason)
{
	struct memory_io *m = malloc(sizeof(*m));
	int fd = memfd_create("table", MFD_CLOEXEC), err;

	if (!m || fd < 0 || ftruncate(fd, size) < 0) {
		err = m ? errno : ENOMEM;
		if (fd >= 0)
			close(fd);
		free(m);
		return reason_set(reason, -err, "cannot encode the new table: %s", strerror(err));
	}
	*m = (struct memory_io){ { &memory_ops, size }, fd };
	*io = &m->io;
	return 0;
}

int write_table_sectors(struct io *io, const struct table_image *image, uint32_t sector,
			struct reason *reason)
{
	for (size_t i = 0; i < image->count; i++) {
		int r = io_write(io, image->sectors[i].bytes, sector, image->sectors[i].offset);

		if (r < 0)
			return reason_set(reason, r, "cannot encode the new table: %s",
					  strerror(-r));
	}
	return 0;
}
