#!/usr/bin/env bats
# Real block devices: loop devices of 512 and of 4096-byte sectors with partitions the kernel knows.
# SC2154: helper.bash and bats set path, json, status, output; SC2030, SC2031: each test is a subshell.
# shellcheck disable=SC2154,SC2030,SC2031
load helper

setup() { loop=; }

teardown() { # after a failure too
	[ -z "$loop" ] || { partx -d "$loop" 2>/dev/null || true; losetup -d "$loop"; }
}

attach() { # attach IMAGE [LOSETUP OPTION...]: as $loop, or the test is skipped
	loop=$(losetup -f --show "${@:2}" "$1" 2>/dev/null) || { loop=; skip 'no loop device to be had'; }
}

nodes() { # makes the partitions' nodes; this kernel may not do it by itself
	partx -a "$loop" 2>/dev/null || true
	[ -b "${loop}p1" ] || skip 'no partition nodes to be had'
}

same_story() { # same_story EXIT: text, JSON and exit status of $loop
	check "$loop"
	expect "$1"
	text=$output
	check_json "$loop"
	expect "$1"
	while read -r name sector verdict; do
		grep -qE "(^|[^a-z])$name +$sector +.* $verdict( |\$)" <<<"$text" || fail "$name $sector $verdict not in
$text"
	done < <(jq -r '.devices[0].partitions[] | "\(.name) \(.start_sector) \(.verdict)"' <<<"$json")
}

@test "512-byte sectors: text, JSON and exit status agree" {
	truncate -s 64M "$BATS_TEST_TMPDIR/disk"
	attach "$BATS_TEST_TMPDIR/disk"
	printf '%s\n' 63,20000,L 32768,40960,L | sfdisk -q --no-reread --no-tell-kernel "$loop"
	nodes
	same_story 1
	is '.devices[0].kind' disk
	is '.devices[0].logical_block_size' 512
	is '.devices[0].partitions | [.[].node] | tostring' "[\"${loop}p1\",\"${loop}p2\"]"
	verdict 1 misaligned
	verdict 2 aligned
	finds_no kernel-disagrees
}

@test "512-byte sectors: a partition's node is judged alone, inside its disk" {
	truncate -s 64M "$BATS_TEST_TMPDIR/disk"
	attach "$BATS_TEST_TMPDIR/disk"
	printf '%s\n' 63,20000,L 32768,40960,L | sfdisk -q --no-reread --no-tell-kernel "$loop"
	nodes
	check_json "${loop}p1"
	expect 1
	is '.devices[0].kind' partition
	is '[.devices[0].partitions[].number] | tostring' '[1]'
	off_by 1 3584
	is '.devices[0].partitions[0].start' 32256
	check_json "${loop}p2"
	expect 0
	is '[.devices[0].partitions[].number] | tostring' '[2]'
	verdict 2 aligned
	check "${loop}p2"
	expect 0
	lacks misaligned
	check "${loop}p1" "${loop}p2"
	expect 1
}

@test "4096-byte sectors: the table counts them, text, JSON and exit status agree" {
	truncate -s 256M "$BATS_TEST_TMPDIR/disk"
	attach "$BATS_TEST_TMPDIR/disk" --sector-size 4096
	printf '%s\n' 'label: gpt' 'first-lba: 6' 7,1000 2048,4096 | sfdisk -q --no-reread --no-tell-kernel "$loop"
	nodes
	same_story 0
	is '.devices[0].logical_block_size' 4096
	is '.devices[0].partitions[0].start_sector' 7
	is '.devices[0].partitions[0].start' 28672
	finds_no kernel-disagrees
	finds_no sector-size-mismatch
	check --strict "${loop}p2"
	expect 0
	check --strict "${loop}p1" # 28 KiB is not 1 MiB
	expect 1
}

@test "4096-byte sectors: a table written for 512 is a mismatch" {
	truncate -s 64M "$BATS_TEST_TMPDIR/disk"
	gpt "$BATS_TEST_TMPDIR/disk" 64M 2048,2048
	attach "$BATS_TEST_TMPDIR/disk" --sector-size 4096
	check_json "$loop"
	expect 2
	finds sector-size-mismatch error
}

@test "an image behind an offset: the loop device is a disk of its own" {
	truncate -s 64M "$BATS_TEST_TMPDIR/disk"
	attach "$BATS_TEST_TMPDIR/disk" -o 512
	printf '%s\n' 63,20000,L | sfdisk -q --no-reread --no-tell-kernel "$loop"
	check "$loop"
	expect 1
}

@test "a read-only loop device is checked" {
	dos "$BATS_TEST_TMPDIR/disk" 64M 63,20000,L
	attach "$BATS_TEST_TMPDIR/disk" -r
	check "$loop"
	expect 1
}

state() { # the bytes, the nodes, how often the kernel has written
	sha256sum "$loop"
	ls -l "$loop"*
	awk '{ print $5, $7 }' "/sys/block/${loop##*/}/stat"
}

@test "a check leaves bytes and nodes of a device alone" {
	dos "$BATS_TEST_TMPDIR/disk" 64M 63,20000,L 32768,40960,L
	attach "$BATS_TEST_TMPDIR/disk"
	nodes
	before=$(state)
	check "$loop"
	check "${loop}p1"
	[ "$before" = "$(state)" ]
}

@test "a mounted device is checked, and its user named" {
	truncate -s 64M "$BATS_TEST_TMPDIR/disk"
	dos "$BATS_TEST_TMPDIR/disk" 64M 2048,40960,L
	mkfs.ext4 -q -F -E offset=1048576 "$BATS_TEST_TMPDIR/disk" 20480
	attach "$BATS_TEST_TMPDIR/disk"
	nodes
	mkdir "$BATS_TEST_TMPDIR/mnt"
	mount -o ro "${loop}p1" "$BATS_TEST_TMPDIR/mnt" || skip 'no mount to be had'
	check --verbose "$loop"
	umount "$BATS_TEST_TMPDIR/mnt"
	expect 0
	has "mounted on $BATS_TEST_TMPDIR/mnt"
}

@test "a loop device without a backing file: one line, exit 2" {
	for free in /dev/loop[0-9]*; do
		[ -b "$free" ] && [ "$(cat "/sys/block/${free##*/}/size" 2>/dev/null)" = 0 ] && break
		free=
	done
	[ -n "$free" ] || skip 'no free loop device'
	check "$free"
	expect 2
	[ "${#stderr_lines[@]}" = 1 ]
	[ -z "$output" ]
}

@test "--all leaves loop devices out" {
	dos "$BATS_TEST_TMPDIR/disk" 64M 63,20000,L
	attach "$BATS_TEST_TMPDIR/disk"
	check_json --all
	((status <= 2))
	is '[.devices[] | select(.path | test("loop|ram|zram|dm-|/sr"))] | length' 0
}
