#!/usr/bin/env bats
# What a root's cron job is exposed to: no privilege of the file's own, no program run, no path chosen by
# an environment that somebody else set.
# SC2154: helper.bash and bats set path, json, status, output; SC2030, SC2031: each test is a subshell.
# SC2016: for another shell; SC2086: a command is some words.
# shellcheck disable=SC2154,SC2016,SC2030,SC2031,SC2086
load helper

setup_file() { need_images; }

traced() { # traced COMMAND...: under strace; all calls that take a path, in $log
	log=$BATS_TEST_TMPDIR/trace
	command -v strace >/dev/null || skip 'no strace'
	strace -o /dev/null true 2>/dev/null || skip 'strace may not trace here'
	status=0
	output=$(ASAN_OPTIONS=detect_leaks=0 strace -f -s 4096 -o "$log" -e trace=%file "$@" 2>&1) || status=$?
	ran=${*: -3}
}

# Every variable by which glibc and the libraries below us find files, pointing into one directory.
foreign() { # foreign DIR: fills env_of
	env_of=()
	for name in HOME TMPDIR PWD OLDPWD XDG_CONFIG_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR SYSFS_PATH UDEV_CONFIG_FILE \
		BLKID_FILE BLKID_CONF LIBMOUNT_FSTAB LIBMOUNT_MTAB LIBMOUNT_UTAB; do
		env_of+=("$name=$1/$name")
	done
	mkdir -p "$1/HOME"
	printf 'alignck alias --json --prometheus\n' >"$1/HOME/.popt"
}

opened() { # opened DIR: what it opened, made or took away there
	grep -E '(open|openat|openat2|creat|unlink(at)?|rename(at2?)?|mkdir(at)?|execve)\(' "$log" | grep -v ' execve("[^"]*strace' |
		grep -F "\"$1/" || true
}

@test "the program is installed without setuid, setgid or capabilities" {
	make -s -C "$tests/.." install VARIANT="${BUILD##*/}" DESTDIR="$BATS_TEST_TMPDIR/root" PREFIX=/usr
	[ "$(stat -c %a "$BATS_TEST_TMPDIR/root/usr/sbin/alignck")" = 755 ]
	command -v getcap >/dev/null || return 0
	[ -z "$(getcap "$BATS_TEST_TMPDIR/root/usr/sbin/alignck")" ]
}

@test "it can run no other program: nothing that does is linked in" {
	case $BUILD in *release*) ;; *) skip "of what the sanitizers bring, nm cannot tell" ;; esac
	nm -D "$ALIGNCK" >"$BATS_TEST_TMPDIR/symbols"
	grep -q ' U ioctl' "$BATS_TEST_TMPDIR/symbols"
	calls=$(grep -E ' U (system|popen|exec[a-z]*|posix_spawnp?|v?fork|clone[0-9]?|wordexp)(@|$)' "$BATS_TEST_TMPDIR/symbols" || true)
	[ -z "$calls" ] || fail "$calls"
}

@test "an alias may not run a program" {
	mkdir "$BATS_TEST_TMPDIR/home"
	printf '#!/bin/sh\n: >"$HOME/ran"\n' >"$BATS_TEST_TMPDIR/home/run"
	chmod +x "$BATS_TEST_TMPDIR/home/run"
	printf 'alignck exec --run %s\n' "$BATS_TEST_TMPDIR/home/run" >"$BATS_TEST_TMPDIR/home/.popt"
	HOME=$BATS_TEST_TMPDIR/home check --run "$images/01-mbr63.img"
	[ ! -e "$BATS_TEST_TMPDIR/home/ran" ]
}

@test "aliases of a home that others may write to are not read" {
	[ "$(id -u)" = 0 ] || skip 'only root can give a directory away'
	foreign "$BATS_TEST_TMPDIR/env"
	HOME=$BATS_TEST_TMPDIR/env/HOME check --json "$images/01-mbr63.img"
	has alignck_device_status # ours: they are
	chmod 777 "$BATS_TEST_TMPDIR/env/HOME"
	HOME=$BATS_TEST_TMPDIR/env/HOME check_json "$images/01-mbr63.img"
	chmod 755 "$BATS_TEST_TMPDIR/env/HOME"
	chown 65534 "$BATS_TEST_TMPDIR/env/HOME"
	HOME=$BATS_TEST_TMPDIR/env/HOME check_json "$images/01-mbr63.img"
}

@test "no variable of the environment changes a path" {
	[ "$(id -u)" = 0 ] || skip 'only root can give a directory away'
	foreign "$BATS_TEST_TMPDIR/env"
	chown 65534 "$BATS_TEST_TMPDIR/env/HOME"
	cd "$BATS_TEST_TMPDIR"
	dos disk.img 8M 63,8000,L
	for command in '-v --all' --verbose --json '--fix --yes' --undo; do
		traced env "${env_of[@]}" "$ALIGNCK" $command disk.img
		((status <= 3)) || fail "$command: exit $status: $output"
		[ -z "$(opened "$BATS_TEST_TMPDIR/env")" ] || fail "$command: $(opened "$BATS_TEST_TMPDIR/env")"
	done
	grep -q disk.img.alignck "$BATS_TEST_TMPDIR/trace" || fail 'nothing was traced'
}

@test "the old table of a disk goes to the home in /etc/passwd, whatever HOME says, and through no link" {
	dos "$BATS_TEST_TMPDIR/a.img" 64M 63,80000,L
	loop=$(losetup -f --show "$BATS_TEST_TMPDIR/a.img" 2>/dev/null) || skip 'no loop device to be had'
	saved=$(getent passwd "$(id -u)" | cut -d: -f6)/alignck-${loop##*/}.sfdisk
	if [ -e "$saved" ] || [ -e "$saved.1" ]; then
		losetup -d "$loop"
		skip "$saved is there"
	fi
	printf precious >"$BATS_TEST_TMPDIR/precious"
	ln -sf "$BATS_TEST_TMPDIR/precious" "$saved"
	rm_later+=("$saved" "$saved.1")
	HOME=$BATS_TEST_TMPDIR check --fix --yes "$loop"
	"$ALIGNCK" --undo --quiet "$loop" || true
	partx -d "$loop" 2>/dev/null || true
	losetup -d "$loop"
	expect 0
	has "its old table is saved in $saved.1"
	[ -f "$saved.1" ] && [ ! -L "$saved.1" ]
	[ "$(<"$BATS_TEST_TMPDIR/precious")" = precious ]
	[ ! -e "$BATS_TEST_TMPDIR/alignck-${loop##*/}.sfdisk" ]
}

@test "beside an image it goes through no link either" {
	cd "$BATS_TEST_TMPDIR"
	dos disk.img 8M 63,8000,L
	printf precious >precious
	ln -s precious disk.img.alignck.sfdisk
	check --fix --yes disk.img
	expect 0
	[ "$(<precious)" = precious ]
	grep -q 'label: dos' disk.img.alignck.sfdisk.1
	rm disk.img.alignck
	ln -s precious disk.img.alignck
	cp disk.img before.img
	dos disk.img 8M 63,8000,L
	check --fix --yes disk.img
	expect 2
	[ "$(<precious)" = precious ]
}

@test "--sysroot never goes with a command that writes" {
	disk_with sda 8M '' 63,8000,L
	before=$(sha256sum <"$sysroot/dev/sda")
	for command in --fix '--fix --yes' '--fix --dry-run' --resume --undo; do
		traced "$ALIGNCK" $command --sysroot "$sysroot" /dev/sda
		expect 64
		has '--sysroot' "$output"
		! grep -E 'O_(WRONLY|RDWR|CREAT)' "$log" | grep -vE '"/dev/(null|tty)"' || fail "$ran: opened for writing"
	done
	[ "$before" = "$(sha256sum <"$sysroot/dev/sda")" ]
}

@test "--sysroot opens nothing for writing, in every format" {
	disk_with sda 8M '' 63,8000,L
	for format in '' --verbose --json --pairs --prometheus --nagios --ashift; do
		traced "$ALIGNCK" $format --sysroot "$sysroot" /dev/sda
		((status <= 2)) || fail "$ran: exit $status"
		! grep -E 'O_(WRONLY|RDWR|CREAT|TRUNC|APPEND)' "$log" | grep -vE '"/dev/(null|tty)"' || fail "$ran: opened for writing"
	done
}
