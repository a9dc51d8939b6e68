# SPDX-License-Identifier: Apache-2.0
# Prepares the triangle of map `map` as an image. Its rows are shifted by half a cell, so each cell is two
# pixels: plot sample [u = 0.25:m - 0.25] [v = 0.5:m - 0.5] '++' using 1:2:(brick($1, $2)) with image

array Value[m * m]
store(i, j, v) = (Value[i + 1 + m * j] = v, 0)
do for [k = 1:m * m] { Value[k] = NaN }
stats slice index map @numbers using (store(int($1) - 1, int($2) - 1, $3)) nooutput
brick(u, v) = v < 0 || v >= m || u - int(v) / 2. < 0 || u - int(v) / 2. >= m ? NaN : \
    Value[int(u - int(v) / 2.) + 1 + m * int(v)]
set samples 2 * m
set isosamples 2, m
