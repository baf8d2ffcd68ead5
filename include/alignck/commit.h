/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_COMMIT_H
#define ALIGNCK_COMMIT_H

/*
 * commit: make the new table the disk's table. Before the first byte moves it says which sectors
 * the old and the new table consist of and that nothing but positions differs; it knows what inside
 * a partition records the partition's own start, and what must not be moved at all; it tells the
 * kernel. It never writes to the disk itself: relocate does, in its order and under its cover.
 *
 * All positions are absolute bytes of the whole disk. `sector` is the logical sector size in bytes.
 */

#include "alignck/relocate.h"

#include <stdio.h>

/* ---- the table ---- */

/*
 * Encodes the table of the finished plan and takes down the old one. `plan` has a place for each
 * entry of `layout`, which is what read_layout() says of `disk` now.
 *
 * MBR: libfdisk writes the moved entries and the chain of EBRs on a memfd of the disk's size that
 * holds only the table's sectors. Where it cannot put an EBR where the plan wished it, the EBR
 * comes right in front of its logical (the first one: to the container's start), if that sector is
 * free and zero; the places that hold are written back to plan->places[].ebr. None lies in a
 * partition's new data or in the journal. GPT: the start and end of the moved entries are set in
 * both arrays, and the checksums that cover them; no other bit of either copy changes, and sector 0
 * stays as it is.
 *
 * The result was read back with read_layout() and with libfdisk and compared: the starts are the
 * plan's; sizes, numbers, order, types, ids, names, attributes, boot flags, disk id and boot code
 * are the old ones; an entry that need not move is the same to the byte, CHS fields included.
 *
 * `before` and `after` hold ALL sectors of either table in the order in which they are written (see
 * relocate.h), those that do not change too; `before` also what lies in a gap where a new EBR will
 * be. Free with table_image_free(). Returns 0, -errno from I/O, or -EINVAL where the layout cannot
 * be expressed, with the reason.
 */
int encode_tables(struct io *disk, const struct layout *layout, struct plan *plan,
		  struct table_image *before, struct table_image *after, struct reason *reason);
void table_image_free(struct table_image *image);

/*
 * Does `found` (read from a disk or a memfd) differ from `layout` in nothing but the plan's
 * positions? `plan` NULL: it must be the same. Pure; nested tables are not compared. false with
 * the first difference as the reason.
 */
bool is_planned_layout(const struct layout *layout, const struct plan *plan,
		       const struct layout *found, struct reason *reason);

/*
 * Writes the table that `disk` holds now as `sfdisk DEVICE < FILE` reads it. `name` is the device's
 * path, which the lines are named after. The caller checks `out` for write errors. 0 or -errno.
 */
int write_table_backup(struct io *disk, const struct layout *layout, const char *name, FILE *out,
		       struct reason *reason);

/* ---- what records its own place ---- */

enum boot_record_kind { BOOT_RECORD_NONE, BOOT_RECORD_NTFS, BOOT_RECORD_FAT, BOOT_RECORD_EXFAT };

/* What the first sector of a partition says of where its own start is kept. */
struct boot_record {
	enum boot_record_kind kind;
	uint32_t sector;       /* the file system's own sector size, bytes */
	uint32_t field, width; /* the start: offset in the boot sector, bytes (4 or 8) */
	uint64_t value;        /* the start as the boot sector has it, in some sector size */
	uint64_t backup;       /* the backup boot sector, bytes from the start; 0: none */
	uint64_t sectors;      /* NTFS: sectors of the volume (@0x28), where the backup is too */
};

/* Pure. `bytes` is at least 512 long. Formats: NTFS and FAT @0x1C (u32), FAT32 backup @0x32 (u16);
 * exFAT specification 3.1, @0x40 (u64), backup at sector 12. False: none of these. */
bool decode_boot_record(const uint8_t *bytes, struct boot_record *record);

/* exFAT 3.4: the checksum of the 11 sectors of a boot region, each `sector` bytes, without bytes
 * 106, 107 and 112 of the first. Pure. */
uint32_t exfat_boot_checksum(const uint8_t *region, uint32_t sector);

/* Where a partition was and where it is: what find_start_value() needs. Bytes; ebr 0: no logical.
 */
struct place_change {
	uint64_t from, to;
	uint64_t from_ebr, to_ebr;
	uint32_t sector; /* logical sector size */
};

/*
 * Which value replaces `value`? It may count the disk's sectors, the file system's own or 512-byte
 * ones, from the start of the disk or (logical) from the EBR; the new one follows the rule that the
 * old one followed. False: the value is not the old start by any rule (0 never is), or the new one
 * does not fit `width` bytes: it stays. Pure.
 */
bool find_start_value(const struct place_change *change, uint32_t fs_sector, uint64_t value,
		      uint32_t width, uint64_t *new_value);

/*
 * Reads every moved partition AT ITS NEW PLACE and lists the fields that hold its old start, in
 * backups too, with the checksums that cover them. *fields is the caller's (free). 0 or -errno.
 */
int find_position_fields(struct io *disk, const struct layout *layout, const struct plan *plan,
			 uint32_t sector, struct position_field **fields, size_t *count,
			 struct reason *reason);

/* ---- what must not be moved ---- */

#define CONTENT_ATTENTION_MAX 4

struct content_check {
	bool refused;
	struct reason reason;                       /* why, and what helps */
	char attention[CONTENT_ATTENTION_MAX][240]; /* what to mend by hand after the move */
	size_t attention_count;
};

/*
 * May partition `index` of `layout` be moved? Refused: unclean or hibernated NTFS, a suspended
 * swap area, LUKS2 in re-encryption, ReFS, a nested table with absolute offsets. Attention: block
 * lists of LILO and GRUB, the Windows boot store, BitLocker, UEFI boot entries. Reads what it looks
 * at; a read error is returned, never taken for "movable". 0 or -errno with check->reason.
 */
int check_content_movable(struct io *disk, const struct layout *layout, size_t index,
			  uint32_t sector, struct content_check *check);

/* ---- the kernel ---- */

/* Refuses by name: "in use: sdb2 is mounted on /srv" from device->users. 0 or -EBUSY. */
int refuse_if_in_use(const struct device *device, struct reason *reason);

/*
 * Takes the BSD lock (exclusive) on the whole disk that `fd` is open on, so that udev leaves it
 * alone; it goes when the descriptor is closed. Waits a few seconds for udev's own short look. 0,
 * or -EBUSY: somebody else holds it. A regular file is locked as well.
 */
int lock_disk(int fd, struct reason *reason);

/*
 * Takes away all partition nodes that the kernel has of the disk `fd` (BLKPG_DEL_PARTITION). -EBUSY
 * names the one that is in use; those already taken away are put back then. A regular file has
 * none: 0.
 */
int drop_kernel_partitions(int fd, struct reason *reason);

/*
 * Gives the kernel the nodes of `layout` (BLKPG_ADD_PARTITION), an extended container as the kernel
 * makes it: two sectors. Nodes that are right already stay. Partitions inside others come by a
 * re-read of the table, as far as the kernel knows their label. 0; -errno "the table is written,
 * but the kernel was not told of partition 2 (...): ...". A regular file: 0.
 */
int add_kernel_partitions(int fd, const struct layout *layout, struct reason *reason);

#endif
