#!/usr/bin/env bats
# The kernel reads tables too: what it made of the sample images is what alignck lists, nested labels included.
# Only containers differ: of an extended one the kernel shows two sectors.
# image: 03-mbrdos
# image: 10-gpt34
# image: 11-gptmix
# image: 13-gpt4kn logical_block_size=4096,physical_block_size=4096
# image: 16-gpt3t
# image: 17-gpt128
# image: 20-solaris48195
# image: 21-solaris82
# image: 22-bsd63
# image: 23-bsd2048
# image: 50-sun
# image: 51-sgi
# image: 52-mac
# shellcheck disable=SC2154
load guest

setup() {
	modprobe -a virtio_pci virtio_blk
	until_is [ -b /dev/vdm ]
}

whole() { # the numbers of entries from sector 0, which alignck does not list: "3\|11"
	local dir numbers=
	for dir in "/sys/block/${disk##*/}/${disk##*/}"*; do
		[ "$(<"$dir/start")" != 0 ] || numbers+="${numbers:+\|}$(<"$dir/partition")"
	done
	echo "$numbers"
}

@test "primaries and logicals of the CHS era" {
	serial 03-mbrdos
	same_nodes 2
}

@test "GPT: at 34, a mixed one, 4096-byte sectors, 3 TB, 128 partitions" {
	for image in 10-gpt34 11-gptmix 13-gpt4kn 16-gpt3t 17-gpt128; do
		serial $image
		same_nodes
	done
}

@test "Solaris slices inside an MBR partition, numbered with the one that is the whole" {
	for image in 20-solaris48195 21-solaris82; do
		serial $image
		same_nodes 7 all
	done
}

@test "BSD partitions inside an MBR partition" {
	for image in 22-bsd63 23-bsd2048; do
		serial $image
		same_nodes
	done
}

@test "Sun, SGI and Mac labels, but for the entries that stand for the whole disk" {
	for image in 50-sun 51-sgi 52-mac; do
		serial $image
		same_nodes "$(whole)" all
	done
}

@test "none of them is said to differ from the kernel's" {
	for disk in /dev/vd[a-m]; do
		check "$disk"
		lacks "kernel's"
		[[ $(raw FINDINGS) != *kernel-disagrees* ]] || fail "$disk: kernel-disagrees"
	done
}
