// SPDX-License-Identifier: GPL-2.0-or-later
/* A read pass before the first write: a bad sector found now costs nothing. */
#include "alignck/relocate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK (4 * MIB)

static int scan_extent(struct io *disk, uint64_t start, uint64_t size, uint8_t *buf,
		       struct reason *reason)
{
	for (uint64_t done = 0; done < size;) {
		size_t len = size - done < CHUNK ? size - done : CHUNK;
		int err = io_read(disk, buf, len, start + done);

		if (err < 0)
			return reason_set(reason, err,
					  "cannot read byte %" PRIu64 " or one of the %zu after it:"
					  " %s; nothing was changed",
					  start + done, len - 1, strerror(-err));
		done += len;
	}
	return 0;
}

int relocation_scan(const struct relocation *relocation, const struct plan *plan,
		    struct reason *reason)
{
	autofree uint8_t *buf = io_alloc(CHUNK);
	int err = buf ? 0 : reason_set(reason, -ENOMEM, "no memory");

	for (size_t i = 0; i < plan->move_count && !err; i++)
		err = scan_extent(relocation->disk, plan->moves[i].from, plan->moves[i].size, buf,
				  reason);
	return err;
}
