// SPDX-License-Identifier: GPL-2.0-or-later
#include "internal.h"

#include <errno.h>
#include <string.h>

/* From the table's own sectors alone, so that the dump is of what will be replaced, whatever else
 * libfdisk might look at on the disk. */
static int dump_table(struct io *memory, uint32_t sector, const char *name, FILE *out,
		      struct reason *reason)
{
	struct reason said;
	struct fdisk_context *cxt = open_fdisk(memory, sector, name, &said, reason);
	struct fdisk_script *script = cxt ? fdisk_new_script(cxt) : NULL;
	int r = cxt ? -ENOMEM : -EINVAL;

	if (script) {
		r = fdisk_script_read_context(script, cxt);
		if (r == 0)
			r = fdisk_script_write_file(script, out);
	}
	if (cxt && r < 0)
		reason_set(reason, r, "cannot save the old table: %s", strerror(-r));
	fdisk_unref_script(script);
	fdisk_unref_context(cxt);
	return r;
}

int write_table_backup(struct io *disk, const struct layout *layout, const char *name, FILE *out,
		       struct reason *reason)
{
	autoio struct io *memory = NULL;
	struct table_image table;
	int r = collect_table(disk, layout->type, layout->sector_size, &table, reason);

	if (r < 0)
		return r;
	r = open_memory_disk(disk->size, &memory, reason);
	if (r == 0)
		r = write_table_sectors(memory, &table, layout->sector_size, reason);
	if (r == 0)
		r = dump_table(memory, layout->sector_size, name, out, reason);
	table_image_free(&table);
	return r;
}
