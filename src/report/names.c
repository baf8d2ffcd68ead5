// SPDX-License-Identifier: GPL-2.0-or-later
/* What things are called, and how to write names that others chose. */
#include "internal.h"

#include <ctype.h>
#include <inttypes.h>
#include <langinfo.h>
#include <string.h>

static bool has_kernel_name(const struct device *device)
{
	return device->kind == KIND_DISK || device->kind == KIND_PARTITION;
}

const char *partition_name(char *buf, size_t size, const struct device *device, unsigned number)
{
	const char *disk = device->disk_name;
	size_t len = strlen(disk);
	bool separate = has_kernel_name(device) && len && isdigit((unsigned char)disk[len - 1]);

	/* The number must survive even where a file name is as long as names can be. */
	snprintf(buf, size, "%.255s%s%u", disk, separate ? "p" : "", number);
	return buf;
}

const char *node_of(char buf[NAME_TEXT_MAX], const struct device *device, const char *name)
{
	buf[0] = '\0';
	if (has_kernel_name(device))
		snprintf(buf, NAME_TEXT_MAX, "/dev/%.280s", name);
	/* sysfs writes "cciss!c0d0" for what lies in a directory of /dev. */
	for (char *p = buf; (p = strchr(p, '!'));)
		*p = '/';
	return buf;
}

uint64_t sector_unit(const struct result *result)
{
	uint64_t unit = result->layout->sector_size;

	if (!unit)
		unit = result->device->topology.logical_block_size;
	return unit ? unit : 512;
}

const struct content *content_of(const struct row *row)
{
	if (!row->result->contents)
		return NULL;
	if (row->partition)
		return &row->result->contents[row->index];
	return row->result->layout->type == TABLE_NONE ? &row->result->contents[0] : NULL;
}

/* A byte that is half a letter here may be a terminal's command there (0x9b is CSI). */
static void put_byte(FILE *out, char c, bool utf8)
{
	if (c & 0x80 && !utf8)
		fprintf(out, "\\x%02x", (unsigned char)c);
	else
		fputc(c, out);
}

static bool is_utf8_locale(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

void put_text(FILE *out, const char *text)
{
	bool utf8 = is_utf8_locale();
	char safe[4096];

	sanitize_text(safe, sizeof(safe), text, strlen(text));
	for (const char *p = safe; *p; p++)
		put_byte(out, *p, utf8);
}

void report_path(FILE *out, const char *path)
{
	bool utf8 = is_utf8_locale(), plain = *path != '\0';
	char safe[4096];

	sanitize_text(safe, sizeof(safe), path, strlen(path));
	for (const char *p = safe; *p; p++)
		plain = plain && (isalnum((unsigned char)*p) || strchr("/._-+=:@%,", *p));
	if (*safe == '-') /* or it would be taken for an option */
		fputs("./", out);
	if (plain) {
		fputs(safe, out);
		return;
	}
	fputc('\'', out);
	for (const char *p = safe; *p; p++)
		if (*p == '\'')
			fputs("'\\''", out);
		else
			put_byte(out, *p, utf8);
	fputc('\'', out);
}

void put_count(FILE *out, size_t count, const char *noun)
{
	fprintf(out, "%zu %s%s", count, noun, count == 1 ? "" : "s");
}

static bool put_layers(FILE *out, const struct content *content)
{
	for (size_t i = 0; content && i < content->count; i++) {
		if (i)
			fputc('>', out);
		put_text(out, content->layers[i].type);
	}
	return content && content->count;
}

/* A container says which table lies in it: "bsd". */
static const char *nested_table(const struct layout *layout, size_t index)
{
	for (size_t i = 0; i < layout->count; i++)
		if (layout->partitions[i].parent == (int)index)
			return table_type_name(layout->partitions[i].table);
	return "";
}

static void put_partition_content(FILE *out, const struct row *row)
{
	static const char *const roles[] = {
		[ROLE_EXTENDED] = "extended",      [ROLE_BIOS_BOOT] = "BIOS boot",
		[ROLE_MSR] = "Microsoft reserved", [ROLE_PROTECTIVE] = "protective",
		[ROLE_MAP] = "partition map",      [ROLE_WHOLE] = "whole disk",
		[ROLE_CONTAINER] = NULL,
	};
	enum partition_role role = row->partition->role;

	if (put_layers(out, content_of(row)))
		return;
	if (role == ROLE_CONTAINER)
		fputs(nested_table(row->result->layout, row->index), out);
	else if (role < ARRAY_SIZE(roles) && roles[role])
		fputs(roles[role], out);
}

static void put_device_content(FILE *out, const struct row *row)
{
	static const char *const sources[] = {
		[SOURCE_KERNEL] = "physical", [SOURCE_DRIVE_LIST] = "from the drive list",
		[SOURCE_USER] = "given",      [SOURCE_TABLE] = "from the table",
		[SOURCE_ASSUMED] = "assumed", [SOURCE_MEASURED] = "measured",
	};
	const struct result *result = row->result;
	const struct topology *t = &result->device->topology;
	uint64_t physical = t->physical_block_size > 4096 ? t->physical_block_size : 4096;

	if (result->layout->type != TABLE_NONE)
		fputs(table_type_name(result->layout->type), out);
	else if (!put_layers(out, content_of(row)))
		fputs("no table", out);
	fprintf(out, ", %" PRIu64 "-byte sectors, %" PRIu64 " %s", sector_unit(result),
		t->physical_block_size, sources[result->device->sector_source]);
	if (result->analysis->required > physical)
		fprintf(out, ", %" PRIu64 " required", result->analysis->required);
}

void put_content(FILE *out, const struct row *row)
{
	if (row->partition)
		put_partition_content(out, row);
	else
		put_device_content(out, row);
}
