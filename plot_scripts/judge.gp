# SPDX-License-Identifier: Apache-2.0
# Draws a table of `ppsweep schedule judge -o`: the mean time of a step over the level of the noise, with 95 %
# intervals, one line per schedule or policy.
#
#   ppsweep schedule judge -o judged.csv
#   gnuplot -e "csv='judged.csv'; out='judged.png'" plot_scripts/judge.gp
#
# csv       the table
# out       the picture: NAME.png or NAME.svg
# limit     the memory limit, if the table has several (that of the first row)
# outliers  the probability of outliers, if the table has several (that of the first row)
# names     the schedules and policies to draw, separated by blanks (all)
# scale     pixels of a PNG for one unit of length (default 1.5)

if (!exists("csv") || !exists("out")) {
    print "usage: gnuplot -e \"csv='x.csv'; out='x.png'\" judge.gp"
    exit status 2
}
if (!exists("scale")) scale = 1.5

# ---- the table --------------------------------------------------------------------------------

set datafile separator ","
set datafile columnheaders
set datafile missing NaN # lines pass over the rows of other names
set encoding utf8
# Columns of the table: 1 schedule, 4 limit, 5 level, 6 outlier_p, 7 mean, 8 mean_half, 25 clairvoyant, 29 replicates,
# 30 seed. An empty limit is no limit.
limit_of(text) = text eq "" ? "none" : text
first_limit = ""; first_outliers = ""; replicates = ""; seed = ""
keep_first(l, o, n, s) = first_limit ne "" ? 0 : \
    (first_limit = l, first_outliers = o, replicates = n, seed = s, 0)
stats csv using (keep_first(limit_of(strcol(4)), strcol(6), strcol(29), strcol(30))) nooutput
if (first_limit eq "") {
    print sprintf("%s: the file contains no table of schedule judge", csv)
    exit status 2
}
limit_text = exists("limit") ? "" . limit : first_limit
outliers_text = exists("outliers") ? "" . outliers : first_outliers

all_names = ""; level_min = NaN; level_max = NaN
is_wanted(name) = exists("names") ? strstrt(" " . names . " ", " " . name . " ") > 0 : 1
is_cell(l, o) = limit_of(l) eq limit_text && o eq outliers_text
keep_name(name) = strstrt(" " . all_names . " ", " " . name . " ") > 0 ? 0 : \
    (all_names = all_names . (all_names eq "" ? "" : " ") . name, 0)
keep_level(x) = (level_min = level_min != level_min || x < level_min ? x : level_min, \
    level_max = level_max != level_max || x > level_max ? x : level_max, 0)
stats csv using (is_cell(strcol(4), strcol(6)) && is_wanted(strcol(1)) ? \
    (keep_name(strcol(1)), keep_level(column(5))) : 0) nooutput
if (all_names eq "") {
    print sprintf("%s: no row has limit %s and outliers %s", csv, limit_text, outliers_text)
    exit status 2
}

# ---- terminal ---------------------------------------------------------------------------------

W = 860; H = 560
is_svg = strlen(out) > 4 && out[strlen(out) - 3:] eq ".svg"
if (is_svg) {
    set terminal svg noenhanced size W, H dynamic font "sans-serif,11" background "white"
} else { if (strstrt(GPVAL_TERMINALS, "pngcairo") > 0) {
    set terminal pngcairo noenhanced size int(W * scale), int(H * scale) \
        font "sans-serif,8.25" fontscale scale linewidth scale pointscale scale background "white"
} else {
    set terminal png noenhanced size W, H font "sans,8.25" background "#ffffff"
} }
font_of(pixels) = sprintf(",%.3g", is_svg ? pixels : pixels * 0.75)
small_font = font_of(11)
name_font = font_of(13)
set output out

# ---- axes -------------------------------------------------------------------------------------

INK = "#333333"
set border 3 lc rgb INK lw 0.8
set tics nomirror out scale 0.5 font small_font textcolor rgb INK
set grid lt 1 lc rgb "#e4e4e4" lw 0.7
set title sprintf("Mean time of a step and its 95 %% interval: memory limit %s, outliers %s", \
    limit_text, outliers_text) . "\n" . sprintf("%s paired replicates per row, test seed %s", replicates, seed) \
    font name_font
set xlabel "level (standard deviation of times by their nominal times)" font name_font
set ylabel "mean makespan" font name_font
set key outside right top Left reverse samplen 1.5 font small_font textcolor rgb INK
span = level_max > level_min ? level_max - level_min : 1
set xrange [level_min - 0.05 * span : level_max + 0.05 * span]

# ---- lines ------------------------------------------------------------------------------------

COLOURS = "#31688e #d95f02 #35b779 #7b3294 #c9a400 #4d4d4d #e7298a #1b9e77"
colour_of(i) = word(COLOURS, (i - 1) % words(COLOURS) + 1)
is_row(name) = strcol(1) eq name && is_cell(strcol(4), strcol(6))
# Intervals of neighbours lie side by side.
place(i) = 0.004 * span * (i - (words(all_names) + 1) / 2.)
x_of(i) = is_row(word(all_names, i)) ? column(5) + place(i) : NaN
plot for [i = 1:words(all_names)] csv using (x_of(i)):7:8 \
        with yerrorbars pt 7 ps 0.6 lw 1.4 lc rgb colour_of(i) notitle, \
    for [i = 1:words(all_names)] csv using (x_of(i)):7 \
        with lines lw 1.6 lc rgb colour_of(i) title word(all_names, i), \
    csv using (x_of(1)):25 with lines lw 1.2 dt 3 lc rgb "#888888" title "lower bound"
set output
