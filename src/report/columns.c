// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a table can show, one row a column. Scripts hold on to the names and to what a cell says:
 * rows are only ever added.
 */
#include "internal.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <libsmartcols/libsmartcols.h>
#include <string.h>
#include <strings.h>

static void put_number(FILE *cell, uint64_t n)
{
	fprintf(cell, "%" PRIu64, n);
}

static void put_known(FILE *cell, uint64_t n)
{
	if (n)
		put_number(cell, n);
}

static void put_size(FILE *cell, const struct row *row, uint64_t bytes)
{
	char text[SIZE_TEXT_MAX];

	if (row->bytes)
		put_number(cell, bytes);
	else
		fputs(format_size(text, bytes), cell);
}

/* Positions that are no whole number of sectors (a nested label counts in units of its own) are
 * given in bytes and say so, rather than rounded. */
static void put_sectors(FILE *cell, const struct row *row, uint64_t bytes)
{
	uint64_t unit = sector_unit(row->result);

	if (bytes % unit)
		fprintf(cell, "%" PRIu64 "B", bytes);
	else
		put_number(cell, bytes / unit);
}

static const struct judgement *judgement_of(const struct row *row)
{
	const struct analysis *analysis = row->result->analysis;

	if (row->partition)
		return &analysis->partitions[row->index];
	return row->result->layout->type == TABLE_NONE ? &analysis->whole : NULL;
}

static void print_name(FILE *cell, const struct row *row)
{
	char name[NAME_TEXT_MAX];

	if (row->partition)
		put_text(cell, partition_name(name, sizeof(name), row->result->device,
					      row->partition->number));
	else
		put_text(cell, row->result->device->disk_name);
}

static void print_start(FILE *cell, const struct row *row)
{
	if (row->partition)
		put_sectors(cell, row, row->partition->start);
}

static void print_sectors(FILE *cell, const struct row *row)
{
	if (row->partition)
		put_sectors(cell, row, row->partition->size);
}

static void print_size(FILE *cell, const struct row *row)
{
	put_size(cell, row, row->partition ? row->partition->size : row->result->device->size);
}

static void print_aligned(FILE *cell, const struct row *row)
{
	if (row->partition)
		put_size(cell, row, judgement_of(row)->alignment);
}

static void print_verdict(FILE *cell, const struct row *row)
{
	fputs(verdict_name(row->partition ? judgement_of(row)->verdict
					  : row->result->analysis->verdict),
	      cell);
}

static void print_path(FILE *cell, const struct row *row)
{
	put_text(cell, row->result->path);
}

static void print_node(FILE *cell, const struct row *row)
{
	const struct device *device = row->result->device;
	char name[NAME_TEXT_MAX], node[NAME_TEXT_MAX];

	put_text(cell, node_of(node, device,
			       row->partition ? partition_name(name, sizeof(name), device,
							       row->partition->number)
					      : device->disk_name));
}

static void print_kind(FILE *cell, const struct row *row)
{
	enum device_kind kind = row->result->device->kind;

	if (row->partition)
		fputs("partition", cell);
	else /* the row above a partition that was named is its disk */
		fputs(device_kind_name(kind == KIND_PARTITION ? KIND_DISK : kind), cell);
}

static void print_number(FILE *cell, const struct row *row)
{
	if (row->partition)
		put_number(cell, row->partition->number);
}

static void print_parent(FILE *cell, const struct row *row)
{
	if (row->partition && row->partition->parent >= 0)
		put_number(cell, row->result->layout->partitions[row->partition->parent].number);
}

static void print_start_bytes(FILE *cell, const struct row *row)
{
	if (row->partition)
		put_number(cell, row->partition->start);
}

static void print_size_bytes(FILE *cell, const struct row *row)
{
	put_number(cell, row->partition ? row->partition->size : row->result->device->size);
}

static void print_misaligned_by(FILE *cell, const struct row *row)
{
	const struct judgement *j = judgement_of(row);

	if (j && j->has_misaligned_by)
		put_number(cell, j->misaligned_by);
}

static void print_required(FILE *cell, const struct row *row)
{
	put_number(cell, row->result->analysis->required);
}

static void print_recommended(FILE *cell, const struct row *row)
{
	put_number(cell, row->result->analysis->recommended);
}

static void print_table(FILE *cell, const struct row *row)
{
	fputs(table_type_name(row->partition ? row->partition->table : row->result->layout->type),
	      cell);
}

static void print_table_id(FILE *cell, const struct row *row)
{
	fputs(row->result->layout->id, cell);
}

static void print_parttype(FILE *cell, const struct row *row)
{
	if (row->partition)
		put_text(cell, row->partition->type);
}

static void print_parttypename(FILE *cell, const struct row *row)
{
	if (row->partition)
		put_text(cell, partition_type_name(row->partition));
}

static void print_partuuid(FILE *cell, const struct row *row)
{
	if (row->partition)
		put_text(cell, row->partition->uuid);
}

static void print_partlabel(FILE *cell, const struct row *row)
{
	if (row->partition)
		put_text(cell, row->partition->label);
}

static void print_role(FILE *cell, const struct row *row)
{
	if (row->partition)
		fputs(partition_role_name(row->partition->role), cell);
}

static void print_log_sec(FILE *cell, const struct row *row)
{
	put_known(cell, row->result->device->topology.logical_block_size);
}

static void print_phy_sec(FILE *cell, const struct row *row)
{
	put_known(cell, row->result->device->topology.physical_block_size);
}

static void print_min_io(FILE *cell, const struct row *row)
{
	put_known(cell, row->result->device->topology.minimum_io_size);
}

static void print_opt_io(FILE *cell, const struct row *row)
{
	put_known(cell, row->result->device->topology.optimal_io_size);
}

static void print_align_off(FILE *cell, const struct row *row)
{
	const struct topology *t = &row->result->device->topology;

	if (t->has_alignment_offset)
		fprintf(cell, "%" PRId64, t->alignment_offset);
}

static void print_sector_source(FILE *cell, const struct row *row)
{
	fputs(sector_source_name(row->result->device->sector_source), cell);
}

static void print_model(FILE *cell, const struct row *row)
{
	if (row->result->device->model)
		put_text(cell, row->result->device->model);
}

static void print_serial(FILE *cell, const struct row *row)
{
	if (row->result->device->serial)
		put_text(cell, row->result->device->serial);
}

static void print_rota(FILE *cell, const struct row *row)
{
	if (row->result->device->rotational != TRI_UNKNOWN)
		fputs(row->result->device->rotational == TRI_YES ? "1" : "0", cell);
}

static void print_zoned(FILE *cell, const struct row *row)
{
	if (row->result->device->zoned)
		put_text(cell, row->result->device->zoned);
}

static void print_users(FILE *cell, const struct row *row)
{
	const struct device *device = row->result->device;
	const char *comma = "", *name = device->disk_name;
	char buf[NAME_TEXT_MAX];

	if (row->partition)
		name = partition_name(buf, sizeof(buf), device, row->partition->number);
	for (size_t i = 0; i < device->user_count; i++) {
		if (strcmp(device->users[i].node, name) != 0)
			continue;
		fputs(comma, cell);
		put_text(cell, device->users[i].what);
		comma = ", ";
	}
}

static void print_findings(FILE *cell, const struct row *row)
{
	const struct findings *findings = &row->result->analysis->findings;
	int wanted = row->partition ? (int)row->index : -1;
	bool said[FINDING_COUNT] = { false };
	const char *comma = "";

	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *f = &findings->list[i];

		if (f->partition != wanted || said[f->id])
			continue;
		said[f->id] = true;
		fprintf(cell, "%s%s", comma, finding_name(f->id));
		comma = ",";
	}
}

#define RIGHT SCOLS_FL_RIGHT
#define TREE  SCOLS_FL_TREE

static const struct column columns[] = {
	{ "NAME", 8, TREE, "disk, image or partition", print_name },
	{ "START", 0, RIGHT, "first sector, in the device's logical sectors", print_start },
	{ "SECTORS", 0, RIGHT, "how many logical sectors", print_sectors },
	{ "SIZE", 5, RIGHT, "size", print_size },
	{ "ALIGNED", 0, RIGHT, "largest power of two that divides the start", print_aligned },
	{ "VERDICT", 10, 0, "aligned, misaligned, unknown or exempt", print_verdict },
	{ "CONTENT", 0, 0, "what lies inside, outermost first", put_content },
	{ "PATH", 0, 0, "the device as it was named", print_path },
	{ "NODE", 0, 0, "the kernel's device node", print_node },
	{ "KIND", 0, 0, "disk, partition, image or table", print_kind },
	{ "NUMBER", 0, RIGHT, "partition number", print_number },
	{ "PARENT", 0, RIGHT, "number of the partition it lies in", print_parent },
	{ "START-BYTES", 0, RIGHT, "first byte", print_start_bytes },
	{ "SIZE-BYTES", 0, RIGHT, "size in bytes", print_size_bytes },
	{ "MISALIGNED-BY", 0, RIGHT, "bytes past the last boundary", print_misaligned_by },
	{ "REQUIRED", 0, RIGHT, "alignment that counts, bytes", print_required },
	{ "RECOMMENDED", 0, RIGHT, "alignment that is best, bytes", print_recommended },
	{ "TABLE", 0, 0, "type of the table that names it", print_table },
	{ "TABLE-ID", 0, 0, "disk identifier", print_table_id },
	{ "PARTTYPE", 0, 0, "partition type code or GUID", print_parttype },
	{ "PARTTYPENAME", 0, 0, "partition type in words", print_parttypename },
	{ "PARTUUID", 0, 0, "partition UUID", print_partuuid },
	{ "PARTLABEL", 0, 0, "partition label", print_partlabel },
	{ "ROLE", 0, 0, "what the partition is for", print_role },
	{ "LOG-SEC", 0, RIGHT, "logical sector size that is believed, bytes", print_log_sec },
	{ "PHY-SEC", 0, RIGHT, "physical sector size that is believed, bytes", print_phy_sec },
	{ "MIN-IO", 0, RIGHT, "minimum I/O size that is believed, bytes", print_min_io },
	{ "OPT-IO", 0, RIGHT, "optimal I/O size that is believed, bytes", print_opt_io },
	{ "ALIGN-OFF", 0, RIGHT, "alignment offset, bytes", print_align_off },
	{ "SECTOR-SOURCE", 0, 0, "where the physical sector size comes from", print_sector_source },
	{ "MODEL", 0, 0, "model of the drive", print_model },
	{ "SERIAL", 0, 0, "serial number", print_serial },
	{ "ROTA", 0, RIGHT, "1 on a rotating disk", print_rota },
	{ "ZONED", 0, 0, "zone model", print_zoned },
	{ "USERS", 0, 0, "who holds it", print_users },
	{ "FINDINGS", 0, 0, "ids of what was found about it", print_findings },
};
_Static_assert(ARRAY_SIZE(columns) <= REPORT_COLUMNS_MAX, "-o could name more columns than fit");

#define DEFAULT_COLUMNS 7 /* the first ones; their order is part of the contract */

const struct column *find_column(int id)
{
	return id >= 0 && id < (int)ARRAY_SIZE(columns) ? &columns[id] : NULL;
}

/* START_BYTES, as --pairs has it, and start-bytes name the same column. */
static bool is_same_name(const char *name, const char *word, size_t len)
{
	if (strlen(name) != len)
		return false;
	for (size_t i = 0; i < len; i++)
		if (toupper((unsigned char)word[i]) != name[i] &&
		    !(word[i] == '_' && name[i] == '-'))
			return false;
	return true;
}

static int parse_column(const char *word, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (is_same_name(columns[i].name, word, len))
			return (int)i;
	return -1;
}

int report_parse_columns(const char *list, struct report_options *options, char bad[64])
{
	size_t count = 0;

	if (*list == '+') {
		list++;
		for (; count < DEFAULT_COLUMNS; count++)
			options->columns[count] = (int)count;
	}
	for (;;) {
		size_t len = strcspn(list, ",");
		int id = parse_column(list, len);

		if (id < 0 || count == REPORT_COLUMNS_MAX) {
			sanitize_text(bad, 64, list, len);
			return -EINVAL;
		}
		options->columns[count++] = id;
		if (!list[len])
			break;
		list += len + 1;
	}
	options->column_count = count;
	return 0;
}

size_t chosen_columns(const struct report_options *options,
		      const struct column *chosen[REPORT_COLUMNS_MAX])
{
	size_t count = options->column_count ? options->column_count : DEFAULT_COLUMNS;

	for (size_t i = 0; i < count; i++)
		chosen[i] = &columns[options->column_count ? options->columns[i] : (int)i];
	return count;
}

bool report_shows_users(const struct report_options *options)
{
	if (options->format == FORMAT_JSON)
		return true;
	for (size_t i = 0; i < options->column_count; i++)
		if (columns[options->columns[i]].print == print_users)
			return true;
	return options->verbose && options->format == FORMAT_TEXT;
}

void report_print_columns(FILE *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		fprintf(out, "  %-14s %s\n", columns[i].name, columns[i].help);
}
