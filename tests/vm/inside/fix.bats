#!/usr/bin/env bats
# --fix on every kind of disk a kernel has: data, file systems and the kernel's partitions before and after, disks
# that are in use, and others who look on.
# memory: 768
# disk: ns512 64M
# disk: ns4096 64M
# qemu: -device nvme,id=nvme,serial=n1 -device nvme-ns,bus=nvme,drive=ns512,nsid=1
# qemu: -device nvme-ns,bus=nvme,drive=ns4096,nsid=2,logical_block_size=4096,physical_block_size=4096
# disk: virtio 64M
# qemu: -device virtio-blk-pci,drive=virtio,serial=virtio
# image: 23-bsd2048
# shellcheck disable=SC2154
load guest

setup() {
	modprobe -a sd_mod virtio_pci virtio_blk nvme loop ext4 dm_mod
	until_is [ -b /dev/nvme0n2 ]
	until_is [ -b /dev/vdb ]
	rm -f /journal/journal* /tmp/before
	cd "$BATS_TEST_TMPDIR"
}

teardown() { # after a failure too
	rm -f "$BATS_TEST_TMPDIR/go"
	umount /mnt 2>/dev/null || true
	[ -z "${swap-}" ] || swapoff "$swap" || true
	vgchange -qq -an 2>/dev/null || true
	dmsetup remove_all --force >/dev/null 2>&1 || true
	mdadm --stop --scan >/dev/null 2>&1 || true
	losetup -D
}

@test "SCSI, 512e, the journal in a gap: 63 and a logical, and the kernel's view of them" {
	scsi physblk_exp=3
	table 63,40000,L 40063,60000,E 40126,20000,L
	fill 1 5
	# shellcheck disable=SC2119 # no options
	moves
	[ "$(kernel_start 1)" = 2048 ]
	[ $(($(kernel_start 5) % 2048)) = 0 ]
	[ "$(cat "/sys/block/${disk##*/}/$(basename "$(part 2)")/size")" = 2 ]
	undoes
}

@test "SCSI, 4Kn with physical sectors of 16 KiB: in its own units" {
	scsi sector_size=4096 physblk_exp=2 dev_size_mb=64
	table label:gpt first-lba:6 6,5001
	fill 1
	moves --journal /journal/journal
	[ "$(kernel_start 1)" = 2048 ] # 512-byte units
	undoes --journal /journal/journal
}

@test "SCSI, lowest aligned block 7: 2048 becomes 2055" {
	scsi physblk_exp=3 lowest_aligned=7
	table 2048,40000,L
	fill 1
	moves --journal /journal/journal
	[ "$(kernel_start 1)" = 2055 ]
	undoes --journal /journal/journal
	[ "$(kernel_start 1)" = 2048 ]
}

@test "NVMe of 512-byte blocks: GPT at 34" {
	disk=/dev/nvme0n1
	table label:gpt first-lba:34 34,60000 70001,20000
	fill 1 2
	moves
	[ "$(kernel_start 1)" = 2048 ]
	undoes
}

@test "NVMe of 4096-byte blocks, judged as if its sectors were of 16 KiB" {
	disk=/dev/nvme0n2
	table label:gpt first-lba:6 6,8000
	fill 1
	moves --physical-sector 16K --journal /journal/journal
	[ "$(kernel_start 1)" = 2048 ]
	undoes --journal /journal/journal
}

@test "virtio: three partitions back to back" {
	serial virtio
	table 63,30000,L 30063,30000,L 60063,30001,L
	fill 1 2 3
	moves
	for n in 1 2 3; do [ $(($(kernel_start $n) % 2048)) = 0 ]; done
	undoes
}

@test "a BSD label beside it: the kernel's nested partitions are back after the switch" {
	serial 23-bsd2048
	until_is [ -b "$(part 7)" ]
	echo 514111,4000,L | sfdisk -q -a --no-reread --no-tell-kernel "$disk" # nested partitions are numbered anew by a re-read
	blockdev --rereadpt "$disk"
	until_is [ -b "$(part 2)" ]
	same_nodes
	check --fix --yes --only 2 --journal /journal/journal "$disk"
	expect 0
	[ $(($(kernel_start 2) % 8)) = 0 ]
	same_nodes
}

@test "in use: mounted" {
	scsi physblk_exp=3
	table 63,40000,L
	fill 1
	mount -o ro "$(part 1)" /mnt # or ext4 writes when it likes
	refused "$(basename "$(part 1)") is mounted on /mnt"
	umount /mnt
}

@test "in use: swap" {
	scsi physblk_exp=3
	table 63,40000,S
	mkswap "$(part 1)" >/dev/null
	swap=$(part 1)
	swapon "$swap"
	refused "$(basename "$swap") is used as swap"
	swapoff "$swap"
	swap=
}

@test "in use: LVM" {
	scsi physblk_exp=3
	table 63,80000,8e
	pvcreate -qq -y --config 'devices { data_alignment_detection=0 data_alignment_offset_detection=0 }' "$(part 1)"
	vgcreate -qq -y group "$(part 1)"
	lvcreate -qq -y -Zn -L 16M -n volume group 2>/dev/null
	refused "$(basename "$(part 1)") is held by" group-volume
	vgchange -qq -an group
}

@test "in use: md" {
	modprobe raid1
	scsi physblk_exp=3
	table 63,40000,fd 40063,40000,fd
	mdadm --create /dev/md0 --run --quiet --level=1 --metadata=1.2 --raid-devices=2 --assume-clean "$(part 1)" "$(part 2)"
	refused "$(basename "$(part 1)") is held by md0" "$(basename "$(part 2)") is held by md0"
	mdadm --stop /dev/md0 2>/dev/null
}

@test "in use: dm-crypt" {
	modprobe -a dm_crypt xts aes_generic
	scsi physblk_exp=3
	table 63,40000,L
	echo secret | cryptsetup open --type plain --cipher aes-xts-plain64 --key-size 256 --hash sha256 "$(part 1)" secret
	refused "$(basename "$(part 1)") is held by" secret
	cryptsetup close secret
}

@test "in use: a loop device over a partition" {
	scsi physblk_exp=3
	table 63,40000,L
	loop=$(losetup -f --show "$(part 1)")
	refused "$(basename "$(part 1)") is held by ${loop#/dev/}"
	losetup -d "$loop"
}

@test "in use: the whole disk, by a device-mapper target" {
	scsi physblk_exp=3
	table 63,40000,L
	dmsetup create over --table "0 1000 linear $disk 0"
	refused "${disk#/dev/} is held by" over
	dmsetup remove over
}

@test "others open and close every node all the time, as udev does" {
	scsi physblk_exp=3
	table 63,40000,L 40063,40000,L
	fill 1 2
	touch go
	while [ -e go ]; do
		for node in "$disk"*; do { : <"$node"; } 2>/dev/null || true; done
	done &
	moves
	undoes
	rm go
	wait
}

@test "a node that is open just when the partitions go: that passes, and the fix goes on" {
	scsi physblk_exp=3
	table 63,40000,L 40063,40000,L
	fill 1 2
	(
		exec {held}<"$(part 2)"
		end=$((SECONDS + 60))
		until head -c 512 "$disk" | grep -q alignck; do ((SECONDS < end)) || break; done
	) &
	moves
	wait
}

@test "a partition that another program holds open: refused, and all is as it was" {
	scsi physblk_exp=3
	table 63,40000,L 40063,40000,L
	exec {held}<"$(part 2)"
	cat "$disk" >/tmp/before
	check --fix --yes "$disk"
	[ "$status" = 2 ] || [ "$status" = 3 ] || fail "exit $status: $stderr"
	has "$(basename "$(part 2)")" "$stderr"
	exec {held}<&-
	blockdev --flushbufs "$disk"
	sfdisk -J "$disk" | grep -c '"start": *\(63\|40063\),' | grep -qx 2
	same_nodes
}
