#!/usr/bin/env bats
# The man page's examples are run as they stand, in their order; and what else it shows is true.

setup() {
	cd "$BATS_TEST_TMPDIR"
	PATH=$(dirname "$ALIGNCK"):/usr/sbin:/sbin:$PATH
	page=$BATS_TEST_DIRNAME/../../man/alignck.8
}

@test "every example of the man page runs" {
	local line count=0
	while IFS= read -r line; do
		count=$((count + 1))
		# misaligned (1) is an answer, anything above is not; nothing on standard error
		run bash -c "exec 2>>err; $line"
		echo "$line: exit $status: $output"
		[ "$status" -le 1 ]
		[ ! -s err ]
	done < <(sed -n 's/^\.Dl \$ //p' "$page")
	[ "$count" -ge 6 ]
	[ -s alignck.prom ]
}

@test "the example's sector 63 is on a boundary of a medium below that starts a sector earlier" {
	truncate -s 100M disk.img
	echo 63,81920 | sfdisk --quiet --label dos disk.img
	run alignck disk.img
	[ "$status" = 1 ]
	run alignck --image-offset=1s disk.img
	echo "$output"
	[ "$status" = 0 ]
}

@test "the alias of the man page works" {
	truncate -s 100M disk.img
	echo 2048,81920 | sfdisk --quiet --label dos disk.img
	sed -n 's/^\.Dl \(alignck alias.*\)/\1/p' "$page" >.popt
	[ -s .popt ]
	HOME=$PWD run alignck --mine --noheadings --raw disk.img
	echo "$output"
	[ "$status" = 0 ]
	[ "${lines[1]}" = "disk.img1 2048 aligned" ]
}
