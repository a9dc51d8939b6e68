# SPDX-License-Identifier: Apache-2.0
# Sets the sizes of a map with cells of cell_w x cell_h pixels (geometry.gp).
wide_x = wide_of(cell_w)
high_y = wide_of(cell_h)
gap_x = x_gap_of(cell_w)
gap_y = y_gap_of(cell_h)
span_x = span_of(cell_w)
span_y = high_of(cell_h)
