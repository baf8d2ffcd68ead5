#!/bin/bash
# Builds a captured machine: a directory that `alignck --sysroot=DIR` reads as if it were "/".
# usage: tests/sysfs.sh DIR NAME    DIR must not exist or be empty; NAME is a machine below
#        tests/sysfs.sh --list      their names
# Laid out as the kernel does (Documentation/ABI/stable/sysfs-block): devices below sys/devices, links
# from sys/block, sys/class/block and sys/dev/block. No bytes: put an image at DIR/dev/NAME for those.
# Attribute values are the kernel's own for such devices or those of the report named beside them.
set -eu

put() { # put FILE VALUE: one sysfs attribute
	[ -d "${1%/*}" ] || mkdir -p "${1%/*}"
	printf '%s\n' "$2" >"$1"
}

minor=0
link() { # link DIRECTORY NAME MAJOR: the three ways into it; DIRECTORY is below sys/
	put "$root/sys/$1/dev" "$3:$minor"
	mkdir -p "$root/sys/class/block" "$root/sys/dev/block"
	ln -s "../../$1" "$root/sys/class/block/$2"
	ln -s "../../$1" "$root/sys/dev/block/$3:$minor"
	minor=$((minor + 1))
}

# disk NAME SECT512 LBS PBS MIN OPT [ATTRIBUTE=VALUE...]: alignment_offset 0, rotating unless said
disk() {
	local name=$1 d=devices/pci0/block/$1 q=$root/sys/devices/pci0/block/$1/queue a
	put "$root/sys/$d/size" "$2"
	put "$root/sys/$d/ro" 0
	put "$root/sys/$d/alignment_offset" 0
	put "$q/logical_block_size" "$3"
	put "$q/physical_block_size" "$4"
	put "$q/minimum_io_size" "$5"
	put "$q/optimal_io_size" "$6"
	put "$q/rotational" 1
	put "$q/zoned" none
	put "$q/chunk_sectors" 0
	shift 6
	for a; do put "$root/sys/$d/${a%%=*}" "${a#*=}"; done
	mkdir -p "$root/sys/block" "$root/sys/$d/holders"
	ln -s "../$d" "$root/sys/block/$name"
	link "$d" "$name" 8
}

# part DISK NAME START_SECT512 SECT512
part() {
	local d=devices/pci0/block/$1/$2 number
	number=${2##*[!0-9]}
	put "$root/sys/$d/partition" "$number"
	put "$root/sys/$d/start" "$3"
	put "$root/sys/$d/size" "$4"
	put "$root/sys/$d/alignment_offset" 0
	put "$root/sys/$d/ro" 0
	mkdir -p "$root/sys/$d/holders"
	link "$d" "$2" 8
}

holder() { # holder BELOW NAME: NAME (its own disk) holds BELOW, "sda" or "sda/sda1"
	ln -s /sys/block/"$2" "$root/sys/devices/pci0/block/$1/holders/$2"
}

slave() { # slave ABOVE BELOW: ABOVE (its own disk) is made of BELOW, "sda" or "sda/sda1"
	mkdir -p "$root/sys/devices/pci0/block/$1/slaves"
	ln -s "../../$2" "$root/sys/devices/pci0/block/$1/slaves/${2##*/}"
	holder "$2" "$1"
}

member() { # member ARRAY BELOW OFFSET_SECT512 SLOT: a slave of md, with its attributes
	slave "$1" "$2"
	put "$root/sys/devices/pci0/block/$1/md/dev-${2##*/}/offset" "$3"
	put "$root/sys/devices/pci0/block/$1/md/dev-${2##*/}/slot" "$4"
}

udev() { # udev NAME LINE...: udev's record of a disk
	local n=$1
	n=$(cat "$root/sys/class/block/$n/dev")
	shift
	mkdir -p "$root/run/udev/data"
	printf '%s\n' "$@" >"$root/run/udev/data/b$n"
}

ata() { # ata MODEL: SCSI's view of a SATA disk: the model cut to 16 characters
	printf '%s\n' "device/vendor=ATA     " "device/model=$(printf '%-16.16s' "$1")" "device/rev=0001"
}

# --- the machines: one function each, named machine_NAME with _ for - -------------------------

machine_512e() { # any 512e disk, one partition as DOS made them and one as today
	disk sda 1953525168 512 4096 4096 0 "device/vendor=ATA" "device/model=ST1000LM035-1RK1"
	part sda sda1 63 204737
	part sda sda2 204800 409600
}
machine_512n() {
	disk sda 976773168 512 512 512 0 "device/vendor=ATA" "device/model=ST3500418AS"
	part sda sda1 63 204737
}
machine_4kn() { # sysfs counts 512-byte units here too
	disk sda 7814037168 4096 4096 4096 0 "device/vendor=SEAGATE" "device/model=ST4000NM0024"
	part sda sda1 2048 409600
}
machine_offset_3584() { # scsi_debug physblk_exp=3 lowest_aligned=7
	disk sda 1953525168 512 4096 4096 0 alignment_offset=3584 device/vendor=Linux device/model=scsi_debug
	part sda sda1 63 204737
	part sda sda2 206848 204800
	part sda sda3 411655 204800
}
machine_offset_minus1() { # dm over members that do not agree
	disk dm-0 1953525168 512 4096 4096 0 alignment_offset=-1 dm/name=stack dm/uuid=LVM-abc
}
machine_opt_33553920() { # USB bridge: 65535 sectors of 512
	disk sda 1953525168 512 512 512 33553920 device/vendor=JMicron device/model=Generic
	part sda sda1 2048 409600
}
machine_opt_16773120() { # SAS host adapter without IOMMU: 4095 blocks of 4096
	disk sda 3907029168 512 4096 4096 16773120 device/vendor=SEAGATE device/model=ST2000NX0433
	part sda sda1 2048 409600
}
machine_opt_32m() { # NVMe of a cloud
	disk nvme0n1 3907029168 512 4096 4096 33554432 queue/rotational=0 "device/model=Microsoft NVMe Direct Disk"
	part nvme0n1 nvme0n1p1 2048 409600
}
machine_opt_below_min() { # array page: optimal smaller than the minimum
	disk sda 1953525168 512 512 262144 65536 device/vendor=DELL "device/model=PERC H700"
	part sda sda1 2048 409600
}
machine_min_4096() { # LUN: 512/512, minimum 4096, optimal 65536
	disk sda 1953525168 512 512 4096 65536 device/vendor=NETAPP device/model=LUN
	part sda sda1 63 204737
	part sda sda2 204808 204800
	part sda sda3 409728 204800
}
machine_stripe_196608() { # three 64 KiB chunks
	disk sda 1953525168 512 4096 196608 196608 device/vendor=LSI device/model=MR9260-8i
	part sda sda1 2048 409600
	part sda sda2 417792 393216
}
machine_ears() { # the drive list must do with sysfs's 16 characters
	mapfile -t a < <(ata "WDC WD15EARS-00Z5B1")
	disk sda 2930277168 512 512 512 0 "${a[@]}"
	part sda sda1 63 204737
	part sda sda2 204800 409600
}
machine_ears_udev() {
	machine_ears
	udev sda "I:123456" "E:ID_ATA=1" "E:ID_BUS=ata" "E:ID_MODEL=WDC_WD15EARS-00Z5B1" \
		'E:ID_MODEL_ENC=WDC\x20WD15EARS-00Z5B1\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20\x20' \
		"E:ID_SERIAL=WDC_WD15EARS-00Z5B1_WD-WMAVU1234567" "E:ID_SERIAL_SHORT=WD-WMAVU1234567"
}
machine_ears_usb() { # a bridge that cuts the model into INQUIRY's vendor and product
	disk sda 3907029168 512 512 512 0 "device/vendor=WDC WD20" "device/model=EARS-00MVWB0    "
	part sda sda1 63 204737
}
machine_hd204ui() {
	mapfile -t a < <(ata "SAMSUNG HD204UI")
	disk sda 3907029168 512 512 512 0 "${a[@]}"
	part sda sda1 63 204737
}
machine_shifted_usb() { # factory shifted (sector 7 on a boundary) behind a bridge that hides it
	mapfile -t a < <(ata "ST9640322AS")
	disk sda 1250263728 512 512 512 0 "${a[@]}"
	part sda sda1 63 204737
}
machine_nvme() {
	disk nvme0n1 1000215216 512 512 512 0 queue/rotational=0 \
		"device/model=Samsung SSD 970 EVO Plus 500GB          " "device/serial=S4EVNX0M123456Z     "
	part nvme0n1 nvme0n1p1 2048 1048576
	part nvme0n1 nvme0n1p2 1050624 999164559
}
machine_nvme_262144() { # preferred write granularity shown as the physical sector
	disk nvme0n1 3907029168 512 262144 262144 262144 queue/rotational=0 "device/model=KXG60ZNV256G TOSHIBA"
	part nvme0n1 nvme0n1p1 40 2008
	part nvme0n1 nvme0n1p2 2048 409600
}
machine_pbs_131072() { # after hot-plug, a plain disk
	disk sda 1953525168 512 131072 131072 0 device/vendor=ATA device/model=ST1000NM0033-9ZM
	part sda sda1 2048 409600
}
machine_pbs_8192() {
	disk sda 1953525168 512 8192 8192 0 device/vendor=ATA device/model=ST1000NM0033-9ZM
	part sda sda1 2048 409600
}
machine_md() { # RAID 5 of four, chunk 512 KiB
	disk md127 5860147200 512 4096 524288 1572864 md/level=raid5
	part md127 md127p1 3072 2093056
}
machine_md_on_63() { # RAID 1 whose members start at 63: offset 2049 makes up for one, 2048 for none
	disk sda 1953525168 512 4096 4096 0 device/vendor=ATA device/model=ST1000LM035-1RK1
	disk sdb 1953525168 512 4096 4096 0 device/vendor=ATA device/model=ST1000LM035-1RK1
	part sda sda1 63 1000000
	part sda sda2 2000063 1000000
	part sdb sdb1 63 1000000
	part sdb sdb2 2000064 1000000
	disk md0 999424 512 4096 4096 0 md/level=raid1 alignment_offset=0
	member md0 sda/sda1 2049 0
	member md0 sdb/sdb1 2049 1
	disk md1 999424 512 4096 4096 0 md/level=raid1 alignment_offset=0
	member md1 sda/sda2 2048 0
	member md1 sdb/sdb2 2048 1
	disk md2 999424 512 4096 4096 0 md/level=raid1 alignment_offset=-1
	member md2 sda/sda1 2048 0
	part md0 md0p1 2048 8192
}
machine_md_on_ears() { # the kernel adds up what a drive that lies says of itself
	mapfile -t a < <(ata "WDC WD15EARS-00Z5B1")
	disk sda 2930277168 512 512 512 0 "${a[@]}"
	part sda sda1 63 1000000
	disk md0 999424 512 512 512 0 md/level=raid1
	member md0 sda/sda1 2048 0
	part md0 md0p1 2048 8192
	part md0 md0p2 16385 8192
}
machine_dm_on_md() { # who is below is in sysfs, where is not
	machine_md_on_63
	disk dm-0 99942 512 4096 4096 0 dm/name=home dm/uuid=CRYPT-LUKS2-0123456789abcdef-home
	slave dm-0 md0
	disk dm-1 99942 512 4096 4096 0 dm/name=loop dm/uuid=x
	slave dm-1 dm-1
}
machine_loop() {
	disk loop0 2097152 512 512 512 0 queue/rotational=0 loop/backing_file=/srv/disk.img
	part loop0 loop0p1 63 204737
}
machine_host_managed() { # 256 MiB zones
	disk sda 27344764928 4096 4096 4096 0 queue/zoned=host-managed queue/chunk_sectors=524288 \
		device/vendor=ATA "device/model=HGST HSH721414AL"
	part sda sda1 524288 1048576
	part sda sda2 1574912 524288
}
machine_host_aware() {
	disk sda 15628053168 512 4096 4096 0 queue/zoned=host-aware queue/chunk_sectors=524288 \
		device/vendor=ATA device/model=ST8000AS0022-1WL
}
machine_drive_managed() { # block layer: none; the SCSI disk knows better (sysfs-class-scsi_disk)
	disk sda 15628053168 512 4096 4096 0 device/scsi_disk/0:0:0:0/zoned_cap=drive-managed \
		device/vendor=ATA device/model=ST8000DM004-2CX1
	part sda sda1 2048 409600
}
machine_parts_only() { # what a support bundle has: sys/block alone, plain directories, no links
	machine_512e
	part sda sda10 1048576 2048
	part sda sda5 700000 2048
	rm -r "$root/sys/class" "$root/sys/dev" "$root/sys/block/sda"
	mv "$root/sys/devices/pci0/block/sda" "$root/sys/block/sda"
	rm -r "$root/sys/devices"
}
machine_sector_520() {
	disk sda 1172123568 520 520 520 0 device/vendor=NETAPP device/model=X422_HCOBE600A10
}
machine_size_0() { # what the kernel makes of 520-byte sectors, and an empty card reader
	disk sda 0 512 512 512 0 device/vendor=Generic "device/model=SD/MMC"
}
machine_huge() { # a size that does not fit in 64 bits of bytes
	disk sda 18446744073709551615 512 4096 4096 0
}
machine_odd_name() { # a slash in the node's name is '!' in sysfs
	disk 'cciss!c0d0' 1953525168 512 512 512 0
	part 'cciss!c0d0' 'cciss!c0d0p1' 2048 409600
}
machine_read_only() {
	disk sda 62333952 512 512 512 0 ro=1 device/vendor=Generic "device/model=USB Flash"
}
machine_users() { # everybody who can hold a disk
	disk sda 1953525168 512 4096 4096 0 device/vendor=ATA device/model=ST1000LM035-1RK1
	local n start=2048
	for n in 1 2 3 4 5 6 7 8 9; do
		part sda sda$n $start 204800
		start=$((start + 204800))
	done
	disk dm-0 200000 512 4096 4096 0 dm/name=home dm/uuid=CRYPT-LUKS2-0123456789abcdef-home
	disk dm-1 200000 512 4096 4096 0 dm/name=vg-root dm/uuid=LVM-0123456789abcdef
	disk dm-2 200000 512 4096 4096 0 dm/name=mystery
	disk md0 200000 512 4096 4096 0 md/level=raid1
	disk loop3 204800 512 512 512 0 loop/backing_file=/dev/sda6
	disk loop4 204800 512 512 512 0 "loop/backing_file=/srv/disk image.img"
	holder sda/sda3 dm-0
	holder sda/sda4 dm-1
	holder sda/sda9 dm-2
	holder sda/sda5 md0
	local fs=$root/sys/fs/btrfs/5f2c1d7e-0000-4000-8000-000000000001/devices
	mkdir -p "$fs" "$root/proc/self"
	ln -s ../../../../block/sda7 "$fs/sda7" # two members, of which mountinfo names sda8
	ln -s ../../../../block/sda8 "$fs/sda8"
	local d1
	d1=$(cat "$root/sys/class/block/sda1/dev")
	# sda8 is a btrfs: an anonymous device number, the node only as the source. \040 is a space.
	cat >"$root/proc/self/mountinfo" <<-END
		21 26 0:20 / /proc rw,relatime - proc proc rw
		26 1 $d1 / /srv/my\\040data rw,relatime shared:1 - ext4 /dev/root rw
		27 26 $d1 /sub /mnt/again rw,relatime shared:1 - ext4 /dev/sda1 rw
		28 26 0:45 / /pool rw,relatime - btrfs /dev/sda8 rw
		29 26 8:99 / /other rw,relatime - ext4 /dev/sdb1 rw
	END
	printf 'Filename\tType\tSize\tUsed\tPriority\n/dev/sda2 partition\t102396\t0\t-2\n/srv/swapfile file\t102396\t0\t-3\n' \
		>"$root/proc/swaps"
}
machine_many() { # for --all: order, and what is left out
	local n
	for n in sdb sdaa sda sdz vda hda nvme10n1 nvme0n1 nvme2n1 mmcblk0 xvdb xvdaa 'cciss!c0d0' sdab; do
		disk "$n" 409600 512 4096 4096 0
	done
	for n in loop0 ram0 zram0 dm-0 md0 md_d1 sr0 scd0 fd0; do
		disk "$n" 409600 512 4096 4096 0
	done
	disk sdc 0 512 512 512 0
	disk nbd0 0 512 512 512 0
	disk nvme0c0n1 409600 512 512 512 0 hidden=1
}

if [ "${1-}" = --list ]; then
	declare -F | sed -n 's/^declare -f machine_//p' | tr _ -
	exit 0
fi
if [ $# != 2 ] || ! declare -F "machine_${2//-/_}" >/dev/null; then
	echo "usage: ${0##*/} DIR NAME (${0##*/} --list names the machines)" >&2
	exit 64
fi
root=$1
if [ -e "$root/sys" ]; then
	echo "${0##*/}: $root holds a machine already" >&2
	exit 1
fi
mkdir -p "$root"
"machine_${2//-/_}"
