/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_UTIL_H
#define ALIGNCK_UTIL_H

/*
 * util: the vocabulary every stage shares: checked arithmetic, extents, sizes as people write them,
 * text made safe to print, and the reason a call failed. Pure: no I/O, no globals.
 *
 * Units: positions and sizes are bytes in uint64_t. A name ending in _lba counts the device's
 * logical sectors, one ending in _sect512 counts 512-byte units (sysfs). Extents are half-open:
 * [start, end).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KIB 1024ULL
#define MIB (1024ULL * KIB)
#define GIB (1024ULL * MIB)

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* GNU cleanup: `autofree char *s = ...;` is freed when it leaves scope. */
#define autofree __attribute__((cleanup(cleanup_free)))
void cleanup_free(void *pointer_to_pointer);

/* Checked arithmetic: true and *out set when the result fits, false (and *out untouched) when not.
 */
static inline bool add_u64(uint64_t a, uint64_t b, uint64_t *out)
{
	uint64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return false;
	*out = sum;
	return true;
}

static inline bool mul_u64(uint64_t a, uint64_t b, uint64_t *out)
{
	uint64_t product;

	if (__builtin_mul_overflow(a, b, &product))
		return false;
	*out = product;
	return true;
}

/* Modulo 2^64, where that is what is meant: for residues by powers of two, and for differences
 * whose sign is looked at elsewhere. */
static inline uint64_t wrap_add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	(void)__builtin_add_overflow(a, b, &sum);
	return sum;
}

static inline uint64_t wrap_sub(uint64_t a, uint64_t b)
{
	uint64_t difference;

	(void)__builtin_sub_overflow(a, b, &difference);
	return difference;
}

/* A hash: it wraps and shifts bits out on purpose, which clang's integer sanitizer would report. */
#ifdef __clang__
#define HASHES __attribute__((no_sanitize("unsigned-integer-overflow", "unsigned-shift-base")))
#else
#define HASHES
#endif

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline bool is_power_of_two(uint64_t n)
{
	return n && !(n & (n - 1));
}

/* Largest multiple of `unit` that is <= n. `unit` > 0, any number: moduli, never masks. */
static inline uint64_t round_down_to(uint64_t n, uint64_t unit)
{
	return n - n % unit;
}

/* Smallest multiple of `unit` that is >= n; false when it does not fit in 64 bits. `unit` > 0. */
static inline bool round_up_to(uint64_t n, uint64_t unit, uint64_t *out)
{
	uint64_t rest = n % unit;

	return add_u64(n, rest ? unit - rest : 0, out);
}

/* (position - offset) mod boundary, right for offset > position and any boundary > 0. */
uint64_t misalignment(uint64_t position, uint64_t offset, uint64_t boundary);

struct extent {
	uint64_t start; /* bytes, first one in */
	uint64_t end;   /* bytes, first one out; end >= start */
};

static inline bool extents_overlap(struct extent a, struct extent b)
{
	return a.start < b.end && b.start < a.end;
}

/* A list of extents that grows. Zero-initialise; free(list) when done. */
struct extent_list {
	struct extent *list;
	size_t count, room;
};

/* Appends [start, end); an empty one is left out. 0 or -ENOMEM. */
int extent_list_add(struct extent_list *extents, uint64_t start, uint64_t end);

/* Sorts by start, as extent_list_add_rest() wants them. */
void extent_list_sort(struct extent_list *extents);

/* Appends to `out` the parts of `whole` that no extent of `covered` (sorted, may overlap) covers.
 */
int extent_list_add_rest(struct extent_list *out, struct extent whole,
			 const struct extent_list *covered);

/*
 * Reads a size as INTERFACE writes them: a bare number is bytes; K M G T P E and KiB MiB ... are
 * powers of 1024; "s" is 512-byte sectors. No sign, no space, no fraction. Returns 0, -EINVAL for
 * anything else, -ERANGE when it does not fit in 64 bits.
 */
int parse_size(const char *text, uint64_t *bytes);

/* Longest text format_size() makes, with its NUL. */
#define SIZE_TEXT_MAX 24

/* Writes `bytes` as lsblk would: "512B", "100M", "1.5G"; at most one decimal. Returns `buf`. */
const char *format_size(char buf[SIZE_TEXT_MAX], uint64_t bytes);

/*
 * Copies bytes that came from a disk or a drive into text that is safe to print: control
 * characters, DEL and malformed UTF-8 become "\xNN"; white space at both ends goes. Never writes
 * more than `size` bytes, always ends with NUL (size > 0). Cuts at a whole character or escape.
 */
void sanitize_text(char *dst, size_t size, const void *src, size_t len);

/* The same for a NUL-terminated source, as a new string (never NULL but on ENOMEM; caller frees).
 */
char *sanitize_dup(const char *src);

/* The first byte of a text of several lines that sanitize_text() would escape, but for tabs and the
 * ends of lines (with or without CR). NULL: there is none. */
const char *find_unprintable(const char *text, size_t len);

/* Decodes at most `units` little-endian UTF-16 units (a GPT name: UEFI 2.10 table 5.6) to UTF-8, up
 * to the first zero; lone surrogates become U+FFFD. Same promises as sanitize_text(). */
void sanitize_utf16le(char *dst, size_t size, const uint8_t *src, size_t units);

/* CRC-32 as UEFI, zlib and Ethernet have it (reflected 0xEDB88320). Start with crc = 0. */
uint32_t crc32_update(uint32_t crc, const void *data, size_t len);

/* Little- and big-endian fields at any address. */
uint16_t get_le16(const void *p);
uint32_t get_le32(const void *p);
uint64_t get_le64(const void *p);
uint16_t get_be16(const void *p);
uint32_t get_be32(const void *p);
uint64_t get_be64(const void *p);
void put_le16(void *p, uint16_t v);
void put_le32(void *p, uint32_t v);
void put_le64(void *p, uint64_t v);

/* A GUID as it lies on disk (UEFI: first three fields little-endian) as upper-case text. */
#define GUID_TEXT_MAX 37
void format_guid(char dst[GUID_TEXT_MAX], const uint8_t guid[16]);

/*
 * Why a call failed, in words: "what: why", lower case, no full stop, no path. The callee that
 * knows fills it; the command that knows the path prints `alignck: PATH: TEXT` once.
 */
struct reason {
	char text[240];
};

/* Formats the reason and returns `err`, so that a failing function can end with it. */
int reason_set(struct reason *reason, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
