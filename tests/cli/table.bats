#!/usr/bin/env bats
# Tables written as text: checked, printed aligned, applied by the tool that wrote them.
# SC2154: helper.bash and bats set path, json, status, output; SC2030, SC2031: each test is a subshell.
# shellcheck disable=SC2154,SC2030,SC2031
load helper

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

solaris() { # solaris ROW...: as fdisk -W prints it
	printf '%s\n' '' '* /dev/rdsk/c5d0p0 default fdisk table' '* Dimensions:' '*    512 bytes/sector' \
		'*     63 sectors/track' '*    255 tracks/cylinder' '*   60799 cylinders' '*' '* systid:' '*  191: SUNIXOS2' '*' '' \
		'* Id    Act  Bhead  Bsect  Bcyl    Ehead  Esect  Ecyl    Rsect      Numsect' "$@"
}

@test "an sfdisk dump is checked like the disk it is of" {
	need_images
	for name in 03-mbrdos 11-gptmix 17-gpt128 02-mbr2048; do
		image $name
		sfdisk --dump "$path" >table.dump
		check_json "$path"
		disk=$(jq -c '[.devices[0].partitions[] | [.number, .start, .size, .verdict, .misaligned_by, .parent]]' <<<"$json")
		want=$status
		check_json table.dump
		expect "$want"
		is '.devices[0].kind' table
		is '[.devices[0].partitions[] | [.number, .start, .size, .verdict, .misaligned_by, .parent]] | tojson' "$disk"
		is '.devices[0].partitions[0].content' null
	done
}

@test "an sfdisk dump printed aligned is taken by sfdisk, and then is aligned" {
	need_images
	for name in 01-mbr63 03-mbrdos 11-gptmix; do
		image $name
		sfdisk --dump "$path" >table.dump
		check --fix --dry-run table.dump
		expect 1
		printf '%s\n' "$output" >aligned.dump
		rm -f new.img
		truncate -s "$(stat -c %s "$path")" new.img
		sfdisk -q new.img <aligned.dump >/dev/null
		check new.img
		expect 0
		# Only starts, and the container of logical partitions, differ.
		diff <(sed 's/start= *[0-9]*//; /type=[5f]$/d' table.dump) <(sed 's/start= *[0-9]*//; /type=[5f]$/d' aligned.dump)
		check --fix --dry-run aligned.dump
		expect 0
		[ "$output" = "$(<aligned.dump)" ]
	done
}

@test "gpart backup: checked, and printed aligned" {
	printf '%s\n' 'GPT 128' '1   freebsd-boot       34      128 gptboot0 ' \
		'2   freebsd-swap      162  4194304 swap0 ' '3    freebsd-zfs  4194466 12580864 zfs0 ' >table
	check table
	expect 1
	has '3 of 3 partitions are misaligned'
	has 'alignck --fix --dry-run table'
	has 'prints it aligned'
	check --fix --dry-run --grain=4K table
	expect 1
	[ "$output" = 'GPT 128
1   freebsd-boot       40      128 gptboot0 
2   freebsd-swap      168  4194304 swap0 
3    freebsd-zfs  4194472 12580864 zfs0 ' ] || fail "$output"
	has '16775336 sectors' "$stderr"
	check --sector-size=4096 table
	expect 0
}

@test "fdisk -W: Rsect 48195 becomes 48200" {
	solaris '  191   128  0      1      3       254    63     1023    48195      976687740 ' >table
	check table
	expect 1
	has 'starts 1536 bytes past a 4096-byte boundary (sector 48195 is not divisible by 8)'
	check --fix --dry-run table
	expect 1
	diff <(solaris '  191   128  0      0      0       0      0      0       48200      976687740 ') - <<<"$output"
	has '976735940 sectors' "$stderr" # five more than its whole cylinders have
	solaris '  191   128  0      1      3       254    63     1023    48200      1000 ' >table
	check table
	expect 0
}

@test "JSON has the plan; a table is no device" {
	printf '%s\n' 'MBR 4' '1 freebsd 63 1000000 [active]' >table
	check_json --fix --dry-run table
	expect 1
	is '.devices[0].plan.layout[0].start' 1048576
	is '.devices[0].kind' table
	truncate -s 1M disk.img
	check --ashift disk.img table
	expect 2
	[ -z "$output" ]
	has table "$stderr"
}

@test "without --dry-run it is refused in words, and stays as it is" {
	printf '%s\n' 'MBR 4' '1 freebsd 63 1000000 [active]' >table
	sum=$(sha256sum table)
	check --fix --yes table
	expect 2
	has 'no data to move' "$stderr"
	[ -z "$output" ]
	[ "$sum" = "$(sha256sum table)" ]
}

@test "texts that are not understood: one line, exit 2" {
	while read -r text; do
		printf '%b' "$text" >table
		check table
		expect 2
		[ "${#stderr_lines[@]}" = 1 ] || fail "$text: $stderr"
	done <<-'END'
		GPT 128\n1 a 2048\n
		BSD 8\n1 freebsd-ufs 16 1000\n
		label: dos\nx1 : size=100, type=83\n
		label: dos\nnonsense\n
		GPT 128\n1 \033[2J 1 1\n1 b 1 1\n
		MBR 4\n1 freebsd 4294967296 1000\n
		MBR 4\n1 freebsd 64 4294967296\n
		label: dos\nunit: sectors\nx1 : start=4294967296, size=100, type=83\n
		label: dos\nunit: sectors\nx1 : start=64, size=100, type=83\nnonsense\n
		GPT 128\n1 a -5 1000\n
		GPT 128\n1 a 18446744073709551615 1\n
		GPT 128\n65536 a 2048 1000\n
		GPT 128\n1 a 2048 1000\n# nothing of gpart\n
	END
	[[ $stderr != *$'\033'* ]]
}

@test "lines that end as DOS has them" {
	printf 'GPT 128\r\n1 a 63 1000\r\n' >table
	check --fix --dry-run table
	expect 1
	[ "$output" = $'GPT 128\n1 a 2048 1000' ]
	printf 'label: dos\r\nunit: sectors\r\n\r\nx1 : start=63, size=1000, type=83\r\n' >table
	check_json table
	expect 1
	is '.devices[0].partitions[0].start_sector' 63
}

@test "a text that is no table is no disk without one either" {
	{
		printf '\xef\xbb\xbflabel: dos\n' # as some editors begin a text
		seq 2000
	} >table
	check table
	expect 2
	has 'is a text' "$stderr"
	[ -z "$output" ]
	printf '\0' | dd of=table bs=1 seek=100 conv=notrunc status=none
	check table
	expect 0
}

@test "overlapping entries are errors here too" {
	printf '%s\n' 'GPT 128' '1 a 2048 4096' '2 b 4096 4096' >table
	check_json table
	expect 2
	finds overlap error
	check --fix --dry-run table
	expect 2
	[ -z "$output" ]
}
