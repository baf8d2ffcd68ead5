/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_LAYOUT_DESCRIPTION_H
#define ALIGNCK_LAYOUT_DESCRIPTION_H

/* What the readers of descriptions share: one row a format in description.c. */

#include "alignck/description.h"
#include "internal.h"

/* A text being read. */
struct text {
	const char *at, *end;
};

/* The next line without its newline; false: the end. */
bool next_line(struct text *text, struct text *line);

/* The next word of a line, between blanks; false: the end. */
bool next_word(struct text *line, struct text *word);

/* A decimal number and nothing else. */
bool parse_word(const struct text *word, uint64_t *number);

bool word_is(const struct text *word, const char *what);

/* A line about a partition that has the columns of its format: numbers, and where they stand. */
#define ROW_WORDS 10
struct row {
	struct text words[ROW_WORDS];
	size_t count;
};

void split_line(struct text line, struct row *row);

/* Adds partition `p`, whose numbers are sectors; checks what can be checked. 0 or -errno. */
int add_described(struct layout *layout, struct partition *p, uint64_t start_lba, uint64_t sectors,
		  struct reason *reason);

/* Fills a partition of an MBR: its role and type are the code's. */
void describe_mbr(struct partition *p, unsigned number, uint8_t type, bool is_bootable);

struct description_format {
	uint64_t grain;
	bool is_size_exact; /* the size it tells is the disk's, and not that of its whole cylinders
			     */
	bool (*is_this)(struct text text);
	int (*read)(struct text text, struct layout *layout, uint64_t *size, struct reason *reason);
	int (*write)(struct text text, const struct layout *layout, const struct extent *places,
		     FILE *out, struct reason *reason);
};

extern const struct description_format sfdisk_format, gpart_format, solaris_format;

#endif
