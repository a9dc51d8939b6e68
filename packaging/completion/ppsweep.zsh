#compdef ppsweep
# Completion of ppsweep in zsh. Made by: ppsweep completion zsh > FOLDER/_ppsweep, a folder of $fpath.
# The program that is named on the command line says which words are possible.
_ppsweep() {
	local line word meaning files= folders=
	local -a whole open
	for line in "${(@f)$(${~words[1]} completion --typed="${(Q)words[CURRENT]}" -- "${(@Q)words[2,CURRENT-1]}" 2>/dev/null)}"; do
		word=${line%%$'\t'*} meaning=${line#*$'\t'}
		case $word in
		'') ;;
		:files) files=1 ;;
		:folders) folders=1 ;;
		*[=:/]) open+=("${word//:/\\:}:$meaning") ;;
		*) whole+=("${word//:/\\:}:$meaning") ;;
		esac
	done
	(($#whole)) && _describe -t words word whole
	(($#open)) && _describe -t words word open -S ''
	if [[ -n $files$folders ]]; then
		compset -P '*[=,]'
		if [[ -n $files ]]; then _files; else _files -/; fi
	fi
}
if [[ $funcstack[1] == _ppsweep ]]; then
	_ppsweep "$@"
else
	compdef _ppsweep ppsweep
fi
