#!/usr/bin/env bats
# What lies inside partitions, by the tools that put it there: where its data starts, what its units are, what
# that costs, and that nothing is moved that makes up for its start; and the recipes that scripts live by.
# SC2154: helper.bash and bats set path, json, status, output; SC2030, SC2031: each test is a subshell.
# shellcheck disable=SC2154,SC2030,SC2031
load helper

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

need() { command -v "$1" >/dev/null || skip "$1 is not installed"; }

luks() { # luks FILE OPTION...
	printf pw | cryptsetup -q luksFormat --pbkdf-force-iterations 1000 --key-file - "${@:2}" "$1"
}

# holds START SECTORS COMMAND...: disk.img with one partition, made by the command run on a file "part"
holds() {
	rm -f disk.img part
	truncate -s $(($2 * 512)) part
	"${@:3}" >/dev/null 2>&1 || fail "failed: ${*:3}"
	dos disk.img $((($1 + $2 + 2048) * 512)) "$1,$2,L"
	dd if=part of=disk.img bs=512 seek="$1" conv=notrunc,sparse status=none
	check_json disk.img
}

inside() { is ".devices[0].partitions[0].content[-1] | \"\\(.type) \\(.data_offset - $1 * 512) \\(.misaligned_by) \\(.block_size)\"" "$2"; }

cost() { is "[.devices[0].partitions[0].findings[] | select(.id == \"$1\") | .cost] | join(\" \")" "$2"; }

@test "case 29: LUKS1 and LUKS2 with odd payloads" {
	need cryptsetup
	holds 2048 61440 luks part --type luks1 --align-payload 63
	expect 1
	inside 2048 'crypto_LUKS 2096640 3584 null'
	finds payload-misaligned error
	cost payload-misaligned every-write
	holds 2048 61440 luks part --type luks2 --pbkdf pbkdf2 --sector-size 512 --luks2-metadata-size 64k --luks2-keyslots-size 256k --offset 8200
	expect 0 # 8200 is a multiple of 8
	inside 2048 'crypto_LUKS 4198400 0 512'
	finds block-smaller-than-sector warning
	holds 2048 61440 luks part --type luks2 --pbkdf pbkdf2
	expect 0
	inside 2048 "crypto_LUKS 16777216 0 $(cryptsetup luksDump part | awk '$1 == "sector:" { print $2; exit }')"
}

@test "case 29: FAT whose clusters miss 4096 though the partition does not" {
	need mkfs.fat
	holds 2048 512000 mkfs.fat -F 32 -a -s 8 -R 33 part
	expect 1
	inside 2048 'vfat 528896 512 4096'
	cost payload-misaligned every-write
	holds 2048 512000 mkfs.fat -F 32 -a -s 64 -R 33 part
	data=$(fsck.vfat -nv part | sed -n 's/^Data area starts at byte \([0-9]*\).*/\1/p')
	inside 2048 "vfat $data $((data % 4096)) 32768"
	cost payload-misaligned ends # whole sectors in between
	[[ $(message payload-misaligned) == *'only at the ends of writes' ]]
	holds 2048 512000 mkfs.fat -F 32 -s 8 part
	expect 0
}

@test "case 29: exFAT's cluster heap, bcache, F2FS" {
	need mkfs.exfat
	holds 2048 133120 mkfs.exfat -c 2K -b 2048 part
	expect 1
	inside 2048 'exfat 145408 2048 2048'
	cost payload-misaligned every-write
	holds 2048 131072 mkfs.exfat part
	expect 0
	need make-bcache
	holds 2048 61440 make-bcache -B -o 63 part
	expect 1
	inside 2048 'bcache 32256 3584 4096'
	need mkfs.f2fs
	holds 2048 262144 mkfs.f2fs part
	expect 0
	inside 2048 'f2fs 0 0 4096'
}

bcache_over() { # bcache_over STATE FILE: a bcache device with that BDEV_STATE, and the file in it, as "part"
	truncate -s 60M part
	make-bcache -B part
	cmp -n 8 <(printf '\0\0\0\0\0\0\0\0') -i 0:$((4096 + 104)) part # its flags
	hand poke part $((4096 + 104 + 7)) "$(printf %02x $(($1 << 5)))"
	dd if="$2" of=part bs=8K seek=1 conv=notrunc,sparse status=none
}

@test "case 29: what lies in bcache's backing device, unless the cache has something newer" {
	need make-bcache
	mkfs.fat -F 32 -a -s 8 -R 33 -C inner 50000 >/dev/null 2>&1
	data=$(fsck.vfat -nv inner | sed -n 's/^Data area starts at byte \([0-9]*\).*/\1/p')
	for state in 0 1; do
		holds 2048 122880 bcache_over $state inner
		expect 1
		inside 2048 "vfat $((8192 + data)) $((data % 4096)) 4096"
		is '[.devices[0].partitions[0].content[].type] | join(" ")' 'bcache vfat'
	done
	for state in 2 3; do
		holds 2048 122880 bcache_over $state inner
		expect 0
		inside 2048 'bcache 8192 0 4096'
	done
}

@test "case 29: an ISO image behind its protective entry, and behind boot code without one" {
	need xorriso
	mkdir -p files
	head -c 4096 /dev/zero >files/boot
	xorriso -as mkisofs -quiet --protective-msdos-label -o disk.img files 2>/dev/null
	check_json disk.img
	expect 0
	is '.devices[0] | "\(.table.type) \(.partitions[0].verdict) \(.partitions[0].content[0] | "\(.type) \(.data_offset)")"' 'dos exempt iso9660 0'
	xorriso -as mkisofs -quiet -b boot -no-emul-boot -boot-load-size 4 -boot-info-table -o disk.img files 2>/dev/null
	hand poke disk.img 510 55aa
	check_json disk.img
	expect 0
	is '.devices[0] | "\(.table.type) \(.content[0].type)"' 'none iso9660'
}

@test "case 26: a boot sector without entries before a file system is no table" {
	truncate -s 64M disk.img
	mkfs.ext4 -q -F -b 1024 disk.img
	hand poke disk.img 510 55aa
	check_json disk.img
	expect 0
	is '.devices[0] | "\(.table.type) \(.content[0].type)"' 'none ext4'
	finds block-smaller-than-sector
	check --image-offset 512 disk.img
	expect 1
	has 'starts 512 bytes past'
	dos empty.img 64M 'label: dos'
	check_json empty.img
	expect 0
	is .devices[0].table.type dos
}

@test "case 29: blocks and sectors smaller than the disk's: ext, NTFS, XFS" {
	holds 2048 61440 mkfs.ext4 -q -F -b 1024 part
	expect 0
	inside 2048 'ext4 0 0 1024'
	cost block-smaller-than-sector every-write
	holds 2048 122880 mkfs.ntfs -Q -F -c 512 -p 2048 part
	expect 0
	inside 2048 'ntfs 0 0 512'
	finds block-smaller-than-sector warning
	need mkfs.xfs
	holds 2048 819200 mkfs.xfs -q -s size=512 part
	expect 0
	inside 2048 'xfs 0 0 512'
	finds block-smaller-than-sector warning
	holds 2048 819200 mkfs.xfs -q -s size=4096 part
	expect 0
	finds_no block-smaller-than-sector
	check --strict disk.img
	expect 0
}

@test "case 29: md, its superblock at the start and at the end; ZFS with ashift 9" {
	dos disk.img 128M 2048,245760,fd
	hand md12 disk.img 2048 245760 2060
	check_json disk.img
	expect 1
	inside 2048 'linux_raid_member 1054720 2048 null'
	need mdadm
	dd if=disk.img of=part bs=512 skip=2048 count=245760 status=none
	mdadm --examine part 2>/dev/null | grep -q 'Data Offset : 2060 sectors'

	dos disk.img 128M 2048,245760,bf
	dd if=/dev/zero of=disk.img bs=512 seek=2048 count=32 conv=notrunc status=none
	# the first label of a vdev that zpool made
	dd if="$tests/fuzz/corpus/fuzz_zfs_label/zpool-mirror-ashift9" of=disk.img bs=512 seek=$((2048 + 32)) conv=notrunc status=none
	hand poke disk.img $((2048 * 512 + 128 * 1024 - 40)) 117a0cb17ada1002
	check_json disk.img
	expect 0
	is '.devices[0].partitions[0].content[0].ashift' 9
	finds ashift-too-small warning
	cost ashift-too-small every-write
}

@test "case 29: LVM with an odd data start, as pvs says it" {
	need pvcreate
	truncate -s 120M part
	loop=$(losetup -f --show part 2>/dev/null) || skip 'no loop device to be had'
	pvcreate -qq -ff -y --metadatasize 1000k --dataalignment 512b --dataalignmentoffset 512b "$loop" >/dev/null 2>&1 || true
	pe=$(pvs --noheadings --nosuffix --units b -o pe_start "$loop" 2>/dev/null | tr -d ' ')
	losetup -d "$loop"
	[ -n "$pe" ] || skip 'pvcreate does not run here'
	dos disk.img 130M 2048,245760,8e
	dd if=part of=disk.img bs=512 seek=2048 conv=notrunc,sparse status=none
	check_json disk.img
	[ $((pe % 4096)) != 0 ]
	expect 1
	inside 2048 "LVM2_member $pe $((pe % 4096)) null"
	cost payload-misaligned every-write
}

@test "case 30: LUKS1 at sector 63: payload 4097 makes up for it, 4096 does not" {
	need cryptsetup
	holds 63 61440 luks part --type luks1 --align-payload 4097
	expect 0
	verdict 1 aligned
	inside 63 "crypto_LUKS $((4097 * 512)) 0 null"
	finds payload-compensates notice
	cost payload-compensates none
	finds_no start-misaligned
	check --fix --dry-run disk.img
	expect 0
	has 'nothing to move'
	check --fix --yes disk.img
	expect 0
	[ "$(sfdisk -J disk.img | jq '.partitiontable.partitions[0].start')" = 63 ]

	holds 63 61440 luks part --type luks1 --align-payload 4096
	expect 1
	verdict 1 misaligned
	inside 63 "crypto_LUKS $((4096 * 512)) 3584 null"
	finds payload-misaligned error
	finds start-misaligned error
}

@test "case 32: ends and sizes are findings of their own; they cost at the ends" {
	holds 2048 61441 mkfs.ext4 -q -F part
	expect 0
	finds end-misaligned warning
	finds size-misaligned warning
	cost size-misaligned ends
}

@test "case 33: two signatures: ambiguous, and a fix is refused" {
	holds 63 61440 mkfs.ext4 -q -F part
	truncate -s 1M swap
	mkswap swap >/dev/null
	dd if=swap of=disk.img bs=1 skip=4086 seek=$((63 * 512 + 4086)) count=10 conv=notrunc status=none
	dd if=swap of=disk.img bs=1 skip=1024 seek=$((63 * 512 + 1024)) count=8 conv=notrunc status=none
	mkfs.xfs -q -f swap >/dev/null 2>&1 || true
	[ "$(blkid -p disk.img -O $((63 * 512)) -S $((61440 * 512)) >/dev/null 2>&1; echo $?)" = 8 ] || skip 'blkid finds it unambiguous'
	check_json disk.img
	expect 1
	finds content-ambiguous warning
	sum=$(sha256sum disk.img)
	check --fix --yes disk.img
	expect 2
	has 'two signatures' "$stderr"
	[ "$sum" = "$(sha256sum disk.img)" ]
}

# --- scripts ---

@test "case 50: a loop over starts % 8 is wrong on 4096-byte sectors; the verdict is not" {
	"$tests/sysfs.sh" "$sysroot" 4kn
	[ $(($(<"$sysroot/sys/class/block/sda1/start") % 8)) = 0 ]
	check --sysroot "$sysroot" --raw --noheadings -o NAME,START,VERDICT /dev/sda
	has 'sda1 256 aligned'
	rm -rf "$sysroot"
	disk sda 256M lbs=4096 pbs=4096
	gpt4096 "$sysroot/dev/sda" 256M 257,6145
	partition sda 1 2056 49160
	[ $(($(<"$sysroot/sys/class/block/sda1/start") % 2048)) != 0 ] # "% 2048" would complain
	check --sysroot "$sysroot" --quiet /dev/sda
	expect 0
}

@test "case 50: in a bare sh, as %pre, bootcmd and Ansible run it: status, facts, nothing else" {
	need_images
	env -i PATH="$PATH" sh -c "'$ALIGNCK' --quiet '$images/02-mbr2048.img' </dev/null >/dev/null 2>&1"
	! env -i PATH="$PATH" sh -c "'$ALIGNCK' --quiet '$images/01-mbr63.img' </dev/null" || fail 'misaligned is not 0'
	facts=$(env -i PATH="$PATH" sh -c "'$ALIGNCK' --json '$images/01-mbr63.img' </dev/null" || true)
	[ "$(jq -r '.devices[0].partitions[] | select(.verdict == "misaligned") | .number' <<<"$facts")" = 1 ]
	eval "$("$ALIGNCK" --pairs --noheadings -o NUMBER,START,VERDICT "$images/01-mbr63.img" | tail -1)"
	# shellcheck disable=SC2153 # set by what was evaluated
	[ "$NUMBER $START $VERDICT" = '1 63 misaligned' ]
}

@test "case 50: node_exporter: a whole file under another name, then renamed; Nagios: one line" {
	need_images
	"$ALIGNCK" --prometheus "$images/01-mbr63.img" >alignck.prom.new || [ $? = 1 ]
	mv alignck.prom.new alignck.prom
	grep -q '^alignck_partition_' alignck.prom
	[ -z "$(tail -c 1 alignck.prom | tr -d '\n')" ]
	check --nagios "$images/01-mbr63.img" "$images/02-mbr2048.img"
	expect 2
	[ "${#lines[@]}" = 1 ]
}
