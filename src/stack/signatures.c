// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is looked for, and where: one row a signature. Names and order are libblkid's, whose rules
 * read_content() follows too: the first RAID or encrypted container ends the search; two others
 * are ambiguous unless all but one tolerate company.
 *
 * libblkid itself is not asked: its chain of 70 probers makes about 50 reads and takes longer for
 * one partition than everything else alignck does for a disk. `blkid -p` is the tests' oracle.
 */
#include "decode.h"

#define MAGIC(text, at) text, sizeof(text) - 1, at
#define NO_MAGIC        "", 0, 0
#define HEAD(at)        WINDOW_HEAD, at
#define AT_8K           WINDOW_8K, 16
#define BCACHE_MAGIC    "\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81"
#define BCACHEFS_MAGIC  "\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef"
#define STRATIS_MAGIC   "!Stra0tis\x86\xff\x02^\x41rh"
#define FS              USAGE_FILESYSTEM
#define TOLERANT        USAGE_TOLERANT
#define OTHER           USAGE_OTHER
#define RAID            USAGE_RAID
#define CRYPTO          USAGE_CRYPTO

/* clang-format off: one row a line */
const struct signature signatures[] = {
	/* type, usage, window and superblock, magic and its place, least KiB, decoder */
	{ "linux_raid_member", RAID, WINDOW_MD090, 0, MAGIC("\xfc\x4e\x2b\xa9", 0), 64,
	  decode_md0 },
	{ "linux_raid_member", RAID, WINDOW_MD090, 0, MAGIC("\xa9\x2b\x4e\xfc", 0), 64,
	  decode_md0 },
	{ "linux_raid_member", RAID, WINDOW_MD10, 0, MAGIC("\xfc\x4e\x2b\xa9", 0), 64, decode_md1 },
	{ "linux_raid_member", RAID, HEAD(0), MAGIC("\xfc\x4e\x2b\xa9", 0), 0, decode_md1 },
	{ "linux_raid_member", RAID, HEAD(4096), MAGIC("\xfc\x4e\x2b\xa9", 0), 0, decode_md1 },
	{ "ddf_raid_member", RAID, WINDOW_LAST_SECTOR, 0, MAGIC("\xde\x11\xde\x11", 0), 192,
	  decode_ddf },
	{ "ddf_raid_member", RAID, WINDOW_LAST_SECTOR, 0, MAGIC("\x11\xde\x11\xde", 0), 192,
	  decode_ddf },
	{ "isw_raid_member", RAID, WINDOW_LAST_BUT_ONE, 0, MAGIC("Intel Raid ISM Cfg Sig. ", 0), 64,
	  NULL },
	{ "lsi_mega_raid_member", RAID, WINDOW_LAST_SECTOR, 0, MAGIC("$XIDE$", 0), 64, NULL },
	{ "nvidia_raid_member", RAID, WINDOW_LAST_BUT_ONE, 0, MAGIC("NVIDIA", 0), 64, NULL },
	{ "adaptec_raid_member", RAID, WINDOW_LAST_SECTOR, 0, MAGIC("\x37\xfc\x4d\x1e", 0), 64,
	  decode_adaptec },
	{ "GEOM", RAID, WINDOW_LAST_SECTOR, 0, MAGIC("GEOM::", 0), 64, decode_geom },
	{ "bcache", OTHER, HEAD(4096), MAGIC(BCACHE_MAGIC, 24), 8, decode_bcache },
	{ "bcachefs", OTHER, HEAD(4096), MAGIC(BCACHEFS_MAGIC, 24), 8, decode_bcachefs },
	{ "ceph_bluestore", OTHER, HEAD(0), MAGIC("bluestore block device", 0), 0, NULL },
	{ "drbd", RAID, WINDOW_LAST_4K, 0, MAGIC("\x83\x74\x02\x6b", 68), 64, decode_drbd },
	{ "drbd", RAID, WINDOW_LAST_4K, 0, MAGIC("\x83\x74\x02\x6c", 68), 64, decode_drbd },
	{ "drbd", RAID, WINDOW_LAST_4K, 0, MAGIC("\x83\x74\x02\x6d", 68), 64, decode_drbd },
	{ "drbdmanage_control_volume", OTHER, HEAD(0), MAGIC("$DRBDmgr=q", 0), 64, NULL },
	{ "LVM2_member", RAID, HEAD(0), MAGIC("LABELONE", 0), 0, decode_lvm2 },
	{ "LVM2_member", RAID, HEAD(512), MAGIC("LABELONE", 0), 0, decode_lvm2 },
	{ "LVM2_member", RAID, HEAD(1024), MAGIC("LABELONE", 0), 0, decode_lvm2 },
	{ "LVM2_member", RAID, HEAD(1536), MAGIC("LABELONE", 0), 0, decode_lvm2 },
	{ "LVM1_member", RAID, HEAD(0), MAGIC("HM", 0), 0, decode_lvm1 },
	{ "DM_snapshot_cow", OTHER, HEAD(0), MAGIC("SnAp", 0), 0, NULL },
	{ "DM_verity_hash", CRYPTO, HEAD(0), MAGIC("verity\0\0", 0), 0, decode_verity },
	{ "DM_integrity", CRYPTO, HEAD(0), MAGIC("integrt\0", 0), 0, decode_integrity },
	{ "crypto_LUKS", CRYPTO, HEAD(0), MAGIC("LUKS\xba\xbe", 0), 0, decode_luks },
	{ "crypto_LUKS", CRYPTO, WINDOW_16K, 0, MAGIC("SKUL\xba\xbe", 0), 0, decode_luks },
	{ "vdo", OTHER, HEAD(0), MAGIC("dmvdo001", 0), 0, NULL },
	{ "stratis", RAID, HEAD(512), MAGIC(STRATIS_MAGIC, 4), 8, NULL },
	{ "stratis", RAID, HEAD(4608), MAGIC(STRATIS_MAGIC, 4), 8, NULL },
	{ "BitLocker", CRYPTO, HEAD(0), MAGIC("\xeb\x52\x90-FVE-FS-", 0), 0, decode_bitlocker },
	{ "BitLocker", CRYPTO, HEAD(0), MAGIC("\xeb\x58\x90-FVE-FS-", 0), 0, decode_bitlocker },
	{ "BitLocker", CRYPTO, HEAD(0), MAGIC("\xeb\x58\x90MSWIN4.1", 0), 0, decode_bitlocker },

	{ "vfat", FS, HEAD(0), NO_MAGIC, 0, decode_vfat },
	{ "swap", OTHER, HEAD(0), NO_MAGIC, 40, decode_swap },
	{ "swap", OTHER, WINDOW_8K, 0, NO_MAGIC, 40, decode_swap_8k },
	{ "swap", OTHER, HEAD(0), NO_MAGIC, 160, decode_swap_large },
	{ "xfs", FS, HEAD(0), MAGIC("XFSB", 0), 0, decode_xfs },
	{ "xfs_external_log", OTHER, HEAD(0), MAGIC("\xfe\xed\xba\xbe", 0), 10240, decode_xfs_log },
	{ "exfs", FS, HEAD(0), MAGIC("EXFS", 0), 0, NULL },
	{ "ext2", FS, HEAD(1024), MAGIC("\x53\xef", 56), 0, decode_ext },
	{ "reiserfs", FS, AT_8K, MAGIC("ReIsErFs", 52), 128, decode_reiserfs },
	{ "reiserfs", FS, WINDOW_64K, 0, MAGIC("ReIsEr2Fs", 52), 128, decode_reiserfs },
	{ "reiserfs", FS, WINDOW_64K, 0, MAGIC("ReIsEr3Fs", 52), 128, decode_reiserfs },
	{ "reiserfs", FS, WINDOW_64K, 0, MAGIC("ReIsErFs", 52), 128, decode_reiserfs },
	{ "reiser4", FS, WINDOW_64K, 0, MAGIC("ReIsEr4", 0), 128, decode_whole },
	{ "jfs", FS, WINDOW_32K, 0, MAGIC("JFS1", 0), 16384, decode_jfs },
	{ "udf", TOLERANT, WINDOW_32K, 0, MAGIC("BEA01", 1), 0, decode_udf },
	{ "udf", TOLERANT, WINDOW_32K, 0, MAGIC("NSR02", 1), 0, decode_udf },
	{ "udf", TOLERANT, WINDOW_32K, 0, MAGIC("NSR03", 1), 0, decode_udf },
	{ "udf", TOLERANT, WINDOW_32K, 0, MAGIC("CD001", 1), 0, decode_udf },
	{ "iso9660", TOLERANT, WINDOW_32K, 0, MAGIC("CD001", 1), 0, decode_whole },
	{ "iso9660", TOLERANT, WINDOW_32K, 0, MAGIC("CDROM", 9), 0, decode_whole },
	{ "zfs_member", FS, WINDOW_ZFS_LABEL0, 0, NO_MAGIC, 65536, decode_zfs },
	{ "zfs_member", FS, WINDOW_ZFS_LABEL1, 0, NO_MAGIC, 65536, decode_zfs },
	{ "zfs_member", FS, WINDOW_ZFS_LABEL2, 0, NO_MAGIC, 65536, decode_zfs },
	{ "zfs_member", FS, WINDOW_ZFS_LABEL3, 0, NO_MAGIC, 65536, decode_zfs },
	{ "hfsplus", FS, HEAD(1024), MAGIC("H+", 0), 0, decode_hfsplus },
	{ "hfsplus", FS, HEAD(1024), MAGIC("HX", 0), 0, decode_hfsplus },
	{ "hfsplus", FS, HEAD(1024), MAGIC("BD", 0), 0, decode_hfsplus },
	{ "hfs", TOLERANT, HEAD(1024), MAGIC("BD", 0), 0, decode_hfs },
	{ "ufs", FS, HEAD(0), NO_MAGIC, 0, decode_ufs },
	{ "ufs", FS, AT_8K, NO_MAGIC, 0, decode_ufs },
	{ "ufs", FS, WINDOW_64K, 0, NO_MAGIC, 0, decode_ufs },
	{ "ntfs", FS, HEAD(0), MAGIC("NTFS    ", 3), 0, decode_ntfs },
	{ "ReFS", FS, HEAD(0), MAGIC("\0\0\0ReFS\0", 0), 0, decode_whole },
	{ "cramfs", FS, HEAD(0), MAGIC("\x45\x3d\xcd\x28", 0), 0, decode_cramfs },
	{ "cramfs", FS, HEAD(0), MAGIC("\x28\xcd\x3d\x45", 0), 0, decode_cramfs },
	{ "hpfs", FS, AT_8K, MAGIC("\x49\xe8\x95\xf9\xc5\xe9\x53\xfa", 0), 0, decode_whole },
	{ "romfs", FS, HEAD(0), MAGIC("-rom1fs-", 0), 0, decode_whole },
	{ "minix", FS, HEAD(1024), NO_MAGIC, 0, decode_minix },
	{ "gfs2", FS, WINDOW_64K, 0, MAGIC("\x01\x16\x19\x70", 0), 32768, decode_gfs },
	{ "ocfs2", FS, HEAD(1024), MAGIC("OCFSV2", 0), 14000, decode_ocfs2 },
	{ "ocfs2", FS, HEAD(2048), MAGIC("OCFSV2", 0), 14000, decode_ocfs2 },
	{ "ocfs2", FS, HEAD(4096), MAGIC("OCFSV2", 0), 14000, decode_ocfs2 },
	{ "ocfs2", FS, AT_8K, MAGIC("OCFSV2", 0), 14000, decode_ocfs2 },
	{ "oracleasm", FS, HEAD(0), MAGIC("ORCLDISK", 32), 0, NULL },
	{ "vxfs", FS, HEAD(1024), MAGIC("\xf5\xfc\x01\xa5", 0), 0, decode_whole },
	{ "vxfs", FS, AT_8K, MAGIC("\xa5\x01\xfc\xf5", 0), 0, decode_whole },
	{ "squashfs", FS, HEAD(0), MAGIC("hsqs", 0), 0, decode_squashfs },
	{ "squashfs", FS, HEAD(0), MAGIC("sqsh", 0), 0, decode_squashfs },
	{ "btrfs", FS, WINDOW_64K, 0, MAGIC("_BHRfS_M", 64), 1024, decode_btrfs },
	{ "bfs", FS, HEAD(0), MAGIC("\xce\xfa\xad\x1b", 0), 0, decode_whole },
	{ "befs", FS, HEAD(0), MAGIC("BFS1", 32), 1440, decode_befs },
	{ "befs", FS, HEAD(0), MAGIC("1SFB", 32), 1440, decode_befs },
	{ "befs", FS, HEAD(512), MAGIC("BFS1", 32), 1440, decode_befs },
	{ "befs", FS, HEAD(512), MAGIC("1SFB", 32), 1440, decode_befs },
	{ "nilfs2", FS, HEAD(1024), MAGIC("\x34\x34", 6), 1024, decode_nilfs2 },
	{ "exfat", FS, HEAD(0), MAGIC("EXFAT   ", 3), 0, decode_exfat },
	{ "f2fs", FS, HEAD(1024), MAGIC("\x10\x20\xf5\xf2", 0), 0, decode_f2fs },
	{ "apfs", FS, HEAD(0), MAGIC("NXSB", 32), 0, decode_apfs },
	{ "zonefs", FS, HEAD(0), MAGIC("SFOZ", 0), 0, NULL },
	{ "erofs", FS, HEAD(1024), MAGIC("\xe2\xe1\xf5\xe0", 0), 0, decode_whole },
	{ "VMFS_volume_member", RAID, WINDOW_1M, 0, MAGIC("\x0d\xd0\x01\xc0", 0), 2048, NULL },

	/* Not libblkid's: a Windows dynamic disk's database (the kernel's block/partitions/ldm.h)
	 */
	{ "LDM", TOLERANT, HEAD(512), MAGIC("TOCBLOCK", 0), 0, NULL },
	{ "LDM", TOLERANT, HEAD(1024), MAGIC("TOCBLOCK", 0), 0, NULL },
	{ "LDM", TOLERANT, HEAD(3072), MAGIC("PRIVHEAD", 0), 0, NULL },
};
/* clang-format on */

const size_t signature_count = ARRAY_SIZE(signatures);
