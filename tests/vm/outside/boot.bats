#!/usr/bin/env bats
# Disks that a machine boots from: what the firmware and GRUB find before the fix, they find after it.
# SC2154: bats sets output, status.
# shellcheck disable=SC2154
load ../host

setup() {
	cd "$BATS_TEST_DIRNAME/../../.." || exit 1
	need_guests
	dir=$BATS_TEST_TMPDIR
	disk=$dir/disk.img
	loop=
	tiny_system "$dir/system"
}

teardown() { # after a failure too
	[ -z "$loop" ] || {
		umount "$dir/root" 2>/dev/null || true
		partx -d "$loop" || true
		losetup -d "$loop"
	}
}

boots() { # boots [QEMU-ARGUMENT...]: the system's line comes over the serial line
	run boot_disk "$disk" "$@"
	[[ $output == *'the system is up'* ]] || fail "$output"
}

fixes() { # fixes START: the first partition is there now
	run "$ALIGNCK" --fix --yes "$disk"
	[ "$status" = 0 ] || fail "$output"
	sfdisk -J "$disk" | grep -q "\"start\": *$1," || fail "$(sfdisk -d "$disk")"
	run "$ALIGNCK" "$disk"
	[ "$status" = 0 ] || fail "$output"
}

@test "BIOS: GRUB in the gap, its partition at 63, boots before and after, and after undo" {
	truncate -s 96M "$disk"
	echo '63,150000,L,*' | sfdisk -q "$disk"
	loop=$(losetup -f --show "$disk") || { loop=; skip 'no loop device to be had'; }
	partx -a "$loop" 2>/dev/null || true
	[ -b "${loop}p1" ] || skip 'no partition nodes to be had'
	mkfs.ext4 -q -F -b 4096 "${loop}p1"
	mkdir "$dir/root"
	mount "${loop}p1" "$dir/root" || skip 'no mount to be had'
	cp -r "$dir/system" "$dir/root/boot"
	grub-install --target=i386-pc --boot-directory="$dir/root/boot" --no-floppy "$loop" 2>&1
	cp "$dir/system/grub.cfg" "$dir/root/boot/grub/"
	umount "$dir/root"
	partx -d "$loop"
	losetup -d "$loop"
	loop=
	boots
	fixes 2048
	boots
	"$ALIGNCK" --undo "$disk"
	sfdisk -J "$disk" | grep -q '"start": *63,'
	boots
}

@test "UEFI: OVMF, GRUB on an ESP at 34 of a GPT disk, boots before and after" {
	[ -f /usr/share/OVMF/OVMF_CODE_4M.fd ] || skip 'ovmf is not installed'
	truncate -s 96M "$disk"
	printf '%s\n' 'label: gpt' 'first-lba: 34' '34,150000,U' | sfdisk -q "$disk"
	truncate -s $((150000 * 512)) "$dir/esp"
	mkfs.vfat -F 32 -R 36 -h 34 "$dir/esp" >/dev/null
	grub-mkstandalone -O x86_64-efi -o "$dir/bootx64.efi" --modules='part_gpt fat search' \
		--install-modules='linux normal serial terminal echo' --fonts= --locales= --themes= \
		"boot/grub/grub.cfg=$dir/system/grub.cfg"
	mmd -i "$dir/esp" ::EFI ::EFI/BOOT ::boot
	mcopy -i "$dir/esp" "$dir/bootx64.efi" ::EFI/BOOT/BOOTX64.EFI
	mcopy -i "$dir/esp" "$dir/system/vmlinuz" "$dir/system/initrd" ::boot/
	dd if="$dir/esp" of="$disk" bs=512 seek=34 conv=notrunc,sparse status=none
	cp /usr/share/OVMF/OVMF_VARS_4M.fd "$dir/vars"
	firmware=(-drive 'if=pflash,format=raw,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.fd'
		-drive "if=pflash,format=raw,file=$dir/vars")
	boots "${firmware[@]}"
	fixes 2048
	boots "${firmware[@]}"
	dd if="$disk" of="$dir/esp" bs=512 skip=2048 count=150000 status=none
	fsck.vfat -n "$dir/esp"
}
