/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_LAYOUT_INTERNAL_H
#define ALIGNCK_LAYOUT_INTERNAL_H

/* What the files of this stage share. read_layout() in layout.c is the way through. */

#include "alignck/layout.h"

/*
 * Both ends of the disk, read once. 24 KiB hold the MBR, the GPT header and 128 entries for sectors
 * of 512 as well as of 4096 bytes; 20 KiB the backup of either.
 */
#define HEAD_MAX (24 * KIB)
#define TAIL_MAX (20 * KIB)

struct source {
	struct io *io;
	uint32_t device_sector; /* bytes: what the device says */
	bool may_change;        /* the table may overrule it */
	size_t head_len;        /* bytes that could be read from 0 on */
	int head_error;         /* why it ends before HEAD_MAX and the end of the disk; 0 */
	size_t tail_len;        /* 0: not read (yet) */
	uint8_t head[HEAD_MAX];
	uint8_t tail[TAIL_MAX];
};

/* Fills the head. Fails only where not even the first 512 bytes can be had. */
int source_open(struct source *source, struct io *io, struct reason *reason);

/* Reads through the two caches. 0 or -errno, as io_read(). */
int source_read(struct source *source, void *buf, size_t len, uint64_t offset);

/* Reads the last bytes of the disk at one go; an error shows up in the reads that follow. */
void source_read_tail(struct source *source);

/* Appends a copy; returns its index, -ENOMEM, or -E2BIG (said once) above LAYOUT_PARTITIONS_MAX. */
int layout_add(struct layout *layout, const struct partition *partition);

/* ---- MBR (mbr.c, pure). Sector 0: four entries of 16 bytes at 446, disk id u32 at 440, 55 aa at
 * 510. An entry: boot indicator, CHS, type at 4, CHS, u32 start at 8, u32 sectors at 12. */

#define MBR_ENTRIES 4

struct mbr_entry {
	uint8_t boot, type;
	uint32_t start_lba, sectors;
};

struct mbr {
	bool has_signature;
	uint32_t disk_id;
	struct mbr_entry entries[MBR_ENTRIES];
};

void decode_mbr(const uint8_t sector[512], struct mbr *mbr);

/* A partition table, and not the boot sector of a file system or another label's sector. */
bool is_mbr(const struct mbr *mbr, const uint8_t sector[512]);
bool is_used_entry(const struct mbr_entry *entry);
bool is_extended_type(uint8_t type);

/* Any entry of type ee; *valid: one the kernel accepts (it starts at sector 1). */
bool has_protective_entry(const struct mbr *mbr, bool *valid);
size_t count_real_entries(const struct mbr *mbr); /* used and not ee */

/* Fills what every MBR-style partition has in common. */
void set_mbr_partition(struct partition *partition, const struct mbr_entry *entry, uint32_t disk_id,
		       unsigned number, uint64_t base_lba, uint32_t sector_size);

/* ---- the rest of an MBR disk */

int read_mbr(struct source *source, const struct mbr *mbr, uint32_t sector_size,
	     struct layout *layout);

/* The chain of EBRs in layout->partitions[container] (ebr.c). *number: the next one to give. */
int read_logicals(struct source *source, struct layout *layout, int container, uint32_t disk_id,
		  unsigned *number);

/* Is the table written in `guess`-byte units rather than the device's? (units.c) */
uint32_t guess_mbr_unit(struct source *source, const struct mbr *mbr);

/* An ISO 9660 volume: hybrid images give their MBR entries meanings of their own. */
bool is_iso9660(struct source *source);

/* true: the first bytes of something known (a file system, LVM, LUKS, ...) begin at `offset`. */
bool has_superblock(struct source *source, uint64_t offset);

/* ---- GPT. UEFI 2.10, 5.3: tables 5.5 (header) and 5.6 (entry). gpt.c is pure. */

/* The kernel takes at most 4 MiB for an entry array; three of ours must fit LAYOUT_READ_MAX. */
#define GPT_ARRAY_MAX      (2 * MIB)
#define GPT_ENTRY_SIZE_MAX 4096

struct gpt_header {
	uint64_t my_lba, alternate_lba;
	uint64_t first_usable_lba, last_usable_lba;
	uint64_t entries_lba;
	uint32_t entry_count, entry_size, entries_crc;
	uint8_t disk_guid[16];
};

enum gpt_fault {
	GPT_OK,
	GPT_PAST_END,
	GPT_UNREADABLE,
	GPT_NO_SIGNATURE,
	GPT_BAD_REVISION,
	GPT_BAD_HEADER_SIZE,
	GPT_BAD_CRC,
	GPT_BAD_PLACE,
	GPT_BAD_ENTRY_SIZE,
	GPT_BAD_ENTRY_COUNT,
	GPT_BAD_USABLE,
	GPT_BAD_ARRAY_PLACE,
	GPT_ARRAY_PAST_END,
	GPT_ARRAY_UNREADABLE,
	GPT_BAD_ARRAY_CRC,
};

struct gpt_entry {
	uint8_t type[16], guid[16];
	uint64_t first_lba, last_lba, attributes;
	const uint8_t *name; /* 36 UTF-16LE units, inside the array */
};

#define GPT_NAME_UNITS 36

/* Decodes the header that lies in `sector` (`sector_size` bytes) at `lba`. The fields are filled
 * wherever there is a signature, whatever the verdict. */
enum gpt_fault decode_gpt_header(const uint8_t *sector, uint32_t sector_size, uint64_t lba,
				 struct gpt_header *header);
enum gpt_fault check_gpt_array(const struct gpt_header *header, const uint8_t *array);

/* false: an unused entry (all-zero type). */
bool decode_gpt_entry(const uint8_t *bytes, struct gpt_entry *entry);
const char *gpt_fault_text(enum gpt_fault fault);

/* The sizes a GPT can have been written for. */
#define SECTOR_SIZES 4
extern const uint32_t sector_sizes[SECTOR_SIZES];

/* One copy of the table: a header and its array. */
struct gpt_copy {
	uint64_t lba;
	enum gpt_fault fault;
	int error; /* -errno for the _UNREADABLE ones */
	struct gpt_header header;
	uint8_t *array; /* only where fault is GPT_OK */
};

/* The table as a whole, while it is read. */
struct gpt {
	struct source *source;
	struct layout *layout;
	const struct mbr *mbr;
	uint32_t sector;
	uint64_t last_lba; /* of the disk */
	struct gpt_copy primary, backup;
};

/* Reads the header at `lba`; what is wrong with it is in copy->fault. */
void read_gpt_header(struct source *source, uint32_t sector, uint64_t lba, struct gpt_copy *copy);

/* Reads and checks both copies and lists the partitions of the one to go by (gpt_read.c). */
int list_gpt(struct gpt *gpt);

/* What the MBR in front of it says: is it protective, and are its other entries true? (hybrid.c) */
void check_protective(struct gpt *gpt);

/*
 * Looks for a GPT and, if this disk has one (whole, damaged, or promised by a protective entry),
 * reads it all and returns 1. 0: none here. `is_table`: sector 0 passes is_mbr().
 */
int read_gpt(struct source *source, const struct mbr *mbr, bool is_table, struct layout *layout);

/* A disk without a table: a stray backup GPT in its last sector is said. */
void check_stray_backup(struct source *source, struct layout *layout);

/* ---- libblkid (nested.c): tables inside MBR slices, and whole-disk tables that are not ours. Both
 * do nothing where there is no descriptor. */
int read_nested(struct source *source, struct layout *layout, unsigned number);
int read_foreign(struct source *source, struct layout *layout, bool maybe_atari);

/* UnixWare's label we decode ourselves; unixware.c says why. */
struct unixware_slice {
	uint16_t tag;
	uint32_t start, sectors;
};

bool is_unixware_label(const uint8_t sector[512]);
bool decode_unixware_slice(const uint8_t sector[512], unsigned index, struct unixware_slice *slice);
int read_unixware(struct source *source, struct layout *layout, int container, unsigned *number);

/* --- solaris.c --- */

/* The slices of `container`, partitions from `first` on, get the kernel's numbers; `*number` is the
 * next one before and after. */
void number_solaris_slices(struct source *source, struct layout *layout, int container,
			   size_t first, unsigned *number);

/* libblkid's answer to has_superblock(); false where there is no descriptor. */
bool blkid_has_superblock(struct source *source, uint64_t offset);

/* ---- check.c: extents against each other and the end of the disk. */
int check_extents(struct layout *layout, uint64_t disk_size);

enum partition_role gpt_role(const char *type_guid);

#endif
