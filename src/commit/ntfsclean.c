// SPDX-License-Identifier: GPL-2.0-or-later
#include "ntfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The three ways in which Windows keeps part of a volume in its head, and what ends each. */
static const char dirty[] = "NTFS is marked as not cleanly shut down: run chkdsk in Windows first";
static const char unclean[] =
	"NTFS has unfinished changes in its log: start Windows and shut it down fully first";
static const char hibernated[] = "Windows is hibernated on it (or was shut down with fast "
				 "startup): start it and shut it down "
				 "fully (shutdown /s /t 0) first";
static const char unreadable[] =
	"NTFS whose own records cannot be made out: run chkdsk in Windows first";

/* $VOLUME_INFORMATION: u16 @10 flags, bit 0 dirty. */
static int check_dirty(struct ntfs *ntfs, const char **why)
{
	autofree uint8_t *record = NULL;
	struct ntfs_attribute info;
	int r = ntfs_read_record(ntfs, NTFS_RECORD_VOLUME, &record);

	if (r < 0)
		return r;
	if (!ntfs_find_attribute(ntfs, record, NTFS_VOLUME_INFORMATION, "", &info) ||
	    !info.resident || info.value_len < 12)
		return -EINVAL;
	if (get_le16(info.value + 10) & 1)
		*why = dirty;
	return 0;
}

/*
 * A restart page: u16 @24 where its area is; there u64 @0 sequence number, u16 @12 first client in
 * use (ffff: none), u16 @14 flags, bit 1 "clean". False: not a restart page.
 */
static bool decode_restart(uint8_t *page, size_t len, uint64_t *sequence, bool *is_clean)
{
	uint32_t at = get_le16(page + 24);

	if (!ntfs_fix_up(page, len, "RSTR") && memcmp(page, "CHKD", 4) != 0)
		return false;
	if (at % 8 || at < 30 || at + 16 > len)
		return false;
	*sequence = get_le64(page + at);
	*is_clean = get_le16(page + at + 12) == 0xffff || get_le16(page + at + 14) & 2;
	return true;
}

/* Two restart pages at the start of $LogFile, of which the later one counts. A log of ff bytes is
 * empty: whoever unmounted cleanly without Windows wrote it. */
static int check_log(struct ntfs *ntfs, const char **why)
{
	enum { PAGE = 4096 };
	autofree uint8_t *record = NULL;
	uint64_t newest = 0, sequence;
	struct ntfs_attribute data;
	bool found = false, clean = false, is_clean;
	uint8_t page[PAGE];
	int r = ntfs_read_record(ntfs, NTFS_RECORD_LOGFILE, &record);

	if (r < 0)
		return r;
	if (!ntfs_find_attribute(ntfs, record, NTFS_DATA, "", &data))
		return -EINVAL;
	for (uint64_t i = 0; i < 2; i++) {
		r = ntfs_read_attribute(ntfs, &data, i * PAGE, page, PAGE);
		if (r < 0)
			return r;
		if (!found && i == 0 && get_le32(page) == 0xffffffff)
			return 0;
		if (!decode_restart(page, PAGE, &sequence, &is_clean))
			continue;
		if (!found || sequence > newest) {
			clean = is_clean;
			newest = sequence;
		}
		found = true;
	}
	if (!found || !clean)
		*why = unclean;
	return 0;
}

/* The file's number in an index entry that names it. Entry: u48 @0 record, u16 @6 its sequence, u16
 * @8 length, u16 @12 flags (bit 1: last); key @16: u8 @64 length of the name, UTF-16 @66. */
static bool find_in_entries(const uint8_t *p, const uint8_t *end, const char *name,
			    uint64_t *reference)
{
	size_t n = strlen(name);

	while (end - p >= 16) {
		uint32_t len = get_le16(p + 8);

		if (get_le16(p + 12) & 2 || len < 16 || len % 8 || len > (size_t)(end - p))
			return false;
		if (len >= 16 + 66 + 2 * n && p[16 + 64] == n) {
			char text[64] = "";

			for (size_t i = 0; i < n && i < sizeof(text) - 1; i++)
				text[i] = get_le16(p + 16 + 66 + 2 * i) < 128 ? p[16 + 66 + 2 * i]
									      : '?';
			if (strcasecmp(text, name) == 0) {
				*reference = get_le64(p);
				return true;
			}
		}
		p += len;
	}
	return false;
}

/* An index header, @0 u32 first entry, @4 u32 end of the entries, both from the header on. */
static bool find_in_index(const uint8_t *header, size_t room, const char *name, uint64_t *reference)
{
	uint32_t first, end;

	if (room < 16)
		return false;
	first = get_le32(header);
	end = get_le32(header + 4);
	return first >= 16 && first <= end && end <= room &&
	       find_in_entries(header + first, header + end, name, reference);
}

/* All blocks of a large directory, in order instead of down the tree: it is the root directory, and
 * what an unused block still names is told apart by its sequence number. -ENOENT: not there. */
static int find_in_blocks(struct ntfs *ntfs, const uint8_t *record, const char *name,
			  uint64_t *reference)
{
	enum { BLOCKS_MAX = 4096 };
	struct ntfs_attribute blocks;
	autofree uint8_t *block = malloc(ntfs->index_size);

	if (!block)
		return -ENOMEM;
	if (!ntfs_find_attribute(ntfs, record, NTFS_INDEX_ALLOCATION, "$I30", &blocks))
		return -ENOENT;
	for (uint64_t i = 0; i < BLOCKS_MAX && (i + 1) * ntfs->index_size <= blocks.size; i++) {
		int r = ntfs_read_attribute(ntfs, &blocks, i * ntfs->index_size, block,
					    ntfs->index_size);

		if (r < 0)
			return r;
		if (ntfs_fix_up(block, ntfs->index_size, "INDX") &&
		    find_in_index(block + 24, ntfs->index_size - 24, name, reference))
			return 0;
	}
	return -ENOENT;
}

static int find_in_root(struct ntfs *ntfs, const char *name, uint64_t *reference)
{
	autofree uint8_t *record = NULL;
	struct ntfs_attribute root;
	int r = ntfs_read_record(ntfs, NTFS_RECORD_ROOT, &record);

	if (r < 0)
		return r;
	if (!ntfs_find_attribute(ntfs, record, NTFS_INDEX_ROOT, "$I30", &root) || !root.resident ||
	    root.value_len < 32)
		return -EINVAL;
	if (find_in_index(root.value + 16, root.value_len - 16, name, reference))
		return 0;
	return find_in_blocks(ntfs, record, name, reference);
}

/*
 * hiberfil.sys is there whenever hibernation is switched on; its first bytes tell if it is in use.
 * -EINVAL: cannot be reached, because the MFT is so fragmented that its runs take a second record.
 * A hibernated Windows has its log open, too, so little is lost.
 */
static int check_hibernated(struct ntfs *ntfs, const char **why)
{
	autofree uint8_t *record = NULL;
	struct ntfs_attribute data;
	uint64_t reference;
	uint8_t head[4];
	int r = find_in_root(ntfs, "hiberfil.sys", &reference);

	if (r == -ENOENT)
		return 0;
	if (r == 0)
		r = ntfs_read_record(ntfs, reference & 0xffffffffffffULL, &record);
	if (r < 0)
		return r;
	/* u16 @16 sequence, u16 @22 flags, bit 0 in use: else the name is a leftover. */
	if (get_le16(record + 16) != reference >> 48 || !(get_le16(record + 22) & 1))
		return 0;
	if (!ntfs_find_attribute(ntfs, record, NTFS_DATA, "", &data))
		return -EINVAL;
	/* A short one is what a hibernated Windows leaves on its other volumes. */
	if (data.size < 4096) {
		*why = hibernated;
		return 0;
	}
	r = ntfs_read_attribute(ntfs, &data, 0, head, sizeof(head));
	if (r == 0 && (!memcmp(head, "hibr", 4) || !memcmp(head, "HIBR", 4)))
		*why = hibernated;
	return r;
}

int check_ntfs_clean(struct io *partition, const uint8_t *boot, const char **why, bool *is_sure)
{
	struct ntfs ntfs;
	int r = ntfs_open(partition, boot, &ntfs);

	*why = NULL;
	*is_sure = true;
	if (r == 0)
		r = check_dirty(&ntfs, why);
	if (r == 0 && !*why)
		r = check_log(&ntfs, why);
	if (r == 0 && !*why) {
		r = check_hibernated(&ntfs, why);
		if (r == -EINVAL) {
			*is_sure = false;
			r = 0;
		}
	}
	ntfs_close(&ntfs);
	if (r == -EINVAL) {
		*why = unreadable;
		r = 0;
	}
	return r;
}
