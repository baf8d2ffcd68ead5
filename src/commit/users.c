// SPDX-License-Identifier: GPL-2.0-or-later
#include "internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* probe says how in a few words, which make a sentence with one of these; the last fits the name of
 * any holder: "dm-0 (crypt home)", "md0", "loop3". */
static const struct {
	const char *begins, *verb;
} verbs[] = {
	{ "mounted", "is" },
	{ "swap", "is used as" },
	{ "", "is held by" },
};

static const char *find_verb(const char *what)
{
	size_t i = 0;

	while (strncmp(what, verbs[i].begins, strlen(verbs[i].begins)) != 0)
		i++;
	return verbs[i].verb;
}

int refuse_if_in_use(const struct device *device, struct reason *reason)
{
	enum { REST = 16 }; /* ", and 1024 more" */
	char text[sizeof(reason->text)] = "in use: ";
	size_t used = strlen(text), i = 0;

	if (!device->user_count)
		return 0;
	for (; i < device->user_count; i++) {
		const struct device_user *user = &device->users[i];
		char one[sizeof(*user) + 32];
		size_t len = snprintf(one, sizeof(one), "%s%s %s %s", i ? ", " : "", user->node,
				      find_verb(user->what), user->what);

		/* The first is always said, cut short if need be. */
		if (i && used + len + REST >= sizeof(text))
			break;
		used += snprintf(text + used, sizeof(text) - used, "%s", one);
	}
	if (i < device->user_count)
		return reason_set(reason, -EBUSY, "%s, and %zu more", text, device->user_count - i);
	return reason_set(reason, -EBUSY, "%s", text);
}
