#!/bin/bash
# What the tests that run in a guest are written with, besides cli/helper.bash (check, expect, has, lacks, dos).
#
#   scsi KEY=VALUE...       a disk of scsi_debug with these parameters, as $disk; the one before is gone
#   serial TEXT             the virtio disk with that serial number, as $disk
#   table LINE...           sfdisk writes them to $disk and the kernel reads them
#   judged N START VERDICT  what alignck said of that partition of $disk
#   same_nodes [N]          the kernel's starts and sizes are those that alignck lists (N: a container)
# shellcheck disable=SC2154,SC2034,SC2317

load ../cli/helper

no_scsi() {
	[ ! -e /sys/module/scsi_debug ] || until_is rmmod scsi_debug
}

serial() {
	local dir
	disk=
	for dir in /sys/block/vd*; do [ "$(<"$dir/serial")" != "$1" ] || disk=/dev/${dir##*/}; done
	[ -n "$disk" ]
}

disk_by_model() { # disk_by_model TEXT: /dev/NAME of the disk whose model begins so, as $disk
	local dir
	disk=
	for dir in /sys/block/*/device/model; do
		[[ $(<"$dir") == "$1"* ]] && disk=/dev/$(cut -d / -f 4 <<<"$dir") && return
	done
	return 1
}

scsi() {
	no_scsi
	modprobe sd_mod
	modprobe scsi_debug opt_blks=0 dev_size_mb=64 "$@"
	disk=
	until_is find_scsi
}

find_scsi() {
	local dir
	for dir in /sys/bus/pseudo/drivers/scsi_debug/adapter*/host*/target*/*:*/block/*; do
		disk=/dev/${dir##*/}
	done
	[ -b "$disk" ]
}

table() {
	printf '%s\n' "$@" | sfdisk -q "$disk"
	until_is [ -b "$(part 1)" ]
}

part() { # part N: the node of partition N of $disk
	if [[ $disk == *[0-9] ]]; then echo "${disk}p$1"; else echo "$disk$1"; fi
}

raw() { "$ALIGNCK" --raw --bytes --noheadings --output "$1" "${2-$disk}" 2>&1 || true; }

judged() {
	raw NUMBER,START,VERDICT | grep -qx "$1 $2 $3" || fail "not \"$1 $2 $3\":
$(raw NUMBER,START,VERDICT)"
}

disk_is() { # disk_is COLUMNS VALUES: of $disk itself
	local got
	got=$(raw "$1" | head -1)
	[ "$got" = "$2" ] || fail "$1 is $got, not $2"
}

finds_about() { # finds_about N ID: a finding of partition N; N 0: of the disk
	raw NUMBER,FINDINGS | sed 's/^ /0 /' | grep "^$1 " | grep -q "[ ,]$2\(,\|$\)" || fail "no $2 about $1:
$(raw NUMBER,FINDINGS)"
}

same_nodes() { # same_nodes [NUMBERS [all]]: but for the size of these, or for all about them
	local dir unit pattern="^\\(\\(${1-none}\\) .*\\) .*" to='\1'
	[ $# != 2 ] || pattern="^\\(${1-}\\) .*" to=-
	unit=$(($(<"/sys/block/${disk##*/}/queue/logical_block_size") / 512))
	for dir in "/sys/block/${disk##*/}/${disk##*/}"*; do
		echo "$(<"$dir/partition") $(($(<"$dir/start") / unit)) $(($(<"$dir/size") / unit))"
	done | sed "s/$pattern/$to/; /^-$/d" | sort -n >"$BATS_TEST_TMPDIR/kernel"
	raw NUMBER,START,SECTORS | sed "/^[0-9]/!d; s/$pattern/$to/; /^-$/d" | sort -n >"$BATS_TEST_TMPDIR/ours"
	diff "$BATS_TEST_TMPDIR/kernel" "$BATS_TEST_TMPDIR/ours" || fail "$disk: kernel <, alignck >"
}

# --- data that must survive: fill, moves, undoes, refused ---

fill() { # fill N...: a file system with files on each of these partitions of $disk
	local n
	mkdir -p files
	head -c 3000000 /dev/urandom >files/random
	seq 50000 >files/numbers
	filled=("$@")
	for n; do mkfs.ext4 -q -F -b 4096 -d files "$(part "$n")"; done
	blockdev --flushbufs "$disk"
}

whole() { # every one of them can be mounted, holds its files, and is clean
	local n
	for n in "${filled[@]}"; do
		e2fsck -fn "$(part "$n")" 2>&1
		mount -o ro "$(part "$n")" /mnt
		cmp files/random /mnt/random && cmp files/numbers /mnt/numbers
		umount /mnt
	done
}

kernel_start() { cat "/sys/block/${disk##*/}/$(basename "$(part "$1")")/start"; }

moves() { # moves [OPTION...]: the fix does what it says, and the kernel knows at once
	cat "$disk" >/tmp/before
	check "$disk"
	[ "$status" = 1 ] || [ $# != 0 ] || fail "exit $status before"
	check --fix --yes "$@" "$disk"
	expect 0
	extended=$(raw NUMBER,ROLE | sed -n 's/ extended$//p')
	same_nodes "$extended"
	whole
	check "$disk"
	expect 0
}

undoes() { # undoes [OPTION...]: and back, to the byte (but for what is left of a journal in a gap)
	check --undo "$@" "$disk"
	expect 0
	same_nodes "$extended"
	whole
	blockdev --flushbufs "$disk"
	[ ! -e /journal/journal ] || cmp "$disk" /tmp/before
}

refused() { # refused TEXT...: exit 2, these words, and not a sector written
	local text before
	blockdev --flushbufs "$disk"
	before=$(awk '{ print $7 }' "/sys/block/${disk##*/}/stat")
	check --fix --yes --journal /journal/journal "$disk"
	expect 2
	has 'in use' "$stderr"
	for text; do has "$text" "$stderr"; done
	[ ! -e /journal/journal ]
	[ "$(awk '{ print $7 }' "/sys/block/${disk##*/}/stat")" = "$before" ] || fail 'something was written'
}

# A journal in memory is refused, and all of a guest is memory: /journal is a file system on a loop device.
modprobe -a loop ext4
mkdir -p /journal
truncate -s 80M /journal.img
mkfs.ext4 -q -F /journal.img
mount -o loop /journal.img /journal
