// SPDX-License-Identifier: Apache-2.0
// What a cut result is made of; for slice.c and slicecolumns.c, which fill it,
// and slicemap.c, which hands it out.
#ifndef PPS_CUT_H
#define PPS_CUT_H

#include "constants.h"
#include "covered.h"
#include "names.h"
#include "slice.h"

// A cell of some map. While the result is read, x and y are numbers of labels; then their ranks.
struct pps_cut_cell {
    uint32_t map, x, y;
    uint32_t n_rows; // with a value
    double value;
    uint64_t row;   // the first one, from 1
    uint64_t cover; // which combinations of other parameters its rows have (covered.h)
};

// The labels of an axis. sorted[r] is the label of rank r; the first n_numbers are numbers.
struct pps_cut_axis {
    struct pps_names names;
    const char **sorted;
    size_t n_numbers;
};

#define PPS_CUT_SEPARATOR '\x1f' // between the values of a map's key

struct pps_cut {
    struct pps_view view;
    int x, y, value;
    bool asked_axes, asked_value, asked_reduce; // named by whoever asks
    int *by;                                    // columns that tell maps apart, in order
    int n_by;
    int split; // place in `by` of the column whose numbers may share a map; -1: there is none
    enum pps_reduce reduce;
    bool allow_partial;
    struct pps_scale scale;
    size_t max_maps;

    struct pps_cut_axis x_axis, y_axis;
    struct pps_names keys;       // of maps: values of `by`, split's numbers as ""
    struct pps_names split_keys; // the same with split's numbers; only without `reduce`
    uint32_t *key_of_split_key;
    size_t split_keys_room;
    bool separate; // maps are those of split_keys
    struct pps_constants constants;
    struct pps_covered covered; // empty without reduce

    struct pps_cut_cell *cells; // at last in order of map, y, x
    size_t n_cells, cells_room;
    uint32_t *slots; // hash table of cells: index + 1
    size_t n_slots;

    double min, max; // of the values of all maps; NAN: there is none
    size_t *first;   // first[m]: where the cells of map m begin; one more than there are maps
    size_t n_maps, n_left_out;
    bool *varies;  // does by[b] differ between maps?
    bool numbered; // maps are named by number
};

// The cells of a map.
struct pps_cut_span {
    const struct pps_cut_cell *cells;
    size_t n;
};

static inline struct pps_cut_span pps_cut_span(const struct pps_cut *cut, size_t map)
{
    return (struct pps_cut_span){cut->cells + cut->first[map],
                                 cut->first[map + 1] - cut->first[map]};
}

// The keys of maps as they are after reading.
static inline const struct pps_names *pps_cut_keys(const struct pps_cut *cut)
{
    return cut->separate ? &cut->split_keys : &cut->keys;
}

// Fills x, y, value, by and split, having opened the view.
PPS_MUST_CHECK enum pps_status pps_cut_columns(struct pps_cut *cut,
                                               const struct pps_cut_ask *ask,
                                               struct pps_error *err);

// A parameter beside the axes and the value; where nobody knows which columns are parameters,
// those left of the value.
bool pps_cut_tells_apart(const struct pps_cut *cut, int column);

// Puts labels, cells and maps in order, having read all rows.
PPS_MUST_CHECK enum pps_status pps_cut_finish(struct pps_cut *cut, struct pps_error *err);

#endif
