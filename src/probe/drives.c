// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Drives that say 512 and are not. Facts gathered from the lists of FreeBSD (sys/cam/ata/ata_da.c,
 * sys/cam/scsi/scsi_da.c), OpenZFS (cmd/zpool/os/linux/zpool_vdev_os.c), illumos (sd.c) and
 * smartmontools (drivedb.h), in a form of our own. Where lists differ, the larger size stands: it
 * satisfies both. FreeBSD's rule holds for all rows: an honest drive (physical above logical) is
 * never overridden.
 *
 * To add a drive: one row, its pattern as narrow as what was seen, and who says so.
 */
#include "internal.h"

#include <string.h>

#define FREEBSD         "FreeBSD"
#define OPENZFS         "OpenZFS"
#define ILLUMOS         "illumos"
#define FREEBSD_OPENZFS "FreeBSD and OpenZFS"
#define SMARTMONTOOLS   "smartmontools"

static const struct lying_drive drives[] = {
	/* Factory shifted: sector 7 lies on a boundary, sector 0 does not. Honest on SATA. */
	{ "ST9320312AS*", 4096, 3584, SMARTMONTOOLS },
	{ "ST9400321AS*", 4096, 3584, SMARTMONTOOLS },
	{ "ST9640322AS*", 4096, 3584, SMARTMONTOOLS },
	{ "ST9750423AS*", 4096, 3584, SMARTMONTOOLS " and FreeBSD" },

	/* Hard disks */
	{ "Hitachi H??????????E3*", 4096, 0, FREEBSD },
	{ "Hitachi HDS5C303*", 4096, 0, OPENZFS },
	{ "SAMSUNG HD155UI*", 4096, 0, FREEBSD },
	{ "SAMSUNG HD204UI*", 4096, 0, FREEBSD_OPENZFS },
	{ "ST2000DL004 HD20*", 4096, 0, OPENZFS }, /* HD204UI with another badge */
	{ "ST????DL*", 4096, 0, FREEBSD },
	{ "ST???DM*", 4096, 0, FREEBSD },
	{ "ST????DM*", 4096, 0, FREEBSD },
	{ "ST9500423AS*", 4096, 0, FREEBSD },
	{ "ST9500424AS*", 4096, 0, FREEBSD },
	{ "ST9640423AS*", 4096, 0, FREEBSD },
	{ "ST9640424AS*", 4096, 0, FREEBSD },
	{ "ST9750420AS*", 4096, 0, FREEBSD },
	{ "ST9750422AS*", 4096, 0, FREEBSD },
	{ "ST???LT*", 4096, 0, FREEBSD },
	{ "WDC WD10EARS-00[MSZ]*", 4096, 0, FREEBSD_OPENZFS },
	{ "WDC WD15EARS-00[MSZ]*", 4096, 0, FREEBSD_OPENZFS },
	{ "WDC WD20EARS-00[MSZ]*", 4096, 0, FREEBSD_OPENZFS },
	{ "WDC WD????RS*", 4096, 0, FREEBSD },
	{ "WDC WD??????RS*", 4096, 0, FREEBSD },
	{ "WDC WD????RX*", 4096, 0, FREEBSD },
	{ "WDC WD??????RX*", 4096, 0, FREEBSD },
	{ "WDC WD????CX*", 4096, 0, FREEBSD },
	{ "WDC WD??????CX*", 4096, 0, FREEBSD },
	{ "WDC WD????AZEX*", 4096, 0, FREEBSD },
	{ "WDC WD????FZEX*", 4096, 0, FREEBSD },
	{ "WDC WD???PKT*", 4096, 0, FREEBSD },
	{ "WDC WD?????PKT*", 4096, 0, FREEBSD },
	{ "WDC WD???PVT*", 4096, 0, FREEBSD },
	{ "WDC WD?????PVT*", 4096, 0, FREEBSD },
	{ "WDC WD1600BEVT-0*", 4096, 0, OPENZFS },
	{ "WDC WD2500BEVT-0*", 4096, 0, OPENZFS },
	{ "WDC WD3200BEVT-0*", 4096, 0, OPENZFS },
	{ "WDC WD5000BEVT-0*", 4096, 0, OPENZFS },

	/* Flash: no page is as small as 512; the sizes are what the pools of those systems use */
	{ "ADATA SSD S396 3*", 8192, 0, OPENZFS },
	{ "APPLE SSD SM128E*", 8192, 0, OPENZFS },
	{ "APPLE SSD SM256E*", 8192, 0, OPENZFS },
	{ "APPLE SSD SM512E*", 8192, 0, OPENZFS },
	{ "APPLE SSD SM768E*", 8192, 0, OPENZFS },
	{ "APPLE SSD TS064C*", 4096, 0, OPENZFS },
	{ "APPLE SSD TS128C*", 4096, 0, OPENZFS },
	{ "APPLE SSD TS256C*", 4096, 0, OPENZFS },
	{ "APPLE SSD TS512C*", 4096, 0, OPENZFS },
	{ "C300-CTFDDAC???MAG*", 4096, 0, FREEBSD },
	{ "C400-MTFDDAC064M*", 8192, 0, OPENZFS },
	{ "C400-MTFDDAC128M*", 8192, 0, OPENZFS },
	{ "C400-MTFDDAC256M*", 8192, 0, OPENZFS },
	{ "C400-MTFDDAC512M*", 8192, 0, OPENZFS },
	{ "M4-CT???M4SSD2*", 8192, 0, OPENZFS },
	{ "Corsair CSSD-F*", 4096, 0, FREEBSD },
	{ "Corsair Force 3*", 8192, 0, OPENZFS },
	{ "Corsair Force GS*", 8192, 0, OPENZFS },
	{ "Corsair Force G*", 4096, 0, FREEBSD },
	{ "Corsair Neutron GTX*", 4096, 0, FREEBSD },
	{ "INTEL SSDSA2M*", 4096, 0, FREEBSD_OPENZFS },
	{ "INTEL SSDSA2CT04*", 8192, 0, OPENZFS },
	{ "INTEL SSDSA2BZ[123]0*", 8192, 0, OPENZFS },
	{ "INTEL SSDSA2CW*", 8192, 0, OPENZFS },
	{ "INTEL SSDSC2CT*", 8192, 0, OPENZFS },
	{ "INTEL SSDSC2CW*", 8192, 0, OPENZFS },
	{ "INTEL SSDSC2MH*", 4096, 0, FREEBSD_OPENZFS },
	{ "INTEL SSDSC2BA*", 4096, 0, OPENZFS },
	{ "INTEL SSDSC2BB*", 4096, 0, OPENZFS },
	{ "INTEL SSDSC2BW*", 4096, 0, FREEBSD_OPENZFS },
	{ "INTEL SSDSC2BP*", 4096, 0, OPENZFS },
	{ "INTEL SSDSC2BX*", 4096, 0, FREEBSD },
	{ "KINGSTON SH100S3*", 8192, 0, OPENZFS },
	{ "KINGSTON SH103S3*", 8192, 0, OPENZFS },
	{ "KINGSTON SE100S3*", 4096, 0, FREEBSD },
	{ "MARVELL SD88SA02*", 4096, 0, "illumos, FreeBSD and OpenZFS" },
	{ "TOSHIBA THNSNV05*", 4096, 0, ILLUMOS },
	{ "TOSHIBA THNSNH*", 8192, 0, OPENZFS },
	{ "Micron 5100 MTFDDAK*", 4096, 0, FREEBSD },
	{ "OCZ CORE_SSD*", 4096, 0, OPENZFS },
	{ "OCZ-VERTEX", 4096, 0, OPENZFS },
	{ "OCZ?VERTEX2*", 8192, 0, OPENZFS },
	{ "OCZ-VERTEX3*", 8192, 0, OPENZFS },
	{ "OCZ-VERTEX4*", 8192, 0, OPENZFS },
	{ "OCZ-AGILITY2*", 8192, 0, OPENZFS },
	{ "OCZ-AGILITY3*", 8192, 0, OPENZFS },
	{ "DENRSTE251M45*", 4096, 0, FREEBSD },
	{ "SAMSUNG MCCOE32G*", 4096, 0, OPENZFS },
	{ "SAMSUNG MCCOE64G*", 4096, 0, OPENZFS },
	{ "SAMSUNG SSD PM80*", 4096, 0, OPENZFS },
	{ "SAMSUNG SSD PM851*", 4096, 0, FREEBSD },
	{ "SAMSUNG SSD 830*", 8192, 0, OPENZFS },
	{ "Samsung SSD 750*", 4096, 0, FREEBSD },
	{ "Samsung SSD 840*", 8192, 0, OPENZFS },
	{ "Samsung SSD 845*", 4096, 0, FREEBSD },
	{ "Samsung SSD 850*", 4096, 0, FREEBSD },
	{ "Samsung SSD 860*", 4096, 0, FREEBSD },
	{ "Samsung SSD 870*", 4096, 0, FREEBSD },
	{ "SAMSUNG MZ7WD*", 8192, 0, OPENZFS },
	{ "SAMSUNG MZ7*", 4096, 0, FREEBSD },
	{ "MZ7*", 4096, 0, FREEBSD },
	{ "SanDisk SSD U100*", 8192, 0, OPENZFS },
	{ "FTM??CT25H*", 4096, 0, FREEBSD },
	{ "SG9XCS2D*", 4096, 0, FREEBSD },
	{ "SmrtStorSDLKAE9W*", 4096, 0, OPENZFS },
	{ "WDC WDS?????G0*", 4096, 0, FREEBSD },
	{ "ZA???NM*", 4096, 0, FREEBSD },
	{ "ZA????NM*", 4096, 0, FREEBSD },
	{ "Amazon EC2 NVMe*", 4096, 0, OPENZFS },
};

/* INQUIRY's product field (SPC-4 6.4.2, bytes 16-31): what is exactly as long may have been cut. */
#define PRODUCT_LEN 16

/* So many literal characters of a pattern tell the family, though the end was cut off: "SAMSUNG SSD
 * PM85" does; "Hitachi H" with anything behind it is every disk Hitachi made. */
#define TELLING_LEN 12

/* One pattern element at *pattern against `c`; moves behind the element. */
static bool matches_element(const char **pattern, char c)
{
	const char *p = *pattern;
	bool found = false;

	if (*p != '[') {
		*pattern = p + 1;
		return *p == '?' || *p == c;
	}
	for (p++; *p && *p != ']'; p++)
		found |= *p == c;
	*pattern = *p ? p + 1 : p;
	return found;
}

bool matches_model(const char *pattern, const char *model, bool cut)
{
	size_t literal = 0;

	for (; *pattern && *pattern != '*'; model++) {
		if (!*model)
			return cut && literal >= TELLING_LEN;
		literal += *pattern != '?' && *pattern != '[';
		if (!matches_element(&pattern, *model))
			return false;
	}
	return *pattern == '*' || !*model;
}

const struct lying_drive *find_lying_drive_row(const char *model)
{
	bool cut = strlen(model) == PRODUCT_LEN;

	for (size_t i = 0; i < ARRAY_SIZE(drives); i++)
		if (matches_model(drives[i].pattern, model, cut))
			return &drives[i];
	return NULL;
}

uint64_t find_lying_drive(const char *model, const char **why)
{
	const struct lying_drive *row = find_lying_drive_row(model);

	if (!row)
		return 0;
	if (why)
		*why = row->why;
	return row->physical_block_size;
}
