# SPDX-License-Identifier: Apache-2.0
# Draws the measurements of `ppsweep bench --data FOLDER`: points/s over the size of a point, and over
# threads. By hand:
#
#   gnuplot -e "folder='.'; out='throughput.png'" plot_scripts/throughput.gp
#
# folder  the folder of kernel.dat and threads.dat
# out     the picture: NAME.png or NAME.svg
# scale   pixels of a PNG for one unit of length (default 1.5)

if (!exists("folder") || !exists("out")) {
    print "usage: gnuplot -e \"folder='.'; out='x.png'\" throughput.gp"
    exit status 2
}
if (!exists("scale")) scale = 1.5

reset
set encoding utf8
kernel_file = folder . "/kernel.dat"
threads_file = folder . "/threads.dat"

# ---- headers of the files ---------------------------------------------------------------------
# The header lines are "# key value". gnuplot reads them with another comment character.

kernel = ""; machine = ""; x_name = ""
keep(key, value) = \
    key eq "kernel"  ? (kernel = value, 0) : \
    key eq "machine" ? (machine = value, 0) : \
    word(value, 1) eq "points_per_s" ? (x_name = key, 0) : 0
line(text) = text[1:1] eq "#" && words(text) > 2 \
    ? keep(word(text, 2), text[strlen(word(text, 2)) + 4:]) : 0

set datafile commentschars "\001"
set datafile separator "\t"
stats kernel_file using (line(strcol(1))) nooutput
set datafile separator whitespace
set datafile commentschars "#"

# Labels the axes with the measured values.
tics = ""
note(x) = (tics = tics . sprintf("set xtics add (\"%g\" %g); ", x, x), x)
stats kernel_file index 0 using (note($1)) every ::1 nooutput prefix "N"
kernel_tics = tics
tics = ""
stats threads_file using (note($1)) nooutput prefix "T"
threads_tics = tics
stats kernel_file using 2 every ::1 nooutput prefix "K"
stats threads_file using 2 nooutput prefix "P"
first = 0; first_threads = 1
stats threads_file every ::0::0 using (first = $2, first_threads = $1) nooutput prefix "F"
ideal(x) = first * x / first_threads
highest = P_max > ideal(T_max) ? P_max : ideal(T_max)

# ---- terminal ---------------------------------------------------------------------------------

W = 1060; H = 440
is_svg = strlen(out) > 4 && out[strlen(out) - 3:] eq ".svg"
if (is_svg) {
    set terminal svg noenhanced size W, H dynamic font "sans-serif,12" background "white"
} else { if (strstrt(GPVAL_TERMINALS, "pngcairo") > 0) {
    set terminal pngcairo noenhanced size int(W * scale), int(H * scale) \
        font "sans-serif,9" fontscale scale linewidth scale pointscale scale background "white"
} else {
    set terminal png noenhanced size W, H font "sans,9" background "#ffffff"
} }
set output out

INK = "#333333"
COLOURS = "#440154 #31688e #35b779 #c9a400 #d7191c #888888"
set border 3 lc rgb INK lw 0.8
set tics nomirror out scale 0.5 textcolor rgb INK
set grid ytics lt 1 lc rgb "#d4d4d4" lw 0.7
set multiplot

# ---- over the size of a point -----------------------------------------------------------------

# Formats 1000 as 1 k and 1e6 as 1 M, without needless decimals.
set format y "%.0s %c"
set logscale xy
set label 1 kernel . " on " . machine at screen 0.5, screen 0.95 center \
    textcolor rgb INK
set lmargin at screen 0.075
set rmargin at screen 0.53
set bmargin at screen 0.15
set tmargin at screen 0.83
set title "kernel alone, one thread" textcolor rgb INK
set xlabel x_name . " (log)" textcolor rgb INK
set ylabel "points/s (log)" textcolor rgb INK
set xrange [N_min / 1.25 : N_max * 1.25]
set yrange [10 ** floor(log10(K_min)) : 10 ** ceil(log10(K_max * 1.3))]
# An axis of few decades also has labels at 2 and 5 of each decade.
low = floor(log10(K_min)); high = ceil(log10(K_max * 1.3))
if (high - low <= 2) {
    do for [d = low:high - 1] {
        set ytics add (gprintf("%.0s %c", 2 * 10.0 ** d) 2 * 10.0 ** d)
        set ytics add (gprintf("%.0s %c", 5 * 10.0 ** d) 5 * 10.0 ** d)
    }
}
set xtics ()
eval kernel_tics
set key top right reverse Left samplen 1.5 textcolor rgb INK
plot for [i = 0:K_blocks - 1] kernel_file index i using 1:2 \
    with linespoints lw 2.2 pt 7 ps 0.9 lc rgb word(COLOURS, i % words(COLOURS) + 1) \
    title columnheader(1)

# ---- over threads -----------------------------------------------------------------------------

unset label 1
unset logscale
set lmargin at screen 0.63
set rmargin at screen 0.975
set title "whole runs, rows compressed" textcolor rgb INK
set xlabel (T_max > 16 ? "threads (log)" : "threads") textcolor rgb INK
# Many threads need a logarithmic axis, which separates the small numbers.
many = T_max > 16
# Labels of a linear axis have one common unit.
thousands = floor(log10(highest) / 3)
unit = many ? 1.0 : 10.0 ** (3 * thousands)
set format y (many ? "%.0s %c" : thousands > 0 ? "%g " . word("k M G T", thousands) : "%g")
if (many) {
    set logscale xy
    set xrange [T_min / 1.25 : T_max * 1.25]
    set yrange [first / 1.5 : highest * 1.5]
} else {
    set xrange [0 : T_max * 1.08]
    set yrange [0 : 1.08 * highest / unit]
}
set ytics autofreq
set xtics ()
eval threads_tics
set key top left reverse Left samplen 2.5 textcolor rgb INK
set samples 2
plot sample [many ? T_min : 0 : T_max] ideal(x) / unit with lines lw 1.4 dt (6, 4) lc rgb "#999999" \
        title "linear scaling", \
    threads_file using 1:($2 / unit) with linespoints lw 2.2 pt 7 ps 0.9 lc rgb "#31688e" \
        title "measured"
unset multiplot
set output
