# SPDX-License-Identifier: Apache-2.0
# Opens the picture `out` of W x H pixels; style.gp has set the fonts.
if (is_svg) {
    if (has_width) {
        set terminal svg standalone noenhanced size int(W + 0.5), int(H + 0.5) fixed \
            font sprintf("%s,%.3g", FAMILY, 11 * F) background "white"
    } else {
        set terminal svg standalone noenhanced size int(W), int(H) dynamic \
            font sprintf("%s,%.3g", FAMILY, 11 * F) background "white"
    }
} else { if (ending eq ".pdf") {
    set terminal pdfcairo noenhanced size (W / 96.) in, (H / 96.) in \
        font sprintf("%s,%.3g", FAMILY, 8.25 * F) fontscale 0.75 linewidth 1.5 background "white"
} else { if (strstrt(GPVAL_TERMINALS, "pngcairo") > 0) {
    set terminal pngcairo noenhanced size int(W * scale), int(H * scale) \
        font sprintf("%s,%.3g", FAMILY, 8.25 * F) fontscale scale linewidth scale pointscale scale \
        background "white"
} else {
    scale = 1
    set terminal png noenhanced size int(W), int(H) font "sans,8.25" background "#ffffff"
} } }
set output out
