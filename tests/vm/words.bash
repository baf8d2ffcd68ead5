#!/bin/bash
# Words for the guests that tests of outside/ start; $disk is the only disk such a guest has.
#
#   fill_disk              two partitions full of files at 63 and behind it; prints their sums
#   sums                   "sum ..." of each file of each partition; fsck finds nothing
#   state                  what alignck says of it, its exit status, the kernel's partitions
#   doom SECTORS OPTION... runs alignck with these, prints NOW after it has written so many sectors
modprobe -a virtio_pci virtio_blk nvme sd_mod ata_piix ext4 vfat

find_disk() {
	local dir
	for dir in /sys/block/vd? /sys/block/sd? /sys/block/nvme?n?; do
		disk=/dev/${dir##*/}
		[ ! -b "$disk" ] || return 0
	done
	return 1
}
until find_disk; do :; done

part() { if [[ $disk == *[0-9] ]]; then echo "${disk}p$1"; else echo "$disk$1"; fi; }

fill_disk() {
	local n i
	printf '%s\n' 63,120000,L 120063,140000,L | sfdisk -q "$disk" || exit
	for n in 1 2; do
		until [ -b "$(part $n)" ]; do :; done
		mkfs.ext4 -q -F -b 4096 "$(part $n)" || exit
		mount "$(part $n)" /mnt || exit
		for i in $(seq 6); do head -c 6000000 /dev/urandom >"/mnt/$i"; done
		umount /mnt
	done
	sync
	sums
}

sums() {
	local n
	for n in 1 2; do
		e2fsck -fn "$(part $n)" || exit
		mount -o ro "$(part $n)" /mnt || exit
		(cd /mnt && md5sum ./[0-9]*) | sed 's/^/sum /'
		umount /mnt
	done
}

state() {
	alignck "$disk"
	echo "exit $?"
	echo nodes: "$(cat "/sys/block/${disk##*/}/${disk##*/}"*/start 2>/dev/null | tr '\n' ' ')"
}

written() { awk '{ print $7 }' "/sys/block/${disk##*/}/stat"; }

doom() {
	local first
	first=$(written)
	alignck "${@:2}" "$disk" >/tmp/said 2>&1 &
	until [ $(($(written) - first)) -ge "$1" ]; do kill -0 $! || exit; done
	echo NOW
	wait
	cat /tmp/said
}
