// SPDX-License-Identifier: GPL-2.0-or-later
#include "fdisk.h"

#include <errno.h>
#include <string.h>

/* From the table's own sectors alone, so that the dump is of what will be replaced, whatever else
 * libfdisk might look at on the disk. */
static int dump_table(struct io *memory, uint32_t sector, const char *name, FILE *out,
		      struct reason *reason)
{
	char safe[4096];
	struct fdisk f;
	struct fdisk_script *script;
	int r;

	/* A newline in the name would be a line of the script. */
	sanitize_text(safe, sizeof(safe), name, strlen(name));
	r = open_fdisk(memory, sector, safe, &f, reason);

	if (r == 0) {
		script = f.call->new_script(f.cxt);
		r = script ? f.call->script_read_context(script, f.cxt) : -ENOMEM;
		if (r == 0)
			r = f.call->script_write_file(script, out);
		if (r < 0)
			reason_set(reason, r, "cannot save the old table: %s", strerror(-r));
		if (script)
			f.call->unref_script(script);
	}
	close_fdisk(&f);
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
