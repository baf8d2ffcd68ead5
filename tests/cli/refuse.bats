#!/usr/bin/env bats
# What --fix, --resume and --undo refuse: each with its reason, and not a byte written.
# SC2154: helper.bash and bats set path, json, status, output; SC2034: and read ran and json; SC2030,
# SC2031: each test is a subshell.
# shellcheck disable=SC2154,SC2034,SC2030,SC2031
load fix

# refuses WORDS OPTION...: --fix --yes of $disk says so, and neither a byte nor a file is different
refuses() {
	local sum names
	sum=$(sha256sum <"$disk")
	names=$(ls)
	check --fix --yes "${@:2}" "$disk"
	expect 2
	has "$1" "$stderr"
	rm -f stderr
	[ "$(sha256sum <"$disk")" = "$sum" ] || fail "$ran: the disk was written"
	[ "$(ls)" = "$names" ] || fail "$ran: left $(ls)"
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

@test "the journal: no space for it, a name that is taken, a name too long, no directory" {
	simple
	mkdir small
	truncate -s 2M small.img
	mkfs.ext4 -q small.img 2>/dev/null
	mount -o loop small.img small 2>/dev/null || skip 'no file system to be mounted'
	mounted=$PWD/small
	refuses "cannot create its journal $PWD/small/journal of " --journal small/journal
	refuses 'bytes: No space left on device; name a file elsewhere with --journal' --journal small/journal
	[ ! -e small/journal ]
	umount small
	mounted=
	echo precious >taken
	refuses 'exists' --journal taken
	[ "$(<taken)" = precious ]
	refuses 'exists' --journal "$disk" # the disk itself
	refuses 'longer than' --journal "$(printf 'a%.0s' {1..200})"
	refuses 'No such file' --journal missing/journal
}

@test "a journal in memory would go with the power" {
	simple
	mkdir memory
	mount -t tmpfs none memory 2>/dev/null || skip 'no tmpfs to be mounted'
	mounted=$PWD/memory
	[ "$(stat -f -c %T .)" != tmpfs ] || skip 'this directory is in memory itself'
	refuses 'in memory' --journal memory/journal
	[ -z "$(ls memory)" ]
}

@test "the journal on the disk itself: its file system is in use then, and the device is no file" {
	dos disk.img 64M 63,40000,L
	disk=disk.img
	attach "$disk"
	mkfs.ext4 -q -F "${loop}p1"
	mkdir at
	mount "${loop}p1" at 2>/dev/null || skip 'nothing can be mounted'
	mounted=$PWD/at
	sync
	disk=$loop
	refuses "mounted on $mounted" --journal at/journal
	umount at
	mounted=
	refuses 'exists' --journal "$loop"
}

@test "a device that another process has for itself, a device that udev holds" {
	dos disk.img 64M 63,40000,L
	attach disk.img
	disk=$loop
	exclusive refuses 'in use'
	flock "$loop" "$ALIGNCK" --fix --yes --journal journal "$loop" 2>said && fail 'not refused'
	has 'lock' "$(<said)"
	[ ! -e journal ]
}

@test "dynamic disks (LDM) by MBR and by GPT, sectors of another size, no table at all" {
	disk=ldm.img
	gpt "$disk" 64M 34,2048,5808C8AA-7E8F-42E0-85D2-E1E90434CFB3 2083,40000,AF9B60A0-1431-4F62-BC68-3311714A69AD
	refuses 'dynamic'
	disk=cut.img
	gpt "$disk" 64M 34,40000
	truncate -s 63M "$disk" # the backup header is gone
	refuses 'table'
	disk=sector.img
	gpt4096 "$disk" 64M 7,4000
	check --fix --yes --sector-size 512 "$disk"
	expect 2
	disk=empty.img
	truncate -s 64M "$disk"
	check --fix --yes "$disk"
	[ ! -e empty.img.alignck ]
}

@test "case 41: an NTFS that is unclean, and one with a sleeping Windows on it" {
	for tool in mkfs.ntfs ntfsfix ntfscp; do
		command -v "$tool" >/dev/null || skip "$tool is not installed"
	done
	dos disk.img 64M 63,80000,7
	attach disk.img
	disk=$loop
	mkfs.ntfs -Q -q -F -p 63 -H 255 -S 63 "${loop}p1" >/dev/null
	ntfsfix "${loop}p1" >/dev/null # leaves the dirty flag, for Windows to check it
	sync
	refuses 'NTFS' --journal journal
	ntfsfix -d "${loop}p1" >/dev/null
	{ printf hibr && head -c 8192 /dev/zero; } >hiberfil.sys
	ntfscp "${loop}p1" hiberfil.sys hiberfil.sys >/dev/null
	sync
	refuses 'hibernat' --journal journal
}

@test "a disk that changes its size during a pause: resume and undo wait for the right one" {
	simple
	stop_at INT 9 "$ALIGNCK" --fix --yes "$disk"
	expect 3
	cp "$disk" paused.img
	for size in 31M 33M; do
		truncate -s "$size" "$disk"
		before=$(sha256sum <"$disk")
		for command in --resume --undo; do
			check "$command" "$disk"
			expect 3
			has 'another disk' "$stderr"
		done
		[ "$(sha256sum <"$disk")" = "$before" ]
	done
	cp paused.img "$disk"
	check --resume "$disk"
	expect 0
	is_new
}

@test "a table that somebody else writes during a pause: nothing is done over it, nor anew" {
	simple
	stop_at INT 9 "$ALIGNCK" --fix --yes "$disk"
	expect 3
	cp "$disk" paused.img
	sfdisk -q "$disk" <disk.img.alignck.sfdisk # the old one, from where it was saved
	before=$(sha256sum <"$disk")
	for command in --resume --undo '--fix --yes' '--fix --yes --journal other'; do
		# shellcheck disable=SC2086 # words
		check $command "$disk"
		expect 2
		[ "$(sha256sum <"$disk")" = "$before" ] || fail "$ran: wrote"
	done
	has 'a realignment is unfinished' "$stderr"
	[ ! -e other ]
	dd if=paused.img of="$disk" bs=512 count=1 conv=notrunc status=none # the cover back
	check --resume "$disk"
	expect 0
	is_new
}

@test "the same on a disk whose journal lies in a gap: it is not taken for a new one" {
	disk=disk.img
	dos "$disk" 64M 63,40000,L
	dd if=/dev/urandom of="$disk" bs=512 seek=63 count=40000 conv=notrunc status=none
	want=$(sum "$disk" 63 40000)
	attach "$disk"
	stop_at INT 12 "$ALIGNCK" --fix --yes "$loop"
	expect 3
	sync "$loop"
	dd if="$disk" of=cover bs=512 count=1 status=none
	printf '%s\n' 63,40000,L | sfdisk -q --no-reread --no-tell-kernel "$loop"
	check --fix --yes "$loop"
	expect 2
	has 'unfinished' "$stderr"
	dd if=cover of="$loop" bs=512 count=1 conv=notrunc status=none
	check --undo "$loop"
	expect 0
	[ "$(sum "$loop" 63 40000)" = "$want" ]
}

@test "a journal that is stale, torn, short or full of lies" {
	simple
	check --fix --yes "$disk"
	expect 0
	cp disk.img.alignck stale
	check --undo "$disk"
	expect 0
	rm disk.img.alignck
	stop_at INT 9 "$ALIGNCK" --fix --yes "$disk"
	expect 3
	cp "$disk" paused.img
	cp disk.img.alignck whole
	head -c 5000 whole >short
	{ head -c 4096 whole && head -c 8192 /dev/urandom && tail -c +12289 whole; } >torn
	head -c "$(stat -c %s whole)" /dev/urandom >noise
	{ head -c 44 whole && printf '\377\377\377\377' && tail -c +49 whole; } >moves # 4 thousand million moves
	: >empty
	for journal in stale short torn noise moves empty missing; do
		for command in --resume --undo; do
			check "$command" --journal "$journal" "$disk"
			expect 3
			has "$journal" "$stderr"
		done
		cmp "$disk" paused.img || fail "$journal: the disk was written"
	done
	check --undo --journal whole "$disk"
	expect 0
	is_old
}

@test "an image that a virtual machine's storage has open" {
	command -v qemu-storage-daemon >/dev/null || skip 'qemu-storage-daemon is not installed'
	simple
	qemu-storage-daemon --daemonize --pidfile pid \
		--blockdev driver=file,node-name=d,filename="$disk" \
		--export type=vhost-user-blk,id=e,node-name=d,addr.type=unix,addr.path=socket,writable=on ||
		skip 'qemu-storage-daemon does not start'
	daemon=$(<pid)
	check --fix --yes "$disk"
	kill "$daemon"
	expect 2
	has 'in use' "$stderr"
	untouched
}
