/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_REPORT_INTERNAL_H
#define ALIGNCK_REPORT_INTERNAL_H

#include "alignck/report.h"

/* One line of a table: a device, or one of its partitions. */
struct row {
	const struct result *result;
	const struct partition *partition; /* NULL: the device's own row */
	size_t index;                      /* of the partition in layout->partitions */
	bool bytes;                        /* sizes as plain numbers */
};

/* One row a column. `print` writes the cell's text and nothing where there is nothing to say. */
struct column {
	const char *name;
	double width; /* libsmartcols' hint: at least so many characters */
	int flags;    /* SCOLS_FL_* */
	const char *help;
	void (*print)(FILE *cell, const struct row *row);
};

/* The column with that id; ids are 0 to REPORT_COLUMNS_MAX - 1. NULL: there is none. */
const struct column *find_column(int id);

/* The columns `options` asks for; without -o the default ones. Returns how many. */
size_t chosen_columns(const struct report_options *options,
		      const struct column *chosen[REPORT_COLUMNS_MAX]);

/* Room for the name of a partition: a file name or kernel name and ten digits. */
#define NAME_TEXT_MAX 288

/* "/dev/sda1": the kernel's node of `name`; "" where the device has none (images). */
const char *node_of(char buf[NAME_TEXT_MAX], const struct device *device, const char *name);

/* true: the result has facts to show. */
static inline bool has_facts(const struct result *result)
{
	return !result->error && result->device && result->layout && result->analysis;
}

/* true: the partition is part of what was asked for. */
static inline bool is_shown(const struct result *result, size_t index)
{
	return is_selected(result->layout, &result->policy, index);
}

/* The unit that table positions are counted in, bytes; never 0. */
uint64_t sector_unit(const struct result *result);

/* What is inside; partition NULL: the device. NULL: not looked at, or a table is there. */
const struct content *content_of(const struct row *row);

/* "ext4", "linux_raid_member>LVM2_member", "BIOS boot", "dos, 512-byte sectors, 4096 assumed". */
void put_content(FILE *out, const struct row *row);

/* How a device stands: "2 partitions, all aligned", "cannot tell". */
void put_state(FILE *out, const struct result *result, bool strict);
size_t count_warnings(const struct findings *findings);

/* The line that says what to do, without the name in front: the state, and what helps. */
void put_advice(FILE *out, const struct result *result, bool strict);

/* Writes JSON that is valid UTF-8 and safe on a terminal, whatever bytes its strings hold. */
void put_json_text(FILE *out, const char *text);

/* Writes `count` and the noun, with "s" unless it is one. */
void put_count(FILE *out, size_t count, const char *noun);

/* The tree of one device, as text without blanks at line ends. 0 or -ENOMEM. */
int print_table_of(FILE *out, const struct result *result, const struct report_options *options);

/* The lines about result->plan, after those about the device. */
void print_plan(FILE *out, const struct result *result, const struct report_options *options);

/*
 * The devices as a pool: those that were named, or all where none was. The caller frees
 * pool->findings. ashift is 0 where a member could not be read: then nobody can tell.
 */
int make_pool(const struct result *results, size_t count, struct pool *pool);

/* true: more than one device was named, and none found by --all: a set somebody has in mind. */
bool is_pool(const struct result *results, size_t count);

/* What a pool of the devices needs, and which of them has what. 0 or -ENOMEM. */
int print_pool(FILE *out, const struct result *results, size_t count);

/* One printer a format. 0 or -errno. */
int print_tree(FILE *out, const struct result *results, size_t count,
	       const struct report_options *options);
int print_list(FILE *out, const struct result *results, size_t count,
	       const struct report_options *options);
int print_json(FILE *out, const struct result *results, size_t count,
	       const struct report_options *options);
int print_prometheus(FILE *out, const struct result *results, size_t count,
		     const struct report_options *options);
int print_nagios(FILE *out, const struct result *results, size_t count,
		 const struct report_options *options);
int print_ashift(FILE *out, const struct result *results, size_t count,
		 const struct report_options *options);

#endif
