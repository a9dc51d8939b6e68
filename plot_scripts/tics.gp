# SPDX-License-Identifier: Apache-2.0
# Labels an axis of values whose numbers need groups of digits; gnuplot's own labels have none. Other axes stay as they
# are, with the same labels. A script sets, before it loads this file:
#
# tic_axis           "x", "y" or "cb": linear
# tic_low, tic_high  its range
# tic_count          about how many labels have room
# tic_blank          1: tics without labels

tic_size = larger(abs(tic_low), abs(tic_high))
if (tic_high > tic_low && tic_size >= 1000 && tic_size < 1e7) {
    tic_rough = (tic_high - tic_low) / tic_count
    tic_power = 10. ** floor(log10(tic_rough))
    tic_step = tic_power * (tic_rough > 5 * tic_power ? 10 : tic_rough > 2 * tic_power ? 5 : tic_rough > tic_power ? 2 : 1)
    eval sprintf("set %stics ()", tic_axis)
    if (!exists("tic_blank")) { tic_blank = 0 }
    do for [k = int(ceil(tic_low / tic_step - 1e-9)):int(floor(tic_high / tic_step + 1e-9))] {
        eval sprintf("set %stics add ('%s' %.15g)", tic_axis, tic_blank ? "" : spaced(sprintf("%.10g", k * tic_step)), \
            k * tic_step)
    }
}
