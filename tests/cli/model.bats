#!/usr/bin/env bats
# The model of the relocation protocol (tests/model): a shard of it; check-crash runs all.

setup() {
	command -v python3 >/dev/null || skip "python3 is not installed"
	cd "$BATS_TEST_DIRNAME/../model" || return 1
}

@test "no crash of the small layouts loses a byte" {
	run python3 explore.py quick
	echo "$output"
	[ "$status" = 0 ]
	[[ "${lines[-1]}" == *", 0 layouts broken" ]]
}

@test "a rule left out is seen" {
	run python3 mutations.py flusheach sillback sillfree nexthalf coverflush
	echo "$output"
	[ "$status" = 0 ]
	[[ "${lines[-1]}" == *", 0 not caught" ]]
}

@test "copies of a disk that share a journal" {
	run python3 turns.py
	echo "$output"
	[ "$status" = 0 ]
	[[ "${lines[0]}" == *" states ok" ]]
	[ "${lines[-1]}" = 'every rule is needed' ]
}
