#!/usr/bin/env bats
# The short, seeded part of what `make check-crash` does at length (tests/crash).
# SC2154: helper.bash and bats set status and output.
# shellcheck disable=SC2154
load helper

# from outside: a script of tests/crash that exits 77 where this machine cannot give what it needs
outside() {
	run env ALIGNCK="$ALIGNCK" "$tests/crash/$1" "$2"
	[ "$status" != 77 ] || skip "${output#skipped: }"
	echo "$output"
	[ "$status" = 0 ]
}

@test "kill -9 under real file systems: hidden after it, whole after resume and undo" {
	outside kill 2
}

@test "crash states from a log of the disk that qemu writes: whole after resume and undo" {
	outside states 240
}
