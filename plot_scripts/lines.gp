# SPDX-License-Identifier: Apache-2.0
# Draws a matrix that `ppsweep slice` wrote as lines: the value over x, one line per y. By hand:
#
#   ppsweep slice result.csv.gz --x n --y gpus --reduce min -o slice.dat
#   gnuplot -e "slice='slice.dat'; out='x.png'" plot_scripts/lines.gp
#
# slice   the file that `ppsweep slice` wrote
# out     the picture: NAME.png, NAME.svg or NAME.pdf
# map     number of the matrix, if the file has several, from 0 (default 0)
# scale   pixels of a PNG for one unit of length (default 1.5; with style_width 300 pixels an inch)
# style_...  the look: see style.gp
# x_log, y_log   1: a logarithmic axis; 0: a linear one

if (!exists("slice") || !exists("out")) {
    print "usage: gnuplot -e \"slice='x.dat'; out='x.png'\" lines.gp"
    exit status 2
}
if (!exists("map")) map = 0

scripts = ARG0[1:strlen(ARG0) - strlen("lines.gp")]

reset
set encoding utf8
load scripts . "style.gp"
load scripts . "slice.gp"
equal = NaN # colours show which line it is, not values
load scripts . "palette.gp"

# ---- places on the x axis: by value, or equally spaced if some labels are names --------------

has_names = x_numbers < nx
array X[nx]
do for [i = 1:nx] { X[i] = has_names ? 1.0 * i : num(word(x_labels, i)) }
x_span = X[nx] - X[1]
# The x axis is logarithmic if values grow by a similar factor: 8, 16, 32 ...
log_x = exists("x_log") ? x_log : \
    !has_names && nx > 2 && X[1] > 0 && X[nx] / X[nx - 1] > 1.4 && \
        abs(log(X[nx] / X[nx - 1]) / log(X[2] / X[1]) - 1) < 0.5
log_x = log_x && X[1] > 0
log_y = exists("y_log") ? y_log : \
    scale_kind eq "auto" ? range_max >= 10 * range_min : scale_kind eq "log"
log_y = log_y && has_values && range_min > 0
log_x = log_x && scale_kind ne "linear"

# ---- the lines that are drawn -------------------------------------------------------------------
# At most twelve lines, which differ in colour and marker, from the ninth on also in dashes. Of more names,
# those with the best values are drawn; of more numbers, values at equal distances in the list.

MOST = 12
is_named = y_numbers < ny
n_drawn = smaller(ny, MOST)
n_few = words(KINDS)
# Numbers of many values have a scale from dark to light, which shows their order.
is_scale = !is_named && ny > 5
shade(k) = n_drawn > 1 ? (k - 1) / (n_drawn - 1.) * 0.88 : 0
dash(k) = is_scale || k <= n_few ? 1 : 2
marker(k) = int(word("7 5 9 11 13 6 4 8 10 12 7 5", k))
array Row[n_drawn]
do for [k = 1:n_drawn] {
    Row[k] = n_drawn == ny ? k : int(1.5 + (k - 1) * (ny - 1.) / (n_drawn - 1))
}
# The line with the best value replaces its neighbour.
if (n_drawn < ny && !is_named && best_y > 0) {
    near = 1
    do for [k = 1:n_drawn] { if (abs(Row[k] - best_y) < abs(Row[near] - best_y)) { near = k } }
    Row[near] = best_y
}
if (n_drawn < ny && is_named && has_values) {
    array Best[ny]
    do for [r = 1:ny] { Best[r] = 1e300 }
    seen(r, v) = v == v && v < Best[r] ? (Best[r] = v, 0) : 0
    stats slice index map matrix every ::1:1 using \
        (seen(int($2), goal eq "higher" && relative eq "" ? -$3 : $3)) nooutput
    # The k best, in the order of the rows; of equal ones the first.
    n = 0
    do for [r = 1:ny] {
        better = 0
        do for [o = 1:ny] {
            better = better + (Best[o] < Best[r] || (Best[o] == Best[r] && o < r))
        }
        if (better < n_drawn) { n = n + 1; Row[n] = r }
    }
}

# ---- sizes and texts ----------------------------------------------------------------------------

W = has_width ? W_FIXED : 860
note_chars = int((W - 16 * F) / (0.95 * CHAR))
line_chars = int((W - 24 * F) / (CHAR + 0.6 * F))
notes = ""
note(text) = (notes = notes . (notes eq "" ? "" : "\n") . wrap(text, note_chars))
dummy = note_text eq "" ? "" : note(note_text)
dummy = legend eq "" ? "" : note(legend)
dummy = range_text eq "" ? "" : note(range_text)
dummy = beyond ? note("values beyond the scale are not shown") : ""
dummy = n_drawn == ny ? "" : is_named ? \
    note(sprintf("%d of %d lines: those with the best values; choose others with a filter, such as %s=%s,%s", \
        n_drawn, ny, y_name, word(y_labels, 1), word(y_labels, 2))) : \
    note(sprintf("%d of %d lines; %d are left out; choose others with a filter, such as %s=%s,%s", \
        n_drawn, ny, ny - n_drawn, y_name, word(y_labels, 1), word(y_labels, 2)))
dummy = uneven eq "" ? "" : note((hatched ne "" ? "open circles: " : "") . uneven)
# The value of a single line stands in the title in place of a key.
if (ny == 1) { title_text = title_text . (title_text eq "" ? "" : " ") . y_name . "=" . word(y_labels, 1) }
if (exists("style_title")) { title_text = style_title eq "none" ? "" : style_title }
title_lines = wrap(title_text, even_width(title_text, line_chars))
title_height = lines_of(title_lines) * LINE
partial_lines = wrap(partial, note_chars)
best_line = ""
if (has_values && best_x > 0) {
    best_line = sprintf("%s %s at %s=%s", goal eq "higher" ? "highest" : "lowest", best_text, \
        label_of(x_name), word(x_labels, best_x))
    if (ny > 1) { best_line = best_line . sprintf(" %s=%s", label_of(y_name), word(y_labels, best_y)) }
    if (best_cells > 1) { best_line = best_line . sprintf(" (and %d more)", best_cells - 1) }
    best_line = wrap(best_line, note_chars)
}
if (exists("style_no_notes")) { notes = ""; best_line = "" }
notes_h = lines_of(notes) * LINE
best_h = lines_of(best_line) * LINE
top = 24 * F + title_height + lines_of(partial_lines) * LINE
bottom = 66 * F + best_h + notes_h
y_chars = 0
do for [i = 1:ny] { y_chars = larger(y_chars, strlen(label_of(word(y_labels, i)))) }
y_text = with_unit(y_name, y_unit)
key_chars = larger(y_chars + 5, strlen(y_text))
entry_w = ny == 1 ? 0 : CHAR * key_chars + 26 * F
# A wide key stands above the lines of a narrow picture, in columns.
key_above = has_width && entry_w > 0.24 * W
key_columns = larger(1, int((W - 16 * F) / (CHAR * (y_chars + 1) + 44 * F)))
key_columns = smaller(key_columns, n_drawn)
key_rows = int(ceil(n_drawn / (1. * key_columns)))
key_w = key_above ? 0 : entry_w
key_h = key_above ? (key_rows + 1) * 15 * F + 8 * F : 0
plot_h = has_width ? 0.62 * W : 480
H = plot_h + top + key_h + bottom
load scripts . "terminal.gp"

# ---- axes -------------------------------------------------------------------------------------

set border 3 lc rgb INK lw 0.8
set tics nomirror out scale 0.5 font small_font textcolor rgb INK
set grid lt 1 lc rgb "#e4e4e4" lw 0.7
set format "%g"

if (partial ne "") {
    set label 7 partial_lines at screen 0.5, screen (H - 10 * F - title_height - LINE / 2.) / H center \
        font best_font textcolor rgb PARTIAL
}
set label 1 title_lines at screen 0.5, screen (H - 10 * F - LINE / 2.) / H center font name_font
set label 2 axis_name(x_name, x_unit, x_long, (W - 104 * F - key_w) / CHAR) . (log_x ? " (log)" : "") \
    at screen (0.5 * (80 * F + W - 24 * F - key_w)) / W, \
    screen (bottom - 48 * F) / H center font name_font
value_text = value_in(plot_h / CHAR)
if (log_y) { value_text = value_text . " (log)" }
set label 3 value_text at screen 16 * F / W, screen (bottom + plot_h / 2.) / H center rotate by 90 \
    font name_font
if (!has_values) {
    set label 4 "no values" at graph 0.5, graph 0.5 center font name_font
}

set lmargin at screen 80. * F / W
set rmargin at screen (W - 14 * F - key_w) / W
set tmargin at screen (H - top - key_h) / H
set bmargin at screen bottom / H

if (log_x) {
    set logscale x
    set xrange [X[1] / (X[nx] / X[1]) ** 0.03 : X[nx] * (X[nx] / X[1]) ** 0.03]
} else {
    set xrange [X[1] - (x_span > 0 ? 0.03 * x_span : 1) : X[nx] + (x_span > 0 ? 0.03 * x_span : 1)]
}
# Labels all values if there are few or some are names, otherwise round numbers.
if (has_names || log_x || nx <= 12) {
    set xtics ()
    x_chars = 2
    do for [i = 1:nx] { x_chars = larger(x_chars, strlen(label_of(word(x_labels, i)))) }
    x_part = (CHAR * x_chars + 6 * F) / (W - 94 * F - key_w) # of the axis, that a label takes
    every_nth = int(1 + nx * x_part)
    x_free = -1 # values crowd where they grow by factors
    do for [i = 1:nx] {
        x_at = x_span > 0 ? (log_x ? log(X[i] / X[1]) / log(X[nx] / X[1]) : (X[i] - X[1]) / x_span) : 0
        if (((i > x_numbers ? i - x_numbers : i - 1) % every_nth == 0 && x_at / 1.06 >= x_free) || (i == nx && has_names)) {
            set xtics add (tic_text(label_of(word(x_labels, i))) X[i])
            x_free = x_at / 1.06 + x_part
        }
    }
}
if (log_y) {
    set logscale y
    y_ratio = range_max > range_min ? range_max / range_min : 10.
    set yrange [range_min / y_ratio ** 0.05 : range_max * y_ratio ** 0.05]
    set ytics ()
    n_tics = 0
    steps = range_max / range_min < 300 ? "1 2 5" : "1"
    do for [e = int(floor(log10(range_min))):int(ceil(log10(range_max)))] {
        do for [i = 1:words(steps)] {
            v = word(steps, i) * 10. ** e
            set ytics add (spaced(sprintf("%g", v)) v)
            n_tics = n_tics + (v >= range_min && v <= range_max)
        }
    }
    do for [i = 0:n_tics < 2 ? 4 : -1] { # no room for round numbers
        v = range_min * (range_max / range_min) ** (i / 4.)
        set ytics add (spaced(sprintf("%.3g", v)) v)
    }
} else {
    slack = !has_values ? 1 : \
        range_max > range_min ? 0.05 * (range_max - range_min) : larger(1, abs(range_max)) * 0.05
    tic_axis = "y"; tic_low = (has_values ? range_min : 0) - slack; tic_high = (has_values ? range_max : 1) + slack
    tic_count = 8
    set yrange [tic_low:tic_high]
    load scripts . "tics.gp"
}

# ---- lines ------------------------------------------------------------------------------------

unset colorbox
set cbrange [0:1]
if (ny == 1) { unset key } else { if (key_above) {
    set key at screen 0.5, screen (H - top + 12 * F) / H center top Left reverse samplen 2 \
        maxrows key_rows font small_font textcolor rgb INK title y_text font small_font
} else {
    set key at screen (W - 6. * F) / W, screen (H - top) / H right top Left reverse samplen 2 \
        font small_font textcolor rgb INK title y_text font small_font
} }
name_of(r) = label_of(word(y_labels, r))
dots = (nx > 60 ? 0.35 : 0.7) * larger(0.8, F)
# Markers of many values stand at some of them.
mark_every = nx > 30 ? int(ceil(nx / 15.)) : 1

if (best_line ne "") {
    shown = relative eq "" ? best_value : 0
    set label 5 best_line at screen 0.5, screen (6 * F + notes_h + best_h - LINE / 2.) / H center \
        font best_font textcolor rgb BEST
    set label 6 "" at first X[best_x], first shown point pt 6 ps 1.8 * F lw 2 lc rgb BEST front
}
if (notes ne "") {
    set label 8 notes at screen 0.5, screen (6 * F + notes_h - LINE / 2.) / H center font best_font
}
# A point that covers other rows than most points is an open circle.
is_hatched(x, r) = strstrt(" " . hatched . " ", sprintf(" %d:%d ", x, r)) > 0
open_value(x, r, v) = is_hatched(x, r) ? v : NaN
if (!has_values) {
    set xrange [0:1]
    plot NaN notitle
} else { if (is_scale) {
    plot for [k = 1:n_drawn] slice index map matrix every ::1:Row[k]::Row[k] using (X[int($1)]):3 \
        with linespoints lw 2 * F pt marker(k) ps dots pi mark_every lc palette frac shade(k) \
        title name_of(Row[k]), \
        for [k = 1:n_drawn] "" index map matrix every ::1:Row[k]::Row[k] \
        using (X[int($1)]):(open_value(int($1), Row[k], $3)) with points pt 7 ps 0.55 * dots \
        lc rgb "white" notitle
} else {
    plot for [k = 1:n_drawn] slice index map matrix every ::1:Row[k]::Row[k] using (X[int($1)]):3 \
        with linespoints lw 2 * F dt dash(k) pt marker(k) ps dots pi mark_every \
        lc rgb word(KINDS, (k - 1) % n_few + 1) title name_of(Row[k]), \
        for [k = 1:n_drawn] "" index map matrix every ::1:Row[k]::Row[k] \
        using (X[int($1)]):(open_value(int($1), Row[k], $3)) with points pt 7 ps 0.55 * dots \
        lc rgb "white" notitle
} }
set output
