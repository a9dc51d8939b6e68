# SPDX-License-Identifier: Apache-2.0
# Defines where the cells of a map lie, in cells of numbers.
#
# Weights x, y and z of which the numbers add up to 1 are drawn as a square, whose upper right half is
# empty. With style_triangle they are drawn as a triangle of rows of cells: the row is y, the place in
# the row is x, and z is the rest. Names of y are rows above the numbers, names of x lie beside them.

first_step = x_numbers > 1 ? num(word(x_labels, 2)) - num(word(x_labels, 1)) : 0
is_ternary = exists("style_triangle") && z_name ne "" && x_numbers >= 3 && x_numbers == y_numbers && \
    num(word(x_labels, 1)) == 0 && abs(num(word(x_labels, x_numbers)) - 1) < 1e-6 && \
    abs(first_step * (x_numbers - 1) - 1) < 1e-6
m = x_numbers

# Names are separated from numbers by a gap, and have a minimum size, in pixels. wide_x and high_y are
# the size of a name's cell. spans.gp sets them.
if (!exists("NAME_GAP")) { NAME_GAP = 9; NAME_SIZE = 15 }
x_gap_of(w) = x_numbers > 0 && x_numbers < nx ? larger(0.25, 1. * NAME_GAP * F / w) : 0
y_gap_of(h) = y_numbers > 0 && y_numbers < ny ? larger(0.25, 1. * NAME_GAP * F / h) : 0
wide_of(size) = larger(1, 1. * NAME_SIZE * F / size)
span_of(w) = x_numbers + x_gap_of(w) + (nx - x_numbers) * wide_of(w)
high_of(h) = y_numbers + y_gap_of(h) + (ny - y_numbers) * wide_of(h)

# Whether the label of number i, from 1, leaves room for the label of the first name.
x_room(i, pixels) = i > x_numbers || nx == x_numbers || (px(x_numbers, 0) - px(i - 1, 0)) * cell_w >= pixels
y_room(i, pixels) = i > y_numbers || ny == y_numbers || (py(y_numbers) - py(i - 1)) * cell_h >= pixels

# px, py: the centre of cell i of row j, from 0; dx, dy: half its size.
px(i, j) = !is_ternary ? (i < x_numbers ? i + 0.5 : x_numbers + gap_x + (i - x_numbers + 0.5) * wide_x) : \
    i < m ? i + 0.5 + (j < m ? j / 2. : 0) : m + gap_x + (i - m + 0.5) * wide_x - (j < m ? j / 2. : 0)
py(j) = j < y_numbers ? j + 0.5 : y_numbers + gap_y + (j - y_numbers + 0.5) * high_y
dx(i) = i < x_numbers ? 0.5 : 0.5 * wide_x
dy(j) = j < y_numbers ? 0.5 : 0.5 * high_y
