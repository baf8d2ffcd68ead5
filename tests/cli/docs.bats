#!/usr/bin/env bats
# What README.md and the man page show is what the program prints.
# SC2154: helper.bash and bats set path, json, status, output.
# shellcheck disable=SC2154
load helper

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	cd "$BATS_TEST_TMPDIR" || exit 1
	mkdir bin && ln -s "$ALIGNCK" bin/alignck
	PATH=$PWD/bin:$PATH
}

@test "the README's table is the program's own" {
	command -v cryptsetup >/dev/null || skip 'cryptsetup is not installed'
	dos disk.img 1G 63,204800,L 206848,,L
	mkfs.ext4 -q -F -b 4096 -E offset=$((63 * 512)) disk.img 100M 2>/dev/null
	truncate -s 32M luks && echo pw | cryptsetup -q luksFormat --type luks2 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 luks -
	dd if=luks of=disk.img bs=512 seek=206848 conv=notrunc,sparse status=none
	check disk.img
	expect 1
	sed -n '/^    \$ alignck disk.img$/,/^$/{/^    [^$]/s/^    //p}' "$top/README.md" | diff - <(printf '%s\n' "$output")
}

@test "the man page's examples run, in their order" {
	command -v jq >/dev/null || skip 'jq is not installed'
	local n=0 line
	while IFS= read -r line; do
		n=$((n + 1))
		bash -c "${line//\\e/\\}" >out 2>&1 || [ $? -le 3 ] || fail "$line: $(<out)"
		! grep -Eq 'not found|usage|see alignck --help' out || fail "$line: $(<out)"
	done < <(sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/s/^\.Dl \$ //p' "$top/man/alignck.8")
	[ "$n" -gt 5 ] || fail "only $n examples"
}
