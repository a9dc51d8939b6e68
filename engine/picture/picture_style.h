// SPDX-License-Identifier: Apache-2.0
// A picture style holds what a user chose about the look of pictures: texts, fonts, width and
// colours. It reaches the plot scripts as variables (plot_scripts/style.gp).
#pragma once

#include "base/text/status.h"

#include <stdbool.h>

// Zeroed: the defaults of the scripts.
struct pps_picture_style {
    const char *title;   // "none": no title; NULL: of the script
    const char *font;    // "NAME", "NAME,POINTS" or ",POINTS"
    const char *palette; // a name of pps_palette_names, also with -r at its end: reversed
    double width_mm;     // on paper; 0: as large as the data need
    bool has_center;
    double center;             // value of the middle of a diverging palette
    const char *contour;       // "N" lines, or their values, separated by commas; NULL: none
    bool no_notes;             // no lines of text below maps and lines
    bool triangle;             // of weights that add up to 1, instead of a square
    const char *const *labels; // n_labels words NAME=TEXT: the texts of columns and of names
    int n_labels;
};

// Returns PPS_E_INPUT, with what to write, for the first value that cannot be.
PPS_MUST_CHECK enum pps_status pps_picture_style_check(const struct pps_picture_style *style,
                                                       struct pps_error *err);

// Returns the style as gnuplot statements on one line; the caller frees them. NULL if memory
// runs out. for_svg: texts that gnuplot copies to attributes are escaped.
char *pps_picture_style_settings(const struct pps_picture_style *style, bool for_svg);
