/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_STACK_DECODE_H
#define ALIGNCK_STACK_DECODE_H

/*
 * Decoders: pure, one for each kind of superblock. A decoder gets the bytes from the superblock on,
 * as many as happened to be read, and says what the superblock says. All positions here are bytes
 * from the start of the container (partition, disk, RAID1 member) it lies in; read_content() makes
 * them absolute and checks them against the container.
 *
 * A decoder that needs other bytes asks with reach(), returns DECODE_MORE, and is run again from
 * the top when they are there. The bytes are hostile: lengths first, then fields.
 */

#include "alignck/stack.h"

enum outcome {
	DECODE_NOT_THIS, /* the magic was there by chance, or is a leftover */
	DECODE_FOUND,
	DECODE_MORE, /* read [want_offset, want_offset + want_len) and call again */
};

struct decoding {
	const uint8_t *bytes; /* the superblock and what follows it */
	size_t len;
	uint64_t at;   /* where bytes[0] lies in the container */
	uint64_t size; /* of the container */

	const uint8_t *more; /* what was asked for last, NULL: nothing yet */
	size_t more_len;
	uint64_t more_at;
	unsigned step;  /* how often it was asked */
	unsigned state; /* the decoder's own, 0 at first */
	uint64_t want_offset;
	size_t want_len;
	size_t left;           /* how many bytes it may still ask for */
	enum outcome fallback; /* what it is when the wanted bytes cannot be had */
	bool is_cut;           /* out: the answer lies beyond what may be read */
	bool is_garbled;       /* out: there is an answer, but not a sensible one */

	struct layer layer; /* out; data_offset counts from the container's start */
	uint64_t inside;    /* bytes from data_offset on that can be looked into; 0: none */
};

typedef enum outcome decoder(struct decoding *d);

/* [offset, offset + len) of the container where it is at hand, else NULL with the wish noted. */
const uint8_t *reach(struct decoding *d, uint64_t offset, size_t len);

/* For a payload that starts where the container does. */
enum outcome found_at(struct decoding *d, uint64_t data_offset, uint64_t block_size);

/* Name only: its data is elsewhere, has no single start, or it is a format we only name. */
enum outcome found_name(struct decoding *d);

/* Name only: it should say where its data starts, and does not. */
enum outcome found_garbled(struct decoding *d);

void name_layer(struct decoding *d, const char *type);

/* 1 << shift where that is a block size anyone uses (512 to 64 MiB), else 0. */
uint64_t block_of(uint32_t shift);

/* decode_whole: the data starts at byte 0, and nobody writes it in place (ISO 9660, ROM file
 * systems) or the unit is not known. */
decoder decode_adaptec, decode_apfs, decode_bcache, decode_bcachefs, decode_befs, decode_bitlocker,
	decode_btrfs, decode_cramfs, decode_ddf, decode_drbd, decode_exfat, decode_ext, decode_f2fs,
	decode_geom, decode_gfs, decode_hfs, decode_hfsplus, decode_integrity, decode_jfs,
	decode_luks, decode_lvm1, decode_lvm2, decode_md0, decode_md1, decode_minix, decode_nilfs2,
	decode_ntfs, decode_ocfs2, decode_reiserfs, decode_squashfs, decode_swap, decode_swap_8k,
	decode_swap_large, decode_udf, decode_ufs, decode_verity, decode_vfat, decode_whole,
	decode_xfs, decode_xfs_log, decode_zfs;

/* Parts with a fuzz target of their own. */

/* A text in pieces, as they were read. */
struct piece {
	const char *text;
	size_t len;
};

/* The JSON area of a LUKS2 header, up to its first NUL: where segment "0" starts and its encryption
 * sector, bytes. DECODE_MORE: the text goes on behind the last piece. */
enum outcome decode_luks2_json(const struct piece *pieces, size_t count, uint64_t *offset,
			       uint64_t *sector_size);

/* The nvlist of a ZFS label (112 KiB, XDR): vdev_tree.ashift. */
bool decode_zfs_label(const uint8_t *nvlist, size_t len, uint64_t *ashift);

/* Where in a container a signature is looked for; stack.c has the table of their places. */
enum window {
	WINDOW_HEAD,
	WINDOW_8K, /* from 16 bytes before: the end of an 8 KiB page */
	WINDOW_16K,
	WINDOW_32K,
	WINDOW_64K,
	WINDOW_ZFS_LABEL0,
	WINDOW_ZFS_LABEL1,
	WINDOW_ZFS_LABEL2,
	WINDOW_ZFS_LABEL3,
	WINDOW_MD090,
	WINDOW_MD10,
	WINDOW_LAST_4K,
	WINDOW_LAST_SECTOR,
	WINDOW_LAST_BUT_ONE, /* whole disks only */
	WINDOW_1M,           /* only when nothing else was found */
	WINDOW_COUNT
};

enum usage {
	USAGE_FILESYSTEM,
	USAGE_TOLERANT, /* one that may share a container with another (a hybrid ISO) */
	USAGE_OTHER,
	USAGE_CRYPTO,
	USAGE_RAID,
};

struct signature {
	const char *type; /* libblkid's name; a decoder may give a finer one */
	enum usage usage;
	enum window window;
	uint32_t super; /* where the superblock starts, from the start of the window */
	const char *magic;
	uint16_t magic_len; /* 0: the decoder looks for itself */
	uint16_t magic_at;  /* from the start of the superblock */
	uint32_t least;     /* KiB the container has at least */
	decoder *decode;
};

extern const struct signature signatures[];
extern const size_t signature_count;

#endif
