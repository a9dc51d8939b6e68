# SPDX-License-Identifier: Apache-2.0
# Draws all matrices of a file as one figure: small maps in rows and columns with common axes.
# `ppsweep plot --rows A --columns B` uses it. By hand:
#
#   gnuplot -e "slice='x.dat'; out='x.png'" plot_scripts/panels.gp
#
# slice, out, scale, orders, style_...  as in heatmap.gp

if (!exists("slice") || !exists("out")) {
    print "usage: gnuplot -e \"slice='x.dat'; out='x.png'\" panels.gp"
    exit status 2
}
scripts = ARG0[1:strlen(ARG0) - strlen("panels.gp")]

reset
set encoding utf8
load scripts . "style.gp"

# ---- the maps --------------------------------------------------------------------------------

set datafile commentschars "#"
stats slice using 0 nooutput
n_maps = int(STATS_blocks)
array Row_of[n_maps]
array Column_of[n_maps]
row_names = ""; column_names = "" # each behind a tab
all_min = NaN; all_max = NaN; best_map = 0; best_all = NaN
# Returns the place of a name in a list, from 1; adds it where it is new.
tabs(s) = strstrt(s, "\t") == 0 ? 0 : 1 + tabs(s[strstrt(s, "\t") + 1:])
place(list, s) = tabs(list[1:strstrt(list . "\t", "\t" . s . "\t")])
all_notes = ""
do for [k = 1:n_maps] {
    map = k - 1
    load scripts . "slice.gp"
    if (strstrt(row_names . "\t", "\t" . panel_row . "\t") == 0) { row_names = row_names . "\t" . panel_row }
    if (strstrt(column_names . "\t", "\t" . panel_column . "\t") == 0) {
        column_names = column_names . "\t" . panel_column
    }
    Row_of[k] = place(row_names, panel_row)
    Column_of[k] = place(column_names, panel_column)
    if (has_values) {
        all_min = all_min == all_min ? smaller(all_min, min) : min
        all_max = all_max == all_max ? larger(all_max, max) : max
        v = best_value
        if (best_all != best_all || (goal eq "higher" ? v > best_all : v < best_all)) {
            best_all = v
            best_map = k
        }
    }
    if (uneven ne "" && strstrt(all_notes, "hatched") == 0) {
        all_notes = "some panels have cells whose rows cover other combinations; draw them alone to see which"
    }
}
n_rows = tabs(row_names)
n_columns = tabs(column_names)
name_at(list, i) = i == 1 ? list[2:strstrt(list[2:] . "\t", "\t")] : name_at(list[1 + strstrt(list[2:] . "\t", "\t"):], i - 1)
# "n=8" becomes the label of n, "=" and the label of 8.
named(s) = strstrt(s, "=") == 0 ? s : \
    label_of(s[1:strstrt(s, "=") - 1]) . " = " . label_of(s[strstrt(s, "=") + 1:])

# The texts of the figure come from the map with the best value.
map = larger(best_map, 1) - 1
load scripts . "slice.gp"
load scripts . "palette.gp"
is_own = own_range
if (is_own) { range_min = all_min; range_max = all_max }
has_values = (all_min == all_min)
min = all_min; max = all_max
load scripts . "scale.gp"
NAME_GAP = 3; NAME_SIZE = 4
load scripts . "geometry.gp"

# ---- sizes, in pixels ------------------------------------------------------------------------

x_chars = 0; y_chars = 0
do for [i = 1:nx] { x_chars = larger(x_chars, strlen(label_of(word(x_labels, i)))) }
do for [i = 1:ny] { y_chars = larger(y_chars, strlen(label_of(word(y_labels, i)))) }
bar_chars = larger(cell_chars, 3) + 1
with_rows = name_at(row_names, 1) ne ""
with_columns = name_at(column_names, 1) ne ""
own_bar = is_own ? 18 * F + CHAR * bar_chars : 0 # of each panel
pad_left = is_ternary ? 12 * F : 14 * F + LINE + CHAR * y_chars
pad_right = (with_rows ? LINE : 0) + (is_own ? LINE : 34 * F + CHAR * bar_chars + LINE) + 6 * F
GAP = (is_ternary && ny > y_numbers ? 18 : 10) * F
ROW_GAP = (is_own || (is_ternary && ny > y_numbers) ? 18 : 10) * F
if (has_width) {
    panel_w = (W_FIXED - pad_left - pad_right - (n_columns - 1) * GAP) / n_columns - own_bar
    if (panel_w < 20) {
        print sprintf("--width %g: %d columns do not fit; make it wider, or filter their values", \
            style_width, n_columns)
        exit status 3
    }
    cell_w = panel_w / nx
    do for [k = 1:4] { cell_w = larger(0.05, cell_w * panel_w / (cell_w * span_of(cell_w))) }
} else {
    cell_w = larger(4, smaller(30, 200. / nx))
}
cell_h = is_ternary ? cell_w * 0.866 : larger(smaller(cell_w, 24 * F), smaller(12 * F, cell_w * nx * 0.6 / ny))
cell_h = smaller(cell_h, 1.2 * cell_w * nx / ny)
# Every name needs a line of its own.
if (!is_ternary && ny - y_numbers > 2) { cell_h = larger(cell_h, 13 * F) }
load scripts . "spans.gp"
panel_w = cell_w * span_x
panel_h = cell_h * span_y
steps = "1 2 5 10 20 25 50 100 200 250 500 1000 10000"
x_step = 1; y_step = 1
do for [i = words(steps):1:-1] {
    if (int(word(steps, i)) * cell_w >= CHAR * x_chars + 8 * F) { x_step = int(word(steps, i)) }
    if (int(word(steps, i)) * cell_h >= 14 * F) { y_step = int(word(steps, i)) }
}
x_first = first_label(x_labels, x_numbers, x_step)
y_first = first_label(y_labels, y_numbers, y_step)
# Where there is room for one number only, both ends have labels.
written(n, step, first) = step < 2 ? n : int((n - 1 - first) / step) + 1
x_ends = x_numbers > 1 && written(x_numbers, x_step, x_first) < 2
y_ends = y_numbers > 1 && written(y_numbers, y_step, y_first) < 2
has_label(i, n, step, first, ends) = i > n || (ends ? i == 1 || i == n : (i - 1) % step == first)
x_name_chars = 0
do for [i = x_numbers + 1:nx] { x_name_chars = larger(x_name_chars, strlen(label_of(word(x_labels, i)))) }
upright = x_name_chars * CHAR > cell_w * wide_x || (x_numbers > 2 && x_step * 3 > x_numbers)
if (upright) { # labels of the height of a line
    do for [i = words(steps):1:-1] {
        if (int(word(steps, i)) * cell_w >= 14 * F) { x_step = int(word(steps, i)) }
    }
    x_first = first_label(x_labels, x_numbers, x_step)
    x_ends = x_numbers > 1 && written(x_numbers, x_step, x_first) < 2
}
x_apart = upright ? 12 * F : CHAR * (x_chars + 1)
x_text_h = is_ternary ? 0 : upright ? larger(x_chars, x_name_chars) * CHAR + 8 * F : LINE
W = has_width ? W_FIXED : \
    larger(360 * F, pad_left + n_columns * (panel_w + own_bar) + (n_columns - 1) * GAP + pad_right)
extra = (W - pad_left - n_columns * (panel_w + own_bar) - (n_columns - 1) * GAP - pad_right) / 2.
pad_left = pad_left + extra

all_h = n_rows * panel_h + (n_rows - 1) * ROW_GAP
NAME_CHAR = 1.05 * CHAR # of the names of axes
value_text = value_in(all_h / NAME_CHAR)
if (is_log) { value_text = value_text . " (log)" }

# ---- lines of text ---------------------------------------------------------------------------

line_chars = int((W - 24 * F) / (CHAR + 0.6 * F))
note_chars = int((W - 16 * F) / (0.95 * CHAR))
if (exists("style_title")) { title_text = style_title eq "none" ? "" : style_title }
title_lines = wrap(title_text, even_width(title_text, line_chars))
title_height = lines_of(title_lines) * LINE
partial_lines = wrap(partial, note_chars)
pad_top = 10 * F + title_height + lines_of(partial_lines) * LINE + 6 * F

# Names of rows and columns that do not fit are left to a note.
short_rows = 0; short_columns = 0
do for [r = 1:n_rows] {
    if (strlen(named(name_at(row_names, r))) * 0.9 * CHAR + 1.5 * CHAR > panel_h + ROW_GAP) { short_rows = 1 }
}
do for [c = 1:n_columns] {
    if (strlen(named(name_at(column_names, c))) * 0.95 * CHAR + 1.5 * CHAR > panel_w + own_bar + GAP) { short_columns = 1 }
}
value_of(s) = label_of(s[strstrt(s, "=") + 1:])
longest = 0 # of values that are wider than their panel
do for [c = 1:n_columns] { longest = larger(longest, strlen(value_of(name_at(column_names, c)))) }
slanted = short_columns && longest * 0.95 * CHAR > panel_w + own_bar + GAP
column_h = !with_columns ? 0 : slanted ? 0.5 * longest * CHAR + LINE : LINE
pad_top = pad_top + column_h
row_text(s) = short_rows ? value_of(s) : named(s)
column_text(s) = short_columns ? value_of(s) : named(s)
notes = ""
note(text) = (notes = notes . (notes eq "" ? "" : "\n") . wrap(text, note_chars))
dummy = short_rows || short_columns ? note( \
    (short_columns ? "columns: " . label_of(name_at(column_names, 1)[1:strstrt(name_at(column_names, 1), "=") - 1]) : "") . \
    (short_rows && short_columns ? ", " : "") . \
    (short_rows ? "rows: " . label_of(name_at(row_names, 1)[1:strstrt(name_at(row_names, 1), "=") - 1]) : "")) : ""
dummy = note_text eq "" ? "" : note(note_text)
dummy = is_comparison ? note(sprintf("palest colour: %g (no difference); blue: %s", \
    equal, goal eq "none" ? "lower" : "better")) : ""
dummy = z_name ne "" && !is_ternary ? note(sprintf("%s = 1 - %s - %s", label_of(z_name), label_of(x_name), \
    label_of(y_name))) : ""
dummy = is_ternary ? note(sprintf("corners: left %s=1, right %s=1, top %s=1", \
    label_of(z_name), label_of(x_name), label_of(y_name))) : ""
aside = (ny > y_numbers ? "row above: " . label_of(y_name) : "") . (ny > y_numbers && nx > x_numbers ? ", " : "") . \
    (nx > x_numbers ? "right: " . label_of(x_name) : "")
dummy = legend eq "" ? "" : note(legend . (z_name ne "" && aside ne "" ? " (" . aside . ")" : ""))
dummy = is_own ? note("each panel has its own scale") : ""
dummy = beyond && !is_own ? note("values beyond the scale have the colours of its ends") : ""
dummy = all_notes eq "" ? "" : note(all_notes)
dummy = n_maps < n_rows * n_columns ? note("empty: no rows") : ""
dummy = relative eq "" ? "" : note("percentages: " . relative)
dummy = has_contours ? note("contour lines at " . level_text) : ""
# A name of the colours that is longer than the picture is high is written below it.
long_value = strlen(value_text) * 1.05 * CHAR > all_h + 2 * smaller(pad_top, 70 * F)
dummy = long_value ? note("colours: " . value_text) : ""
best_line = ""
if (has_values) {
    best_line = sprintf("%s %s at %s%s%s %s=%s %s=%s", goal eq "higher" ? "highest" : "lowest", best_text, \
        panel_row, panel_row ne "" ? " " : "", panel_column, \
        label_of(x_name), word(x_labels, best_x), label_of(y_name), word(y_labels, best_y))
    best_line = wrap(best_line . (best_cells > 1 ? " (and equal ones)" : "") . \
        "; frames: the best of each panel", note_chars)
}
if (exists("style_no_notes")) { notes = ""; best_line = "" }
notes_h = lines_of(notes) * LINE
best_h = lines_of(best_line) * LINE
pad_bottom = x_text_h + LINE + 16 * F + best_h + notes_h + (is_ternary ? -LINE : 0)
H = pad_top + n_rows * panel_h + (n_rows - 1) * ROW_GAP + pad_bottom
load scripts . "terminal.gp"

# ---- texts of the figure ---------------------------------------------------------------------

all_w = n_columns * (panel_w + own_bar) + (n_columns - 1) * GAP
left_of(c) = pad_left + (c - 1) * (panel_w + own_bar + GAP)
foot_of(r) = pad_bottom + (n_rows - r) * (panel_h + ROW_GAP)
set label title_lines at screen 0.5, screen (H - 10 * F - LINE / 2.) / H center font name_font
if (partial ne "") {
    set label partial_lines at screen 0.5, screen (H - 10 * F - title_height - LINE / 2.) / H center \
        font best_font textcolor rgb PARTIAL
}
do for [c = 1:with_columns ? n_columns : 0] {
    if (slanted) {
        set label column_text(name_at(column_names, c)) at screen (left_of(c) + panel_w / 4) / W, \
            screen (H - pad_top + 4 * F + LINE / 3.) / H left rotate by 25 font small_font
    } else {
        set label column_text(name_at(column_names, c)) at screen (left_of(c) + panel_w / 2) / W, \
            screen (H - pad_top + 4 * F + LINE / 2.) / H center font best_font
    }
}
do for [r = 1:with_rows ? n_rows : 0] {
    set label row_text(name_at(row_names, r)) at screen (pad_left + all_w + 4 * F + LINE / 2.) / W, \
        screen (foot_of(r) + panel_h / 2) / H center rotate by -90 font best_font
}
if (!is_ternary) {
    set label axis_name(x_name, x_unit, x_long, all_w / NAME_CHAR) at screen (pad_left + all_w / 2) / W, \
        screen (pad_bottom - x_text_h - 14 * F) / H center font name_font
    set label axis_name(y_name, y_unit, y_long, all_h / NAME_CHAR) at screen (10 * F + extra) / W, \
        screen (pad_bottom + all_h / 2) / H center rotate by 90 font name_font
}
set label (long_value ? "" : value_text) at screen (W - 10 * F - extra) / W, screen (pad_bottom + all_h / 2) / H \
    center rotate by 90 font name_font
if (has_values) {
    set label best_line at screen 0.5, screen (6 * F + notes_h + best_h - LINE / 2.) / H center \
        font best_font textcolor rgb BEST
}
if (notes ne "") {
    set label notes at screen 0.5, screen (6 * F + notes_h - LINE / 2.) / H center font best_font
}

# ---- panels ----------------------------------------------------------------------------------

has_marks = cell_w >= 8 && cell_h >= 7
is_image = !has_marks && x_numbers > 1 && y_numbers > 1 && nx * ny > 500
bricks = is_image && is_ternary
more = has_marks ? 0 : 0.03
more_x = has_marks ? 0 : 0.4 / cell_w
more_y = has_marks ? 0 : 0.4 / cell_h
if (has_marks) { set style fill solid 1 border lc rgb "white" } else { set style fill solid 1 noborder }
cells = "matrix every ::1:1"
numbers = sprintf("matrix every ::1:1:%d:%d", x_numbers, y_numbers)
is_number(i, j) = i < x_numbers && j < y_numbers
outside(i, j, v) = (is_image && is_number(i, j)) || v != v ? NaN : px(i, j)
unset key
set cbtics textcolor rgb "black"
set border 15 lw 0.4 lc rgb "#bbbbbb"
if (is_ternary) { unset border }
set print $NONE
print "NaN NaN"
set print
set multiplot
do for [k = 1:n_maps] {
    map = k - 1
    load scripts . "slice.gp"
    if (is_own) { load scripts . "scale.gp" }
    r = Row_of[k]
    c = Column_of[k]
    set lmargin at screen left_of(c) / W
    set rmargin at screen (left_of(c) + panel_w) / W
    set bmargin at screen foot_of(r) / H
    set tmargin at screen (foot_of(r) + panel_h) / H
    set xrange [0:span_x]
    set yrange [0:span_y]
    unset xtics
    unset ytics
    if (!is_ternary && r == n_rows) {
        set xtics out nomirror scale 0.3 font small_font textcolor rgb "black"
        if (upright) { set xtics rotate by 90 right }
        set xtics ()
        do for [i = 1:nx] {
            if (has_label(i, x_numbers, x_step, x_first, x_ends) && x_room(i, x_apart)) {
                set xtics add (tic_text(label_of(word(x_labels, i))) px(i - 1, 0))
            }
        }
    }
    if (!is_ternary && c == 1) {
        set ytics out nomirror scale 0.3 font small_font textcolor rgb "black"
        set ytics ()
        do for [i = 1:ny] {
            if (has_label(i, y_numbers, y_step, y_first, y_ends) && y_room(i, 12 * F)) {
                set ytics add (tic_text(label_of(word(y_labels, i))) py(i - 1))
            }
        }
    }
    if (is_own) {
        set cbtics ()
        if (min == min) { set cbtics add (cell_text(range_min) range_min, cell_text(range_max) range_max) }
        set colorbox vertical user origin screen (left_of(c) + panel_w + 4 * F) / W, screen foot_of(r) / H \
            size screen 7. * F / W, screen panel_h / H noborder
    } else { if (k == 1) {
        bar_h = smaller(all_h, 400 * F)
        if (bar_h < 120 * F && has_values && !has_contours && !is_log) {
            # Round numbers, as many as there is room for.
            rough = (high - low) * 24 * F / bar_h
            power = 10. ** floor(log10(rough))
            step = power * (rough > 5 * power ? 10 : rough > 2 * power ? 5 : rough > power ? 2 : 1)
            set cbtics step format form(step)
            tic_axis = "cb"; tic_low = low; tic_high = high; tic_count = larger(1, (high - low) / step)
            load scripts . "tics.gp"
            if (floor(high / step) - ceil(low / step) < 1) {
                set cbtics ()
                set cbtics add (cell_text(low) low, cell_text(high) high)
            }
        }
        set colorbox vertical user \
            origin screen (pad_left + all_w + (with_rows ? LINE : 0) + 14 * F) / W, \
            screen (pad_bottom + (all_h - bar_h) / 2) / H \
            size screen 14. * F / W, screen bar_h / H noborder
    } else { unset colorbox } }
    unset object
    if (min == min) {
        bx = px(best_x - 1, best_y - 1); by = py(best_y - 1)
        mx = larger(dx(best_x - 1), 3.5 * F / cell_w); my = larger(dy(best_y - 1), 3.5 * F / cell_h)
        set object 1 rectangle from bx - mx, by - my to bx + mx, by + my front fillstyle empty \
            border lc rgb "white" lw 3 * F
        set object 2 rectangle from bx - mx, by - my to bx + mx, by + my front fillstyle empty \
            border lc rgb BEST lw 1.6 * F
    } else { unset colorbox }
    set print $CONTOURS
    print "NaN NaN"
    set print
    if (has_contours && min == min && x_numbers > 1 && y_numbers > 1) {
        set table $CONTOURS
        set contour base
        unset surface
        eval "set cntrparam levels discrete " . levels
        splot slice index map @numbers using (px($1 - 1, $2 - 1)):(py($2 - 1)):3
        unset contour
        set surface
        unset table
    }
    if (bricks) {
        load scripts . "bricks.gp"
        plot sample [u = 0.25:m - 0.25] [v = 0.5:m - 0.5] '++' using 1:2:(brick($1, $2)) with image, \
            slice index map @cells using (outside($1 - 1, $2 - 1, $3)):(py($2 - 1)): \
                (dx($1 - 1) + more_x):(dy($2 - 1) + more_y):3 with boxxyerror linecolor palette, \
            $CONTOURS using 1:2 with lines lw 1.8 * F lc rgb "white", \
            $CONTOURS using 1:2 with lines lw 0.8 * F lc rgb "black"
    } else { if (is_image) {
        plot slice index map @numbers using (px($1 - 1, $2 - 1)):(py($2 - 1)):3 with image, \
            slice index map @cells using (outside($1 - 1, $2 - 1, $3)):(py($2 - 1)): \
                (dx($1 - 1) + more):(dy($2 - 1) + more):3 with boxxyerror linecolor palette, \
            $CONTOURS using 1:2 with lines lw 1.8 * F lc rgb "white", \
            $CONTOURS using 1:2 with lines lw 0.8 * F lc rgb "black"
    } else {
        plot slice index map @cells using (outside($1 - 1, $2 - 1, $3)):(py($2 - 1)): \
                (dx($1 - 1) + more_x):(dy($2 - 1) + more_y):3 with boxxyerror linecolor palette, \
            $CONTOURS using 1:2 with lines lw 1.8 * F lc rgb "white", \
            $CONTOURS using 1:2 with lines lw 0.8 * F lc rgb "black"
    } }
    unset label
}
unset multiplot
set output
