#!/usr/bin/env bats
# Every sample image against the truth (tests/images/truth.tsv): each start judged right, nothing
# invented, and text, JSON and exit status telling the same story.
# shellcheck disable=SC2154 # helper.bash and bats set path, json, images, status, output
load helper

# One look at every image for all tests: what JSON says goes into NAME.facts, a line a fact.
setup_file() {
	need_images
	export facts=$BATS_FILE_TMPDIR
	local path name status
	for path in "$images"/*.img; do
		name=$(basename "$path" .img) status=0
		timeout 60 "$ALIGNCK" --json "$path" >"$facts/$name.json" || status=$?
		echo "exit $status" >"$facts/$name.facts"
	done
	jq -r 'input_filename + "\t" + (.devices[0] | "table \(.table.type)", "unit \(.table.sector_size)", "device \(.verdict)",
		(.partitions[] | "\(.verdict) \(.number)", "row \(.name) \(.verdict)"),
		([.findings[], .partitions[].findings[] | [.severity, .id]] | unique[] | "\(.[0]) \(.[1])"))' \
		"$facts"/*.json | awk -F'\t' '{ sub(/json$/, "facts", $1); print $2 >>$1 }'
}

# The numbers of "1 5-7 4-128/4", the words of anything else, as the keys of `set`.
spread() {
	local word first last step i
	set=()
	for word in ${1/#-/}; do
		if ! [[ $word =~ ^([0-9]+)(-([0-9]+))?(/([0-9]+))?$ ]]; then
			set[$word]=1
			continue
		fi
		first=${BASH_REMATCH[1]} last=${BASH_REMATCH[3]:-$first} step=${BASH_REMATCH[5]:-1}
		for ((i = first; i <= last; i += step)); do set[$i]=1; done
	done
}

told() { # told KEY WANTED [some]: these facts are WANTED and no other (some: among them)
	local -A set
	local key value got=" "
	while read -r key value; do
		[ "$key" != "$1" ] || got+="$value "
	done <"$facts/$name.facts"
	spread "$2"
	for value in "${!set[@]}"; do
		[[ $got == *" $value "* ]] || fail "$name: $1:$got, not $2
$(jq -c . "$facts/$name.json")"
	done
	[ "${3-}" = some ] || for value in $got; do
		[ "${set[$value]-}" ] || fail "$name: $1:$got, not $2
$(jq -c . "$facts/$name.json")"
	done
}

judged_right() {
	local name=$1 want table unit aligned misaligned exempt errors warnings
	image "$name"
	IFS=$'\t' read -r _ want table unit aligned misaligned exempt errors warnings \
		< <(grep "^$name"$'\t' "$tests/images/truth.tsv")
	told exit "$want"
	[ "$table" = '*' ] || told table "$table"
	[ "$unit" = '*' ] || told unit "$unit"
	told misaligned "$misaligned"
	told aligned "$aligned" some
	told exempt "$exempt" some
	told error "$errors"
	told warning "$warnings" some

	# The tree has a row a partition and the device's above them, with the verdicts of JSON; the exit
	# status is the same; quiet says nothing.
	check -o NAME,VERDICT "$path"
	expect "$want"
	[ "$(sed -n 's/^[|` -]*\([^ :]*\)  *\([a-z]*\) *$/\1 \2/p' <<<"$output" | tail -n +2 | sort)" = \
		"$(sed -n 's/^row //p' "$facts/$name.facts" | sort)" ] || fail "$name: text differs from JSON:
$output"
	told device "$(awk 'NR == 2 { print $2 }' <<<"$output")"
	check --quiet "$path"
	expect "$want"
	[ -z "$output$stderr" ] || fail "$name: --quiet says $output$stderr"
}

@test "truth.tsv, mk.sh and this file name the same images" {
	local listed built tested
	listed=$(grep -v '^#' "$tests/images/truth.tsv" | cut -f1 | sort)
	built=$({ cd "$images" && printf '%s\n' *.img | sed 's/\.img$//' && cut -f1 SKIPPED; } | sort)
	tested=$(sed -n 's/.*{ judged_right \(.*\); }$/\1/p' "$BATS_TEST_FILENAME" | sort)
	[ "$listed" = "$built" ]
	[ "$listed" = "$tested" ]
}

@test "image 01-mbr63" { judged_right 01-mbr63; }
@test "image 02-mbr2048" { judged_right 02-mbr2048; }
@test "image 03-mbrdos" { judged_right 03-mbrdos; }
@test "image 04-mbr1" { judged_right 04-mbr1; }
@test "image 04-mbr34" { judged_right 04-mbr34; }
@test "image 04-mbr56" { judged_right 04-mbr56; }
@test "image 04-mbr64" { judged_right 04-mbr64; }
@test "image 05-xp-ntfs63" { judged_right 05-xp-ntfs63; }
@test "image 06-mbr-oddlen" { judged_right 06-mbr-oddlen; }
@test "image 10-gpt2048" { judged_right 10-gpt2048; }
@test "image 10-gpt34" { judged_right 10-gpt34; }
@test "image 10-gpt40" { judged_right 10-gpt40; }
@test "image 11-gptmix" { judged_right 11-gptmix; }
@test "image 12-hybrid" { judged_right 12-hybrid; }
@test "image 13-gpt4kn" { judged_right 13-gpt4kn; }
@test "image 14-gptbad" { judged_right 14-gptbad; }
@test "image 15-pmbronly" { judged_right 15-pmbronly; }
@test "image 16-gpt3t" { judged_right 16-gpt3t; }
@test "image 17-gpt128" { judged_right 17-gpt128; }
@test "image 18-gptmsr" { judged_right 18-gptmsr; }
@test "image 20-solaris48195" { judged_right 20-solaris48195; }
@test "image 21-solaris82" { judged_right 21-solaris82; }
@test "image 22-bsd63" { judged_right 22-bsd63; }
@test "image 23-bsd2048" { judged_right 23-bsd2048; }
@test "image 30-superfloppy" { judged_right 30-superfloppy; }
@test "image 31-lvmwhole" { judged_right 31-lvmwhole; }
@test "image 32-lukswhole" { judged_right 32-lukswhole; }
@test "image 33-zfswhole" { judged_right 33-zfswhole; }
@test "image 34-swapwhole" { judged_right 34-swapwhole; }
@test "image 35-empty" { judged_right 35-empty; }
@test "image 40-overlap" { judged_right 40-overlap; }
@test "image 41-pastend" { judged_right 41-pastend; }
@test "image 50-sun" { judged_right 50-sun; }
@test "image 51-sgi" { judged_right 51-sgi; }
@test "image 52-mac" { judged_right 52-mac; }
@test "image 60-fat32-clus" { judged_right 60-fat32-clus; }
@test "image 61-ext4-1k" { judged_right 61-ext4-1k; }
@test "image 62-ntfs-c512" { judged_right 62-ntfs-c512; }
@test "image 63-lvm-pe" { judged_right 63-lvm-pe; }
@test "image 64-luks1-pay" { judged_right 64-luks1-pay; }
@test "image 65-md12" { judged_right 65-md12; }
@test "image 66-luks1-makes-up" { judged_right 66-luks1-makes-up; }
@test "image 67-luks1-at-63" { judged_right 67-luks1-at-63; }

@test "what lies inside: where its data starts, bytes past a boundary, units; nothing on the others" {
	want='30-superfloppy vfat 149504 2048 2048
31-lvmwhole LVM2_member 1048576 0 null
32-lukswhole crypto_LUKS 16777216 0 4096
33-zfswhole zfs_member 4194304 0 null
34-swapwhole swap 0 0 4096
60-fat32-clus vfat 528896 512 4096
61-ext4-1k ext4 0 0 1024
62-ntfs-c512 ntfs 0 0 512
63-lvm-pe LVM2_member 1028608 512 null
64-luks1-pay crypto_LUKS 2096640 3584 null
65-md12 linux_raid_member 1054720 2048 null'
	while read -r name rest; do
		[ -f "$facts/$name.json" ] || continue
		got=$(jq -r '.devices[0] | (.partitions[0].start // 0) as $start | (.content // .partitions[0].content)[-1] |
			"\(.type) \(.data_offset - $start) \(.misaligned_by) \(.block_size)"' "$facts/$name.json")
		[ "$got" = "$rest" ] || fail "$name: $got, not $rest"
	done <<<"$want"
	[ "$(jq -r 'select([.devices[0] | .findings[], .partitions[].findings[] | select(.id == "payload-misaligned" or
		.id == "block-smaller-than-sector" or .id == "ashift-too-small")] != []) | input_filename' "$facts"/*.json |
		sed 's|.*/||; s/\.json$//' | sort | tr '\n' ' ')" = \
		'30-superfloppy 60-fat32-clus 61-ext4-1k 62-ntfs-c512 63-lvm-pe 64-luks1-pay 65-md12 67-luks1-at-63 ' ]
}

@test "all images at once: the same partitions, the highest exit status" {
	check_json "$images"/*.img
	expect 2
	is '.devices | length' "$(find "$images" -name '*.img' | wc -l)"
	is '.summary.devices == (.devices | length)' true
	is '.summary.misaligned == ([.devices[].partitions[] | select(.verdict == "misaligned")] | length)' true
	is '.summary.unknown == ([.devices[].partitions[] | select(.verdict == "unknown")] | length)' true
	is '.summary.partitions == ([.devices[].partitions[]] | length)' true
}

@test "a perfect image has no warning: exit 0 with --strict too" {
	for name in 02-mbr2048 31-lvmwhole 32-lukswhole 33-zfswhole 34-swapwhole; do
		[ -f "$images/$name.img" ] || continue
		check --strict "$images/$name.img"
		expect 0
	done
}
