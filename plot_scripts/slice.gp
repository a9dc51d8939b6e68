# SPDX-License-Identifier: Apache-2.0
# Reads the header of matrix `map` of the file `slice` (README.md describes slices).
# The header lines are "# key value". gnuplot reads them with another comment character.

title_text = ""; x_name = ""; y_name = ""; z_name = ""; value_name = ""
unit = ""; x_unit = ""; y_unit = ""
x_long = ""; y_long = ""; z_long = ""; value_long = ""
note_text = ""; equal = NaN
goal = "none"; reduce = "none"; relative = ""; legend = ""
x_labels = ""; y_labels = ""; x_numbers = 0; y_numbers = 0; valueless = ""
min = NaN; max = NaN; best_x = 0; best_y = 0; best_cells = 0; best_text = ""
partial = ""; hatched = ""; ties = ""; uneven = ""; panel_row = ""; panel_column = ""
scale_kind = "auto"; range_text = ""; range_min = NaN; range_max = NaN
keep(key, value) = \
    key eq "title"        ? (title_text = value, 0) : \
    key eq "partial"      ? (partial = value, 0) : \
    key eq "x"            ? (x_name = value, 0) : \
    key eq "y"            ? (y_name = value, 0) : \
    key eq "z"            ? (z_name = value, 0) : \
    key eq "value"        ? (value_name = value, 0) : \
    key eq "unit"         ? (unit = value, 0) : \
    key eq "x-unit"       ? (x_unit = value, 0) : \
    key eq "y-unit"       ? (y_unit = value, 0) : \
    key eq "x-text"       ? (x_long = value, 0) : \
    key eq "y-text"       ? (y_long = value, 0) : \
    key eq "z-text"       ? (z_long = value, 0) : \
    key eq "value-text"   ? (value_long = value, 0) : \
    key eq "note"         ? (note_text = value, 0) : \
    key eq "equal"        ? (equal = num(value), 0) : \
    key eq "goal"         ? (goal = value, 0) : \
    key eq "reduce"       ? (reduce = value, 0) : \
    key eq "relative"     ? (relative = value, 0) : \
    key eq "legend"       ? (legend = value, 0) : \
    key eq "panel-row"    ? (panel_row = value, 0) : \
    key eq "panel-column" ? (panel_column = value, 0) : \
    key eq "x-labels"     ? (x_labels = x_labels . " " . value, 0) : \
    key eq "y-labels"     ? (y_labels = y_labels . " " . value, 0) : \
    key eq "x-numbers"    ? (x_numbers = int(num(value)), 0) : \
    key eq "y-numbers"    ? (y_numbers = int(num(value)), 0) : \
    key eq "valueless"    ? (valueless = valueless . " " . value, 0) : \
    key eq "hatched"      ? (hatched = hatched . " " . value, 0) : \
    key eq "ties"         ? (ties = ties . " " . value, 0) : \
    key eq "uneven"       ? (uneven = value, 0) : \
    key eq "scale"        ? (scale_kind = value, 0) : \
    key eq "range"        ? (range_text = value, 0) : \
    key eq "range-min"    ? (range_min = num(value), 0) : \
    key eq "range-max"    ? (range_max = num(value), 0) : \
    key eq "min"          ? (min = num(value), 0) : \
    key eq "max"          ? (max = num(value), 0) : \
    key eq "best-x"       ? (best_x = int(num(value)), 0) : \
    key eq "best-y"       ? (best_y = int(num(value)), 0) : \
    key eq "best-cells"   ? (best_cells = int(num(value)), 0) : \
    key eq "best-value"   ? (best_text = value, 0) : 0

set datafile commentschars "\001"
stats slice index map using (strcol(1) eq "#" ? keep(strcol(2), strcol(3)) : 0) nooutput
set datafile commentschars "#"

nx = words(x_labels)
ny = words(y_labels)
if (nx == 0 || ny == 0) {
    print sprintf("%s: the file contains no slice", slice)
    exit status 2
}
has_values = (min == min)
# Colours run from range_min to range_max.
own_range = (range_min != range_min)
if (own_range) { range_min = min; range_max = max }
beyond = has_values && (min < range_min || max > range_max)
# A mean may have 16 digits.
best_value = num(best_text eq "" ? "nan" : best_text)
if (strlen(best_text) > 9) { best_text = sprintf("%.7g", best_value) }
best_text = spaced(best_text)
# What the colours show, in at most `room` characters where that is possible, without "(log)".
value_in(room) = (reduce ne "none" ? reduce . " " : "") . \
    axis_name(value_name, relative eq "" ? unit : "", value_long, room) . \
    (relative eq "" ? "" : goal eq "higher" ? " (% below best)" : " (% above best)")
value_text = value_in(0)
