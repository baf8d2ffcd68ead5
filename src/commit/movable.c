// SPDX-License-Identifier: GPL-2.0-or-later
#include "internal.h"

#include "ntfs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Far enough for the last byte of a swap header of 64 KiB pages; 64 KiB is all that is read of most
 * partitions. */
#define HEAD_SIZE (64 * KIB)

/* LUKS2: hdr_size is at most 4 MiB (LUKS2 On-Disk Format 1.1, 2.1). */
#define LUKS2_HEADER_MAX (4 * MIB)

/* Signatures at a fixed place of the first 64 KiB that decide by themselves, one row each. */
static const struct {
	uint32_t offset, len;
	const char *bytes;
	bool refused;
	const char *text;
} signatures[] = {
#define SUSPENDED                                                                                  \
	"a suspended system is in this swap area, which knows the old start: resume that system "  \
	"and "                                                                                     \
	"shut it down first, or make the area anew with mkswap"
#define AT_PAGE_END(bytes)                                                                         \
	{ 4086, sizeof(bytes) - 1, bytes, true, SUSPENDED },                                       \
		{ 8182, sizeof(bytes) - 1, bytes, true, SUSPENDED },                               \
		{ 16374, sizeof(bytes) - 1, bytes, true, SUSPENDED },                              \
		{ 32758, sizeof(bytes) - 1, bytes, true, SUSPENDED },                              \
	{                                                                                          \
		65526, sizeof(bytes) - 1, bytes, true, SUSPENDED                                   \
	}
	AT_PAGE_END("S1SUSPEND"),
	AT_PAGE_END("S2SUSPEND"),
	AT_PAGE_END("ULSUSPEND"),
	AT_PAGE_END("LINHIB0001"),
	AT_PAGE_END("\xed\xc3\x02\xe9\x98\x56\xe5\x0c"), /* TuxOnIce */
	{ 3, 8, "ReFS\0\0\0\0", true, "ReFS cannot be moved safely: nothing here can check it" },
	{ 0, 6, "LUKS\xde\xad", true,
	  "LUKS in re-encryption: finish that first (cryptsetup-reencrypt)" },
	{ 6, 4, "LILO", false,
	  "LILO is in its boot sector and finds its files by sector numbers: run lilo again" },
	{ 3, 8, "SYSLINUX", false,
	  "it starts through syslinux: if that does not come up, run extlinux or syslinux "
	  "--install "
	  "again" },
#undef AT_PAGE_END
#undef SUSPENDED
};

struct look {
	struct io *partition;
	uint32_t sector;
	uint8_t *head;
	size_t len; /* of head, at least 512 */
	struct content_check *check;
};

static void refuse(struct look *look, const char *why)
{
	look->check->refused = true;
	snprintf(look->check->reason.text, sizeof(look->check->reason.text), "%s", why);
}

static void add_attention(struct look *look, const char *what)
{
	struct content_check *check = look->check;

	if (check->attention_count < CONTENT_ATTENTION_MAX)
		snprintf(check->attention[check->attention_count++], sizeof(check->attention[0]),
			 "%s", what);
}

static int look_for_signatures(struct look *look)
{
	for (size_t i = 0; i < ARRAY_SIZE(signatures); i++) {
		if (signatures[i].offset + signatures[i].len > look->len ||
		    memcmp(look->head + signatures[i].offset, signatures[i].bytes,
			   signatures[i].len) != 0)
			continue;
		if (signatures[i].refused)
			refuse(look, signatures[i].text);
		else
			add_attention(look, signatures[i].text);
	}
	return 0;
}

/* GRUB's boot.img and stage1 both hold this text, wherever their version puts it. */
static int look_for_grub(struct look *look)
{
	if (look->head[510] == 0x55 && look->head[511] == 0xaa &&
	    memmem(look->head, 510, "GRUB ", 5))
		add_attention(look, "GRUB is in its boot sector and finds its files by sector "
				    "numbers: run grub-install again");
	return 0;
}

static int look_at_ntfs(struct look *look)
{
	struct boot_record record;
	const char *why;
	bool is_sure;
	int r;

	if (!decode_boot_record(look->head, &record) || record.kind != BOOT_RECORD_NTFS)
		return 0;
	r = check_ntfs_clean(look->partition, look->head, &why, &is_sure);
	if (r < 0)
		return r;
	if (why)
		refuse(look, why);
	else if (!is_sure)
		add_attention(look, "its NTFS looks clean, but whether Windows is hibernated could "
				    "not be seen: make sure that it was shut down fully");
	return 0;
}

/* One of the two headers: magic "LUKS" (the second: "SKUL") ba be, be16 @6 version, be64 @8 size
 * with the JSON area that starts 4096 further. A requirement is a string in there. */
static int look_at_luks2_header(struct look *look, uint64_t at, uint64_t *next)
{
	autofree uint8_t *header = malloc(look->sector > 4096 ? look->sector : 4096);
	autofree uint8_t *area = NULL;
	size_t first = look->sector > 4096 ? look->sector : 4096;
	uint64_t size, end;
	int r = header ? 0 : -ENOMEM;

	*next = 0;
	if (r < 0 || !add_u64(at, first, &end) || end > look->partition->size)
		return r;
	r = io_read(look->partition, header, first, at);
	if (r < 0)
		return r;
	size = get_be64(header + 8);
	if ((memcmp(header, "LUKS\xba\xbe", 6) != 0 && memcmp(header, "SKUL\xba\xbe", 6) != 0) ||
	    get_be16(header + 6) != 2 || size < first || size > LUKS2_HEADER_MAX ||
	    size % look->sector || !add_u64(at, size, &end) || end > look->partition->size)
		return 0;
	area = malloc(size);
	r = area ? io_read(look->partition, area, size, at) : -ENOMEM;
	if (r < 0)
		return r;
	/* "online-reencrypt-v2" and what comes after it begin the same. */
	if (memmem(area + 4096, size - 4096, "\"online-reencrypt", 17) ||
	    memmem(area + 4096, size - 4096, "\"offline-reencrypt", 18))
		refuse(look, "LUKS2 in re-encryption: finish that first (cryptsetup reencrypt "
			     "--resume-only)");
	*next = end;
	return 0;
}

static int look_at_luks2(struct look *look)
{
	uint64_t second, none;
	int r = look_at_luks2_header(look, 0, &second);

	return r == 0 && second ? look_at_luks2_header(look, second, &none) : r;
}

/* Slices of a nested table move with their slice, but BSD, Minix and UnixWare count from the start
 * of the disk. */
static bool has_nested_table(const struct layout *layout, size_t index)
{
	for (size_t i = 0; i < layout->count; i++)
		if (layout->partitions[i].parent == (int)index &&
		    !is_own_entry(layout, &layout->partitions[i]))
			return true;
	return false;
}

static int read_head(struct look *look, struct reason *reason)
{
	int r;

	look->len = look->partition->size < HEAD_SIZE ? look->partition->size : HEAD_SIZE;
	look->len -= look->len % look->sector;
	look->head = look->len >= 512 ? malloc(look->len) : NULL;
	if (!look->head)
		return reason_set(reason, look->len < 512 ? -EINVAL : -ENOMEM,
				  "cannot look into it");
	r = io_read(look->partition, look->head, look->len, 0);
	return r < 0 ? reason_set(reason, r, "cannot read it: %s", strerror(-r)) : 0;
}

int check_content_movable(struct io *disk, const struct layout *layout, size_t index,
			  uint32_t sector, struct content_check *check)
{
	int (*const looks[])(struct look *) = { look_for_signatures, look_for_grub, look_at_ntfs,
						look_at_luks2 };
	const struct partition *p = &layout->partitions[index];
	struct look look = { .sector = sector, .check = check };
	int r;

	*check = (struct content_check){ 0 };
	if (p->role == ROLE_EXTENDED)
		return 0;
	if (has_nested_table(layout, index)) {
		refuse(&look, "it holds a table of its own whose slices count from the start of "
			      "the disk");
		return 0;
	}
	r = io_open_view(disk, p->start, p->size, &look.partition);
	if (r < 0)
		return reason_set(&check->reason, r, "partition %u is not on the disk", p->number);
	r = read_head(&look, &check->reason);
	for (size_t i = 0; i < ARRAY_SIZE(looks) && r == 0 && !check->refused; i++) {
		r = looks[i](&look);
		if (r < 0)
			reason_set(&check->reason, r, "cannot read partition %u: %s", p->number,
				   strerror(-r));
	}
	free(look.head);
	io_close(look.partition);
	return r;
}
