#!/usr/bin/env bats
# Every sample image against the truth (tests/images/truth.tsv): each start judged right, nothing
# invented, and text, JSON and exit status telling the same story.
# shellcheck disable=SC2154 # helper.bash and bats set path, json, images, status, output
load helper

setup_file() { need_images; }

numbers() { # numbers "1 5-7 4-128/4": one a line, sorted
	local word first last step
	for word in ${1/#-/}; do
		step=${word#*/}
		[ "$step" != "$word" ] || step=1
		word=${word%/*}
		first=${word%-*} last=${word#*-}
		seq "$first" "$step" "$last"
	done | sort -n
}

same() { # same WHAT GOT WANTED: as sets of lines
	[ "$(sort <<<"$2" | sed /^$/d)" = "$(sort <<<"$3" | sed /^$/d)" ] || fail "$name: $1: got $(tr '\n' ' ' <<<"$2"), wanted $(tr '\n' ' ' <<<"$3")
$(jq -c . <<<"$json")"
}

all_of() { # all_of WHAT WANTED GOT: every line of WANTED is in GOT
	local missing
	missing=$(comm -23 <(sort <<<"$2") <(sort <<<"$3"))
	[ -z "$missing" ] || fail "$name: $1: missing $missing
$(jq -c . <<<"$json")"
}

fact() { awk -F'\t' -v key="$1" '$1 == key { print $2 }' <<<"$facts"; }

judged_right() {
	local name=$1 row want table unit aligned misaligned exempt errors warnings facts
	image "$name"
	row=$(grep "^$name"$'\t' "$tests/images/truth.tsv")
	IFS=$'\t' read -r _ want table unit aligned misaligned exempt errors warnings <<<"$row"

	check_json "$path"
	expect "$want"
	facts=$(jq -r '.devices[0] | "table\t\(.table.type)", "unit\t\(.table.sector_size)", "device\t\(.verdict)",
		(.partitions[] | "\(.verdict)\t\(.number)", "row\t\(.name) \(.verdict)"),
		([.findings[], .partitions[].findings[] | [.severity, .id]] | unique[] | "\(.[0])\t\(.[1])")' <<<"$json")
	[ "$table" = '*' ] || same 'table type' "$(fact table)" "$table"
	[ "$unit" = '*' ] || same 'sector size' "$(fact unit)" "$unit"
	same misaligned "$(fact misaligned)" "$(numbers "$misaligned")"
	all_of aligned "$(numbers "$aligned")" "$(fact aligned)"
	all_of exempt "$(numbers "$exempt")" "$(fact exempt)"
	same errors "$(fact error)" "$(tr ' ' '\n' <<<"${errors/#-/}")"
	all_of warnings "$(tr ' ' '\n' <<<"${warnings/#-/}")" "$(fact warning)"

	text_agrees "$want"
}

# The tree has one row a partition and the device's above them, with the verdicts of JSON; the exit
# status is the same; quiet says nothing.
text_agrees() {
	check -o NAME,VERDICT "$path"
	expect "$1"
	same 'text and JSON' "$(sed -n 's/^[|` -]*\([^ :]*\)  *\([a-z]*\)$/\1 \2/p' <<<"$output")" \
		"${path##*/} $(fact device)
$(fact row)"
	check --quiet "$path"
	expect "$1"
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
