# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion for alignck(8); `make lint` compares both lists with `alignck --help`.

_alignck()
{
	local cur=$2 prev=$3 options columns prefix word left=()

	options="
		--all --ashift --bytes --dry-run --fix --grain= --help --image-offset= --jobs=
		--journal= --json --nagios --noheadings --only= --output= --pairs
		--physical-sector= --prometheus --quiet --raw --resume --sector-size= --strict
		--sysroot= --undo --usage --verbose --version --yes
	"
	columns="
		NAME START SECTORS SIZE ALIGNED VERDICT CONTENT PATH NODE KIND NUMBER PARENT
		START-BYTES SIZE-BYTES MISALIGNED-BY REQUIRED RECOMMENDED TABLE TABLE-ID
		PARTTYPE PARTTYPENAME PARTUUID PARTLABEL ROLE LOG-SEC PHY-SEC MIN-IO OPT-IO
		ALIGN-OFF SECTOR-SOURCE MODEL SERIAL ROTA ZONED USERS FINDINGS
	"
	COMPREPLY=()

	# bash splits "--output=NAME" at the "=", unless COMP_WORDBREAKS lacks it
	if [[ $cur == --*=* ]]; then
		prev=${cur%%=*}
		cur=${cur#*=}
	elif [[ $prev == = || $cur == = ]]; then
		[[ $cur == = ]] && cur=
		prev=${COMP_WORDS[COMP_CWORD - 1]}
		[[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi

	case $prev in
	-o | --output)
		prefix=
		[[ $cur == *,* ]] && prefix=${cur%,*},
		for word in $columns; do
			[[ ,${prefix#+} == *,$word,* ]] || left+=("$word")
		done
		[[ $prefix || $cur != +* ]] || prefix=+
		compopt -o nospace
		mapfile -t COMPREPLY < <(compgen -P "$prefix" -W "${left[*]}" -- "${cur#"$prefix"}")
		return
		;;
	--physical-sector | --sector-size)
		mapfile -t COMPREPLY < <(compgen -W "512 4096 8192 16384 65536" -- "$cur")
		return
		;;
	--sysroot)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return
		;;
	--journal)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return
		;;
	-j | --jobs | -g | --grain | --only | --image-offset | -V | --version | '-?' | --help | --usage)
		return
		;;
	esac

	if [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
		return
	fi
	compopt -o filenames
	mapfile -t COMPREPLY < <(compgen -f -- "${cur:-/dev/}")
}
complete -F _alignck alignck
