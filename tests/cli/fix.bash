#!/bin/bash
# What the tests of --fix share: a disk with one partition, and loop devices.
#
#   attach IMAGE [OPTION...]    as $loop with its partitions' nodes, or the test is skipped
#   sum IMAGE START SECTORS     of a partition's bytes
#   simple                      random bytes at 63 in 32 MiB, as $disk; is_new, is_old judge it
#   exclusive COMMAND...        while another process has $loop open for itself
#   untouched                   $disk is still what simple() made, and no journal lies beside it
#
# SC2154: helper.bash and bats set path, json, status, output; SC2034: and read ran and json; SC2030,
# SC2031: each test is a subshell.
# shellcheck disable=SC2154,SC2034,SC2030,SC2031
load helper

setup() {
	loop=
	export MTOOLS_SKIP_CHECK=1
	cd "$BATS_TEST_TMPDIR" || exit 1
	: >.begun
}

teardown() { # after a failure too
	[ -z "${mounted-}" ] || umount "$mounted" || true
	[ -z "${swap-}" ] || swapoff "$swap" || true
	[ -n "$loop" ] || return 0
	partx -d "$loop" 2>/dev/null || true
	losetup -d "$loop"
	# its old tables, saved there where the journal lies in a gap
	find ~root -maxdepth 1 -name "alignck-${loop##*/}.sfdisk*" -newer "$BATS_TEST_TMPDIR/.begun" -delete
}

attach() {
	loop=$(losetup -f --show "${@:2}" "$1" 2>/dev/null) || { loop=; skip 'no loop device to be had'; }
	partx -a "$loop" 2>/dev/null || true
	[ -b "${loop}p1" ] || skip 'no partition nodes to be had'
}

sum() { dd if="$1" bs=512 skip="$2" count="$3" status=none | sha256sum; }

simple() {
	disk=disk.img
	rm -f "$disk"
	dos "$disk" 32M 63,40000,L
	dd if=/dev/urandom of="$disk" bs=512 seek=63 count=40000 conv=notrunc status=none
	want=$(sum "$disk" 63 40000)
	cp "$disk" before.img
}

is_new() { [ "$(sum "$disk" 2048 40000)" = "$want" ] || fail "the data is not at its new place"; }
is_old() { cmp "$disk" before.img; }
exclusive() {
	local pid result=0
	command -v python3 >/dev/null || skip 'python3 is not installed'
	mkfifo held
	command -p python3 -S -c 'import os, sys, time
fd = os.open(sys.argv[1], os.O_RDONLY | os.O_EXCL)
open("held", "w").close()
time.sleep(600)' "$loop" 3>&- &
	pid=$!
	read -r <held || true
	rm held
	"$@" || result=$?
	kill "$pid"
	return "$result"
}

untouched() { is_old && [ ! -e "$disk.alignck" ]; }

starts_removed() { sfdisk -J "$1" | jq '.partitiontable | del(.device, .partitions[].node, .partitions[].start)'; }
