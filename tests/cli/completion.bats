#!/usr/bin/env bats
# bash completion, asked as bash asks it.

setup() {
	cd "$BATS_TEST_TMPDIR"
	mkdir -p dir
	touch dir/disk.img
	# shellcheck source=/dev/null
	source "$BATS_TEST_DIRNAME/../../man/alignck.bash"
	compopt() { :; } # only inside a real completion
}

complete_words() { # complete_words WORD...: the last one is completed; prints the answers
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	_alignck alignck "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
	echo "${COMPREPLY[*]}"
}

@test "options" {
	[ "$(complete_words alignck --no)" = "--noheadings" ]
	[ "$(complete_words alignck --physical)" = "--physical-sector=" ]
}

@test "columns, each once" {
	[ "$(complete_words alignck -o MOD)" = MODEL ]
	[ "$(complete_words alignck -o NAME,START,MOD)" = NAME,START,MODEL ]
	[ "$(complete_words alignck -o +ZON)" = +ZONED ]
	[ "$(complete_words alignck -o NAME,NAM)" = "" ]
}

@test "columns after an equals sign, split by bash or not" {
	[ "$(complete_words alignck --output = ZON)" = ZONED ]
	[ "$(complete_words alignck --output =)" = "$(complete_words alignck -o '')" ]
	[ "$(complete_words alignck --output=ZON)" = ZONED ]
}

@test "files" {
	[ "$(complete_words alignck dir/)" = dir/disk.img ]
	[ "$(complete_words alignck --json dir/)" = dir/disk.img ]
	[ "$(complete_words alignck --sysroot d)" = dir ]
}
