// SPDX-License-Identifier: GPL-2.0-or-later
/* The table before the fix, as sfdisk reads it: for people, not for --undo. */
#include "fix.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAMES_MAX 10000

/* The password file's word: an environment that somebody else set must not choose what is written.
 */
static const char *home(void)
{
	const struct passwd *user = getpwuid(geteuid());

	return user && *user->pw_dir == '/' ? user->pw_dir : "/root";
}

/* A file of that name, or of that name and a number: what is there stays, be it the table before an
 * earlier fix or a link that somebody put there. NULL with errno. */
static FILE *new_file(const char *wanted, char **path)
{
	for (int n = 0; n < NAMES_MAX; n++) {
		FILE *f;

		if ((n ? asprintf(path, "%s.%d", wanted, n) : asprintf(path, "%s", wanted)) < 0) {
			*path = NULL;
			return NULL;
		}
		f = fopen(*path, "wxe");
		if (f || errno != EEXIST)
			return f;
		free(*path);
		*path = NULL;
	}
	errno = EEXIST;
	return NULL;
}

int save_old_table(const struct job *job, const struct fix *fix, char **saved,
		   struct reason *reason)
{
	autofree char *wanted = NULL;
	FILE *f;
	int err;

	if ((job->journal_path ? asprintf(&wanted, "%s.sfdisk", job->journal_path)
			       : asprintf(&wanted, "%s/alignck-%s.sfdisk", home(),
					  fix->result.device->disk_name)) < 0) {
		wanted = NULL;
		return reason_set(reason, -ENOMEM, "no memory");
	}
	f = new_file(wanted, saved);
	if (!f)
		return reason_set(reason, -errno, "cannot save its old table in %.120s: %s", wanted,
				  strerror(errno));
	err = write_table_backup(job->disk, fix->result.layout, fix->result.path, f, reason);
	if ((fflush(f) || fsync(fileno(f)) || ferror(f)) && !err)
		err = reason_set(reason, -errno, "cannot save its old table in %.120s: %s", *saved,
				 strerror(errno));
	fclose(f);
	return err;
}
