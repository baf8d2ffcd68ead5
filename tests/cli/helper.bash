#!/bin/bash
# What every .bats file shares: where the program and the images are, how to run the one on the other,
# and how to write down a captured machine (a directory that stands for / in --sysroot).
#
#   check ARG...           runs alignck; leaves $status, $output (standard output) and $stderr
#   stop_at SIGNAL N CMD   runs a command that gets the signal with its N-th flush
#   until_is COMMAND...    waits until it succeeds; fails after 60 s
#   failing WHEN ERROR P.. the check while reads of the image P fail (strace's fault injection)
#   expect N               the exit status was N, and no crash
#   check_json ARG...      the same with --json; the document must parse, for `json` and `is`
#   is FILTER WANTED       jq FILTER of that document gives WANTED
#   dos IMG SIZE ENTRY...  an MBR by sfdisk; gpt: a GPT; sgdisk is avoided, it sleeps a second
#   hand COMMAND...        tests/images/hand.py: bytes no tool writes
#   disk NAME SIZE K=V...  a disk of the captured machine $sysroot; tables go to $sysroot/dev/NAME
#
# SC2034: lines and stderr_lines are for the tests, as with bats' run.
# shellcheck disable=SC2034
bats_require_minimum_version 1.5.0

tests=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
: "${BUILD:=$(cd "$tests/.." && pwd)/build/release}"
: "${ALIGNCK:=$BUILD/alignck}"
sysroot=${BATS_TEST_TMPDIR:-/nonexistent}/machine
export LC_ALL=C.UTF-8

# shellcheck source=tests/images/cache.sh
. "$tests/images/cache.sh" # need_images, $images

image() { # image NAME: its path; skips the test where the image could not be built
	local why
	if why=$(grep "^$1"$'\t' "$images/SKIPPED"); then skip "$1: ${why#*$'\t'}"; fi
	path=$images/$1.img
	[ -f "$path" ]
}

# A sparse file of that size as $path, wherever one can be had; ext4 ends at 16 TiB, tmpfs does not.
big() {
	local dir
	for dir in "$BATS_TEST_TMPDIR" /dev/shm; do
		path=$(mktemp -p "$dir" alignck.XXXXXX.img) || continue
		if truncate -s "$1" "$path" 2>/dev/null; then
			rm_later+=("$path")
			return
		fi
		rm -f "$path"
	done
	skip "no file system for a file of $1 bytes"
}
rm_later=()
teardown() { rm -f "${rm_later[@]}"; }

copy() { # copy NAME: a copy of that image that the test may change, as $path
	image "$1"
	cp --sparse=always "$path" "$BATS_TEST_TMPDIR/$1.img"
	path=$BATS_TEST_TMPDIR/$1.img
}

fail() {
	printf '%s\n' "$*" >&2
	return 1
}

# As bats' run, but the streams apart, without a loop over every line, and with an end if it hangs.
check() {
	status=0
	output=$(timeout 60 "$ALIGNCK" "$@" 2>"$BATS_TEST_TMPDIR/stderr") || status=$?
	stderr=$(<"$BATS_TEST_TMPDIR/stderr")
	mapfile -t lines <<<"$output"
	mapfile -t stderr_lines <<<"$stderr"
	[ -n "$output" ] || lines=()
	[ -n "$stderr" ] || stderr_lines=()
	ran="alignck $*"
}

# stop_at SIGNAL N COMMAND...: the signal comes with the N-th flush
stop_at() {
	command -v strace >/dev/null || skip 'strace is not installed'
	status=0
	output=$(ASAN_OPTIONS=detect_leaks=0 strace -f -qq -o /dev/null -e trace=fdatasync,fsync -e inject=fdatasync,fsync:signal="$1":when="$2" \
		"${@:3}" 2>"$BATS_TEST_TMPDIR/stderr") || status=$?
	stderr=$(<"$BATS_TEST_TMPDIR/stderr")
	ran=${*:3}
}

until_is() {
	local end=$((SECONDS + 60))
	until "$@"; do ((SECONDS < end)) || fail "never: $*"; done
}

# failing WHEN ERROR PATH...: the check while reads of the first image fail
failing() {
	command -v strace >/dev/null || skip 'no strace'
	strace -o /dev/null -e inject=getppid:error=EIO true 2>/dev/null || skip 'strace may not inject here'
	status=0
	output=$(ASAN_OPTIONS=detect_leaks=0 strace -f -o "$BATS_TEST_TMPDIR/trace" -P "$3" -e trace=pread64 \
		-e "inject=pread64:error=$2:when=$1" "$ALIGNCK" --json "${@:3}" 2>"$BATS_TEST_TMPDIR/stderr") || status=$?
	stderr=$(<"$BATS_TEST_TMPDIR/stderr")
	json=$output ran="alignck with read $1 failing: $2"
}

expect() {
	[ "$status" = "$1" ] && return
	fail "$ran: exit $status, not $1
$(jq -c . 2>/dev/null <<<"$output" || printf %s "$output")
$stderr"
}

has() { # has TEXT [WHERE]: TEXT is part of standard output (or of WHERE)
	[[ ${2-$output} == *"$1"* ]] || fail "$ran: no \"$1\" in
${2-$output}"
}

lacks() {
	[[ ${2-$output} != *"$1"* ]] || fail "$ran: \"$1\" in
${2-$output}"
}

check_json() {
	check --json "$@"
	json=$output
	jq -e . >/dev/null <<<"$json" || fail "$ran: not JSON (exit $status):
$output
$stderr"
}

is() {
	local got
	got=$(jq -r "$1" <<<"$json") || fail "jq $1 failed on
$json"
	[ "$got" = "$2" ] && return
	fail "$ran: $1 is $got, not $2
$(jq -c . <<<"$json")"
}

# Verdict of partition N of the first device; misaligned_by of it; whether it (or, without N, the
# device with all its partitions) has a finding of that id.
verdict() { is ".devices[0].partitions[] | select(.number == $1) | .verdict" "$2"; }
off_by() { is ".devices[0].partitions[] | select(.number == $1) | .misaligned_by" "$2"; }
finds() { # finds ID [SEVERITY]
	is "[.devices[] | .findings[], .partitions[].findings[] | select(.id == \"$1\") | .severity] | unique |
		if length > 0 and (\"${2-}\" == \"\" or index(\"${2-}\") != null) then \"yes\" else tostring end" yes
}
finds_no() { # finds_no ID [SEVERITY]
	is "[.devices[] | .findings[], .partitions[].findings[] |
		select(.id == \"$1\" and (\"${2-}\" == \"\" or .severity == \"${2-}\"))] | length" 0
}
no_errors_but() { # no_errors_but ID
	is "[.devices[] | .findings[], .partitions[].findings[] | select(.severity == \"error\" and .id != \"$1\")] | length" 0
}
message() { # message ID: the sentences of these findings
	jq -r ".devices[] | .findings[], .partitions[].findings[] | select(.id == \"$1\") | .message" <<<"$json"
}

dos() {
	[ -e "$1" ] || truncate -s "$2" "$1"
	printf '%s\n' "${@:3}" | sfdisk -q --no-reread --no-tell-kernel "$1" >/dev/null
}

gpt() { # an ENTRY is START,SECTORS[,TYPE]
	[ -e "$1" ] || truncate -s "$2" "$1"
	printf '%s\n' 'label: gpt' 'first-lba: 34' "${@:3}" | sfdisk -q --no-reread --no-tell-kernel "$1" >/dev/null
}

gpt4096() { # the same in units of 4096 bytes, which of sfdisk and fdisk only the latter takes
	[ -e "$1" ] || truncate -s "$2" "$1"
	printf '%s\n' 'label: gpt' 'first-lba: 6' 'sector-size: 4096' "${@:3}" >"$BATS_TEST_TMPDIR/script"
	# It cannot tell the kernel of a table in an image, which is exit 1; what it wrote is looked at instead.
	printf '%s\n' I "$BATS_TEST_TMPDIR/script" w | fdisk -b 4096 "$1" >/dev/null 2>&1 || true
	[ "$(dd if="$1" bs=4096 skip=1 count=1 status=none | head -c 8)" = 'EFI PART' ]
}

hand() { command -p python3 -S "$tests/images/hand.py" "$@"; }

attribute() { # attribute PATH VALUE: a file of sysfs
	local dir=$sysroot/sys/${1%/*}
	[ -d "$dir" ] || mkdir -p "$dir"
	printf '%s\n' "$2" >"$sysroot/sys/$1"
}

# disk NAME SIZE [lbs=512 pbs=512 min=PBS opt=0 offset=0 rotational=1 zoned=none model= vendor= serial=]
disk() {
	local name=$1 size=$2 lbs=512 pbs='' min='' opt=0 offset=0 rotational=1 zoned=none model='' vendor='ATA     '
	local serial='' chunk=0 k
	for k in "${@:3}"; do local "${k%%=*}=${k#*=}"; done
	: "${pbs:=512}" "${min:=$pbs}"
	mkdir -p "$sysroot/dev" "$sysroot/proc" "$sysroot/sys/class/block" "$sysroot/sys/dev/block" \
		"$sysroot/sys/block/$name"/{holders,slaves}
	: >>"$sysroot/proc/mounts"
	: >>"$sysroot/proc/swaps"
	truncate -s "$size" "$sysroot/dev/$name"
	attribute "block/$name/size" $(($(stat -c %s "$sysroot/dev/$name") / 512))
	attribute "block/$name/dev" "8:$((minor++ * 16))"
	attribute "block/$name/alignment_offset" "$offset"
	attribute "block/$name/ro" 0
	attribute "block/$name/removable" 0
	attribute "block/$name/queue/logical_block_size" "$lbs"
	attribute "block/$name/queue/hw_sector_size" "$lbs"
	attribute "block/$name/queue/physical_block_size" "$pbs"
	attribute "block/$name/queue/minimum_io_size" "$min"
	attribute "block/$name/queue/optimal_io_size" "$opt"
	attribute "block/$name/queue/rotational" "$rotational"
	attribute "block/$name/queue/zoned" "$zoned"
	attribute "block/$name/queue/chunk_sectors" "$chunk"
	[ -z "$model" ] || attribute "block/$name/device/model" "$model"
	[ -z "$model" ] || attribute "block/$name/device/vendor" "$vendor"
	[ -z "$serial" ] || attribute "block/$name/device/serial" "$serial"
	ln -sfn "../../block/$name" "$sysroot/sys/class/block/$name"
	ln -sfn "../../block/$name" "$sysroot/sys/dev/block/8:$(((minor - 1) * 16))"
}
minor=0

partition() { # partition DISK NUMBER START SECTORS (512 bytes): as the kernel has it
	local name=$1$2
	[[ $1 != *[0-9] ]] || name=$1p$2
	mkdir -p "$sysroot/sys/block/$1/$name/holders"
	attribute "block/$1/$name/partition" "$2"
	attribute "block/$1/$name/start" "$3"
	attribute "block/$1/$name/size" "$4"
	attribute "block/$1/$name/dev" "259:$((minor++))"
	attribute "block/$1/$name/ro" 0
	attribute "block/$1/$name/alignment_offset" 0
	ln -sfn "../../block/$1/$name" "$sysroot/sys/class/block/$name"
	: >>"$sysroot/dev/$name"
}

# A disk of the captured machine with an MBR; what the kernel would have is put beside it.
disk_with() { # disk_with NAME SIZE "ATTRIBUTES" ENTRY...
	local fields
	# shellcheck disable=SC2086 # a list of words
	disk "$1" "$2" $3
	dos "$sysroot/dev/$1" "$2" "${@:4}"
	while read -ra fields; do
		partition "$1" "${fields[@]}"
	done < <(partx -g -o NR,START,SECTORS "$sysroot/dev/$1")
}
