/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_DESCRIPTION_H
#define ALIGNCK_DESCRIPTION_H

/*
 * description: a table written down as text, so that it can be checked before it is applied. Read:
 * the dumps of sfdisk (by libfdisk's own script reader), of FreeBSD's `gpart backup` (GPT and MBR)
 * and of Solaris's `fdisk -W`. Written: the same format with other starts. The text may be
 * anything.
 */

#include "alignck/layout.h"

#include <stdio.h>

/* Longer ones are not taken for a description. */
#define DESCRIPTION_MAX (1 * MIB)

/* true: the text begins as one of the formats does. Some 100 bytes of it are enough. */
bool is_description(const char *text, size_t len);

/* true: nothing but letters and lines, in whatever alphabet: no disk begins so. */
bool is_text(const char *text, size_t len);

/* The boundary that starts of this format go to unless another is asked for: 1 MiB; the least that
 * is aligned for Solaris, which counts cylinders and leaves no room for more. Bytes. */
uint64_t description_grain(const char *text, size_t len);

/*
 * Reads it as a layout (layout_free). Starts and sizes that are nobody's sectors are refused in
 * words. `sector_size`: bytes, for formats that do not tell it; 0: 512. *size: bytes that the
 * disk has where the text tells them, else 0; *is_exact: no more than that. 0 or -errno (-EINVAL:
 * not understood) with the reason.
 */
int read_description(const char *text, size_t len, uint32_t sector_size, struct layout **layout,
		     uint64_t *size, bool *is_exact, struct reason *reason);

/*
 * Writes the text again with partition i of `layout`, which was read from it, at places[i]: nothing
 * else changes but what depends on it. 0 or -errno with the reason.
 */
int write_description(const char *text, size_t len, const struct layout *layout,
		      const struct extent *places, FILE *out, struct reason *reason);

#endif
