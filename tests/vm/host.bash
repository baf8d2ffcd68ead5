#!/bin/bash
# Guests from the host's side. Sourced with $ALIGNCK and $GUEST set, in the checkout's root.
#
#   boot_job COMMANDS [QEMU-ARGUMENT...]  a guest that has alignck and tests/ (as /t) runs these lines of bash;
#                                       its output and exit status are theirs (125: it died)
#   guest COMMANDS [ARGUMENT...]        the same with the words of words.bash
#   doomed COMMANDS TEXT [ARGUMENT...]  the same, but qemu is killed as soon as the guest prints TEXT
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

need_guests() {
	: "${BUILD:=$PWD/build/release}" "${ALIGNCK:=$BUILD/alignck}" "${GUEST:=$PWD/build/vm}"
	export BUILD ALIGNCK GUEST
	tests/vm/make-guest "$GUEST"
}

fail() {
	printf '%s\n' "$*" >&2
	return 1
}
