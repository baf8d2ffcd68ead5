// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Is there a GPT, and for which sector size was it written? Looked for where a primary header can
 * lie for each size; where something promises one, at the end of the disk too. Sector 0 has a say:
 * the kernel ignores a GPT behind an MBR that does not announce it.
 */
#include "internal.h"

#include <stdlib.h>

/* For which of sector_sizes[] there is a header, a bit for each. */
struct headers {
	unsigned whole, damaged;
	bool unreadable; /* the sector of the device's own size */
};

static struct headers find_headers(struct source *source, bool at_end)
{
	struct headers found = { 0 };

	for (unsigned i = 0; i < SECTOR_SIZES; i++) {
		uint64_t sectors = source->io->size / sector_sizes[i];
		struct gpt_copy copy;

		if (sectors < 2)
			continue;
		read_gpt_header(source, sector_sizes[i], at_end ? sectors - 1 : 1, &copy);
		if (copy.fault == GPT_OK)
			found.whole |= 1U << i;
		else if (copy.fault == GPT_UNREADABLE)
			found.unreadable |= sector_sizes[i] == source->device_sector;
		else if (copy.fault != GPT_PAST_END && copy.fault != GPT_NO_SIGNATURE)
			found.damaged |= 1U << i;
	}
	return found;
}

/* The device's own sector size where it is among them, else the smallest. */
static uint32_t pick_size(const struct source *source, unsigned found)
{
	for (unsigned i = 0; i < SECTOR_SIZES; i++)
		if (found >> i & 1 && sector_sizes[i] == source->device_sector)
			return sector_sizes[i];
	return sector_sizes[__builtin_ctz(found)];
}

static bool is_blank(const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (bytes[i])
			return false;
	return true;
}

/* The MBR stands and speaks of no GPT: the kernel goes by it, and so do we. */
static void check_unannounced(struct source *source, struct layout *layout)
{
	if (is_iso9660(source)) {
		layout->hybrid = true;
		findings_add(&layout->findings, FINDING_HYBRID_MBR, -1,
			     "a hybrid ISO image with an MBR and a GPT side by side; the MBR is "
			     "shown, as the kernel goes by it");
		return;
	}
	findings_add(
		&layout->findings, FINDING_TABLE_DAMAGED, -1,
		"a GPT lies behind an MBR that does not announce it; the MBR is shown, as the "
		"kernel goes by it; if the GPT is a leftover, `wipefs --force -a -t gpt` takes "
		"away its signatures");
}

/* The GPT of this sector size is the disk's. */
static int use_gpt(struct source *source, const struct mbr *mbr, uint32_t sector,
		   struct layout *layout)
{
	struct gpt g = { .source = source, .layout = layout, .mbr = mbr, .sector = sector };
	int r;

	g.last_lba = source->io->size / sector - 1;
	layout->type = TABLE_GPT;
	layout->sector_size = sector;
	if (sector != source->device_sector && !source->may_change) {
		findings_add_value(
			&layout->findings, FINDING_SECTOR_SIZE_MISMATCH, -1, sector,
			source->device_sector,
			"the GPT was written for sectors of %u bytes, the device has %u; "
			"its numbers mean nothing here",
			sector, source->device_sector);
		return 0;
	}
	r = list_gpt(&g);
	free(g.primary.array);
	free(g.backup.array);
	return r;
}

int read_gpt(struct source *source, const struct mbr *mbr, bool is_table, struct layout *layout)
{
	struct headers headers = find_headers(source, false);
	bool valid, any = mbr->has_signature && has_protective_entry(mbr, &valid);
	bool promised = any && (is_table || valid);
	unsigned found = headers.whole;

	if (is_table && !promised && count_real_entries(mbr)) {
		if (found)
			check_unannounced(source, layout);
		return 0;
	}
	/* A blank beginning is how a wiped disk looks; its last sector may still know all. */
	if (!found && !headers.damaged && !headers.unreadable && !promised &&
	    !is_blank(source->head, source->head_len))
		return 0;
	source_read_tail(source);
	if (!found)
		found = find_headers(source, true).whole;
	layout->sector_size_proven = found;
	if (!found)
		found = headers.damaged;
	if (!found)
		return 0;

	uint32_t sector = pick_size(source, found);

	if (found & (found - 1))
		findings_add(&layout->findings, FINDING_TABLE_DAMAGED, -1,
			     "there are GPT headers for more than one sector size; the one for %u "
			     "bytes is shown",
			     sector);

	int r = use_gpt(source, mbr, sector, layout);

	return r < 0 ? r : 1;
}

void check_stray_backup(struct source *source, struct layout *layout)
{
	source_read_tail(source);
	if (find_headers(source, true).whole)
		findings_add(&layout->findings, FINDING_BACKUP_GPT_MISPLACED, -1,
			     "there is no partition table, but the last sector holds a backup GPT; "
			     "if it is "
			     "a leftover, `wipefs --force -a -t gpt` takes away its signature");
}
