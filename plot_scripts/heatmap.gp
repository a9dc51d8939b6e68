# SPDX-License-Identifier: Apache-2.0
# Draws one heatmap from one slice (README.md describes slices). By hand:
#
#   gnuplot -e "slice='x.dat'; out='x.png'" plot_scripts/heatmap.gp
#
# slice  the file that `ppsweep slice` wrote
# out    the picture: NAME.png, NAME.svg or NAME.pdf
# map    number of the matrix, if the file has several, from 0 (default 0)
# scale  pixels of a PNG for one unit of length (default 1.5; with style_width 300 pixels an inch)
# orders 1: colours by the logarithm of the value; 0: by the value (default: the file's scale; without
#        a scale, 1 if the highest value is at least ten times the lowest)
# style_...  the look: see style.gp

if (!exists("slice") || !exists("out")) {
    print "usage: gnuplot -e \"slice='x.dat'; out='x.png'\" heatmap.gp"
    exit status 2
}
if (!exists("map")) map = 0
scripts = ARG0[1:strlen(ARG0) - strlen("heatmap.gp")]

reset
set encoding utf8
load scripts . "style.gp"
load scripts . "slice.gp"
load scripts . "palette.gp"
load scripts . "scale.gp"
load scripts . "geometry.gp"

# ---- sizes, in pixels ------------------------------------------------------------------------

x_chars = 0; y_chars = 0; x_name_chars = 0
do for [i = 1:nx] {
    x_chars = larger(x_chars, strlen(label_of(word(x_labels, i))))
    if (i > x_numbers) { x_name_chars = larger(x_name_chars, strlen(label_of(word(x_labels, i)))) }
}
do for [i = 1:ny] { y_chars = larger(y_chars, strlen(label_of(word(y_labels, i)))) }

bar_chars = larger(cell_chars, 3) + 2
if (is_ternary) {
    pad_left = 18 * F + CHAR * (x_chars + 1)
    pad_right = 20 * F + CHAR * (y_chars + 1) + 16 * F + CHAR * bar_chars + LINE + 12 * F
} else {
    pad_left = 24 * F + LINE + CHAR * y_chars
    pad_right = 40 * F + CHAR * bar_chars + LINE + 12 * F
}
if (has_width) {
    free_w = larger(60, W_FIXED - pad_left - pad_right)
    cell_w = free_w / nx
    do for [k = 1:4] { cell_w = larger(0.1, cell_w * free_w / (cell_w * span_of(cell_w))) }
    # Cells of about the form of text, in a picture that is not much higher than wide.
    cell_h = smaller(cell_w, 34 * F)
    cell_h = larger(cell_h, smaller(14 * F, 0.75 * free_w / ny))
    cell_h = smaller(cell_h, 1.3 * free_w / ny)
} else {
    cell_w = nx <= 14 ? larger(46 * F, CHAR * cell_chars + 10) : \
             nx <= 26 ? larger(32 * F, 6 * F * cell_chars + 6) : \
             nx <= 60 ? 15 : larger(4, 900. / nx)
    cell_h = ny <= 14 ? 34 * F : ny <= 26 ? 24 * F : ny <= 60 ? 15 : larger(4, 900. / ny)
}
if (is_ternary) { cell_h = cell_w * 0.866 }
with_text = has_values && !has_contours && cell_w >= 6 * F * cell_chars + 2 && cell_h >= 13 * F
cell_font = cell_w >= CHAR * cell_chars + 6 && cell_h >= 22 * F ? 10 : 8
value_font = font_of(cell_font)

load scripts . "spans.gp"
plot_w = cell_w * span_x
plot_h = cell_h * span_y

# x_step, y_step: every x_step-th number of the x axis has a label.
steps = "1 2 5 10 20 25 50 100 200 250 500 1000 10000"
x_step = 1; y_step = 1
do for [i = words(steps):1:-1] {
    if (int(word(steps, i)) * cell_w >= CHAR * x_chars + 6) { x_step = int(word(steps, i)) }
    if (int(word(steps, i)) * cell_h >= 14 * F) { y_step = int(word(steps, i)) }
}
# Every name needs its label, so wide names are rotated.
upright = x_name_chars * CHAR > cell_w * wide_x || (x_numbers > 2 && x_step * 3 > x_numbers)
if (upright && !is_ternary) { # labels of the height of a line
    do for [i = words(steps):1:-1] {
        if (int(word(steps, i)) * cell_w >= 14 * F) { x_step = int(word(steps, i)) }
    }
}
if (is_ternary) { y_step = larger(x_step, y_step); x_step = y_step }
x_first = first_label(x_labels, x_numbers, x_step)
y_first = first_label(y_labels, y_numbers, y_step)
x_text_h = upright ? larger(x_chars, x_name_chars) * CHAR + 8 : LINE
if (is_ternary) { x_text_h = LINE + 6 * F }

bar_h = larger(plot_h, 120 * F)
over = (bar_h - plot_h) / 2. # extra height of the colour bar at each end
# Leaves room for the title.
extra = has_width ? 0 : larger(0, 620 * F - pad_left - plot_w - pad_right) / 2.
pad_left = pad_left + extra
W = has_width ? W_FIXED : pad_left + plot_w + pad_right + extra

NAME_CHAR = 1.05 * CHAR # of the names of axes
value_text = value_in(plot_h / NAME_CHAR)
if (is_log) { value_text = value_text . " (log)" }

# ---- lines of text ---------------------------------------------------------------------------

line_chars = int((W - 24 * F) / (CHAR + 0.6 * F))
note_chars = int((W - 16 * F) / (0.95 * CHAR))
if (exists("style_title")) { title_text = style_title eq 'none' ? '' : style_title }
title_lines = wrap(title_text, even_width(title_text, line_chars))
title_height = lines_of(title_lines) * LINE
partial_lines = wrap(partial, note_chars)
top_strip = is_ternary && ny > y_numbers ? LINE : 0 # labels of the names' row
pad_top = 14 * F + title_height + lines_of(partial_lines) * LINE + 12 * F + over + top_strip

# Notes about the cells, below the line of the best cell.
has_marks = cell_w >= 10 && cell_h >= (is_ternary ? 8.6 : 10) # small cells have no borders
notes = ""
note(text) = (notes = notes . (notes eq "" ? "" : "\n") . wrap(text, note_chars))
dummy = note_text eq "" ? "" : note(note_text)
dummy = is_comparison ? note(sprintf("palest colour: %g (no difference); blue: %s", \
    equal, goal eq "none" ? "lower" : "better")) : ""
aside = (ny > y_numbers ? "row above: " . label_of(y_name) : "") . \
    (ny > y_numbers && nx > x_numbers ? ", " : "") . (nx > x_numbers ? "right: " . label_of(x_name) : "")
dummy = legend eq "" ? "" : note(legend . (z_name ne "" && aside ne "" ? " (" . aside . ")" : ""))
dummy = z_name ne "" && !is_ternary ? note(sprintf("%s = 1 - %s - %s", axis_name(z_name, "", z_long, 0.5 * note_chars), \
    label_of(x_name), label_of(y_name))) : ""
dummy = range_text eq "" ? "" : note(range_text)
dummy = beyond ? note("values beyond the scale have the colours of its ends") : ""
dummy = uneven eq "" ? "" : note((has_marks && hatched ne "" ? "hatched: " : "") . uneven)
dummy = words(valueless) > 0 && has_marks ? note("grey: no row has a value") : ""
dummy = relative eq "" ? "" : note("percentages: " . relative)
dummy = has_contours ? note("contour lines at " . level_text) : ""
# A name of the colours that is longer than the picture is high is written below it.
long_value = strlen(value_text) * 1.05 * CHAR > plot_h + 2 * smaller(pad_top, 70 * F)
dummy = long_value ? note("colours: " . value_text) : ""
best_line = ""
if (has_values) {
    best_line = sprintf("%s %s at %s=%s %s=%s", \
        goal eq "higher" ? "highest" : "lowest", best_text, \
        label_of(x_name), word(x_labels, best_x), label_of(y_name), word(y_labels, best_y))
    if (z_name ne "" && best_x <= x_numbers && best_y <= y_numbers) {
        best_line = best_line . sprintf(" %s=%g", label_of(z_name), real(sprintf("%.6f", \
            1 + 1e-9 - num(word(x_labels, best_x)) - num(word(y_labels, best_y)))))
    }
    if (best_cells > 1) {
        best_line = best_line . sprintf(" (and %d more cell%s)", best_cells - 1, \
            best_cells > 2 ? "s" : "")
    }
    best_line = wrap(best_line, note_chars)
}
if (exists("style_no_notes")) { notes = ""; best_line = "" }
notes_h = lines_of(notes) * LINE
best_h = lines_of(best_line) * LINE
pad_bottom = larger(x_text_h + LINE + 18 * F, over + 14 * F) + 10 * F + best_h + notes_h
H = pad_top + plot_h + pad_bottom
load scripts . "terminal.gp"

# ---- axes ------------------------------------------------------------------------------------

set lmargin at screen pad_left / W
set rmargin at screen (pad_left + plot_w) / W
set bmargin at screen pad_bottom / H
set tmargin at screen (pad_bottom + plot_h) / H
set xrange [0:span_x]
set yrange [0:span_y]
unset border
unset key
n_arrows = 0
if (is_ternary) {
    # Tics point along the lines of equal weight: to the lower left for x, to the right for y, to the
    # upper left for z.
    unset xtics
    unset ytics
    T = 5 * F / cell_w # length of a tic, in cells
    do for [k = 0:m - 1:x_step] {
        tic = tic_text(word(x_labels, k + 1))
        # x along the base
        set arrow from px(k, 0), 0 rto -T / 2, -T nohead lw 0.8 lc rgb INK
        set label tic at px(k, 0) - T / 2, -T - 0.5 * LINE / cell_h center font small_font
        # y at the right of the last cell of its row
        right = nx > m ? px(nx - 1, k) + dx(nx - 1) : px(m - 1 - k, k) + 0.5
        set arrow from right, py(k) rto T, 0 nohead lw 0.8 lc rgb INK
        set label tic_text(word(y_labels, k + 1)) at right + 1.5 * T, py(k) left font small_font
        # z at the left of the first cell of the row m - 1 - k
        left = px(0, m - 1 - k) - 0.5
        set arrow from left, py(m - 1 - k) rto -T / 2, T nohead lw 0.8 lc rgb INK
        # The first label is lower, away from the row of names above the triangle.
        set label tic at left - T, py(m - 1 - k) + (k == 0 && ny > m ? -0.2 * LINE / cell_h : T) \
            right font small_font
        if (ny > m) {
            set label tic at px(k, m), span_y + 0.6 * LINE / cell_h center font small_font
        }
    }
    do for [i = m + 1:nx] {
        set label label_of(word(x_labels, i)) at px(i - 1, 0), -T - 0.5 * LINE / cell_h \
            center font small_font
    }
    do for [j = m + 1:ny] {
        set label label_of(word(y_labels, j)) at m + 1.5 * T, py(j - 1) left font small_font
    }
    # Names of the three weights along the sides.
    side = (30 * F + CHAR * x_chars) / cell_w
    set label axis_name(x_name, x_unit, x_long, plot_w / NAME_CHAR) at first m / 2., \
        screen (pad_bottom - x_text_h - 14 * F) / H center font name_font
    set label axis_name(z_name, "", z_long, 0.8 * plot_h / NAME_CHAR) at m / 4. - side, m / 2. + 0.2 * side center rotate by 60 font name_font
    right = (nx > m ? span_x : m) - m / 4.
    set label axis_name(y_name, y_unit, y_long, 0.8 * plot_h / NAME_CHAR) at right + (32 * F + CHAR * y_chars) / cell_w, m / 2. + 0.2 * side \
        center rotate by -60 font name_font
} else {
    set tics out nomirror scale 0.4
    if (upright) { set xtics rotate by 90 right }
    set xtics () font small_font
    set ytics () font small_font
    do for [i = 1:nx] {
        if (i > x_numbers || ((i - 1) % x_step == x_first && x_room(i, upright ? 12 * F : CHAR * x_chars))) {
            set xtics add (tic_text(label_of(word(x_labels, i))) px(i - 1, 0))
        }
    }
    do for [i = 1:ny] {
        if (i > y_numbers || ((i - 1) % y_step == y_first && y_room(i, 12 * F))) {
            set ytics add (tic_text(label_of(word(y_labels, i))) py(i - 1))
        }
    }
    set label axis_name(x_name, x_unit, x_long, plot_w / NAME_CHAR) at screen (pad_left + plot_w / 2) / W, \
        screen (pad_bottom - x_text_h - 18 * F) / H center font name_font
    set label axis_name(y_name, y_unit, y_long, plot_h / NAME_CHAR) at screen (14 * F + extra) / W, \
        screen (pad_bottom + plot_h / 2) / H center rotate by 90 font name_font
}

# Everything else is placed in pixels from the bottom left.
set label title_lines at screen 0.5, screen (H - 14 * F - LINE / 2.) / H center font name_font
if (partial ne "") {
    set label partial_lines at screen 0.5, screen (H - 14 * F - title_height - LINE / 2.) / H center \
        font best_font textcolor rgb PARTIAL
}

# ---- colours ---------------------------------------------------------------------------------

bar_x = W - extra - (12 + 16) * F - LINE - CHAR * bar_chars
bar_y = pad_bottom - over
set colorbox vertical user origin screen bar_x / W, screen bar_y / H \
    size screen 16. * F / W, screen bar_h / H noborder
set label (long_value ? "" : value_text) \
    at screen (W - 12 * F - extra) / W, screen (pad_bottom + plot_h / 2) / H \
    center rotate by 90 font name_font
if (!has_values) {
    unset colorbox
    set label "no values" norotate at screen (pad_left + plot_w / 2) / W, \
        screen (pad_bottom + plot_h / 2) / H center front font name_font
}
text_of(v) = v == v ? cell_text(v) : ""

# ---- cells without a value ---------------------------------------------------------------------

n_valueless = has_marks ? words(valueless) : 0
# "column:row"
column_of(at) = int(at[1:strstrt(at, ":") - 1]) - 1
row_of(at) = int(at[strstrt(at, ":") + 1:]) - 1
do for [i = 1:n_valueless] {
    vx = column_of(word(valueless, i))
    vy = row_of(word(valueless, i))
    set object (10 + i) rectangle from px(vx, vy) - dx(vx), py(vy) - dy(vy) \
        to px(vx, vy) + dx(vx), py(vy) + dy(vy) front fillstyle solid 1 \
        border lc rgb "white" fc rgb "#e3e3e3" lw 1
}

# ---- cells that cover other rows ---------------------------------------------------------------

# A hatch consists of diagonal lines x + y = c, in pixels of the cell, below the cell's value.
n_hatched = has_marks ? words(hatched) : 0
HATCH = 8. * F # pixels
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
        print px(vx, vy) - dx(vx) + x1 / cell_w, py(vy) - dy(vy) + (c - x1) / cell_h, \
            (x2 - x1) / cell_w, (x1 - x2) / cell_h, k % 2 == 0 ? 0x80000000 : 0x60ffffff
    }
}
set print

# ---- the best cell ---------------------------------------------------------------------------

if (has_values) {
    # The frame of a small cell is larger than the cell.
    mx = larger(dx(best_x - 1), 5. * F / cell_w)
    my = larger(dy(best_y - 1), 5. * F / cell_h)
    bx = px(best_x - 1, best_y - 1)
    by = py(best_y - 1)
    set object 90001 rectangle from bx - mx, by - my to bx + mx, by + my \
        front fillstyle empty border lc rgb "white" lw 5 * F
    set object 90002 rectangle from bx - mx, by - my to bx + mx, by + my \
        front fillstyle empty border lc rgb BEST lw 2.5 * F
    n_ties = has_marks ? words(ties) : 0
    do for [i = 1:n_ties] {
        tx = column_of(word(ties, i))
        ty = row_of(word(ties, i))
        set object (80000 + i) rectangle from px(tx, ty) - dx(tx), py(ty) - dy(ty) \
            to px(tx, ty) + dx(tx), py(ty) + dy(ty) front fillstyle empty border lc rgb BEST lw 1.2 * F
    }
    set label best_line at screen 0.5, \
        screen (6 * F + notes_h + best_h - LINE / 2.) / H center font best_font textcolor rgb BEST
}
if (notes ne "") {
    set label notes at screen 0.5, screen (6 * F + notes_h - LINE / 2.) / H center font best_font
}

# ---- contours --------------------------------------------------------------------------------
# Lines over the cells of numbers, between the centres of the cells.

set print $CONTOURS
print "NaN NaN"
set print
# The first line and the first column are labels.
numbers = sprintf("matrix every ::1:1:%d:%d", x_numbers, y_numbers)
if (has_contours && x_numbers > 1 && y_numbers > 1) {
    set contour base
    unset surface
    eval "set cntrparam levels discrete " . levels
    set table $CONTOURS
    splot slice index map @numbers using (px($1 - 1, $2 - 1)):(py($2 - 1)):3
    unset table
    unset contour
    set surface
}

# ---- the picture -----------------------------------------------------------------------------

# Many cells too small for borders are pixels of an image, where all are numbers of one size. Others
# overlap slightly, so that there are no gaps.
is_image = !has_marks && x_numbers > 1 && y_numbers > 1 && nx * ny > 1500
more_x = has_marks ? 0 : 0.4 / cell_w
more_y = has_marks ? 0 : 0.4 / cell_h
if (has_marks) {
    set style fill solid 1 border lc rgb "white"
} else {
    set style fill solid 1 noborder
}
cells = "matrix every ::1:1"
is_number(i, j) = i < x_numbers && j < y_numbers
outside(i, j, v) = (is_image && is_number(i, j)) || v != v ? NaN : px(i, j)
bricks = is_image && is_ternary
if (bricks) { load scripts . "bricks.gp" }
if (!has_values) {
    plot NaN
} else { if (with_text) {
    plot slice index map @cells using (outside($1 - 1, $2 - 1, $3)):(py($2 - 1)):(dx($1 - 1)):(dy($2 - 1)):3 \
            with boxxyerror linecolor palette, \
        $HATCHES using 1:2:3:4:5 with vectors nohead lw 1 lc rgb variable, \
        slice index map @cells using (px($1 - 1, $2 - 1)):(py($2 - 1)):(text_of($3)):(ink_on(share($3))) \
            with labels font value_font textcolor rgb variable
} else { if (is_image && !bricks) {
    plot slice index map @numbers using (px($1 - 1, $2 - 1)):(py($2 - 1)):3 with image, \
        slice index map @cells using (outside($1 - 1, $2 - 1, $3)):(py($2 - 1)): \
            (dx($1 - 1) + more_x):(dy($2 - 1) + more_y):3 with boxxyerror linecolor palette, \
        $CONTOURS using 1:2 with lines lw 2.2 * F lc rgb "white", \
        $CONTOURS using 1:2 with lines lw 1 * F lc rgb "black"
} else { if (bricks) {
    plot sample [u = 0.25:m - 0.25] [v = 0.5:m - 0.5] '++' using 1:2:(brick($1, $2)) with image, \
        slice index map @cells using (outside($1 - 1, $2 - 1, $3)):(py($2 - 1)): \
            (dx($1 - 1) + more_x):(dy($2 - 1) + more_y):3 with boxxyerror linecolor palette, \
        $CONTOURS using 1:2 with lines lw 2.2 * F lc rgb "white", \
        $CONTOURS using 1:2 with lines lw 1 * F lc rgb "black"
} else {
    plot slice index map @cells using (outside($1 - 1, $2 - 1, $3)):(py($2 - 1)): \
            (dx($1 - 1) + more_x):(dy($2 - 1) + more_y):3 \
        with boxxyerror linecolor palette, \
        $HATCHES using 1:2:3:4:5 with vectors nohead lw 1 lc rgb variable, \
        $CONTOURS using 1:2 with lines lw 2.2 * F lc rgb "white", \
        $CONTOURS using 1:2 with lines lw 1 * F lc rgb "black"
} } } }
set output
