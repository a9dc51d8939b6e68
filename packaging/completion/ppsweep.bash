# Completion of ppsweep in bash. Made by: ppsweep completion bash
# The program that is named on the command line says which words are possible.
_ppsweep() {
	local typed=${COMP_LINE:0:COMP_POINT} program whole current start word meaning file
	local -a words
	read -ra words <<<"$typed"
	[[ $typed == *[[:blank:]] ]] && words+=("")
	program=${words[0]/#\~/$HOME} whole=${words[-1]}
	# bash replaces only what follows the last = or : of a word.
	current=${whole##*[=:]}
	start=${whole%"$current"}
	COMPREPLY=()
	while IFS=$'\t' read -r word meaning; do
		case $word in
		:files | :folders)
			file=${current##*,}
			compopt -o filenames 2>/dev/null
			while IFS= read -r word; do
				COMPREPLY+=("${current%"$file"}$word")
			done < <(if [[ $word == :files ]]; then compgen -f -- "$file"; else compgen -d -- "$file"; fi)
			;;
		*)
			[[ $word == *[=:/] ]] && compopt -o nospace 2>/dev/null
			COMPREPLY+=("${word#"$start"}")
			;;
		esac
	done < <("$program" completion --typed="$whole" -- "${words[@]:1:${#words[@]}-2}" 2>/dev/null)
}
complete -F _ppsweep ppsweep
