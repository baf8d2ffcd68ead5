/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_NTFS_H
#define ALIGNCK_NTFS_H

/*
 * Just as much of NTFS as it takes to see that Windows has left it clean. Sources: the on-disk
 * structures of ntfs-3g's layout.h and of Linux' fs/ntfs3/ntfs.h; offsets are given where used.
 * Every byte is taken to be hostile.
 */

#include "alignck/io.h"

struct ntfs {
	struct io *io;                             /* the partition, byte 0 = its start */
	uint32_t cluster, record_size, index_size; /* bytes */
	uint64_t mft;                              /* byte where record 0 is */
	uint8_t *mft_record; /* record 0, whose runs say where the others are */
};

enum {
	NTFS_RECORD_LOGFILE = 2,
	NTFS_RECORD_VOLUME = 3,
	NTFS_RECORD_ROOT = 5,
	NTFS_VOLUME_INFORMATION = 0x70,
	NTFS_DATA = 0x80,
	NTFS_INDEX_ROOT = 0x90,
	NTFS_INDEX_ALLOCATION = 0xa0,
};

/* An attribute inside a record of the caller's; `len` bytes can be read. */
struct ntfs_attribute {
	const uint8_t *bytes;
	uint32_t len;
	bool resident;
	const uint8_t *value; /* resident: value_len bytes */
	uint32_t value_len;
	uint64_t size; /* of the data */
};

/* `boot` is the partition's first sector. 0, -errno of a read, -EINVAL: the numbers in it cannot
 * be. Free with ntfs_close(), after a failure too. */
int ntfs_open(struct io *partition, const uint8_t *boot, struct ntfs *ntfs);
void ntfs_close(struct ntfs *ntfs);

/* Puts back what update sequences hide (two bytes at the end of each 512) and checks the signature.
 * Pure. False: torn, or not such a block. */
bool ntfs_fix_up(uint8_t *block, size_t len, const char signature[4]);

/* The record of that number, ntfs->record_size bytes, fixed up; the caller frees. 0, -errno of a
 * read, -EINVAL: damaged or out of reach. */
int ntfs_read_record(struct ntfs *ntfs, uint64_t number, uint8_t **record);

/* The first attribute of that type, unnamed or with that ASCII name. Pure. */
bool ntfs_find_attribute(const struct ntfs *ntfs, const uint8_t *record, uint32_t type,
			 const char *name, struct ntfs_attribute *attribute);

/* Reads [offset, offset + len) of the attribute's data. Same errors. */
int ntfs_read_attribute(struct ntfs *ntfs, const struct ntfs_attribute *attribute, uint64_t offset,
			void *buf, size_t len);

/*
 * Has Windows left the volume so that it may be moved? 0 and *why NULL: yes; 0 and *why the reason
 * and remedy: no, and that is what damage is too. *is_sure is false where hiberfil.sys could not be
 * looked at. -errno of a read.
 */
int check_ntfs_clean(struct io *partition, const uint8_t *boot, const char **why, bool *is_sure);

#endif
