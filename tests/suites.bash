#!/bin/bash
# Running suites that print TAP and adding them up. Sourced; the caller's directory is the checkout.
#
#   wanted NAME [FILTER...]   no filter, or one that is part of the name
#   suite NAME COMMAND...     runs it now; aside: beside others, one a CPU
#   add_up                    names what was skipped or failed; the last line is "N passed, N failed,
#                             N skipped"; its status is that of the run
log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT

wanted() { # wanted NAME [FILTER...]
	local name=$1 f
	shift
	[ $# = 0 ] && return 0
	for f; do [[ $name == *"$f"* ]] && return 0; done
	return 1
}

suite() { # suite NAME COMMAND...: the command prints TAP; its own exit status counts too
	local name=$1 status own=$log/${1//\//.}
	shift
	"$@" >"$own.out" 2>"$own.err" </dev/null
	status=$?
	# cmocka 1.1 says "not ok N # SKIP NAME" of a skipped test, which TAP calls a failure
	sed -i 's/^not ok \([0-9]*\) # SKIP \(.*\)/ok \1 - \2 # SKIP/' "$own.out"
	sed -n "s|^\(not \)\{0,1\}ok  *[0-9]* *-\{0,1\} *|\1ok $name: |p" "$own.out" >"$own.result"
	if grep -q '^not ok' "$own.out"; then
		cat "$own.out" "$own.err"
	elif [ $status != 0 ] || ! grep -q '^ok' "$own.out"; then
		cat "$own.out" "$own.err"
		echo "not ok $name: exit status $status" >>"$own.result"
	fi
	printf '%-32s %s ok\n' "$name" "$(grep '^ok' "$own.out" | grep -vic '# skip')"
}

# Suites run side by side, one a CPU; each prints when it is done.
aside() { # aside NAME COMMAND...
	local own=$log/${1//\//.}
	while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
	echo "not ok $1: it never ended" >"$own.result"
	{
		suite "$@" >"$own.said"
		cat "$own.said"
	} &
}

add_up() {
	local passed failed skipped
	wait
	cat "$log"/*.result >"$log/all" 2>/dev/null

	passed=$(grep '^ok ' "$log/all" | grep -vic '# skip')
	failed=$(grep -c '^not ok' "$log/all")
	skipped=$(grep '^ok ' "$log/all" | grep -ic '# skip')
	grep '^ok ' "$log/all" | grep -i '# skip' | sed 's/^ok /skipped: /'
	sed -n 's/^not ok /FAILED: /p' "$log/all"
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" = 0 ] && [ $((passed + skipped)) != 0 ]
}
