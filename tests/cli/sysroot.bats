#!/usr/bin/env bats
# Captured machines (tests/sysfs.sh): what their sysfs says, what of it is believed, --all.
# SC2154: helper.bash and bats set path, json, status, output; SC2030, SC2031: each test is a subshell.
# SC2086: no device is no word.
# shellcheck disable=SC2154,SC2030,SC2031,SC2086
load helper

machine() { # machine NAME: as $sysroot
	rm -rf "$sysroot"
	"$tests/sysfs.sh" "$sysroot" "$1"
}

# Machine, device, exit status, misaligned partitions, what a start is held against.
machines='
	512e                /dev/sda     1 1   4096
	512n                /dev/sda     1 1   4096
	4kn                 /dev/sda     0 -   4096
	offset-3584         /dev/sda     1 2   4096
	opt-33553920        /dev/sda     0 -   4096
	opt-16773120        /dev/sda     0 -   4096
	opt-32m             /dev/nvme0n1 0 -   4096
	opt-below-min       /dev/sda     0 -   262144
	min-4096            /dev/sda     1 1   4096
	stripe-196608       /dev/sda     1 1   196608
	ears                /dev/sda     1 1   4096
	ears-udev           /dev/sda     1 1   4096
	hd204ui             /dev/sda     1 1   4096
	nvme                /dev/nvme0n1 0 -   4096
	nvme-262144         /dev/nvme0n1 0 -   4096
	pbs-131072          /dev/sda     0 -   4096
	pbs-8192            /dev/sda     0 -   4096
	md                  /dev/md127   0 -   524288
	host-managed        /dev/sda     1 2   4096
	drive-managed       /dev/sda     0 -   4096
	loop                /dev/loop0   1 1   4096
	odd-name            /dev/cciss/c0d0 0 - 4096
'

@test "machines: which partitions are misaligned, and against what; of every machine valid JSON" {
	local names name device want misaligned required judged=0
	names=$("$tests/sysfs.sh" --list)
	for name in $names; do
		machine "$name"
		read -r device want misaligned required < <(sed -n "s/^\t$name  *//p" <<<"$machines") || device=
		check_json --sysroot "$sysroot" ${device:---all}
		((status <= 2)) || fail "$name: exit $status: $stderr"
		breaches=$(jq -rf "$BATS_TEST_DIRNAME/schema.jq" <<<"$json")
		[ -z "$breaches" ] || fail "$name: $breaches"
		[ "$device" ] || continue
		expect "$want"
		is '.devices[0] | [.required_alignment, (.partitions[] | select(.verdict == "misaligned") | .number)] |
			map(tostring) | join(" ")' "$required$([ "$misaligned" = - ] || echo " $misaligned")"
		judged=$((judged + 1))
	done
	[ $judged = "$(grep -c / <<<"$machines")" ] # no row without its machine
}

@test "--all: every whole disk in order, nothing made of other disks, nothing empty" {
	machine many
	check_json --all --sysroot "$sysroot"
	is '[.devices[].path] | sort | join(" ")' "$(printf '/dev/%s\n' cciss/c0d0 hda mmcblk0 nvme0n1 nvme10n1 nvme2n1 sda \
		sdaa sdab sdb sdz vda xvdaa xvdb | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')"
	order=$(jq -r '[.devices[].path | select(startswith("/dev/sd"))] | join(" ")' <<<"$json")
	[ "$order" = '/dev/sda /dev/sdb /dev/sdz /dev/sdaa /dev/sdab' ] || fail "$order"
	order=$(jq -r '[.devices[].path | select(startswith("/dev/nvme"))] | join(" ")' <<<"$json")
	[ "$order" = '/dev/nvme0n1 /dev/nvme2n1 /dev/nvme10n1' ] || fail "$order"
}

@test "--all with bytes: every disk's own table, the worst exit status" {
	disk_with sda 64M pbs=4096 2048,40960,L
	disk_with sdb 64M pbs=4096 63,40960,L
	disk_with loop7 64M '' 63,40960,L
	check_json --all --sysroot "$sysroot"
	expect 1
	is '[.devices[] | [.path, .verdict]] | tostring' '[["/dev/sda","aligned"],["/dev/sdb","misaligned"]]'
	check --all --sysroot "$sysroot" /dev/loop7
	expect 1
	has loop7p1
	disk sdc 64M lbs=520
	check --all --sysroot "$sysroot"
	expect 2
	has sda1
	has sdb1
	[ "${#stderr_lines[@]}" = 1 ]
}

@test "--all on a machine without disks: exit 2 or a word, never a silent 0" {
	mkdir -p "$sysroot/sys/block" "$sysroot/sys/class/block" "$sysroot/proc" "$sysroot/dev"
	check --all --sysroot "$sysroot"
	((status <= 2))
	[ "$status" != 0 ] || [ -n "$output$stderr" ]
	check --all --sysroot /nonexistent
	expect 2
	[ "${#stderr_lines[@]}" = 1 ]
}

@test "what is made of disks is checked when it is named" {
	machine many
	for name in dm-0 md0 zram0 sr0; do
		check_json --sysroot "$sysroot" /dev/$name
		((status <= 2))
		is '.devices | length' 1
	done
}

@test "a partition's node is judged inside its disk" {
	disk_with sda 64M pbs=4096 63,20000,L 32768,40960,L
	check_json --sysroot "$sysroot" /dev/sda1
	expect 1
	is '[.devices[0].partitions[].number] | tostring' '[1]'
	is '.devices[0].kind' partition
	off_by 1 3584
	check --sysroot "$sysroot" /dev/sda2
	expect 0
	check --sysroot "$sysroot" /dev/sda3
	expect 2
}

@test "the kernel has a partition elsewhere than the table" {
	disk_with sda 64M pbs=4096 2048,20000,L
	attribute block/sda/sda1/start 63
	check_json --sysroot "$sysroot" /dev/sda
	expect 2
	finds kernel-disagrees error
}

@test "--sysroot is never written to" {
	disk_with sda 64M pbs=4096 63,20000,L
	machine_before=$(cd "$sysroot" && find . -printf '%p %T@ %C@ %s\n' | sort)
	check --all --sysroot "$sysroot" --verbose
	check --json --sysroot "$sysroot" /dev/sda /dev/sda1
	[ "$machine_before" = "$(cd "$sysroot" && find . -printf '%p %T@ %C@ %s\n' | sort)" ]
}

@test "nothing outside --sysroot is taken for the captured machine's" {
	mkdir -p "$sysroot/sys/block" "$sysroot/proc"
	check --sysroot "$sysroot" /dev/loop0
	expect 2
	[ "${#stderr_lines[@]}" = 1 ]
}

@test "users of a captured machine are named" {
	machine users
	check --verbose --sysroot "$sysroot" /dev/sda
	has 'mounted on /srv/my data'
	has swap
	has dm-0
	has md0
	has loop3
}

@test "model, serial and rotation come from sysfs" {
	machine nvme
	check_json --sysroot "$sysroot" /dev/nvme0n1
	is '.devices[0].model' 'Samsung SSD 970 EVO Plus 500GB'
	is '.devices[0].serial' S4EVNX0M123456Z
	is '.devices[0].rotational' false
	machine ears-udev
	check_json --sysroot "$sysroot" /dev/sda
	is '.devices[0].model' 'WDC WD15EARS-00Z5B1'
	is '.devices[0].rotational' true
}

# --- devices that are built on others ---

below() { is "[.devices[0].below[] | \"\(.disk) \(.through) \(.place) \(.misaligned_by)\"] | join(\"; \")" "$1"; }

@test "md: where it lies on each disk, beside what the kernel says" {
	machine md-on-63
	check_json --sysroot "$sysroot" /dev/md0
	expect 0
	below 'sda sda1 1081344 0; sdb sdb1 1081344 0'
	is '.devices[0].sector_source' kernel
	finds stack-place notice
	check_json --sysroot "$sysroot" /dev/md0p1
	expect 0
	verdict 1 aligned
	check --sysroot "$sysroot" /dev/md0
	has 'byte 0 of it is byte 1081344 of sda (through sda1), 0 past a 4096-byte boundary there'
	has 'the kernel says alignment_offset 0'
}

@test "md: members whose places are at odds, whatever the kernel says" {
	machine md-on-63
	check_json --sysroot "$sysroot" /dev/md1
	expect 1
	below 'sda sda2 1025080832 3584; sdb sdb2 1025081344 0'
	is '.devices[0].reported.alignment_offset' 0
	is '.devices[0].alignment_offset' -1
	finds stack-misaligned error
}

@test "md: the kernel's -1 stands, and is shown beside the place" {
	machine md-on-63
	check --sysroot "$sysroot" /dev/md2
	expect 1
	has 'byte 1080832 of sda (through sda1), 3584 past'
	has 'the kernel says alignment_offset -1'
}

@test "md over a drive that lies: its true sectors count, and where they lie" {
	machine md-on-ears
	check_json --sysroot "$sysroot" /dev/md0
	expect 1
	is '.devices[0].physical_block_size' 4096
	is '.devices[0].sector_source' drive-list
	is '.devices[0].reported.physical_block_size' 512
	is '.devices[0].alignment_offset' 512
	verdict 1 misaligned
	verdict 2 aligned
}

@test "dm: who is below is told, where on them is not known without its table" {
	machine dm-on-md
	check_json --sysroot "$sysroot" /dev/dm-0
	expect 0
	below 'sda md0, sda1 null null; sdb md0, sdb1 null null'
	check --sysroot "$sysroot" /dev/dm-0
	has 'lies on sda (through md0, sda1), where on it cannot be read'
	check --sysroot "$sysroot" /dev/dm-1 # made of itself: an end all the same
	expect 0
}

@test "a disk with nothing below it says nothing of the kind" {
	machine 512e
	check_json --sysroot "$sysroot" /dev/sda
	is '.devices[0].below | length' 0
	finds_no stack-place
}
