/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_LIBRARY_H
#define ALIGNCK_LIBRARY_H

/*
 * A shared library that is opened when it is needed and not linked: only few runs need it, and all
 * would pay for its start-up.
 */

#include <stdbool.h>
#include <stddef.h>

#define LIBFDISK "libfdisk.so.1"

/* A function of it, and where in a table of function pointers it goes. */
struct library_call {
	const char *name;
	size_t field; /* offsetof() */
};

/* Opens `soname` for good and fills `table`. All or nothing: false where the library or one of the
 * functions is not there. Call it once (pthread_once). */
bool load_library(const char *soname, const struct library_call *calls, size_t count, void *table);

#endif
