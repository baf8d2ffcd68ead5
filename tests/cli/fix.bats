#!/usr/bin/env bats
# --fix, --resume and --undo as their users meet them: real tables, real file systems, a process that is
# killed, paused or refused. What a power cut leaves is the crash suites' matter (tests/README.md).
# SC2154: helper.bash and bats set path, json, status, output; SC2034: and read ran and json; SC2030,
# SC2031: each test is a subshell.
# shellcheck disable=SC2154,SC2034,SC2030,SC2031
load fix

@test "case 35: a disk of the CHS era: only starts change, file systems are whole, undo restores it" {
	for tool in mkfs.ntfs ntfsfix mkfs.fat fsck.fat mcopy; do
		command -v "$tool" >/dev/null || skip "$tool is not installed"
	done
	truncate -s 256M disk.img
	printf '%s\n' o n p 1 63 80324 n e 2 80325 520000 n l 80388 160649 n l 160713 240974 n l 241038 401624 w |
		fdisk -c=dos -u=sectors -H 255 -S 63 -C 32 disk.img >/dev/null 2>&1
	attach disk.img
	mkdir files && head -c 5000000 /dev/urandom >files/a && seq 100000 >files/b
	mkfs.ext4 -q -F -b 4096 -d files "${loop}p1"
	mkfs.fat -F 16 -s 8 "${loop}p5" >/dev/null 2>&1
	mcopy -i "${loop}p5" files/a files/b ::
	mkfs.ntfs -Q -q -F -p 160713 -H 255 -S 63 "${loop}p6" >/dev/null
	mkfs.ext4 -q -F -b 4096 -d files "${loop}p7"
	sync
	starts_removed "$loop" >before.json
	sfdisk -J "$loop" >before.full
	cp disk.img before.img
	check "$loop"
	expect 1
	check --fix --yes --journal journal "$loop"
	expect 0
	has "$BATS_TEST_TMPDIR/journal.sfdisk"
	starts_removed "$loop" | jq 'del(.partitions[1].size)' >after.json # the container grows
	jq 'del(.partitions[1].size)' before.json | diff - after.json
	check "$loop"
	expect 0
	e2fsck -fn "${loop}p1" && e2fsck -fn "${loop}p7"
	fsck.fat -n "${loop}p5"
	ntfsfix -n "${loop}p6"
	[ "$(dd if="${loop}p6" bs=1 skip=28 count=4 status=none | od -An -tu4 | tr -d ' ')" = \
		"$(sfdisk -J "$loop" | jq '.partitiontable.partitions[] | select(.node | endswith("p6")).start')" ]
	for p in 1 7; do
		debugfs -R 'cat /a' "${loop}p$p" 2>/dev/null | cmp - files/a
		debugfs -R 'cat /b' "${loop}p$p" 2>/dev/null | cmp - files/b
	done
	mcopy -n -i "${loop}p5" ::a - | cmp - files/a
	mcopy -n -i "${loop}p5" ::b - | cmp - files/b
	check --undo --journal journal "$loop"
	expect 0
	sfdisk -J "$loop" | diff before.full -
	sync "$loop"
	cmp disk.img before.img
}

@test "a GPT partition at 34: moved, sgdisk finds nothing, undo restores table and bytes" {
	command -v sgdisk >/dev/null || skip 'sgdisk is not installed'
	gpt disk.img 128M 34,200000 210000,30000
	attach disk.img
	mkfs.ext4 -q -F -b 4096 "${loop}p1"
	sync
	cp disk.img before.img
	starts_removed "$loop" >before.json
	check --fix --yes --journal journal "$loop"
	expect 0
	starts_removed "$loop" | diff before.json -
	sgdisk -v "$loop" | grep -q 'No problems found'
	e2fsck -fn "${loop}p1"
	check "$loop"
	expect 0
	check --undo --journal journal "$loop"
	expect 0
	sync "$loop"
	cmp disk.img before.img
}

@test "case 34, 36: a sector or two, odd sizes, back to back, into a hole; what need not move stays" {
	local entries starts n=0
	data() { sfdisk -J "$1" | jq -r '.partitiontable.partitions[] | select(.type != "5") | "\(.start) \(.size)"'; }
	while read -r entries; do
		rm -f ./*
		disk=disk.img
		# shellcheck disable=SC2086 # words
		dos "$disk" 64M $entries
		starts=$(data "$disk")
		while read -r start size; do
			dd if=/dev/urandom of="$disk" bs=512 seek="$start" count="$size" conv=notrunc status=none
			sum "$disk" "$start" "$size"
		done <<<"$starts" >sums
		cp "$disk" before.img
		check --fix --yes "$disk"
		expect 0
		data "$disk" >new
		while read -r start size; do
			((start % 8 == 0)) || fail "$entries: $start"
			sum "$disk" "$start" "$size"
		done <new | diff sums -
		[ "$(cut -d ' ' -f 2 new)" = "$(cut -d ' ' -f 2 <<<"$starts")" ] || fail "$entries: sizes"
		while read -r start size <&3 && read -r to _ <&4; do
			((start % 8)) || [ "$start" = "$to" ] || [[ $entries == 63,1,L* ]] || fail "$entries: $start moved"
		done 3<<<"$starts" 4<new
		check --undo "$disk"
		expect 0
		is_old || fail "$entries: undo"
		n=$((n + 1))
	done <<-'END'
		2047,10001,L 14336,999,L
		2049,10001,L 20001,1,L 30003,5000,L
		63,1,L 64,7,L 72,100,L 4097,100003,L
		2055,4096,L 8192,50000,L 58193,777,L
		12288,100,L 63,1000,L 4096,5001,L
		63,20000,L 20063,100000,E 20126,30000,L 50127,7,L 50135,30001,L
		4095,100000,E 4158,5000,L 9159,5001,L
	END
	[ "$n" = 7 ]
}

@test "case 46: PARTUUID and an id with leading zeros stay" {
	disk=disk.img
	dos "$disk" 32M 'label: dos' 'label-id: 0x00000abc' '' 63,40000,L
	uuid=$(blkid -p -o value -s PTUUID "$disk")
	[ "$(sfdisk -J "$disk" | jq -r '.partitiontable.id')" = 0x00000abc ]
	check --fix --yes "$disk"
	expect 0
	[ "$(sfdisk -J "$disk" | jq -r '.partitiontable.id')" = 0x00000abc ]
	[ "$(blkid -p -o value -s PTUUID "$disk")" = "$uuid" ]
	check_json "$disk"
	is '.devices[0].table.id' 00000abc
}

@test "an MBR that counts 4096-byte sectors: the kernel is told in the right unit, by undo as well" {
	truncate -s 128M disk.img
	loop=$(losetup -f --show --sector-size 4096 disk.img 2>/dev/null) || { loop=; skip 'no loop device to be had'; }
	echo 63,8000,L | sfdisk -q --no-reread --no-tell-kernel "$loop"
	partx -a "$loop" 2>/dev/null || skip 'no partition nodes to be had'
	node=/sys/class/block/${loop#/dev/}p1
	for command in '--fix --yes --journal journal --physical-sector 16K' '--undo --journal journal'; do
		# shellcheck disable=SC2086 # words
		check $command "$loop"
		expect 0
		start=$(sfdisk -J "$loop" | jq '.partitiontable.partitions[0].start')
		[ "$(<"$node/start")" = $((start * 8)) ] || fail "$command: the kernel has $(<"$node/start")"
		[ "$(<"$node/size")" = 64000 ]
	done
}

@test "a disk of 4096-byte sectors: moved in its own units" {
	truncate -s 128M disk.img
	loop=$(losetup -f --show --sector-size 4096 disk.img 2>/dev/null) || { loop=; skip 'no loop device to be had'; }
	printf '%s\n' 'label: gpt' 'first-lba: 6' 6,8000 9000,8000 | sfdisk -q --no-reread --no-tell-kernel "$loop"
	dd if=/dev/urandom of="$loop" bs=4096 seek=6 count=8000 conv=notrunc status=none
	before=$(dd if="$loop" bs=4096 skip=6 count=8000 status=none | sha256sum)
	check --fix --yes --journal journal --physical-sector 16K --only 1 "$loop"
	expect 0
	check_json "$loop"
	is '.devices[0].partitions[0].start_sector' 256
	[ "$(dd if="$loop" bs=4096 skip=256 count=8000 status=none | sha256sum)" = "$before" ]
	check --undo --journal journal "$loop"
	expect 0
	[ "$(dd if="$loop" bs=4096 skip=6 count=8000 status=none | sha256sum)" = "$before" ]
}

@test "killed in the middle: nobody finds a partition, exit 3 says what to run, resume finishes" {
	simple
	stop_at KILL 9 "$ALIGNCK" --fix --yes "$disk"
	[ "$status" = 137 ] || fail "exit $status: $stderr"
	check "$disk"
	expect 3
	has '--resume disk.img'
	has '--undo disk.img'
	check_json "$disk"
	finds unfinished-realignment error
	[ "$(sfdisk -J "$disk" | jq -r '[.partitiontable.partitions[].type] | tostring')" = '["da"]' ]
	[ -z "$(blkid -p -o value -s TYPE "$disk")" ]
	check --fix --yes "$disk"
	expect 3
	check --resume "$disk"
	expect 0
	is_new
	check "$disk"
	expect 0
	check --undo "$disk"
	expect 0
	is_old
}

@test "killed in the middle and undone: every byte is as it was" {
	simple
	stop_at KILL 11 "$ALIGNCK" --fix --yes "$disk"
	[ "$status" = 137 ]
	stop_at KILL 8 "$ALIGNCK" --undo "$disk"
	check --undo "$disk"
	expect 0
	is_old
	check --fix --yes --journal second "$disk"
	expect 0
	is_new
}

@test "killed, then copied to another file name: the cover still knows its journal" {
	simple
	stop_at KILL 9 "$ALIGNCK" --fix --yes "$disk"
	mv "$disk" other.img
	disk=other.img
	check "$disk"
	expect 3
	check --resume "$disk"
	expect 0
	is_new
}

@test "killed at every flush there is, resumed or undone" {
	local n
	for n in $(seq 1 60); do
		simple
		rm -f disk.img.alignck*
		stop_at KILL "$n" "$ALIGNCK" --fix --yes "$disk"
		[ "$status" = 137 ] || break
		if ((n % 2)); then
			check --undo "$disk"
			[ "$status" = 0 ] || [ ! -s disk.img.alignck ] || [[ $stderr == *'no journal'* || $stderr == *'header'* ]] ||
				fail "undo after flush $n: $stderr"
			is_old
		else
			check "$disk"
			[ "$status" = 3 ] || { is_old && continue; } || is_new
			check --resume "$disk"
			[ "$status" = 0 ] || fail "resume after flush $n: $stderr"
			is_new
		fi
	done
	expect 0
	[ "$n" -gt 9 ] || fail "only $n flushes"
	is_new
}

@test "SIGINT pauses, and the printed command continues" {
	simple
	stop_at INT 9 "$ALIGNCK" --fix --yes "$disk"
	expect 3
	has 'paused' "$stderr"
	command=$(sed -n 's/^  go on: *//p' <<<"$stderr")
	[ "$command" = 'alignck --resume disk.img' ] || fail "$stderr"
	eval "${command/alignck/\"\$ALIGNCK\"}"
	is_new
}

@test "^C on a terminal: asked, answered, moving, and paused at a safe place" {
	local pid
	command -v strace >/dev/null || skip 'strace is not installed'
	simple
	mkfifo keys
	ASAN_OPTIONS=detect_leaks=0 script -qec "strace -f -qq -o calls -e trace=fdatasync -e inject=fdatasync:signal=STOP:when=9 \
		'$ALIGNCK' --fix $disk" /dev/null <keys >said 3>&- &
	exec 9>keys
	until_is grep -q '\[y/N\]' said
	is_old
	echo y >&9
	until_is grep -q 'stopped by SIGSTOP' calls
	pid=$(sed -n 's/ .*stopped by SIGSTOP.*//p' calls)
	printf '\003' >&9
	until_is grep -q '^ShdPnd:.*2$' "/proc/$pid/status"
	kill -CONT "$pid"
	status=0
	wait $! || status=$?
	exec 9>&-
	[ "$status" = 3 ] || fail "exit $status: $(<said)"
	grep -q -- "--resume $disk" said
	check --resume "$disk"
	expect 0
	is_new
}

@test "--dry-run: the plan as text and JSON, the exit status of the check, nothing changed" {
	simple
	check --fix --dry-run "$disk"
	expect 1
	has 'sector 63 to 2048'
	check --fix --dry-run --json "$disk"
	expect 1
	json=$output
	is '.devices[0].plan | [.feasible, .bytes_to_move, .journal.where] | tostring' '[true,20480000,"file"]'
	is '.devices[0].plan.moves | [.[] | [.number, .from, .to, .size]] | tostring' '[[1,32256,1048576,20480000]]'
	is '.devices[0].plan.layout | tostring' '[{"number":1,"start":1048576,"size":20480000}]'
	is '.devices[0].plan.attention | type' array
	is_old
}

@test "--dry-run: how long it takes is said as unknown while nobody has measured" {
	simple
	check --fix --dry-run "$disk"
	has 'how long that takes is unknown'
	check --fix --dry-run --json "$disk"
	json=$output
	is '.devices[0].plan | has("seconds"), .seconds' $'true\nnull'
}

@test "--grain and --only" {
	dos disk.img 64M 63,20000,L 20063,20000,L 60000,1000,L
	check --fix --dry-run --json --grain 4K disk.img
	json=$output
	is '[.devices[0].plan.layout[].start % 4096] | tostring' '[0,0,0]'
	check --fix --dry-run --json --only 1 disk.img
	json=$output
	is '.devices[0].plan.layout[0].start % 1048576' 0
	is '.devices[0].plan.layout[2].start' $((60000 * 512))
	check --fix --dry-run --grain 1000 disk.img
	has 'because the device requires multiples of 4K'
}

@test "case 6: the jumper drive: 2048 becomes 2055" {
	disk_with sda 64M 'pbs=4096 offset=3584' 2048,20000,L
	check --sysroot "$sysroot" /dev/sda
	expect 1
	has 'sector 7'
}

@test "usage: commands and their options" {
	check --fix
	expect 64
	check --fix a b
	expect 64
	check --fix --resume a
	expect 64
	check --only 1 a
	expect 64
	has -- --only "$stderr"
	check --fix --only x a
	expect 64
	check --resume --nagios a
	expect 64
	check --fix missing.img
	expect 2
}

@test "two copies of a paused image and one journal: only the one it went on with" {
	simple
	stop_at KILL 12 "$ALIGNCK" --fix --yes "$disk"
	cp "$disk" copy.img
	cp disk.img.alignck journal
	check --resume copy.img # its cover names the journal
	expect 0
	before=$(sha256sum <"$disk")
	for command in --resume --undo; do
		check $command "$disk"
		expect 3
		has 'another copy of this disk' "$stderr"
		[ "$(sha256sum <"$disk")" = "$before" ]
	done
	mv journal disk.img.alignck
	check --undo "$disk"
	expect 0
	is_old
}

@test "--json: one document, and what is left to know on standard error" {
	simple
	check --fix --yes --json "$disk"
	expect 0
	jq -e '.devices[0].plan.moves | length == 1' <<<"$output" >/dev/null
	has 'old table is saved in' "$stderr"
	has 'puts everything back' "$stderr"
	is_new
}

@test "--only what is aligned by now is done, though another is not" {
	dos disk.img 64M 63,20000,L 40063,20000,L
	check --fix --yes --only 2 disk.img
	expect 0
	check --fix --yes --only 2 disk.img
	expect 0
	check --fix --yes --only 1,2 --dry-run disk.img # as the check
	expect 1
}

@test "the table before an earlier fix stays saved" {
	dos disk.img 64M 63,20000,L 40063,20000,L
	check --fix --yes --only 2 disk.img
	expect 0
	rm disk.img.alignck
	cp disk.img.alignck.sfdisk first
	check --fix --yes disk.img
	expect 0
	has "disk.img.alignck.sfdisk.1"
	cmp first disk.img.alignck.sfdisk
	grep -q 'start= *63,' disk.img.alignck.sfdisk.1
	lacks 40063 "$(<disk.img.alignck.sfdisk.1)"
}

@test "case 40: metadata at the end of a partition stays that of the partition, and never becomes the disk's" {
	command -v mdadm >/dev/null || skip 'mdadm is not installed'
	dos disk.img 64M 63,129000,fd
	hand md090 disk.img 63 $((129000 / 128 * 128 - 128))
	check --fix --yes disk.img
	expect 0
	dd if=disk.img of=part bs=512 skip=2048 count=129000 status=none
	mdadm --examine part | grep -q 'Version : 0.90'
	lacks Version "$(mdadm --examine disk.img)"
	lacks raid "$(blkid -p disk.img)"
	# At the end of the disk the covered disk itself would be taken for the member.
	dos end.img 64M 63,129024,fd
	hand md090 end.img 63 $((129024 - 128))
	before=$(sha256sum <end.img)
	check --fix --yes end.img
	expect 2
	has 'the whole disk would be taken for the member' "$stderr"
	[ "$(sha256sum <end.img)" = "$before" ]
}
