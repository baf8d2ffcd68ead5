#!/usr/bin/env bats
# Several devices as one pool: the ashift for all, sectors that differ by name, --ashift.
# SC2154: helper.bash and bats set path, json, status, output; SC2030, SC2031: each test is a subshell.
# shellcheck disable=SC2154,SC2030,SC2031
load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	loops=()
	truncate -s 64M a.img b.img
}

teardown() {
	local l
	for l in "${loops[@]}"; do losetup -d "$l"; done
}

attach() { # attach IMAGE SECTOR: its loop device as $loop
	loop=$(losetup -f --show -b "$2" "$1" 2>/dev/null) || skip 'no loop device to be had'
	loops+=("$loop")
}

@test "--ashift prints the number alone, for a command line" {
	check --ashift a.img b.img
	expect 0
	[ "$output" = 12 ] && [ -z "$stderr" ]
	line="zpool create -o ashift=$("$ALIGNCK" --ashift a.img b.img) tank a.img b.img"
	[ "$line" = 'zpool create -o ashift=12 tank a.img b.img' ]
	check --ashift a.img
	[ "$output" = 12 ]
	check --ashift --physical-sector=16K a.img b.img
	[ "$output" = 14 ]
	check --ashift --physical-sector=64K a.img
	[ "$output" = 16 ]
}

@test "--ashift: what is on the devices does not matter" {
	need_images
	check --ashift "$images/01-mbr63.img" "$images/40-overlap.img" "$images/33-zfswhole.img"
	expect 0
	[ "$output" = 12 ]
}

@test "--ashift: one that cannot be told is an error, and nothing is printed" {
	for bad in /nonexistent "$BATS_TEST_TMPDIR"; do
		check --ashift a.img "$bad" b.img
		expect 2
		[ -z "$output" ]
		has "$bad" "$stderr"
	done
	: >empty
	check --ashift a.img empty
	expect 2
	[ -z "$output" ]
	has empty "$stderr"
	check --ashift
	expect 64
	[ -z "$output" ]
}

@test "--ashift: not beside an unfinished realignment" {
	dos c.img 64M 63,40000,L
	dd if=/dev/urandom of=c.img bs=512 seek=63 count=40000 conv=notrunc status=none
	stop_at KILL 9 "$ALIGNCK" --fix --yes c.img
	[ "$status" = 137 ]
	check --ashift b.img c.img
	expect 3
	[ -z "$output" ]
	has c.img "$stderr"
	has --resume "$stderr"
}

@test "--ashift goes with a check, and with no other format" {
	check --ashift --json a.img
	expect 64
	check --fix --ashift a.img
	expect 64
	[ -z "$output" ]
}

@test "case 31: a pool line for devices that are alike, none for one device or --all" {
	check a.img b.img
	expect 0
	has 'pool: ashift=12 suits all 2 devices'
	lacks sectors:
	lacks LVM
	check a.img
	lacks pool:
	check --noheadings a.img b.img
	lacks pool:
	disk sda 64M
	disk sdb 64M lbs=4096 pbs=4096
	check --all --sysroot "$sysroot" --strict
	lacks pool:
	expect 0
	check_json --all --sysroot "$sysroot"
	is .pool.mixed_logical true
	is '.pool.findings | length' 0
}

@test "case 31: logical 512 and 4096 mixed: by name, and what ZFS, md and LVM do" {
	disk sda 64M lbs=512 pbs=4096
	disk sdb 64M lbs=4096 pbs=4096
	disk sdc 64M lbs=512 pbs=4096
	check --sysroot "$sysroot" /dev/sda /dev/sdb /dev/sdc
	expect 0
	has 'pool: ashift=12 suits all 3 devices'
	has 'pool: 512-byte logical sectors: /dev/sda /dev/sdc'
	has 'pool: 4096-byte logical sectors: /dev/sdb'
	lacks 'physical sectors:'
	has 'pool: ZFS '
	has 'pool: md '
	has 'pool: LVM refuses'
	check_json --sysroot "$sysroot" /dev/sda /dev/sdb /dev/sdc
	is .pool.mixed_logical true
	is .pool.mixed_physical false
	is '[.pool.findings[] | .id, .severity] | join(" ")' 'mixed-sector-sizes warning'
	is '[.pool.consequences[] | "\(.for) \(.severity)"] | join(", ")' 'ZFS notice, md warning, LVM error'
	check --sysroot "$sysroot" --strict /dev/sda /dev/sdb
	expect 1
	check --sysroot "$sysroot" --strict /dev/sda /dev/sdc
	expect 0
}

@test "case 31: physical sectors that differ; ashift is the largest one's" {
	disk sda 64M
	disk nvme0n1 64M pbs=16384 rotational=0
	check --sysroot "$sysroot" /dev/sda /dev/nvme0n1
	has 'pool: ashift=14 suits all 2 devices'
	has 'pool: 512-byte physical sectors: /dev/sda'
	has 'pool: 16384-byte physical sectors: /dev/nvme0n1'
	lacks 'logical sectors:'
	check --sysroot "$sysroot" --ashift /dev/sda /dev/nvme0n1
	[ "$output" = 14 ]
}

@test "case 31: a drive that lies counts with its true size" {
	"$tests/sysfs.sh" "$sysroot" ears
	disk sdb 64M pbs=4096
	check_json --sysroot "$sysroot" /dev/sda /dev/sdb
	is '.devices[0].reported.physical_block_size' 512
	is .pool.mixed_physical false
	is .pool.ashift 12
	check --sysroot "$sysroot" --ashift /dev/sda
	expect 0
	[ "$output" = 12 ]
}

@test "case 31: a vdev that is there already is too small for the new disk" {
	disk sda 128M pbs=4096
	# the first label of a vdev that zpool made
	dd if="$tests/fuzz/corpus/fuzz_zfs_label/zpool-ashift12" of="$sysroot/dev/sda" bs=16K seek=1 conv=notrunc status=none
	hand poke "$sysroot/dev/sda" $((128 * 1024 - 40)) 117a0cb17ada1002 # the magic of its checksum
	disk sdb 128M pbs=16384 rotational=0
	check_json --sysroot "$sysroot" /dev/sda /dev/sdb
	is '.devices[0].content[0].ashift' 12
	is '[.pool.findings[].id] | sort | join(" ")' 'ashift-too-small mixed-sector-sizes'
	check --sysroot "$sysroot" /dev/sda /dev/sdb
	has 'pool: the ZFS vdev on sda has ashift 12, these devices need 14'
}

@test "an unreadable device: no ashift for all is known" {
	check a.img /nonexistent
	expect 2
	has 'pool: cannot tell'
	check_json a.img /nonexistent
	is .pool.ashift null
}

@test "a 512 and a 4096 loop device together are named" {
	attach a.img 512
	first=$loop
	attach b.img 4096
	check "$first" "$loop"
	expect 0
	has "pool: 512-byte logical sectors: $first"
	has "pool: 4096-byte logical sectors: $loop"
	check --ashift "$first" "$loop"
	expect 0
	[ "$output" = 12 ]
}
