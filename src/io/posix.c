// SPDX-License-Identifier: GPL-2.0-or-later
#include "alignck/io.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

struct posix_io {
	struct io io;
	int fd;
};

static int posix_read(struct io *io, void *buf, size_t len, uint64_t offset)
{
	const struct posix_io *p = (const struct posix_io *)io;
	char *to = buf;

	while (len) {
		ssize_t n = pread(p->fd, to, len, offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return -ENODATA; /* it shrank since we opened it */
		to += n;
		offset += n;
		len -= n;
	}
	return 0;
}

static int posix_fd(const struct io *io, uint64_t *base)
{
	*base = 0;
	return ((const struct posix_io *)io)->fd;
}

static void posix_close(struct io *io)
{
	close(((struct posix_io *)io)->fd);
	free(io);
}

static const struct io_ops readonly_ops = {
	.read = posix_read,
	.fd = posix_fd,
	.close = posix_close,
};

/* What cannot be checked, by st_mode type. */
static const char *refused_kind(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFDIR:
		return "is a directory";
	case S_IFIFO:
		return "is a FIFO";
	case S_IFCHR:
		return "is a character device";
	case S_IFSOCK:
		return "is a socket";
	default:
		return NULL;
	}
}

static int find_size(int fd, const struct stat *st, uint64_t *size, struct reason *reason)
{
	if (S_ISBLK(st->st_mode)) {
		if (ioctl(fd, BLKGETSIZE64, size) < 0)
			return reason_set(reason, -errno, "cannot read its size: %s",
					  strerror(errno));
	} else {
		*size = st->st_size;
	}
	return 0;
}

int io_open_readonly(const char *path, struct io **out, struct reason *reason)
{
	/* stat before open: opening a FIFO or a tape has effects, looking at it has none. */
	struct stat st;
	const char *refused;
	int fd, r;

	if (stat(path, &st) < 0)
		return reason_set(reason, -errno, "cannot open: %s", strerror(errno));
	refused = refused_kind(st.st_mode);
	if (refused)
		return reason_set(reason, -EINVAL,
				  "cannot check: %s; name a disk, a partition or an image file",
				  refused);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0) {
		const char *remedy = errno == EACCES || errno == EPERM ? "; run it as root" : "";

		return reason_set(reason, -errno, "cannot open: %s%s", strerror(errno), remedy);
	}

	struct posix_io *p = calloc(1, sizeof(*p));

	if (!p) {
		r = reason_set(reason, -ENOMEM, "cannot open: %s", strerror(ENOMEM));
		goto fail;
	}
	r = fstat(fd, &st) < 0 ? reason_set(reason, -errno, "cannot open: %s", strerror(errno))
			       : find_size(fd, &st, &p->io.size, reason);
	if (r < 0)
		goto fail;
	p->io.ops = &readonly_ops;
	p->fd = fd;
	*out = &p->io;
	return 0;
fail:
	free(p);
	close(fd);
	return r;
}
