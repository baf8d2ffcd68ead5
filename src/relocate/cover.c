// SPDX-License-Identifier: GPL-2.0-or-later
#include "journal.h"

#include <assert.h>
#include <string.h>

/*
 * The cover: one sector that boots (and says what is up), that every reader of tables takes for an
 * MBR with one entry of type DA (non-file-system data), and that we know again by its CRC.
 */

enum {
	TEXT_AT = 32,
	TURN_AT = 160,
	MAGIC_AT = 168, /* "ALIGNCK COVER" and what follows it */
	VERSION_AT = 184,
	PLAN_ID_AT = 188,
	BASE_AT = 204,
	FLAGS_AT = 212,
	NAME_AT = 216,
	TEXT_END = TURN_AT,
	/* Saved: the 64 bytes of entries. The disk id stays where it is, 440-445. */
	ENTRIES_AT = 372,
	CRC_AT = 436,
	DISK_ID_AT = 440,
	TABLE_AT = 446,
	FLAG_GAP = 1,
	NAME_ROOM = ENTRIES_AT - NAME_AT,
};

static const char magic[16] = "ALIGNCK COVER\r\n";

/*
 * 16-bit code at 7C00:0000: prints the text through the BIOS, then halts for good.
 *	cld; xor ax,ax; mov ds,ax; mov si,7C20h; lodsb; test al,al; jz halt; mov ah,0Eh;
 *	mov bx,7; int 10h; jmp lodsb; halt: hlt; jmp halt
 */
static const uint8_t boot_code[] = {
	0xfc, 0x31, 0xc0, 0x8e, 0xd8, 0xbe, TEXT_AT, 0x7c, 0xac, 0x84, 0xc0, 0x74, 0x09,
	0xb4, 0x0e, 0xbb, 0x07, 0x00, 0xcd, 0x10,    0xeb, 0xf2, 0xf4, 0xeb, 0xfd,
};

static const char text[] = "alignck is moving partitions of this disk and is not finished.\r\n"
			   "Nothing is lost. Run: alignck --resume DISK (or --undo DISK)\r\n";

static_assert(sizeof(boot_code) <= TEXT_AT, "code before the text");
static_assert(TEXT_AT + sizeof(text) <= TEXT_END, "text before the magic");
static_assert(NAME_ROOM == JOURNAL_PATH_SIZE, "a name fits");

static uint32_t cover_crc(const uint8_t *b)
{
	/* Not over itself, nor the disk id: Windows writes one where it misses or doubts it. */
	return crc32_update(crc32_update(0, b, CRC_AT), b + TABLE_AT, COVER_SIZE - TABLE_AT);
}

void encode_cover(const struct cover *c, uint8_t b[COVER_SIZE])
{
	memset(b, 0, COVER_SIZE);
	memcpy(b, boot_code, sizeof(boot_code));
	memcpy(b + TEXT_AT, text, sizeof(text));
	memcpy(b + MAGIC_AT, magic, sizeof(magic));
	put_le32(b + VERSION_AT, 1);
	memcpy(b + PLAN_ID_AT, c->plan_id, PLAN_ID_SIZE);
	put_le64(b + TURN_AT, c->turn);
	put_le64(b + BASE_AT, c->journal_base);
	put_le32(b + FLAGS_AT, c->in_gap ? FLAG_GAP : 0);
	memcpy(b + NAME_AT, c->journal_name, strnlen(c->journal_name, NAME_ROOM - 1));
	memcpy(b + DISK_ID_AT, get_le32(c->entries) ? c->entries : c->plan_id,
	       TABLE_AT - DISK_ID_AT);
	memcpy(b + ENTRIES_AT, c->entries + (TABLE_AT - DISK_ID_AT), 64);
	/* CHS as for LBA beyond its reach; type DA. */
	memcpy(b + TABLE_AT, "\x00\xfe\xff\xff\xda\xfe\xff\xff", 8);
	put_le32(b + TABLE_AT + 8, c->first_lba);
	put_le32(b + TABLE_AT + 12, c->lba_count);
	b[510] = 0x55;
	b[511] = 0xaa;
	put_le32(b + CRC_AT, cover_crc(b));
}

bool is_cover(const uint8_t *b, size_t size, struct cover *c)
{
	if (size < COVER_SIZE || memcmp(b + MAGIC_AT, magic, sizeof(magic)) ||
	    get_le32(b + VERSION_AT) != 1 || get_le32(b + CRC_AT) != cover_crc(b))
		return false;
	if (!c)
		return true;
	memset(c, 0, sizeof(*c));
	memcpy(c->plan_id, b + PLAN_ID_AT, PLAN_ID_SIZE);
	c->turn = get_le64(b + TURN_AT);
	c->journal_base = get_le64(b + BASE_AT);
	c->in_gap = get_le32(b + FLAGS_AT) & FLAG_GAP;
	memcpy(c->journal_name, b + NAME_AT, strnlen((const char *)b + NAME_AT, NAME_ROOM - 1));
	memcpy(c->entries, b + DISK_ID_AT, TABLE_AT - DISK_ID_AT);
	memcpy(c->entries + (TABLE_AT - DISK_ID_AT), b + ENTRIES_AT, 64);
	c->first_lba = get_le32(b + TABLE_AT + 8);
	c->lba_count = get_le32(b + TABLE_AT + 12);
	return true;
}

/* Does a partition, in either layout, start (or end) at this byte? */
static bool is_edge(const struct journal *j, uint64_t byte, bool end)
{
	for (uint32_t i = 0; i < j->move_count; i++) {
		const struct move *m = &j->moves[i];
		uint64_t add = end ? m->size : 0;

		if (byte == m->from + add || byte == m->to + add)
			return true;
	}
	return false;
}

void place_cover_entry(const struct journal *j, uint32_t *first_lba, uint32_t *lba_count)
{
	uint64_t unit = j->logical_sector_size, first = 1;
	uint64_t end = j->disk_size / unit - 1;

	/* A node for the entry would show the head of a partition that starts there, or the
	 * metadata at the end of one that ends there. */
	while (is_edge(j, first * unit, false))
		first++;
	if (end > UINT32_MAX)
		end = UINT32_MAX;
	while (end > first + 1 && is_edge(j, end * unit, true))
		end--;
	*first_lba = first;
	*lba_count = end > first ? end - first : 1;
}
