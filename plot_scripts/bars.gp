# SPDX-License-Identifier: Apache-2.0
# Draws the best rows as stacked bars (README.md describes the file). By hand:
#
#   ppsweep slice result.csv.gz --stack a,b,c -o x.dat
#   gnuplot -e "slice='x.dat'; out='x.png'" plot_scripts/bars.gp
#
# slice  the file that `ppsweep slice --stack` wrote
# out    the picture: NAME.png, NAME.svg or NAME.pdf
# scale  pixels of a PNG for one unit of length (default 1.5)

if (!exists("slice") || !exists("out")) {
    print "usage: gnuplot -e \"slice='x.dat'; out='x.png'\" bars.gp"
    exit status 2
}

scripts = ARG0[1:strlen(ARG0) - strlen("bars.gp")]

reset
set encoding utf8
load scripts . "style.gp"

# ---- header of the file -----------------------------------------------------------------------
# The header lines are "# key value". gnuplot reads them with another comment character.

title_text = ""; stack = ""; unit = ""; parts = ""; labels = ""
objective = ""; objective_unit = ""; goal = "lower"; n_rows = 0; limit = NaN

partial = ""
keep(key, value) = \
    key eq "partial" ? (partial = value, 0) : \
    key eq "title"          ? (title_text = value, 0) : \
    key eq "stack"          ? (stack = value, 0) : \
    key eq "unit"           ? (unit = value, 0) : \
    key eq "parts"          ? (parts = parts . " " . value, 0) : \
    key eq "labels"         ? (labels = labels . " " . value, 0) : \
    key eq "objective"      ? (objective = value, 0) : \
    key eq "objective-unit" ? (objective_unit = value, 0) : \
    key eq "goal"           ? (goal = value, 0) : \
    key eq "rows"           ? (n_rows = int(num(value)), 0) : \
    key eq "limit"          ? (limit = num(value), 0) : 0

set datafile commentschars "\001"
stats slice using (strcol(1) eq "#" ? keep(strcol(2), strcol(3)) : 0) nooutput
set datafile commentschars "#"
n_parts = words(parts)
n_labels = words(labels)
if (n_parts == 0) {
    print sprintf("%s: the file contains no bars", slice)
    exit status 2
}
stats slice using 1 nooutput prefix "BARS"
n = int(BARS_records)

# Reads all cells of a row: number, labels, parts, objective.
n_cells = 1 + n_labels + n_parts + 1
array CELL[n * n_cells]
do for [c = 1:n_cells] {
    stats slice using (CELL[int($0) * n_cells + c] = strcol(c), 0) nooutput
}
cell(i, c) = CELL[(i - 1) * n_cells + c]
part(i, p) = num(cell(i, 1 + n_labels + p))
total(i) = sum [p = 1:n_parts] part(i, p)

# ---- sizes, in pixels -------------------------------------------------------------------------

ROW = (n <= 30 ? 26 : 18) * F
TEXT = has_width ? 0.92 * CHAR : CHAR # of the columns of text

# WIDE[c] is the width of text column c (heading or widest cell); the column ends at RIGHT[c].
head(c) = c == 1 ? "row" : label_of(c == n_cells ? objective : word(labels, c - 1))
shown(i, c) = c == 1 ? cell(i, c) : c == n_cells ? spaced(cell(i, c)) : label_of(cell(i, c))
array WIDE[n_cells]
array RIGHT[n_cells]
left = has_width ? 8 * F : 20
do for [c = 1:n_cells] {
    WIDE[c] = strlen(head(c))
    do for [i = 1:n] { WIDE[c] = larger(WIDE[c], strlen(shown(i, c))) }
    if (c <= 1 + n_labels) {
        left = left + TEXT * WIDE[c] + (c == 1 ? 0 : has_width ? 8 * F : 16)
        RIGHT[c] = left
    }
}
pad_left = left + 16 * F
pad_right = TEXT * WIDE[n_cells] + (has_width ? 20 * F : 40)
bars_w = has_width ? W_FIXED - pad_left - pad_right : larger(480, 720 - pad_left - pad_right)
if (bars_w < 90) {
    print sprintf("--width %g: the labels of the bars need %.0f mm; make it wider, or shorten them with --label", \
        style_width, ceil((pad_left + pad_right + 90) * 25.4 / 96))
    exit status 3
}
W = real(pad_left + bars_w + pad_right)
RIGHT[n_cells] = W - (has_width ? 8 * F : 20)

line_chars = int((W - 24 * F) / (CHAR + 0.6 * F))
note_chars = int((W - 16 * F) / (0.95 * CHAR))
if (exists("style_title")) { title_text = style_title eq "none" ? "" : style_title }
title_lines = wrap(title_text, even_width(title_text, line_chars))
title_height = lines_of(title_lines) * LINE
partial_lines = wrap(partial, note_chars)
n_lines = lines_of(title_lines) + lines_of(partial_lines)

rows_line = wrap(sprintf("%s of %s rows, with the %s %s", grouped(n), grouped(n_rows), \
    goal eq "higher" ? "highest" : "lowest", with_unit(objective, objective_unit)), note_chars)

# Places the names of the parts in columns below the title.
part_chars = 0
do for [p = 1:n_parts] { part_chars = larger(part_chars, strlen(label_of(word(parts, p)))) }
key_w = CHAR * part_chars + 34 * F
key_columns = larger(1, smaller(n_parts, int((W - 16 * F) / key_w)))
key_lines = int(ceil(n_parts / real(key_columns)))
key_left = (W - key_columns * key_w) / 2.

has_limit = (limit == limit)
plot_h = ROW * n
pad_top = (14 + 16) * F + (n_lines + key_lines) * LINE + (has_limit ? LINE : 0) + LINE
pad_bottom = (3 + lines_of(rows_line)) * LINE + 12 * F
H = real(pad_top + plot_h + pad_bottom)

# ---- terminal ---------------------------------------------------------------------------------

load scripts . "terminal.gp"
tiny_font = font_of(10)

# ---- axes -------------------------------------------------------------------------------------

PALE = "#777777"
LIMIT = "#d7191c"
# The colours of Okabe and Ito, then pale and dark ones that differ from them in lightness.
COLOURS = "#0072b2 #e69f00 #009e73 #cc79a7 #56b4e9 #d55e00 #f0e442 #000000 #bbbbbb #7a4988 #c5e3d9 #6e6e6e"
INKS = "#ffffff #000000 #ffffff #000000 #000000 #ffffff #000000 #ffffff #000000 #ffffff #000000 #ffffff"

highest = has_limit ? limit : 0
do for [i = 1:n] { highest = larger(highest, total(i)) }
if (highest <= 0) { highest = 1 }
text_of(v) = spaced(v >= 1000 && v < 1e7 ? sprintf("%.0f", v) : sprintf("%.3g", v))
end_chars = 0
do for [i = 1:n] { end_chars = larger(end_chars, strlen(text_of(total(i)))) }
# Leaves room for the total after the longest bar.
x_high = highest * bars_w / (bars_w - CHAR * end_chars - 14 * F)

set lmargin at screen pad_left / W
set rmargin at screen (pad_left + bars_w) / W
set bmargin at screen pad_bottom / H
set tmargin at screen (pad_bottom + plot_h) / H
set xrange [0:x_high]
set yrange [0:n]
set border 1 lc rgb INK lw 0.8
unset ytics
unset key
set xtics nomirror out scale 0.5 font small_font textcolor rgb INK
if (partial ne "") {
    set label 4 partial_lines at screen 0.5, screen (H - 14 * F - title_height - LINE / 2.) / H center \
        font best_font textcolor rgb PARTIAL
}
set format x "%g"
tic_axis = "x"; tic_low = 0; tic_high = x_high; tic_count = larger(2, bars_w / 80)
load scripts . "tics.gp"
set grid xtics lt 1 lc rgb "#e4e4e4" lw 0.7

set label 1 title_lines at screen 0.5, screen (H - 14 * F - LINE / 2.) / H center font name_font
x_text = stack eq "" ? "" : stack
x_text = unit eq "" || strstrt(x_text, unit) > 0 ? x_text : x_text eq "" ? unit : sprintf("%s (%s)", x_text, unit)
set label 2 x_text at screen (pad_left + bars_w / 2.) / W, \
    screen (pad_bottom - 2 * LINE) / H center font name_font
set label 3 rows_line at screen 0.5, screen (6 * F + (lines_of(rows_line) - 0.5) * LINE) / H center \
    font best_font textcolor rgb INK

# ---- texts around the bars --------------------------------------------------------------------

tag = 10
do for [p = 1:n_parts] {
    kx = key_left + ((p - 1) % key_columns) * key_w
    ky = H - 14 * F - (n_lines + (p - 1) / key_columns + 1) * LINE + 2 * F
    set object (100 + p) rectangle from screen kx / W, screen (ky - 5 * F) / H \
        to screen (kx + 14 * F) / W, screen (ky + 5 * F) / H front fillstyle solid 1 noborder \
        fc rgb word(COLOURS, p)
    set label tag label_of(word(parts, p)) at screen (kx + 20 * F) / W, screen ky / H left font small_font
    tag = tag + 1
}
do for [c = 1:n_cells] {
    if (c <= 1 + n_labels || c == n_cells) {
        set label tag head(c) at screen RIGHT[c] / W, \
            screen (pad_bottom + plot_h + LINE * 0.6) / H right font small_font \
            textcolor rgb PALE
        tag = tag + 1
        do for [i = 1:n] {
            set label tag shown(i, c) at screen RIGHT[c] / W, \
                screen (pad_bottom + (n - i + 0.5) * ROW) / H right font small_font \
                textcolor rgb (c == 1 ? PALE : INK)
            tag = tag + 1
        }
    }
}
if (has_limit) {
    # The limit is an object, so it is drawn above the bars and below their texts.
    half = 0.8 * x_high / bars_w
    set object 9999 rectangle from first limit - half, graph 0 to first limit + half, graph 1 \
        front fillstyle solid 1 noborder fc rgb LIMIT
    set label tag sprintf("limit %s", text_of(limit)) at first limit, \
        screen (pad_bottom + plot_h + LINE * (0.6 + (n_labels > 0))) / H center front \
        font small_font textcolor rgb LIMIT
    tag = tag + 1
}

# ---- the bars ---------------------------------------------------------------------------------

set style textbox opaque margins 0.3, 0.2 fillcolor rgb "#ffffff" noborder
THICK = 0.36 # half of a bar, in rows
do for [i = 1:n] {
    at = 0.
    y = n - i + 0.5
    do for [p = 1:n_parts] {
        v = part(i, p)
        if (v > 0) {
            set object (1000 + i * 20 + p) rectangle from first at, first y - THICK \
                to first at + v, first y + THICK front fillstyle solid 1 \
                border lc rgb "white" fc rgb word(COLOURS, p) lw 0.5
            if (v / x_high * bars_w > 6.6 * F * strlen(text_of(v)) + 8 * F && n <= 30) {
                set label tag text_of(v) at first at + v / 2., first y center front \
                    font tiny_font textcolor rgb word(INKS, p)
                tag = tag + 1
            }
        }
        at = at + v
    }
    over = has_limit && at > limit
    # A total that would cover the limit line is placed after the line.
    ends = at + (6.6 * F * strlen(text_of(at)) + 10 * F) * x_high / bars_w
    behind = has_limit && !over && ends > limit ? limit + half : at
    set label tag text_of(at) at first behind, first y left offset character 0.6, 0 front boxed \
        font small_font textcolor rgb (over ? LIMIT : INK)
    tag = tag + 1
}
plot NaN
set output
