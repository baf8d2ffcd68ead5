/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_TEST_MACHINE_H
#define ALIGNCK_TEST_MACHINE_H

/* Captured machines for the tests of probe: tests/sysfs.sh builds them, this probes them. */

#include "alignck/probe.h"

/* cmocka wants these before it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct machine {
	char root[64];
	struct probe_options options;
	struct device *device;
	struct io *io;
	struct reason reason;
};

__attribute__((format(printf, 1, 2))) static inline void shell(const char *format, ...)
{
	char command[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	assert_int_equal(system(command), 0);
}

/* An empty directory of its own; NULL: no machine in it. */
static inline struct machine machine_new(const char *name)
{
	struct machine machine = { .root = "/tmp/alignck-test-XXXXXX" };

	assert_non_null(mkdtemp(machine.root));
	if (name)
		shell("tests/sysfs.sh %s %s", machine.root, name);
	return machine;
}

/* A file of zeros in it. */
static inline void machine_file(const struct machine *machine, const char *name, uint64_t size)
{
	shell("mkdir -p $(dirname %s/%s) && truncate -s %llu %s/%s", machine->root, name,
	      (unsigned long long)size, machine->root, name);
}

/* What was probed before goes. */
static inline int machine_probe(struct machine *machine, const char *path)
{
	device_free(machine->device);
	io_close(machine->io);
	machine->device = NULL;
	machine->io = NULL;
	machine->reason.text[0] = '\0';
	machine->options.sysroot = machine->root;
	return probe_device(path, &machine->options, &machine->device, &machine->io,
			    &machine->reason);
}

static inline void machine_free(struct machine *machine)
{
	device_free(machine->device);
	io_close(machine->io);
	shell("rm -rf %s", machine->root);
}

static inline const struct finding *find_finding(const struct findings *findings,
						 enum finding_id id)
{
	for (size_t i = 0; i < findings->count; i++)
		if (findings->list[i].id == id)
			return &findings->list[i];
	return NULL;
}

#endif
