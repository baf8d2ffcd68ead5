#!/usr/bin/env bats
# Bytes that mean harm: cut short, looping, absurd, random, or meant for the terminal. Whatever they are:
# exit 0 to 2, no signal, no hang, clean text and valid JSON.
# SC2154: helper.bash and bats set path, json, status, output; SC2030, SC2031: each test is a subshell.
# SC2086: a format is no word or one.
# shellcheck disable=SC2154,SC2016,SC2030,SC2031,SC2086
load helper

setup_file() { need_images; }

# Runs text and JSON on images that may be anything, all in one process; which of several it was, the
# name of the failing run tells: they are then run one by one.
survives() {
	local text said path
	check "$@"
	text=$status said=$output$stderr
	if ((status > 2)); then
		if [ $# != 1 ]; then for path; do survives "$path"; done; fi
		fail "$ran: exit $status: $stderr"
	fi
	check_json "$@"
	[ "$status" = "$text" ] || fail "$ran: exit $text as text, $status as JSON"
	clean "$said$json$stderr"
}

clean() { # no control character but newline, none of the C1 set either, no bidi override, well-formed UTF-8
	local dirt
	iconv -f UTF-8 -t UTF-8 <<<"$1" >/dev/null 2>&1 || fail "$ran: not UTF-8: $1"
	dirt=$(grep -cP '[\x00-\x09\x0b-\x1f\x7f]|[\x{0080}-\x{009f}\x{202a}-\x{202e}\x{2066}-\x{2069}]' <<<"$1" || true)
	[ "$dirt" = 0 ] || fail "$ran: control characters: $(cat -v <<<"$1")"
}

unknown() { # exit 2 with an error that says why
	check_json "$1"
	expect 2
	is '[.devices[] | .findings[], .partitions[].findings[] | select(.severity == "error")] | length > 0' true
}

@test "images cut off at many lengths" {
	for name in 01-mbr63 03-mbrdos 10-gpt2048 13-gpt4kn 20-solaris48195 22-bsd63 30-superfloppy 50-sun 51-sgi \
		52-mac 60-fat32-clus 64-luks1-pay; do
		image $name
		hand cut "$path" "$BATS_TEST_TMPDIR" 1 16 511 512 513 1023 1024 1025 4095 4096 4097 8192 17408 17409 \
			32256 65536 1048577
		survives "$BATS_TEST_TMPDIR"/cut-*.img
		is '[.devices[] | select(.verdict == "aligned") | .size as $size | .partitions[] | select(.start + .size > $size)] |
			length' 0
	done
}

@test "a table of one sector, and of none" {
	head -c 512 "$images/01-mbr63.img" >"$BATS_TEST_TMPDIR/a.img"
	unknown "$BATS_TEST_TMPDIR/a.img"
	finds beyond-end error
	: >"$BATS_TEST_TMPDIR/empty.img"
	check "$BATS_TEST_TMPDIR/empty.img"
	expect 2
	[ "${#stderr_lines[@]}" = 1 ]
}

@test "an extended partition inside itself, and two in one MBR" {
	dos "$BATS_TEST_TMPDIR/a.img" 16M start=2048,size=20000,type=5
	hand mbr-entry "$BATS_TEST_TMPDIR/a.img" 2048 1 5 0 20000
	hand mbr-entry "$BATS_TEST_TMPDIR/a.img" 2048 2 5 0 20000
	survives "$BATS_TEST_TMPDIR/a.img"
	[ "$status" = 2 ]
	hand mbr-entry "$BATS_TEST_TMPDIR/a.img" 0 2 5 0 20000 # starts at the MBR: every EBR is the MBR
	survives "$BATS_TEST_TMPDIR/a.img"
	[ "$status" = 2 ]
}

@test "a BSD label whose partition is its own slice, a Minix slice inside itself" {
	image 22-bsd63
	check_json "$path"
	is '[.devices[0].partitions[]] | length < 20' true
	dos "$BATS_TEST_TMPDIR/a.img" 16M 2048,20000,81
	hand minix "$BATS_TEST_TMPDIR/a.img" 2048 2048 20000 2048 20000
	survives "$BATS_TEST_TMPDIR/a.img"
}

statuses() { # statuses PATH...: "STATUS NAME" of each, as one process would have it alone
	check --prometheus "$@"
	((status <= 2)) || fail "$ran: exit $status: $stderr"
	sed -nE 's/^alignck_device_status\{device="([^"]*\/)?([^"]*)"\} ([0-9])$/\3 \2/p' <<<"$output"
}

@test "GPT headers with absurd numbers and right checksums: exit 2" {
	image 10-gpt2048
	hand gpt-variants "$path" "$BATS_TEST_TMPDIR" 1 131071 \
		entry-count={4294967295,2147483648,0,16777216} entry-size={0,1,127,4294967295,4294967168,129} \
		entries-lba={0,1,18446744073709551615,131071,131072,9223372036854775807} \
		first-usable={18446744073709551615,120001} last-usable={18446744073709551615,0} \
		header-size={0,91,513,4294967295} my-lba={0,2,18446744073709551615}
	survives "$BATS_TEST_TMPDIR"/gpt-*.img
	is '.devices | length' 27
	got=$(statuses "$BATS_TEST_TMPDIR"/gpt-*.img)
	[ "$(grep -c '^2 ' <<<"$got")" = 27 ] || fail "$got"
}

@test "a primary GPT header with absurd numbers: the backup is read, exit 2, the partition judged" {
	image 10-gpt2048
	hand gpt-variants "$path" "$BATS_TEST_TMPDIR" 1 \
		entry-count=4294967295 entry-size=0 entries-lba=18446744073709551615 my-lba=7
	for path in "$BATS_TEST_TMPDIR"/gpt-*.img; do
		check_json "$path"
		expect 2
		finds table-damaged error
		verdict 1 aligned
	done
}

@test "4096 GPT entries are read" {
	truncate -s 64M "$BATS_TEST_TMPDIR/a.img"
	printf '%s\n' 'label: gpt' 'table-length: 4096' 'first-lba: 2048' start=4096,size=8 start=8191,size=8 |
		sfdisk -q --no-reread --no-tell-kernel "$BATS_TEST_TMPDIR/a.img"
	survives "$BATS_TEST_TMPDIR/a.img"
	verdict 1 aligned
	verdict 2 misaligned
}

@test "MBR entries near 2^32, size 0, status bytes that are none" {
	dos "$BATS_TEST_TMPDIR/a.img" 64M 2048,2048,L
	hand mbr-entry "$BATS_TEST_TMPDIR/a.img" 0 2 0x83 0xffffffff 0xffffffff
	hand mbr-entry "$BATS_TEST_TMPDIR/a.img" 0 3 0x83 8192 0
	survives "$BATS_TEST_TMPDIR/a.img"
	[ "$status" = 2 ]
	verdict 1 aligned
	hand poke "$BATS_TEST_TMPDIR/a.img" 446 77
	survives "$BATS_TEST_TMPDIR/a.img"
}

@test "images of 2^62 and nearly 2^63 bytes" {
	for size in 4611686018427387904 9223372036854771712; do
		big $size
		hand mbr-entry "$path" 0 1 0x83 2048 2048
		survives "$path"
		[ "$status" = 0 ]
		grep -qE "\"size\": ?$size,\$" <<<"$json" # jq's numbers end at 2^53
	done
}

# title setting, colour, CSI and OSC as C1 characters, right-to-left override, lone surrogates
labels=(
	1b005d0030003b00700077006e00650064000700
	1b005b00330031006d0078000a007900
	9b00330031006d00780090007a009c00
	2e2068006900
	00d800dc0adc
	7f00080009000d00
	2200270060002400280069006400290022005c00
)

@test "labels that would drive the terminal" {
	image 10-gpt2048
	labelled=()
	for label in "${labels[@]}"; do
		labelled+=("$BATS_TEST_TMPDIR/${#labelled[@]}.img")
		cp --sparse=always "$path" "${labelled[-1]}"
		hand gpt-entry "${labelled[-1]}" 1 2048 120000 "$label"
	done
	survives "${labelled[@]}"
	is '[.devices[].partitions[0].label] | length == '${#labels[@]}' and all(. != null)' true
	for format in --pairs --raw '' --verbose; do
		check $format -o +PARTLABEL "${labelled[@]}"
		expect 0
		clean "$output$stderr"
		[ "$(grep -c '\.img1' <<<"$output")" -ge ${#labels[@]} ]
	done
	for format in --prometheus --nagios; do
		check $format "${labelled[@]}"
		clean "$output$stderr"
	done
}

@test "a Mac partition map with garbage for names" {
	copy 52-mac
	hand poke "$path" $((1024 + 16)) 1b5d303b70776e656407ff80c328a0a1
	survives "$path"
}

@test "a model and a serial that would drive the terminal" {
	disk_with sda 64M '' 2048,2048,L
	attribute block/sda/device/model "$(printf 'A\033]0;x\a\233\377B')"
	attribute block/sda/device/serial "$(printf '\033[2J')"
	attribute block/sda/device/vendor ATA
	for format in '' --verbose --json --pairs --raw --prometheus --nagios; do
		check $format --sysroot "$sysroot" /dev/sda
		((status <= 2))
		clean "$output$stderr"
	done
	check -o MODEL,SERIAL --sysroot "$sysroot" /dev/sda
	clean "$output$stderr"
}

# colour and title, CSI as a C1 character and as a lone byte, overrides, a line of our own forged
words=($'\e[31m\e]0;x\ay' $'\xc2\x9b31m\x7f' $'\x9b31m\xff' $'\u202egnp\u2066' $'a\rb\nalignck: forged')

sober() { # sober ARG...: whatever comes of it, both streams are clean and nobody forges a line
	check "$@"
	((status <= 3 || status == 64)) || fail "$ran: exit $status"
	clean "$output$stderr"
	[[ $'\n'$output$'\n'$stderr != *$'\n'alignck:\ forged* ]] || fail "$ran: forged: $output$stderr"
}

@test "file names that would drive the terminal, in every command" {
	cd "$BATS_TEST_TMPDIR"
	for word in "${words[@]}"; do
		dos "$word" 8M 63,8000,L
		for format in '' --verbose --json --pairs --raw --prometheus --nagios --ashift '-o PATH,NAME'; do
			sober $format "$word"
		done
		jq -e . <<<"$("$ALIGNCK" --json "$word")" >/dev/null
		sober --fix "$word"
		sober --fix --dry-run "$word"
		sober --fix --dry-run --json "$word"
		jq -e . <<<"$output" >/dev/null
		sober --fix --yes --only=3 "$word"
		sober --fix --yes "$word"
		expect 0
		sober --fix --yes "$word" # its journal stays
		sober --undo "$word"
		expect 0
		sober --resume "$word"
		rm "$word"
		for command in '' --json --fix --undo --resume; do sober $command "$word"; done
	done
}

@test "the question on a terminal names the file without driving it" {
	command -v script >/dev/null || skip 'script is not installed'
	for word in "${words[@]}"; do
		dos "$BATS_TEST_TMPDIR/$word" 8M 63,8000,L
		status=0
		ALIGNCK=$ALIGNCK WORD=$BATS_TEST_TMPDIR/$word script -qec '"$ALIGNCK" --fix "$WORD"' /dev/null <<<n \
			>"$BATS_TEST_TMPDIR/said" || status=$?
		[ "$status" = 2 ]
		ran="alignck --fix $word"
		clean "$(tr -d '\r' <"$BATS_TEST_TMPDIR/said")"
		has '[y/N]' "$(<"$BATS_TEST_TMPDIR/said")"
		rm "$BATS_TEST_TMPDIR/$word"
	done
}

@test "words of options that would drive the terminal" {
	image 01-mbr63
	for word in "${words[@]}"; do
		for option in "--$word" "-$word" "--grain=$word" "--output=$word" "--only=$word" "--jobs=$word"; do
			sober "$option" "$path"
			expect 64
		done
		sober --sysroot="$word" --all
		sober --undo --journal="$word" "$path"
	done
}

@test "the name of a journal in a cover, and in what is said of it" {
	cd "$BATS_TEST_TMPDIR"
	for word in "${words[@]}"; do
		rm -f a.img "$word"
		dos a.img 8M 63,8000,L
		stop_at KILL 9 "$ALIGNCK" --fix --yes --journal="./$word" a.img
		for format in '' --verbose --json --pairs --nagios --prometheus; do
			sober $format a.img
			expect "$([ "$format" = --nagios ] && echo 2 || echo 3)"
		done
		sober --fix a.img
		expect 3
		mv "$word" aside
		sober --resume a.img
		sober --undo a.img
		expect 3
		: >"$word"
		sober --undo a.img
		mv aside "$word"
		sober --undo a.img
		expect 0
	done
}

@test "a table written as text that would drive the terminal is refused, and its labels are shown as text" {
	for word in "${words[@]::4}"; do
		printf 'label: gpt\n# %s\nstart=63, size=8000, name="%s"\n' "$word" x >"$BATS_TEST_TMPDIR/a.dump"
		printf '* %s\n* Id Act Bhead Bsect Bcyl Ehead Esect Ecyl Rsect Numsect\n 130 128 0 1 1 254 63 1023 63 8000\n' \
			"$word" >"$BATS_TEST_TMPDIR/a.solaris"
		printf 'GPT 128\n1 %s 63 8000 %s\n' "$word" "$word" >"$BATS_TEST_TMPDIR/a.gpart"
		for table in "$BATS_TEST_TMPDIR"/a.*; do
			sober "$table"
			expect 2
			sober --fix --dry-run "$table"
			expect 2
		done
	done
	printf 'label: gpt\nstart=63, size=8000, name="\\x1b[31m\\xc2\\x9b"\n' >"$BATS_TEST_TMPDIR/a.dump"
	sober -o +PARTLABEL "$BATS_TEST_TMPDIR/a.dump"
	expect 1
	sober --fix --dry-run "$BATS_TEST_TMPDIR/a.dump"
	expect 1
	sober --json "$BATS_TEST_TMPDIR/a.dump"
}

@test "users of a disk and labels of file systems that would drive the terminal" {
	disk_with sda 64M '' 2048,2048,L
	for word in "${words[@]::4}"; do
		mkdir -p "$sysroot/sys/block/sda/sda1/holders/dm-0" "$sysroot/sys/class/block/dm-0/dm"
		attribute class/block/dm-0/dm/uuid LVM-x
		attribute class/block/dm-0/dm/name "vg-$word"
		printf '1 2 259:1 / /mnt/%s rw - ext4 /dev/sda1 rw\n' "$word" >"$sysroot/proc/mounts"
		mkdir -p "$sysroot/proc/self"
		cp "$sysroot/proc/mounts" "$sysroot/proc/self/mountinfo"
		sober --verbose --sysroot "$sysroot" /dev/sda
		has 'in use' "$output"
		sober --json -v --sysroot "$sysroot" /dev/sda
		truncate -s 4M "$BATS_TEST_TMPDIR/"{a,b}.img
		mkswap -q -L "${word::15}" "$BATS_TEST_TMPDIR/a.img" 2>/dev/null
		mke2fs -q -F -L "${word::15}" "$BATS_TEST_TMPDIR/b.img" 2>/dev/null
		sober --verbose "$BATS_TEST_TMPDIR/"{a,b}.img
		sober --json "$BATS_TEST_TMPDIR/"{a,b}.img
	done
}

clone() { # clone DISK NUMBER: sda as one more disk, for one attribute to be spoilt
	local sys=$sysroot/sys/block
	cp -a "$sys/sda" "$sys/$1"
	mv "$sys/$1/sda1" "$sys/$1/${1}1"
	printf '8:%s\n' $((16 * $2)) >"$sys/$1/dev"
	printf '259:%s\n' $((16 * $2)) >"$sys/$1/${1}1/dev"
	ln -s "../../block/$1" "$sysroot/sys/class/block/$1"
	ln -s "../../block/$1/${1}1" "$sysroot/sys/class/block/${1}1"
	ln "$sysroot/dev/sda" "$sysroot/dev/$1"
}

@test "sysfs attributes that are no numbers, too long or missing" {
	disk_with sda 64M '' 2048,2048,L
	all=(size alignment_offset queue/logical_block_size queue/physical_block_size queue/minimum_io_size
		queue/optimal_io_size queue/rotational queue/chunk_sectors PART/start PART/size)
	for i in "${!all[@]}"; do
		disk=sd$(printf '%b' "\\x$(printf %x $((98 + i)))") # sdb, sdc ...
		clone "$disk" $((i + 1))
		spoilt[i]=$sysroot/sys/block/$disk/${all[i]/PART/${disk}1}
	done
	for value in '' x -5 99999999999999999999999 0x200 '512 512' 512junk "$(printf '%01000d' 512)" missing; do
		for file in "${spoilt[@]}"; do
			if [ "$value" = missing ]; then rm "$file"; else printf '%s\n' "$value" >"$file"; fi
		done
		check_json --all --sysroot "$sysroot"
		((status <= 2)) || fail "'$value': exit $status"
		clean "$json$stderr"
		# A disk is refused in words, or judged, and then rightly.
		is '[.devices[].partitions[] | select(.verdict != "aligned" and .verdict != "unknown")] | length' 0
		is ".devices | length + ${#stderr_lines[@]} >= 10" true # size 0 is no disk
		is '.devices[0] | [.path, .verdict] | tostring' '["/dev/sda","aligned"]'
	done
}

@test "100 images of random bytes, with the magic numbers that let decoders bite" {
	mkdir "$BATS_TEST_TMPDIR/noise"
	hand noise "$BATS_TEST_TMPDIR/noise" 1 100
	survives "$BATS_TEST_TMPDIR"/noise/*.img
	is '.devices | length > 90' true
	rm -r "$BATS_TEST_TMPDIR/noise"
}

@test "real tables with random bytes in them" {
	for name in 03-mbrdos 10-gpt2048 17-gpt128 22-bsd63 20-solaris48195 50-sun 51-sgi 52-mac 64-luks1-pay 60-fat32-clus; do
		image $name
		hand scramble "$path" "$BATS_TEST_TMPDIR" 10
		survives "$BATS_TEST_TMPDIR"/scrambled-*.img
		rm "$BATS_TEST_TMPDIR"/scrambled-*.img
	done
}

@test "a thousand findings do not hide the error that decides" {
	dos "$BATS_TEST_TMPDIR/a.img" 64M start=2048,size=120000,type=5
	hand ebr-chain "$BATS_TEST_TMPDIR/a.img" 2048 1000 loop
	unknown "$BATS_TEST_TMPDIR/a.img"
}

@test "sector 0 cannot be read: one line, exit 2, the other device is checked" {
	image 10-gpt34
	for error in EIO ENODATA ENXIO EREMOTEIO; do
		failing 1+ $error "$path" "$images/02-mbr2048.img"
		expect 2
		[[ $stderr == "alignck: $path: "* && $(wc -l <<<"$stderr") = 1 ]] || fail "$stderr"
		is '[.devices[].path] | tostring' "[\"$images/02-mbr2048.img\"]"
	done
}

@test "whichever read fails, once or for good: said, never a crash" {
	for name in 10-gpt34 03-mbrdos 22-bsd63 51-sgi; do
		image $name
		for n in 1 2 3 4 6 9; do
			for when in $n $n+; do
				failing "$when" EIO "$path"
				grep -q INJECTED "$BATS_TEST_TMPDIR/trace" || continue 3
				((status == 1 || status == 2)) || fail "$ran: exit $status: $stderr"
				jq -e . <<<"$json" >/dev/null
				[ "$when" = "$n" ] || [ -n "$stderr" ] || [[ $json == *'cannot read'* ]] || fail "$ran: silent: $json"
			done
		done
	done
}
