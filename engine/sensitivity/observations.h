// SPDX-License-Identifier: Apache-2.0
// Observations are the rows of a result as numbers: for every row one value of the objective, and for
// every parameter the number of its value. They are kept in memory: 8 bytes per row, and 4 bytes per row
// and parameter.
#pragma once

#include "base/text/status.h"
#include "base/text/string_pool.h"
#include "engine/read/grouping.h"
#include "engine/read/view.h"

#include <stdint.h>

// A parameter. Its values are numbered in order: numbers first, then names.
struct pps_observed {
    int column; // of the view
    uint32_t n_levels;
    const char **labels; // text of each value
    double *numbers;     // NAN: a name
    uint32_t *code;      // of each row
    struct pps_string_pool texts;
    size_t room;
};

struct pps_observations {
    struct pps_view view;
    int objective; // column
    struct pps_grouping groups;
    uint64_t n;
    double *y;       // NAN: the row has no value
    uint32_t *group; // number of the row's group
    size_t y_room, group_room;
    struct pps_observed *params;
    int n_params;
};

// Reads all rows of the result that pass the filters. `by` is as for pps_grouping_open. Returns
// PPS_E_INPUT if no row remains or if it is unknown which columns are parameters. The caller closes the
// observations in every case.
PPS_MUST_CHECK enum pps_status pps_observations_open(struct pps_observations *observations,
                                                     const struct pps_view_ask *ask,
                                                     const char *objective, const char *by,
                                                     struct pps_error *err);
void pps_observations_close(struct pps_observations *observations); // a zeroed one is fine
