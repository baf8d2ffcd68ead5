#!/bin/bash
# What the tests that run in a guest are written with, besides cli/helper.bash (check, expect, has, lacks, dos).
#
#   until_is COMMAND...     waits until it succeeds; fails after 10 s
#   scsi KEY=VALUE...       a disk of scsi_debug with these parameters, as $disk; the one before is gone
#   table LINE...           sfdisk writes them to $disk and the kernel reads them
#   judged N START VERDICT  what alignck said of that partition of $disk
#   same_nodes [N]          the kernel's starts and sizes are those that alignck lists (N: a container)
# shellcheck disable=SC2154,SC2034

load ../cli/helper

until_is() {
	local end=$((SECONDS + 10))
	until "$@"; do ((SECONDS < end)) || fail "never: $*"; done
}

no_scsi() {
	[ ! -e /sys/module/scsi_debug ] || until_is rmmod scsi_debug
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
