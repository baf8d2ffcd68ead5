#!/usr/bin/env bats
# The command line: options, what is wrong with a path, streams, and every output format.
# SC2154: helper.bash and bats set path, json, status, output; SC2086: formats are none or one word;
# SC2016: what looks like an expansion is for another shell; SC2030, SC2031: each test is a subshell.
# shellcheck disable=SC2154,SC2086,SC2016,SC2030,SC2031
load helper

setup_file() { need_images; }

setup() {
	good=$images/02-mbr2048.img
	bad=$images/01-mbr63.img
}

one_error() { # one_error PATH [TEXT]: exactly one line "alignck: PATH: what: why", nothing on standard output
	[ "${#stderr_lines[@]}" = 1 ] || fail "$ran: ${#stderr_lines[@]} lines on standard error: $stderr"
	[[ $stderr == "alignck: $1: "* ]] || fail "$ran: $stderr"
	has "${2-}" "$stderr"
	[ -z "$output" ] || fail "$ran: standard output: $output"
}

# --- usage ---

@test "no argument, unknown options, missing values: exit 64 and the option named" {
	check
	expect 64
	[ -z "$output" ]
	[ -n "$stderr" ]
	while read -r option word; do
		check "$option" ${word:+"$word"} "$good"
		expect 64
		has "$option" "$stderr"
		has "${word#NAME,}" "$stderr" # of a list the column that is none
		[ -z "$output" ]
	done <<-END
		--nonsense
		-Z
		--jobs 0
		--jobs x
		--jobs -1
		--jobs 4k
		--jobs 99999999999999999999
		--physical-sector 4000
		--physical-sector 256
		--physical-sector 128K
		--physical-sector 1Z
		--sector-size 520
		--sector-size 0
		--image-offset 1.5K
		--image-offset -512
		--output NOSUCH
		--output NAME,NOSUCH
	END
	for option in --jobs -j --output -o --physical-sector --sector-size --image-offset --sysroot; do
		check "$good" "$option"
		expect 64
		has "$option" "$stderr"
	done
	check --sysroot= "$good"
	expect 64
	has "--sysroot '': is no path" "$stderr"
}

@test "an option that takes no value refuses one" {
	for option in --json=1 --strict=yes --quiet=0; do
		check "$option" "$good"
		expect 64
		has "${option%=*}" "$stderr"
	done
}

@test "a usage error stops at once: nothing is checked" {
	check "$bad" --jobs=0 "$good"
	expect 64
	[ -z "$output" ]
}

@test "control characters in a wrong word do not reach the terminal" {
	check "--jobs=$(printf '\033]0;x\a')" "$good"
	expect 64
	[[ $stderr != *$'\033'* && $stderr != *$'\a'* ]]
}

@test "--help, --usage and --version: standard output, exit 0" {
	check --help
	expect 0
	[ -z "$stderr" ]
	for option in --all --physical-sector --sector-size --image-offset --strict --json --pairs --raw --output \
		--noheadings --bytes --prometheus --nagios --jobs --quiet --verbose --version --sysroot --help --usage; do
		has "$option"
	done
	check --usage
	expect 0
	has --json
	for option in --version -V; do
		check "$option"
		expect 0
		[[ $output =~ ^alignck\ [0-9]+\.[0-9]+(\.[0-9]+)?$ ]]
		[ -z "$stderr" ]
	done
}

@test "the version of --version is the one in JSON" {
	check --version
	version=${output#alignck }
	check_json "$good"
	is .alignck.version "$version"
}

@test "short options are the long ones" {
	while read -r short long; do
		check $short "$bad"
		expect 1
		want=$output
		check $long "$bad"
		expect 1
		[ "$output" = "$want" ] || fail "$short and $long differ"
	done <<-END
		-J --json
		-P --pairs
		-r --raw
		-b --bytes
		-q --quiet
		-v --verbose
		-j2 --jobs=2
		-oNAME --output=NAME
	END
}

@test "options come in any order, before and after the devices" {
	check --json --strict "$bad" "$good"
	want=$output
	for order in 1 2 3; do
		case $order in
		1) check "$bad" --json "$good" --strict ;;
		2) check "$bad" "$good" --strict --json ;;
		3) check --strict "$bad" -J "$good" ;;
		esac
		expect 1
		[ "$output" = "$want" ]
	done
}

@test "-- ends the options" {
	cd "$BATS_TEST_TMPDIR"
	cp --sparse=always "$good" ./--json
	cp --sparse=always "$good" ./-q
	check -- --json -q
	expect 0
	has --json
	[[ ${lines[0]} == NAME* ]]
}

@test "POPT aliases work" {
	printf 'alignck alias --mine --json --strict\n' >"$BATS_TEST_TMPDIR/.popt"
	HOME=$BATS_TEST_TMPDIR check --mine "$images/04-mbr56.img"
	expect 1
	jq -e .devices <<<"$output" >/dev/null
}

@test "two output formats at once are a usage error" {
	for formats in '--json --pairs' '--raw --nagios' '--prometheus --json' '--quiet --json'; do
		check $formats "$good"
		expect 64
		[ -z "$output" ]
	done
}

# --- sizes and judging options ---

@test "sizes: bytes, K, KiB, M, s" {
	for size in 8192 8K 8KiB 16s; do
		check_json --physical-sector=$size "$images/04-mbr56.img" # byte 28672
		expect 1
		is '.devices[0].physical_block_size' 8192
		is '.devices[0].required_alignment' 8192
		is '.devices[0].sector_source' user
		off_by 1 4096
	done
	check --image-offset=1MiB "$good"
	expect 0
}

@test "--physical-sector below 4096 does not make sector 63 aligned" {
	check_json --physical-sector=512 "$bad"
	expect 1
	is '.devices[0].required_alignment' 4096
}

@test "--image-offset: where byte 0 of the image sits decides" {
	check_json --image-offset=512 "$bad" # 63 + 1
	expect 0
	verdict 1 aligned
	check_json --image-offset=1s "$good"
	expect 1
	verdict 1 misaligned
	off_by 1 512
	check_json --image-offset=16E "$good"
	expect 64
}

@test "--sector-size: what the user says is not overruled by the table" {
	check_json --sector-size=4096 "$images/13-gpt4kn.img"
	expect 0
	is '.devices[0].table.sector_size' 4096
	check_json --sector-size=512 "$images/13-gpt4kn.img"
	expect 2
	finds sector-size-mismatch error
	check_json --sector-size=4096 "$images/10-gpt2048.img"
	expect 2
	finds sector-size-mismatch error
}

@test "--strict: warnings count, notices do not" {
	check "$images/04-mbr56.img"
	expect 0
	check --strict "$images/04-mbr56.img"
	expect 1
	check --strict "$good"
	expect 0
	check_json --strict "$images/18-gptmsr.img" # its end and size are odd
	expect 1
}

# --- paths ---

@test "what cannot be checked: one line, exit 2" {
	: >"$BATS_TEST_TMPDIR/empty"
	mkfifo "$BATS_TEST_TMPDIR/fifo"
	for path in /nonexistent/a.img "$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/empty" "$BATS_TEST_TMPDIR/fifo" /dev/null \
		/dev/tty '' "$BATS_TEST_TMPDIR/empty/below"; do
		check "$path"
		expect 2
		one_error "$path"
	done
}

@test "a socket and a looping link: one line, exit 2" {
	python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$BATS_TEST_TMPDIR/socket"
	ln -s loop "$BATS_TEST_TMPDIR/loop"
	for path in "$BATS_TEST_TMPDIR/socket" "$BATS_TEST_TMPDIR/loop"; do
		check "$path"
		expect 2
		one_error "$path"
	done
}

@test "no permission: one line, exit 2" {
	dir=$(mktemp -d)
	cp --sparse=always "$good" "$dir/secret.img"
	cp "$ALIGNCK" "$dir/alignck"
	chmod 755 "$dir" "$dir/alignck"
	chmod 0 "$dir/secret.img"
	as=()
	[ "$(id -u)" != 0 ] || as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	run --separate-stderr "${as[@]}" "$dir/alignck" "$dir/secret.img"
	ran='alignck secret.img as nobody'
	rm -r "$dir"
	expect 2
	one_error "$dir/secret.img"
	has 'ermission denied' "$stderr"
}

@test "several devices, one missing: the others are checked, one line, exit 2" {
	check "$good" /nonexistent "$bad"
	expect 2
	[[ $stderr == "alignck: /nonexistent: "* ]]
	[ "${#stderr_lines[@]}" = 1 ]
	has 02-mbr2048.img1
	has 01-mbr63.img1
	check_json "$good" "$bad" /nonexistent
	expect 2
	[ "${#stderr_lines[@]}" = 1 ]
	is '.devices | length' 2
	is '.devices[1].path' "$bad"
}

@test "only missing devices: still a JSON document" {
	check_json /nonexistent /nonexistent2
	expect 2
	is '.devices | length' 0
	[ "${#stderr_lines[@]}" = 2 ]
}

@test "names with blanks, quotes, newlines and escapes stay one line and harmless" {
	name=$(printf 'a "b" $(c) \033[31m\n`d` %%s')
	cp --sparse=always "$bad" "$BATS_TEST_TMPDIR/$name"
	check "$BATS_TEST_TMPDIR/$name"
	expect 1
	[[ $output$stderr != *$'\033'* ]]
	[ "$(grep -c 'misaligned' <<<"$output")" -ge 2 ]
	check_json "$BATS_TEST_TMPDIR/$name"
	expect 1
	is '.devices[0].partitions | length' 1
	check "$BATS_TEST_TMPDIR/no $name"
	expect 2
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr != *$'\033'* ]]
}

@test "links and relative paths are followed; the same device twice is two devices" {
	ln -s "$bad" "$BATS_TEST_TMPDIR/link.img"
	cd "$BATS_TEST_TMPDIR"
	check_json link.img ./link.img
	expect 1
	is '.devices | length' 2
	is '.devices[0].path' link.img
	is '.devices[1].path' ./link.img
}

# --- streams ---

@test "a reader that goes away early is no crash" {
	for i in 1 2 3; do
		set +e
		"$ALIGNCK" "$images"/*.img 2>"$BATS_TEST_TMPDIR/err" | head -1 >"$BATS_TEST_TMPDIR/out"
		code=${PIPESTATUS[0]}
		set -e
		[ "$code" = 2 ] || [ "$code" = 141 ] || fail "exit $code in round $i"
		[[ $(cat "$BATS_TEST_TMPDIR/out") == NAME* ]]
		! grep -qi sanitizer "$BATS_TEST_TMPDIR/err"
	done
}

@test "a full disk on standard output is an error: exit 2" {
	for format in '' --json --pairs --prometheus --nagios --help --version; do
		run --separate-stderr bash -c '"$@" >/dev/full' - "$ALIGNCK" $format "$good"
		ran="alignck $format >/dev/full"
		expect 2
		has 'alignck: ' "$stderr"
		has 'No space left' "$stderr"
	done
}

@test "closed streams are no crash" {
	run bash -c '"$@" >&-' - "$ALIGNCK" "$good"
	[ "$status" = 2 ]
	run bash -c '"$@" 2>&- <&-' - "$ALIGNCK" "$bad"
	[ "$status" = 1 ]
}

@test "standard input is left alone" {
	run --separate-stderr bash -c 'yes | head -100 | { "$1" "$2" >/dev/null; wc -l; }' - "$ALIGNCK" "$good"
	[ "$output" = 100 ]
}

@test "no colour and no box characters but on a terminal" {
	check "$bad"
	[[ $output != *$'\033'* && $output != *─* && $output != *├* && $output != *└* ]]
	command -v script >/dev/null || skip 'no script(1)'
	run script -qec "$(printf '%q %q' "$ALIGNCK" "$bad")" /dev/null </dev/null
	[[ $output == *'─01-mbr63.img1'* ]] || fail "$output"
	[[ $output != *$'\033[3'* ]]
}

@test "--quiet: only errors, the exit status tells" {
	check --quiet "$good" "$bad"
	expect 1
	[ -z "$output$stderr" ]
	check -q "$good" /nonexistent
	expect 2
	one_error /nonexistent
}

# --- text ---

@test "the text: columns, the finding's numbers, what to do" {
	check "$bad"
	expect 1
	[[ ${lines[0]} =~ ^NAME\ +START\ +SECTORS\ +SIZE\ +ALIGNED\ +VERDICT\ +CONTENT$ ]]
	[[ ${lines[1]} =~ ^01-mbr63.img\ +64M\ +misaligned\ +dos,\ 512-byte\ sectors,\ 4096\ assumed$ ]] || fail "${lines[1]}"
	[[ ${lines[2]} =~ 01-mbr63.img1\ +63\ +122881\ +60M\ +512B\ +misaligned ]] || fail "${lines[2]}"
	has '01-mbr63.img1: starts 3584 bytes past a 4096-byte boundary'
	[[ ${lines[-1]} == '01-mbr63.img: 1 of 1 partition'*misaligned* ]] || fail "${lines[-1]}"
}

@test "-o: chosen columns, added columns, lower case; --noheadings" {
	check -o NAME,START "$bad"
	[[ ${lines[0]} =~ ^NAME\ +START$ ]]
	check -o START,NAME "$bad"
	[[ ${lines[0]} =~ ^START\ +NAME$ ]]
	check -o +PARTTYPE "$bad"
	[[ ${lines[0]} =~ ^NAME\ +START\ +SECTORS\ +SIZE\ +ALIGNED\ +VERDICT\ +CONTENT\ +PARTTYPE$ ]]
	check -o name,verdict "$bad"
	[[ ${lines[0]} =~ ^NAME\ +VERDICT$ ]]
	check --noheadings -o NAME,VERDICT "$bad"
	lacks NAME
	has 01-mbr63.img1
}

@test "every column of --help can be had in every table" {
	check --help
	columns=$(awk '/^Columns/ { on = 1; next } on { print $1 }' <<<"$output")
	[ "$(wc -l <<<"$columns")" -ge 7 ]
	for column in $columns; do
		for format in '' --raw --pairs; do
			check $format -o "NAME,$column" "$images/11-gptmix.img"
			expect 1
			[ "${#lines[@]}" -ge 7 ]
		done
	done
	check -o "$(tr '\n' ',' <<<"$columns" | sed 's/,$//')" "$images/11-gptmix.img"
	expect 1
}

@test "--bytes: sizes are numbers" {
	check --bytes --raw --noheadings -o SIZE "$bad"
	[ "$output" = $'67108864\n62915072' ] || fail "$output"
	check --raw --noheadings -o SIZE "$bad"
	[ "$output" = $'64M\n60M' ] || fail "$output"
}

# --- for scripts ---

@test "--pairs can be evaluated by sh" {
	check --pairs "$images/11-gptmix.img"
	expect 1
	[ "${#lines[@]}" = 7 ]
	for line in "${lines[@]}"; do
		[[ $line =~ ^([A-Z_]+=\"[^\"]*\"\ ?)+$ ]] || fail "$line"
	done
	got=$(sh -c 'eval "$1"; echo "$NAME $START $SECTORS $VERDICT"' - "${lines[3]}")
	[ "$got" = '11-gptmix.img3 206849 93152 misaligned' ] || fail "$got"
}

@test "--pairs with a hostile label runs nothing" {
	truncate -s 64M "$BATS_TEST_TMPDIR/a.img"
	printf '%s\n' 'label: gpt' 'start=2048, size=2048' | sfdisk -q "$BATS_TEST_TMPDIR/a.img"
	label='"; `touch a`; \ $(touch b)'
	hand gpt-entry "$BATS_TEST_TMPDIR/a.img" 1 2048 4095 "$(printf %s "$label" | iconv -t UTF-16LE | od -An -vtx1 | tr -d ' \n')"
	cd "$BATS_TEST_TMPDIR"
	check --pairs -o NAME,PARTLABEL a.img
	expect 0
	for line in "${lines[@]}"; do sh -c 'eval "$1"' - "$line"; done
	[ ! -e a ] && [ ! -e b ]
	got=$(sh -c 'eval "$1"; echo "$NAME"' - "${lines[1]}")
	[ "$got" = a.img1 ]
	check_json a.img
	is '.devices[0].partitions[0].label' "$label"
}

@test "--raw: one line a row, as many fields as columns" {
	check --raw -o NAME,START,SECTORS,VERDICT "$images/11-gptmix.img"
	[ "${lines[0]}" = 'NAME START SECTORS VERDICT' ]
	[ "${lines[1]}" = '11-gptmix.img   misaligned' ] || fail "${lines[1]}"
	for line in "${lines[@]}"; do
		[ "$(tr -cd ' ' <<<"$line" | wc -c)" = 3 ] || fail "$line"
	done
	[ "${lines[4]}" = '11-gptmix.img3 206849 93152 misaligned' ]
}

@test "JSON: every key of schema 1, every type, for every image" {
	check_json "$images"/*.img /nonexistent
	breaches=$(jq -rf "$BATS_TEST_DIRNAME/schema.jq" <<<"$json")
	[ -z "$breaches" ] || fail "$breaches"
	# The content of at least the LUKS and the ext4 images has been looked into.
	is '[.devices[].partitions[].content[]?.type] | (index("ext4") != null) and (index("crypto_LUKS") != null)' true
}

@test "JSON: the schema check itself sees breaches" {
	check_json "$bad"
	for change in 'del(.devices[0].size)' '.devices[0].size = "64M"' '.devices[0].partitions[0].start = -1' \
		'.devices[0].partitions[0].verdict = "fine"' 'del(.pool.ashift)' '.alignck.schema = 2' \
		'.devices[0].findings = null' '.summary.unknown = 0.5' '.devices[0].rotational = 1'; do
		[ -n "$(jq "$change" <<<"$json" | jq -rf "$BATS_TEST_DIRNAME/schema.jq")" ] || fail "unseen: $change"
	done
}

@test "JSON: device, partition and sums of a known image" {
	check_json "$images/11-gptmix.img"
	is '.devices[0].kind' image
	is '.devices[0].size' 268435456
	is '.devices[0].sector_source' assumed
	is '.devices[0].logical_block_size' 512
	is '.devices[0].physical_block_size' 4096
	is '.devices[0].reported.physical_block_size' null
	is '.devices[0].required_alignment' 4096
	is '.devices[0].recommended_alignment' 1048576
	is '.devices[0].table.id' "$(sfdisk --disk-id "$images/11-gptmix.img")"
	is '.devices[0].partitions[2] | [.start, .size, .start_sector, .sectors, .alignment, .misaligned_by] | tostring' \
		'[105906688,47693824,206849,93152,512,512]'
	is '.devices[0].partitions[1].uuid' "$(sfdisk --part-uuid "$images/11-gptmix.img" 2)"
	is '.devices[0].partitions[1].type' C12A7328-F81F-11D2-BA4B-00A0C93EC93B
	is '.summary | [.devices, .partitions, .misaligned, .unknown] | tostring' '[1,6,2,0]'
	is '.devices[0].partitions[2].findings[] | select(.id == "start-misaligned") | [.value, .boundary, .severity] | tostring' \
		'[512,4096,"error"]'
}

@test "JSON: MBR type and UUID as the kernel has them, leading zeros kept" {
	cp --sparse=always "$bad" "$BATS_TEST_TMPDIR/a.img"
	sfdisk -q --no-reread --no-tell-kernel --disk-id "$BATS_TEST_TMPDIR/a.img" 0x00c0ffee
	check_json "$BATS_TEST_TMPDIR/a.img"
	is '.devices[0].table.id' 00c0ffee
	is '.devices[0].partitions[0].uuid' 00c0ffee-01
	is '.devices[0].partitions[0].type' 83
}

@test "JSON: pool: what suits all devices; mixed sizes are said" {
	check_json "$good" "$bad"
	is .pool.ashift 12
	is .pool.mixed_logical false
	is .pool.mixed_physical false
	check_json "$good" "$images/13-gpt4kn.img"
	is .pool.mixed_logical true
	check_json --physical-sector=8192 "$good"
	is .pool.ashift 13
}

prometheus_grammar='^(# (HELP [a-z_]+ .+|TYPE [a-z_]+ gauge)|alignck_[a-z_]+(\{[a-z_]+="([^"\\]|\\["\\n])*"(,[a-z_]+="([^"\\]|\\["\\n])*")*\})? -?[0-9]+)$'

@test "--prometheus: every line fits the grammar, samples of a metric together, no series twice" {
	check --prometheus "$images"/*.img /nonexistent "$good"
	expect 2
	[ "$(grep -cvE "$prometheus_grammar" <<<"$output")" = 0 ] || fail "$(grep -vE "$prometheus_grammar" <<<"$output" | head -3)"
	[ -z "$(grep -v '^#' <<<"$output" | sed 's/ [^ ]*$//' | sort | uniq -d)" ]
	[ -z "$(grep -v '^#' <<<"$output" | sed 's/[{ ].*//' | uniq | sort | uniq -d)" ]
	[ -z "$(comm -13 <(sed -n 's/^# TYPE \([a-z_]*\) .*/\1/p' <<<"$output" | sort) \
		<(grep -v '^#' <<<"$output" | sed 's/[{ ].*//' | sort -u))" ]
	grep -qE '^alignck_[a-z_]*misaligned\{.*device="[^"]*/01-mbr63\.img".*\} 1$' <<<"$output"
	grep -qE 'device="/nonexistent".*\} 1$' <<<"$output"
}

nagios() { # nagios WANT WORD ARG...
	check --nagios "${@:3}"
	expect "$1"
	[ "${#lines[@]}" = 1 ]
	[[ $output =~ ^ALIGNCK\ $2\ -\ [^|]+( \| .+)?$ ]] || [[ $output =~ ^ALIGNCK\ $2\ -\ [^|]+\|.+$ ]] || fail "$output"
}

@test "--nagios: one line, its own exit status" {
	nagios 0 OK "$good"
	nagios 2 CRITICAL "$bad"
	nagios 2 CRITICAL "$good" "$bad"
	nagios 1 WARNING "$images/04-mbr56.img"
	nagios 3 UNKNOWN /nonexistent
	nagios 3 UNKNOWN "$images/15-pmbronly.img"
	[[ $output != *'|'*'|'* ]]
}

@test "--jobs: the same output in the same order, whatever the number" {
	mapfile -t twenty < <(printf '%s\n' "$images"/*.img | head -20)
	[ "${#twenty[@]}" = 20 ]
	for format in '' --json --raw --prometheus; do
		check $format --jobs=1 "${twenty[@]}" /nonexistent
		want=$output code=$status err=$stderr
		for jobs in 2 4 64; do
			check $format --jobs=$jobs "${twenty[@]}" /nonexistent
			expect "$code"
			[ "$output" = "$want" ]
			[ "$stderr" = "$err" ]
		done
		check $format "${twenty[@]}" /nonexistent
		[ "$output" = "$want" ]
	done
	check_json --jobs=4 "${twenty[@]}"
	is '[.devices[].path] | join("\n")' "$(printf '%s\n' "${twenty[@]}")"
}

@test "one document and one exit status for 300 devices" {
	many=()
	for _ in {1..100}; do many+=("$good" "$bad" "$images/17-gpt128.img"); done
	check_json "${many[@]}"
	expect 1
	is '.devices | length' 300
	is .summary.partitions 13000
}

@test "the locale changes no format" {
	check_json "$bad"
	want=$output
	LC_ALL=C check --json "$bad"
	[ "$output" = "$want" ]
	LC_ALL=C check "$bad"
	expect 1
	[ "$(LC_ALL=C tr -d '\n\40-\176' <<<"$output" | wc -c)" = 0 ]
}
