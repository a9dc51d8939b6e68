# SPDX-License-Identifier: Apache-2.0
# Draws which parameters matter, the largest effect on top (README.md describes the file). By hand:
#
#   gnuplot -e "slice='x.dat'; out='x.svg'" plot_scripts/tornado.gp
#
# slice  the data that `ppsweep sensitivity -o x.svg` gives to this script
# out    the picture: NAME.png or NAME.svg
# scale  pixels of a PNG for one unit of length (default 2)

if (!exists("slice") || !exists("out")) {
    print "usage: gnuplot -e \"slice='x.dat'; out='x.svg'\" tornado.gp"
    exit status 2
}
if (!exists("scale")) scale = 2

scripts = ARG0[1:strlen(ARG0) - strlen("tornado.gp")]

reset
set encoding utf8
load scripts . "numbers.gp"

# ---- header of the file -----------------------------------------------------------------------
# The header lines are "# key value". gnuplot reads them with another comment character.

objective = ""; unit = ""; partial = ""; n_groups = 0
names = ""; kinds = ""; means = ""; rows = ""; left_out = ""
keep(key, value) = \
    key eq "objective" ? (objective = value, 0) : \
    key eq "unit"      ? (unit = value, 0) : \
    key eq "groups"    ? (n_groups = int(num(value)), 0) : \
    key eq "panel"     ? (names = names . " " . value, 0) : \
    key eq "analysis"  ? (kinds = kinds . " " . value, 0) : \
    key eq "mean"      ? (means = means . " " . value, 0) : \
    key eq "rows"      ? (rows = rows . " " . value, 0) : \
    key eq "left-out"  ? (left_out = left_out . " " . value, 0) : 0

set datafile commentschars "\001"
set datafile separator tab
line_of(s) = s[1:10] eq "# partial " ? (partial = s[11:], 0) : 0
stats slice using (line_of(strcol(1))) nooutput
set datafile separator whitespace
stats slice using (strcol(1) eq "#" ? keep(strcol(2), strcol(3)) : 0) nooutput
set datafile commentschars "#"
n_panels = words(names)
stats slice using 1 nooutput prefix "BARS"
n = int(BARS_records)

# Panel, name, first, its interval, second, its interval, lowest mean, at, highest mean, at.
array CELL[n * 10]
do for [c = 1:10] {
    stats slice using (CELL[int($0) * 10 + c] = strcol(c), 0) nooutput
}
cell(i, c) = CELL[(i - 1) * 10 + c]
number(i, c) = cell(i, c) eq "nan" || cell(i, c) eq "-nan" ? NaN : num(cell(i, c))
panel_of(i) = int(num(cell(i, 1))) + 1
is(v) = v == v
end_label(i, c) = cell(i, c) eq "-" ? "" : cell(i, c)

# ---- sizes, in pixels -------------------------------------------------------------------------

CHAR = 6.6 # width of a character of a label, an upper estimate
LINE = 16  # height of a line of text
BAR = 13   # height of a bar
ROW = LINE + BAR + 9
W = 440.
PAD = 14

is_range = word(kinds, 1) eq "grid" || word(kinds, 1) eq "rows" || word(kinds, 1) eq "sample"
is_morris = word(kinds, 1) eq "morris"
shown_unit = unit eq "" ? "" : " (" . unit . ")"
title_text = is_range ? "Mean of " . objective . " by value of one parameter" : \
    is_morris ? "Elementary effects on " . objective : "Shares of the variance of " . objective
# The first group decides the kind of the picture; a group of another kind is drawn the same way.
array COUNT[n_panels]
do for [p = 1:n_panels] { COUNT[p] = 0 }
do for [i = 1:n] { COUNT[panel_of(i)] = COUNT[panel_of(i)] + 1 }

head_h = 12 + LINE * 1.3 + LINE + (partial ne "" ? LINE : 0) + 4
FOOT = 3 * LINE + 8 # ticks and the title of the x axis
panel_head(p) = word(names, p) eq "-" ? 4 : LINE + 8
panel_note(p) = int(num(word(left_out, p))) > 0 ? LINE : 0
panel_h(p) = panel_head(p) + ROW * COUNT[p] + panel_note(p) + FOOT
tail = n_groups > n_panels ? LINE + 4 : 0
H = head_h + tail + 6
do for [p = 1:n_panels] { H = H + panel_h(p) }
H = real(H)

# ---- terminal ---------------------------------------------------------------------------------

is_svg = strlen(out) > 4 && out[strlen(out) - 3:] eq ".svg"
if (is_svg) {
    set terminal svg noenhanced size int(W), int(H) dynamic font "sans-serif,11" \
        background "white"
} else { if (strstrt(GPVAL_TERMINALS, "pngcairo") > 0) {
    set terminal pngcairo noenhanced size int(W * scale), int(H * scale) \
        font "sans-serif,8.25" fontscale scale linewidth scale background "white"
} else {
    set terminal png noenhanced size int(W), int(H) font "sans,8.25" background "#ffffff"
} }
font_of(pixels) = sprintf(",%.3g", is_svg ? pixels : pixels * 0.75)
f11 = font_of(11); f12 = font_of(12); f13 = font_of(13); f14 = font_of(14)
set output out

# Colours of Okabe and Ito, which people with colour blindness can tell apart.
LOW = "#0072b2"
HIGH = "#e69f00"
INK = "#222222"
PALE = "#666666"
PARTIAL = "#b35900"

# ---- the frame --------------------------------------------------------------------------------

set multiplot
unset key
set style fill solid noborder
y_of(pixels) = (H - pixels) / H # from the top

set border 0
unset xtics
unset ytics
set lmargin at screen 0
set rmargin at screen 1
set bmargin at screen 0
set tmargin at screen 1
set xrange [0:1]
set yrange [0:1]
set label 1 title_text at screen 0.5, screen y_of(12 + LINE * 0.65) center font f14 \
    textcolor rgb INK
key_y = 12 + LINE * 1.3 + LINE / 2.
if (is_range) {
    set label 2 "labels: the value with the lowest and with the highest mean" at screen 0.5, \
        screen y_of(key_y) center font f11 textcolor rgb PALE
} else {
    set object 1 rectangle from screen 0.14, screen y_of(key_y + 5) to screen 0.165, \
        screen y_of(key_y - 5) fc rgb LOW
    set label 2 (is_morris ? "mu*, mean size" : "first order, alone") at screen 0.18, \
        screen y_of(key_y) font f11 textcolor rgb INK
    set object 2 rectangle from screen 0.5, screen y_of(key_y + 5) to screen 0.525, \
        screen y_of(key_y - 5) fc rgb HIGH
    set label 3 (is_morris ? "sigma, interactions" : "total, with interactions") \
        at screen 0.54, screen y_of(key_y) font f11 textcolor rgb INK
}
if (partial ne "") {
    set label 4 partial at screen 0.5, screen y_of(key_y + LINE) center font f11 \
        textcolor rgb PARTIAL
}
if (n_groups > n_panels) {
    set label 5 sprintf("the first %d of %d groups", n_panels, n_groups) at screen 0.5, \
        screen y_of(H - LINE / 2. - 4) center font f11 textcolor rgb PARTIAL
}
plot NaN notitle
unset object
unset label
# Texts stand on white, so that no grid line runs through them.
set style textbox opaque margins 0.3, 0.1 fillcolor rgb "#ffffff" noborder

# ---- panels -----------------------------------------------------------------------------------

top = head_h
do for [p = 1:n_panels] {
    bars_top = top + panel_head(p)
    bars_h = ROW * COUNT[p]
    mean = num(word(means, p))
    # The range of x, with room for the labels at the ends of the bars.
    low = is_range ? mean : 0; high = low
    pad_low = 0; pad_high = 0
    do for [i = 1:n] {
        if (panel_of(i) == p) {
            if (is_range) {
                low = smaller(low, number(i, 7))
                high = larger(high, number(i, 9))
                pad_low = larger(pad_low, strlen(end_label(i, 8)) * CHAR + 8)
                pad_high = larger(pad_high, strlen(end_label(i, 10)) * CHAR + 8)
            } else {
                do for [c = 3:5:2] {
                    half = is(number(i, c + 1)) ? number(i, c + 1) : 0
                    low = is(number(i, c)) ? smaller(low, number(i, c) - half) : low
                    high = is(number(i, c)) ? larger(high, number(i, c) + half) : high
                }
                pad_high = 10
            }
        }
    }
    if (high <= low) { high = low + 1 }
    plot_w = W - 2 * PAD
    unit_x = (high - low) / (plot_w - pad_low - pad_high)
    x_low = low - pad_low * unit_x
    x_high = high + pad_high * unit_x

    set lmargin at screen PAD / W
    set rmargin at screen (W - PAD) / W
    set tmargin at screen y_of(bars_top)
    set bmargin at screen y_of(bars_top + bars_h)
    set xrange [x_low:x_high]
    set yrange [bars_h:0]
    set border 1 lc rgb INK lw 0.8
    # At most six ticks, whose labels stay within the picture.
    tick_raw = (x_high - x_low) / 6.
    tick_unit = 10. ** floor(log10(tick_raw))
    tick_m = tick_raw / tick_unit
    tick = tick_unit * (tick_m > 5 ? 10 : tick_m > 2 ? 5 : tick_m > 1 ? 2 : 1)
    tick_first = tick * ceil((x_low + (is_range ? 24 : 0) * unit_x) / tick - 1e-9)
    tick_last = tick * floor((x_high - 10 * unit_x) / tick + 1e-9)
    set xtics tick_first, tick, tick_last nomirror out scale 0.5 font f11 textcolor rgb INK
    set format x "%g"
    if (tick_last > tick_first) {
        tic_axis = "x"; tic_low = tick_first; tic_high = tick_last; tic_count = (tick_last - tick_first) / tick
        load scripts . "tics.gp"
    }
    set grid xtics lt 1 lc rgb "#e4e4e4" lw 0.7

    if (word(names, p) ne "-") {
        set label 1 word(names, p) at screen PAD / W, screen y_of(top + LINE / 2.) \
            font f13 textcolor rgb INK
    }
    tick_h = LINE + 12
    set label 2 (is_range ? "mean of " . objective . shown_unit : \
        is_morris ? "change of " . objective . shown_unit . " over the whole range" : \
        "share of the variance; whiskers: 95 % intervals") \
        at screen 0.5, screen y_of(bars_top + bars_h + panel_note(p) + tick_h + LINE / 2.) \
        center font f12 textcolor rgb INK
    if (panel_note(p) > 0) {
        set label 3 sprintf("%s smaller factors are not shown", word(left_out, p)) \
            at screen 0.5, screen y_of(bars_top + bars_h + tick_h) center font f11 \
            textcolor rgb PARTIAL
    }
    if (is_range) {
        set arrow 1 from mean, 0 to mean, bars_h nohead back lc rgb PALE lw 1 dashtype (3, 3)
    }
    tag = 10
    k = 0
    do for [i = 1:n] {
        if (panel_of(i) == p) {
            y = k * ROW
            k = k + 1
            a = number(i, 3); b = number(i, 5)
            set label tag cell(i, 2) at x_low, y + LINE / 2. + 1 front boxed font f12 textcolor rgb INK
            numbers = is_morris ? sprintf("mu* %.3g  sigma %.3g", a, b) : \
                is(b) ? sprintf("first %.2f  total %.2f", a, b) : \
                is(a) ? sprintf("first %.2f", a) : ""
            set label tag + 1 numbers at x_high, y + LINE / 2. + 1 right front boxed font f11 \
                textcolor rgb PALE
            bar_y = y + LINE + 1
            mid = bar_y + BAR / 2.
            if (is_range) {
                set object tag rectangle from number(i, 7), bar_y to mean, bar_y + BAR fc rgb LOW
                set object tag + 1 rectangle from mean, bar_y to number(i, 9), bar_y + BAR \
                    fc rgb HIGH
                set label tag + 2 end_label(i, 8) at number(i, 7) - 4 * unit_x, mid right \
                    front boxed font f11 textcolor rgb INK
                set label tag + 3 end_label(i, 10) at number(i, 9) + 4 * unit_x, mid left \
                    front boxed font f11 textcolor rgb INK
            } else {
                half = BAR / 2.
                if (is(a)) {
                    set object tag rectangle from 0, bar_y to a, bar_y + half fc rgb LOW
                    e = is(number(i, 4)) ? number(i, 4) : 0
                    set arrow tag from a - e, bar_y + half / 2 to a + e, bar_y + half / 2 \
                        heads size 2 * unit_x, 90 lc rgb INK lw 1 front
                }
                if (is(b)) {
                    set object tag + 1 rectangle from 0, bar_y + half to b, bar_y + BAR fc rgb HIGH
                    e = is(number(i, 6)) ? number(i, 6) : 0
                    set arrow tag + 1 from b - e, bar_y + half * 1.5 to b + e, \
                        bar_y + half * 1.5 heads size 2 * unit_x, 90 lc rgb INK lw 1 front
                }
            }
            tag = tag + 4
        }
    }
    plot NaN notitle
    unset label
    unset object
    unset arrow
    top = top + panel_h(p)
}
unset multiplot
