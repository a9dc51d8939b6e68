# SPDX-License-Identifier: Apache-2.0
# Draws the rows of a sample as points, one panel for each parameter that varies (README.md describes the file). By hand:
#
#   ppsweep slice result.csv.gz --scatter -o x.dat
#   gnuplot -e "slice='x.dat'; out='x.png'" plot_scripts/scatter.gp
#
# slice  the file that `ppsweep slice --scatter` wrote
# out    the picture: NAME.png, NAME.svg or NAME.pdf
# scale  pixels of a PNG for one unit of length (default 1.5)

if (!exists("slice") || !exists("out")) {
    print "usage: gnuplot -e \"slice='x.dat'; out='x.png'\" scatter.gp"
    exit status 2
}

scripts = ARG0[1:strlen(ARG0) - strlen("scatter.gp")]

reset
set encoding utf8
load scripts . "style.gp"

# ---- header of the file -----------------------------------------------------------------------
# The header lines are "# key value". gnuplot reads them with another comment character.

title_text = ""; partial = ""; value_name = ""; unit = ""; goal = "lower"; value_scale = "linear"
panels = ""; scales = ""; mins = ""; maxs = ""; counts = ""; all_names = ""
min = NaN; max = NaN; n_rows = 0; best_row = 0; best_text = ""; best_value = ""

keep(key, value) = \
    key eq "title"       ? (title_text = value, 0) : \
    key eq "partial"     ? (partial = value, 0) : \
    key eq "value"       ? (value_name = value, 0) : \
    key eq "unit"        ? (unit = value, 0) : \
    key eq "goal"        ? (goal = value, 0) : \
    key eq "scale"       ? (value_scale = value, 0) : \
    key eq "min"         ? (min = num(value), 0) : \
    key eq "max"         ? (max = num(value), 0) : \
    key eq "rows"        ? (n_rows = int(num(value)), 0) : \
    key eq "panel"       ? (panels = panels . " " . value, 0) : \
    key eq "panel-scale" ? (scales = scales . " " . value, 0) : \
    key eq "panel-min"   ? (mins = mins . " " . value, 0) : \
    key eq "panel-max"   ? (maxs = maxs . " " . value, 0) : \
    key eq "panel-names" ? (counts = counts . " " . value, 0) : \
    key eq "names"       ? (all_names = all_names . " " . value, 0) : \
    key eq "best-row"    ? (best_row = int(num(value)), 0) : \
    key eq "best-value"  ? (best_value = value, 0) : \
    key eq "best"        ? (best_text = value, 0) : 0

set datafile commentschars "\001"
stats slice using (strcol(1) eq "#" ? keep(strcol(2), strcol(3)) : 0) nooutput
set datafile commentschars "#"
n = words(panels)
if (n == 0) {
    print sprintf("%s: the file contains no scatter", slice)
    exit status 2
}

# ---- sizes, in pixels -------------------------------------------------------------------------

value_name = with_unit(value_name, unit)
gap_x = 30. * F
gap_y = 62. * F
pad_left = has_width ? 74 * F : 84.
pad_right = 24. * F
across = n <= 4 ? smaller(n, 2) : n <= 9 ? 3 : 4
if (has_width) { # panels of at least 90 pixels
    across = larger(1, smaller(across, int((W_FIXED - pad_left - pad_right + gap_x) / (90. + gap_x))))
    panel_w = (W_FIXED - pad_left - pad_right - (across - 1) * gap_x) / across
} else {
    panel_w = larger(270., (620 - pad_left - pad_right - (across - 1) * gap_x) / across)
}
panel_h = has_width ? smaller(190., larger(0.7 * panel_w, 80.)) : 190.
up = int(ceil(n / real(across)))
W = has_width ? W_FIXED : pad_left + across * panel_w + (across - 1) * gap_x + pad_right

line_chars = int((W - 24 * F) / (CHAR + 0.6 * F))
note_chars = int((W - 16 * F) / (0.95 * CHAR))
if (exists("style_title")) { title_text = style_title eq "none" ? "" : style_title }
title_lines = wrap(title_text, even_width(title_text, line_chars))
title_height = lines_of(title_lines) * LINE
partial_lines = wrap(partial, note_chars)
if (strlen(best_value) > 9) { best_value = sprintf("%.7g", num(best_value)) }
best_value = spaced(best_value)
best_lines = wrap(sprintf("%s %s (row %d):%s", goal eq "higher" ? "highest" : "lowest", \
    best_value, best_row, best_text), note_chars)
best_height = lines_of(best_lines) * LINE

pad_top = (14 + 14) * F + title_height + lines_of(partial_lines) * LINE
pad_bottom = 60 * F + LINE + best_height
H = pad_top + up * panel_h + (up - 1) * gap_y + pad_bottom

# ---- terminal ---------------------------------------------------------------------------------

load scripts . "terminal.gp"

# ---- common to all panels ---------------------------------------------------------------------

POINT = "#8031688e"
set border 3 lc rgb INK lw 0.8
set tics nomirror out scale 0.5 font small_font textcolor rgb INK
set grid lt 1 lc rgb "#e4e4e4" lw 0.7
set format "%g"
unset key
is_log = value_scale eq "log" && min > 0
if (is_log) {
    ratio = max > min ? max / min : 10.
    y_low = min / ratio ** 0.05
    y_high = max * ratio ** 0.05
} else {
    slack = max > min ? 0.05 * (max - min) : larger(1, abs(max)) * 0.05
    y_low = min - slack
    y_high = max + slack
}
if (is_log) { value_name = value_name . " (log)" }

# ---- panels -----------------------------------------------------------------------------------

# stands: the place of x. Names follow the numbers, spaced by a twelfth of the numbers' range; the x
# of a name is its rank.
stands(x, is_name) = is_name == 0 ? x : \
    p_no_numbers ? x : p_log ? p_max * p_ratio ** (x / 12.) : p_max + x * p_range / 12.

set multiplot
set label 1 title_lines at screen 0.5, screen (H - 14 * F - LINE / 2.) / H center font name_font
if (partial ne "") {
    set label 2 partial_lines at screen 0.5, screen (H - 14 * F - title_height - LINE / 2.) / H center \
        font best_font textcolor rgb PARTIAL
}
set label 3 value_name at screen 16. * F / W, screen (pad_bottom + (H - pad_top - pad_bottom) / 2.) / H \
    center rotate by 90 font name_font
set label 4 best_lines at screen 0.5, screen (16. * F + best_height) / H center font best_font \
    textcolor rgb BEST
set label 5 sprintf("%s rows", grouped(n_rows)) at screen 0.5, screen 12. * F / H center font best_font \
    textcolor rgb INK
first_name = 0
do for [i = 1:n] {
    left = pad_left + ((i - 1) % across) * (panel_w + gap_x)
    bottom = H - pad_top - ((i - 1) / across + 1) * panel_h - ((i - 1) / across) * gap_y
    set lmargin at screen left / W
    set rmargin at screen (left + panel_w) / W
    set bmargin at screen bottom / H
    set tmargin at screen (bottom + panel_h) / H

    p_min = num(word(mins, i)); p_max = num(word(maxs, i))
    p_names = int(word(counts, i))
    p_log = word(scales, i) eq "log"
    p_no_numbers = word(scales, i) eq "names"
    p_range = p_max > p_min ? p_max - p_min : 1.
    p_ratio = p_log ? p_max / p_min : 1.
    p_low = p_no_numbers ? 1 : p_min
    p_high = p_names > 0 ? stands(p_names, 1) : p_max
    unset logscale
    if (is_log) { set logscale y }
    set yrange [y_low:y_high]
    set xtics autofreq
    if (p_log) {
        set logscale x
        set xrange [p_low / (p_high / p_low) ** 0.04 : p_high * (p_high / p_low) ** 0.04]
        set xtics ()
        steps = p_max / p_min < 30 ? "1 2 5" : "1"
        n_tics = 0
        do for [e = int(floor(log10(p_min))):int(ceil(log10(p_max)))] {
            do for [k = 1:words(steps)] {
                v = word(steps, k) * 10. ** e
                if (v >= p_min && v <= p_max) { set xtics add (sprintf("%g", v) v) }
            }
        }
    } else {
        slack = p_high > p_low ? 0.04 * (p_high - p_low) : 0.5
        set xrange [p_low - slack : p_high + slack]
        if (p_no_numbers) { set xtics () }
        if (!p_no_numbers && p_names > 0) { set xtics p_min, p_range / 4., p_max }
    }
    do for [k = 1:p_names] {
        set xtics add (tic_text(label_of(word(all_names, first_name + k))) stands(k, 1))
    }
    first_name = first_name + p_names
    tic_blank = (i - 1) % across != 0
    set format y (tic_blank ? "" : "%g")
    if (is_log && y_high >= 1000) {
        set ytics ()
        do for [e = int(ceil(log10(y_low))):int(floor(log10(y_high)))] {
            set ytics add ((tic_blank ? "" : spaced(sprintf("%g", 10. ** e))) 10. ** e)
        }
    }
    if (!is_log) {
        tic_axis = "y"; tic_low = y_low; tic_high = y_high; tic_count = larger(2, panel_h / 35)
        load scripts . "tics.gp"
    }
    set xlabel label_of(word(panels, i)) . (p_log ? " (log)" : "") font name_font offset 0, 0.3
    plot slice index i using (stands($1, $4)):2 with points pt 7 ps ((n_rows > 100 ? 0.35 : 0.6) * (has_width ? 0.6 : 1)) \
            lc rgb POINT, \
        "" index 0 every ::i - 1::i - 1 using (stands($1, $4)):2 \
            with points pt 6 ps 1.4 * larger(0.8, F) lw 2 * F lc rgb BEST
    do for [k = 1:5] { unset label k }
}
unset multiplot
set output
