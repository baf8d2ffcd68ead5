#!/usr/bin/env bats
# The machine dies in the middle of a fix: qemu is killed, another guest finds the disk.
# SC2154: host.bash sets status, output.
# shellcheck disable=SC2154
load ../host

setup() {
	cd "$BATS_TEST_DIRNAME/../../.." || exit 1
	need_guests
	dir=$BATS_TEST_TMPDIR
	truncate -s 320M "$dir/disk"
	drive=(-drive "if=none,id=d,file=$dir/disk,format=raw,cache=writeback" -device "$device,drive=d")
}

# Words that all guests of these tests start with: the disk, its files' checksums, who says what.
words='
. /t/vm/words.bash
modprobe -a virtio_pci virtio_blk nvme sd_mod virtio_scsi ext4
disk=$(the_disk)
'

device=virtio-blk-pci
prepare() { # two partitions full of files; their checksums are printed
	guest "$words"'
		printf "%s\n" 63,300000,L 300063,340000,L | sfdisk -q $disk
		wait_for ${disk}1 ${disk}2
		for n in 1 2; do
			mkfs.ext4 -q -F -b 4096 $disk$n
			mount $disk$n /mnt
			for i in $(seq 12); do head -c 8000000 /dev/urandom >/mnt/$i; done
			umount /mnt
			sums $disk$n
		done
		sync' "${drive[@]}"
}

kill_in_the_middle() { # kill_in_the_middle SECTORS COMMAND: after it has written so many
	doomed "$words"'
		'"$2"' &
		until [ "$(written $disk)" -ge '"$1"' ]; do kill -0 $! || exit 1; done
		echo NOW
		wait' NOW "${drive[@]}"
}

@test "killed while it fixes, and while it resumes: resumed to the end, every file whole" {
	prepare >"$dir/before"
	[ "$(grep -c ^sum "$dir/before")" = 24 ]
	kill_in_the_middle 60000 'alignck --fix --yes $disk'
	run guest "$words"'
		alignck $disk
		echo "exit $?"
		ls ${disk}?' "${drive[@]}"
	[[ $output == *'exit 3'* && $output == *--resume* && $output != *vda1* ]] || fail "$output"
	kill_in_the_middle 100000 'alignck --resume $disk'
	kill_in_the_middle 50000 'alignck --resume $disk'
	guest "$words"'
		alignck --resume $disk || exit
		[ "$(cat /sys/block/${disk#/dev/}/${disk#/dev/}1/start)" = 2048 ] || exit
		sums ${disk}1
		sums ${disk}2
		alignck $disk >/dev/null' "${drive[@]}" >"$dir/after" || fail "$(cat "$dir/after")"
	diff <(grep ^sum "$dir/before") <(grep ^sum "$dir/after")
}

@test "killed while it fixes, and while it undoes: undone to the end, every byte as it was" {
	prepare >"$dir/before"
	cp --sparse=always "$dir/disk" "$dir/disk.before"
	kill_in_the_middle 200000 'alignck --fix --yes $disk'
	kill_in_the_middle 80000 'alignck --undo $disk'
	guest "$words"'
		alignck --undo $disk || exit
		sums ${disk}1
		sums ${disk}2' "${drive[@]}" >"$dir/after" || fail "$(cat "$dir/after")"
	diff <(grep ^sum "$dir/before") <(grep ^sum "$dir/after")
	cmp <(head -c $((640063 * 512)) "$dir/disk") <(head -c $((640063 * 512)) "$dir/disk.before")
}
