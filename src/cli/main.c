// SPDX-License-Identifier: GPL-2.0-or-later
#include "commands.h"

#include <errno.h>
#include <locale.h>
#include <string.h>

void print_error(const char *path, const char *text)
{
	fputs("alignck: ", stderr);
	put_text(stderr, path);
	fputs(": ", stderr);
	put_text(stderr, text);
	fputc('\n', stderr);
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

static int (*const commands[])(const struct options *options) = {
	[COMMAND_CHECK] = run_check,
	[COMMAND_FIX] = run_fix,
	[COMMAND_RESUME] = run_resume,
	[COMMAND_UNDO] = run_undo,
};

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
		status = commands[options.command](&options);
	}
	free_options(&options);
	return close_output(status);
}
