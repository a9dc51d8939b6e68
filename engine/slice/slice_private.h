// SPDX-License-Identifier: Apache-2.0
// The state of a sliced result. slice.c and columns.c fill it, matrix.c returns it.
// Private to these files.
#pragma once

#include "base/text/hash_slots.h"
#include "base/text/string_pool.h"
#include "engine/read/constant_columns.h"
#include "engine/slice/cell_coverage.h"
#include "engine/slice/slice.h"

// A cell of a map. x and y are label numbers while the result is read, and label ranks
// afterwards.
struct pps_slice_cell {
    uint32_t map, x, y;
    uint32_t n_rows; // rows with a value
    double value;
    uint64_t row;   // first row of the cell, from 1
    uint64_t cover; // id of the combinations of other parameters in its rows (cell_coverage.h)
};

// The labels of an axis. sorted[r] is the label with rank r; the first n_numbers labels are
// numbers.
struct pps_slice_axis {
    struct pps_string_pool names;
    const char **sorted;
    size_t n_numbers;
};

#define PPS_SLICE_SEPARATOR '\x1f' // separates the values in the key of a map

struct pps_slices {
    struct pps_view view;
    int x, y, value;
    bool asked_axes, asked_value, asked_reduce; // chosen by the user
    int *by;                                    // columns that separate the maps, in order
    int n_by;
    int z;                       // the third weight beside x and y; -1: none
    uint64_t n_sums;             // rows whose three weights are numbers that add up to 1
    bool other_sum;              // the numbers of some row's weights add up to another sum
    bool z_named;                // some row has a name as its third weight
    int panel_row, panel_column; // columns of the panels; -1: none
    size_t *figure;              // of each map; NULL: each its own
    size_t n_figures;
    int split; // index in `by` of the column whose numbers may share a map; -1: none
    enum pps_reduce reduce;
    bool allow_partial;
    struct pps_scale scale;
    size_t max_maps;

    struct pps_slice_axis x_axis, y_axis;
    // keys of maps: values of `by`; the numbers of column split are ""
    struct pps_string_pool keys;
    struct pps_string_pool
        split_keys; // keys with the numbers of column split; only without `reduce`
    uint32_t *key_of_split_key;
    size_t split_keys_room;
    bool separate; // maps follow split_keys, not keys
    struct pps_constant_columns constants;
    struct pps_covered covered; // empty without reduce

    struct pps_slice_cell *cells; // finally sorted by map, y, x
    size_t n_cells, cells_room;
    struct pps_hash_slots slots; // finds a cell while the result is read

    double min, max; // of the values of all maps; NAN: no value
    size_t *first;   // cells of map m are first[m] ... first[m + 1] - 1; n_maps + 1 entries
    size_t n_maps, n_left_out;
    bool *varies;  // by[b] differs between maps
    bool numbered; // map names contain a number
};

// The cells of a map.
struct pps_slice_span {
    const struct pps_slice_cell *cells;
    size_t n;
};

static inline struct pps_slice_span pps_slice_span(const struct pps_slices *cut, size_t map)
{
    return (struct pps_slice_span){cut->cells + cut->first[map],
                                   cut->first[map + 1] - cut->first[map]};
}

// Returns the keys of the maps. Call this function after all rows are read.
static inline const struct pps_string_pool *pps_slices_keys(const struct pps_slices *cut)
{
    return cut->separate ? &cut->split_keys : &cut->keys;
}

// Fills x, y, value, by and split. The view must be open.
PPS_MUST_CHECK enum pps_status pps_slice_columns(struct pps_slices *cut,
                                                 const struct pps_slice_ask *ask,
                                                 struct pps_error *err);

// Notes whether the weights of a row add up to 1.
void pps_slice_note_weights(struct pps_slices *cut, const struct pps_cell *cells);

// Fills panel_row, panel_column and, once all maps are known, figure.
PPS_MUST_CHECK enum pps_status pps_slice_panel_columns(struct pps_slices *cut,
                                                       const struct pps_slice_ask *ask,
                                                       struct pps_error *err);
bool pps_slice_find_figures(struct pps_slices *cut);

// Sets z_name, legend and the panel of map i, whose labels are set.
void pps_slice_describe(const struct pps_slices *cut, size_t i, struct pps_slice *slice);

// Turns the cells into percentages of the best value if that is asked for.
PPS_MUST_CHECK enum pps_status pps_slice_relate(const struct pps_slices *cut,
                                                struct pps_slice *slice, struct pps_error *err);

// Returns true for a parameter that is neither an axis nor the value. If the parameters are
// unknown, the columns left of the value count as parameters.
bool pps_slice_tells_apart(const struct pps_slices *cut, int column);

// Sorts labels, cells and maps. Call this function after all rows are read.
PPS_MUST_CHECK enum pps_status pps_slice_finish(struct pps_slices *cut, struct pps_error *err);
