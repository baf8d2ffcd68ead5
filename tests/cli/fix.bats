#!/usr/bin/env bats
# --fix, --resume and --undo as their users meet them: real tables, real file systems, a process that is
# killed, paused or refused. What a power cut leaves is the crash suites' matter (tests/README.md).
# SC2154: helper.bash and bats set path, json, status, output; SC2034: and read ran and json; SC2030,
# SC2031: each test is a subshell.
# shellcheck disable=SC2154,SC2034,SC2030,SC2031
load helper

setup() {
	loop=
	export MTOOLS_SKIP_CHECK=1
	cd "$BATS_TEST_TMPDIR" || exit 1
}

teardown() { # after a failure too
	[ -z "${mounted-}" ] || umount "$mounted" || true
	[ -z "${swap-}" ] || swapoff "$swap" || true
	[ -z "$loop" ] || { partx -d "$loop" 2>/dev/null || true; losetup -d "$loop"; }
}

attach() { # attach IMAGE: as $loop with its partitions' nodes, or the test is skipped
	loop=$(losetup -f --show "${@:2}" "$1" 2>/dev/null) || { loop=; skip 'no loop device to be had'; }
	partx -a "$loop" 2>/dev/null || true
	[ -b "${loop}p1" ] || skip 'no partition nodes to be had'
}

# sum IMAGE START SECTORS: of a partition's bytes
sum() { dd if="$1" bs=512 skip="$2" count="$3" status=none | sha256sum; }

# One partition of random bytes at 63 in 32 MiB, as $disk; $want is what its bytes must be.
simple() {
	disk=disk.img
	rm -f "$disk"
	dos "$disk" 32M 63,40000,L
	dd if=/dev/urandom of="$disk" bs=512 seek=63 count=40000 conv=notrunc status=none
	want=$(sum "$disk" 63 40000)
	cp "$disk" before.img
}

is_new() { [ "$(sum "$disk" 2048 40000)" = "$want" ] || fail "the data is not at its new place"; }
is_old() { cmp "$disk" before.img; }

starts_removed() { sfdisk -J "$1" | jq '.partitiontable | del(.device, .partitions[].node, .partitions[].start)'; }

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

@test "case 16: no room: refused by how many sectors, and untouched" {
	dos disk.img 64M 63,131009,L # up to the last sector
	before=$(sha256sum <disk.img)
	check --fix --yes disk.img
	expect 2
	has '1985 more sectors' "$stderr"
	[ "$(sha256sum <disk.img)" = "$before" ]
	[ ! -e disk.img.alignck ]
}

@test "not asked: without a terminal and without --yes nothing happens" {
	simple
	check --fix "$disk"
	expect 2
	has '--yes' "$stderr"
	is_old
	[ ! -e disk.img.alignck ]
}

@test "case 45: asked on a terminal, the default is no, and no journal stays" {
	command -v script >/dev/null || skip 'script is not installed'
	simple
	run script -qec "'$ALIGNCK' --fix $disk" /dev/null <<<$'\n'
	[ "$status" = 2 ] || fail "$output"
	is_old
	[ ! -e disk.img.alignck ]
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

@test "a table that libfdisk cannot express is refused, by --dry-run too" {
	dos disk.img 64M 2048,100000,E 4095,20000,L
	printf '\1' | dd of=disk.img bs=1 seek=$((2048 * 512 + 446)) conv=notrunc status=none # boot indicator 0x01
	before=$(sha256sum <disk.img)
	check --fix --dry-run disk.img
	expect 2
	has 'boot indicator of 0x01' "$stderr"
	check --fix --dry-run --json disk.img
	expect 2
	json=$output
	is '.devices[0].plan.feasible' false
	check --fix --yes disk.img
	expect 2
	has 'boot indicator of 0x01' "$stderr"
	[ "$(sha256sum <disk.img)" = "$before" ]
	[ ! -e disk.img.alignck ]
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

@test "case 42: a gap with data in it is not free" {
	dos disk.img 64M 63,102400,L
	printf 'precious' | dd of=disk.img bs=512 seek=103000 conv=notrunc status=none # the new end would cover it
	before=$(sha256sum <disk.img)
	check --fix --yes disk.img
	expect 2
	[ "$(sha256sum <disk.img)" = "$before" ]
}

@test "case 43: in use: mounted, swapped on, held by a loop device: each by name" {
	truncate -s 128M disk.img
	dos disk.img 128M 63,40000,L 60001,40000,S
	attach disk.img
	mkfs.ext4 -q -F "${loop}p1"
	mkdir -p at
	if mount "${loop}p1" at 2>/dev/null; then
		mounted=$PWD/at
		check --fix --yes --journal journal "$loop"
		expect 2
		has "mounted on $mounted" "$stderr"
		umount at
		mounted=
	fi
	mkswap "${loop}p2" >/dev/null
	if swapon "${loop}p2" 2>/dev/null; then
		swap=${loop}p2
		check --fix --yes --journal journal "$loop"
		expect 2
		has swap "$stderr"
		swapoff "$swap"
		swap=
	fi
	before=$(sha256sum <disk.img)
	check --fix --yes --journal journal disk.img
	expect 2
	has "${loop#/dev/}" "$stderr"
	[ "$(sha256sum <disk.img)" = "$before" ]
}

@test "refused tables: hybrid, overlap, damaged, dynamic disk; nothing is written" {
	for name in 12-hybrid 40-overlap 14-gptbad; do
		[ -f "$images/$name.img" ] || continue
		cp --sparse=always "$images/$name.img" t.img
		before=$(sha256sum <t.img)
		check --fix --yes t.img
		expect 2
		[ "$(sha256sum <t.img)" = "$before" ]
	done
	dos ldm.img 64M 63,40000,42
	check --fix --yes ldm.img
	expect 2
	has 'dynamic' "$stderr"
}

@test "case 41: a suspended swap area is refused" {
	dos disk.img 64M 63,40000,S
	mkswap -o 32256 disk.img >/dev/null 2>&1 || dd if=/dev/zero of=disk.img bs=1 seek=36342 count=0 conv=notrunc status=none
	printf 'S1SUSPEND\0' | dd of=disk.img bs=1 seek=$((63 * 512 + 4086)) conv=notrunc status=none
	before=$(sha256sum <disk.img)
	check --fix --yes disk.img
	expect 2
	has 'suspend' "$stderr"
	[ "$(sha256sum <disk.img)" = "$before" ]
}

@test "case 45: resume and undo without a journal, with a foreign one, with a damaged one" {
	simple
	check --resume "$disk"
	expect 2
	check --undo "$disk"
	expect 2
	is_old
	cp "$disk" foreign.img
	truncate -s 65M foreign.img
	check --fix --yes foreign.img
	expect 0
	check --resume --journal foreign.img.alignck "$disk"
	expect 2
	is_old
	stop_at KILL 9 "$ALIGNCK" --fix --yes "$disk"
	[ "$status" = 137 ]
	cp "$disk" covered.img
	cp disk.img.alignck whole
	check --resume --journal foreign.img.alignck "$disk"
	expect 3
	dd if=/dev/zero of=disk.img.alignck bs=512 count=8 conv=notrunc status=none
	check --resume "$disk"
	expect 3
	rm disk.img.alignck
	check --undo "$disk"
	expect 3
	has disk.img.alignck "$stderr"
	cmp "$disk" covered.img
	check --resume --journal whole "$disk"
	expect 0
	is_new
}

@test "an image open in a running machine is refused (OFD lock)" {
	simple
	command -v python3 >/dev/null || skip 'python3 is not installed'
	python3 -S -c '
import fcntl, struct, subprocess, sys
f = open("disk.img", "r+b")
fcntl.fcntl(f, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0)) # F_OFD_SETLK
sys.exit(subprocess.call(sys.argv[1:]))' "$ALIGNCK" --fix --yes "$disk" 2>stderr && fail 'not refused'
	has 'in use' "$(<stderr)"
	is_old
}

@test "no space for the journal: refused, nothing written, no journal left" {
	mkdir small
	mount -t tmpfs -o size=64K none small 2>/dev/null || skip 'no tmpfs to be mounted'
	mounted=$PWD/small
	simple
	check --fix --yes --journal small/journal "$disk"
	expect 2
	is_old
	[ ! -e small/journal ]
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
