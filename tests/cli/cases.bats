#!/usr/bin/env bats
# Situations from the field, with the reporters' numbers: odd devices, odd tables, what lies
# inside, and what scripts rely on. Devices are captured machines: sysfs below --sysroot, an image at
# dev/NAME. Numbers in brackets are sectors of 512 bytes.
# SC2154: helper.bash and bats set path, json, status, output; SC2030, SC2031: each test is a subshell.
# shellcheck disable=SC2154,SC2030,SC2031
load helper

setup_file() { need_images; }

# The captured machine's sda, as JSON.
check_sda() { check_json --sysroot "$sysroot" /dev/sda "$@"; }

# --- devices that report odd values ---

@test "case 1: a USB bridge's optimal 33553920 is ignored and said; 2048 is aligned" {
	disk_with sda 1G 'opt=33553920' 2048,204800,L
	check_sda
	expect 0
	finds topology-ignored
	[[ $(message topology-ignored) == *33553920* ]]
	[[ $(message topology-ignored) == *4096* ]]
	is '.devices[0].reported.optimal_io_size' 33553920
	is '.devices[0].optimal_io_size' null
	is '.devices[0].recommended_alignment' 1048576
	verdict 1 aligned
}

@test "case 1: the start 65535 that such a bridge makes tools recommend is off by 3584" {
	disk_with sda 1G 'opt=33553920' 65535,204800,L
	check_sda
	expect 1
	verdict 1 misaligned
	off_by 1 3584
}

@test "case 1: 16773120, a multiple of 4096, is no better" {
	disk_with sda 1G 'opt=16773120' 2048,204800,L
	check_sda
	expect 0
	finds topology-ignored
	is '.devices[0].optimal_io_size' null
	finds_no start-not-recommended
}

@test "case 2: optimal below the minimum is inconsistent: said, and not gone by" {
	disk_with sda 1G 'min=262144 opt=65536' 2048,204800,L
	check_sda
	expect 0
	finds topology-ignored
	is '.devices[0].optimal_io_size' null
	is '.devices[0].recommended_alignment' 1048576
	verdict 1 aligned
}

@test "case 2: optimal that is no multiple of the minimum is inconsistent" {
	disk_with sda 1G 'min=65536 opt=98304' 2048,204800,L
	check_sda
	expect 0
	finds topology-ignored
	is '.devices[0].optimal_io_size' null
}

@test "case 3: optimal of 64 or 256 MiB is no advice; 2048 stays fine" {
	for opt in 67108864 268435456; do
		rm -rf "$sysroot"
		disk_with sda 1G "opt=$opt" 2048,204800,L
		check_sda --strict
		expect 0
		is '.devices[0].recommended_alignment' 1048576
		finds_no start-not-recommended
	done
	# 16 MiB is the most that is believed.
	rm -rf "$sysroot"
	disk_with sda 1G opt=16777216 2048,204800,L
	check_sda
	is '.devices[0].recommended_alignment' 16777216
	finds start-not-recommended warning
}

@test "case 4: min = opt = 196608: 2048 misses the stripe by 65536, 3072 is on it" {
	disk_with sda 1G 'min=196608 opt=196608' 2048,1024,L 3072,196608,L
	check_sda
	expect 1
	is '.devices[0].required_alignment' 196608
	verdict 1 misaligned
	off_by 1 65536
	verdict 2 aligned
	off_by 2 0
}

@test "case 4: chunk 65536, stripe 196608: 2048 is aligned but not as recommended" {
	disk_with sda 1G 'pbs=4096 min=65536 opt=196608' 2048,1024,L 3072,196608,L
	check_sda
	expect 0
	verdict 1 aligned
	is '[.devices[0].partitions[] | select(any(.findings[]; .id == "start-not-recommended")) | .number] | tostring' '[1]'
}

@test "case 5: 512/512 with min 4096, optimal 65536: 63 misaligned, 8 not recommended, 128 right" {
	disk_with sda 1G 'min=4096 opt=65536' 8,40,L 63,65,L 128,204800,L
	check_sda
	expect 1
	verdict 1 aligned
	verdict 2 misaligned
	off_by 2 3584
	verdict 3 aligned
	is '[.devices[0].partitions[] | select(any(.findings[]; .id == "start-not-recommended")) | .number] | index(1) != null' true
	is '[.devices[0].partitions[] | select(any(.findings[]; .id == "start-not-recommended")) | .number] | index(3)' null
}

@test "case 6: alignment_offset 3584: 63 and 2055 are aligned, 2048 is not" {
	disk_with sda 1G 'pbs=4096 offset=3584' 63,1000,L 2055,2048,L 204800,2048,L
	check_sda
	expect 1
	verdict 1 aligned
	off_by 1 0
	verdict 2 aligned
	verdict 3 misaligned
	off_by 3 512
	is '.devices[0].alignment_offset' 3584
}

@test "case 7: drives that report 512/512 and are 4096: the list decides, and says so" {
	for model in 'WDC WD15EARS-00Z' 'WDC WD20EARX-00P' 'SAMSUNG HD204UI '; do
		rm -rf "$sysroot"
		disk sda 1G model="$model"
		dos "$sysroot/dev/sda" 1G 63,204737,L
		check_sda
		expect 1
		verdict 1 misaligned
		off_by 1 3584
		is '.devices[0].sector_source' drive-list
		is '.devices[0].physical_block_size' 4096
		is '.devices[0].reported.physical_block_size' 512
		finds lying-drive warning
		[[ $(message lying-drive) == *jumper* ]] # which shifts sectors and cannot be seen
	done
}

@test "case 7: an honest drive of the same family is not overridden" {
	disk sda 1G model='WDC WD15EARS-00Z' pbs=4096
	dos "$sysroot/dev/sda" 1G 2048,204800,L
	check_sda
	expect 0
	is '.devices[0].sector_source' kernel
	finds_no lying-drive
}

@test "case 7: 63 is never aligned merely because a drive reports 512" {
	disk_with sda 1G '' 63,204737,L
	check_sda
	expect 1
	is '.devices[0].physical_block_size' 512
	is '.devices[0].required_alignment' 4096
}

@test "case 8: physical 8192 or 131072 on a rotational disk is not believable: 4096, with a warning" {
	for pbs in 8192 131072; do
		rm -rf "$sysroot"
		disk_with sda 1G "pbs=$pbs min=$pbs" 40,2000,L 2048,204800,L
		check_sda
		expect 0
		verdict 1 aligned
		verdict 2 aligned
		is '.devices[0].required_alignment' 4096
		is '.devices[0].reported.physical_block_size' "$pbs"
		finds topology-ignored warning
	done
}

@test "case 9: NVMe with physical 262144: 40 is aligned with a warning, 2048 without; ashift at most 16" {
	disk_with nvme0n1 1G 'pbs=262144 min=262144 rotational=0' 40,2000,L 2048,204800,L
	check_json --sysroot "$sysroot" /dev/nvme0n1
	expect 0
	verdict 1 aligned
	verdict 2 aligned
	is '.devices[0].partitions[0].findings | any(.severity == "warning")' true
	is '.pool.ashift >= 12 and .pool.ashift <= 16' true
}

@test "case 10: sectors of 520 or 528 bytes, capacity 0: one line, exit 2, no arithmetic" {
	for lbs in 520 528; do
		rm -rf "$sysroot"
		disk sda 8M lbs=$lbs
		check --sysroot "$sysroot" /dev/sda
		expect 2
		[ -z "$output" ]
		[ "${#stderr_lines[@]}" = 1 ]
		has "alignck: /dev/sda: " "$stderr"
		has "$lbs" "$stderr"
	done
	rm -rf "$sysroot"
	disk sda 0
	check --sysroot "$sysroot" /dev/sda
	expect 2
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" = 1 ]
}

@test "case 11: zones that are no power of two: a start inside one is misaligned" {
	disk_with sda 1G 'lbs=512 pbs=4096 zoned=host-managed chunk=196608' 196608,196608,L 524288,8192,L
	check_sda
	expect 1
	is '.devices[0].zoned' host-managed
	is '[.devices[0].partitions[] | select(any(.findings[]; .id == "zone-misaligned")) | .number] | tostring' '[2]'
}

@test "case 11: a drive-managed shingled disk is ordinary, and named" {
	disk_with sda 1G 'pbs=4096' 2048,204800,L
	attribute block/sda/device/scsi_disk/0:0:0:0/zoned_cap drive-managed
	check_sda --strict
	expect 0
	is '.devices[0].zoned' drive-managed
	finds shingled
}

@test "case 12: alignment_offset -1: the stack below is misaligned, whatever the start" {
	disk_with sda 1G 'pbs=4096 offset=-1' 2048,204800,L
	check_sda
	expect 1
	finds stack-misaligned error
	is '.devices[0].reported.alignment_offset' -1
	is '.devices[0].verdict != "aligned"' true
}

@test "case 13: the same disk behind another bridge has another logical sector size" {
	gpt "$BATS_TEST_TMPDIR/disk" 256M 2048,204800
	for lbs in 512 4096; do
		rm -rf "$sysroot"
		disk sda 256M lbs=$lbs pbs=4096
		cp --sparse=always "$BATS_TEST_TMPDIR/disk" "$sysroot/dev/sda"
		check_sda
		is '.devices[0].logical_block_size' $lbs
		is '.devices[0].size' 268435456
		if [ $lbs = 512 ]; then
			expect 0
			finds_no sector-size-mismatch
		else
			expect 2
			finds sector-size-mismatch error
		fi
	done
}

# --- tables ---

@test "case 14: a GPT of 4096-byte sectors on a 512-byte disk: a mismatch, exit 2" {
	disk sda 256M
	gpt4096 "$sysroot/dev/sda" 256M 256,7936
	check_sda
	expect 2
	finds sector-size-mismatch error
	is '.devices[0].logical_block_size' 512
	is '.devices[0].verdict != "aligned"' true
}

@test "case 14: on an image the table proves the sector size" {
	gpt4096 "$BATS_TEST_TMPDIR/a.img" 256M 256,7936 8193,8191
	check_json "$BATS_TEST_TMPDIR/a.img"
	expect 0
	is '.devices[0].table.sector_size' 4096
	is '.devices[0].logical_block_size' 4096
	is '.devices[0].partitions[1].start_sector' 8193
	is '.devices[0].partitions[1].start' $((8193 * 4096))
	finds_no sector-size-mismatch
}

@test "case 14: only the backup is left of a GPT of 4096-byte sectors" {
	copy 13-gpt4kn
	hand poke "$path" 4096 "$(printf '%0128d' 0)"
	check_json "$path"
	expect 2
	finds table-damaged error
	is '.devices[0].table.sector_size' 4096
	is '.devices[0].partitions | length' 3
}

@test "case 15: an MBR in units of 4096, from a USB enclosure, on a 512-byte disk" {
	disk sda $((976754646 * 4096))
	is_sectors=$(cat "$sysroot/sys/block/sda/size")
	[ "$is_sectors" = 7814037168 ]
	hand mbr-entry "$sysroot/dev/sda" 0 1 0x83 256 976754390
	mkfs.ext4 -q -F -E offset=1048576 "$sysroot/dev/sda" 16M
	check_sda
	expect 2
	finds sector-size-mismatch error
	# With a file system where 512-byte units put it there is nothing to say.
	rm -rf "$sysroot"
	disk sda 1G
	hand mbr-entry "$sysroot/dev/sda" 0 1 0x83 2048 200000
	mkfs.ext4 -q -F -E offset=1048576 "$sysroot/dev/sda" 16M
	check_sda
	expect 0
	finds_no sector-size-mismatch
}

# start [sectors], bytes past the last 4096 boundary
starts() {
	while read -r start past; do
		rm -f "$BATS_TEST_TMPDIR/a.img"
		dos "$BATS_TEST_TMPDIR/a.img" 128M "$start,2048,L"
		check_json "$BATS_TEST_TMPDIR/a.img"
		expect $((past != 0))
		is '.devices[0].partitions[0].start_sector' "$start"
		off_by 1 "$past"
		is '.devices[0].partitions[0].alignment' $((start * 512 & -start * 512))
	done
}

@test "case 16: starts 1, 34, 63, 1953, 3906, 65535, 208845 are misaligned by the right number of bytes" {
	starts <<-END
		1 512
		34 1024
		63 3584
		1953 512
		3906 1024
		65535 3584
		208845 2560
	END
}

@test "case 16: starts 40, 48, 56, 64, 2048, 2056 are aligned" {
	starts <<-END
		40 0
		48 0
		56 0
		64 0
		2048 0
		2056 0
	END
}

@test "case 16: a cloud's 1-7020404 and 7020405-40949684" {
	dos "$BATS_TEST_TMPDIR/a.img" $((40949685 * 512)) 1,7020404,S 7020405,33929280,L
	check_json "$BATS_TEST_TMPDIR/a.img"
	expect 1
	off_by 1 512
	off_by 2 2560
}

@test "case 16: a NAS's 34-35156656094 of 35156656128" {
	big $((35156656128 * 512))
	gpt "$path" - 34,35156656061
	check_json "$path"
	expect 1
	off_by 1 1024
	is '.devices[0].partitions[0].sectors' 35156656061
}

@test "case 16: what parted makes of mkpart 0% 100% on 64 MiB" {
	for label in msdos gpt; do
		truncate -s 64M "$BATS_TEST_TMPDIR/$label.img"
		parted -s "$BATS_TEST_TMPDIR/$label.img" mklabel $label mkpart primary 0% 100%
		check_json "$BATS_TEST_TMPDIR/$label.img"
		expect 1
		verdict 1 misaligned
	done
}

@test "case 17: a start below the tools' first LBA but within the header's is fine" {
	gpt "$BATS_TEST_TMPDIR/a.img" 64M 40,1000 2048,2048
	check_json "$BATS_TEST_TMPDIR/a.img"
	expect 0
	verdict 1 aligned
	no_errors_but none
}

@test "case 18: BIOS boot at 48 or 34 and Microsoft reserved at 34 are exempt, with a notice at most" {
	bios=21686148-6449-6E6F-744E-656564454649
	msr=E3C9E316-0B5C-4DB8-817D-F92DF00215AE
	for first in "48,2000,$bios" "34,2014,$bios" "34,32734,$msr"; do
		rm -f "$BATS_TEST_TMPDIR/a.img"
		gpt "$BATS_TEST_TMPDIR/a.img" 128M "$first" 32768,100000
		check_json "$BATS_TEST_TMPDIR/a.img"
		expect 0
		verdict 1 exempt
		verdict 2 aligned
		is '[.devices[0].partitions[0].findings[] | select(.severity != "notice")] | length' 0
	done
}

@test "case 19: the extended container is not judged, its logicals are" {
	dos "$BATS_TEST_TMPDIR/a.img" 128M start=63,size=200000,type=5
	hand mbr-entry "$BATS_TEST_TMPDIR/a.img" 63 1 0x83 1985 2048
	check_json "$BATS_TEST_TMPDIR/a.img"
	expect 0
	verdict 1 exempt
	verdict 5 aligned
}

@test "case 19: a logical right behind an aligned container's EBR is misaligned" {
	dos "$BATS_TEST_TMPDIR/a.img" 128M start=2048,size=200000,type=f
	hand mbr-entry "$BATS_TEST_TMPDIR/a.img" 2048 1 0x83 1 4096
	check_json "$BATS_TEST_TMPDIR/a.img"
	expect 1
	verdict 1 exempt
	verdict 5 misaligned
	off_by 5 512
}

@test "case 19: an EBR inside another logical's data is an error" {
	dos "$BATS_TEST_TMPDIR/a.img" 128M start=2048,size=200000,type=5
	hand mbr-entry "$BATS_TEST_TMPDIR/a.img" 2048 1 0x83 2048 20480  # 4096-24575
	hand mbr-entry "$BATS_TEST_TMPDIR/a.img" 2048 2 5 10000 40000    # the next EBR: 12048
	hand mbr-entry "$BATS_TEST_TMPDIR/a.img" 12048 1 0x83 14576 2048 # 26624
	check_json "$BATS_TEST_TMPDIR/a.img"
	expect 2
	finds ebr-inside-data error
	verdict 5 aligned
	verdict 6 aligned
}

@test "case 19: EBR chains that loop, go backwards or leave the container" {
	for end in loop back out; do
		for count in 1 3; do
			rm -f "$BATS_TEST_TMPDIR/a.img"
			dos "$BATS_TEST_TMPDIR/a.img" 16M start=2048,size=20000,type=5
			hand ebr-chain "$BATS_TEST_TMPDIR/a.img" 2048 $count $end
			check_json "$BATS_TEST_TMPDIR/a.img"
			expect 2
			finds table-damaged error
			is '[.devices[0].partitions[] | select(.number >= 5)] | length' $count
		done
	done
	# The same chain that just ends is in order.
	rm -f "$BATS_TEST_TMPDIR/a.img"
	dos "$BATS_TEST_TMPDIR/a.img" 16M start=2048,size=20000,type=5
	hand ebr-chain "$BATS_TEST_TMPDIR/a.img" 2048 3
	check_json "$BATS_TEST_TMPDIR/a.img"
	expect 0
}

@test "case 19: a chain that goes back to a place it has not been is odd, but read" {
	dos "$BATS_TEST_TMPDIR/a.img" 16M start=2048,size=20000,type=5
	hand mbr-entry "$BATS_TEST_TMPDIR/a.img" 2048 1 0x83 8 8
	hand mbr-entry "$BATS_TEST_TMPDIR/a.img" 2048 2 5 4000 100
	hand mbr-entry "$BATS_TEST_TMPDIR/a.img" 6048 1 0x83 8 8
	hand mbr-entry "$BATS_TEST_TMPDIR/a.img" 6048 2 5 2000 100
	hand mbr-entry "$BATS_TEST_TMPDIR/a.img" 4048 1 0x83 9 8
	check_json "$BATS_TEST_TMPDIR/a.img"
	expect 1
	finds ebr-out-of-order warning
	no_errors_but start-misaligned
	verdict 5 aligned
	verdict 6 aligned
	verdict 7 misaligned
}

@test "case 19: a chain beyond any limit ends in exit 2, not in hours" {
	dos "$BATS_TEST_TMPDIR/a.img" 64M start=2048,size=120000,type=5
	hand ebr-chain "$BATS_TEST_TMPDIR/a.img" 2048 5000
	check_json "$BATS_TEST_TMPDIR/a.img"
	expect 2
	finds table-damaged error
}

@test "case 20: numbers out of disk order: names by number, nothing invented" {
	dos "$BATS_TEST_TMPDIR/a.img" 128M 100000,8192,L
	hand mbr-entry "$BATS_TEST_TMPDIR/a.img" 0 2 0x83 63 1000
	hand mbr-entry "$BATS_TEST_TMPDIR/a.img" 0 3 0x83 2048 40960
	check_json "$BATS_TEST_TMPDIR/a.img"
	expect 1
	verdict 1 aligned
	verdict 2 misaligned
	verdict 3 aligned
	is '.devices[0].partitions[] | select(.start_sector == 63) | .name' a.img2
	is '.devices[0].partitions[] | select(.start_sector == 2048) | .name' a.img3
	finds_no overlap
}

@test "case 21: an overlap is an error, the verdicts stand" {
	dos "$BATS_TEST_TMPDIR/a.img" 64M 2048,60000,L 70000,40000,L
	hand mbr-entry "$BATS_TEST_TMPDIR/a.img" 0 2 0x83 40960 40000
	check_json "$BATS_TEST_TMPDIR/a.img"
	expect 2
	finds overlap error
	verdict 1 aligned
	verdict 2 aligned
}

@test "case 21: a partition past the end" {
	dos "$BATS_TEST_TMPDIR/a.img" 128M 2048,40960,L 65536,180000,L
	truncate -s 64M "$BATS_TEST_TMPDIR/a.img"
	check_json "$BATS_TEST_TMPDIR/a.img"
	expect 2
	finds beyond-end error
	verdict 2 aligned
}

@test "case 21: a truncated image: the backup GPT is cut off" {
	gpt "$BATS_TEST_TMPDIR/a.img" 128M 2048,40960
	truncate -s 100M "$BATS_TEST_TMPDIR/a.img"
	check_json "$BATS_TEST_TMPDIR/a.img"
	expect 2
	finds table-damaged error
	verdict 1 aligned
}

@test "case 21: a grown disk: the backup GPT is not at the end; a warning, and the verdicts stand" {
	gpt "$BATS_TEST_TMPDIR/a.img" 128M 2048,40960
	truncate -s 192M "$BATS_TEST_TMPDIR/a.img"
	sum=$(sha256sum "$BATS_TEST_TMPDIR/a.img")
	check_json "$BATS_TEST_TMPDIR/a.img"
	expect 0
	finds backup-gpt-misplaced warning
	finds_no table-damaged
	verdict 1 aligned
	check --strict "$BATS_TEST_TMPDIR/a.img"
	expect 1
	[ "$sum" = "$(sha256sum "$BATS_TEST_TMPDIR/a.img")" ] # nothing repaired unasked
}

@test "case 21: short entry arrays are in order" {
	for length in 4 5 8; do
		rm -f "$BATS_TEST_TMPDIR/a.img"
		gpt "$BATS_TEST_TMPDIR/a.img" 64M "table-length: $length" 2048,40960 63,1000
		check_json "$BATS_TEST_TMPDIR/a.img"
		expect 1
		finds_no table-damaged
		verdict 1 aligned
		verdict 2 misaligned
	done
}

@test "case 21: an entry array elsewhere than LBA 2" {
	gpt "$BATS_TEST_TMPDIR/a.img" 64M 'first-lba: 2048' 2048,40960 60001,1000
	dd if="$BATS_TEST_TMPDIR/a.img" of="$BATS_TEST_TMPDIR/a.img" bs=512 skip=2 seek=1500 count=32 conv=notrunc status=none
	dd if=/dev/zero of="$BATS_TEST_TMPDIR/a.img" bs=512 seek=2 count=32 conv=notrunc status=none
	hand gpt-field "$BATS_TEST_TMPDIR/a.img" 1 entries-lba 1500
	check_json "$BATS_TEST_TMPDIR/a.img"
	expect 1
	verdict 1 aligned
	verdict 2 misaligned
	finds_no table-damaged
}

@test "case 21: boot code over the primary entry array: the backup is read, exit 2" {
	gpt "$BATS_TEST_TMPDIR/a.img" 64M 2048,40960 63,1000
	hand poke "$BATS_TEST_TMPDIR/a.img" 1024 "$(printf '%02x' {0..255})"
	check_json "$BATS_TEST_TMPDIR/a.img"
	expect 2
	finds table-damaged error
	verdict 1 aligned
	verdict 2 misaligned
}

@test "case 22: a hybrid MBR that agrees is said; one that contradicts the GPT is an error" {
	copy 12-hybrid
	check_json "$path"
	expect 1
	finds hybrid-mbr warning
	finds_no hybrid-mbr error
	slot=$(od -An -tu1 -w16 -j446 -N64 "$path" | awk '$5 != 238 && $5 { print NR; exit }')
	hand mbr-entry "$path" 0 "$slot" 0x83 24576 1000 # no such partition in the GPT
	check_json "$path"
	expect 2
	finds hybrid-mbr error
}

@test "case 23: a dynamic disk is judged by its entry like any other" {
	dos "$BATS_TEST_TMPDIR/a.img" 64M 63,40960,42
	check_json "$BATS_TEST_TMPDIR/a.img"
	expect 1
	verdict 1 misaligned
	is '.devices[0].partitions[0].type' 42
	rm "$BATS_TEST_TMPDIR/a.img"
	gpt "$BATS_TEST_TMPDIR/a.img" 64M 34,2014,5808C8AA-7E8F-42E0-85D2-E1E90434CFB3 \
		2048,40960,AF9B60A0-1431-4F62-BC68-3311714A69AD
	check_json "$BATS_TEST_TMPDIR/a.img"
	verdict 2 aligned
}

# absolute starts of what a slice holds
nested() { # nested TYPE: the starts of that table's slices and the bytes they are off
	jq -r ".devices[0].partitions[] | select(.number >= 5) | \"\(.start_sector) \(.misaligned_by)\"" <<<"$json" | sort -n
}

@test "case 24: BSD slices count from the disk, in a container that is aligned itself" {
	image 23-bsd2048
	check_json "$path"
	expect 1
	[ "$(nested)" = $'2064 0\n100079 3584\n160079 3584' ] || fail "$(nested)"
	is '.devices[0].partitions[] | select(.number == 6) | .parent != null' true
}

@test "case 24: Solaris slices in bf and in 82" {
	for name in 20-solaris48195 21-solaris82; do
		image $name
		check_json "$path"
		expect 1
		[ "$(nested)" = $'48195 1536\n64260 2048\n264260 2048\n328520 0' ] || fail "$(nested)"
	done
}

@test "case 24: Minix subpartitions" {
	dos "$BATS_TEST_TMPDIR/a.img" 64M 2048,100000,81
	hand minix "$BATS_TEST_TMPDIR/a.img" 2048 2064 10000 20001 10000
	check_json "$BATS_TEST_TMPDIR/a.img"
	expect 1
	[ "$(nested)" = $'2064 0\n20001 512' ] || fail "$(nested)"
}

@test "case 24: UnixWare slices" {
	dos "$BATS_TEST_TMPDIR/a.img" 256M 2048,400000,63
	hand unixware "$BATS_TEST_TMPDIR/a.img" 2048 16384 10000 48195 100000
	check_json "$BATS_TEST_TMPDIR/a.img"
	expect 1
	[ "$(nested)" = $'16384 0\n48195 1536' ] || fail "$(nested)"
}

@test "case 25: Sun and SGI labels count cylinders; they are judged" {
	for name in 50-sun 51-sgi; do
		image $name
		check_json "$path"
		expect 1
		off_by 1 512
		off_by 2 2560
		is '.devices[0].table.type' "${name#*-}"
	done
}

@test "case 26: no table: the payload starts at byte 0, which alignment_offset may spoil" {
	for name in 30-superfloppy 31-lvmwhole 32-lukswhole 34-swapwhole; do
		[ -f "$images/$name.img" ] || continue
		for offset in 0 3584; do
			rm -rf "$sysroot"
			disk sda 64M pbs=4096 offset=$offset
			cp --sparse=always "$images/$name.img" "$sysroot/dev/sda"
			check_sda
			is '.devices[0].table.type' none
			is '.devices[0].partitions | length' 0
			if [ $name = 30-superfloppy ] && [ $offset = 0 ]; then
				finds payload-misaligned error # FAT's clusters, not its start
			else
				expect $((offset != 0))
			fi
		done
	done
}

@test "case 27: a FAT, exFAT or NTFS boot sector is no partition table" {
	for kind in 'fat -F 12' 'fat -F 16' 'fat -F 32' exfat 'ntfs -Q -F'; do
		truncate -s 64M "$BATS_TEST_TMPDIR/a.img"
		# shellcheck disable=SC2086 # a command's words
		mkfs.$kind "$BATS_TEST_TMPDIR/a.img" >/dev/null 2>&1
		# Boot code that reads like an entry of type 83 at sector 63.
		hand poke "$BATS_TEST_TMPDIR/a.img" 446 0001010083feffff3f00000000100000
		check_json "$BATS_TEST_TMPDIR/a.img"
		is '.devices[0].table.type' none
		is '.devices[0].partitions | length' 0
		rm "$BATS_TEST_TMPDIR/a.img"
	done
}

@test "case 28: more than 2 TiB with an MBR, sectors near 2^32" {
	dos "$BATS_TEST_TMPDIR/a.img" 3T 2048,4294961000,L
	hand mbr-entry "$BATS_TEST_TMPDIR/a.img" 0 2 0x83 4294967288 1000000
	hand mbr-entry "$BATS_TEST_TMPDIR/a.img" 0 3 0x83 4294967295 7
	check_json "$BATS_TEST_TMPDIR/a.img"
	verdict 2 aligned
	verdict 3 misaligned
	off_by 3 3584
	is '.devices[0].partitions[] | select(.number == 2) | .start' 2199023251456
	is '.devices[0].partitions[] | select(.number == 2) | .size' 512000000
}

@test "case 28: GPT entries near 2^63 and 2^64 sectors: exit 2, no arithmetic gone wrong" {
	for place in '9223372036854775807 9223372036854775807' '18446744073709551608 18446744073709551615' \
		'36028797018963968 36028797018963975' '2048 18446744073709551615' '100 50' '0 0' '0 18446744073709551615'; do
		rm -f "$BATS_TEST_TMPDIR/a.img"
		gpt "$BATS_TEST_TMPDIR/a.img" 64M 2048,2048 8192,2048
		# shellcheck disable=SC2086 # start and last
		hand gpt-entry "$BATS_TEST_TMPDIR/a.img" 2 $place
		check_json "$BATS_TEST_TMPDIR/a.img"
		expect 2
		is '[.devices[0] | .findings[], .partitions[].findings[] | select(.severity == "error")] | length > 0' true
		verdict 1 aligned
		if grep -E '"[a-z_]+": ?-' <<<"$json"; then fail 'a number below zero'; fi
	done
}

# --- inside, and for scripts ---

@test "case 32: LUKS2 wants start and size in 4096: odd ends and sizes are warnings" {
	dos "$BATS_TEST_TMPDIR/a.img" 64M 2048,100001,L
	truncate -s $((100001 * 512)) "$BATS_TEST_TMPDIR/luks"
	printf pw | cryptsetup -q luksFormat --type luks2 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 \
		--key-file - "$BATS_TEST_TMPDIR/luks"
	dd if="$BATS_TEST_TMPDIR/luks" of="$BATS_TEST_TMPDIR/a.img" bs=1M seek=1 conv=notrunc,sparse status=none
	check_json "$BATS_TEST_TMPDIR/a.img"
	expect 0
	verdict 1 aligned
	finds size-misaligned warning
	finds end-misaligned warning
	check --strict "$BATS_TEST_TMPDIR/a.img"
	expect 1
}

@test "case 32: the GPT that uses all the rest from 2048 has a size of 7 mod 8: a warning" {
	gpt "$BATS_TEST_TMPDIR/a.img" 64M 2048,128991 # 2048 to n - 34
	check_json "$BATS_TEST_TMPDIR/a.img"
	expect 0
	is '.devices[0].partitions[0].sectors % 8' 7
	finds size-misaligned warning
	finds end-misaligned warning
}

@test "case 47: the table counts logical sectors, sysfs 512-byte units; bytes are bytes" {
	disk sda 256M lbs=4096 pbs=4096
	gpt4096 "$sysroot/dev/sda" 256M 256,7936
	partition sda 1 2048 63488
	check_sda
	expect 0
	is '.devices[0].partitions[0].start_sector' 256
	is '.devices[0].partitions[0].start' 1048576
	is '.devices[0].partitions[0].sectors' 7936
	is '.devices[0].partitions[0].size' 32505856
	finds_no kernel-disagrees
}

@test "case 47: start 2047 of 4096-byte sectors is aligned, modulo 8 of 512-byte scripts or not" {
	disk sda 256M lbs=4096 pbs=4096
	gpt4096 "$sysroot/dev/sda" 256M 2047,6145
	partition sda 1 16376 49160
	check_sda
	expect 0
	verdict 1 aligned
	off_by 1 0
}

@test "case 48: the exit status tells, in every format" {
	for format in '' --json --pairs --raw --quiet --prometheus --verbose; do
		while read -r name want; do
			# shellcheck disable=SC2086 # none or one word
			check $format "$images/$name.img"
			expect "$want"
		done <<-END
			02-mbr2048 0
			01-mbr63 1
			40-overlap 2
			14-gptbad 2
			15-pmbronly 2
		END
	done
}

@test "case 48: of several devices the worst counts" {
	check "$images/02-mbr2048.img" "$images/01-mbr63.img" "$images/04-mbr56.img"
	expect 1
	check "$images/01-mbr63.img" "$images/40-overlap.img" "$images/02-mbr2048.img"
	expect 2
	check "$images/01-mbr63.img" /nonexistent
	expect 2
}

@test "case 49: text columns never move" {
	check "$images/01-mbr63.img"
	[[ ${lines[0]} =~ ^NAME\ +START\ +SECTORS\ +SIZE\ +ALIGNED\ +VERDICT\ +CONTENT$ ]] || fail "${lines[0]}"
	check "$images/17-gpt128.img" "$images/50-sun.img"
	[[ ${lines[0]} =~ ^NAME\ +START\ +SECTORS\ +SIZE\ +ALIGNED\ +VERDICT\ +CONTENT$ ]] || fail "${lines[0]}"
}

@test "case 49: unknown units are usage errors that name the option and the word" {
	for word in 1Q 4kB 1MB 1mib 1.5M -4096 0x1000 '' ' 4K' '4K ' 4,096 99999999999999999999 16E; do
		check --physical-sector="$word" "$images/02-mbr2048.img"
		expect 64
		has --physical-sector "$stderr"
		has "$word" "$stderr"
		[ -z "$output" ]
	done
}
