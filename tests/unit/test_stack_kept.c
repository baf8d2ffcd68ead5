// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The superblocks kept for the fuzzer, most of them made by the real tools (those of the rest are
 * built): what each is, and what becomes of it when one field is not what it was.
 */
#include "unit.h"

#include "kept.h"
#include "look.h"

#include <stdlib.h>

#define NONE UINT64_MAX

static const struct kept {
	const char *file, *type;
	uint64_t data_offset, block_size; /* from the partition's start; NONE: named only */
} kept[] = {
	{ "apfs", "apfs", 0, 4096 },
	{ "bcache", "bcache", 63 * 512, 4096 },
	{ "bcache-cache", "bcache", 524288, 4096 },
	{ "bitlocker", "BitLocker", 0, 0 },
	{ "btrfs", "btrfs", 0, 4096 },
	{ "ddf", "ddf_raid_member", NONE, 0 },
	{ "drbd-ext4", "drbd", 0, 0 },
	{ "erofs", "erofs", 0, 0 },
	{ "ext4", "ext4", 0, 1024 },
	{ "exfat", "exfat", 2 * MIB, 4096 },
	{ "f2fs", "f2fs", 0, 4096 },
	{ "fat12", "vfat", 19968, 2048 },
	{ "fat32", "vfat", 1049600, 512 },
	{ "geom-mirror", "GEOM::MIRROR", 0, 0 },
	{ "gfs2", "gfs2", 0, 4096 },
	{ "hfs", "hfs", 15360, 4096 },
	{ "hfs-wrapper", "hfsplus", 23552, 4096 },
	{ "hfsplus", "hfsplus", 0, 4096 },
	{ "iso", "iso9660", 0, 0 },
	{ "jfs", "jfs", 0, 4096 },
	{ "ldm", "LDM", NONE, 0 },
	{ "luks1", "crypto_LUKS", 2 * MIB, 0 },
	{ "luks2", "crypto_LUKS", 16 * MIB, 4096 },
	{ "lvm", "LVM2_member", MIB, 0 },
	{ "md090", "linux_raid_member", 0, 0 },
	{ "md11-raid5", "linux_raid_member", 2049 * 512, 0 },
	{ "minix", "minix", 0, 1024 },
	{ "nilfs2", "nilfs2", 0, 4096 },
	{ "ntfs", "ntfs", 0, 4096 },
	{ "ocfs2", "ocfs2", 0, 1024 },
	{ "reiserfs", "reiserfs", 0, 4096 },
	{ "squashfs", "squashfs", 0, 0 },
	{ "swap", "swap", 0, 4096 },
	{ "swap64k", "swap", 0, 65536 },
	{ "udf", "udf", 0, 2048 },
	{ "ufs2", "ufs", 0, 4096 },
	{ "xfs", "xfs", 0, 512 },
	{ "zfs", "zfs_member", 4 * MIB, 4096 },
	{ "zfs-last-label", "zfs_member", 4 * MIB, 4096 },
};

/* One field overwritten: `at` from the partition's start. A type of NULL: no longer taken for
 * anything. */
static const struct changed {
	const char *file;
	uint64_t at;
	const char *bytes;
	size_t len;
	const char *type;
	uint64_t data_offset, block_size;
} changed[] = {
#define BYTES(text) text, sizeof(text) - 1
	{ "apfs", 24, BYTES("\2"), NULL, 0, 0 },                    /* object type */
	{ "apfs", 28, BYTES("\1"), NULL, 0, 0 },                    /* subtype */
	{ "apfs", 36, BYTES("\0\x08\0\0"), NULL, 0, 0 },            /* 2 KiB blocks */
	{ "bcache", 4096 + 8, BYTES("\x09"), NULL, 0, 0 },          /* written elsewhere */
	{ "bcache", 4096 + 16, BYTES("\1"), "bcache", 8192, 4096 }, /* without an offset */
	{ "bcache", 4096 + 16, BYTES("\x63"), "bcache", NONE, 0 },  /* of the future */
	{ "bitlocker", 176, BYTES("\1"), NULL, 0, 0 },
	{ "bitlocker", 0x100000, BYTES("x"), NULL, 0, 0 },
	{ "btrfs", 65536 + 144, BYTES("\1\x10"), "btrfs", 0, 0 }, /* 4097-byte sectors */
	{ "ddf", 51200, BYTES("x"), NULL, 0, 0 },                 /* no primary header there */
	{ "exfat", 108, BYTES("\x0d"), "exfat", NONE, 0 },
	{ "exfat", 109, BYTES("\x11"), "exfat", NONE, 0 },
	{ "exfat", 92, BYTES("\0\0\0\0"), "exfat", NONE, 0 },
	{ "ext4", 1024 + 24, BYTES("\7"), "ext4", 0, 0 }, /* 128 KiB blocks */
	{ "ext4", 1024 + 352, BYTES("\4"), "ext4dev", 0, 1024 },
	{ "fat32", 512, BYTES("xxxx"), NULL, 0, 0 }, /* FSInfo */
	{ "fat32", 512 + 484, BYTES("xxxx"), NULL, 0, 0 },
	{ "fat32", 512, BYTES("\0\0\0\0"), "vfat", 1049600, 512 },
	{ "fat32", 48, BYTES("\0\0"), "vfat", 1049600, 512 }, /* no FSInfo */
	{ "gfs2", 65536 + 24, BYTES("\0\0\7\x07"), NULL, 0, 0 },
	{ "gfs2", 65536 + 28, BYTES("\0\0\7\x07"), NULL, 0, 0 },
	{ "gfs2", 65536 + 24, BYTES("\0\0\5\x1d\0\0\5\x79"), "gfs", 0, 4096 },
	{ "hfs", 1024 + 20, BYTES("\0\0\1\1"), NULL, 0, 0 },
	{ "hfs", 1024 + 20, BYTES("\0\0\0\0"), NULL, 0, 0 },
	{ "hfs-wrapper", 1024 + 126, BYTES("\0\1"), NULL, 0, 0 }, /* nothing where it points */
	{ "hfsplus", 1024 + 40, BYTES("\0\0\x30\0"), NULL, 0, 0 },
	{ "hfsplus", 1024 + 1, BYTES("X"), "hfsplus", 0, 4096 },
	{ "jfs", 32768 + 16, BYTES("\0\x20"), NULL, 0, 0 },
	{ "luks1", 6, BYTES("\0\3"), "crypto_LUKS", NONE, 0 },
	{ "luks2", 8, BYTES("\0\0\0\0\0\0\x10\0"), "crypto_LUKS", NONE, 0 }, /* header of 4 KiB */
	{ "luks2", 8, BYTES("\1"), "crypto_LUKS", NONE, 0 },
	{ "luks2", 4096, BYTES("x"), "crypto_LUKS", NONE, 0 }, /* no JSON */
	{ "lvm", 512 + 8, BYTES("\2"), NULL, 0, 0 },           /* another sector's label */
	{ "lvm", 512 + 80, BYTES("\2"), NULL, 0, 0 },          /* checksum */
	{ "lvm", 512 + 24, BYTES("LVM3"), NULL, 0, 0 },
	{ "lvm", 4096 + 4, BYTES("x"), "LVM2_member", MIB, 0 }, /* no metadata area */
	{ "minix", 1024, BYTES("\0\0\0\0"), NULL, 0, 0 },       /* no inodes */
	{ "minix", 1024 + 6, BYTES("\0\0"), NULL, 0, 0 },       /* no map for them */
	{ "minix", 1024 + 8, BYTES("\0\0"), NULL, 0, 0 },
	{ "minix", 1024 + 10, BYTES("\xff\xff"), NULL, 0, 0 }, /* first zone past the last */
	{ "minix", 1024 + 12, BYTES("\1"), NULL, 0, 0 },
	{ "nilfs2", 1024 + 8, BYTES("\0\0"), NULL, 0, 0 },
	{ "nilfs2", 1024 + 8, BYTES("\0\x50"), NULL, 0, 0 },
	{ "nilfs2", 1024 + 40, BYTES("\xff"), NULL, 0, 0 }, /* checksum */
	{ "ntfs", 11, BYTES("\1\2"), NULL, 0, 0 },          /* sector size */
	{ "ntfs", 11, BYTES("\x80\0"), NULL, 0, 0 },
	{ "ntfs", 13, BYTES("\3"), NULL, 0, 0 },
	{ "ntfs", 13, BYTES("\xf3"), NULL, 0, 0 }, /* 4 MiB clusters */
	{ "ntfs", 14, BYTES("\1"), NULL, 0, 0 },   /* fields that only FAT has */
	{ "ntfs", 16, BYTES("\2"), NULL, 0, 0 },
	{ "ntfs", 17, BYTES("\1"), NULL, 0, 0 },
	{ "ntfs", 19, BYTES("\1"), NULL, 0, 0 },
	{ "ntfs", 22, BYTES("\1"), NULL, 0, 0 },
	{ "ntfs", 32, BYTES("\1"), NULL, 0, 0 },
	{ "ntfs", 48, BYTES("\xff\xff\xff"), NULL, 0, 0 }, /* MFT past the end */
	{ "ntfs", 16384, BYTES("BAAD"), NULL, 0, 0 },
	{ "ocfs2", 2048 + 248, BYTES("\x14"), "ocfs2", 0, 0 },
	{ "reiserfs", 65536 + 44, BYTES("\1\x10"), "reiserfs", 0, 0 },
	{ "squashfs", 28, BYTES("\3"), "squashfs3", 0, 0 },
	{ "squashfs", 0, BYTES("sqsh"), NULL, 0, 0 }, /* big-endian: version 1024 */
	{ "udf", 524288, BYTES("\3"), NULL, 0, 0 },   /* no anchor */
	{ "udf", 524288 + 12, BYTES("\1"), NULL, 0, 0 },
	{ "udf", 32768 + 2048 + 1, BYTES("xxxxx"), NULL, 0, 0 }, /* no NSR */
	{ "ufs2", 65536 + 52, BYTES("\1"), "ufs", 0, 0 },
	{ "ufs2", 65536 + 1372, BYTES("\x19\x54\x01\x19"), "ufs", 0, 0x100000 }, /* big-endian */
	{ "xfs", 4, BYTES("\0\0\x10\1"), NULL, 0, 0 },
	{ "xfs", 8, BYTES("\0\0\0\0\0\0\0\0"), NULL, 0, 0 },
	{ "xfs", 8, BYTES("\1"), NULL, 0, 0 },
	{ "xfs", 88, BYTES("\0\0\0\0"), NULL, 0, 0 },
	{ "xfs", 88, BYTES("\0\1\0\0"), NULL, 0, 0 },
	{ "xfs", 102, BYTES("\2\1"), NULL, 0, 0 },
	{ "xfs", 104, BYTES("\2\1"), NULL, 0, 0 },
	{ "xfs", 120, BYTES("\x11"), NULL, 0, 0 },
	{ "xfs", 121, BYTES("\x10"), NULL, 0, 0 },
	{ "zfs", 131032, BYTES("\0\0\0\0\0\0\0\0"), "zfs_member", 4 * MIB, 4096 },
	{ "zfs", 131072, BYTES("\0\0\0\0\0\0\0\0"), "zfs_member", 4 * MIB, 4096 },
	{ "zfs", 16384, BYTES("\0"), "zfs_member", 4 * MIB, 0 }, /* not XDR */
	{ "zfs", 16385, BYTES("\2"), "zfs_member", 4 * MIB, 0 },
};

/* On the heap and as long as the file, so that the sanitizers see one byte too far. */
static uint8_t *load(const char *file, size_t *size)
{
	char path[128];
	uint8_t *bytes;
	FILE *f;

	snprintf(path, sizeof(path), "tests/fuzz/corpus/fuzz_stack/%s", file);
	f = fopen(path, "rb");
	if (!f)
		fail_msg("%s: run me in the project's directory", path);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	*size = ftell(f);
	rewind(f);
	bytes = malloc(*size);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, *size, f), *size);
	fclose(f);
	return bytes;
}

static void expect(struct memory_io *disk, uint64_t start, uint64_t len, const struct changed *want)
{
	struct content content = look(disk, start, len);

	if (!want->type) {
		if (content.count)
			fail_msg("%s changed at %llu: still a %s", want->file,
				 (unsigned long long)want->at, content.layers[0].type);
		return;
	}
	if (!content.count)
		fail_msg("%s changed at %llu: no longer a %s", want->file,
			 (unsigned long long)want->at, want->type);
	assert_string_equal(content.layers[0].type, want->type);
	assert_int_equal(content.layers[0].has_data_offset, want->data_offset != NONE);
	if (want->data_offset != NONE)
		assert_int_equal(content.layers[0].data_offset, start + want->data_offset);
	assert_int_equal(content.layers[0].block_size, want->block_size);
	content_free(&content);
}

static void test_kept(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
		const struct changed want = { .file = kept[i].file,
					      .type = kept[i].type,
					      .data_offset = kept[i].data_offset,
					      .block_size = kept[i].block_size };
		uint64_t start, len;
		size_t size;
		autofree uint8_t *bytes = load(kept[i].file, &size);
		struct memory_io disk = kept_disk(bytes, size, &start, &len);

		expect(&disk, start, len, &want);
	}
}

static void test_changed(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(changed); i++) {
		uint64_t start, len;
		size_t size;
		autofree uint8_t *bytes = load(changed[i].file, &size);
		struct memory_io disk = kept_disk(bytes, size, &start, &len);

		if (disk.count == MEMORY_IO_EXTENTS)
			disk.count--; /* the last is none of the superblock's */
		memory_io_put(&disk, start + changed[i].at, changed[i].bytes, changed[i].len);
		expect(&disk, start, len, &changed[i]);
	}
}

/* Cut off anywhere: a shorter disk, a superblock that only begins. */
static void test_cut(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
		uint64_t start, len;
		size_t size;
		autofree uint8_t *bytes = load(kept[i].file, &size);
		struct memory_io disk = kept_disk(bytes, size, &start, &len);

		for (uint64_t end = 0; end < 140000; end += end < 10240 ? 64 : 1000) {
			struct content content;

			disk.io.size = start + end;
			content = look(&disk, start, len);
			content_free(&content);
			content = look(&disk, start, end);
			content_free(&content);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_changed),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
