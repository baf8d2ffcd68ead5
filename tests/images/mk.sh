#!/bin/bash
# Builds the sample images that tests/images/truth.tsv judges: real layouts, written by the tools that
# write them in the field, sparse and small. Bytes that no tool writes come from hand.py.
# usage: tests/images/mk.sh OUTDIR
# An image that cannot be made here (no loop device, no such tool) is named in OUTDIR/SKIPPED with the
# reason; every other failure ends the script.
set -Eeuo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
: >SKIPPED
scratch=$(mktemp -d)
loop=
cleanup() {
	[ -z "$loop" ] || losetup -d "$loop"
	rm -rf "$scratch"
}
trap cleanup EXIT
trap 'echo "mk.sh: ${image:-} failed (line $LINENO):" >&2; cat "$scratch/${image:-}.log" >&2' ERR

quietly() { "$@" >"$scratch/$image.log" 2>&1; }
hand() { command -p python3 -S "$here/hand.py" "$@"; }
skip() { printf '%s\t%s\n' "$1" "$2" >>SKIPPED; }
create() { # create NAME SIZE: an empty sparse image, the current one from here on
	image=$1.img
	rm -f "$image"
	truncate -s "$2" "$image"
}
dos() { # dos NAME SIZE ENTRY...: an MBR by sfdisk, START,SECTORS,TYPE[,*] each
	create "$1" "$2"
	printf '%s\n' "${@:3}" | quietly sfdisk --no-reread --no-tell-kernel "$image"
}
gpt() { # gpt NAME SIZE ARGUMENT...: a GPT by sgdisk, which then rounds nothing
	create "$1" "$2"
	quietly sgdisk -a1 "${@:3}" "$image"
}
dialog() { # dialog NAME SIZE KEYS [FDISK OPTION...]: what a person would type at fdisk, a word a line
	create "$1" "$2"
	# fdisk says 1 where the kernel cannot be told of the new table, as for every image.
	tr ' ' '\n' <<<"$3" | quietly fdisk "${@:4}" "$image" || true
}
fill() { # fill START SECTORS COMMAND...: runs COMMAND FILE on a file of that size and lays it there
	local file=$scratch/$image start=$1
	truncate -s $(($2 * 512)) "$file"
	quietly "${@:3}" "$file"
	dd if="$file" of="$image" bs=64K oflag=seek_bytes seek=$((start * 512)) conv=notrunc,sparse status=none
	rm "$file"
}
fill_by_loop() { # the same for tools that insist on a block device
	loop=$(losetup -f --show -o $(($1 * 512)) --sizelimit $(($2 * 512)) "$image" 2>"$scratch/$image.log") || {
		skip "${image%.img}" "no loop device"
		rm "$image"
		return 0
	}
	quietly "${@:3}" "$loop"
	losetup -d "$loop"
	loop=
}
ext4=(mkfs.ext4 -q -F -O '^has_journal' -N 64 -b 4096)
ntfs=(mkfs.ntfs -Q -F -H 255 -S 63)
luks() { # luks VERSION OPTION... FILE: as fast as it gets, the key is not the point
	printf pw | cryptsetup -q luksFormat --type "$1" --key-file - --pbkdf-force-iterations 1000 "${@:2}"
}
luks2() { luks luks2 --pbkdf pbkdf2 "$@"; }
pv() { pvcreate -qq -y --config 'devices{use_devicesfile=0} global{locking_type=0 wait_for_locks=0}' "$@"; }

# MBR: today's 2048, the CHS era's 63, and what clouds, NAS boxes and small images have
dos 01-mbr63 64M 63,122881,L
fill 63 122881 "${ext4[@]}"
dos 02-mbr2048 64M 2048,122880,L
fill 2048 122880 "${ext4[@]}"
dialog 03-mbrdos 256M 'o n p 1 63 80324 n e 2 80325 514079 n l 80388 160649 n l 160713 240974 n l 241038 401624 w' \
	-c=dos -u=sectors -H 255 -S 63 -C 32
for start in 1 34 56 64; do dos "04-mbr$start" 64M "$start,102400,L"; done
dos 05-xp-ntfs63 128M '63,240912,7,*'
fill 63 240912 "${ntfs[@]}" -p 63
dos 06-mbr-oddlen 64M 2048,100001,L
fill 2048 100001 "${ext4[@]}"

# GPT, side by side: sgdisk sleeps for a second after it has written
jobs=()
aside() {
	"$@" &
	jobs+=($!)
}
gpt_filled() { # gpt_filled NAME START
	gpt "$1" 64M "-n1:$2:120000" -t1:8300
	fill "$2" $((120001 - $2)) "${ext4[@]}"
}
gpt_headless() { # gpt_headless NAME: the primary header is gone
	gpt "$1" 64M -n1:63:50000 -n2:51200:100000
	hand poke "$image" 512 "$(printf '%01024d' 0)"
}
for start in 34 40 2048; do aside gpt_filled "10-gpt$start" $start; done
aside gpt 11-gptmix 256M -n1:34:2047 -t1:ef02 -n2:2048:206847 -t2:ef00 -n3:206849:300000 \
	-n4:300003:400127 -n5:401408:500000 -n6:500032:520000
aside gpt 12-hybrid 64M -n1:63:20000 -t1:0700 -n2:20480:100000 -t2:8300 -h 1:2
aside gpt_headless 14-gptbad
aside gpt 16-gpt3t 3T -n1:2048:+1G -n2:4294967297:+100G -n3:4600000000:+100G # one starts past 2 TiB
entries=()
for ((i = 1; i <= 128; i++)); do # every fourth one sector too far
	entries+=("-n$i:$((2048 + (i - 1) * 4000 + (i % 4 == 0))):+3000")
done
aside gpt 17-gpt128 256M "${entries[@]}"
aside gpt 18-gptmsr 128M -n1:34:32767 -t1:0c01 -n2:32768:200000 -t2:0700
printf '%s\n' 'label: gpt' 'first-lba: 6' 'sector-size: 4096' 6,1995 2048,6144 8193,8191 >"$scratch/13"
dialog 13-gpt4kn 256M "I $scratch/13 w" -b 4096
dos 15-pmbronly 64M 1,,ee

# Labels inside a slice count from the disk's first sector
dos 20-solaris48195 256M '48195,433755,bf,*'
hand solaris "$image" 48195
dos 21-solaris82 256M '48195,433755,82,*'
hand solaris "$image" 48195
dos 22-bsd63 256M '63,514017,a5,*'
bsd='b y n a 79 100078 n b 100079 160078 n e 160079 514078 t a 7 t b 1 t e 7 w r w'
tr ' ' '\n' <<<"$bsd" | quietly fdisk "$image" || true
dos 23-bsd2048 256M '2048,512000,a5,*'
tr ' ' '\n' <<<"${bsd/a 79/a 2064}" | sed s/514078/512047/ | quietly fdisk "$image" || true

# No table: the whole disk is the payload
create 30-superfloppy 64M
quietly mkfs.fat -F 16 -n FLOP "$image"
create 31-lvmwhole 64M
fill_by_loop 0 131072 pv
create 32-lukswhole 64M
quietly luks2 "$image"
create 33-zfswhole 128M
hand zfs "$image"
create 34-swapwhole 64M
quietly mkswap "$image"
create 35-empty 64M

# Broken tables
dos 40-overlap 64M 63,60000,L 70000,40000,L
hand mbr-entry "$image" 0 2 0x83 40001 40000
dos 41-pastend 128M 2048,40960,L 65537,180000,L
truncate -s 64M "$image"

# Labels of other machines
dialog 50-sun 256M 's d 1 d 2 n 1 16065 200000 n 2 208845 300000 w'
dialog 51-sgi 256M 'G n 1 16065 208844 n 2 208845 400000 w'
create 52-mac 64M
quietly parted -s "$image" mklabel mac unit s mkpart x ext2 65 60000 mkpart y ext2 61440 100000

# What an aligned partition holds may be off; what an odd one holds may make up for it
dos 60-fat32-clus 256M 2048,512000,c
fill 2048 512000 mkfs.fat -F 32 -a -s 8 -R 33 -h 2048
dos 61-ext4-1k 64M 2048,122880,L
fill 2048 122880 "${ext4[@]/4096/1024}"
dos 62-ntfs-c512 64M 2048,122880,7
fill 2048 122880 "${ntfs[@]}" -c 512 -p 2048
dos 63-lvm-pe 128M 2048,245760,8e
fill_by_loop 2048 245760 pv --metadatasize 1000k --dataalignment 512b --dataalignmentoffset 512b
dos 64-luks1-pay 64M 2048,122880,L
fill 2048 122880 luks luks1 --align-payload 63
dos 65-md12 128M 2048,245760,fd
hand md12 "$image" 2048 245760 2060
dos 66-luks1-makes-up 64M 63,122881,L
fill 63 122881 luks luks1 --align-payload 4097
dos 67-luks1-at-63 64M 63,122881,L
fill 63 122881 luks luks1 --align-payload 4096

for job in "${jobs[@]}"; do wait "$job"; done
