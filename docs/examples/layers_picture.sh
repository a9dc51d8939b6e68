#!/bin/sh
# Draws the layers of the sources, the picture of docs/layout.md: layers_picture.sh FILE.svg
set -eu
exec >"$1"
line=555555

# box X Y WIDTH HEIGHT COLOUR [ATTRIBUTES]
box() {
	printf '<rect x="%d" y="%d" width="%d" height="%d" rx="5" fill="#%s" stroke="#%s"%s/>\n' \
		"$1" "$2" "$3" "$4" "$5" "$line" "${6-}"
}

# text X Y SIZE ANCHOR WEIGHT TEXT
text() {
	printf '<text x="%d" y="%d" font-size="%d" text-anchor="%s" font-weight="%s">%s</text>\n' "$@"
}

# layer X Y WIDTH COLOUR NAME SENTENCE [ATTRIBUTES]
layer() {
	box "$1" "$2" "$3" 50 "$4" "${7-}"
	text $(($1 + $3 / 2)) $(($2 + 20)) 13 middle bold "$5"
	text $(($1 + $3 / 2)) $(($2 + 38)) 11 middle normal "$6"
}

# arrow X1 Y1 X2 Y2
arrow() {
	printf '<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="#%s" marker-end="url(#tip)"/>\n' "$@" "$line"
}

cat <<END
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 430" width="760" height="430" font-family="sans-serif">
<title>Layers of the sources: a file includes only what is below it</title>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9" orient="auto">
<path d="M0,0 L8,4 L0,8 z" fill="#$line"/></marker></defs>
<rect width="760" height="430" fill="#ffffff"/>
END
layer 20 15 430 dce9f7 engine/cli 'the program: commands of sweeps, list of all commands'
layer 480 15 260 ffffff extras 'training, published comparisons' ' stroke-dasharray="5 3"'
layer 20 95 430 e4f1df planner 'commands of planners: strategies, schedules, balance, batches'
layer 20 175 430 f7ecd4 engine 'sweeps of any kernel: space, runs, results, reports, pictures'
box 20 255 720 80 fbe0d8
text 32 275 13 start bold kernels
text 95 275 11 start normal 'pure models; none knows the engine or another kernel'
x=32
for kernel in contention ndsearch schedule balance dynapipe; do
	box $x 284 104 24 fdf1ec
	text $((x + 52)) 300 12 middle bold $kernel
	x=$((x + 112))
done
box 32 312 552 18 fdf1ec
text 308 325 12 middle bold common
layer 20 365 470 ececec base 'text, files, documents, tables, mathematics; knows no model'
layer 510 365 230 e8e0f2 include 'interfaces of kernels and library'
arrow 235 65 235 93
arrow 235 145 235 173
arrow 235 225 235 253
arrow 235 335 235 363
arrow 625 335 625 363
arrow 490 390 508 390
arrow 640 65 640 253
arrow 530 65 453 105
arrow 560 65 453 185
echo '</svg>'
