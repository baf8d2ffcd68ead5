#!/usr/bin/env bats
# Media that fail: bad sectors found before and in the middle, a write that fails once; then resume or undo.
# memory: 640
# disk: bad 64M
# qemu: -blockdev driver=raw,node-name=w,file.driver=blkdebug,file.image.driver=file,file.image.filename=$dir/bad,file.inject-error.0.event=none,file.inject-error.0.iotype=write,file.inject-error.0.sector=30000,file.inject-error.0.errno=5,file.inject-error.0.once=on
# qemu: -device virtio-blk-pci,drive=w,serial=write
# shellcheck disable=SC2154
load guest

setup() {
	modprobe -a sd_mod virtio_pci virtio_blk ext4
	until_is [ -b /dev/vda ]
	rm -f /journal/journal* /tmp/before
	cd "$BATS_TEST_TMPDIR"
}

medium_error() { # medium_error START COUNT: reading these sectors fails from now on; COUNT 0: no more
	echo "$1" >/sys/module/scsi_debug/parameters/medium_error_start
	echo "$2" >/sys/module/scsi_debug/parameters/medium_error_count
	echo $(($2 ? 2 : 0)) >/sys/bus/pseudo/drivers/scsi_debug/opts
}

killed_at() { # killed_at N COMMAND...: by its N-th flush
	status=0
	strace -f -qq -o /dev/null -e trace=fdatasync,fsync -e inject=fdatasync,fsync:signal=KILL:when="$1" \
		"${@:2}" >said 2>stderr || status=$?
	[ "$status" = 137 ] || fail "${*:2}: exit $status, not killed: $(<stderr)"
}

one_partition() {
	table 63,40000,L
	fill 1
	cat "$disk" >/tmp/before
}

is_new() {
	[ "$(kernel_start 1)" = 2048 ]
	same_nodes
	whole
	check "$disk"
	expect 0
}

is_old() {
	[ "$(kernel_start 1)" = 63 ]
	same_nodes
	blockdev --flushbufs "$disk"
	cmp "$disk" /tmp/before
	whole
}

@test "a bad sector that was there before: found before the first write, named, nothing written" {
	scsi physblk_exp=3
	one_partition
	medium_error 4660 8
	before=$(awk '{ print $7 }' "/sys/block/${disk##*/}/stat")
	check --fix --yes --journal /journal/journal "$disk"
	expect 2
	grep -qE '2385920|4660' <<<"$stderr" || fail "$stderr" # 4660 * 512
	[ "$(awk '{ print $7 }' "/sys/block/${disk##*/}/stat")" = "$before" ]
	[ ! -e /journal/journal ]
	medium_error 4660 0
	is_old
}

@test "a sector that goes bad in the middle: stops there, and goes on when it can be read again" {
	scsi physblk_exp=3
	one_partition
	killed_at 8 "$ALIGNCK" --fix --yes --journal /journal/journal "$disk"
	medium_error 4660 8
	check --resume --journal /journal/journal "$disk"
	expect 3
	has '--undo' "$stderr"
	has 'cannot read the disk at sector 4660 ' "$stderr"
	check "$disk"
	expect 3
	[ ! -b "$(part 1)" ]
	medium_error 4660 0
	check --resume --journal /journal/journal "$disk"
	expect 0
	is_new
}

@test "a sector that goes bad in the middle: undone around it" {
	scsi physblk_exp=3
	one_partition
	killed_at 8 "$ALIGNCK" --fix --yes --journal /journal/journal "$disk"
	medium_error 4660 8 # not moved yet: the way back need not read it
	check --resume --journal /journal/journal "$disk"
	expect 3
	check --undo --journal /journal/journal "$disk"
	expect 0
	medium_error 4660 0
	is_old
}

@test "a write that fails once: stops, nothing is lost, resume finishes" {
	serial write
	one_partition
	check --fix --yes --journal /journal/journal "$disk"
	expect 3
	has 'nothing is lost' "$stderr"
	check "$disk"
	expect 3
	check --resume --journal /journal/journal "$disk"
	expect 0
	is_new
	check --undo --journal /journal/journal "$disk"
	expect 0
	is_old
}

@test "a drive pulled in the middle: stops, and plugged in again it is resumed under its new name" {
	local pid
	scsi physblk_exp=3
	one_partition
	strace -f -qq -o calls -e trace=fdatasync,fsync -e inject=fdatasync,fsync:signal=STOP:when=20 \
		"$ALIGNCK" --fix --yes --journal /journal/journal "$disk" >said 2>stderr 3>&- &
	until_is grep -q 'stopped by SIGSTOP' calls
	pid=$(sed -n 's/ .*stopped by SIGSTOP.*//p' calls)
	echo 1 >"/sys/block/${disk##*/}/device/delete"
	kill -CONT "$pid"
	status=0
	wait $! || status=$?
	stderr=$(<stderr)
	expect 3
	has 'No such device' "$stderr"
	has '--undo' "$stderr"
	echo '- - -' | tee /sys/class/scsi_host/host*/scan
	until_is find_scsi
	check "$disk"
	expect 3
	[ "$(kernel_start 1)" = 1 ] # the cover's own entry
	check --resume --journal /journal/journal "$disk"
	expect 0
	is_new
	check --undo --journal /journal/journal "$disk"
	expect 0
	is_old
}
