#!/usr/bin/env bats
# The machine dies in the middle of a fix: qemu is killed, another guest finds the disk.
# SC2154: host.bash and bats set output, status; SC2016: the guest expands.
# shellcheck disable=SC2154,SC2016
load ../host

setup() {
	cd "$BATS_TEST_DIRNAME/../../.." || exit 1
	need_guests
	dir=$BATS_TEST_TMPDIR
	truncate -s 160M "$dir/disk"
	drive=(-drive "if=none,id=d,file=$dir/disk,format=raw,cache=writeback")
}

@test "virtio: killed while it fixes, twice while it resumes; then every file is whole" {
	drive+=(-device 'virtio-blk-pci,drive=d')
	guest fill_disk "${drive[@]}" >"$dir/before"
	[ "$(grep -c ^sum "$dir/before")" = 12 ]
	doomed 'doom 30000 --fix --yes' NOW "${drive[@]}"
	# The cover's one entry, of type DA, begins at 1.
	run guest state "${drive[@]}"
	[[ $output == *'--resume'*'exit 3'*'nodes: 1 ' ]] || fail "$output"
	doomed 'doom 40000 --resume' NOW "${drive[@]}"
	doomed 'doom 30000 --resume' NOW "${drive[@]}"
	guest 'alignck --resume $disk && state && sums' "${drive[@]}" >"$dir/after" || fail "$(cat "$dir/after")"
	grep -q 'exit 0' "$dir/after"
	grep -q 'nodes: 2048 ' "$dir/after"
	diff <(grep ^sum "$dir/before") <(grep ^sum "$dir/after")
}

@test "NVMe: killed while it fixes, and while it undoes; then every byte is as it was" {
	drive+=(-device 'nvme,drive=d,serial=n1')
	guest fill_disk "${drive[@]}" >"$dir/before"
	cp --sparse=always "$dir/disk" "$dir/disk.before"
	doomed 'doom 100000 --fix --yes' NOW "${drive[@]}"
	doomed 'doom 40000 --undo' NOW "${drive[@]}"
	guest 'alignck --undo $disk && state && sums' "${drive[@]}" >"$dir/after" || fail "$(cat "$dir/after")"
	grep -q 'nodes: 63 120063' "$dir/after"
	diff <(grep ^sum "$dir/before") <(grep ^sum "$dir/after")
	cmp <(head -c $((260063 * 512)) "$dir/disk") <(head -c $((260063 * 512)) "$dir/disk.before")
}
