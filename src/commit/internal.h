/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_COMMIT_INTERNAL_H
#define ALIGNCK_COMMIT_INTERNAL_H

/* What the files of this stage share and nobody else needs. */

#include "alignck/commit.h"

/* ---- table.c: which sectors is a table made of? ---- */

/* Takes down all sectors of the MBR (with its chain of EBRs) or GPT on `io` as struct table_image
 * wants them. 0, -errno from I/O, -EINVAL with the reason where the table is not in order. */
int collect_table(struct io *io, enum table_type type, uint32_t sector, struct table_image *image,
		  struct reason *reason);

/* Appends copies of the sectors [offset, offset + len) from `bytes`. 0, -ENOMEM, or -EINVAL where
 * one is there already. */
int add_sectors(struct table_image *image, uint64_t offset, const uint8_t *bytes, size_t len,
		uint32_t sector, struct reason *reason);

/* The sector at that offset, NULL: none. */
uint8_t *find_table_sector(const struct table_image *image, uint64_t offset);

/* One of the two copies of a GPT (UEFI 2.10, 5.3.2); positions and lengths in bytes. */
struct gpt_copy {
	uint64_t header_at, alternate_at, array_at; /* this header, the other one, the entries */
	uint32_t header_size, entries, entry_size;
	uint64_t array_size; /* entries * entry_size: what the checksum covers */
	uint64_t array_room; /* the same in whole sectors */
	uint8_t *header;     /* one sector */
	uint8_t *array;      /* array_room */
};

/* Reads and checks the header at `offset` and its array: signature, limits, both checksums. The
 * copy is the caller's (gpt_copy_free), after a failure too. 0, -errno, or -EINVAL with the reason.
 */
int read_gpt_copy(struct io *io, uint64_t offset, uint32_t sector, struct gpt_copy *copy,
		  struct reason *reason);
void gpt_copy_free(struct gpt_copy *copy);

/* What belongs into the header @16; `size` is the header's own, at least 92. */
uint32_t gpt_header_checksum(const uint8_t *header, uint32_t size);

/* ---- memory.c: a disk of the real one's size that holds nothing but a table ---- */

int open_memory_disk(uint64_t size, struct io **io, struct reason *reason);
int write_table_sectors(struct io *io, const struct table_image *image, uint32_t sector,
			struct reason *reason);

/* ---- dos.c, gpt.c: the edit itself, on a memory disk that holds the old table ---- */

int edit_dos_table(struct io *memory, const struct layout *layout, const struct plan *plan,
		   struct reason *reason);
int edit_gpt_table(struct io *memory, const struct layout *layout, const struct plan *plan,
		   struct reason *reason);

/* Does entry `i` get another start or size? */
bool is_moved(const struct layout *layout, const struct plan *plan, size_t i);

/* Does the chain of EBRs have to be written anew? */
bool is_chain_changed(const struct layout *layout, const struct plan *plan);

/* ---- carry.c, same.c: what libfdisk writes anew although no move touches it ---- */

/*
 * Gives the new MBR and EBRs the old ones' bytes wherever they describe the same thing. Every
 * logical's old EBR is at partition->ebr, its new one at plan->places[].ebr. Pure.
 */
void carry_over_dos(const struct layout *layout, const struct plan *plan,
		    const struct table_image *before, struct table_image *after);

/* Do the two tables differ in nothing but the moved entries' positions, to the byte? Pure; false
 * with the reason. */
bool is_same_otherwise(const struct layout *layout, const struct plan *plan,
		       const struct table_image *before, const struct table_image *after,
		       struct reason *reason);

/* ---- an MBR or EBR: four entries of 16 bytes, then 55 AA ---- */

enum {
	DOS_ENTRIES = 446,
	DOS_ENTRY_SIZE = 16,
	DOS_SIGNATURE = 510,
	DOS_BOOT = 0, /* CHS of the first sector @1-3 */
	DOS_TYPE = 4, /* CHS of the last sector @5-7 */
	DOS_START = 8,
	DOS_SECTORS = 12,
};

static inline bool is_extended_type(uint8_t type)
{
	return type == 0x05 || type == 0x0f || type == 0x85;
}

/* The first used entry of an EBR that is (link) or is not (data) of an extended type; NULL: none.
 */
static inline uint8_t *find_ebr_entry(const uint8_t *ebr, bool link)
{
	for (const uint8_t *e = ebr + DOS_ENTRIES; e < ebr + DOS_SIGNATURE; e += DOS_ENTRY_SIZE)
		if (e[DOS_TYPE] && is_extended_type(e[DOS_TYPE]) == link &&
		    get_le32(e + DOS_SECTORS))
			return (uint8_t *)e;
	return NULL;
}

/* MBR alone: 1 to 4 lie in sector 0. */
static inline bool is_logical(const struct partition *partition)
{
	return partition->number > 4;
}

/* Does this entry belong to the table itself and not to one nested in a slice? */
static inline bool is_own_entry(const struct layout *layout, const struct partition *partition)
{
	return partition->table == layout->type;
}

/* Where entry `i` ends up; a NULL plan leaves everything where it is. */
static inline struct plan_place new_place(const struct layout *layout, const struct plan *plan,
					  size_t i)
{
	const struct partition *p = &layout->partitions[i];

	return plan ? plan->places[i] : (struct plan_place){ p->start, p->size, p->ebr };
}

#endif
