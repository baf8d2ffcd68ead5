// SPDX-License-Identifier: GPL-2.0-or-later
#include "alignck/library.h"

#include <dlfcn.h>
#include <string.h>

bool load_library(const char *soname, const struct library_call *calls, size_t count, void *table)
{
	void *library = dlopen(soname, RTLD_LAZY | RTLD_LOCAL);

	for (size_t i = 0; library && i < count; i++) {
		void *function = dlsym(library, calls[i].name);

		if (!function)
			return false;
		memcpy((char *)table + calls[i].field, &function, sizeof(function));
	}
	return library != NULL;
}
