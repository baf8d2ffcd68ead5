// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Formats with one line of columns a partition: FreeBSD's gpart(8), `backup`: "GPT 128", then
 * index, type, start, size, label; Solaris's fdisk(8), `-W`: comments with the geometry, then id,
 * act, six numbers of heads, sectors and cylinders, rsect, numsect. Starts and sizes are sectors.
 */
#include "description.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum {
	GPART_INDEX = 0,
	GPART_TYPE,
	GPART_START,
	GPART_SIZE,
	GPART_LABEL,

	SOLARIS_ID = 0,
	SOLARIS_ACTIVE,
	SOLARIS_CHS,
	SOLARIS_RSECT = 8,
	SOLARIS_NUMSECT,
	SOLARIS_WORDS,
};

/* Writes the line up to the word, and `n` in place of it, in the room that word and the blanks
 * beside it had: a right-aligned column grows to the left, else to the right. */
static void put_number(FILE *out, struct text *rest, const struct text *word, uint64_t n,
		       bool right_aligned)
{
	const char *from = word->at, *to = word->end;
	int width;

	if (right_aligned)
		while (from > rest->at + 1 && from[-1] == ' ' && from[-2] == ' ')
			from--;
	else
		while (to + 1 < rest->end && to[0] == ' ' && to[1] == ' ')
			to++;
	width = (int)(to - from);
	fwrite(rest->at, 1, from - rest->at, out);
	fprintf(out, "%*" PRIu64, right_aligned ? width : -width, n);
	rest->at = to;
}

static void put_rest(FILE *out, const struct text *rest)
{
	fwrite(rest->at, 1, rest->end - rest->at, out);
	fputc('\n', out);
}

/* ---- gpart backup */

static const struct {
	const char *name;
	enum table_type type;
} schemes[] = {
	{ "GPT", TABLE_GPT }, { "MBR", TABLE_DOS },  { "BSD", TABLE_BSD },   { "BSD64", TABLE_BSD },
	{ "APM", TABLE_MAC }, { "EBR", TABLE_NONE }, { "VTOC8", TABLE_SUN }, { "LDM", TABLE_NONE },
};

/* "GPT 128": the scheme and how many entries it has room for. -1: no such line. */
static int read_scheme(struct text *text)
{
	struct text line;
	struct row row;
	uint64_t entries;

	if (!next_line(text, &line))
		return -1;
	split_line(line, &row);
	if (row.count != 2 || !parse_word(&row.words[1], &entries))
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(schemes); i++)
		if (word_is(&row.words[0], schemes[i].name))
			return (int)i;
	return -1;
}

static bool is_gpart(struct text text)
{
	return read_scheme(&text) >= 0;
}

/* What gpart calls them; other names are data, and stay as they are. */
static const struct {
	const char *name;
	enum partition_role role;
} gpart_roles[] = {
	{ "bios-boot", ROLE_BIOS_BOOT },
	{ "ms-reserved", ROLE_MSR },
	{ "ebr", ROLE_EXTENDED },
};

static int read_gpart_row(const struct row *row, struct layout *layout, struct reason *reason)
{
	struct partition p = { .parent = -1 };
	uint64_t index, start, size;

	if (row->count < GPART_LABEL || !parse_word(&row->words[GPART_INDEX], &index) ||
	    !parse_word(&row->words[GPART_START], &start) ||
	    !parse_word(&row->words[GPART_SIZE], &size) || !index || index > UINT16_MAX)
		return reason_set(reason, -EINVAL, "not understood: \"%.*s\"",
				  row->count ? (int)(row->words[0].end - row->words[0].at) : 0,
				  row->count ? row->words[0].at : "");
	p.number = (unsigned)index;
	sanitize_text(p.type, sizeof(p.type), row->words[GPART_TYPE].at,
		      row->words[GPART_TYPE].end - row->words[GPART_TYPE].at);
	if (row->count > GPART_LABEL && *row->words[GPART_LABEL].at != '[')
		sanitize_text(p.label, sizeof(p.label), row->words[GPART_LABEL].at,
			      row->words[GPART_LABEL].end - row->words[GPART_LABEL].at);
	for (size_t i = 0; i < ARRAY_SIZE(gpart_roles); i++)
		if (word_is(&row->words[GPART_TYPE], gpart_roles[i].name))
			p.role = gpart_roles[i].role;
	return add_described(layout, &p, start, size, reason);
}

static int read_gpart(struct text text, struct layout *layout, uint64_t *size,
		      struct reason *reason)
{
	int scheme = read_scheme(&text), r = 0;
	struct text line;
	struct row row;

	(void)size; /* not in it */
	layout->type = schemes[scheme].type;
	/* The others lie in a slice whose place their backup does not tell, or are not mended. */
	if (layout->type != TABLE_GPT && layout->type != TABLE_DOS)
		return reason_set(
			reason, -EINVAL,
			"a backup of scheme %s does not tell where on the disk it is; only"
			" GPT and MBR are read",
			schemes[scheme].name);
	if (layout->type == TABLE_GPT)
		layout->first_usable = 2ULL * layout->sector_size + 16 * KIB;
	while (!r && next_line(&text, &line)) {
		split_line(line, &row);
		if (row.count)
			r = read_gpart_row(&row, layout, reason);
	}
	return r;
}

/* Rows are written in the order they were read: i counts partitions. */
static int write_gpart(struct text text, const struct layout *layout, const struct extent *places,
		       FILE *out, struct reason *reason)
{
	struct text line;
	struct row row;
	size_t i = 0;

	(void)reason;
	next_line(&text, &line);
	put_rest(out, &line);
	while (next_line(&text, &line)) {
		split_line(line, &row);
		if (row.count && i < layout->count) {
			uint64_t unit = layout->sector_size;

			put_number(out, &line, &row.words[GPART_START], places[i].start / unit,
				   true);
			put_number(out, &line, &row.words[GPART_SIZE],
				   (places[i].end - places[i].start) / unit, true);
			i++;
		}
		put_rest(out, &line);
	}
	return 0;
}

const struct description_format gpart_format = { MIB, false, is_gpart, read_gpart, write_gpart };

/* ---- fdisk -W */

static bool is_comment(const struct text *line)
{
	return line->at == line->end || *line->at == '*';
}

/* "* Id    Act  Bhead ..." heads the rows; nobody else writes it. */
static bool is_solaris(struct text text)
{
	static const char *const heads[] = { "Id",    "Act",   "Bhead", "Bsect", "Bcyl",
					     "Ehead", "Esect", "Ecyl",  "Rsect", "Numsect" };
	struct text line;

	while (next_line(&text, &line) && is_comment(&line)) {
		struct row row;
		size_t i = 0;

		line.at += line.at < line.end;
		split_line(line, &row);
		while (i < row.count && word_is(&row.words[i], heads[i]))
			i++;
		if (i == ARRAY_SIZE(heads))
			return true;
	}
	return false;
}

/* "*    512 bytes/sector" and the like: their product is the disk. */
struct geometry {
	uint64_t sector, sectors, tracks, cylinders;
};

static void read_geometry(struct text line, struct geometry *g)
{
	const struct {
		const char *unit;
		uint64_t *number;
	} rows[] = {
		{ "bytes/sector", &g->sector },
		{ "sectors/track", &g->sectors },
		{ "tracks/cylinder", &g->tracks },
		{ "cylinders", &g->cylinders },
	};
	uint64_t number;
	struct row row;

	line.at++;
	split_line(line, &row);
	if (row.count != 2 || !parse_word(&row.words[0], &number))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (word_is(&row.words[1], rows[i].unit))
			*rows[i].number = number;
}

static uint64_t size_of(const struct geometry *g)
{
	uint64_t size;

	if (!mul_u64(g->sectors, g->tracks, &size) || !mul_u64(size, g->cylinders, &size) ||
	    !mul_u64(size, g->sector, &size) || size > INT64_MAX)
		return 0;
	return size;
}

static int read_solaris_row(const struct row *row, unsigned number, struct layout *layout,
			    struct reason *reason)
{
	uint64_t numbers[SOLARIS_WORDS];
	struct partition p;

	for (size_t i = 0; i < SOLARIS_WORDS; i++)
		if (i >= row->count || !parse_word(&row->words[i], &numbers[i]))
			return reason_set(reason, -EINVAL,
					  "row %u is not understood: it has no %d numbers", number,
					  SOLARIS_WORDS);
	if (numbers[SOLARIS_ID] > UINT8_MAX)
		return reason_set(reason, -EINVAL, "row %u: there is no type %" PRIu64, number,
				  numbers[SOLARIS_ID]);
	if (!numbers[SOLARIS_ID] && !numbers[SOLARIS_NUMSECT])
		return 0;
	describe_mbr(&p, number, (uint8_t)numbers[SOLARIS_ID], numbers[SOLARIS_ACTIVE] == 128);
	return add_described(layout, &p, numbers[SOLARIS_RSECT], numbers[SOLARIS_NUMSECT], reason);
}

static int read_solaris(struct text text, struct layout *layout, uint64_t *size,
			struct reason *reason)
{
	struct geometry g = { 0 };
	unsigned number = 0;
	struct text line;
	int r = 0;

	layout->type = TABLE_DOS;
	while (!r && next_line(&text, &line)) {
		struct row row;

		split_line(line, &row);
		if (!row.count)
			continue;
		if (is_comment(&line)) {
			read_geometry(line, &g);
			continue;
		}
		if (g.sector && (!is_power_of_two(g.sector) || g.sector < 512 || g.sector > 65536))
			return reason_set(reason, -EINVAL, "its sector size is none");
		if (g.sector)
			layout->sector_size = (uint32_t)g.sector;
		r = read_solaris_row(&row, ++number, layout, reason);
	}
	*size = size_of(&g);
	return r;
}

/* Heads, sectors and cylinders of a start that moved would contradict it: of zeros fdisk(8) says
 * that it fills them in by itself. */
static int write_solaris(struct text text, const struct layout *layout, const struct extent *places,
			 FILE *out, struct reason *reason)
{
	unsigned number = 0;
	struct text line;

	(void)reason;
	while (next_line(&text, &line)) {
		struct row row;
		int i;

		split_line(line, &row);
		if (!is_comment(&line) && row.count) {
			i = find_partition(layout, ++number);
			if (i >= 0 && places[i].start != layout->partitions[i].start) {
				for (int c = SOLARIS_CHS; c < SOLARIS_RSECT; c++)
					put_number(out, &line, &row.words[c], 0, false);
				put_number(out, &line, &row.words[SOLARIS_RSECT],
					   places[i].start / layout->sector_size, false);
				put_number(out, &line, &row.words[SOLARIS_NUMSECT],
					   (places[i].end - places[i].start) / layout->sector_size,
					   false);
			}
		}
		put_rest(out, &line);
	}
	return 0;
}

const struct description_format solaris_format = { 4096, false, is_solaris, read_solaris,
						   write_solaris };
