// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables by libsmartcols: the tree for people, pairs and raw lines for scripts. */
#include "internal.h"

#include <errno.h>
#include <libsmartcols/libsmartcols.h>
#include <stdlib.h>
#include <string.h>

/* A table under construction. One memory stream serves every cell. */
struct builder {
	struct libscols_table *table;
	const struct column *columns[REPORT_COLUMNS_MAX];
	size_t column_count;
	FILE *cell;
	char *text;
	size_t size;
};

static void builder_close(struct builder *b)
{
	scols_unref_table(b->table);
	if (b->cell)
		fclose(b->cell);
	free(b->text);
}

static int builder_open(struct builder *b, const struct report_options *options)
{
	bool tree = options->format == FORMAT_TEXT;

	*b = (struct builder){ .table = scols_new_table() };
	b->cell = open_memstream(&b->text, &b->size);
	if (!b->table || !b->cell)
		return -ENOMEM;
	b->column_count = chosen_columns(options, b->columns);
	for (size_t i = 0; i < b->column_count; i++) {
		const struct column *c = b->columns[i];
		int flags = tree ? c->flags : c->flags & ~SCOLS_FL_TREE;
		struct libscols_column *column =
			scols_table_new_column(b->table, c->name, c->width, flags);

		/* Asked for now, the shell's name is kept: out of memory, printing would crash. */
		if (!column ||
		    (options->format == FORMAT_PAIRS && !scols_column_get_name_as_shellvar(column)))
			return -ENOMEM;
	}
	scols_table_enable_noheadings(b->table, options->noheadings);
	scols_table_enable_export(b->table, options->format == FORMAT_PAIRS);
	scols_table_enable_shellvar(b->table, options->format == FORMAT_PAIRS);
	scols_table_enable_raw(b->table, options->format == FORMAT_RAW);
	scols_table_enable_ascii(b->table, !options->terminal);
	/* put_text() has made every cell safe; a second escape would show "\x5cx1b". */
	scols_table_enable_noencoding(b->table, 1);
	/* A table is as wide as what is in it: nothing is cut, whatever the terminal. */
	scols_table_set_termforce(b->table, SCOLS_TERMFORCE_NEVER);
	return 0;
}

static struct libscols_line *add_line(struct builder *b, const struct row *row,
				      struct libscols_line *parent)
{
	struct libscols_line *line = scols_table_new_line(b->table, parent);

	for (size_t i = 0; line && i < b->column_count; i++) {
		rewind(b->cell);
		b->columns[i]->print(b->cell, row);
		fputc('\0', b->cell);
		if (fflush(b->cell) || ferror(b->cell) ||
		    (b->text[0] && scols_line_set_data(line, i, b->text)))
			return NULL;
	}
	return line;
}

static int add_result(struct builder *b, const struct result *result,
		      const struct report_options *options)
{
	const struct layout *layout = result->layout;
	bool tree = options->format == FORMAT_TEXT;
	struct row row = { .result = result, .bytes = options->bytes };
	struct libscols_line *root = add_line(b, &row, NULL);
	struct libscols_line **lines = calloc(layout->count + 1, sizeof(struct libscols_line *));
	int err = root && lines ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < layout->count; i++) {
		int parent = layout->partitions[i].parent;
		struct libscols_line *above = root;

		if (!is_shown(result, i))
			continue;
		if (parent >= 0 && parent < (int)i && lines[parent])
			above = lines[parent];
		row.partition = &layout->partitions[i];
		row.index = i;
		lines[i] = add_line(b, &row, tree ? above : NULL);
		if (!lines[i])
			err = -ENOMEM;
	}
	free(lines);
	return err;
}

/* libsmartcols pads the columns before an empty last one; nobody wants blanks at line ends. */
static void put_trimmed(FILE *out, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n"), shown = len;

		while (shown && text[shown - 1] == ' ')
			shown--;
		fwrite(text, 1, shown, out);
		if (text[len])
			fputc('\n', out);
		text += len + (text[len] != '\0');
	}
}

int print_table_of(FILE *out, const struct result *result, const struct report_options *options)
{
	struct builder b;
	char *text = NULL;
	int err = builder_open(&b, options);

	if (!err)
		err = add_result(&b, result, options);
	/* Out of memory, libsmartcols may say so, or return nothing and say all is well. */
	if (!err && (scols_print_table_to_string(b.table, &text) || !text))
		err = -ENOMEM;
	if (!err) {
		put_trimmed(out, text);
		if (*text && text[strlen(text) - 1] != '\n')
			fputc('\n', out);
	}
	free(text);
	builder_close(&b);
	return err;
}

int print_list(FILE *out, const struct result *results, size_t count,
	       const struct report_options *options)
{
	struct builder b;
	int err = builder_open(&b, options);

	for (size_t i = 0; !err && i < count; i++)
		if (has_facts(&results[i]))
			err = add_result(&b, &results[i], options);
	if (!err) {
		scols_table_set_stream(b.table, out);
		if (!scols_table_is_empty(b.table) && scols_print_table(b.table))
			err = -ENOMEM;
	}
	builder_close(&b);
	return err;
}
