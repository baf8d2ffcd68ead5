// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands.h"

#include <errno.h>
#include <locale.h>
#include <string.h>

void print_error(const char *path, const char *text)
{
	char safe[1024];

	sanitize_text(safe, sizeof(safe), path, strlen(path));
	fprintf(stderr, "alignck: %s: %s\n", safe, text);
}

/* A full disk below standard output must not look like success. */
static int close_output(int status)
{
	bool failed = ferror(stdout);

	errno = 0;
	if (fclose(stdout) != 0 || failed) {
		print_error("standard output", strerror(errno ? errno : EIO));
		return STATUS_UNKNOWN;
	}
	return status;
}

int main(int argc, char **argv)
{
	struct options options = { 0 };
	int status = STATUS_ALIGNED;

	setlocale(LC_CTYPE, "");
	switch (parse_options(argc, (const char **)argv, &options)) {
	case PARSE_USAGE:
		status = STATUS_USAGE;
		break;
	case PARSE_DONE:
		break;
	case PARSE_RUN:
		status = run_check(&options);
	}
	free_options(&options);
	return close_output(status);
}
