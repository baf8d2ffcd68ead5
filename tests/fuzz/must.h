/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_FUZZ_MUST_H
#define ALIGNCK_FUZZ_MUST_H

#include <stdio.h>
#include <stdlib.h>

/* What holds whatever the input; else a finding. */
#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);            \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

#endif
