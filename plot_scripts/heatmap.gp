# SPDX-License-Identifier: Apache-2.0
# Draws one heatmap from one slice (README.md describes slices). By hand:
#
#   gnuplot -e "slice='x.dat'; out='x.png'" plot_scripts/heatmap.gp
#
# slice  the file that `ppsweep slice` wrote
# out    the picture: NAME.png or NAME.svg
# map    number of the matrix, if the file has several, from 0 (default 0)
# scale  pixels of a PNG for one unit of length (default 1.5)
# orders 1: colours by the logarithm of the value; 0: by the value (default: the file's scale; without
#        a scale, 1 if the highest value is at least ten times the lowest)

if (!exists("slice") || !exists("out")) {
    print "usage: gnuplot -e \"slice='x.dat'; out='x.png'\" heatmap.gp"
    exit status 2
}
if (!exists("map")) map = 0
if (!exists("scale")) scale = 1.5

reset
set encoding utf8

# ---- header of the slice ---------------------------------------------------------------------
# The header lines are "# key value". gnuplot reads them with another comment character.

title_text = ""; x_name = ""; y_name = ""; value_name = ""; unit = ""
goal = "none"; reduce = "none"
x_labels = ""; y_labels = ""; x_numbers = 0; y_numbers = 0; valueless = ""
min = NaN; max = NaN; best_x = 0; best_y = 0; best_cells = 0; best_text = ""

partial = ""; hatched = ""; ties = ""; uneven = ""
scale_kind = "auto"; range_text = ""; range_min = NaN; range_max = NaN
keep(key, value) = \
    key eq "partial" ? (partial = value, 0) : \
    key eq "hatched" ? (hatched = hatched . " " . value, 0) : \
    key eq "ties" ? (ties = ties . " " . value, 0) : \
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
    key eq "valueless"  ? (valueless = valueless . " " . value, 0) : \
    key eq "min"        ? (min = real(value), 0) : \
    key eq "max"        ? (max = real(value), 0) : \
    key eq "best-x"     ? (best_x = int(real(value)), 0) : \
    key eq "best-y"     ? (best_y = int(real(value)), 0) : \
    key eq "best-cells" ? (best_cells = int(real(value)), 0) : \
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

# ---- texts -----------------------------------------------------------------------------------

larger(a, b) = a > b ? a : b
smaller(a, b) = a < b ? a : b
# gnuplot reads a tic label as a format, in which %% is a %.
tic_text(s) = strstrt(s, "%") == 0 ? s : \
    s[1:strstrt(s, "%")] . "%" . tic_text(s[strstrt(s, "%") + 1:])

has_values = (min == min)
# Colours run from range_min to range_max.
own_range = (range_min != range_min)
if (own_range) { range_min = min; range_max = max }
range = has_values ? range_max - range_min : 0
span = has_values ? larger(abs(range_min), abs(range_max)) : 0

# Returns the number of decimals that resolves this step. Very large or small values use %g.
decimals(step) = step > 0 ? smaller(9, larger(0, int(ceil(-log10(step) - 1e-9)))) : 2
form(step) = span >= 1e6 || (span > 0 && span < 1e-3) \
    ? "%.4g" : sprintf("%%.%df", decimals(step))
# On a logarithmic scale all values have the same number of significant digits.
is_log = exists("orders") ? orders : \
    scale_kind eq "auto" ? range_max >= 10 * range_min : scale_kind eq "log"
is_log = is_log && has_values && range_min > 0 && range > 0
cell_form = is_log ? "%.3g" : form(range / 150.)
cell_text(v) = is_log && v >= 1000 && max < 1e7 ? sprintf("%.0f", v) : sprintf(cell_form, v)
# 12.3 is longer than 9 or 100, so both ends count.
cell_chars = has_values \
    ? larger(larger(strlen(cell_text(min)), strlen(cell_text(max))), is_log ? 4 : 1) : 1

x_chars = 0; y_chars = 0; x_name_chars = 0
do for [i = 1:nx] {
    x_chars = larger(x_chars, strlen(word(x_labels, i)))
    if (i > x_numbers) { x_name_chars = larger(x_name_chars, strlen(word(x_labels, i))) }
}
do for [i = 1:ny] { y_chars = larger(y_chars, strlen(word(y_labels, i))) }

# ---- sizes, in pixels ------------------------------------------------------------------------

CHAR = 7.2 # width of a character of a label, an upper estimate
LINE = 19  # height of a line of text

cell_w = nx <= 14 ? larger(46, CHAR * cell_chars + 10) : \
         nx <= 26 ? larger(32, 6 * cell_chars + 6) : \
         nx <= 60 ? 15 : larger(4, 900. / nx)
cell_h = ny <= 14 ? 34 : ny <= 26 ? 24 : ny <= 60 ? 15 : larger(4, 900. / ny)
with_text = has_values && cell_w >= 6 * cell_chars + 2 && cell_h >= 14
cell_font = cell_w >= CHAR * cell_chars + 6 && cell_h >= 22 ? 10 : 8

# Cells of names are separated from cells of numbers and have a minimum size. wide_x and high_y are
# the size of a name's cell, in cells of a number.
wide_x = larger(1, 15. / cell_w)
high_y = larger(1, 15. / cell_h)
gap_x = x_numbers > 0 && x_numbers < nx ? larger(0.25, 9. / cell_w) : 0
gap_y = y_numbers > 0 && y_numbers < ny ? larger(0.25, 9. / cell_h) : 0
span_x = x_numbers + gap_x + (nx - x_numbers) * wide_x
span_y = y_numbers + gap_y + (ny - y_numbers) * high_y
plot_w = cell_w * span_x
plot_h = cell_h * span_y

# x_step, y_step: every x_step-th number of the x axis has a label.
steps = "1 2 5 10 20 25 50 100 200 250 500 1000 10000"
x_step = 1; y_step = 1
do for [i = words(steps):1:-1] {
    if (int(word(steps, i)) * cell_w >= CHAR * x_chars + 6) { x_step = int(word(steps, i)) }
    if (int(word(steps, i)) * cell_h >= 14) { y_step = int(word(steps, i)) }
}
# Every name needs its label, so wide names are rotated.
upright = x_name_chars * CHAR > cell_w * wide_x
x_text_h = upright ? larger(x_chars, x_name_chars) * CHAR + 8 : LINE

bar_h = larger(plot_h, 120)
over = (bar_h - plot_h) / 2. # extra height of the colour bar at each end
pad_left = 24 + LINE + CHAR * y_chars
pad_right = 24 + 16 + CHAR * (larger(cell_chars, 3) + 2) + LINE + 12
extra = larger(0, 620 - pad_left - plot_w - pad_right) / 2. # leaves room for the title
pad_left = pad_left + extra
W = pad_left + plot_w + pad_right + extra

# Breaks the title into lines that fit the picture's width.
line_chars = int((W - 40) / (CHAR + 0.6))
n_lines = ceil(strlen(title_text) / real(line_chars))
# Makes the lines about equally long.
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
title_height = n_lines * LINE
if (partial ne "") { n_lines = n_lines + 1 }

pad_top = 14 + n_lines * LINE + 12 + over
# Notes about the cells, one line each below the line of the best cell.
has_marks = cell_w >= 10 && cell_h >= 10 # small cells have no borders
notes = ""; n_notes = 0
note(text) = (notes = notes . (n_notes > 0 ? "\n" : "") . text, n_notes = n_notes + 1)
dummy = range_text eq "" ? 0 : note(range_text)
dummy = !own_range && (min < range_min || max > range_max) ? \
    note("values beyond the scale have the colours of its ends") : 0
dummy = uneven eq "" ? 0 : note((has_marks && hatched ne "" ? "hatched: " : "") . uneven)
dummy = words(valueless) > 0 && has_marks ? note("grey: no row has a value") : 0
pad_bottom = larger(x_text_h + LINE + 18, over + 14) + LINE + 10 + n_notes * LINE
H = pad_top + plot_h + pad_bottom

# ---- terminal --------------------------------------------------------------------------------

is_svg = strlen(out) > 4 && out[strlen(out) - 3:] eq ".svg"
if (is_svg) {
    set terminal svg noenhanced size int(W), int(H) dynamic font "sans-serif,11" \
        background "white"
} else { if (strstrt(GPVAL_TERMINALS, "pngcairo") > 0) {
    set terminal pngcairo noenhanced size int(W * scale), int(H * scale) \
        font "sans-serif,8.25" fontscale scale linewidth scale background "white"
} else {
    scale = 1
    set terminal png noenhanced size int(W), int(H) font "sans,8.25" background "#ffffff"
} }
# A point is a pixel of an SVG and 4/3 pixels of a PNG.
font_of(pixels) = sprintf(",%.3g", is_svg ? pixels : pixels * 0.75)
small_font = font_of(11)
name_font = font_of(13)
best_font = font_of(12)
value_font = font_of(cell_font)
set output out

PARTIAL = "#b35900" # colour of the line that states which part is missing

# ---- axes ------------------------------------------------------------------------------------

# px, py: the centre of cell i, from 0; dx, dy: half its size.
px(i) = i < x_numbers ? i + 0.5 : x_numbers + gap_x + (i - x_numbers + 0.5) * wide_x
py(i) = i < y_numbers ? i + 0.5 : y_numbers + gap_y + (i - y_numbers + 0.5) * high_y
dx(i) = i < x_numbers ? 0.5 : 0.5 * wide_x
dy(i) = i < y_numbers ? 0.5 : 0.5 * high_y

set lmargin at screen pad_left / W
set rmargin at screen (pad_left + plot_w) / W
set bmargin at screen pad_bottom / H
set tmargin at screen (pad_bottom + plot_h) / H
set xrange [0:span_x]
set yrange [0:span_y]
unset border
unset key
set tics out nomirror scale 0.4
if (upright) {
    set xtics rotate by 90 right
}
set xtics () font small_font
set ytics () font small_font
do for [i = 1:nx] {
    if (i > x_numbers || (i - 1) % x_step == 0) { set xtics add (tic_text(word(x_labels, i)) px(i - 1)) }
}
do for [i = 1:ny] {
    if (i > y_numbers || (i - 1) % y_step == 0) { set ytics add (tic_text(word(y_labels, i)) py(i - 1)) }
}

# Everything else is placed in pixels from the bottom left.
set label 1 title_lines at screen 0.5, screen (H - 14 - LINE / 2.) / H center font name_font
if (partial ne "") {
    set label 6 partial at screen 0.5, screen (H - 14 - title_height - LINE / 2.) / H center \
        font best_font textcolor rgb PARTIAL
}
set label 2 x_name at screen (pad_left + plot_w / 2) / W, \
    screen (pad_bottom - x_text_h - 18) / H center font name_font
set label 3 y_name at screen (14 + extra) / W, screen (pad_bottom + plot_h / 2) / H \
    center rotate by 90 font name_font

# ---- colours ---------------------------------------------------------------------------------

# viridis
set palette defined (0 "#440154", 1 "#482475", 2 "#414487", 3 "#355f8d", 4 "#2a788e", \
    5 "#21918c", 6 "#22a884", 7 "#44bf70", 8 "#7ad151", 9 "#bddf26", 10 "#fde725")
slack = range > 0 ? 0 : span > 0 ? span * 0.01 : 1
low = has_values ? range_min - slack : 0
high = has_values ? range_max + slack : 1
set cbrange [low:high]
bar_x = pad_left + plot_w + 24
bar_y = pad_bottom - over
set colorbox vertical user origin screen bar_x / W, screen bar_y / H \
    size screen 16. / W, screen bar_h / H noborder
bar_form = form((high - low) / 6.)
set cbtics out scale 0.4 font small_font format bar_form
if (is_log) {
    set logscale cb
    set cbtics () format "%g"
    steps = range_max / range_min < 300 ? "1 2 5" : "1"
    n_tics = 0
    do for [e = int(floor(log10(range_min))):int(ceil(log10(range_max)))] {
        do for [i = 1:words(steps)] {
            v = word(steps, i) * 10. ** e
            if (v >= range_min && v <= range_max) {
                set cbtics add (sprintf("%g", v) v)
                n_tics = n_tics + 1
            }
        }
    }
    do for [i = 0:n_tics < 2 ? 4 : -1] { # no room for round numbers
        v = range_min * (range_max / range_min) ** (i / 4.)
        set cbtics add (sprintf("%.3g", v) v)
    }
}
if (reduce ne "none") {
    value_name = reduce . " " . value_name
}
# Omits a unit that the name contains: total_time, not total_time (time).
if (unit ne "" && strstrt(value_name, unit) == 0) {
    value_name = sprintf("%s (%s)", value_name, unit)
}
if (is_log) { value_name = value_name . " (log)" }
set label 4 value_name \
    at screen (W - 14 - extra) / W, screen (pad_bottom + plot_h / 2) / H \
    center rotate by 90 font name_font
if (!has_values) {
    unset colorbox
    set label 4 "no values" norotate at screen (pad_left + plot_w / 2) / W, \
        screen (pad_bottom + plot_h / 2) / H center front font name_font
}

# Text is light on the dark half of the palette, so that it is readable.
share(v) = is_log ? log10(v / low) / log10(high / low) : (v - low) / (high - low)
ink(v) = share(v) < 0.5 ? 0xffffff : 0x000000
text_of(v) = v == v ? cell_text(v) : ""

# ---- cells without a value ---------------------------------------------------------------------

has_lines = has_marks
n_valueless = has_lines ? words(valueless) : 0
# "column:row"
column_of(at) = int(at[1:strstrt(at, ":") - 1]) - 1
row_of(at) = int(at[strstrt(at, ":") + 1:]) - 1
do for [i = 1:n_valueless] {
    vx = column_of(word(valueless, i))
    vy = row_of(word(valueless, i))
    set object (10 + i) rectangle from px(vx) - dx(vx), py(vy) - dy(vy) \
        to px(vx) + dx(vx), py(vy) + dy(vy) front fillstyle solid 1 \
        border lc rgb "white" fc rgb "#e3e3e3" lw 1
}

# ---- cells that cover other rows ---------------------------------------------------------------

# A hatch consists of diagonal lines x + y = c, in pixels of the cell, below the cell's value.
n_hatched = has_lines ? words(hatched) : 0
HATCH = 8. # pixels
set print $HATCHES
print "0 0 0 0 0"
do for [i = 1:n_hatched] {
    vx = column_of(word(hatched, i))
    vy = row_of(word(hatched, i))
    w = 2 * dx(vx) * cell_w
    h = 2 * dy(vy) * cell_h
    do for [k = 1:int((w + h) / HATCH)] {
        c = k * HATCH
        x1 = larger(0, c - h); x2 = smaller(c, w)
        print px(vx) - dx(vx) + x1 / cell_w, py(vy) - dy(vy) + (c - x1) / cell_h, \
            (x2 - x1) / cell_w, (x1 - x2) / cell_h, k % 2 == 0 ? 0x80000000 : 0x60ffffff
    }
}
set print

# ---- the best cell ---------------------------------------------------------------------------

BEST = "#d7191c"
if (has_values) {
    # The frame of a small cell is larger than the cell.
    mx = larger(dx(best_x - 1), 5. / cell_w)
    my = larger(dy(best_y - 1), 5. / cell_h)
    bx = px(best_x - 1)
    by = py(best_y - 1)
    set object 90001 rectangle from bx - mx, by - my to bx + mx, by + my \
        front fillstyle empty border lc rgb "white" lw 5
    set object 90002 rectangle from bx - mx, by - my to bx + mx, by + my \
        front fillstyle empty border lc rgb BEST lw 2.5
    # A mean may have 16 digits.
    if (strlen(best_text) > 9) { best_text = sprintf("%.7g", real(best_text)) }
    best_line = sprintf("%s %s at %s=%s %s=%s", \
        goal eq "higher" ? "highest" : "lowest", best_text, \
        x_name, word(x_labels, best_x), y_name, word(y_labels, best_y))
    if (best_cells > 1) {
        best_line = best_line . sprintf(" (and %d more cell%s)", best_cells - 1, \
            best_cells > 2 ? "s" : "")
    }
    n_ties = has_lines ? words(ties) : 0
    do for [i = 1:n_ties] {
        tx = column_of(word(ties, i))
        ty = row_of(word(ties, i))
        set object (80000 + i) rectangle from px(tx) - dx(tx), py(ty) - dy(ty) \
            to px(tx) + dx(tx), py(ty) + dy(ty) front fillstyle empty border lc rgb BEST lw 1.2
    }
    set label 5 best_line at screen 0.5, screen (16. + n_notes * LINE) / H center \
        font best_font textcolor rgb BEST
}

if (n_notes > 0) {
    set label 8 notes at screen 0.5, screen (16. + (n_notes - 1) * LINE) / H center font best_font
}

# ---- the picture -----------------------------------------------------------------------------

# Small cells overlap slightly, so that there are no gaps.
more_x = has_lines ? 0 : 0.4 / cell_w
more_y = has_lines ? 0 : 0.4 / cell_h
if (has_lines) {
    set style fill solid 1 border lc rgb "white"
} else {
    set style fill solid 1 noborder
}
# The first line and the first column are labels.
cells = "matrix every ::1:1"
if (!has_values) {
    plot NaN
} else { if (with_text) {
    plot slice index map @cells using (px($1 - 1)):(py($2 - 1)): \
            (dx($1 - 1) + more_x):(dy($2 - 1) + more_y):3 \
            with boxxyerror linecolor palette, \
        $HATCHES using 1:2:3:4:5 with vectors nohead lw 1 lc rgb variable, \
        slice index map @cells using (px($1 - 1)):(py($2 - 1)):(text_of($3)):(ink($3)) \
            with labels font value_font textcolor rgb variable
} else {
    plot slice index map @cells using (px($1 - 1)):(py($2 - 1)): \
            (dx($1 - 1) + more_x):(dy($2 - 1) + more_y):3 \
        with boxxyerror linecolor palette, \
        $HATCHES using 1:2:3:4:5 with vectors nohead lw 1 lc rgb variable
} }
set output
