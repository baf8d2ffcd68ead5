#!/usr/bin/env bats
# SCSI disks of every geometry that the kernel's simulator has: what is believed, what is judged, and that the
# kernel's partitions are ours.
# shellcheck disable=SC2154
load guest

@test "512e: 63 is misaligned, 2048 is not" {
	scsi physblk_exp=3
	table 63,1000,L 2048,1000,L
	disk_is LOG-SEC,PHY-SEC,ALIGN-OFF,SECTOR-SOURCE '512 4096 0 kernel'
	judged 1 63 misaligned
	judged 2 2048 aligned
	same_nodes
	check "$disk"
	expect 1
}

@test "4Kn: the table counts 4096-byte sectors, the kernel 512-byte ones" {
	scsi sector_size=4096 dev_size_mb=256
	table label:gpt first-lba:6 6,200 256,4096 8191,1000
	disk_is LOG-SEC,PHY-SEC,TABLE '4096 4096 gpt'
	judged 1 6 aligned
	judged 2 256 aligned
	judged 3 8191 aligned
	same_nodes
	check "$disk"
	expect 0
}

@test "lowest aligned block 7: 63 and 2055 are aligned, 2048 is not" {
	scsi physblk_exp=3 lowest_aligned=7
	table 63,1000,L 2048,7,L 2055,1000,L
	disk_is LOG-SEC,PHY-SEC,ALIGN-OFF '512 4096 3584'
	judged 1 63 aligned
	judged 2 2048 misaligned
	judged 3 2055 aligned
	same_nodes
}

@test "lowest aligned block 7: a partition at 2048 is planned to 2055" {
	scsi physblk_exp=3 lowest_aligned=7
	table 2048,1000,L
	check --fix --dry-run "$disk"
	expect 1
	has 'sector 2048 to 2055'
}

@test "a stripe of 196608 bytes, no power of two: 2048 is aligned but not best, 3072 is" {
	scsi opt_xferlen_exp=7 opt_blks=384
	table 2048,1000,L 3072,1000,L 63,100,L
	disk_is MIN-IO,OPT-IO,REQUIRED,RECOMMENDED '65536 196608 65536 196608'
	judged 1 2048 aligned
	judged 2 3072 aligned
	judged 3 63 misaligned
	finds_about 1 start-not-recommended
	same_nodes
}

@test "16 KiB physical sectors: 2056 would do for 4096 and does not here" {
	scsi physblk_exp=5
	table 2048,8,L 2056,1000,L
	disk_is PHY-SEC,REQUIRED '16384 16384'
	judged 1 2048 aligned
	judged 2 2056 misaligned
	same_nodes
}

@test "2048-byte logical sectors" {
	scsi sector_size=2048 physblk_exp=1
	table 63,100,L 512,1000,L
	disk_is LOG-SEC,PHY-SEC '2048 4096'
	judged 1 63 misaligned
	judged 2 512 aligned
	same_nodes
}

@test "3 TB: a GPT partition across 2 TiB, another behind it" {
	scsi virtual_gb=3000 physblk_exp=3
	table label:gpt first-lba:63 63,5000000000 5500000000,1000 5600000001,1000
	judged 1 63 misaligned
	judged 2 5500000000 aligned
	judged 3 5600000001 misaligned
	same_nodes
}

@test "host-managed zones: start against the zone size, no fix" {
	scsi zbc=managed zone_size_mb=4 zone_nr_conv=1
	printf '%s\n' 2048,1000,L 8192,1000,L | sfdisk -q --no-reread --no-tell-kernel "$disk" # the kernel has no partitions here
	disk_is ZONED host-managed
	judged 1 2048 misaligned
	judged 2 8192 aligned
	check --fix --yes --journal /journal/journal "$disk"
	expect 2
	has zone "$stderr"
}

@test "a WD15EARS by its INQUIRY: 512/512 is not believed" {
	scsi inq_vendor=ATA 'inq_product="WDC WD15EARS-00Z"' inq_rev=0A80
	table 63,1000,L 2048,1000,L
	disk_is LOG-SEC,PHY-SEC,SECTOR-SOURCE '512 4096 drive-list'
	finds_about 0 lying-drive
	judged 1 63 misaligned
	judged 2 2048 aligned
}

@test "the same words from a drive that reports 4096 itself: no lie" {
	scsi physblk_exp=3 inq_vendor=ATA 'inq_product="WDC WD15EARS-00Z"' inq_rev=0A80
	table 63,1000,L
	disk_is SECTOR-SOURCE kernel
	judged 1 63 misaligned
}

@test "logicals: the kernel's numbers and places, the container of two sectors" {
	scsi physblk_exp=3
	table 63,1000,L 2048,60000,E 2111,1000,L 8192,1000,L 16065,500,L
	judged 1 63 misaligned
	judged 5 2111 misaligned
	judged 6 8192 aligned
	judged 7 16065 misaligned
	[ "$(cat "/sys/block/${disk##*/}/${disk##*/}2/size")" = 2 ]
	same_nodes 2
}

@test "a read-only disk is judged" {
	scsi physblk_exp=3
	table 63,1000,L
	blockdev --setro "$disk"
	judged 1 63 misaligned
	check --fix --yes "$disk"
	expect 2
}

@test "a medium error in the table: named, exit 2" {
	scsi opts=2 medium_error_start=0 medium_error_count=1
	check "$disk"
	expect 2
	[ -n "$stderr" ]
}
