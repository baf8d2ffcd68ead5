#!/usr/bin/env bats
# The short, seeded part of what `make check-crash` does at length (tests/crash).
# SC2154: helper.bash and bats set status and output.
# shellcheck disable=SC2154
load helper

@test "kill -9 under real file systems: hidden after it, whole after resume and undo" {
	run env ALIGNCK="$ALIGNCK" "$tests/crash/kill" 2
	[ "$status" != 77 ] || skip "${output#skipped: }"
	echo "$output"
	[ "$status" = 0 ]
}
