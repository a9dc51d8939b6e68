// SPDX-License-Identifier: Apache-2.0
// Cuts a result into matrices ("slices"): one map per group of rows, with a column of values
// over two other columns. Reads the whole result once. Memory grows with the number of cells of
// the requested maps, not with the number of rows per cell. Not thread-safe: one thread uses a
// cut.
#pragma once

#include "base/text/status.h"
#include "engine/read/view.h"
#include "engine/slice/scale.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// Limit of all maps together: about 1.2 GB.
#define PPS_MAX_CELLS 25000000

// How the rows in one cell are combined.
enum pps_reduce {
    PPS_REDUCE_NONE, // as the kernel's heatmap has it; without that, several rows are an error
    PPS_REDUCE_MIN,
    PPS_REDUCE_MAX,
    PPS_REDUCE_MEAN,
    PPS_REDUCE_FIRST,
    PPS_REDUCE_LAST,
};

struct pps_slice_ask {
    struct pps_view_ask view;
    const char *x, *y; // columns; NULL: chosen by the kernel
    const char *value; // NULL: chosen by the kernel, otherwise its first result
    // columns whose values distinguish maps; NULL: all parameters except x and y, or none if
    // `reduce` is set
    const char *by;
    // columns whose values are the rows and columns of one figure of several maps; NULL: none.
    // Then all maps have the same labels.
    const char *panel_rows, *panel_columns;
    enum pps_reduce reduce;
    bool allow_partial; // accept a mean over rows that differ from cell to cell
    struct pps_scale scale;
    size_t max_maps; // cut only the first maps and count the others; 0: cut all
};

// Parses "min", "max", "mean", "first" or "last"; NULL gives PPS_REDUCE_NONE, whose word is
// "none".
PPS_MUST_CHECK enum pps_status pps_reduce_parse(const char *word, enum pps_reduce *reduce,
                                                struct pps_error *err);

const char *pps_reduce_word(enum pps_reduce reduce);

// A result that has been cut.
//
// If ask->by is NULL, each *name* (letter) of the kernel's `heatmap.split` parameter has its
// own map, while all its numbers share one map: on a grid they follow from x and y. If several
// of its numbers fall in one cell, numbers distinguish maps too, unless `reduce` defines how
// to combine them.
struct pps_slices;

// Reads and cuts a result. After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_slices_open(struct pps_slices **cut,
                                               const struct pps_slice_ask *ask,
                                               struct pps_error *err);
void pps_slices_close(struct pps_slices *cut); // NULL is fine

size_t pps_slices_maps(const struct pps_slices *cut);

// Returns true if there are several maps of one cell each: the rows share no grid.
bool pps_slices_has_points_only(const struct pps_slices *cut);

// Returns true if every map is one row or one column and one or two parameters vary: lines over *x, one
// per *y, show such a result. *y is constant if one parameter varies. The names stay valid as long as the
// cut.
bool pps_slices_suit_lines(const struct pps_slices *cut, const char **x, const char **y);

// Returns the number of maps skipped because of max_maps. *at_least is true if this number is a
// lower bound, because the numbers of `split` distinguish maps.
size_t pps_slices_left_out(const struct pps_slices *cut, bool *at_least);

// One matrix. Labels ascend: numbers first, then names in order. Texts and labels that the
// slice does not own stay valid as long as the cut.
struct pps_slice {
    const char *x_name, *y_name, *value_name, *unit;
    const char *x_unit, *y_unit;
    const char *x_text, *y_text, *z_text,
        *value_text;      // of the kernel, beside the names; or NULL
    const char *relative; // "% above the best ..." if the cells are percentages; else ""
    // the third weight if the weights of each cell with two numbers add up to 1; else NULL
    const char *z_name;
    char legend[96];                        // "a = strict priority": the names of labels; or ""
    char panel_row[120], panel_column[120]; // "n=8": the row and column of the panel; or ""
    const struct pps_view_column *value;    // of the view
    enum pps_goal goal;
    enum pps_reduce reduce;
    const char *partial; // as in struct pps_view
    // "n=8 sync_freq=1": documents, the values that distinguish the maps, and the constants
    char *title;
    const char **x, **y;             // n_x and n_y labels
    size_t n_x, n_y;                 // never 0
    size_t n_x_numbers, n_y_numbers; // labels before this index are numbers
    double *cells;                   // cells[row * n_x + column]; NAN: no value
    size_t *valueless;               // indices of cells with rows but without a value
    size_t n_valueless;
    // indices of cells whose rows cover other combinations of the other parameters than the
    // rows of most cells
    size_t *hatched;
    size_t n_hatched;
    // describes the hatched cells in words; "" if all cells cover the same combinations
    char uneven[160];
    bool has_best;
    // the best cell by the goal (the lowest without a goal); of equal cells, the cell of the
    // earliest row
    size_t best_x, best_y;
    double best_value; // never a percentage
    size_t n_best;     // cells with the best value
    size_t *ties;      // indices of these cells, the best cell included; empty if n_best is 1
    size_t n_ties;
    struct pps_scale scale;
    const char *range; // "own scale", "shared scale" or ""
};

// Fills the slice of map i < pps_slices_maps. The caller calls pps_slice_free in every case.
PPS_MUST_CHECK enum pps_status pps_slices_get(const struct pps_slices *cut, size_t i,
                                              struct pps_slice *slice, struct pps_error *err);
void pps_slice_free(struct pps_slice *slice); // a zeroed slice is fine

// Returns the number of figures, and the figure (from 0) that map i is a panel of: maps that
// differ only in the panels' rows and columns share one. Without panels each map is a figure.
size_t pps_slices_figures(const struct pps_slices *cut);
size_t pps_slices_figure(const struct pps_slices *cut, size_t i);

// Writes the slice as text for gnuplot's `matrix rowheaders columnheaders`: comment lines ("#
// key value"), the x labels, then one line per y. Writing errors show in `out`.
void pps_slice_write(const struct pps_slice *slice, FILE *out);

// Writes the name of map i of the result: "<stem>", "<stem>-n8-sync_freq1" with the values that
// distinguish the map, or "<stem>-<number>" if these values are too long or not usable as a file
// name. Returns false if memory runs out.
bool pps_slices_name(const struct pps_slices *cut, size_t i, char *out, size_t cap);
