// SPDX-License-Identifier: GPL-2.0-or-later
/* An sfdisk dump, by libfdisk's own script reader and writer: a script needs no device. */
#include "description.h"

#include "alignck/library.h"

#include <errno.h>
#include <libfdisk.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The functions that we need of it, without their "fdisk_". */
#define SCRIPT_CALLS(CALL)                                                                         \
	CALL(new_context)                                                                          \
	CALL(new_script)                                                                           \
	CALL(partition_get_name)                                                                   \
	CALL(partition_get_partno)                                                                 \
	CALL(partition_get_size)                                                                   \
	CALL(partition_get_start)                                                                  \
	CALL(partition_get_type)                                                                   \
	CALL(partition_get_uuid)                                                                   \
	CALL(partition_has_partno)                                                                 \
	CALL(partition_has_size)                                                                   \
	CALL(partition_has_start)                                                                  \
	CALL(partition_is_bootable)                                                                \
	CALL(partition_set_size)                                                                   \
	CALL(partition_set_start)                                                                  \
	CALL(parttype_get_code)                                                                    \
	CALL(parttype_get_string)                                                                  \
	CALL(script_get_header)                                                                    \
	CALL(script_get_table)                                                                     \
	CALL(script_read_file)                                                                     \
	CALL(script_write_file)                                                                    \
	CALL(table_get_nents)                                                                      \
	CALL(table_get_partition)                                                                  \
	CALL(unref_context)                                                                        \
	CALL(unref_script)

static struct {
/* NOLINTNEXTLINE(bugprone-macro-parentheses): a name that is declared takes none */
#define CALL(name) typeof(&fdisk_##name) name;
	SCRIPT_CALLS(CALL)
#undef CALL
} calls;
static bool is_loaded;

static void load_libfdisk(void)
{
	static const struct library_call rows[] = {
#define CALL(name) { "fdisk_" #name, offsetof(typeof(calls), name) },
		SCRIPT_CALLS(CALL)
#undef CALL
	};

	is_loaded = load_library(LIBFDISK, rows, ARRAY_SIZE(rows), &calls);
}

/* A dump begins with its headers, and "label" is the first of them. */
static bool is_sfdisk(struct text text)
{
	struct text line, word;

	while (next_line(&text, &line)) {
		if (line.at == line.end || *line.at == '#')
			continue;
		return next_word(&line, &word) && word_is(&word, "label:");
	}
	return false;
}

struct script {
	struct fdisk_context *cxt;
	struct fdisk_script *script;
	struct fdisk_table *table;
};

static void close_script(struct script *s)
{
	if (s->script)
		calls.unref_script(s->script);
	if (s->cxt)
		calls.unref_context(s->cxt);
}

static int open_script(struct text text, struct script *s, struct reason *reason)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	FILE *f;
	int r;

	*s = (struct script){ 0 };
	pthread_once(&once, load_libfdisk);
	if (!is_loaded)
		return reason_set(reason, -ELIBACC,
				  "cannot read an sfdisk dump: " LIBFDISK
				  " cannot be loaded; install it");
	s->cxt = calls.new_context();
	s->script = s->cxt ? calls.new_script(s->cxt) : NULL;
	f = s->script ? fmemopen((void *)(uintptr_t)text.at, text.end - text.at, "r") : NULL;
	if (!f)
		return reason_set(reason, -ENOMEM, "no memory");
	r = calls.script_read_file(s->script, f);
	fclose(f);
	s->table = r ? NULL : calls.script_get_table(s->script);
	return s->table ? 0 : reason_set(reason, -EINVAL, "libfdisk does not understand it");
}

/* A header that is a number; false: it is not there. */
static bool get_header(const struct script *s, const char *name, uint64_t *number)
{
	const char *value = calls.script_get_header(s->script, name);
	const struct text word = { value, value ? value + strlen(value) : value };

	return value && parse_word(&word, number);
}

static int read_headers(const struct script *s, struct layout *layout, uint64_t *size,
			struct reason *reason)
{
	const char *label = calls.script_get_header(s->script, "label");
	const char *id = calls.script_get_header(s->script, "label-id");
	uint64_t sector, first, last;

	if (!label || (strcmp(label, "dos") != 0 && strcmp(label, "gpt") != 0))
		return reason_set(reason, -EINVAL,
				  "a table of type \"%.32s\" is not read, only"
				  " dos and gpt",
				  label ? label : "");
	layout->type = *label == 'd' ? TABLE_DOS : TABLE_GPT;
	if (get_header(s, "sector-size", &sector)) {
		if (!is_power_of_two(sector) || sector < 512 || sector > 65536)
			return reason_set(reason, -EINVAL, "its sector size is none");
		layout->sector_size = (uint32_t)sector;
	}
	if (id)
		sanitize_text(layout->id, sizeof(layout->id), id + 2 * !strncmp(id, "0x", 2),
			      strlen(id + 2 * !strncmp(id, "0x", 2)));
	if (layout->type != TABLE_GPT)
		return 0;
	sector = layout->sector_size;
	if (!get_header(s, "first-lba", &first) || !mul_u64(first, sector, &layout->first_usable))
		layout->first_usable = 2 * sector + 16 * KIB;
	if (get_header(s, "last-lba", &last) && last < INT64_MAX / 65536) {
		layout->last_usable = (last + 1) * sector;
		*size = layout->last_usable + 16 * KIB + sector; /* the backup follows */
	}
	return 0;
}

static int read_entry(const struct script *s, size_t i, struct layout *layout,
		      struct reason *reason)
{
	struct fdisk_partition *pa = calls.table_get_partition(s->table, i);
	struct fdisk_parttype *type = pa ? calls.partition_get_type(pa) : NULL;
	const char *guid = type ? calls.parttype_get_string(type) : NULL;
	unsigned number = (unsigned)i + 1;
	struct partition p = { .parent = -1 };

	if (pa && calls.partition_has_partno(pa))
		number = (unsigned)calls.partition_get_partno(pa) + 1;
	if (!pa || !calls.partition_has_start(pa) || !calls.partition_has_size(pa))
		return reason_set(reason, -EINVAL,
				  "partition %u has no start or no size; a dump of sfdisk has both",
				  number);
	if (layout->type == TABLE_DOS) {
		describe_mbr(&p, number, type ? (uint8_t)calls.parttype_get_code(type) : 0x83,
			     calls.partition_is_bootable(pa) == 1);
	} else {
		p.number = number;
		for (size_t k = 0; guid && guid[k] && k + 1 < sizeof(p.type); k++)
			p.type[k] =
				guid[k] >= 'a' && guid[k] <= 'z' ? (char)(guid[k] - 32) : guid[k];
		p.role = gpt_role(p.type);
	}
	if (calls.partition_get_uuid(pa))
		sanitize_text(p.uuid, sizeof(p.uuid), calls.partition_get_uuid(pa),
			      strlen(calls.partition_get_uuid(pa)));
	if (calls.partition_get_name(pa))
		sanitize_text(p.label, sizeof(p.label), calls.partition_get_name(pa),
			      strlen(calls.partition_get_name(pa)));
	return add_described(layout, &p, calls.partition_get_start(pa),
			     calls.partition_get_size(pa), reason);
}

static int read_sfdisk(struct text text, struct layout *layout, uint64_t *size,
		       struct reason *reason)
{
	struct script s;
	int r = open_script(text, &s, reason);

	if (!r)
		r = read_headers(&s, layout, size, reason);
	for (size_t i = 0; !r && i < calls.table_get_nents(s.table); i++)
		r = read_entry(&s, i, layout, reason);
	close_script(&s);
	return r;
}

static int write_sfdisk(struct text text, const struct layout *layout, const struct extent *places,
			FILE *out, struct reason *reason)
{
	struct script s;
	int r = open_script(text, &s, reason);

	for (size_t i = 0; !r && i < layout->count; i++) {
		struct fdisk_partition *pa = calls.table_get_partition(s.table, i);

		r = pa ? calls.partition_set_start(pa, places[i].start / layout->sector_size)
		       : -EINVAL;
		if (!r)
			r = calls.partition_set_size(pa, (places[i].end - places[i].start) /
								 layout->sector_size);
	}
	if (!r)
		r = calls.script_write_file(s.script, out);
	close_script(&s);
	return r ? reason_set(reason, r, "cannot write it again") : 0;
}

const struct description_format sfdisk_format = { MIB, true, is_sfdisk, read_sfdisk, write_sfdisk };
