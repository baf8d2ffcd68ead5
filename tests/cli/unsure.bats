#!/usr/bin/env bats
# What lies inside, but where its data starts cannot be told: beyond what is read, beyond its container, inside
# itself, nested too deep, of two makers, on a sector that cannot be read. Never "aligned", never moved.
# SC2154: helper.bash and bats set path, json, status, output; SC2030, SC2031: each test is a subshell.
# shellcheck disable=SC2154,SC2030,SC2031
load helper

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

need() { command -v "$1" >/dev/null || skip "$1 is not installed"; }

unsure() { # unsure FINDING: partition 1 of disk.img cannot be told, and a fix leaves it alone
	check_json disk.img
	expect 2
	verdict 1 unknown
	finds "$1" error
	is '.devices[0].verdict' unknown
	is .summary.unknown 1
	finds_no payload-compensates
	check disk.img
	expect 2
	has 'cannot tell'
	lacks 'all aligned'
	local sum
	sum=$(sha256sum <disk.img)
	check --fix --yes disk.img
	[ "$sum" = "$(sha256sum <disk.img)" ] || fail "--fix wrote"
}

not_moved() { # of disk.img, whose partition 1 is off: a fix says why it stays
	check --fix --yes disk.img
	expect 2
	has 'partition 1' "$stderr"
	has 'cannot be told' "$stderr"
}

into() { # into START: what is in the file "part" becomes the one partition of disk.img
	rm -f disk.img
	dos disk.img "$(($(stat -c %s part) + ($1 + 2048) * 512))" "$1,$(($(stat -c %s part) / 512)),L"
	dd if=part of=disk.img bs=512 seek="$1" conv=notrunc,sparse status=none
}

luks2_with_tokens() { # luks2_with_tokens COUNT: in "part", each token some 400 bytes of JSON
	need cryptsetup
	local i
	rm -f part
	truncate -s 20M part
	printf pw | cryptsetup -q luksFormat --type luks2 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 \
		--luks2-metadata-size 64k --luks2-keyslots-size 256k --offset 8200 --sector-size 512 --key-file - part
	for ((i = 0; i < $1; i++)); do
		cryptsetup token add --key-slot 0 --key-description "$i-$(printf %0350d 0)" part
	done
}

@test "LUKS2 whose text is longer than what is read: unknown, and known as long as it is not" {
	luks2_with_tokens 20
	into 2048
	check_json disk.img
	expect 0
	is '.devices[0].partitions[0].content[0].data_offset' \
		$((2048 * 512 + $(cryptsetup luksDump part | awk '$1 == "offset:" { print $2; exit }')))
	luks2_with_tokens 31
	into 2048
	unsure content-unread
	into 63
	unsure content-unread
	finds start-misaligned
	not_moved
}

@test "LUKS2 whose text is none: unknown" {
	luks2_with_tokens 0
	into 2048
	hand poke disk.img $((2048 * 512 + 4096)) 00
	unsure layer-invalid
}

@test "LUKS2 with its header elsewhere has no data that could be judged" {
	need cryptsetup
	truncate -s 20M part data
	printf pw | cryptsetup -q luksFormat --type luks2 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 \
		--header part --key-file - data
	cryptsetup luksDump part | grep -q 'offset: 0 '
	into 2048
	check_json disk.img
	expect 0
	is '.devices[0].partitions[0].content[0] | "\(.type) \(.data_offset)"' 'crypto_LUKS null'
}

@test "a layer that starts beyond its container: unknown" {
	dos disk.img 64M 2048,122880,fd
	hand md12 disk.img 2048 122880 122880
	unsure layer-invalid
	[[ $(message layer-invalid) == *'62914560 of 62914560' ]]
	hand md12 disk.img 2048 122880 122872 # its last 4 KiB
	check_json disk.img
	expect 0

	need cryptsetup
	truncate -s 20M part
	printf pw | cryptsetup -q luksFormat --type luks1 --pbkdf-force-iterations 1000 --align-payload 8192 --key-file - part
	truncate -s 4M part # 8192 sectors
	into 63
	unsure layer-invalid
	not_moved
}

under_ext4() { # the superblock of an ext4 that was there before is left in "part"
	truncate -s 32M old
	mkfs.ext4 -q -F old
	dd if=old of=part bs=512 skip=2 seek=2 count=2 conv=notrunc status=none
	[ "$(blkid -p part >/dev/null 2>&1; echo $?)" = 8 ] || fail "blkid finds it unambiguous"
}

@test "case 33: two signatures, and the data of one of them is off: unknown" {
	rm -f part
	mkfs.fat -F 32 -a -s 8 -R 33 -C part 256000 >/dev/null
	under_ext4
	into 2048
	unsure content-ambiguous
	[[ $(message content-ambiguous) == *vfat*'starts 512 bytes'* ]]
	rm -f part
	mkfs.fat -F 32 -s 8 -C part 256000 >/dev/null
	under_ext4
	into 2048
	check_json disk.img
	expect 0
	finds content-ambiguous warning

	need mkfs.exfat
	rm -f part
	truncate -s 65M part
	mkfs.exfat -c 2K -b 2048 part >/dev/null
	under_ext4
	check_json part # no table: the whole image
	expect 2
	is .devices[0].verdict unknown
	[[ $(message content-ambiguous) == *exfat*'starts 2048 bytes'* ]]
}

@test "a layer that lies inside itself: unknown" {
	dos disk.img 64M 2048,122880,fd
	hand md12 disk.img 2048 122880 0
	unsure layer-invalid
	[[ $(message layer-invalid) == *'inside itself'* ]]
}

@test "sixteen layers are told, one more is not" {
	dos disk.img 8M 2048,12288,fd # what is smaller than a floppy holds no array
	for depth in {1..15}; do hand md090 disk.img 2048 $((12288 - 128 * depth)); done
	hand md090 disk.img 2048 $((12288 - 128 * 16)) 5 # a stripe's member is nothing to look into
	check_json disk.img
	expect 0
	is '.devices[0].partitions[0].content | length' 16
	is '[.devices[0].partitions[0].content[].type] | unique | join(" ")' linux_raid_member
	hand md090 disk.img 2048 $((12288 - 128 * 16)) 1
	unsure layer-invalid
	is '.devices[0].partitions[0].content | length' 16
	[[ $(message layer-invalid) == *'more than 16 layers'* ]]
}

@test "arrays in arrays, each behind much that is read first: unknown" {
	dos disk.img 64M 2048,122880,fd
	for start in 2048 2304 2560 2816; do hand md12 disk.img $start $((124928 - start)) 256; done
	unsure content-unread
}

@test "a place that cannot be read: unknown, whichever it is" {
	need_images
	image 02-mbr2048
	for n in {2..12}; do
		failing "$n" EIO "$path"
		grep -q INJECTED "$BATS_TEST_TMPDIR/trace" || break
		expect 2
		verdict 1 unknown
		finds content-unread error
		[[ $(message content-unread) == 'cannot read'* ]]
	done
	((n > 8))
}
