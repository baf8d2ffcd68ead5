// SPDX-License-Identifier: GPL-2.0-or-later
#include "alignck/util.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Suffixes and what one of each is worth in bytes. */
static const struct {
	const char *suffix;
	uint64_t bytes;
} units[] = {
	{ "", 1 },         { "s", 512 },        { "K", KIB },      { "KiB", KIB },
	{ "M", MIB },      { "MiB", MIB },      { "G", GIB },      { "GiB", GIB },
	{ "T", KIB *GIB }, { "TiB", KIB *GIB }, { "P", MIB *GIB }, { "PiB", MIB *GIB },
	{ "E", GIB *GIB }, { "EiB", GIB *GIB },
};

int parse_size(const char *text, uint64_t *bytes)
{
	uint64_t number = 0;
	const char *p = text;

	if (*p < '0' || *p > '9')
		return -EINVAL;
	for (; *p >= '0' && *p <= '9'; p++)
		if (!mul_u64(number, 10, &number) || !add_u64(number, *p - '0', &number))
			return -ERANGE;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(p, units[i].suffix))
			return mul_u64(number, units[i].bytes, bytes) ? 0 : -ERANGE;
	return -EINVAL;
}

const char *format_size(char buf[SIZE_TEXT_MAX], uint64_t bytes)
{
	static const char letters[] = "BKMGTPE";
	uint64_t unit = 1;
	int letter = 0;

	while (letter < 6 && bytes / unit >= KIB) {
		unit *= KIB;
		letter++;
	}

	/* One decimal, rounded half up, in integers: bytes % unit < 2^60, so ten times it fits. */
	uint64_t whole = bytes / unit;
	uint64_t tenths = unit == 1 ? 0 : (bytes % unit * 10 + unit / 2) / unit;

	if (tenths == 10) {
		whole++;
		tenths = 0;
		if (whole == KIB && letter < 6) {
			whole = 1;
			letter++;
		}
	}
	if (tenths)
		snprintf(buf, SIZE_TEXT_MAX, "%llu.%llu%c", (unsigned long long)whole,
			 (unsigned long long)tenths, letters[letter]);
	else
		snprintf(buf, SIZE_TEXT_MAX, "%llu%c", (unsigned long long)whole, letters[letter]);
	return buf;
}

uint64_t misalignment(uint64_t position, uint64_t offset, uint64_t boundary)
{
	uint64_t p = position % boundary, o = offset % boundary;

	return p >= o ? p - o : boundary - (o - p);
}
