#!/usr/bin/env bats
# A check reads and nothing else: seen by the kernel (strace), and by the image afterwards.
# SC2154: helper.bash and bats set path, json, status, output; SC2030, SC2031: each test is a subshell.
# shellcheck disable=SC2154,SC2030,SC2031
load helper

setup_file() { need_images; }

trace() { # trace ARG...: runs alignck under strace; every thread's calls into $log, paths resolved
	log=$BATS_TEST_TMPDIR/trace
	command -v strace >/dev/null || skip 'no strace'
	strace -o /dev/null true 2>/dev/null || skip 'strace may not trace here'
	# LeakSanitizer cannot work below another tracer.
	run --separate-stderr env ASAN_OPTIONS=detect_leaks=0 strace -f -y -s 64 -o "$log" "$ALIGNCK" "$@"
	ran="strace alignck $*"
}

calls() { grep -cE '^[0-9]+ +[a-z0-9_]+\(' "$log"; }

# Bytes that calls read from files whose path fits the expression.
bytes_read() {
	sed -nE "s#^[0-9]+ +(read|pread64|preadv|readv)\([0-9]+<($1)>.* = ([0-9]+)\$#\3#p" "$log" |
		awk '{ sum += $1 } END { print sum + 0 }'
}

only_reads() { # only_reads PATH...: opened read-only, and nothing written but to streams 1 and 2
	local path
	for path; do
		grep -E 'open(at|at2)?\(' "$log" | grep -F "$path" | grep -q O_RDONLY || fail "$path: not opened"
	done
	if grep -E '(open|openat|openat2)\(' "$log" | grep -E 'O_(WRONLY|RDWR|CREAT|TRUNC|APPEND)' |
		grep -vE '"/dev/(null|tty)"'; then fail "$ran: opened for writing"; fi
	if grep -E '^[0-9]+ +(p?write(v|64|v2)?|sendfile|splice|copy_file_range)\(' "$log" |
		grep -vE '^[0-9]+ +write(v)?\([12]<'; then fail "$ran: a write elsewhere"; fi
	if grep -E '^[0-9]+ +(fsync|fdatasync|sync|syncfs|fallocate|f?truncate|unlink(at)?|rename(at2?)?|mkdir(at)?|f?chmod(at)?|f?chown(at)?|utimensat|mount|umount2|linkat|symlink(at)?|mknod(at)?)\(' "$log"; then
		fail "$ran: it changes something"
	fi
	[ "$(grep -cE ' execve\(' "$log")" = 1 ] || fail "$ran: it runs other programs"
	if grep -E 'ioctl\(.*(BLKRRPART|BLKPG|BLKFLSBUF|BLKDISCARD|BLKZEROOUT|BLKROSET|BLKBSZSET)' "$log"; then
		fail "$ran: an ioctl that changes the device"
	fi
}

@test "a check of images opens read-only and writes nothing but its report" {
	trace "$images/01-mbr63.img" "$images/10-gpt2048.img" "$images/22-bsd63.img" "$images/64-luks1-pay.img"
	expect 1
	only_reads "$images/01-mbr63.img" "$images/10-gpt2048.img" "$images/22-bsd63.img" "$images/64-luks1-pay.img"
}

@test "so do JSON, --verbose and --prometheus" {
	for format in --json --verbose --prometheus; do
		trace $format "$images/10-gpt34.img"
		expect 1
		only_reads "$images/10-gpt34.img"
	done
}

@test "so does a captured machine" {
	disk_with sda 64M '' 63,2048,L
	trace --all --sysroot "$sysroot"
	expect 1
	only_reads "$sysroot/dev/sda"
}

@test "system calls and bytes read: one image, 128 partitions" {
	for name in 01-mbr63 10-gpt2048 17-gpt128; do
		image $name
		trace --jobs=1 "$path"
		bytes=$(bytes_read "[^>]*/$name\.img")
		parts=$({ "$ALIGNCK" --raw --noheadings -o NUMBER "$path" || true; } | grep -c '[0-9]')
		echo "# $name: $(calls) system calls, $bytes bytes read of the image, $parts partitions" >&3
		# 64 KiB for the table, 16 KiB for what each partition holds.
		((bytes <= 65536 + 16384 * parts)) || fail "$bytes bytes read"
	done
}

@test "bytes and times of an image stay as they were" {
	for name in 01-mbr63 12-hybrid 14-gptbad 40-overlap 60-fat32-clus; do
		copy $name
		before=$(sha256sum "$path" && stat -c '%Y %Z %s' "$path")
		check "$path"
		check --json --verbose "$path"
		[ "$before" = "$(sha256sum "$path" && stat -c '%Y %Z %s' "$path")" ]
	done
}

@test "an image that nobody may write to is checked all the same" {
	copy 01-mbr63
	chmod 444 "$path"
	if [ "$(id -u)" = 0 ]; then
		chattr +i "$path" 2>/dev/null || true
	fi
	check "$path"
	chattr -i "$path" 2>/dev/null || true
	expect 1
}
