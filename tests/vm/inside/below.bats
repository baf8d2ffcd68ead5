#!/usr/bin/env bats
# Devices that are built on others, for real: the places that alignck finds are those where the bytes are.
# disk: a 64M
# qemu: -device virtio-blk-pci,drive=a,serial=a
# disk: b 64M
# qemu: -device virtio-blk-pci,drive=b,serial=b
# shellcheck disable=SC2154,SC2034
load guest

setup() {
	modprobe -a virtio_pci virtio_blk dm_mod raid1
	until_is [ -b /dev/vdb ]
	clear_disks
}

clear_disks() {
	local disk
	for disk in /dev/vda /dev/vdb; do
		dd if=/dev/zero of=$disk bs=64K count=4 2>/dev/null
		dd if=/dev/zero of=$disk bs=64K seek=1020 count=4 conv=fsync 2>/dev/null
	done
}

teardown() { # after a failure too
	! mountpoint -q /dev/mapper || umount /dev/mapper
	dmsetup remove_all --force >/dev/null 2>&1 || true
	mdadm --stop --scan >/dev/null 2>&1 || true
	no_scsi
}

node_of() { echo "/dev/$(dmsetup info -c --noheadings -o blkdevname "$1")"; }

# What is written at the device's byte 0 must turn up on each disk at the place that is told.
places_are_true() { # places_are_true DEVICE WANTED-COUNT
	local disk place start n=0
	"$ALIGNCK" --json "$1" | jq -r '.devices[0].below[] | "\(.disk) \(.start) \(.place)"' >/tmp/below
	while read -r disk start place; do
		[ "$place" != null ] || fail "$disk: no place"
		head -c 512 /dev/urandom >/tmp/pattern
		dd if=/tmp/pattern of="$1" bs=512 seek=$((start / 512)) conv=notrunc,fsync status=none
		echo 3 >/proc/sys/vm/drop_caches
		dd if="/dev/$disk" bs=512 skip=$((place / 512)) count=1 status=none | cmp - /tmp/pattern ||
			[ "${3-}" = encrypted ] || fail "$disk: not at $place"
		n=$((n + 1))
	done </tmp/below
	[ $n = "$2" ] || fail "$n places, not $2: $(</tmp/below)"
}

@test "dm-linear in two pieces: each piece's place" {
	dmsetup create two --table "0 20000 linear /dev/vda 2048
20000 20000 linear /dev/vdb 4096"
	places_are_true "$(node_of two)" 2
	check "$(node_of two)"
	expect 0
	has 'is byte 1048576 of vda'
}

@test "dm-linear over dm-linear over a partition" {
	scsi physblk_exp=3
	table 63,60000,L
	dmsetup create lower --table "0 50000 linear $(part 1) 1"
	dmsetup create upper --table "0 40000 linear /dev/mapper/lower 8"
	places_are_true "$(node_of upper)" 1
	check_json "$(node_of upper)"
	is '.devices[0].below[0].place' $(((63 + 1 + 8) * 512))
	is '.devices[0].alignment_offset' 0
}

@test "dm-linear whose pieces are at odds, over drives of which the kernel thinks nothing" {
	dmsetup create torn --table "0 20000 linear /dev/vda 2048
20000 20000 linear /dev/vdb 2049"
	[ "$(cat "/sys/block/$(basename "$(node_of torn)")/alignment_offset")" = 0 ]
	check "$(node_of torn)"
	expect 1
	has 'at odds'
}

@test "striped: a stripe's place on each disk" {
	dmsetup create stripes --table "0 65536 striped 2 128 /dev/vda 2048 /dev/vdb 4096"
	places_are_true "$(node_of stripes)" 2
}

@test "md: every member's place, and under a volume on it" {
	for metadata in 1.2 1.0; do
		mdadm --quiet --create /dev/md0 --run --assume-clean --level=1 --raid-devices=2 \
			--metadata=$metadata /dev/vda /dev/vdb
		until_is [ -b /dev/md0 ]
		places_are_true /dev/md0 2
		dmsetup create over --table "0 2048 linear /dev/md0 4096"
		places_are_true "$(node_of over)" 2
		dmsetup remove over
		mdadm --quiet --stop /dev/md0
		clear_disks
	done
}

@test "crypt: where its data is, and the key is nobody's to see" {
	modprobe -a dm_crypt algif_skcipher xts aes_generic
	dmsetup create secret --table "0 20000 crypt aes-xts-plain64 $(printf '%064d' 7) 0 /dev/vda 4097"
	places_are_true "$(node_of secret)" 1 encrypted
	check_json "$(node_of secret)"
	is '.devices[0].below[0].place' $((4097 * 512))
	lacks 0000007
	check --verbose "$(node_of secret)"
	lacks 0000007
	expect 1
}

@test "a table that cannot be asked for: who is below, and that where is not known" {
	dmsetup create plain --table "0 20000 linear /dev/vda 2048"
	node=$(node_of plain)
	# hidden where libdevmapper, which makes a control node wherever it misses one, cannot do so
	mount -t tmpfs -o ro hidden /dev/mapper
	[ ! -e /dev/mapper/control ]
	check "$node"
	umount /dev/mapper
	expect 0
	has 'lies on vda, where on it cannot be read'
}
