#!/bin/bash
# Guests from the host's side. Sourced with $ALIGNCK and $GUEST set, in the checkout's root.
#
#   guest COMMANDS [QEMU-ARGUMENT...]   a guest that has alignck and tests/ (as /t) runs these lines of bash;
#                                       its output and exit status are theirs (125: it died)

guest() {
	local commands=$1 dir status
	shift
	dir=$(mktemp -d)
	put_alignck "$dir"
	mkdir -p "$dir"/t/{images,inside}
	cp -r tests/cli "$dir/t/cli"
	cp tests/images/cache.sh "$dir/t/images/"
	cp tests/vm/inside/*.bats tests/vm/inside/*.bash "$dir/t/inside/"
	mkdir "$dir/t/vm"
	cp tests/vm/each "$dir/t/vm/"
	printf '%s\n' '#!/bin/bash' 'export ALIGNCK=/usr/bin/alignck BUILD=/tmp/build' "$commands" >"$dir/job"
	chmod +x "$dir/job"
	tests/vm/boot "$dir" "$@"
	status=$?
	rm -rf "$dir"
	return $status
}

put_alignck() { # with the libraries it is linked with; make-guest put those that it opens
	local lib
	install -D "$ALIGNCK" "$1/usr/bin/alignck"
	ldd "$ALIGNCK" | grep -o '/[^ ]*' | while read -r lib; do
		# The root has /lib as a link, which a directory of that name would replace.
		install -D "$lib" "$1/usr/${lib#/usr/}"
	done
}
