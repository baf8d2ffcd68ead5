// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who is the drive? SCSI's view of a SATA disk has 16 of the 40 characters of its model, too few to
 * tell some families apart. The rest is in udev's database, in the ATA information page, or in the
 * drive itself.
 */
#include "internal.h"

#include <fcntl.h>
#include <linux/hdreg.h>
#include <scsi/sg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define IDENTITY_SIZE 512

/* ATA strings: two characters a word, the first in the high byte (`swapped` in memory). */
static void copy_ata_text(char *dst, const uint8_t *src, size_t len, bool swapped)
{
	size_t start;

	for (size_t i = 0; i < len; i++)
		dst[i] = (char)src[swapped ? i ^ 1 : i];
	while (len && (dst[len - 1] == ' ' || !dst[len - 1]))
		len--;
	dst[len] = '\0';
	start = strspn(dst, " ");
	memmove(dst, dst + start, len - start + 1);
}

bool decode_ata_identity(const uint8_t data[IDENTITY_SIZE], bool swapped, char model[41],
			 char serial[21])
{
	copy_ata_text(serial, data + 2 * 10, 20, swapped);
	copy_ata_text(model, data + 2 * 27, 40, swapped);
	return *model;
}

/* A digit of \xNN; -1: none. */
static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c | 0x20) : NULL;

	return at ? at - digits : -1;
}

bool find_udev_property(const char *record, const char *key, char *value, size_t size)
{
	size_t len = strlen(key), used = 0;
	const char *p = record;

	while (p && !(!strncmp(p, "E:", 2) && !strncmp(p + 2, key, len) && p[2 + len] == '=')) {
		p = strchr(p, '\n');
		p = p ? p + 1 : NULL;
	}
	if (!p)
		return false;
	for (p += 2 + len + 1; *p && *p != '\n' && used + 1 < size; p++) {
		int high = *p == '\\' && p[1] == 'x' ? hex_digit(p[2]) : -1;
		int low = high < 0 ? -1 : hex_digit(p[3]);

		if (low < 0) {
			value[used++] = *p;
			continue;
		}
		value[used++] = (char)(high << 4 | low);
		p += 3;
	}
	while (used && value[used - 1] == ' ')
		used--;
	value[used] = '\0';
	return *value; /* \x00 is no word either */
}

/*
 * udev's word counts where it asked the drive itself (ata_id) or sysfs has no model: for USB it may
 * be the enclosure's name. false: it has none.
 */
static bool read_udev(const char *sysroot, struct disk_facts *facts)
{
	autofree char *path = sysroot_path(sysroot, "/run/udev/data/b%s", facts->number);
	char record[16384], text[FACT_TEXT_MAX];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, record, sizeof(record) - 1);
	close(fd);
	if (n <= 0)
		return false;
	record[n] = '\0';

	bool is_ata =
		find_udev_property(record, "ID_ATA", text, sizeof(text)) && !strcmp(text, "1");

	if (!*facts->serial || is_ata)
		find_udev_property(record, "ID_SERIAL_SHORT", facts->serial, FACT_TEXT_MAX);
	if (*facts->model && !is_ata)
		return false;
	return find_udev_property(record, "ID_MODEL_ENC", facts->model, FACT_TEXT_MAX);
}

/* SAT makes INQUIRY's product the first 16 characters of the model: identity data that begins with
 * other words is not this drive's (scsi_debug's page is always an ST380013AS). */
static bool is_longer_model(const char *model, const char *product)
{
	size_t len = strlen(product);

	while (len && product[len - 1] == ' ')
		len--;
	return !strncmp(model, product, len);
}

static bool take_identity(const uint8_t data[IDENTITY_SIZE], bool swapped, struct disk_facts *facts)
{
	char model[41], serial[21];

	if (!decode_ata_identity(data, swapped, model, serial) ||
	    !is_longer_model(model, facts->model))
		return false;
	strcpy(facts->model, model);
	if (*serial)
		strcpy(facts->serial, serial);
	return true;
}

/* VPD page 89h, ATA Information (SAT-4 12.4.2): IDENTIFY data from byte 60. World-readable. */
static bool read_ata_page(int disk, struct disk_facts *facts)
{
	uint8_t page[60 + IDENTITY_SIZE];
	int fd = openat(disk, "device/vpd_pg89", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, page, sizeof(page));
	close(fd);
	return n == sizeof(page) && page[1] == 0x89 && take_identity(page + 60, true, facts);
}

/* IDENTIFY DEVICE through SAT's ATA PASS-THROUGH (16), for host adapters whose SATA disks do not
 * know HDIO_GET_IDENTITY. Reads one block by PIO; changes nothing. */
static bool ask_sat(int fd, uint8_t data[IDENTITY_SIZE])
{
	uint8_t command[16] = {
		[0] = 0x85,
		[1] = 4 << 1 /* PIO in */,
		[2] = 0x0e /* 1 block, from device */,
		[6] = 1,
		[14] = 0xec /* IDENTIFY DEVICE */,
	};
	uint8_t sense[32];
	struct sg_io_hdr io = {
		.interface_id = 'S',
		.dxfer_direction = SG_DXFER_FROM_DEV,
		.cmd_len = sizeof(command),
		.mx_sb_len = sizeof(sense),
		.dxfer_len = IDENTITY_SIZE,
		.dxferp = data,
		.cmdp = command,
		.sbp = sense,
		.timeout = 5000, /* ms: a drive that does not answer must not hold up the check */
	};

	return !ioctl(fd, SG_IO, &io) && !io.status && !io.host_status && !io.driver_status &&
	       !io.resid;
}

static bool ask_drive(int fd, struct disk_facts *facts)
{
	uint8_t data[IDENTITY_SIZE] = { 0 };

	/* The kernel has put the strings of this one in reading order (ata_get_identity). */
	if (!ioctl(fd, HDIO_GET_IDENTITY, data))
		return take_identity(data, false, facts);
	return ask_sat(fd, data) && take_identity(data, true, facts);
}

/*
 * SCSI's "VENDOR PRODUCT". A bridge that cuts an ATA model in two fills all eight characters of the
 * vendor; that model has no blank between them.
 */
static void join_vendor(struct disk_facts *facts)
{
	size_t vendor = strlen(facts->vendor);
	char joined[2 * FACT_TEXT_MAX];

	while (vendor && facts->vendor[vendor - 1] == ' ')
		vendor--;
	if (!vendor)
		return;
	facts->vendor[vendor] = '\0';
	snprintf(joined, sizeof(joined), "%s%s", facts->vendor, facts->model);
	if (vendor != 8 || !find_lying_drive_row(joined))
		snprintf(joined, sizeof(joined), "%s %s", facts->vendor, facts->model);
	joined[FACT_TEXT_MAX - 1] = '\0';
	strcpy(facts->model, joined);
}

void identify_drive(const char *sysroot, int disk, int fd, struct disk_facts *facts)
{
	bool is_ata =
		!strncmp(facts->vendor, "ATA", 3) && (!facts->vendor[3] || facts->vendor[3] == ' ');

	if (*facts->number && read_udev(sysroot, facts))
		return;
	/* Nobody but SATA disks is asked: some bridges hang on commands they do not know. */
	if (is_ata && (read_ata_page(disk, facts) || (fd >= 0 && ask_drive(fd, facts))))
		return;
	if (!is_ata && *facts->model && strncmp(facts->vendor, "0x", 2))
		join_vendor(facts);
}
