# SPDX-License-Identifier: Apache-2.0
# Sets the colour scale of a map from range_min and range_max: `low` and `high`, is_log, the palette's
# range, the tics of the colour bar, and the contour levels.

is_log = exists("orders") ? orders : \
    scale_kind eq "auto" ? range_max >= 10 * range_min : scale_kind eq "log"
is_log = is_log && has_values && range_min > 0 && range_max > range_min
# A middle value makes the scale as long on both sides.
if (has_middle && has_values) {
    if (is_log && middle > 0) {
        away = larger(range_max / middle, middle / range_min)
        range_min = middle / away
        range_max = middle * away
    } else {
        is_log = 0
        away = larger(abs(range_max - middle), abs(middle - range_min))
        range_min = middle - away
        range_max = middle + away
    }
}
range = has_values ? range_max - range_min : 0
span = has_values ? larger(abs(range_min), abs(range_max)) : 0
slack = range > 0 ? 0 : span > 0 ? span * 0.01 : 1
low = has_values ? range_min - slack : 0
high = has_values ? range_max + slack : 1
share(v) = is_log ? log10(v / low) / log10(high / low) : (v - low) / (high - low)

# Returns the number of decimals that resolves this step. Very large or small values use %g.
decimals(step) = step > 0 ? smaller(9, larger(0, int(ceil(-log10(step) - 1e-9)))) : 2
form(step) = span >= 1e6 || (span > 0 && span < 1e-3) \
    ? "%.4g" : sprintf("%%.%df", decimals(step))
# On a logarithmic scale all values have the same number of significant digits.
cell_form = is_log ? "%.3g" : form(range / 150.)
cell_text(v) = spaced(is_log && v >= 1000 && max < 1e7 ? sprintf("%.0f", v) : sprintf(cell_form, v))
# 12.3 is longer than 9 or 100, so both ends count.
cell_chars = has_values \
    ? larger(larger(strlen(cell_text(min)), strlen(cell_text(max))), is_log ? 4 : 1) : 1

# ---- contour levels ----------------------------------------------------------------------------

levels = exists("style_levels") ? style_levels : ""
if (exists("style_contours") && has_values && range > 0) {
    # Of round steps (1, 2, 2.5 or 5 times a power of ten), the one whose number of lines is nearest.
    power = 10. ** floor(log10((high - low) / (style_contours + 1.)))
    lines_at(d) = floor(high / d) - ceil(low / d) + 1
    step = power
    do for [i = 1:4] {
        d = power * (i == 1 ? 2 : i == 2 ? 2.5 : i == 3 ? 5 : 10)
        if (abs(lines_at(d) - style_contours) < abs(lines_at(step) - style_contours)) { step = d }
    }
    do for [k = 1:is_log ? style_contours : int((high - low) / step) + 1] {
        v = is_log ? low * (high / low) ** (k / (style_contours + 1.)) : step * (ceil(low / step) + k - 1)
        digit = is_log ? 10. ** (floor(log10(v)) - 1) : 1
        v = is_log ? digit * floor(v / digit + 0.5) : v # two digits
        if (v > low && v < high) { levels = levels . (levels eq "" ? "" : ",") . sprintf("%#.10g", v) }
    }
}
has_contours = levels ne "" && has_values
level_words = ""; level_text = ""
rest = levels
while (rest ne "") {
    comma = strstrt(rest, ",")
    level_words = level_words . " " . (comma > 0 ? rest[1:comma - 1] : rest)
    rest = comma > 0 ? rest[comma + 1:] : ""
}
do for [i = 1:words(level_words)] {
    level_text = level_text . (i > 1 ? ", " : "") . spaced(sprintf("%g", num(word(level_words, i))))
}

# ---- tics --------------------------------------------------------------------------------------

set cbrange [low:high]
if (is_log) { set logscale cb } else { unset logscale cb }
set cbtics out scale 0.4 font small_font format form((high - low) / 6.)
if (!is_log && !has_contours) {
    tic_axis = "cb"; tic_low = low; tic_high = high; tic_count = 8
    load scripts . "tics.gp"
}
if (has_contours) {
    set cbtics ()
    shown = ""
    do for [i = 1:words(level_words)] {
        v = num(word(level_words, i))
        near = 0 # a label that is too near
        do for [k = 1:words(shown)] { near = near || abs(share(v) - num(word(shown, k))) < 0.07 }
        if (v >= low && v <= high && !near) {
            shown = shown . sprintf(" %#.6g", share(v))
            set cbtics add (spaced(sprintf("%g", v)) v)
        }
    }
} else { if (is_log) {
    set cbtics () format "%g"
    steps = range_max / range_min < 300 ? "1 2 5" : "1"
    n_tics = 0
    do for [e = int(floor(log10(range_min))):int(ceil(log10(range_max)))] {
        do for [i = 1:words(steps)] {
            v = word(steps, i) * 10. ** e
            if (v >= range_min && v <= range_max) {
                set cbtics add (spaced(sprintf("%g", v)) v)
                n_tics = n_tics + 1
            }
        }
    }
    do for [i = 0:n_tics < 2 ? 4 : -1] { # no room for round numbers
        v = range_min * (range_max / range_min) ** (i / 4.)
        set cbtics add (spaced(sprintf("%.3g", v)) v)
    }
} }
