#!/usr/bin/env bats
# What the kernel stacks on disks: md, device-mapper, LUKS, LVM. What the upper device reports, how the lower one
# is judged, and what it means when the layers do not agree.
# disk: a 48M
# disk: b 48M
# disk: c 48M
# disk: d 48M
# qemu: -device virtio-blk-pci,drive=a -device virtio-blk-pci,drive=b
# qemu: -device virtio-blk-pci,drive=c -device virtio-blk-pci,drive=d
# shellcheck disable=SC2154
load guest

setup() {
	modprobe -a virtio_pci virtio_blk dm_mod raid0 raid1 raid10 raid456
	until_is [ -b /dev/vdd ]
	for disk in /dev/vda /dev/vdb /dev/vdc /dev/vdd; do
		dd if=/dev/zero of=$disk bs=64K count=4 2>/dev/null
		dd if=/dev/zero of=$disk bs=64K seek=764 count=4 conv=fsync 2>/dev/null
		blockdev --rereadpt $disk
	done
}

teardown() { # after a failure too
	dmsetup remove_all --force >/dev/null 2>&1 || true
	mdadm --stop --scan >/dev/null 2>&1 || true
}

md() { # md LEVEL METADATA DEVICE...: as /dev/md0
	local options=(--run --quiet --level="$1" --metadata="$2" --raid-devices=$(($# - 2)))
	[ "$1" = 0 ] || options+=(--assume-clean)
	[ "$1" != 0 ] || options+=(--chunk=64)
	mdadm --create /dev/md0 "${options[@]}" "${@:3}" >"$BATS_TEST_TMPDIR/mdadm" 2>&1 || fail "$(<"$BATS_TEST_TMPDIR/mdadm")"
	until_is [ -b /dev/md0 ]
	disk=/dev/md0
	dd if=/dev/zero of=$disk bs=64K count=4 conv=fsync 2>/dev/null
}

@test "raid0 of three chunks of 64 KiB: a stripe of 196608" {
	md 0 1.2 /dev/vda /dev/vdb /dev/vdc
	disk_is MIN-IO,OPT-IO,RECOMMENDED '65536 196608 196608'
	table 63,1000,L 2048,1000,L 3072,1000,L
	judged 1 63 misaligned
	judged 2 2048 aligned
	judged 3 3072 aligned
	finds_about 2 start-not-recommended
	same_nodes
	disk=/dev/vda
	raw CONTENT | grep linux_raid_member
}

@test "md of every level and metadata over partitions at 2048 and at 63" {
	for disk in /dev/vda /dev/vdb; do table 2048,90000,fd; done
	for disk in /dev/vdc /dev/vdd; do table 63,90000,fd; done
	for level in 0 1 10; do
		for metadata in 0.90 1.0 1.1 1.2; do
			[ "$level $metadata" != '0 0.90' ] || continue # which mdadm cannot make any more
			md $level $metadata /dev/vda1 /dev/vdb1
			check /dev/md0
			[[ $status -le 1 ]] || fail "raid$level $metadata: $stderr"
			disk=/dev/vda
			judged 1 2048 aligned
			raw CONTENT | grep -q linux_raid_member || fail "raid$level $metadata: no member"
			mdadm --stop /dev/md0 2>/dev/null
			md $level $metadata /dev/vdc1 /dev/vdd1
			disk=/dev/vdc
			judged 1 63 misaligned
			mdadm --stop /dev/md0 2>/dev/null
			mdadm --zero-superblock /dev/vda1 /dev/vdb1 /dev/vdc1 /dev/vdd1
		done
	done
}

@test "raid5 of four" {
	md 5 1.2 /dev/vda /dev/vdb /dev/vdc /dev/vdd
	check --verbose "$disk"
	expect 0
	disk=/dev/vda
	check --verbose "$disk"
	has md0
}

@test "raid0 over partitions at 63 of a 512e disk: the kernel says -1, and no start on it can be right" {
	scsi physblk_exp=3
	table 63,60000,fd 60063,60000,fd
	md 0 1.2 "$(part 1)" "$(part 2)"
	[ "$(cat /sys/block/md0/alignment_offset)" = -1 ]
	printf '2048,1000,L\n' | sfdisk -q "$disk"
	finds_about 0 stack-misaligned
	check "$disk"
	[ "$status" != 0 ]
	check --fix --yes --journal /journal/journal "$disk"
	expect 2
	has 'layer below' "$stderr"
}

@test "dm-linear at an odd sector of a 512e disk: the boundaries are shifted by 512" {
	scsi physblk_exp=3
	dmsetup create odd --table "0 100000 linear $disk 7"
	disk=$(readlink -f "$(dmsetup info -c --noheadings -o blkdevname odd | sed 's|^|/dev/|')")
	[ "$(cat "/sys/block/${disk##*/}/alignment_offset")" = 512 ]
	printf '%s\n' 2048,8,L 2065,1000,L | sfdisk -q --no-reread --no-tell-kernel "$disk"
	disk_is ALIGN-OFF 512
	judged 1 2048 misaligned
	judged 2 2065 aligned
	check "$disk"
	expect 1
}

@test "dm-linear of two parts that disagree: -1" {
	scsi physblk_exp=3
	dmsetup create torn --table "0 40000 linear $disk 7
40000 40000 linear $disk 50000"
	disk=/dev/$(dmsetup info -c --noheadings -o blkdevname torn)
	[ "$(cat "/sys/block/${disk##*/}/alignment_offset")" = -1 ]
	printf '2048,1000,L\n' | sfdisk -q --no-reread --no-tell-kernel "$disk"
	finds_about 0 stack-misaligned
	check "$disk"
	[ "$status" != 0 ]
}

@test "LUKS: the mapping of a 512e disk has 4096-byte sectors; where its data starts is judged below" {
	modprobe -a dm_crypt algif_skcipher algif_hash xts aes_generic sha256_generic
	scsi physblk_exp=3 dev_size_mb=128
	table 2048,80000,L 100063,80000,L
	for part in 1 2; do
		echo secret | cryptsetup luksFormat -q --type luks2 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 "$(part $part)" -
		echo secret | cryptsetup open --key-file - "$(part $part)" "crypt$part" || echo secret |
			cryptsetup open "$(part $part)" "crypt$part"
	done
	judged 1 2048 aligned
	judged 2 100063 misaligned
	raw CONTENT | grep -q crypto_LUKS
	check --verbose "$disk"
	has crypt1
	disk=/dev/$(dmsetup info -c --noheadings -o blkdevname crypt1)
	printf '1,100,L\n' | sfdisk -q --no-reread --no-tell-kernel "$disk"
	check "$disk"
	expect "$([ "$(cat "/sys/block/${disk##*/}/queue/logical_block_size")" = 4096 ] && echo 0 || echo 1)"
	cryptsetup close crypt1
	cryptsetup close crypt2
}

@test "LVM over partitions at 63: what makes up for its start is aligned, what does not is not" {
	scsi physblk_exp=3 dev_size_mb=128
	table 63,100000,8e 100063,100000,8e
	pvcreate -qq -y "$(part 1)"
	pvcreate -qq -y --config 'devices { data_alignment_detection=0 data_alignment_offset_detection=0 }' "$(part 2)"
	vgcreate -qq -y group "$(part 1)" "$(part 2)"
	lvcreate -qq -y -Zn -L 16M -n volume group "$(part 1)" 2>/dev/null
	raw CONTENT | grep -q LVM2_member
	judged 1 63 aligned
	judged 2 100063 misaligned
	check --verbose "$disk"
	has group-volume
	vgchange -qq -an group
}

@test "dm and md are left out with --all and judged by name" {
	md 1 1.2 /dev/vda /dev/vdb
	dmsetup create plain --table "0 1000 linear /dev/vdc 0"
	raw PATH --all | sort -u >"$BATS_TEST_TMPDIR/all"
	grep -qx /dev/vda "$BATS_TEST_TMPDIR/all"
	! grep -E 'md0|dm-' "$BATS_TEST_TMPDIR/all" || fail "$(cat "$BATS_TEST_TMPDIR/all")"
	check /dev/md0 /dev/mapper/plain
	expect 0
}
