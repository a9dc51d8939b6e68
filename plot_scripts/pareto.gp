# SPDX-License-Identifier: Apache-2.0
# The Pareto front of two columns, and all rows behind it (README.md tells what the file holds).
# By hand:
#
#   ppsweep slice result.csv.gz --pareto time,memory -o x.dat
#   gnuplot -e "slice='x.dat'; out='x.png'" plot_scripts/pareto.gp
#
# slice    the file that `ppsweep slice --pareto` wrote
# out      the picture: NAME.png or NAME.svg
# scale    pixels of a PNG for one unit of length (default 1.5)
# x_log, y_log  1: a logarithmic axis, 0: a linear one (default: as the file says)

if (!exists("slice") || !exists("out")) {
    print "usage: gnuplot -e \"slice='x.dat'; out='x.png'\" pareto.gp"
    exit status 2
}
if (!exists("scale")) scale = 1.5

reset
set encoding utf8

# ---- what the file says of itself -------------------------------------------------------------
# Its comment lines are "# key value"; with another comment character they can be read.

title_text = ""; groups = ""; n_rows = 0; front_rows = 0; equal_rows = 0
x_name = ""; x_unit = ""; x_goal = "lower"; x_scale = "linear"; x_min = NaN; x_max = NaN
y_name = ""; y_unit = ""; y_goal = "lower"; y_scale = "linear"; y_min = NaN; y_max = NaN

keep(key, value) = \
    key eq "title"      ? (title_text = value, 0) : \
    key eq "groups"     ? (groups = groups . " " . value, 0) : \
    key eq "rows"       ? (n_rows = int(real(value)), 0) : \
    key eq "front-rows" ? (front_rows = int(real(value)), 0) : \
    key eq "equal-rows" ? (equal_rows = int(real(value)), 0) : \
    key eq "x"          ? (x_name = value, 0) : \
    key eq "x-unit"     ? (x_unit = value, 0) : \
    key eq "x-goal"     ? (x_goal = value, 0) : \
    key eq "x-scale"    ? (x_scale = value, 0) : \
    key eq "x-min"      ? (x_min = real(value), 0) : \
    key eq "x-max"      ? (x_max = real(value), 0) : \
    key eq "y"          ? (y_name = value, 0) : \
    key eq "y-unit"     ? (y_unit = value, 0) : \
    key eq "y-goal"     ? (y_goal = value, 0) : \
    key eq "y-scale"    ? (y_scale = value, 0) : \
    key eq "y-min"      ? (y_min = real(value), 0) : \
    key eq "y-max"      ? (y_max = real(value), 0) : 0

set datafile commentschars "\001"
stats slice using (strcol(1) eq "#" ? keep(strcol(2), strcol(3)) : 0) nooutput
set datafile commentschars "#"
if (x_min != x_min || y_min != y_min) {
    print sprintf("%s: no front in it", slice)
    exit status 2
}
stats slice index 0 using 1 nooutput prefix "POINTS"
stats slice using 1 nooutput prefix "ALL"
n_fronts = ALL_blocks - 1
xlog = (exists("x_log") ? x_log : x_scale eq "log") && x_min > 0
ylog = (exists("y_log") ? y_log : y_scale eq "log") && y_min > 0

# ---- sizes, in pixels -------------------------------------------------------------------------

larger(a, b) = a > b ? a : b
smaller(a, b) = a < b ? a : b
CHAR = 7.2 # width of a character of the labels, generously
LINE = 19  # height of a line of text
W = 860.
plot_h = 460

# The title, in lines of the picture's width.
line_chars = int((W - 40) / (CHAR + 0.6))
n_lines = ceil(strlen(title_text) / real(line_chars))
if (n_lines > 1) { line_chars = smaller(line_chars, strlen(title_text) / n_lines + 14) }
title_lines = ""; n_lines = 0; row = ""
do for [i = 1:words(title_text)] {
    if (row eq "") {
        row = word(title_text, i)
    } else { if (strlen(row) + 1 + strlen(word(title_text, i)) > line_chars) {
        title_lines = title_lines . row . "\n"
        n_lines = n_lines + 1
        row = word(title_text, i)
    } else {
        row = row . " " . word(title_text, i)
    } }
}
title_lines = title_lines . row
n_lines = row eq "" ? n_lines : n_lines + 1

# Names of groups stand above the plot, in columns.
n_groups = words(groups)
group_chars = 0
do for [i = 1:n_groups] { group_chars = larger(group_chars, strlen(word(groups, i))) }
key_w = CHAR * group_chars + 50
key_columns = larger(1, int((W - 40) / key_w))
key_lines = ceil(n_groups / real(key_columns))

pad_left = 100
pad_right = 24
pad_top = 14 + (n_lines + key_lines) * LINE + 14
pad_bottom = 4 * LINE + 24
plot_w = W - pad_left - pad_right
H = real(pad_top + plot_h + pad_bottom)

# ---- terminal ---------------------------------------------------------------------------------

is_svg = strlen(out) > 4 && out[strlen(out) - 3:] eq ".svg"
if (is_svg) {
    set terminal svg noenhanced size int(W), int(H) dynamic font "sans-serif,11" \
        background "white"
} else { if (strstrt(GPVAL_TERMINALS, "pngcairo") > 0) {
    set terminal pngcairo noenhanced size int(W * scale), int(H * scale) \
        font "sans-serif,8.25" fontscale scale linewidth scale pointscale scale \
        background "white"
} else {
    set terminal png noenhanced size int(W), int(H) font "sans,8.25" background "#ffffff"
} }
# A point is a pixel of an SVG and 4/3 pixels of a PNG.
font_of(pixels) = sprintf(",%.3g", is_svg ? pixels : pixels * 0.75)
small_font = font_of(11)
name_font = font_of(13)
best_font = font_of(12)
set output out

# ---- axes -------------------------------------------------------------------------------------

# Ends of an axis: some room around the points, more where the numbers of the best rows stand.
to(v, is_log) = is_log ? log10(v) : v
from(v, is_log) = is_log ? 10. ** v : v
span(a, b) = b > a ? b - a : larger(abs(b) * 0.1, 1e-300)
low(a, b, is_log, share) = from(to(a, is_log) - share * span(to(a, is_log), to(b, is_log)), is_log)
high(a, b, is_log, share) = from(to(b, is_log) + share * span(to(a, is_log), to(b, is_log)), is_log)
x_low = low(x_min, x_max, xlog, x_goal eq "lower" ? 0.1 : 0.03)
x_high = high(x_min, x_max, xlog, x_goal eq "lower" ? 0.03 : 0.1)
y_low = low(y_min, y_max, ylog, y_goal eq "lower" ? 0.08 : 0.03)
y_high = high(y_min, y_max, ylog, y_goal eq "lower" ? 0.03 : 0.08)
if (x_min >= 0 && x_low < 0) { x_low = -0.02 * x_high }
if (y_min >= 0 && y_low < 0) { y_low = -0.02 * y_high }

INK = "#333333"
COLOURS = "#d7191c #31688e #35b779 #c9a400 #8e44ad #e67e22 #16a2b8 #5d4037"
set lmargin at screen pad_left / real(W)
set rmargin at screen (pad_left + plot_w) / real(W)
set bmargin at screen pad_bottom / real(H)
set tmargin at screen (pad_bottom + plot_h) / real(H)
set xrange [x_low:x_high]
set yrange [y_low:y_high]
set border 3 lc rgb INK lw 0.8
set tics nomirror out scale 0.5 font small_font textcolor rgb INK
set format "%g"
set grid xtics ytics lt 1 lc rgb "#e4e4e4" lw 0.7
unset key

# Few orders of magnitude have labels between the powers of ten.
if (xlog) { set logscale x; set xtics () }
if (ylog) { set logscale y; set ytics () }
do for [e = xlog ? int(floor(log10(x_low))) : 1 : xlog ? int(ceil(log10(x_high))) : 0] {
    steps = x_high / x_low < 3000 ? "1 2 5" : "1"
    do for [i = 1:words(steps)] {
        v = word(steps, i) * 10. ** e
        if (v >= x_low && v <= x_high) { set xtics add (sprintf("%g", v) v) }
    }
}
do for [e = ylog ? int(floor(log10(y_low))) : 1 : ylog ? int(ceil(log10(y_high))) : 0] {
    steps = y_high / y_low < 3000 ? "1 2 5" : "1"
    do for [i = 1:words(steps)] {
        v = word(steps, i) * 10. ** e
        if (v >= y_low && v <= y_high) { set ytics add (sprintf("%g", v) v) }
    }
}

# total_time (time) says nothing more than total_time.
unit(name, u) = u eq "" || strstrt(name, u) > 0 ? "" : sprintf(" (%s)", u)
set label 1 title_lines at screen 0.5, screen (H - 14 - LINE / 2.) / H center font name_font
set label 2 x_name . unit(x_name, x_unit) . ", " . x_goal . " is better" \
    at screen (pad_left + plot_w / 2.) / W, screen (pad_bottom - 2 * LINE - 6) / H \
    center font name_font
set label 3 y_name . unit(y_name, y_unit) . ", " . y_goal . " is better" \
    at screen 20. / W, screen (pad_bottom + plot_h / 2.) / H center rotate by 90 font name_font

# 1234567 -> 1,234,567
grouped(n) = n < 1000 ? sprintf("%d", n) : \
    n < 1000000 ? sprintf("%d,%03d", n / 1000, n % 1000) : \
    sprintf("%d,%03d,%03d", n / 1000000, n / 1000 % 1000, n % 1000)
front_line = sprintf("%s of %s rows %s on the front%s; numbers are rows of the result", \
    grouped(front_rows), grouped(n_rows), front_rows == 1 ? "is" : "are", \
    equal_rows > 0 ? sprintf(" (%s more equal %s of them)", grouped(equal_rows), \
        front_rows == 1 ? "the first" : "one") : "")
set label 4 front_line at screen 0.5, screen 16. / H center font best_font textcolor rgb INK

do for [i = 1:n_groups] {
    kx = 20 + ((i - 1) % key_columns) * key_w
    ky = pad_bottom + plot_h + 14 + (key_lines - 1 - (i - 1) / key_columns) * LINE
    set object (100 + i) rectangle from screen kx / real(W), screen (ky - 2) / real(H) \
        to screen (kx + 18) / real(W), screen (ky + 2) / real(H) \
        front fillstyle solid 1 noborder fc rgb word(COLOURS, i)
    set label (100 + i) word(groups, i) at screen (kx + 26) / real(W), screen ky / real(H) \
        left font small_font
}

# ---- numbers of rows --------------------------------------------------------------------------
# They stand on the side of a point on which no other of its front can be. One that would cover
# another is left out.

pixel_x(v) = plot_w * (to(v, xlog) - to(x_low, xlog)) / (to(x_high, xlog) - to(x_low, xlog))
pixel_y(v) = plot_h * (to(v, ylog) - to(y_low, ylog)) / (to(y_high, ylog) - to(y_low, ylog))
label_x = x_goal eq "lower" ? -6 : 6
label_y = y_goal eq "lower" ? -8 : 8
side = x_goal eq "lower" ? "right" : "left"
MAX_LABELS = 200
set style textbox opaque margins 0.4, 0.2 fillcolor rgb "#ffffff" noborder
array LX[MAX_LABELS]
array LY[MAX_LABELS]
array LC[MAX_LABELS]
n_labels = 0
near(x, y, c, ax, ay, ac) = abs(y - ay) < 15 && \
    (x < ax ? ax - x < CHAR * (side eq "right" ? ac : c) + 6 \
            : x - ax < CHAR * (side eq "right" ? c : ac) + 6)
count(x, y, c) = sum [k = 1:n_labels] near(x, y, c, LX[k], LY[k], LC[k])

do for [f = 1:n_fronts] {
    stats slice index f using 2 nooutput prefix "FRONT"
    n = int(FRONT_records)
    array X[n]
    array Y[n]
    array R[n]
    stats slice index f using \
        (X[int($0) + 1] = pixel_x($1), Y[int($0) + 1] = pixel_y($2), R[int($0) + 1] = $3, $2) \
        nooutput
    do for [at = 1:n] {
        # The last one goes first, so that both ends have numbers.
        i = at == 1 ? n : at - 1
        c = strlen(sprintf("%d", R[i]))
        if (n_labels < MAX_LABELS && (n_labels == 0 || count(X[i], Y[i], c) == 0)) {
            n_labels = n_labels + 1
            LX[n_labels] = X[i]; LY[n_labels] = Y[i]; LC[n_labels] = c
            set label (1000 + n_labels) sprintf("%d", R[i]) @side front boxed font small_font \
                at screen (pad_left + X[i] + label_x) / W, \
                screen (pad_bottom + Y[i] + label_y) / H textcolor rgb word(COLOURS, f)
        }
    }
}

# ---- the picture ------------------------------------------------------------------------------

cloud_size = POINTS_records > 2000 ? 0.25 : 0.4
front_size = front_rows > 200 ? 0.35 : 0.6
plot slice index 0 using 1:2 with points pt 7 ps cloud_size lc rgb "#b4bcc6", \
    for [f = 1:n_fronts] "" index f using 1:2 with steps lw 1.6 lc rgb word(COLOURS, f), \
    for [f = 1:n_fronts] "" index f using 1:2 with points pt 7 ps front_size lc rgb word(COLOURS, f)
set output
