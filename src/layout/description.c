// SPDX-License-Identifier: GPL-2.0-or-later
/* Which format it is, and what all of them have in common. Pure. */
#include "description.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool next_line(struct text *text, struct text *line)
{
	const char *newline;

	if (text->at == text->end)
		return false;
	newline = memchr(text->at, '\n', text->end - text->at);
	line->at = text->at;
	line->end = newline ? newline : text->end;
	text->at = newline ? newline + 1 : text->end;
	if (line->end > line->at && line->end[-1] == '\r')
		line->end--;
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

bool next_word(struct text *line, struct text *word)
{
	while (line->at < line->end && is_blank(*line->at))
		line->at++;
	word->at = line->at;
	while (line->at < line->end && !is_blank(*line->at))
		line->at++;
	word->end = line->at;
	return word->at < word->end;
}

bool parse_word(const struct text *word, uint64_t *number)
{
	uint64_t n = 0;

	for (const char *p = word->at; p < word->end; p++)
		if (*p < '0' || *p > '9' || !mul_u64(n, 10, &n) ||
		    !add_u64(n, (uint64_t)(*p - '0'), &n))
			return false;
	*number = n;
	return word->at < word->end;
}

bool word_is(const struct text *word, const char *what)
{
	size_t len = strlen(what);

	return (size_t)(word->end - word->at) == len && !memcmp(word->at, what, len);
}

void split_line(struct text line, struct row *row)
{
	row->count = 0;
	while (row->count < ROW_WORDS && next_word(&line, &row->words[row->count]))
		row->count++;
}

int add_described(struct layout *layout, struct partition *p, uint64_t start_lba, uint64_t sectors,
		  struct reason *reason)
{
	uint64_t end;
	int index;

	if (layout->type == TABLE_DOS && (start_lba > UINT32_MAX || sectors > UINT32_MAX))
		return reason_set(reason, -EINVAL,
				  "partition %u has a start or a size that no MBR can express",
				  p->number);
	if (!mul_u64(start_lba, layout->sector_size, &p->start) ||
	    !mul_u64(sectors, layout->sector_size, &p->size) || !add_u64(p->start, p->size, &end) ||
	    end > INT64_MAX)
		return reason_set(reason, -EINVAL, "partition %u lies beyond the end of any disk",
				  p->number);
	if (!p->number || find_partition(layout, p->number) >= 0)
		return reason_set(reason, -EINVAL, "there are two partitions %u", p->number);
	p->table = layout->type;
	index = layout_add(layout, p);
	return index < 0 ? reason_set(reason, index, "too many partitions") : 0;
}

void describe_mbr(struct partition *p, unsigned number, uint8_t type, bool is_bootable)
{
	const struct mbr_entry entry = { .boot = is_bootable ? 0x80 : 0, .type = type };

	set_mbr_partition(p, &entry, 0, number, 0, 512);
	p->uuid[0] = '\0';
}

static const struct description_format *const formats[] = { &sfdisk_format, &gpart_format,
							    &solaris_format };

static const struct description_format *find_format(const char *text, size_t len)
{
	size_t shown = len < 512 ? len : 512;

	if (memchr(text, 0, shown))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (formats[i]->is_this((struct text){ text, text + len }))
			return formats[i];
	return NULL;
}

bool is_text(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!text[i] || ((uint8_t)text[i] < ' ' && !strchr("\t\n\r\f", text[i])))
			return false;
	return len != 0;
}

bool is_description(const char *text, size_t len)
{
	return find_format(text, len) != NULL;
}

uint64_t description_grain(const char *text, size_t len)
{
	const struct description_format *format = find_format(text, len);

	return format ? format->grain : MIB;
}

/* Logicals know the container they lie in; their EBRs, which no dump names, are made by whoever
 * applies it: one sector before each is enough. */
static void find_parents(struct layout *layout)
{
	int container = -1;

	for (size_t i = 0; i < layout->count; i++)
		if (layout->partitions[i].role == ROLE_EXTENDED && container < 0)
			container = (int)i;
	for (size_t i = 0; i < layout->count && container >= 0; i++) {
		struct partition *p = &layout->partitions[i];

		if (layout->type != TABLE_DOS || p->number <= MBR_ENTRIES)
			continue;
		p->parent = container;
		if (p->start >= layout->sector_size)
			p->ebr = p->start - layout->sector_size;
	}
}

/* It is printed again, with what its comments say. */
static int check_printable(const char *text, size_t len, struct reason *reason)
{
	const char *bad = find_unprintable(text, len);
	size_t line = 1;

	if (!bad)
		return 0;
	for (const char *p = text; p < bad; p++)
		line += *p == '\n';
	return reason_set(reason, -EINVAL, "line %zu has a byte that is no text: 0x%02x", line,
			  (uint8_t)*bad);
}

int read_description(const char *text, size_t len, uint32_t sector_size, struct layout **out,
		     uint64_t *size, bool *is_exact, struct reason *reason)
{
	const struct description_format *format = find_format(text, len);
	struct layout *layout = calloc(1, sizeof(*layout));
	int r;

	if (!layout)
		return reason_set(reason, -ENOMEM, "no memory");
	*size = 0;
	layout->sector_size = sector_size ? sector_size : 512;
	r = check_printable(text, len, reason);
	if (!r)
		r = format ? format->read((struct text){ text, text + len }, layout, size, reason)
			   : reason_set(reason, -EINVAL, "is no description of a table");
	if (!r) {
		*is_exact = *size && format->is_size_exact;
		find_parents(layout);
		r = check_extents(layout, *is_exact ? *size : INT64_MAX);
		if (r < 0)
			reason_set(reason, r, "no memory");
	}
	if (r < 0) {
		layout_free(layout);
		return r;
	}
	*out = layout;
	return 0;
}

int write_description(const char *text, size_t len, const struct layout *layout,
		      const struct extent *places, FILE *out, struct reason *reason)
{
	const struct description_format *format = find_format(text, len);

	return format ? format->write((struct text){ text, text + len }, layout, places, out,
				      reason)
		      : reason_set(reason, -EINVAL, "is no description of a table");
}
