#!/usr/bin/env bats
# One machine with disks on every bus: who the drive is, what the bus says of its sectors, and --all.
# disk: ears 32M
# qemu: -device ide-hd,bus=ide.0,unit=0,drive=ears,model='WDC WD15EARS-00Z5B1',serial=WD-WMAVU1234567
# disk: jumper 32M
# qemu: -device ide-hd,bus=ide.0,unit=1,drive=jumper,model=ST9750423AS,logical_block_size=512,physical_block_size=4096
# disk: bridge 32M
# qemu: -device usb-ehci,id=ehci -device usb-bot,id=bot,bus=ehci.0
# qemu: -device scsi-hd,bus=bot.0,lun=0,drive=bridge,vendor='WDC WD15',product='EARS-00Z5B1',ver=1.00
# disk: stick 32M
# qemu: -device usb-storage,bus=ehci.0,drive=stick
# disk: short 32M
# qemu: -device virtio-scsi-pci,id=vs -device scsi-hd,bus=vs.0,drive=short,vendor=ATA,product='WDC WD15EARS-00Z',ver=0A80
# disk: ns512 64M
# disk: ns4096 64M
# qemu: -device nvme,id=nvme,serial=n1 -device nvme-ns,bus=nvme,drive=ns512,nsid=1
# qemu: -device nvme-ns,bus=nvme,drive=ns4096,nsid=2,logical_block_size=4096,physical_block_size=4096
# disk: plain 32M
# qemu: -device virtio-blk-pci,drive=plain,serial=plain
# disk: stripes 32M
# qemu: -device virtio-blk-pci,drive=stripes,serial=stripes,physical_block_size=4096,min_io_size=65536,opt_io_size=196608
# disk: native 32M
# qemu: -device virtio-blk-pci,drive=native,serial=native,logical_block_size=4096,physical_block_size=4096
# shellcheck disable=SC2154
load guest

setup() {
	modprobe -a sd_mod ata_piix ehci_pci usb_storage virtio_pci virtio_scsi virtio_blk nvme
	until_is [ -b /dev/nvme0n2 ]
	until_is disks_are 10
}

disks_are() {
	local all=(/dev/sd? /dev/nvme0n? /dev/vd?)
	[ ${#all[@]} = "$1" ]
}

model() { # model TEXT VENDOR: the SCSI disk with that product and vendor, as $disk
	local dir
	disk=
	for dir in /sys/block/sd*/device; do
		[[ $(<"$dir/model") != "$1"* || $(<"$dir/vendor") != "$2"* ]] || disk=/dev/$(cut -d / -f 4 <<<"$dir")
	done
	[ -n "$disk" ]
}

lies() { # it says 512, is 4096, and so 63 is wrong
	table 63,1000,L 2048,1000,L
	disk_is LOG-SEC,PHY-SEC,SECTOR-SOURCE '512 4096 drive-list'
	finds_about 0 lying-drive
	judged 1 63 misaligned
	judged 2 2048 aligned
	same_nodes
}

@test "a WD15EARS by ATA IDENTIFY: all of its model and serial number" {
	modprobe -q sg || true
	until_is model 'WDC WD15EARS-00Z' ATA
	for dir in /sys/block/sd*/device; do # two are called so; this one hangs on ata_piix
		[[ $(readlink -f "$dir") != */ata* || $(<"$dir/model") != WDC* ]] || disk=/dev/$(cut -d / -f 4 <<<"$dir")
	done
	lies
	disk_is SERIAL WD-WMAVU1234567
	check "$disk" --json
	has '"WDC WD15EARS-00Z5B1"'
}

@test "a WD15EARS behind USB, its model cut into vendor and product" {
	model EARS-00Z5B1 'WDC WD15'
	lies
}

@test "a WD15EARS of SCSI's sixteen characters" {
	for dir in /sys/block/sd*/device; do
		[[ $(readlink -f "$dir") != */virtio* ]] || disk=/dev/$(cut -d / -f 4 <<<"$dir")
	done
	lies
}

@test "an honest drive of a family on the list is left as it is" {
	model ST9750423AS ATA
	disk_is LOG-SEC,PHY-SEC,SECTOR-SOURCE '512 4096 kernel'
}

@test "a stick behind usb-storage" {
	model 'QEMU HARDDISK' QEMU
	table 63,1000,L 2048,1000,L
	judged 1 63 misaligned
	judged 2 2048 aligned
	same_nodes
}

@test "NVMe with 512-byte blocks" {
	disk=/dev/nvme0n1
	table label:gpt first-lba:34 34,1000 2048,1000
	disk_is LOG-SEC,ROTA '512 0'
	judged 1 34 misaligned
	judged 2 2048 aligned
	same_nodes
}

@test "NVMe with 4096-byte blocks" {
	disk=/dev/nvme0n2
	table label:gpt first-lba:6 6,200 256,1000
	disk_is LOG-SEC,PHY-SEC '4096 4096'
	judged 1 6 aligned
	judged 2 256 aligned
	same_nodes
}

@test "NVMe formatted from 512 to 4096 while it runs: a table of the other size is a mismatch, no fix" {
	disk=/dev/nvme0n1
	dd if=$disk of="$BATS_TEST_TMPDIR/table" bs=1M count=1 2>/dev/null
	nvme format $disk --lbaf=4 --force >/dev/null
	until_is [ "$(cat /sys/block/nvme0n1/queue/logical_block_size)" = 4096 ]
	dd if="$BATS_TEST_TMPDIR/table" of=$disk bs=1M count=1 conv=fsync 2>/dev/null
	disk_is LOG-SEC 4096
	finds_about 0 sector-size-mismatch
	check $disk
	expect 2
	check --fix --yes --journal /journal/journal $disk
	expect 2
	[ ! -e /journal/journal ]
	nvme format $disk --lbaf=0 --force >/dev/null
}

@test "virtio: plain, with a stripe, with 4096-byte sectors" {
	serial plain
	table 63,1000,L
	disk_is LOG-SEC,SECTOR-SOURCE '512 kernel'
	judged 1 63 misaligned
	same_nodes
	serial stripes
	table 2048,100,L 3072,100,L
	disk_is PHY-SEC,MIN-IO,OPT-IO '4096 65536 196608'
	judged 1 2048 aligned
	finds_about 1 start-not-recommended
	same_nodes
	serial native
	table 256,100,L
	disk_is LOG-SEC,PHY-SEC '4096 4096'
	judged 1 256 aligned
	same_nodes
}

@test "every disk once with --all, judged as each is alone" {
	raw PATH --all | sort -u >"$BATS_TEST_TMPDIR/all"
	for node in /dev/sd? /dev/nvme0n? /dev/vd?; do
		echo "$node"
		check --quiet "$node"
		[ "$status" -le "${highest:-0}" ] || highest=$status
	done >"$BATS_TEST_TMPDIR/each"
	sort "$BATS_TEST_TMPDIR/each" | diff - "$BATS_TEST_TMPDIR/all"
	check --all --quiet
	expect "$highest"
	check --all --prometheus
	expect "$highest"
	check --all --nagios
	[ "${#lines[@]}" -ge 1 ]
}
