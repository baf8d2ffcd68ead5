// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Real superblocks by the tools that own them. Each row makes one, and says how the tool's own
 * reader prints where its data starts and what its block is; the name must be the one `blkid -p`
 * gives. The image is read once as a whole disk and once as a partition that starts at sector 63.
 */
#include "unit.h"

#include "alignck/stack.h"
#include "tools.h"

#define CRYPT               "cryptsetup -q luksFormat --pbkdf-force-iterations 1000 "
#define DUMP_FAT            "fsck.vfat -nv image"
#define FAT_DATA            DUMP_FAT " | sed -n 's/^Data area starts at byte \\([0-9]*\\).*/\\1/p'"
#define FAT_CLUSTER         DUMP_FAT " | sed -n 's/^ *\\([0-9]*\\) bytes per cluster.*/\\1/p'"
#define EXT_BLOCK           "dumpe2fs -h image 2>/dev/null | awk '/^Block size/ { print $3 }'"
#define XFS(field)          "xfs_db -r -c 'sb 0' -c 'p " field "' image | awk '{ print $3 }'"
#define BCACHE(field, unit) "bcache-super-show image | awk '/^" field "/ { print $2 * " unit " }'"

static const struct row {
	const char *name, *tool, *size;
	uint64_t chunk;    /* what the tool was told */
	const char *make;  /* shell; the image is "image" */
	const char *data;  /* shell that prints data_offset; "": has none */
	const char *block; /* shell that prints block_size */
} rows[] = {
	{ "ext2 1 KiB blocks", "mkfs.ext2", "16M", 0, "mkfs.ext2 -q -F -b 1024 image", "echo 0",
	  EXT_BLOCK },
	{ "ext3", "mkfs.ext3", "32M", 0, "mkfs.ext3 -q -F image", "echo 0", EXT_BLOCK },
	{ "ext3 unclean", "debugfs", "32M", 0,
	  "mkfs.ext3 -q -F image && debugfs -w -R 'feature needs_recovery' image", "echo 0",
	  EXT_BLOCK },
	{ "ext4 with a stride", "mkfs.ext4", "64M", 65536,
	  "mkfs.ext4 -q -F -b 4096 -E stride=16,stripe_width=48 image", "echo 0", EXT_BLOCK },
	{ "external journal", "mke2fs", "16M", 0, "mke2fs -q -F -O journal_dev image", "echo 0",
	  EXT_BLOCK },
	{ "FAT12", "mkfs.vfat", "4M", 0, "mkfs.vfat -F12 image", FAT_DATA, FAT_CLUSTER },
	{ "FAT16 superfloppy", "mkfs.vfat", "64M", 0, "mkfs.vfat -F16 image", FAT_DATA,
	  FAT_CLUSTER },
	{ "FAT32 odd reserved", "mkfs.vfat", "250M", 0, "mkfs.vfat -F32 -a -s 8 -R 33 image",
	  FAT_DATA, FAT_CLUSTER },
	{ "FAT 4096-byte sectors", "mkfs.vfat", "64M", 0, "mkfs.vfat -S 4096 image", FAT_DATA,
	  FAT_CLUSTER },
	{ "FAT rounded-up root", "mkfs.vfat", "64M", 0, "mkfs.vfat -S 4096 -r 144 -a image",
	  FAT_DATA, FAT_CLUSTER },
	{ "FAT by mformat", "mformat", "64M", 0, "mformat -i image -F ::", FAT_DATA, FAT_CLUSTER },
	{ "exFAT", "mkfs.exfat", "64M", 0, "mkfs.exfat image",
	  "dump.exfat image | awk '/Cluster Heap Offset/ { print $NF * 512 }'",
	  "dump.exfat image | awk '/^Cluster size/ { print $NF }'" },
	{ "exFAT odd heap", "mkfs.exfat", "64M", 0, "mkfs.exfat -c 2K -b 2048 image",
	  "dump.exfat image | awk '/Cluster Heap Offset/ { print $NF * 512 }'",
	  "dump.exfat image | awk '/^Cluster size/ { print $NF }'" },
	{ "NTFS 512-byte clusters", "mkfs.ntfs", "64M", 0, "mkfs.ntfs -Q -F -c 512 image", "echo 0",
	  "ntfsinfo -m image | awk '/Cluster Size/ { print $NF }'" },
	{ "NTFS 128 KiB clusters", "mkfs.ntfs", "64M", 0, "mkfs.ntfs -Q -F -c 131072 image",
	  "echo 0", "ntfsinfo -m image | awk '/Cluster Size/ { print $NF }'" },
	{ "XFS", "mkfs.xfs", "400M", 0, "mkfs.xfs -q image", "echo 0", XFS("sectsize") },
	{ "XFS striped", "mkfs.xfs", "1G", 65536, "mkfs.xfs -q -s size=4096 -d su=64k,sw=3 image",
	  "echo 0", XFS("sectsize") },
	{ "btrfs", "mkfs.btrfs", "128M", 0, "mkfs.btrfs -q image", "echo 0",
	  "btrfs inspect-internal dump-super image | awk '/^sectorsize/ { print $2 }'" },
	{ "F2FS", "mkfs.f2fs", "128M", 0, "mkfs.f2fs -q image", "echo 0",
	  "dump.f2fs -d1 image | awk '/^log_blocksize/ { print 2 ^ ($NF + 0) }'" },
	{ "swap 4 KiB pages", "mkswap", "2M", 0, "mkswap -p 4096 image", "echo 0", "echo 4096" },
	{ "swap 8 KiB pages", "mkswap", "2M", 0, "mkswap -p 8192 image", "echo 0", "echo 8192" },
	{ "swap 16 KiB pages", "mkswap", "2M", 0, "mkswap -p 16384 image", "echo 0", "echo 16384" },
	{ "swap 64 KiB pages", "mkswap", "2M", 0, "mkswap -p 65536 image", "echo 0", "echo 65536" },
	{ "LUKS1 odd payload", "cryptsetup", "20M", 0,
	  "echo key | " CRYPT "--type luks1 --align-payload 63 image -",
	  "cryptsetup luksDump image | awk '/^Payload offset/ { print $3 * 512 }'", "echo 0" },
	{ "LUKS2 4096-byte sectors", "cryptsetup", "20M", 0,
	  "echo key | " CRYPT "--type luks2 --pbkdf pbkdf2 --sector-size 4096 image -",
	  "cryptsetup luksDump image | awk '$1 == \"offset:\" { print $2; exit }'",
	  "cryptsetup luksDump image | awk '$1 == \"sector:\" { print $2; exit }'" },
	{ "LUKS2 odd offset", "cryptsetup", "20M", 0,
	  "echo key | " CRYPT
	  "--type luks2 --pbkdf pbkdf2 --sector-size 512 --luks2-metadata-size 64k "
	  "--luks2-keyslots-size 256k --offset 8200 image -",
	  "cryptsetup luksDump image | awk '$1 == \"offset:\" { print $2; exit }'",
	  "cryptsetup luksDump image | awk '$1 == \"sector:\" { print $2; exit }'" },
	{ "LUKS2 eight keyslots", "cryptsetup", "20M", 0,
	  "echo key >key; " CRYPT
	  "--type luks2 --pbkdf pbkdf2 image key && for i in 1 2 3 4 5 6 7 8 9 a "
	  "b c; do cryptsetup token add --key-description $i-$(printf %0200d 0) --key-slot 0 image "
	  "|| "
	  "exit 1; done",
	  "cryptsetup luksDump image | awk '$1 == \"offset:\" { print $2; exit }'",
	  "cryptsetup luksDump image | awk '$1 == \"sector:\" { print $2; exit }'" },
	{ "LUKS2 second header", "cryptsetup", "20M", 0,
	  "echo key | " CRYPT "--type luks2 --pbkdf pbkdf2 --sector-size 512 image - && "
	  "dd if=/dev/zero of=image bs=4096 count=4 conv=notrunc",
	  "echo 16777216", "echo 512" },
	{ "bcache backing", "make-bcache", "20M", 0, "make-bcache -B image",
	  BCACHE("dev.data.first_sector", "512"), BCACHE("dev.sectors_per_block", "512") },
	{ "bcache odd offset", "make-bcache", "20M", 0, "make-bcache -B -o 63 image",
	  BCACHE("dev.data.first_sector", "512"), BCACHE("dev.sectors_per_block", "512") },
	{ "bcache cache", "make-bcache", "80M", 524288, "make-bcache -C -w 512 image",
	  BCACHE("dev.cache.first_sector", "512"), BCACHE("dev.sectors_per_block", "512") },
	{ "ISO 9660", "xorriso", "0", 0,
	  "mkdir d && echo 1 >d/f && xorriso -as mkisofs -quiet --protective-msdos-label -o image "
	  "d",
	  "echo 0", "echo 0" },
	{ "dm-verity", "veritysetup", "4M", 0, "veritysetup format /bin/true image", "", "echo 0" },
	{ "JFS", "mkfs.jfs", "64M", 0, "mkfs.jfs -q image", "echo 0", "echo 4096" },
	{ "NILFS2", "mkfs.nilfs2", "160M", 0, "mkfs.nilfs2 -q image", "echo 0", "echo 4096" },
	{ "ReiserFS", "mkfs.reiserfs", "64M", 0, "mkfs.reiserfs -f -q image", "echo 0",
	  "echo 4096" },
	{ "UDF", "mkudffs", "64M", 0, "mkudffs -b 2048 image", "echo 0", "echo 2048" },
	{ "OCFS2", "mkfs.ocfs2", "128M", 0, "mkfs.ocfs2 -q -F -b 2048 --fs-features=local image",
	  "echo 0", "echo 2048" },
	{ "GFS2", "mkfs.gfs2", "128M", 0, "mkfs.gfs2 -q -O -p lock_nolock image", "echo 0",
	  "echo 4096" },
	{ "Minix 1", "mkfs.minix", "16M", 0, "mkfs.minix image", "echo 0", "echo 1024" },
	{ "Minix 2", "mkfs.minix", "64M", 0, "mkfs.minix -2 image", "echo 0", "echo 1024" },
	{ "Minix 3", "mkfs.minix", "64M", 0, "mkfs.minix -3 image", "echo 0", "echo 1024" },
	{ "SquashFS", "mksquashfs", "0", 0, "mkdir d && mksquashfs d image -noappend -quiet",
	  "echo 0", "echo 0" },
	{ "EROFS", "mkfs.erofs", "0", 0, "mkdir d && mkfs.erofs image d", "echo 0", "echo 0" },
	{ "cramfs", "mkfs.cramfs", "0", 0, "mkdir d && echo 1 >d/f && mkfs.cramfs d image",
	  "echo 0", "echo 0" },
	{ "nothing", "sh", "4M", 0, "true", "", "" },
};

/* Case 33: two makers' superblocks in one image; blkid -p decides whether that is ambivalent (exit
 * status 8), and what it is when not. */
#define OVER(maker, from, count)                                                                   \
	"truncate -s 128M other && " maker " other && dd if=other of=image bs=512 skip=" from      \
	" seek=" from " count=" count " conv=notrunc && rm other"

static const struct pair {
	const char *name, *make;
} pairs[] = {
	{ "ext4 over XFS",
	  "truncate -s 400M image && mkfs.xfs -q image && " OVER("mkfs.ext4 -q -F", "2", "2") },
	{ "btrfs under FAT",
	  "truncate -s 128M image && mkfs.btrfs -q image && " OVER("mkfs.vfat", "0", "2") },
	{ "swap over ISO 9660",
	  "mkdir d && echo 1 >d/f && xorriso -as mkisofs -quiet -o image d && truncate "
	  "-s 4M image && " OVER("mkswap", "2", "6") },
	{ "UDF bridge",
	  "mkdir d && echo 1 >d/f && xorriso -as mkisofs -quiet -o image d && truncate -s 4M "
	  "image && " OVER("mkudffs -b 2048", "1024", "1") },
	{ "ext4 in LUKS's place",
	  "truncate -s 64M image && echo key | " CRYPT
	  "--type luks2 --pbkdf pbkdf2 image - && " OVER("mkfs.ext4 -q -F", "2", "2") },
	{ "swap under bcache",
	  "truncate -s 64M image && make-bcache -B image && " OVER("mkswap", "2", "6") },
	{ "a floppy with two",
	  "truncate -s 1440K image && mkfs.vfat image && " OVER("mkfs.ext4 -q -F", "2", "2") },
	{ "NTFS's boot sector alone",
	  "truncate -s 64M image && " OVER("mkfs.ntfs -Q -F", "0", "16") },
	{ "ext4 under NTFS's boot sector",
	  "truncate -s 64M image && mkfs.ext4 -q -F image && " OVER("mkfs.ntfs -Q -F", "0", "1") },
};

static void test_pair(void **state)
{
	const struct pair *pair = *state;
	struct reason reason;
	autoio struct io *io = NULL;
	struct content content;
	char type[64];
	bool ambivalent;

	make_image(pair->make);
	ambivalent = number("blkid -p image >&2; echo $?") == 8;
	capture(type, sizeof(type), "blkid -p -o value -s TYPE image");
	assert_int_equal(io_open_readonly("image", &io, &reason), 0);
	assert_int_equal(read_content(io, 0, io->size, 512, &content), 0);
	if (content.ambiguous != ambivalent)
		fail_msg("blkid calls it %s, we see %zu layers, the first %s",
			 ambivalent ? "ambivalent" : type, content.count, content.layers[0].type);
	if (!ambivalent)
		assert_string_equal(content.count ? content.layers[0].type : "", type);
	content_free(&content);
}

/* A disk on which the image is the partition at `start`; what lies before it reads as 0xff. */
struct shifted_io {
	struct io io;
	struct io *image;
	uint64_t start;
	uint64_t bytes_read;
};

static int shifted_read(struct io *io, void *buf, size_t len, uint64_t offset)
{
	struct shifted_io *s = (struct shifted_io *)io;

	s->bytes_read += len;
	assert_true(offset >= s->start); /* it never looks outside its partition */
	return io_read(s->image, buf, len, offset - s->start);
}

static void check(const struct row *row, struct io *io, uint64_t start, uint64_t size,
		  const char *type)
{
	struct content content;

	assert_int_equal(read_content(io, start, size, 512, &content), 0);
	assert_int_equal(content.findings.count, 0);
	assert_false(content.ambiguous);
	if (!type[0]) {
		assert_int_equal(content.count, 0);
		return;
	}
	assert_int_equal(content.count, 1);
	assert_string_equal(content.layers[0].type, type);
	assert_int_equal(content.layers[0].has_data_offset, row->data[0] != '\0');
	if (row->data[0])
		assert_int_equal(content.layers[0].data_offset, start + number(row->data));
	assert_int_equal(content.layers[0].block_size, number(row->block));
	assert_int_equal(content.layers[0].chunk_size, row->chunk);
	content_free(&content);
}

static void test_row(void **state)
{
	static const struct io_ops ops = { .read = shifted_read };
	const struct row *row = *state;
	struct reason reason;
	autoio struct io *io = NULL;
	char type[64], command[1024];

	if (!has_tool(row->tool))
		skip();
	snprintf(command, sizeof(command), "{ [ %s = 0 ] || truncate -s %s image; } && { %s ; }",
		 row->size, row->size, row->make);
	make_image(command);
	capture(type, sizeof(type), "blkid -p -o value -s TYPE image");
	/* a maker that fails and does not say so would prove nothing */
	assert_int_equal(type[0] != '\0', strcmp(row->make, "true") != 0);
	assert_int_equal(io_open_readonly("image", &io, &reason), 0);
	check(row, io, 0, io->size, type);

	struct shifted_io disk = { { &ops, 63 * 512 + io->size }, io, 63 * 512, 0 };

	check(row, &disk.io, disk.start, io->size, type);
	assert_in_range(disk.bytes_read, 1, STACK_READ_MAX);
}

int main(void)
{
	struct CMUnitTest tests[ARRAY_SIZE(rows) + ARRAY_SIZE(pairs)];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		tests[i] = (struct CMUnitTest){ rows[i].name, test_row, NULL, NULL,
						(void *)(uintptr_t)&rows[i] };
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		tests[ARRAY_SIZE(rows) + i] =
			(struct CMUnitTest){ pairs[i].name, test_pair, NULL, NULL,
					     (void *)(uintptr_t)&pairs[i] };
	return cmocka_run_group_tests(tests, enter_home, leave_home);
}
