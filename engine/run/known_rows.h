// SPDX-License-Identifier: Apache-2.0
// Rows of an earlier result are found by the values of all parameters, so that a changed or
// longer experiment computes only its new points. The set and order of the parameter columns do
// not matter: other parameters are in the manifest beside the result. Documents of the same
// name must be equal; the result and the experiment may each have further documents.
//
// Memory: for each row a table of 1.3 to 2.7 slots of 24 bytes, its results as text, and 9
// bytes more. 10^7 rows with one result take about 600 MB.
#ifndef PPS_REUSE_H
#define PPS_REUSE_H

#include "base/text/status.h"
#include "engine/experiment/experiment.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pps_reuse; // const once open: any number of threads may search it

// One row of the earlier result.
struct pps_reused {
    const char *results; // the cells of the wanted columns, separated by commas, with a newline
    size_t n;
    bool infeasible; // the row's point is infeasible
    // The objective. For an infeasible row, the value of the column that the kernel names
    // `nearest`; NAN if there is none.
    double value;
};

// Reads the result at path. Returns PPS_E_INPUT, with one line that names the difference, if
// its rows can differ from the rows that the experiment computes: another kernel or version,
// another setting of --exact, a wanted column (or the objective) that is missing or has other
// digits, or no manifest. Also PPS_E_INPUT if its bytes do not match the checksums in its
// index.
PPS_MUST_CHECK enum pps_status pps_reuse_open(struct pps_reuse **reuse,
                                              const char *path,
                                              const struct pps_experiment *experiment,
                                              int objective,
                                              struct pps_error *err);
void pps_reuse_close(struct pps_reuse *reuse); // NULL is fine

// Returns whether the bytes were checked against an index.
bool pps_reuse_is_checked(const struct pps_reuse *reuse);

// Finds a point. Returns false if the earlier result does not have the point, or has it without
// any result.
bool pps_reuse_find(const struct pps_reuse *reuse,
                    const double *point,
                    struct pps_reused *found);

#endif
