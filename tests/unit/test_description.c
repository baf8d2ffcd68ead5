// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables written as text: read, and written again with other starts. */
#include "unit.h"

#include "alignck/description.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define S 512ULL

static const char sfdisk_dos[] =
	"label: dos\n"
	"label-id: 0x0012abcd\n"
	"device: /dev/sdb\n"
	"unit: sectors\n"
	"sector-size: 512\n"
	"\n"
	"/dev/sdb1 : start=          63, size=       40000, type=83, bootable\n"
	"/dev/sdb2 : start=       41000, size=       20000, type=5\n"
	"/dev/sdb5 : start=       41063, size=        3000, type=82\n";

static const char gpart_gpt[] = "GPT 128\n"
				"1   freebsd-boot       34      128 gptboot0 \n"
				"2   freebsd-swap      162  4194304 swap0 \n"
				"3    freebsd-zfs  4194466 12580864 zfs0 [bootme] \n";

#define SOLARIS_HEAD                                                                               \
	"\n* /dev/rdsk/c5d0p0 default fdisk table\n* Dimensions:\n*    512 bytes/sector\n"         \
	"*     63 sectors/track\n*    255 tracks/cylinder\n*   60799 cylinders\n*\n* systid:\n"    \
	"*  191: SUNIXOS2\n*\n\n"                                                                  \
	"* Id    Act  Bhead  Bsect  Bcyl    Ehead  Esect  Ecyl    Rsect      Numsect\n"

static const char solaris[] = SOLARIS_HEAD
	"  191   128  0      1      3       254    63     1023    48195      976671675 \n"
	"  0     0    0      0      0       0      0      0       0          0\n";

static struct layout *must_read(const char *text, uint64_t *size, bool *is_exact)
{
	struct layout *layout = NULL;
	struct reason reason = { "" };

	assert_true(is_description(text, strlen(text)));
	if (read_description(text, strlen(text), 0, &layout, size, is_exact, &reason))
		fail_msg("%s", reason.text);
	return layout;
}

/* Partition `number` moved to `start_lba`; the text it becomes is the caller's. */
static char *moved(const char *text, unsigned number, uint64_t start_lba)
{
	uint64_t size;
	bool is_exact;
	struct layout *layout = must_read(text, &size, &is_exact);
	struct extent places[8];
	struct reason reason;
	char *written = NULL;
	size_t len;
	FILE *out = open_memstream(&written, &len);

	assert_non_null(out);
	for (size_t i = 0; i < layout->count; i++) {
		const struct partition *p = &layout->partitions[i];
		uint64_t start = p->number == number ? start_lba * S : p->start;

		places[i] = (struct extent){ start, start + p->size };
	}
	assert_int_equal(write_description(text, strlen(text), layout, places, out, &reason), 0);
	fclose(out);
	layout_free(layout);
	return written;
}

static void test_sfdisk(void **state)
{
	uint64_t size;
	bool is_exact;
	struct layout *layout = must_read(sfdisk_dos, &size, &is_exact);
	const struct partition *p = layout->partitions;
	char *written;

	(void)state;
	assert_int_equal(layout->type, TABLE_DOS);
	assert_string_equal(layout->id, "0012abcd");
	assert_int_equal(layout->count, 3);
	assert_int_equal(layout->findings.count, 0);
	assert_int_equal(size, 0);
	assert_false(is_exact);
	assert_int_equal(p[0].start, 63 * S);
	assert_int_equal(p[0].size, 40000 * S);
	assert_string_equal(p[0].type, "83");
	assert_true(p[0].bootable);
	assert_int_equal(p[1].role, ROLE_EXTENDED);
	assert_int_equal(p[2].number, 5);
	assert_int_equal(p[2].parent, 1);
	assert_string_equal(p[2].type, "82");
	layout_free(layout);

	written = moved(sfdisk_dos, 1, 2048);
	assert_non_null(strstr(written, "/dev/sdb1 : start=        2048, size=       40000"));
	assert_non_null(strstr(written, "bootable"));
	assert_non_null(strstr(written, "start=       41063"));
	assert_non_null(strstr(written, "label-id: 0x0012abcd"));
	free(written);
}

static void test_sfdisk_gpt(void **state)
{
	static const char text[] =
		"label: gpt\nlabel-id: 6372B373-E796-3141-83C4-B12956BC7AD5\ndevice: b\n"
		"unit: sectors\nfirst-lba: 6\nlast-lba: 16378\nsector-size: 4096\n\n"
		"b1 : start= 7, size= 100, type=21686148-6449-6E6F-744E-656564454649\n"
		"b2 : start= 256, size= 1000, type=c12a7328-f81f-11d2-ba4b-00a0c93ec93b,"
		" name=\"EFI\"\n";
	uint64_t size;
	bool is_exact;
	struct layout *layout = must_read(text, &size, &is_exact);

	(void)state;
	assert_int_equal(layout->sector_size, 4096);
	assert_int_equal(layout->first_usable, 6 * 4096);
	assert_int_equal(layout->last_usable, 16379 * 4096);
	assert_int_equal(size, 64 * MIB);
	assert_true(is_exact);
	assert_int_equal(layout->partitions[0].role, ROLE_BIOS_BOOT);
	assert_int_equal(layout->partitions[1].start, MIB);
	assert_string_equal(layout->partitions[1].type, "C12A7328-F81F-11D2-BA4B-00A0C93EC93B");
	assert_string_equal(layout->partitions[1].label, "EFI");
	layout_free(layout);
}

static void test_gpart(void **state)
{
	uint64_t size;
	bool is_exact;
	struct layout *layout = must_read(gpart_gpt, &size, &is_exact);
	char *written;

	(void)state;
	assert_int_equal(layout->type, TABLE_GPT);
	assert_int_equal(layout->count, 3);
	assert_int_equal(layout->partitions[2].start, 4194466 * S);
	assert_int_equal(layout->partitions[2].size, 12580864 * S);
	assert_string_equal(layout->partitions[2].type, "freebsd-zfs");
	assert_string_equal(layout->partitions[2].label, "zfs0");
	layout_free(layout);

	written = moved(gpart_gpt, 3, 12345678);
	assert_string_equal(written, "GPT 128\n"
				     "1   freebsd-boot       34      128 gptboot0 \n"
				     "2   freebsd-swap      162  4194304 swap0 \n"
				     "3    freebsd-zfs 12345678 12580864 zfs0 [bootme] \n");
	free(written);
	written = moved(gpart_gpt, 3, 40);
	assert_non_null(strstr(written, "3    freebsd-zfs       40 12580864 zfs0 [bootme] \n"));
	free(written);
}

/* Rsect 48195 becomes 48200; what heads and cylinders said of it is fdisk's to say again. */
static void test_solaris(void **state)
{
	uint64_t size;
	bool is_exact;
	struct layout *layout = must_read(solaris, &size, &is_exact);
	char *written;

	(void)state;
	assert_int_equal(layout->type, TABLE_DOS);
	assert_int_equal(layout->count, 1);
	assert_int_equal(layout->partitions[0].start, 48195 * S);
	assert_string_equal(layout->partitions[0].type, "bf");
	assert_true(layout->partitions[0].bootable);
	assert_int_equal(size, 60799ULL * 255 * 63 * S);
	assert_false(is_exact); /* the last cylinder may be a part of one */
	layout_free(layout);

	written = moved(solaris, 1, 48200);
	assert_string_equal(
		written, SOLARIS_HEAD
		"  191   128  0      0      0       0      0      0       48200      976671675 \n"
		"  0     0    0      0      0       0      0      0       0          0\n");
	free(written);
	written = moved(solaris, 1, 48195);
	assert_string_equal(written, solaris);
	free(written);
	assert_int_equal(description_grain(solaris, strlen(solaris)), 4096);
	assert_int_equal(description_grain(gpart_gpt, strlen(gpart_gpt)), MIB);
}

static void test_overlaps_are_found(void **state)
{
	uint64_t size;
	bool is_exact;
	struct layout *layout =
		must_read("GPT 128\n1 a 2048 4096\n2 b 4096 4096\n", &size, &is_exact);

	(void)state;
	assert_true(layout->findings.count > 0);
	assert_int_equal(layout->findings.list[0].id, FINDING_OVERLAP);
	layout_free(layout);
}

static void test_refused(void **state)
{
	static const char *const texts[] = {
		"GPT 128\n1 a 2048\n",
		"GPT 128\n1 a x 5\n",
		"GPT 128\n0 a 1 5\n",
		"GPT 128\n1 a 1 5\n1 b 9 5\n",
		"GPT 128\n1 a 18446744073709551615 5\n",
		"GPT 128\n1 a 18014398509481984 5\n",
		"BSD 8\n1 freebsd-ufs 16 1000\n",
		"label: sun\n1: start=0, size=100\n",
		"label: dos\nx1 : size=100, type=83\n",
		"label: dos\nnonsense\n",
		"label: dos\nsector-size: 513\nx1 : start=63, size=100, type=83\n",
		SOLARIS_HEAD "  191 128 0 1\n",
		SOLARIS_HEAD "  256 128 0 1 3 254 63 1023 48195 9766\n",
	};
	struct layout *layout = NULL;
	struct reason reason;
	uint64_t size;
	bool is_exact;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		reason.text[0] = '\0';
		assert_true(is_description(texts[i], strlen(texts[i])));
		assert_true(read_description(texts[i], strlen(texts[i]), 0, &layout, &size,
					     &is_exact, &reason) < 0);
		assert_true(reason.text[0]);
	}
}

/* Boot sectors, scripts of shells, other texts: not ours. */
static void test_no_description(void **state)
{
	static const char *const texts[] = {
		"",      "\n",           "GPT",         "GPT x\n",   "gpt 128\n",
		"label", "LABEL: dos\n", "* comment\n", "2048,,L\n", "\xeb\x58\x90mkfs.fat"
	};
	static const char zeros[600] = "label: dos\n";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_false(is_description(texts[i], strlen(texts[i])));
	assert_false(is_description(zeros, sizeof(zeros)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sfdisk),
		cmocka_unit_test(test_sfdisk_gpt),
		cmocka_unit_test(test_gpart),
		cmocka_unit_test(test_solaris),
		cmocka_unit_test(test_overlaps_are_found),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_no_description),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
