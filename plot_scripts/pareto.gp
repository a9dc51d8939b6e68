# SPDX-License-Identifier: Apache-2.0
# Draws the Pareto front of two columns, with all rows behind it (README.md describes the file).
# By hand:
#
#   ppsweep slice result.csv.gz --pareto time,memory -o x.dat
#   gnuplot -e "slice='x.dat'; out='x.png'" plot_scripts/pareto.gp
#
# slice    the file that `ppsweep slice --pareto` wrote
# out      the picture: NAME.png, NAME.svg or NAME.pdf
# scale    pixels of a PNG for one unit of length (default 1.5)
# x_log, y_log  1: a logarithmic axis, 0: a linear axis (default: the file's scale)

if (!exists("slice") || !exists("out")) {
    print "usage: gnuplot -e \"slice='x.dat'; out='x.png'\" pareto.gp"
    exit status 2
}

scripts = ARG0[1:strlen(ARG0) - strlen("pareto.gp")]

reset
set encoding utf8
load scripts . "style.gp"

# ---- header of the file -----------------------------------------------------------------------
# The header lines are "# key value". gnuplot reads them with another comment character.

title_text = ""; groups = ""; n_rows = 0; front_rows = 0; equal_rows = 0
x_name = ""; x_unit = ""; x_goal = "lower"; x_scale = "linear"; x_min = NaN; x_max = NaN
y_name = ""; y_unit = ""; y_goal = "lower"; y_scale = "linear"; y_min = NaN; y_max = NaN

partial = ""
keep(key, value) = \
    key eq "partial" ? (partial = value, 0) : \
    key eq "title"      ? (title_text = value, 0) : \
    key eq "groups"     ? (groups = groups . " " . value, 0) : \
    key eq "rows"       ? (n_rows = int(num(value)), 0) : \
    key eq "front-rows" ? (front_rows = int(num(value)), 0) : \
    key eq "equal-rows" ? (equal_rows = int(num(value)), 0) : \
    key eq "x"          ? (x_name = value, 0) : \
    key eq "x-unit"     ? (x_unit = value, 0) : \
    key eq "x-goal"     ? (x_goal = value, 0) : \
    key eq "x-scale"    ? (x_scale = value, 0) : \
    key eq "x-min"      ? (x_min = num(value), 0) : \
    key eq "x-max"      ? (x_max = num(value), 0) : \
    key eq "y"          ? (y_name = value, 0) : \
    key eq "y-unit"     ? (y_unit = value, 0) : \
    key eq "y-goal"     ? (y_goal = value, 0) : \
    key eq "y-scale"    ? (y_scale = value, 0) : \
    key eq "y-min"      ? (y_min = num(value), 0) : \
    key eq "y-max"      ? (y_max = num(value), 0) : 0

set datafile commentschars "\001"
stats slice using (strcol(1) eq "#" ? keep(strcol(2), strcol(3)) : 0) nooutput
set datafile commentschars "#"
if (x_min != x_min || y_min != y_min) {
    print sprintf("%s: the file contains no front", slice)
    exit status 2
}
stats slice index 0 using 1 nooutput prefix "POINTS"
stats slice using 1 nooutput prefix "ALL"
n_fronts = ALL_blocks - 1
xlog = (exists("x_log") ? x_log : x_scale eq "log") && x_min > 0
ylog = (exists("y_log") ? y_log : y_scale eq "log") && y_min > 0

# ---- sizes, in pixels -------------------------------------------------------------------------

W = has_width ? W_FIXED : 860.
plot_h = has_width ? 0.72 * W : 460

line_chars = int((W - 24 * F) / (CHAR + 0.6 * F))
note_chars = int((W - 16 * F) / (0.95 * CHAR))
if (exists("style_title")) { title_text = style_title eq "none" ? "" : style_title }
title_lines = wrap(title_text, even_width(title_text, line_chars))
title_height = lines_of(title_lines) * LINE
partial_lines = wrap(partial, note_chars)

front_line = wrap(sprintf("%s of %s rows %s on the front%s; numbers are row numbers of the result", \
    grouped(front_rows), grouped(n_rows), front_rows == 1 ? "is" : "are", \
    equal_rows > 0 ? sprintf(" (%s more equal %s of them)", grouped(equal_rows), \
        front_rows == 1 ? "the first" : "one") : ""), note_chars)

# Places the names of groups in columns above the plot.
n_groups = words(groups)
group_chars = 0
do for [i = 1:n_groups] { group_chars = larger(group_chars, strlen(word(groups, i))) }
key_w = CHAR * group_chars + 50 * F
key_columns = larger(1, int((W - 24 * F) / key_w))
key_lines = ceil(n_groups / real(key_columns))

pad_left = has_width ? 78 * F : 100
pad_right = 24 * F
pad_top = (14 + 14) * F + title_height + (lines_of(partial_lines) + key_lines) * LINE
pad_bottom = (3 + lines_of(front_line)) * LINE + 24 * F
plot_w = W - pad_left - pad_right
H = real(pad_top + plot_h + pad_bottom)

# ---- terminal ---------------------------------------------------------------------------------

load scripts . "terminal.gp"

# ---- axes -------------------------------------------------------------------------------------

# Extends each axis beyond the points, more on the better side, where the row numbers are.
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

# Fronts differ in colour (Okabe and Ito) and marker.
COLOURS = "#d55e00 #0072b2 #009e73 #cc79a7 #000000 #e69f00 #56b4e9 #9c7a00"
marker(k) = int(word("7 5 9 11 13 6 4 8", k))
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

# An axis of few decades also has labels between the powers of ten.
if (xlog) { set logscale x; set xtics () }
if (ylog) { set logscale y; set ytics () }
if (!xlog) {
    tic_axis = "x"; tic_low = x_low; tic_high = x_high; tic_count = larger(2, plot_w / 80)
    load scripts . "tics.gp"
}
if (!ylog) {
    tic_axis = "y"; tic_low = y_low; tic_high = y_high; tic_count = larger(2, plot_h / 50)
    load scripts . "tics.gp"
}
do for [e = xlog ? int(floor(log10(x_low))) : 1 : xlog ? int(ceil(log10(x_high))) : 0] {
    steps = x_high / x_low < 3000 ? "1 2 5" : "1"
    do for [i = 1:words(steps)] {
        v = word(steps, i) * 10. ** e
        if (v >= x_low && v <= x_high) { set xtics add (spaced(sprintf("%g", v)) v) }
    }
}
do for [e = ylog ? int(floor(log10(y_low))) : 1 : ylog ? int(ceil(log10(y_high))) : 0] {
    steps = y_high / y_low < 3000 ? "1 2 5" : "1"
    do for [i = 1:words(steps)] {
        v = word(steps, i) * 10. ** e
        if (v >= y_low && v <= y_high) { set ytics add (spaced(sprintf("%g", v)) v) }
    }
}

set label 1 title_lines at screen 0.5, screen (H - 14 * F - LINE / 2.) / H center font name_font
if (partial ne "") {
    set label 5 partial_lines at screen 0.5, screen (H - 14 * F - title_height - LINE / 2.) / H center \
        font best_font textcolor rgb PARTIAL
}
set label 2 with_unit(x_name, x_unit) . (xlog ? " (log), " : ", ") . x_goal . " is better" \
    at screen (pad_left + plot_w / 2.) / W, screen (pad_bottom - 2 * LINE - 6 * F) / H \
    center font name_font
set label 3 with_unit(y_name, y_unit) . (ylog ? " (log), " : ", ") . y_goal . " is better" \
    at screen (has_width ? 14 * F : 20.) / W, screen (pad_bottom + plot_h / 2.) / H center rotate by 90 font name_font

set label 4 front_line at screen 0.5, screen (6 * F + (lines_of(front_line) - 0.5) * LINE) / H center \
    font best_font textcolor rgb INK

do for [i = 1:n_groups] {
    kx = 20 * F + ((i - 1) % key_columns) * key_w
    ky = pad_bottom + plot_h + 14 * F + (key_lines - 1 - (i - 1) / key_columns) * LINE
    set object (100 + i) rectangle from screen kx / real(W), screen (ky - F) / real(H) \
        to screen (kx + 20 * F) / real(W), screen (ky + F) / real(H) \
        front fillstyle solid 1 noborder fc rgb word(COLOURS, i)
    set label (200 + i) "" at screen (kx + 10 * F) / real(W), screen ky / real(H) \
        point pt marker(i) ps 0.8 * F lc rgb word(COLOURS, i) front
    set label (100 + i) label_of(word(groups, i)) at screen (kx + 28 * F) / real(W), screen ky / real(H) \
        left font small_font
}

# ---- numbers of rows --------------------------------------------------------------------------
# A number never covers a front or another number. A number without room next to its row is
# omitted. A grid of small cells records the occupied area.

pixel_x(v) = plot_w * (to(v, xlog) - to(x_low, xlog)) / (to(x_high, xlog) - to(x_low, xlog))
pixel_y(v) = plot_h * (to(v, ylog) - to(y_low, ylog)) / (to(y_high, ylog) - to(y_low, ylog))

# Rows of all fronts in sequence; those of front f are FIRST[f] to LAST[f].
array X[front_rows]
array Y[front_rows]
array R[front_rows]
array FIRST[n_fronts]
array LAST[n_fronts]
n = 0
do for [f = 1:n_fronts] {
    FIRST[f] = n + 1
    stats slice index f using \
        (n = n + 1, X[n] = pixel_x($1), Y[n] = pixel_y($2), R[n] = $3, $2) nooutput
    LAST[f] = n
}

CELL = 2 # pixels
across = int(plot_w / CELL) + 1
up = int(plot_h / CELL) + 1
array TAKEN[across * up]
dummy = sum [k = 1:across * up] (TAKEN[k] = 0)
at_most(v, most) = v < 0 ? 0 : v > most ? most : v
cell_x(x) = int(at_most(x / CELL, across - 1))
cell_y(y) = int(at_most(y / CELL, up - 1))
# take marks the cells of a rectangle; taken counts the marked cells of a rectangle.
take_line(l, r, k) = sum [c = cell_x(l):cell_x(r)] (TAKEN[k * across + c + 1] = 1)
take(l, b, r, t) = sum [k = cell_y(b):cell_y(t)] take_line(l, r, k)
taken_line(l, r, k) = sum [c = cell_x(l):cell_x(r)] TAKEN[k * across + c + 1]
taken(l, b, r, t) = sum [k = cell_y(b):cell_y(t)] taken_line(l, r, k)

# A step line first runs horizontally to the x of the next row.
take_step(i) = take(smaller(X[i], X[i + 1]), Y[i], larger(X[i], X[i + 1]), Y[i]) + \
    take(X[i + 1], smaller(Y[i], Y[i + 1]), X[i + 1], larger(Y[i], Y[i + 1]))
take_row(i) = take(X[i] - 2, Y[i] - 2, X[i] + 2, Y[i] + 2)
dummy = sum [i = 1:n] take_row(i)
do for [f = 1:n_fronts] { dummy = sum [i = FIRST[f]:LAST[f] - 1] take_step(i) }

# Places of a number relative to its row, as signs of the offset. The first place is the side on
# which no other row of the front can be; the others follow around the row.
better_x = x_goal eq "lower" ? -1 : 1
better_y = y_goal eq "lower" ? -1 : 1
array SIDE_X[8] = [better_x, better_x, 0, better_x, -better_x, -better_x, 0, -better_x]
array SIDE_Y[8] = [better_y, 0, better_y, -better_y, better_y, -better_y, -better_y, 0]
HALF_H = 7 * F
half_w(i) = CHAR / 2 * strlen(sprintf("%d", R[i])) + 3 * F
middle_x(i, s) = X[i] + SIDE_X[s] * (half_w(i) + 4)
middle_y(i, s) = Y[i] + SIDE_Y[s] * (HALF_H + (SIDE_X[s] == 0 ? 6 : 4))
inside(x, y, w) = x - w >= 2 && x + w <= plot_w && y - HALF_H >= 2 && y + HALF_H <= plot_h
has_room(x, y, w) = inside(x, y, w) && taken(x - w, y - HALF_H, x + w, y + HALF_H) == 0
# The first side with room, or 0.
side(i, s) = s > 8 ? 0 : has_room(middle_x(i, s), middle_y(i, s), half_w(i)) ? s : side(i, s + 1)

# Order of the numbers: both ends of all fronts, corners with long lines on either side, then the
# others. Of the others within NEAR pixels only the first gets a number.
NEAR = 12 * F
way(i, k) = abs(X[i] - X[k]) + abs(Y[i] - Y[k])
is_end(i, f) = i == FIRST[f] || i == LAST[f]
is_corner(i) = abs(X[i + 1] - X[i]) >= NEAR && abs(Y[i] - Y[i - 1]) >= NEAR
turn(i, f) = is_end(i, f) ? 1 : is_corner(i) ? 2 : 3
array ASKS[front_rows]
array OF[front_rows]
n_asking = 0
ask(i, f) = (n_asking = n_asking + 1, ASKS[n_asking] = i, OF[n_asking] = f)
ask_in(t, i, f) = turn(i, f) == 3 && way(i, last) < NEAR ? 0 : \
    (last = i, turn(i, f) == t ? ask(i, f) : 0)
do for [t = 1:3] {
    do for [f = 1:n_fronts] {
        last = FIRST[f]
        dummy = sum [i = FIRST[f]:LAST[f]] ask_in(t, i, f)
    }
}

# One of the others gets no number if the number and another one of the same front would overlap
# when placed on the same side. So a smooth front has all numbers on one side.
array SHOWN[n_asking]
n_shown = 0
overlap(i, k) = abs(X[i] - X[k]) < half_w(i) + half_w(k) + CELL && \
    abs(Y[i] - Y[k]) < 2 * HALF_H + CELL
is_close(i, f, k) = SHOWN[k] >= FIRST[f] && SHOWN[k] <= LAST[f] && overlap(i, SHOWN[k])
is_crowded(i, f) = turn(i, f) == 3 && (sum [k = 1:n_shown] is_close(i, f, k)) > 0

set style textbox opaque margins 0.4, 0.2 fillcolor rgb "#ffffff" noborder
do for [k = 1:n_asking] {
    i = ASKS[k]
    s = is_crowded(i, OF[k]) ? 0 : side(i, 1)
    if (s > 0) {
        x = middle_x(i, s)
        y = middle_y(i, s)
        dummy = take(x - half_w(i), y - HALF_H, x + half_w(i), y + HALF_H)
        n_shown = n_shown + 1
        SHOWN[n_shown] = i
        set label (1000 + n_shown) sprintf("%d", R[i]) center front boxed font small_font \
            at screen (pad_left + x) / W, screen (pad_bottom + y) / H \
            textcolor rgb word(COLOURS, OF[k])
    }
}

# ---- the picture ------------------------------------------------------------------------------

cloud_size = (POINTS_records > 2000 ? 0.25 : 0.4) * (has_width ? 0.6 : 1)
front_size = (front_rows > 200 ? 0.35 : 0.6) * larger(0.8, F)
plot slice index 0 using 1:2 with points pt 7 ps cloud_size lc rgb "#b4bcc6", \
    for [f = 1:n_fronts] "" index f using 1:2 with steps lw 1.6 lc rgb word(COLOURS, f), \
    for [f = 1:n_fronts] "" index f using 1:2 with points pt marker(f) ps front_size lc rgb word(COLOURS, f)
set output
