/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Real tools as oracles: a directory of our own to work in, and what a command prints. Include
 * unit.h first. */
#ifndef ALIGNCK_TESTS_TOOLS_H
#define ALIGNCK_TESTS_TOOLS_H

#include "alignck/util.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *home; /* a directory of our own, the current one */

/* What a shell command prints, one line; fails the test where it fails. */
static inline void capture(char *line, size_t size, const char *command)
{
	char *all;
	FILE *pipe;

	assert_true(asprintf(&all, "{ %s ; } 2>>log", command) > 0);
	pipe = popen(all, "r");
	assert_non_null(pipe);
	if (!fgets(line, size, pipe))
		line[0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	while (fgetc(pipe) != EOF)
		;
	pclose(pipe);
	free(all);
}

static inline uint64_t number(const char *command)
{
	char line[64];
	uint64_t n;

	capture(line, sizeof(line), command);
	if (parse_size(line, &n))
		fail_msg("no number from: %s: \"%s\"", command, line);
	return n;
}

/* Runs shell commands that must succeed; what they said is shown where they do not. */
static inline void make_image(const char *commands)
{
	char line[1024], *all;
	FILE *log;

	assert_true(
		asprintf(&all,
			 "exec 3>&1 >log 2>&1; rm -rf image d key other; { %s ; } && echo made >&3",
			 commands) > 0);
	capture(line, sizeof(line), all);
	free(all);
	if (!strcmp(line, "made"))
		return;
	log = fopen("log", "r");
	while (log && fgets(line, sizeof(line), log))
		print_error("%s", line);
	if (log)
		fclose(log);
	fail_msg("failed: %s", commands);
}

static inline bool has_tool(const char *tool)
{
	char command[128], line[256];

	snprintf(command, sizeof(command), "command -v %s", tool);
	capture(line, sizeof(line), command);
	return line[0];
}

static inline int enter_home(void **state)
{
	/* In memory where that can be had: the makers flush, and wait for the disk. */
	char shm[] = "/dev/shm/alignck-stack.XXXXXX", tmp[] = "/tmp/alignck-stack.XXXXXX";

	(void)state;
	setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
	setenv("LC_ALL", "C", 1);
	home = mkdtemp(shm) ? strdup(shm) : mkdtemp(tmp) ? strdup(tmp) : NULL;
	return home ? chdir(home) : -1;
}

static inline int leave_home(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", home);
	free(home);
	return chdir("/") || system(command);
}

#endif
