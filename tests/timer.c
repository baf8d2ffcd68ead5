// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Times two commands against each other: interleaved (A B, B A, A B ...), so that whatever else the
 * machine does falls on both; prints the median of the ratios of the pairs, and peak memory.
 *
 *     timer ROUNDS A... -- B...     prints: RATIO LOW HIGH PEAK_A_KIB PEAK_B_KIB
 *
 * TIMER_BEFORE is a shell command that sets the scene before each run, untimed.
 * LOW and HIGH are the quartiles. Whole processes are timed: spawn, run, wait. Their output goes to
 * /dev/null, their exit status does not matter. Written in C because a child's ru_maxrss starts at
 * what its parent had when it was spawned.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

struct command {
	char **argv;
	double seconds; /* of the last run */
	long peak_kib;  /* the highest of all runs */
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void set_scene(void)
{
	const char *before = getenv("TIMER_BEFORE");

	if (before && system(before) != 0) {
		fputs("timer: TIMER_BEFORE failed\n", stderr);
		exit(2);
	}
}

static void run(struct command *command, const posix_spawn_file_actions_t *quiet)
{
	struct rusage usage;
	double begin;
	int status;
	pid_t pid;

	set_scene();
	begin = now();
	errno = posix_spawnp(&pid, command->argv[0], quiet, NULL, command->argv, environ);
	if (errno || wait4(pid, &status, 0, &usage) < 0) {
		perror(command->argv[0]);
		exit(2);
	}
	command->seconds = now() - begin;
	if (WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) >= 126)) {
		fprintf(stderr, "timer: %s: did not run (status %#x)\n", command->argv[0], status);
		exit(2);
	}
	if (usage.ru_maxrss > command->peak_kib)
		command->peak_kib = usage.ru_maxrss;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 0, split = 2;

	while (split < argc && strcmp(argv[split], "--") != 0)
		split++;
	if (rounds < 1 || split < 3 || split + 1 >= argc) {
		fputs("usage: timer ROUNDS A... -- B...\n", stderr);
		return 64;
	}
	argv[split] = NULL;

	struct command a = { .argv = argv + 2 }, b = { .argv = argv + split + 1 };
	double *ratios = calloc((size_t)rounds, sizeof(*ratios));
	posix_spawn_file_actions_t quiet;

	if (!ratios || posix_spawn_file_actions_init(&quiet))
		return 2;
	posix_spawn_file_actions_addopen(&quiet, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", O_WRONLY, 0);

	run(&a, &quiet); /* warm: programs, libraries and the image are in memory for both */
	run(&b, &quiet);
	for (int i = 0; i < rounds; i++) {
		run(i % 2 ? &b : &a, &quiet);
		run(i % 2 ? &a : &b, &quiet);
		ratios[i] = a.seconds / b.seconds;
	}
	qsort(ratios, (size_t)rounds, sizeof(*ratios), compare);
	printf("%.3f %.3f %.3f %ld %ld\n", ratios[rounds / 2], ratios[rounds / 4],
	       ratios[rounds - 1 - rounds / 4], a.peak_kib, b.peak_kib);
	free(ratios);
	return 0;
}
