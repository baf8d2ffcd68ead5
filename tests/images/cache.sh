#!/bin/bash
# The sample images, built once a build directory and again whenever their recipe changes. Sourced with
# $BUILD set, in a shell whose directory or $tests leads to tests/; sets $images.
images=$BUILD/images
need_images() {
	local here=${tests:-tests}/images key lock
	key=$(cat "$here"/mk.sh "$here"/hand.py | sha256sum)
	mkdir -p "$BUILD"
	exec {lock}>"$BUILD/images.lock"
	flock "$lock"
	if [ "$(cat "$images/KEY" 2>/dev/null)" != "$key" ]; then
		rm -rf "$images"
		"$here/mk.sh" "$images" {lock}>&- >&2 || return 1
		echo "$key" >"$images/KEY"
	fi
	exec {lock}>&-
}
