// SPDX-License-Identifier: GPL-2.0-or-later
/* What must not be moved, made by the tools that make such things, and from the other side too. */
#include "unit.h"

#include "alignck/commit.h"
#include "image.h"
#include "memory_io.h"

static struct content_check check;

/* The content of a file as the only partition of a disk. */
static void look_at(const char *path)
{
	struct image_io file = image_open(path);
	struct partition p = {
		.number = 1, .parent = -1, .size = file.io.size, .table = TABLE_DOS
	};
	struct layout layout = {
		.type = TABLE_DOS, .sector_size = 512, .partitions = &p, .count = 1
	};

	file.frozen = true;
	if (check_content_movable(&file.io, &layout, 0, 512, &check))
		fail_msg("%s", check.reason.text);
	io_close(&file.io);
}

static void expect_movable(const char *path)
{
	look_at(path);
	if (check.refused)
		fail_msg("refused: %s", check.reason.text);
	assert_int_equal(check.attention_count, 0);
}

static void expect_refused(const char *path, const char *word)
{
	look_at(path);
	assert_true(check.refused);
	if (!strstr(check.reason.text, word))
		fail_msg("no word of %s: %s", word, check.reason.text);
}

#define MAKE_NTFS "rm -f n; truncate -s 20M n; mkfs.ntfs -Q -F -p 63 -H 255 -S 63 n; "

static void a_dirty_ntfs_is_refused(void **state)
{
	(void)state;
	NEED_TOOL("mkfs.ntfs");
	NEED_TOOL("ntfsfix");
	run(MAKE_NTFS);
	expect_movable("n");
	run("ntfsfix n"); /* it asks Windows for a check, which is the dirty flag */
	expect_refused("n", "chkdsk");
	run("ntfsfix -d n");
	expect_movable("n");
	/* Sizes of clusters and records that are kept in other ways. */
	run("rm -f n; truncate -s 40M n; mkfs.ntfs -Q -F -c 512 -p 63 -H 255 -S 63 n");
	expect_movable("n");
	run("rm -f n; truncate -s 40M n; mkfs.ntfs -Q -F -c 65536 -p 63 -H 255 -S 63 n");
	expect_movable("n");
	run("ntfsfix n");
	expect_refused("n", "chkdsk");
}

static void a_hibernated_windows_is_refused(void **state)
{
	(void)state;
	NEED_TOOL("mkfs.ntfs");
	NEED_TOOL("ntfscp");
	run(MAKE_NTFS "head -c 8192 /dev/zero >h; ntfscp n h hiberfil.sys");
	expect_movable("n"); /* switched on, not in use */
	run(MAKE_NTFS "{ printf hibr; head -c 8192 /dev/zero; } >h; ntfscp n h HIBERFIL.SYS");
	expect_refused("n", "hibernated");
	run(MAKE_NTFS "{ printf HIBR; head -c 8192 /dev/zero; } >h; ntfscp n h hiberfil.sys");
	expect_refused("n", "hibernated");
	run(MAKE_NTFS "head -c 64 /dev/zero >h; ntfscp n h hiberfil.sys");
	expect_refused("n", "hibernated");
	/* So many files that the directory leaves its record, and the name is in a block. */
	run(MAKE_NTFS
	    "for i in $(seq 1 40); do ntfscp n h aaaaaaaaaaaaaaaaaaaaaaaa$i || exit 1; done; "
	    "{ printf hibr; head -c 8192 /dev/zero; } >h");
	expect_movable("n");
	run("ntfscp n h hiberfil.sys");
	expect_refused("n", "hibernated");
}

/* A restart page as Windows keeps it open: area at 48, client 0 in use, flags 0. */
#define RESTART_PAGE                                                                               \
	"cat >log.py <<'END'\n"                                                                    \
	"import struct, sys\n"                                                                     \
	"lcn, lsn, client, flags, page = (int(x, 0) for x in sys.argv[1:])\n"                      \
	"p = bytearray(4096)\n"                                                                    \
	"p[0:4] = b'RSTR'\n"                                                                       \
	"struct.pack_into('<HHQIIHHH', p, 4, 30, 9, 0, 4096, 4096, 48, 1, 1)\n"                    \
	"struct.pack_into('<QHHHH', p, 48, lsn, 1, 0xffff, client, flags)\n"                       \
	"struct.pack_into('<H', p, 30, 0x1234)\n"                                                  \
	"for i in range(8):\n"                                                                     \
	"    p[32 + 2 * i:34 + 2 * i] = p[512 * i + 510:512 * i + 512]\n"                          \
	"    struct.pack_into('<H', p, 512 * i + 510, 0x1234)\n"                                   \
	"f = open('n', 'r+b')\n"                                                                   \
	"f.seek(lcn * 4096 + page * 4096)\n"                                                       \
	"f.write(p)\n"                                                                             \
	"END\n"
#define LOG "$(ntfsinfo -i 2 -v n | sed -n 's/^\\t*0x0\\t*\\(0x[0-9a-f]*\\)\\t.*/\\1/p' | tail -1)"

static void an_open_log_is_refused(void **state)
{
	(void)state;
	NEED_TOOL("mkfs.ntfs");
	NEED_TOOL("ntfsinfo");
	NEED_TOOL("python3");
	run(MAKE_NTFS RESTART_PAGE "test -n " LOG "; python3 log.py " LOG " 5 0 0 0");
	expect_refused("n", "log");
	run("cp n other; ! ntfscp other log.py x 2>out; cat out; grep -i unclean out"); /* so says
											   ntfs-3g
											 */
	run("python3 log.py " LOG " 5 0xffff 0 0");
	expect_movable("n");
	run("python3 log.py " LOG " 5 0 2 0");
	expect_movable("n");
	/* The later page counts. */
	run("python3 log.py " LOG " 6 0 0 1");
	expect_refused("n", "log");
	run("python3 log.py " LOG " 4 0 0 1");
	expect_movable("n");
	run("python3 log.py " LOG " 5 0 0 0; python3 log.py " LOG " 6 0xffff 0 1");
	expect_movable("n");
}

static void a_damaged_ntfs_is_refused(void **state)
{
	(void)state;
	NEED_TOOL("mkfs.ntfs");
	run(MAKE_NTFS "dd if=/dev/zero of=n bs=4096 seek=4 count=1 conv=notrunc"); /* the MFT */
	expect_refused("n", "cannot be made out");
	run(MAKE_NTFS "printf '\\377' | dd of=n bs=1 seek=13 conv=notrunc");
	expect_refused("n", "cannot be made out");
}

static void a_suspended_swap_is_refused(void **state)
{
	static const unsigned pages[] = { 4096, 8192, 16384, 32768, 65536 };
	static const char *const marks[] = { "S1SUSPEND", "S2SUSPEND", "ULSUSPEND", "LINHIB0001" };

	(void)state;
	NEED_TOOL("mkswap");
	for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
		run("rm -f s; truncate -s 1M s; mkswap -p %u s", pages[i]);
		expect_movable("s");
		for (size_t m = 0; m < ARRAY_SIZE(marks); m++) {
			run("printf %s | dd of=s bs=1 seek=%u conv=notrunc", marks[m],
			    pages[i] - 10);
			expect_refused("s", "suspended");
			assert_non_null(strstr(check.reason.text, "mkswap"));
		}
	}
}

static void luks_in_reencryption_is_refused(void **state)
{
	(void)state;
	NEED_TOOL("cryptsetup");
	run("rm -f l; truncate -s 32M l; printf pw >k; "
	    "cryptsetup -q luksFormat --type luks2 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 -d "
	    "k l");
	expect_movable("l");
	run("cp l whole; cryptsetup -q reencrypt --init-only -d k --pbkdf pbkdf2 "
	    "--pbkdf-force-iterations 1000 l; cp l started");
	expect_refused("l", "re-encryption");
	/* Only the second header is up to date. */
	run("dd if=whole of=l bs=16384 count=1 conv=notrunc");
	expect_refused("l", "re-encryption");
	run("rm -f l; truncate -s 1M l; printf 'LUKS\\336\\255' | dd of=l conv=notrunc");
	expect_refused("l", "re-encryption");
}

static void what_finds_files_by_sectors_is_said(void **state)
{
	(void)state;
	NEED_TOOL("mkfs.fat");
	run("rm -f b; truncate -s 1M b; printf 'LILO' | dd of=b bs=1 seek=6 conv=notrunc");
	look_at("b");
	assert_false(check.refused);
	assert_int_equal(check.attention_count, 1);
	assert_non_null(strstr(check.attention[0], "run lilo"));
	run("rm -f b; truncate -s 4M b; mkfs.fat -F12 b");
	expect_movable("b");
	run("printf 'GRUB \\0Geom' | dd of=b bs=1 seek=384 conv=notrunc");
	look_at("b");
	assert_int_equal(check.attention_count, 1);
	assert_non_null(strstr(check.attention[0], "grub-install"));
	run("printf 'SYSLINUX' | dd of=b bs=1 seek=3 conv=notrunc");
	look_at("b");
	assert_false(check.refused);
	assert_int_equal(check.attention_count, 2);
	run("printf 'ReFS\\0\\0\\0\\0' | dd of=b bs=1 seek=3 conv=notrunc");
	expect_refused("b", "ReFS");
}

static void ordinary_contents_move(void **state)
{
	(void)state;
	NEED_TOOL("mkfs.ext4");
	run("rm -f x; truncate -s 8M x; mkfs.ext4 -q x");
	expect_movable("x");
	run("rm -f x; truncate -s 8M x"); /* nothing at all */
	expect_movable("x");
	run("truncate -s 512 x"); /* nor much of it */
	expect_movable("x");
}

static void nested_tables_and_read_errors(void **state)
{
	struct memory_io disk = memory_io_new(16 * MIB);
	struct partition parts[] = {
		{ .number = 1, .parent = -1, .start = MIB, .size = MIB, .table = TABLE_DOS },
		{ .number = 2,
		  .parent = -1,
		  .start = 4 * MIB,
		  .size = MIB,
		  .table = TABLE_DOS,
		  .role = ROLE_EXTENDED },
		{ .number = 5,
		  .parent = 1,
		  .start = 4 * MIB + 512,
		  .size = 512,
		  .table = TABLE_DOS },
		{ .number = 6, .parent = 0, .start = MIB + 512, .size = 512, .table = TABLE_BSD },
		{ .number = 3, .parent = -1, .start = 16 * MIB, .size = MIB, .table = TABLE_DOS },
	};
	struct layout layout = { .type = TABLE_DOS, .partitions = parts, .count = 5 };

	(void)state;
	assert_int_equal(check_content_movable(&disk.io, &layout, 0, 512, &check), 0);
	assert_true(check.refused);
	assert_non_null(strstr(check.reason.text, "table of its own"));
	assert_int_equal(check_content_movable(&disk.io, &layout, 1, 512, &check), 0);
	assert_false(check.refused);
	assert_int_equal(check_content_movable(&disk.io, &layout, 2, 512, &check), 0);
	assert_false(check.refused);
	assert_true(check_content_movable(&disk.io, &layout, 4, 512, &check) < 0);
	assert_non_null(strstr(check.reason.text, "not on the disk"));
	disk.fail_error = -EIO;
	disk.fail_at = 4 * MIB + 512;
	assert_int_equal(check_content_movable(&disk.io, &layout, 2, 512, &check), -EIO);
	assert_non_null(strstr(check.reason.text, "cannot read"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dirty_ntfs_is_refused),
		cmocka_unit_test(a_hibernated_windows_is_refused),
		cmocka_unit_test(an_open_log_is_refused),
		cmocka_unit_test(a_damaged_ntfs_is_refused),
		cmocka_unit_test(a_suspended_swap_is_refused),
		cmocka_unit_test(luks_in_reencryption_is_refused),
		cmocka_unit_test(what_finds_files_by_sectors_is_said),
		cmocka_unit_test(ordinary_contents_move),
		cmocka_unit_test(nested_tables_and_read_errors),
	};

	return cmocka_run_group_tests(tests, image_setup, image_teardown);
}
