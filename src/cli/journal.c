// SPDX-License-Identifier: GPL-2.0-or-later
/* Where the journal of a job is, or will be. */
#include "job.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <linux/major.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

static int use_gap(struct job *job, uint64_t base)
{
	job->relocation.journal = job->disk;
	job->relocation.journal_base = base;
	job->relocation.journal_size = job->disk->size - base;
	return 0;
}

static int use_file(struct job *job, const char *path, struct reason *reason)
{
	int err = io_open_readwrite(path, &job->journal_io, reason);

	if (err) {
		struct reason why = *reason;

		return reason_set(reason, err, "its journal %.120s: %.100s", path, why.text);
	}
	job->journal_path = strdup(path);
	job->relocation.journal = job->journal_io;
	job->relocation.journal_base = 0;
	job->relocation.journal_size = job->journal_io->size;
	return job->journal_path ? 0 : reason_set(reason, -ENOMEM, "no memory");
}

static bool is_regular(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

/* Where an image's journal lies unless --journal says otherwise. */
static char *path_beside(const char *path)
{
	char *beside = NULL;

	return asprintf(&beside, "%s.alignck", path) < 0 ? NULL : beside;
}

/* Of several, which earlier realignments with another plan have left, the one that fits the disk;
 * the first one where none does, so that it can be said why. */
static int find_in_gaps(struct job *job, const struct layout *layout)
{
	uint64_t first, base;
	int err = find_gap_journal(job->disk, layout, 0, &first);

	for (base = first; !err; err = find_gap_journal(job->disk, layout, base + 1, &base)) {
		struct relocation_state state;
		struct reason ignored;

		use_gap(job, base);
		if (!relocation_open(&job->relocation, &state, &ignored))
			return 0;
	}
	return err == -ENOENT && job->relocation.journal ? use_gap(job, first) : err;
}

static int find_journal_without_cover(struct job *job, struct reason *reason)
{
	const struct layout_options options = job_layout_options(job);
	struct layout *layout = NULL;
	int err;

	if (is_regular(job->disk_fd)) {
		autofree char *beside = path_beside(job->path);

		if (beside && access(beside, F_OK) == 0)
			return use_file(job, beside, reason);
	}
	err = read_layout(job->disk, &options, &layout, reason);
	if (!err)
		err = find_in_gaps(job, layout);
	layout_free(layout);
	if (!err)
		return 0;
	return reason_set(reason, -ENOENT,
			  "no realignment and no journal of one is on it; if the journal is a file,"
			  " name it with --journal");
}

/* -errno; 0: no cover; 1: *cover is filled. */
static int read_cover(struct job *job, struct cover *cover)
{
	uint8_t sector0[COVER_SIZE];
	int err = io_read(job->disk, sector0, sizeof(sector0), 0);

	return err ? err : is_cover(sector0, sizeof(sector0), cover);
}

bool job_is_covered(struct job *job)
{
	struct cover cover;

	return job->disk && read_cover(job, &cover) > 0;
}

int job_find_journal(struct job *job, struct reason *reason)
{
	struct cover cover = { 0 };
	int found;

	if (job->options->journal)
		return use_file(job, job->options->journal, reason);
	found = read_cover(job, &cover);
	if (found < 0)
		return reason_set(reason, found, "cannot read sector 0: %s", strerror(-found));
	if (!found)
		return find_journal_without_cover(job, reason);
	if (cover.in_gap)
		return use_gap(job, cover.journal_base);
	return use_file(job, cover.journal_name, reason);
}

static int refuse_half_way(const char *where, struct reason *reason)
{
	return reason_set(
		reason, -EBUSY,
		"a realignment is unfinished, says its journal %.100s, yet there is a table:"
		" somebody wrote it over ours; use none of its partitions (or, if the whole disk "
		"was"
		" restored since, clear that journal)",
		where);
}

int check_not_half_way(struct io *disk, const struct layout *layout, const char *image,
		       struct reason *reason)
{
	uint64_t base;
	int r = find_gap_journal(disk, layout, 0, &base);

	for (; !r; r = find_gap_journal(disk, layout, base + 1, &base)) {
		char where[64];

		r = is_journal_half_way(disk, base);
		snprintf(where, sizeof(where), "at byte %" PRIu64, base);
		if (r)
			return r < 0 ? r : refuse_half_way(where, reason);
	}
	if (r == -ENOENT && image) {
		autofree char *beside = path_beside(image);
		autoio struct io *io = NULL;
		struct reason ignored;

		if (beside && !io_open_readonly(beside, &io, &ignored) &&
		    is_journal_half_way(io, 0) > 0)
			return refuse_half_way(beside, reason);
	}
	return r == -ENOENT ? 0 : r;
}

/* `path` from the root; its last part need not exist yet. NULL: errno says why. */
static char *absolute_path(const char *path)
{
	autofree char *copy = strdup(path);
	autofree char *directory = NULL;
	char *slash = copy ? strrchr(copy, '/') : NULL;
	const char *name = slash ? path + (slash - copy) + 1 : path;
	char *absolute = NULL;

	if (slash)
		slash[slash == copy ? 1 : 0] = '\0';
	directory = realpath(slash ? copy : ".", NULL);
	if (!directory)
		return NULL;
	if (!*name) {
		errno = EISDIR;
		return NULL;
	}
	if (asprintf(&absolute, "%s/%s", strcmp(directory, "/") ? directory : "", name) < 0)
		return NULL;
	return absolute;
}

/* Is the device a file system lies on that disk, or a partition of it? */
static bool is_on_disk(dev_t device, dev_t disk)
{
	char path[64], text[32] = "";
	FILE *f;
	unsigned ma = 0, mi = 0;

	if (device == disk)
		return true;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/../dev", major(device), minor(device));
	f = fopen(path, "re");
	if (!f)
		return false;
	if (!fgets(text, sizeof(text), f))
		text[0] = '\0';
	fclose(f);
	return sscanf(text, "%u:%u", &ma, &mi) == 2 && makedev(ma, mi) == disk;
}

/* Would a power cut take the journal and leave the disk? What lies on a loop device, or is an image
 * beside it, may be in memory itself. */
static bool is_lost_first(const char *directory, const struct stat *at, const struct stat *disk)
{
	struct statfs fs;

	if (statfs(directory, &fs) < 0 || (fs.f_type != TMPFS_MAGIC && fs.f_type != RAMFS_MAGIC))
		return false;
	return S_ISBLK(disk->st_mode) ? major(disk->st_rdev) != LOOP_MAJOR
				      : disk->st_dev != at->st_dev;
}

/* The journal must outlive what happens to the disk: never on the disk that is being changed, nor
 * in memory. */
static int check_journal_place(const struct job *job, const char *path, struct reason *reason)
{
	autofree char *copy = strdup(path);
	struct stat disk, directory;
	char *slash = copy ? strrchr(copy, '/') : NULL;

	if (slash)
		slash[slash == copy ? 1 : 0] = '\0';
	if (!slash || stat(copy, &directory) < 0 || fstat(job->disk_fd, &disk) < 0)
		return reason_set(reason, -errno, "cannot create its journal %.120s: %s", path,
				  strerror(errno));
	if (is_lost_first(copy, &directory, &disk))
		return reason_set(
			reason, -EINVAL,
			"the journal %.120s would lie in memory and go with the power; name"
			" a file on another disk",
			path);
	if (!S_ISBLK(disk.st_mode) || !is_on_disk(directory.st_dev, disk.st_rdev))
		return 0;
	return reason_set(reason, -EINVAL,
			  "the journal %.120s would lie on the disk itself; name a file on another"
			  " disk",
			  path);
}

int job_new_journal(struct job *job, const struct plan *plan, struct reason *reason)
{
	autofree char *wanted = NULL;
	autofree char *absolute = NULL;
	int err;

	if (plan->journal == JOURNAL_GAP) {
		use_gap(job, plan->journal_start);
		job->relocation.journal_size = plan->journal_bytes;
		return 0;
	}
	wanted = job->options->journal ? strdup(job->options->journal) : path_beside(job->path);
	if (!wanted)
		return reason_set(reason, -ENOMEM, "no memory");
	absolute = absolute_path(wanted);
	if (!absolute)
		return reason_set(reason, -errno, "cannot create its journal %.120s: %s", wanted,
				  strerror(errno));
	if (strlen(absolute) >= JOURNAL_PATH_SIZE)
		return reason_set(
			reason, -ENAMETOOLONG,
			"the path of its journal is longer than %d bytes; name another with"
			" --journal",
			JOURNAL_PATH_SIZE - 1);
	err = check_journal_place(job, absolute, reason);
	if (err)
		return err;
	err = io_create_file(absolute, plan->journal_bytes, &job->journal_io, reason);
	if (err == -EEXIST)
		return reason_set(
			reason, err,
			"its journal %.120s exists; name another file with --journal, or remove"
			" it if no realignment needs it",
			absolute);
	if (err)
		return reason_set(reason, err,
				  "cannot create its journal %.120s of %" PRIu64
				  " bytes: %s; name a file elsewhere with --journal",
				  absolute, plan->journal_bytes, strerror(-err));
	job->journal_path = absolute;
	absolute = NULL;
	job->relocation.journal = job->journal_io;
	job->relocation.journal_base = 0;
	job->relocation.journal_size = plan->journal_bytes;
	return 0;
}
