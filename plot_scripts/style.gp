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
# style_triangle 1: weights that add up to 1 are drawn as a triangle (a square)
# style_no_notes 1: no lines of text below maps and lines, for a caption of your own
# style_labels   1 if the function style_label(s) returns the text of a name

load scripts . "numbers.gp"

# ---- texts -----------------------------------------------------------------------------------

label_of(s) = exists("style_labels") ? style_label(s) : s
# gnuplot reads a tic label as a format, in which %% is a %.
tic_text(s) = strstrt(s, "%") == 0 ? s : \
    s[1:strstrt(s, "%")] . "%" . tic_text(s[strstrt(s, "%") + 1:])
# The name of a column with its unit, which a label of the user has already. A unit that the name
# contains is left out: total_time, not total_time (time).
with_unit(s, u) = label_of(s) ne s || u eq "" || strstrt(s, u) > 0 ? label_of(s) : s . " (" . u . ")"
# The same for an axis, behind the text of the kernel where both fit in `room` characters.
long_name(s, u, text) = text . " (" . s . (u eq "" || strstrt(s, u) > 0 ? "" : ", " . u) . ")"
axis_name(s, u, text, room) = text eq "" || label_of(s) ne s || strlen(long_name(s, u, text)) > room ? \
    with_unit(s, u) : long_name(s, u, text)

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
