// SPDX-License-Identifier: GPL-2.0-or-later
/* Names for what a table only numbers. Pure. */
#include "internal.h"

#include <string.h>

const char *table_type_name(enum table_type type)
{
	static const char *const names[TABLE_COUNT] = {
		[TABLE_NONE] = "none",         [TABLE_DOS] = "dos",       [TABLE_GPT] = "gpt",
		[TABLE_BSD] = "bsd",           [TABLE_SUN] = "sun",       [TABLE_SGI] = "sgi",
		[TABLE_SOLARIS] = "solaris",   [TABLE_MAC] = "mac",       [TABLE_MINIX] = "minix",
		[TABLE_UNIXWARE] = "unixware", [TABLE_AIX] = "aix",       [TABLE_ULTRIX] = "ultrix",
		[TABLE_ATARI] = "atari",       [TABLE_KERNEL] = "kernel",
	};

	return names[type];
}

const char *partition_role_name(enum partition_role role)
{
	static const char *const names[] = {
		[ROLE_DATA] = "data",
		[ROLE_EXTENDED] = "extended",
		[ROLE_BIOS_BOOT] = "bios-boot",
		[ROLE_MSR] = "msr",
		[ROLE_PROTECTIVE] = "protective",
		[ROLE_MAP] = "map",
		[ROLE_WHOLE] = "whole",
		[ROLE_CONTAINER] = "container",
	};

	return names[role];
}

struct type_name {
	const char *type, *name;
};

static const struct type_name mbr_types[] = {
	{ "0", "Empty" },
	{ "1", "FAT12" },
	{ "4", "FAT16 <32M" },
	{ "5", "Extended" },
	{ "6", "FAT16" },
	{ "7", "HPFS/NTFS/exFAT" },
	{ "b", "W95 FAT32" },
	{ "c", "W95 FAT32 (LBA)" },
	{ "e", "W95 FAT16 (LBA)" },
	{ "f", "W95 Extended (LBA)" },
	{ "11", "Hidden FAT12" },
	{ "12", "Compaq diagnostics" },
	{ "14", "Hidden FAT16 <32M" },
	{ "16", "Hidden FAT16" },
	{ "17", "Hidden HPFS/NTFS" },
	{ "1b", "Hidden W95 FAT32" },
	{ "1c", "Hidden W95 FAT32 (LBA)" },
	{ "1e", "Hidden W95 FAT16 (LBA)" },
	{ "27", "Hidden NTFS WinRE" },
	{ "42", "Windows dynamic disk" },
	{ "63", "UnixWare" },
	{ "80", "Old Minix" },
	{ "81", "Minix" },
	{ "82", "Linux swap / Solaris" },
	{ "83", "Linux" },
	{ "85", "Linux extended" },
	{ "88", "Linux plaintext" },
	{ "8e", "Linux LVM" },
	{ "a5", "FreeBSD" },
	{ "a6", "OpenBSD" },
	{ "a8", "Darwin UFS" },
	{ "a9", "NetBSD" },
	{ "ab", "Darwin boot" },
	{ "af", "HFS/HFS+" },
	{ "b7", "BSDI fs" },
	{ "bf", "Solaris" },
	{ "cd", "ISO 9660" },
	{ "da", "Non-FS data" },
	{ "e8", "LUKS" },
	{ "ea", "Linux extended boot" },
	{ "ee", "GPT protective" },
	{ "ef", "EFI System (FAT)" },
	{ "fb", "VMware VMFS" },
	{ "fd", "Linux RAID autodetect" },
};

/* UEFI 2.10 table 5.7, the Discoverable Partitions Specification, and what vendors document. */
static const struct type_name gpt_types[] = {
	{ "C12A7328-F81F-11D2-BA4B-00A0C93EC93B", "EFI System" },
	{ "21686148-6449-6E6F-744E-656564454649", "BIOS boot" },
	{ "024DEE41-33E7-11D3-9D69-0008C781F39F", "MBR partition scheme" },
	{ "E3C9E316-0B5C-4DB8-817D-F92DF00215AE", "Microsoft reserved" },
	{ "EBD0A0A2-B9E5-4433-87C0-68B6B72699C7", "Microsoft basic data" },
	{ "5808C8AA-7E8F-42E0-85D2-E1E90434CFB3", "Microsoft LDM metadata" },
	{ "AF9B60A0-1431-4F62-BC68-3311714A69AD", "Microsoft LDM data" },
	{ "DE94BBA4-06D1-4D40-A16A-BFD50179D6AC", "Windows recovery" },
	{ "E75CAF8F-F680-4CEE-AFA3-B001E56EFC2D", "Microsoft Storage Spaces" },
	{ "0FC63DAF-8483-4772-8E79-3D69D8477DE4", "Linux" },
	{ "0657FD6D-A4AB-43C4-84E5-0933C84B4F4F", "Linux swap" },
	{ "933AC7E1-2EB4-4F13-B844-0E14E2AEF915", "Linux home" },
	{ "44479540-F297-41B2-9AF7-D131D5F0458A", "Linux root (x86)" },
	{ "4F68BCE3-E8CD-4DB1-96E7-FBCAF984B709", "Linux root (x86-64)" },
	{ "69DAD710-2CE4-4E3C-B16C-21A1D49ABED3", "Linux root (ARM)" },
	{ "B921B045-1DF0-41C3-AF44-4C6F280D3FAE", "Linux root (ARM-64)" },
	{ "BC13C2FF-59E6-4262-A352-B275FD6F7172", "Linux extended boot" },
	{ "A19D880F-05FC-4D3B-A006-743F0F84911E", "Linux RAID" },
	{ "E6D6D379-F507-44C2-A23C-238F2A3DF928", "Linux LVM" },
	{ "CA7D7CCB-63ED-4C53-861C-1742536059CC", "Linux LUKS" },
	{ "8DA63339-0007-60C0-C436-083AC8230908", "Linux reserved" },
	{ "3B8F8425-20E0-4F3B-907F-1A25A76F98E8", "Linux server data" },
	{ "83BD6B9D-7F41-11DC-BE0B-001560B84F0F", "FreeBSD boot" },
	{ "516E7CB4-6ECF-11D6-8FF8-00022D09712B", "FreeBSD data" },
	{ "516E7CB5-6ECF-11D6-8FF8-00022D09712B", "FreeBSD swap" },
	{ "516E7CB6-6ECF-11D6-8FF8-00022D09712B", "FreeBSD UFS" },
	{ "516E7CBA-6ECF-11D6-8FF8-00022D09712B", "FreeBSD ZFS" },
	{ "48465300-0000-11AA-AA11-00306543ECAC", "Apple HFS/HFS+" },
	{ "7C3457EF-0000-11AA-AA11-00306543ECAC", "Apple APFS" },
	{ "426F6F74-0000-11AA-AA11-00306543ECAC", "Apple boot" },
	{ "6A898CC3-1DD2-11B2-99A6-080020736631", "Solaris /usr & Apple ZFS" },
	{ "6A85CF4D-1DD2-11B2-99A6-080020736631", "Solaris root" },
	{ "6A945A3B-1DD2-11B2-99A6-080020736631", "Solaris reserved 1" },
	{ "824CC7A0-36A8-11E3-890A-952519AD3F61", "OpenBSD data" },
	{ "AA31E02A-400F-11DB-9590-000C2911D1B8", "VMware VMFS" },
	{ "FE3A2A5D-4F32-41A7-B725-ACCC3285A309", "ChromeOS kernel" },
	{ "9E1A2D38-C612-4316-AA26-8B49521E5A8B", "PowerPC PReP boot" },
};

static const char *find_name(const struct type_name *types, size_t count, const char *type)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(types[i].type, type))
			return types[i].name;
	return "";
}

const char *partition_type_name(const struct partition *p)
{
	if (p->table == TABLE_GPT)
		return find_name(gpt_types, ARRAY_SIZE(gpt_types), p->type);
	if (p->table == TABLE_DOS || p->table == TABLE_MINIX)
		return find_name(mbr_types, ARRAY_SIZE(mbr_types), p->type);
	return "";
}

enum partition_role gpt_role(const char *type_guid)
{
	static const struct {
		const char *guid;
		enum partition_role role;
	} roles[] = {
		{ "21686148-6449-6E6F-744E-656564454649", ROLE_BIOS_BOOT },
		{ "E3C9E316-0B5C-4DB8-817D-F92DF00215AE", ROLE_MSR },
	};

	for (size_t i = 0; i < ARRAY_SIZE(roles); i++)
		if (!strcmp(roles[i].guid, type_guid))
			return roles[i].role;
	return ROLE_DATA;
}
