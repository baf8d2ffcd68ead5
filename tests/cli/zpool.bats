#!/usr/bin/env bats
# ZFS vdevs that zpool makes: their ashift as zdb prints it, from whichever of the four labels is left. Where no
# ZFS runs, zfs-fuse, which needs no kernel module, is started for these tests; packages.txt does not have it, as
# installing it would remove another ZFS.
# SC2154: helper.bash and bats set path, json, status, output; SC2030, SC2031: each test is a subshell.
# shellcheck disable=SC2154,SC2030,SC2031
load helper

MAGIC=117a0cb17ada1002 # ends the checksum of a label that was written

setup_file() {
	export PATH=$PATH:/usr/sbin:/sbin pool=alignck$$
	cd "$BATS_FILE_TMPDIR" || exit 1
	if zpool list >/dev/null 2>&1 || ! command -v zfs-fuse >/dev/null; then return; fi
	zfs-fuse --no-daemon --pidfile "$PWD/pid" >log 2>&1 3>&- &
	echo $! >daemon
	local end=$((SECONDS + 10))
	until zpool list >/dev/null 2>&1 || ((SECONDS > end)) || ! kill -0 $! 2>/dev/null; do :; done
}

teardown_file() {
	cd "$BATS_FILE_TMPDIR" || return 0
	zpool destroy "$pool" 2>/dev/null || true
	[ ! -f daemon ] || kill "$(<daemon)" 2>/dev/null || true
}

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	command -v zpool >/dev/null || skip 'zpool is not installed'
	zpool list >/dev/null 2>&1 || skip 'no ZFS runs here'
}

make_pool() { # make_pool ASHIFT WORD...: with these vdevs, then exported: what is in the files is all there is
	zpool create -f -m none -o ashift="$1" "$pool" "${@:2}"
	zpool export "$pool"
}

printed() { zdb -l "$1" | awk '$1 == "ashift:" { print $2; exit }'; }

@test "ashift 9, 12 and 13 of a vdev in a partition, and of a whole disk" {
	for ashift in 9 12 13; do
		rm -f vdev disk.img
		truncate -s 100M vdev
		make_pool "$ashift" "$PWD/vdev"
		[ "$(printed vdev)" = $ashift ]
		check_json vdev
		expect 0
		is '.devices[0].content[] | "\(.type) \(.data_offset) \(.ashift) \(.block_size)"' \
			"zfs_member 4194304 $(printed vdev) $((1 << ashift))"
		dos disk.img 110M 2048,204800,bf
		dd if=vdev of=disk.img bs=1M seek=1 conv=notrunc,sparse status=none
		check_json disk.img
		expect 0
		is '.devices[0].partitions[0].content[] | "\(.type) \(.data_offset) \(.ashift)"' "zfs_member 5242880 $(printed vdev)"
		if [ $ashift = 9 ]; then finds ashift-too-small warning; else finds_no ashift-too-small; fi
		check_json --physical-sector 16K disk.img
		finds ashift-too-small warning # 13 is not enough for that
	done
}

@test "mirror and raidz: every member has the ashift" {
	truncate -s 100M one two three
	for vdev in mirror raidz; do
		make_pool 12 $vdev "$PWD"/{one,two,three}
		for member in one two three; do
			check_json $member
			is '.devices[0].content[0].ashift' "$(printed "$member")"
		done
		check_json --physical-sector=16K one two
		is .pool.ashift 14
	done
}

@test "any one of the four labels is enough" {
	truncate -s 100M whole
	make_pool 13 "$PWD/whole"
	size=$(stat -c %s whole) label=$((256 * 1024))
	places=(0 "$label" $((size - 2 * label)) $((size - label)))
	for keep in 0 1 2 3; do
		cp --sparse=always whole vdev
		for place in "${places[@]}"; do
			[ "$(dd if=vdev bs=1 skip=$((place + 128 * 1024 - 40)) count=8 status=none | od -An -tx1 | tr -d ' \n')" = $MAGIC ]
			[ "$place" = "${places[keep]}" ] ||
				dd if=/dev/zero of=vdev bs=64K seek="$place" oflag=seek_bytes count=2 conv=notrunc status=none
		done
		check_json vdev
		is '.devices[0].content[0] | "\(.type) \(.ashift)"' "zfs_member $(printed vdev)"
	done
}
