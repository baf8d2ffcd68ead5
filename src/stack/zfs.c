// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ZFS: "ZFS On-Disk Specification" (Sun, 2006), chapter 1; OpenZFS include/sys/vdev_impl.h and
 * module/nvpair/nvpair.c for the XDR encoding. A vdev has four labels of 256 KiB, two at each end:
 * 16 KiB, then 112 KiB of nvlist that end with a checksum block, then 128 KiB of uberblocks.
 */
#include "decode.h"

#include <string.h>

enum {
	LABEL_LEN = 256 * 1024,
	LABEL_NVLIST = 16 * 1024,
	NVLIST_LEN = 112 * 1024,
	LABELS = 4,
	DATA_START = 4 * 1024 * 1024, /* two labels and the 3.5 MiB boot block */
	UBERBLOCK = 40,               /* in the bytes handed over: after the checksum block */
	NV_ENCODING_XDR = 1,
	NV_HEADER = 12, /* encoding, endian, 2 reserved; be32 version, be32 flag */
	NV_TYPE_UINT64 = 8,
	NV_TYPE_NVLIST = 19,
	NV_NESTED_HEADER = 8, /* an embedded list's own version and flag */
	ASHIFT_MIN = 9,
	ASHIFT_MAX = 16,
};

static const uint64_t checksum_magic = 0x0210da7ab10c7a11; /* zio_eck_t, zec_magic */
static const uint64_t uberblock_magic = 0x00bab10c;

/* One name and value of an nvlist. */
struct pair {
	uint32_t type;
	const uint8_t *value;
	size_t len;
};

/*
 * Finds `name` among the pairs in [p, p + len): be32 encoded size of the pair, be32 decoded size,
 * be32 length of the name, the name padded to 4, be32 type, be32 count, the value. A size of 0
 * ends the list. A pair is at least its fixed fields long, so the walk ends.
 */
static bool find_pair(const uint8_t *p, size_t len, const char *name, struct pair *pair)
{
	enum { FIXED = 20 };

	while (len >= FIXED) {
		uint32_t size = get_be32(p), name_len = get_be32(p + 8);
		size_t padded = ((size_t)name_len + 3) & ~(size_t)3;

		if (size < FIXED || size > len || name_len > size || padded > size - FIXED)
			return false;
		if (name_len == strlen(name) && !memcmp(p + 12, name, name_len)) {
			pair->type = get_be32(p + 12 + padded);
			pair->value = p + FIXED + padded;
			pair->len = size - FIXED - padded;
			return true;
		}
		p += size;
		len -= size;
	}
	return false;
}

bool decode_zfs_label(const uint8_t *nvlist, size_t len, uint64_t *ashift)
{
	struct pair tree, value;

	if (len < NV_HEADER || nvlist[0] != NV_ENCODING_XDR || nvlist[1] > 1)
		return false;
	if (!find_pair(nvlist + NV_HEADER, len - NV_HEADER, "vdev_tree", &tree) ||
	    tree.type != NV_TYPE_NVLIST || tree.len < NV_NESTED_HEADER ||
	    !find_pair(tree.value + NV_NESTED_HEADER, tree.len - NV_NESTED_HEADER, "ashift",
		       &value) ||
	    value.type != NV_TYPE_UINT64 || value.len < 8)
		return false;
	*ashift = get_be64(value.value);
	return *ashift >= ASHIFT_MIN && *ashift <= ASHIFT_MAX;
}

static uint64_t label_place(const struct decoding *d, unsigned label)
{
	uint64_t end = round_down_to(d->size, LABEL_LEN);

	return label < 2 ? (uint64_t)label * LABEL_LEN : end - (LABELS - label) * LABEL_LEN;
}

/*
 * `bytes` are the last 40 of a label's nvlist block, its checksum, and the first of its uberblocks.
 * Each label has the whole configuration; the first one that can be read is as good as any.
 */
enum outcome decode_zfs(struct decoding *d)
{
	uint64_t ashift = 0, checksum, uberblock;
	const uint8_t *nvlist = NULL;

	if (d->len < UBERBLOCK + 8)
		return DECODE_NOT_THIS;
	checksum = get_le64(d->bytes);
	uberblock = get_le64(d->bytes + UBERBLOCK);
	if (checksum != checksum_magic && checksum != __builtin_bswap64(checksum_magic) &&
	    uberblock != uberblock_magic && uberblock != __builtin_bswap64(uberblock_magic))
		return DECODE_NOT_THIS;

	d->fallback = DECODE_FOUND;
	found_at(d, DATA_START, 0);
	if (d->more)
		nvlist = reach(d, d->more_at, NVLIST_LEN);
	if (nvlist && decode_zfs_label(nvlist, NVLIST_LEN, &ashift)) {
		d->layer.ashift = ashift;
		d->layer.block_size = 1ULL << ashift;
		return DECODE_FOUND;
	}
	if (d->step >= LABELS)
		return DECODE_FOUND;
	d->want_offset = label_place(d, d->step) + LABEL_NVLIST;
	d->want_len = NVLIST_LEN;
	return DECODE_MORE;
}
