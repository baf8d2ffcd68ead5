#!/bin/bash
# Words for guests that tests of outside/ start. Sourced.

the_disk() { # the only disk there is
	local dir=
	until [ -b "/dev/${dir##*/}" ] && [ -n "$dir" ]; do
		for dir in /sys/block/vd? /sys/block/sd? /sys/block/nvme?n?; do [ ! -e "$dir" ] || break; done
	done
	echo "/dev/${dir##*/}"
}

wait_for() { # wait_for NODE...
	local node
	for node; do until [ -b "$node" ]; do :; done; done
}

written() { awk '{ print $7 }' "/sys/block/${1##*/}/stat"; }

sums() { # sums NODE: "sum ..." of each file on it; fsck finds nothing
	e2fsck -fn "$1" || exit
	mount -o ro "$1" /mnt
	(cd /mnt && md5sum ./[0-9]*) | sed 's/^/sum /'
	umount /mnt
}
