# SPDX-License-Identifier: Apache-2.0
# Defines what the scripts of maps and lines share: texts, fonts, sizes and colours. A script loads it
# after its own defaults. These variables change the look (`ppsweep plot` sets them from its options):
#
# style_title    title; none: no title
# style_font     font (sans-serif)
# style_points   size of the names of axes, in points (9.75; 8 with style_width)
# style_width    width on paper in millimetres (as wide as the data need)
# style_palette  viridis, cividis, magma, gray, blue-red, purple-green, blue-orange; NAME-r is reversed
# style_center   value of the middle of the colours
# style_contours, style_levels   number of contour lines; or their values, separated by commas
# style_labels   1 if the function style_label(s) returns the text of a name

larger(a, b) = a > b ? a : b
smaller(a, b) = a < b ? a : b

# gnuplot does not read 4e+20, only 4.e+20.
exponent_at(s) = larger(strstrt(s, "e"), strstrt(s, "E"))
num(s) = exponent_at(s) == 0 || strstrt(s, ".") > 0 ? real(s) : \
    real(s[1:exponent_at(s) - 1] . "." . s[exponent_at(s):])

# ---- texts -----------------------------------------------------------------------------------

label_of(s) = exists("style_labels") ? style_label(s) : s
# gnuplot reads a tic label as a format, in which %% is a %.
tic_text(s) = strstrt(s, "%") == 0 ? s : \
    s[1:strstrt(s, "%")] . "%" . tic_text(s[strstrt(s, "%") + 1:])
# The name of a column with its unit, which a label of the user has already. A unit that the name
# contains is left out: total_time, not total_time (time).
with_unit(s, u) = label_of(s) ne s || u eq "" || strstrt(s, u) > 0 ? label_of(s) : s . " (" . u . ")"

# Every step-th of n labels is written. Returns the first one of them, from 0: of numbers at equal
# distances the first that is a multiple of the distance between written labels.
is_multiple(v, d) = d > 0 && abs(v / d - floor(v / d + 0.5)) < 1e-6
first_of(labels, k, d, step) = k >= step ? 0 : is_multiple(num(word(labels, k + 1)), d) ? k : \
    first_of(labels, k + 1, d, step)
first_label(labels, n, step) = step < 2 || n <= step ? 0 : \
    abs((num(word(labels, n)) - num(word(labels, 1))) / (n - 1) / (num(word(labels, 2)) - num(word(labels, 1))) - 1) > 1e-6 ? 0 : \
    first_of(labels, 0, step * (num(word(labels, 2)) - num(word(labels, 1))), step)

# Returns the place of the last space at or before n; of the first space; 0: none.
last_space(s, n) = n < 1 ? 0 : s[n:n] eq " " ? n : last_space(s, n - 1)
break_at(s, n) = last_space(s, n + 1) > 0 ? last_space(s, n + 1) : strstrt(s, " ")
# Breaks a text into lines of at most n characters.
wrap(s, n) = strlen(s) <= n || strstrt(s, " ") == 0 ? s : \
    s[1:break_at(s, n) - 1] . "\n" . wrap(s[break_at(s, n) + 1:], n)
lines_of(s) = s eq "" ? 0 : strstrt(s, "\n") == 0 ? 1 : 1 + lines_of(s[strstrt(s, "\n") + 1:])
# Makes the lines of a title about equally long.
even_width(s, n) = strlen(s) <= n ? n : smaller(n, strlen(s) / int(ceil(strlen(s) / real(n))) + 14)

# ---- sizes -----------------------------------------------------------------------------------
# Scripts place everything in pixels of 1/96 inch, the pixel of an SVG.

has_width = exists("style_width")
style_points_used = exists("style_points") ? style_points : has_width ? 8. : 9.75
F = style_points_used * 96. / 72 / 13 # 1: the size of names is 13 pixels
FAMILY = exists("style_font") ? style_font : "sans-serif"
CHAR = 7.2 * F # width of a character of a label, an upper estimate
LINE = 19 * F  # height of a line of text
W_FIXED = has_width ? style_width * 96. / 25.4 : 0
if (!exists("scale")) scale = has_width ? 300. / 96 : 1.5

ending = strlen(out) > 4 ? out[strlen(out) - 3:] : ""
is_svg = ending eq ".svg"
# A point is a pixel of an SVG and 4/3 pixels of a PNG.
font_of(pixels) = sprintf(",%.3g", F * (is_svg ? pixels : pixels * 0.75))
small_font = font_of(11)
best_font = font_of(12)
name_font = font_of(13)

# ---- colours ---------------------------------------------------------------------------------

INK = "#333333"
BEST = "#d7191c"
PARTIAL = "#b35900" # colour of the line that states which part is missing
# Eight colours that people with any colour vision tell apart (Okabe and Ito 2008; yellow is darker,
# so that its lines show on white).
KINDS = "#000000 #e69f00 #56b4e9 #009e73 #9c7a00 #0072b2 #d55e00 #cc79a7"

# Equally spaced colours. viridis and cividis grow evenly in lightness and look alike to people with
# any colour vision; the last three diverge from a light middle.
palette_of(name) = \
    name eq "cividis" ? "#00204d #00336f #39486b #575c6d #707173 #8a8779 #a69d75 #c4b56c #e4cf5b #ffea46" : \
    name eq "magma" ? "#000004 #180f3e #451077 #721f81 #9f2f7f #cd4071 #f1605d #fd9567 #fec98d #fcfdbf" : \
    name eq "gray" ? "#1a1a1a #f5f5f5" : \
    name eq "blue-red" ? "#00468c #3668a7 #628bc0 #8faed7 #bed2ea #f5f5f5 #e9c7c0 #d39c92 #ba7367 #9e4b3f #802016" : \
    name eq "purple-green" ? "#5d2d7c #7b5397 #9a79b3 #b9a0cc #d8c9e4 #f5f5f5 #bed8c2 #8db895 #5e986b #2c7943 #005823" : \
    name eq "blue-orange" ? "#004983 #2c6aa5 #5c8dbf #8bafd6 #bcd2ea #f5f5f5 #e6c9b7 #cea082 #b47950 #98531a #703500" : \
    "#440154 #482475 #414487 #355f8d #2a788e #21918c #22a884 #44bf70 #7ad151 #bddf26 #fde725"
palette_name = exists("style_palette") ? style_palette : exists("style_center") ? "blue-red" : "viridis"
reversed = strlen(palette_name) > 2 && palette_name[strlen(palette_name) - 1:] eq "-r"
if (reversed) { palette_name = palette_name[1:strlen(palette_name) - 2] }
colours = palette_of(palette_name)
n_colours = words(colours)
array Light[n_colours] # lightness of the colours, 0 to 1
channel(c, at) = int("0x" . c[at:at + 1])
list = ""
do for [i = 1:n_colours] {
    c = word(colours, reversed ? n_colours + 1 - i : i)
    Light[i] = (0.299 * channel(c, 2) + 0.587 * channel(c, 4) + 0.114 * channel(c, 6)) / 255
    list = list . sprintf("%s%d '%s'", i > 1 ? ", " : "", i - 1, c)
}
eval "set palette defined (" . list . ")"
# Returns the lightness of the palette at 0 to 1. Text is light on dark colours.
between(u, i) = Light[i] + (u - (i - 1)) * (Light[smaller(i + 1, n_colours)] - Light[i])
lightness(s) = between(larger(0, smaller(1, s)) * (n_colours - 1), \
    int(smaller(n_colours - 1, 1 + floor(larger(0, smaller(1, s)) * (n_colours - 1)))))
ink_on(s) = s == s && lightness(s) < 0.52 ? 0xffffff : 0x000000
