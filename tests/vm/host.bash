#!/bin/bash
# Guests from the host's side. Sourced with $ALIGNCK and $GUEST set, in the checkout's root.
#
#   boot_job COMMANDS [QEMU-ARGUMENT...]  a guest that has alignck and tests/ (as /t) runs these lines of bash;
#                                       its output and exit status are theirs (125: it died)
#   guest COMMANDS [ARGUMENT...]        the same with the words of words.bash
#   doomed COMMANDS TEXT [ARGUMENT...]  the same, but qemu is killed as soon as the guest prints TEXT
#   tiny_system DIR                     a kernel, an initramfs that says "the system is up", GRUB's configuration
#   boot_disk DISK [ARGUMENT...]        a machine that boots from it; prints its serial line
#   need_guests                         for a .bats file of outside/ that is run without tests/vm/run

boot_job() {
	local commands=$1 dir status
	shift
	dir=$(mktemp -d)
	put_alignck "$dir"
	mkdir -p "$dir"/t/{images,inside}
	cp -r tests/cli "$dir/t/cli"
	cp tests/images/cache.sh "$dir/t/images/"
	cp tests/vm/inside/*.bats tests/vm/inside/*.bash "$dir/t/inside/"
	mkdir "$dir/t/vm"
	cp tests/vm/each tests/vm/words.bash "$dir/t/vm/"
	printf '%s\n' '#!/bin/bash' 'export ALIGNCK=/usr/bin/alignck BUILD=/tmp/build' "$commands" >"$dir/job"
	chmod +x "$dir/job"
	tests/vm/boot "$dir" "$@"
	status=$?
	rm -rf "$dir"
	return $status
}

guest() { boot_job ". /t/vm/words.bash
$1" "${@:2}"; }

put_alignck() { # with the libraries it is linked with; make-guest put those that it opens
	local lib
	install -D "$ALIGNCK" "$1/usr/bin/alignck"
	ldd "$ALIGNCK" | grep -o '/[^ ]*' | while read -r lib; do
		# The root has /lib as a link, which a directory of that name would replace.
		install -D "$lib" "$1/usr/${lib#/usr/}"
	done
}

doomed() {
	local commands=$1 text=$2 pid line seen=
	shift 2
	pid=$(mktemp -u)
	while read -r line; do
		echo "$line"
		[ "$line" = "$text" ] || continue
		seen=1
		kill -KILL "$(<"$pid")"
	done < <(VM_PID=$pid guest "$commands" "$@" 2>/dev/null)
	rm -f "$pid"
	[ -n "$seen" ]
}

tiny_system() {
	local root
	mkdir -p "$1"
	root=$(mktemp -d)
	mkdir "$root/dev"
	cp /bin/busybox "$root/busybox"
	cat >"$root/init" <<'INIT'
#!/busybox sh
/busybox mount -t devtmpfs dev /dev
echo "the system is up" >/dev/ttyS0
/busybox poweroff -f
INIT
	chmod 755 "$root/init"
	(cd "$root" && find . | cpio -o -H newc -R 0:0 --quiet) >"$1/initrd"
	rm -rf "$root"
	cp "$(find /boot -name 'vmlinuz-*' | sort -V | tail -n 1)" "$1/vmlinuz"
	cat >"$1/grub.cfg" <<'CFG'
serial --unit=0
terminal_output serial
search --file --set=root /boot/vmlinuz
linux /boot/vmlinuz console=ttyS0 panic=-1 quiet
initrd /boot/initrd
boot
CFG
}

boot_disk() {
	timeout -k 5 "${VM_SECONDS:-300}" nice -n 10 qemu-system-x86_64 -nodefaults -no-user-config -display none -no-reboot \
		-M pc -cpu max -smp 1 -m 512 -serial stdio "${@:2}" -drive "if=none,id=d,file=$1,format=raw" \
		-device virtio-blk-pci,drive=d,bootindex=1 </dev/null 2>&1
}

need_guests() {
	: "${BUILD:=$PWD/build/release}" "${ALIGNCK:=$BUILD/alignck}" "${GUEST:=$PWD/build/vm}"
	export BUILD ALIGNCK GUEST
	tests/vm/make-guest "$GUEST"
}

fail() {
	printf '%s\n' "$*" >&2
	return 1
}
