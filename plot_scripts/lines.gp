# SPDX-License-Identifier: Apache-2.0
# Draws a matrix that `ppsweep slice` wrote as lines: the value over x, one line per y. By hand:
#
#   ppsweep slice result.csv.gz --x n --y gpus --reduce min -o slice.dat
#   gnuplot -e "slice='slice.dat'; out='x.png'" plot_scripts/lines.gp
#
# slice   the file that `ppsweep slice` wrote
# out     the picture: NAME.png or NAME.svg
# map     number of the matrix, if the file has several, from 0 (default 0)
# scale   pixels of a PNG for one unit of length (default 1.5)
# x_log, y_log   1: a logarithmic axis; 0: a linear one

if (!exists("slice") || !exists("out")) {
    print "usage: gnuplot -e \"slice='x.dat'; out='x.png'\" lines.gp"
    exit status 2
}
if (!exists("map")) map = 0
if (!exists("scale")) scale = 1.5

reset
set encoding utf8

# ---- header of the slice ----------------------------------------------------------------------
# The header lines are "# key value". gnuplot reads them with another comment character.

title_text = ""; x_name = ""; y_name = ""; value_name = ""; unit = ""; goal = "none"
reduce = "none"; x_labels = ""; y_labels = ""; x_numbers = 0; y_numbers = 0
min = NaN; max = NaN; best_x = 0; best_y = 0; best_text = ""

partial = ""; best_cells = 0; hatched = ""; uneven = ""
scale_kind = "auto"; range_text = ""; range_min = NaN; range_max = NaN
keep(key, value) = \
    key eq "partial" ? (partial = value, 0) : \
    key eq "hatched" ? (hatched = hatched . " " . value, 0) : \
    key eq "best-cells" ? (best_cells = int(real(value)), 0) : \
    key eq "uneven" ? (uneven = value, 0) : \
    key eq "scale" ? (scale_kind = value, 0) : \
    key eq "range" ? (range_text = value, 0) : \
    key eq "range-min" ? (range_min = real(value), 0) : \
    key eq "range-max" ? (range_max = real(value), 0) : \
    key eq "title"      ? (title_text = value, 0) : \
    key eq "x"          ? (x_name = value, 0) : \
    key eq "y"          ? (y_name = value, 0) : \
    key eq "value"      ? (value_name = value, 0) : \
    key eq "unit"       ? (unit = value, 0) : \
    key eq "goal"       ? (goal = value, 0) : \
    key eq "reduce"     ? (reduce = value, 0) : \
    key eq "x-labels"   ? (x_labels = x_labels . " " . value, 0) : \
    key eq "y-labels"   ? (y_labels = y_labels . " " . value, 0) : \
    key eq "x-numbers"  ? (x_numbers = int(real(value)), 0) : \
    key eq "y-numbers"  ? (y_numbers = int(real(value)), 0) : \
    key eq "min"        ? (min = real(value), 0) : \
    key eq "max"        ? (max = real(value), 0) : \
    key eq "best-x"     ? (best_x = int(real(value)), 0) : \
    key eq "best-y"     ? (best_y = int(real(value)), 0) : \
    key eq "best-value" ? (best_text = value, 0) : 0

set datafile commentschars "\001"
stats slice index map using (strcol(1) eq "#" ? keep(strcol(2), strcol(3)) : 0) nooutput
set datafile commentschars "#"

nx = words(x_labels)
ny = words(y_labels)
if (nx == 0 || ny == 0) {
    print sprintf("%s: the file contains no slice", slice)
    exit status 2
}
larger(a, b) = a > b ? a : b
smaller(a, b) = a < b ? a : b
# gnuplot reads a tic label as a format, in which %% is a %.
tic_text(s) = strstrt(s, "%") == 0 ? s : \
    s[1:strstrt(s, "%")] . "%" . tic_text(s[strstrt(s, "%") + 1:])
has_values = (min == min)

# ---- places on the x axis: by value, or equally spaced if some labels are names --------------

has_names = x_numbers < nx
array X[nx]
do for [i = 1:nx] { X[i] = has_names ? i : real(word(x_labels, i)) }
x_span = X[nx] - X[1]
# The x axis is logarithmic if values grow by a similar factor: 8, 16, 32 ...
log_x = exists("x_log") ? x_log : \
    !has_names && nx > 2 && X[1] > 0 && X[nx] / X[nx - 1] > 1.4 && \
        abs(log(X[nx] / X[nx - 1]) / log(X[2] / X[1]) - 1) < 0.5
log_x = log_x && X[1] > 0
# The y axis runs from range_min to range_max.
own_range = (range_min != range_min)
if (own_range) { range_min = min; range_max = max }
log_y = exists("y_log") ? y_log : \
    scale_kind eq "auto" ? range_max >= 10 * range_min : scale_kind eq "log"
log_y = log_y && has_values && range_min > 0
log_x = log_x && scale_kind ne "linear"

# ---- the lines that are drawn -------------------------------------------------------------------
# Few lines have distinct colours (Okabe and Ito), and from the ninth line on dashes. Many lines of numbers
# have a scale from dark to light. Of many lines of names, those with the best values are drawn.

FEW = "#000000 #e69f00 #56b4e9 #009e73 #9c7a00 #0072b2 #d55e00 #cc79a7"
MOST = 12
is_few = ny <= MOST || y_numbers < ny
n_drawn = is_few ? smaller(ny, MOST) : ny
colour(k) = word(FEW, (k - 1) % words(FEW) + 1)
dash(k) = k <= words(FEW) ? 1 : 2
marker(k) = int(real(word("7 5 9 11 13 7 5 9 11 13 5 9", k)))
array Row[n_drawn]
do for [k = 1:n_drawn] { Row[k] = k }
if (n_drawn < ny && has_values) {
    array Best[ny]
    do for [r = 1:ny] { Best[r] = 1e300 }
    seen(r, v) = v == v && v < Best[r] ? (Best[r] = v, 0) : 0
    stats slice index map matrix every ::1:1 using \
        (seen(int($2), goal eq "higher" ? -$3 : $3)) nooutput
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

notes = ""; n_notes = 0
note(text) = (notes = notes . (n_notes > 0 ? "\n" : "") . text, n_notes = n_notes + 1)
dummy = range_text eq "" ? 0 : note(range_text)
dummy = !own_range && (min < range_min || max > range_max) ? note("values beyond the scale are not shown") : 0
dummy = n_drawn == ny ? 0 : \
    note(sprintf("%d of %d lines: those with the best values; choose others with a filter, such as %s=%s,%s", \
        n_drawn, ny, y_name, word(y_labels, 1), word(y_labels, 2)))
dummy = uneven eq "" ? 0 : note((hatched ne "" ? "open circles: " : "") . uneven)

# ---- terminal ---------------------------------------------------------------------------------

LINE = 19 # height of a line of text
top = 62 + (partial ne "" ? LINE : 0)
bottom = 84 + n_notes * LINE
W = 860; H = 480 + top + bottom
is_svg = strlen(out) > 4 && out[strlen(out) - 3:] eq ".svg"
if (is_svg) {
    set terminal svg noenhanced size W, H dynamic font "sans-serif,11" background "white"
} else { if (strstrt(GPVAL_TERMINALS, "pngcairo") > 0) {
    set terminal pngcairo noenhanced size int(W * scale), int(H * scale) \
        font "sans-serif,8.25" fontscale scale linewidth scale pointscale scale background "white"
} else {
    set terminal png noenhanced size W, H font "sans,8.25" background "#ffffff"
} }
# A point is a pixel of an SVG and 4/3 pixels of a PNG.
font_of(pixels) = sprintf(",%.3g", is_svg ? pixels : pixels * 0.75)
small_font = font_of(11)
best_font = font_of(12)
name_font = font_of(13)
set output out

PARTIAL = "#b35900" # colour of the line that states which part is missing

# ---- axes -------------------------------------------------------------------------------------

INK = "#333333"
BEST = "#d7191c"
CHAR = 7.2
set border 3 lc rgb INK lw 0.8
set tics nomirror out scale 0.5 font small_font textcolor rgb INK
set grid lt 1 lc rgb "#e4e4e4" lw 0.7
set format "%g"

# Breaks a long title into two lines.
line_chars = int((W - 40) / (CHAR + 0.6))
if (strlen(title_text) > line_chars) {
    cut = larger(1, smaller(line_chars, strlen(title_text) / 2 + 10))
    while (cut > 1 && title_text[cut:cut] ne " ") { cut = cut - 1 }
    title_text = title_text[1:cut - 1] . "\n" . title_text[cut + 1:]
}
title_height = LINE * (1 + (strstrt(title_text, "\n") > 0))
if (partial ne "") {
    set label 7 partial at screen 0.5, screen (H - 24. - title_height) / H center \
        font best_font textcolor rgb PARTIAL
}
set label 1 title_text at screen 0.5, screen (H - 24.) / H center font name_font
set xlabel x_name . (log_x ? " (log)" : "") font name_font
if (reduce ne "none") { value_name = reduce . " " . value_name }
if (unit ne "" && strstrt(value_name, unit) == 0) {
    value_name = sprintf("%s (%s)", value_name, unit)
}
if (log_y) { value_name = value_name . " (log)" }
set ylabel value_name font name_font
if (!has_values) {
    set label 4 "no values" at graph 0.5, graph 0.5 center font name_font
}

y_chars = 0
do for [i = 1:ny] { y_chars = larger(y_chars, strlen(word(y_labels, i))) }
key_w = CHAR * larger(y_chars, strlen(y_name)) + 62
set lmargin at screen 80. / W
set rmargin at screen (W - 24 - key_w) / W
set tmargin at screen (H - top) / real(H)
set bmargin at screen real(bottom) / H

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
    do for [i = 1:nx] { x_chars = larger(x_chars, strlen(word(x_labels, i))) }
    every_nth = int(1 + nx * (CHAR * x_chars + 6) / (W - 104 - key_w))
    do for [i = 1:nx] {
        if ((i > x_numbers ? i - x_numbers : i - 1) % every_nth == 0 || (i == nx && has_names)) {
            set xtics add (tic_text(word(x_labels, i)) X[i])
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
            set ytics add (sprintf("%g", v) v)
            n_tics = n_tics + (v >= range_min && v <= range_max)
        }
    }
    do for [i = 0:n_tics < 2 ? 4 : -1] { # no room for round numbers
        v = range_min * (range_max / range_min) ** (i / 4.)
        set ytics add (sprintf("%.3g", v) v)
    }
} else {
    slack = !has_values ? 1 : \
        range_max > range_min ? 0.05 * (range_max - range_min) : larger(1, abs(range_max)) * 0.05
    set yrange [(has_values ? range_min : 0) - slack : (has_values ? range_max : 1) + slack]
}

# ---- lines ------------------------------------------------------------------------------------

set palette defined (0 "#440154", 1 "#482475", 2 "#414487", 3 "#355f8d", 4 "#2a788e", \
    5 "#21918c", 6 "#22a884", 7 "#44bf70", 8 "#7ad151", 9 "#bddf26")
unset colorbox
set cbrange [0:1]
named = is_few || ny <= 24 ? 1 : int(ceil(ny / 24.)) # every named-th line has a name
set key at screen (W - 14.) / W, screen (H - top) / real(H) right top Left reverse samplen 2.5 \
    font small_font textcolor rgb INK title y_name font small_font
name_of(r) = (r - 1) % named == 0 ? word(y_labels, r) : ""
dots = nx > 60 ? 0 : 0.7

if (has_values && best_x > 0) {
    best_y_value = real(best_text)
    if (strlen(best_text) > 9) { best_text = sprintf("%.7g", real(best_text)) }
    best_line = sprintf("%s %s at %s=%s %s=%s", goal eq "higher" ? "highest" : "lowest", best_text, \
        x_name, word(x_labels, best_x), y_name, word(y_labels, best_y))
    if (best_cells > 1) {
        best_line = best_line . sprintf(" (and %d more)", best_cells - 1)
    }
    set label 5 best_line at screen 0.5, screen (16. + n_notes * LINE) / H center font best_font textcolor rgb BEST
    set label 6 "" at first X[best_x], first best_y_value point pt 6 ps 1.8 lw 2 lc rgb BEST front
}
if (n_notes > 0) {
    set label 8 notes at screen 0.5, screen (16. + (n_notes - 1) * LINE) / H center font best_font
}
# A point that covers other rows than most points is an open circle.
is_hatched(x, r) = strstrt(" " . hatched . " ", sprintf(" %d:%d ", x, r)) > 0
open_value(x, r, v) = is_hatched(x, r) ? v : NaN
colour_of(r) = is_few ? 0 : (r - 1) / (ny - 1.)
if (!has_values) {
    set xrange [0:1]
    plot NaN notitle
} else { if (is_few) {
    plot for [k = 1:n_drawn] slice index map matrix every ::1:Row[k]::Row[k] using (X[int($1)]):3 \
        with linespoints lw 2 dt dash(k) pt marker(k) ps dots lc rgb colour(k) title name_of(Row[k]), \
        for [k = 1:n_drawn] "" index map matrix every ::1:Row[k]::Row[k] \
        using (X[int($1)]):(open_value(int($1), Row[k], $3)) with points pt 7 ps 0.55 * dots \
        lc rgb "white" notitle
} else {
    plot for [r = 1:ny] slice index map matrix every ::1:r::r using (X[int($1)]):3 \
        with linespoints lw 1.5 pt 7 ps dots lc palette frac colour_of(r) title name_of(r), \
        for [r = 1:ny] "" index map matrix every ::1:r::r \
        using (X[int($1)]):(open_value(int($1), r, $3)) with points pt 7 ps 0.55 * dots \
        lc rgb "white" notitle
} }
set output
