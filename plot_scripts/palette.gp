# SPDX-License-Identifier: Apache-2.0
# Sets the palette of a map. slice.gp has read the map.

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
# Values of a comparison have the palest colour where there is no difference, and blue where the
# result is better, unless the user chooses the scale or the palette.
user_range = !own_range && range_text ne "shared scale"
is_around(v) = abs((range_min + range_max) / 2. - v) <= 1e-9 * (range_max - range_min)
is_comparison = equal == equal && !exists("style_palette") && relative eq "" && \
    (!user_range || is_around(equal)) && \
    scale_kind ne "log"
has_middle = exists("style_center") || is_comparison
middle = exists("style_center") ? style_center : equal
palette_name = exists("style_palette") ? style_palette : !has_middle ? "viridis" : \
    is_comparison && goal eq "higher" ? "blue-red-r" : "blue-red"
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
