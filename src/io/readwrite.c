// SPDX-License-Identifier: GPL-2.0-or-later
#include "alignck/io.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define BOUNCE_SIZE (64 * KIB)

struct readwrite_io {
	struct io io;
	int fd;
	uint32_t unit; /* what O_DIRECT wants offsets and lengths to be multiples of; 1: no O_DIRECT
			*/
	bool is_device;
};

/* O_DIRECT wants memory, length and offset in logical sectors: open(2). */
static bool is_aligned(const struct readwrite_io *p, const void *buf, size_t len, uint64_t offset)
{
	return !(((uintptr_t)buf % p->unit) | (len % p->unit) | (offset % p->unit));
}

/* A device that was pulled has no sectors left: a write to it finds no space, a read its end. */
static int explain(const struct readwrite_io *p, int err)
{
	uint64_t size;

	return p->is_device && ioctl(p->fd, BLKGETSIZE64, &size) == 0 && size < p->io.size ? -ENODEV
											   : err;
}

/* Reads at least `need` of `len` bytes: a file may end inside the last aligned unit. */
static int read_some(const struct readwrite_io *p, char *to, size_t len, size_t need,
		     uint64_t offset)
{
	size_t got = 0;

	while (got < need) {
		ssize_t n = pread(p->fd, to + got, len - got, offset + got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return explain(p, n ? -errno : -ENODATA);
		got += n;
	}
	return 0;
}

/* Unaligned requests are small and rare (a decoder, a boot sector): through a buffer of our own. */
static int read_bounced(const struct readwrite_io *p, char *to, size_t len, uint64_t offset)
{
	autofree char *bounce = io_alloc(BOUNCE_SIZE);

	if (!bounce)
		return -ENOMEM;
	while (len) {
		uint64_t start = round_down_to(offset, p->unit);
		size_t skip = offset - start;
		size_t part = len < BOUNCE_SIZE - skip ? len : BOUNCE_SIZE - skip;
		size_t whole = (skip + part + p->unit - 1) / p->unit * p->unit;
		int r = read_some(p, bounce, whole, skip + part, start);

		if (r < 0)
			return r;
		memcpy(to, bounce + skip, part);
		to += part;
		offset += part;
		len -= part;
	}
	return 0;
}

static int readwrite_read(struct io *io, void *buf, size_t len, uint64_t offset)
{
	const struct readwrite_io *p = (const struct readwrite_io *)io;

	return is_aligned(p, buf, len, offset) ? read_some(p, buf, len, len, offset)
					       : read_bounced(p, buf, len, offset);
}

static int write_all(const struct readwrite_io *p, const char *from, size_t len, uint64_t offset)
{
	while (len) {
		ssize_t n = pwrite(p->fd, from, len, offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return explain(p, n ? -errno : -EIO);
		from += n;
		offset += n;
		len -= n;
	}
	return 0;
}

static int readwrite_write(struct io *io, const void *buf, size_t len, uint64_t offset)
{
	const struct readwrite_io *p = (const struct readwrite_io *)io;
	autofree void *copy = NULL;

	if (is_aligned(p, buf, len, offset))
		return write_all(p, buf, len, offset);
	/* Part of a sector would have to be read first: that is the caller's to decide. */
	if (len % p->unit || offset % p->unit)
		return -EINVAL;
	copy = io_alloc(len);
	if (!copy)
		return -ENOMEM;
	return write_all(p, memcpy(copy, buf, len), len, offset);
}

static int readwrite_flush(struct io *io)
{
	return fdatasync(((struct readwrite_io *)io)->fd) < 0 ? -errno : 0;
}

static int readwrite_fd(const struct io *io, uint64_t *base)
{
	*base = 0;
	return ((const struct readwrite_io *)io)->fd;
}

static void readwrite_close(struct io *io)
{
	close(((struct readwrite_io *)io)->fd);
	free(io);
}

static int readwrite_punch(struct io *io, uint64_t len, uint64_t offset)
{
	const struct readwrite_io *p = (const struct readwrite_io *)io;

	/* A device's discard need not read as zeros afterwards. */
	if (p->is_device)
		return -EOPNOTSUPP;
	return fallocate(p->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, len) < 0
		       ? -errno
		       : 0;
}

static int readwrite_drop_cache(struct io *io)
{
	int err = posix_fadvise(((struct readwrite_io *)io)->fd, 0, 0, POSIX_FADV_DONTNEED);

	return -err;
}

static const struct io_ops readwrite_ops = {
	.read = readwrite_read,
	.write = readwrite_write,
	.flush = readwrite_flush,
	.fd = readwrite_fd,
	.close = readwrite_close,
	.punch = readwrite_punch,
	.drop_cache = readwrite_drop_cache,
};

/* A running machine (qemu) and a second alignck hold such a lock on their image. */
static int lock_image(int fd, struct reason *reason)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (fcntl(fd, F_OFD_SETLK, &lock) == 0)
		return 0;
	if (errno == EAGAIN || errno == EACCES)
		return reason_set(
			reason, -EBUSY,
			"in use: another process holds a lock on it (a running machine?)");
	return reason_set(reason, -errno, "cannot lock: %s", strerror(errno));
}

/* Turns O_DIRECT on where reads of single sectors work with it: an image on a disk of 4096-byte
 * sectors holds a table of 512-byte ones, and must go through the cache. */
static void try_direct(struct readwrite_io *p)
{
	int flags = fcntl(p->fd, F_GETFL), sector = 512;
	autofree char *probe = io_alloc(IO_ALIGNMENT);

	p->unit = 1;
	if (!probe || flags < 0 || fcntl(p->fd, F_SETFL, flags | O_DIRECT) < 0)
		return;
	if (p->is_device && (ioctl(p->fd, BLKSSZGET, &sector) < 0 || sector < 512))
		sector = 512;
	if (p->io.size >= 2 * (uint64_t)sector && sector <= IO_ALIGNMENT &&
	    pread(p->fd, probe, sector, sector) == sector)
		p->unit = sector;
	else
		fcntl(p->fd, F_SETFL, flags);
}

static int setup(struct readwrite_io *p, struct reason *reason)
{
	struct stat st;
	int r;

	if (fstat(p->fd, &st) < 0)
		return reason_set(reason, -errno, "cannot open: %s", strerror(errno));
	p->is_device = S_ISBLK(st.st_mode);
	p->io.size = st.st_size;
	if (p->is_device && ioctl(p->fd, BLKGETSIZE64, &p->io.size) < 0)
		return reason_set(reason, -errno, "cannot read its size: %s", strerror(errno));
	r = p->is_device ? 0 : lock_image(p->fd, reason);
	if (r < 0)
		return r;
	try_direct(p);
	p->io.ops = &readwrite_ops;
	return 0;
}

static int wrap(int fd, struct io **out, struct reason *reason)
{
	struct readwrite_io *p = calloc(1, sizeof(*p));
	int r;

	if (!p) {
		close(fd);
		return reason_set(reason, -ENOMEM, "cannot open: %s", strerror(ENOMEM));
	}
	p->fd = fd;
	r = setup(p, reason);
	if (r < 0) {
		readwrite_close(&p->io);
		return r;
	}
	*out = &p->io;
	return 0;
}

int io_open_readwrite(const char *path, struct io **out, struct reason *reason)
{
	struct stat st;
	int fd, flags = O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;

	if (stat(path, &st) < 0)
		return reason_set(reason, -errno, "cannot open: %s", strerror(errno));
	if (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode))
		return reason_set(reason, -EINVAL, "cannot change: neither a disk nor an image");
	fd = open(path, flags | (S_ISBLK(st.st_mode) ? O_EXCL : 0));
	if (fd < 0 && errno == EBUSY)
		return reason_set(reason, -EBUSY,
				  "in use: mounted, or held by another device or process");
	if (fd < 0)
		return reason_set(reason, -errno, "cannot open for writing: %s%s", strerror(errno),
				  errno == EACCES || errno == EPERM ? "; run it as root" : "");
	return wrap(fd, out, reason);
}

static int flush_directory(const char *path)
{
	autofree char *copy = strdup(path);
	int fd, r;

	if (!copy)
		return -ENOMEM;
	fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = fsync(fd) < 0 ? -errno : 0;
	close(fd);
	return r;
}

int io_create_file(const char *path, uint64_t size, struct io **out, struct reason *reason)
{
	int fd, r;

	if (size > INT64_MAX)
		return reason_set(reason, -EFBIG, "cannot create: too large");
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0600);
	if (fd < 0)
		return reason_set(reason, -errno, "cannot create: %s", strerror(errno));
	/* Blocks now, or a full disk would stop a relocation half-way. */
	r = -posix_fallocate(fd, 0, size);
	if (!r)
		r = fsync(fd) < 0 ? -errno : flush_directory(path);
	if (r < 0) {
		reason_set(reason, r, "cannot create: %s", strerror(-r));
		close(fd);
	} else {
		r = wrap(fd, out, reason);
	}
	if (r < 0)
		unlink(path);
	return r;
}
