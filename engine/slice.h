// SPDX-License-Identifier: Apache-2.0
// Cuts a result into matrices ("slices"): one map for each group of rows, a column of values
// over two other columns. Reads the whole result once; memory grows with the number of cells of
// the maps wanted, not with the number of rows that are combined in one cell.
#ifndef PPS_SLICE_H
#define PPS_SLICE_H

#include "scale.h"
#include "status.h"
#include "view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// All maps together: about 1.2 GB.
#define PPS_MAX_CELLS 25000000

// How rows that fall in one cell are combined.
enum pps_reduce {
    PPS_REDUCE_NONE, // as the kernel's heatmap says; otherwise not at all: an error
    PPS_REDUCE_MIN,
    PPS_REDUCE_MAX,
    PPS_REDUCE_MEAN,
    PPS_REDUCE_FIRST,
    PPS_REDUCE_LAST,
};

struct pps_cut_ask {
    struct pps_view_ask view;
    const char *x, *y; // columns; NULL: as the kernel says
    const char *value; // NULL: as the kernel says, else its first result
    const char *by; // columns whose values tell maps apart; NULL: all parameters but x and y,
                    // with `reduce` none at all
    enum pps_reduce reduce;
    bool allow_partial; // a mean over rows that differ from cell to cell
    struct pps_scale scale;
    size_t max_maps; // cut the first ones only, count the others; 0: all
};

// Reads "min", "max", "mean", "first" or "last"; NULL is PPS_REDUCE_NONE, whose word is "none".
PPS_MUST_CHECK enum pps_status pps_reduce_parse(const char *word,
                                                enum pps_reduce *reduce,
                                                struct pps_error *err);

const char *pps_reduce_word(enum pps_reduce reduce);

// A result that has been cut.
//
// Where ask->by is NULL, a *name* (letter) of the kernel's `heatmap.split` parameter makes a
// map of its own while all its numbers share one, as on a grid on which it is what x and y
// leave over. Where several of its numbers meet in one cell, they tell maps apart as well,
// unless `reduce` says how to combine them.
struct pps_cut;

PPS_MUST_CHECK enum pps_status pps_cut_open(struct pps_cut **cut,
                                            const struct pps_cut_ask *ask,
                                            struct pps_error *err);
void pps_cut_close(struct pps_cut *cut); // NULL is fine

size_t pps_cut_maps(const struct pps_cut *cut);

// More than one map, and each has one cell: rows that share no grid.
bool pps_cut_has_points_only(const struct pps_cut *cut);

// Maps that max_maps left out. *at_least: they may be more, as split's numbers tell maps apart.
size_t pps_cut_left_out(const struct pps_cut *cut, bool *at_least);

// One matrix. Labels ascend: numbers first, then names in order. Texts and labels that it does
// not own stay valid as long as the cut.
struct pps_slice {
    const char *x_name, *y_name, *value_name, *unit;
    enum pps_goal goal;
    enum pps_reduce reduce;
    const char *partial; // as of struct pps_view
    char *title; // "n=8 sync_freq=1": what tells the maps apart first, then what never changes
    char *piece; // "n8-sync_freq1": what tells the maps apart, for a file name; may be ""
    const char **x, **y;             // n_x and n_y labels
    size_t n_x, n_y;                 // never 0
    size_t n_x_numbers, n_y_numbers; // labels before this one are numbers
    double *cells;                   // cells[row * n_x + column]; NAN: none
    size_t *valueless;               // those of them that rows fall in, none with a value
    size_t n_valueless;
    size_t *hatched; // those whose rows cover other combinations of the other parameters than
                     // the rows of most cells
    size_t n_hatched;
    char uneven[160]; // says so in words; "" where all cells cover the same combinations
    bool has_best;
    size_t best_x, best_y; // the best by the goal (lower where it has none), of equals that of
                           // the earliest row
    size_t n_best;         // cells of the same value
    size_t *ties;          // those cells, the best one too; none where n_best is 1
    size_t n_ties;
    struct pps_scale scale;
    const char *range; // "own scale", "shared scale" or ""
};

// Map i < pps_cut_maps. pps_slice_free in every case.
PPS_MUST_CHECK enum pps_status pps_cut_slice(const struct pps_cut *cut,
                                             size_t i,
                                             struct pps_slice *slice,
                                             struct pps_error *err);
void pps_slice_free(struct pps_slice *slice); // a zeroed one is fine

// Writes the slice as text that gnuplot reads with `matrix rowheaders columnheaders`: comment
// lines ("# key value"), the x labels, then a line for every y. Writing errors show in `out`.
void pps_slice_write(const struct pps_slice *slice, FILE *out);

// The name of slice i among those of the result: "<stem>", "<stem>-<piece>", "<stem>-<number>"
// where a piece would be too long or is no good as a file name.
void pps_cut_name(const struct pps_cut *cut,
                  const struct pps_slice *slice,
                  size_t i,
                  char *out,
                  size_t cap);

#endif
