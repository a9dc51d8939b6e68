// SPDX-License-Identifier: Apache-2.0
// Reads the options of `plot` and `slice` for scales and for pictures other than heatmaps:
// Pareto fronts, stacked bars and scatters.
#pragma once

#include "engine/command/command.h"
#include "engine/picture/pictures.h"
#include "engine/picture/plot.h"
#include "engine/read/view.h"
#include "engine/slice/scale.h"

#include <stdbool.h>

// Entries of the option tables of both commands.
#define PPS_KIND_OPTIONS                                                                       \
    {"pareto", 0, "A,B", "Pareto front of two columns, as in top --pareto"},                   \
        {"stack", 0, "COLUMNS", "stacked bars of the best rows: columns, or a named stack"},   \
        {"count", 'k', "N", "--stack: number of rows (10)"},                                   \
        {"objective", 0, "COLUMN", "--stack: column to rank by (main result of the kernel)"},  \
        {"scatter", 0, NULL,                                                                   \
         "one point per row, one panel per parameter (samples and lists)"},                    \
        {"goal", 0, "lower|higher",                                                            \
         "--stack: which values are better (default of the column, else lower)"},              \
    {                                                                                          \
        "limit-line", 0, "VALUE", "--stack: draw a line at VALUE"                              \
    }

// Entries of the same tables: scales of values.
#define PPS_SCALE_OPTIONS                                                                      \
    {"log", 0, NULL, "logarithmic scale (if values span a factor of 10 or more)"},             \
        {"linear", 0, NULL, "linear scale (if values span a factor below 10)"},                \
        {"scale", 0, "shared|own", "one scale for all maps, or one for each (own)"},           \
        {"relative", 0, NULL,                                                                  \
         "percent above the best of the map or, with a "                                       \
         "shared scale, of all maps"},                                                         \
    {                                                                                          \
        "range", 0, "A:B", "scale from A to B for all maps (range of the values)"              \
    }

// Reads the scale options. *scale is undefined after PPS_E_INPUT.
PPS_MUST_CHECK enum pps_status pps_scale_options(const struct pps_args *args,
                                                 struct pps_scale *scale,
                                                 struct pps_error *err);

// Returns whether a picture other than heatmaps is asked for. Samples and lists of points are
// drawn as scatters unless options of heatmaps are given.
bool pps_kind_asked(const struct pps_args *args);

// Returns PPS_E_INPUT for options that cannot be used together.
PPS_MUST_CHECK enum pps_status pps_kind_check(const struct pps_args *args,
                                              struct pps_error *err);

PPS_MUST_CHECK enum pps_status pps_kind_plot(const struct pps_args *args,
                                             const struct pps_view_ask *view,
                                             const struct pps_picture_ask *pictures,
                                             struct pps_error *err);

// Prints to stderr how many maps were skipped because of the limit; prints nothing if all are drawn.
void pps_plot_report(const struct pps_plot_count *count);

// Reads --goal: lower or higher. Leaves *goal unchanged if the option is not given.
PPS_MUST_CHECK enum pps_status pps_goal_option(const struct pps_args *args, enum pps_goal *goal,
                                               struct pps_error *err);
