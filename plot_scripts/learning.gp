# SPDX-License-Identifier: Apache-2.0
# Draws the learning curve that `ppsweep schedule learn` wrote: makespans against those of the guide over
# the episodes, of training and of validation. By hand:
#
#   gnuplot -e "slice='policy-curve.csv'; out='x.png'" plot_scripts/learning.gp
#
# slice   the curve, NAME-curve.csv
# out     the picture: NAME.png or NAME.svg
# scale   pixels of a PNG for one unit of length (default 1.5)

if (!exists("slice") || !exists("out")) {
    print "usage: gnuplot -e \"slice='x-curve.csv'; out='x.png'\" learning.gp"
    exit status 2
}
if (!exists("scale")) scale = 1.5

reset
set encoding utf8
is_svg = strlen(out) > 4 && out[strlen(out) - 3:] eq ".svg"
W = 800; H = 500
if (is_svg) {
    set terminal svg noenhanced size W, H dynamic font "sans-serif,11" background "white"
} else { if (strstrt(GPVAL_TERMINALS, "pngcairo") > 0) {
    set terminal pngcairo noenhanced size int(W * scale), int(H * scale) \
        font "sans-serif,8.25" fontscale scale linewidth scale pointscale scale background "white"
} else {
    set terminal png noenhanced size W, H font "sans,8.25" background "#ffffff"
} }
set output out

set datafile separator ","
set title "Makespan against the guide (negative: faster)"
set xlabel "episodes"
set ylabel "% of the busiest device's work"
set grid lc rgb "#dddddd"
set key top right
set xzeroaxis lt -1 lc rgb "#888888"

plot slice using 2:3 skip 1 with points pt 7 ps 0.3 lc rgb "#b0b0b0" title "training", \
     slice using 2:($7 - $8):($7 + $8) skip 1 with filledcurves lc rgb "#9ecae1" fs transparent solid 0.5 \
         title "95 % interval", \
     slice using 2:7 skip 1 with linespoints pt 7 ps 0.6 lw 2 lc rgb "#08519c" title "validation"
