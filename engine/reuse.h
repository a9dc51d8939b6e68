// SPDX-License-Identifier: Apache-2.0
// Rows of an earlier result, found again by the values of all parameters, so that a changed or
// longer experiment computes only what is new. Which parameters a row shows, and in which order,
// does not matter: those it does not show are in the manifest beside the result. Documents of one
// name must be the same; the result may have others besides, as may the experiment.
//
// Held in memory: a table of 1.3 to 2.7 places of 24 bytes for each row, its results as text and 9
// bytes more. 10^7 rows with one result take about 600 MB.
#ifndef PPS_REUSE_H
#define PPS_REUSE_H

#include "experiment.h"
#include "status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pps_reuse; // const once it is open: any number of threads may look

// What a row of the earlier result says.
struct pps_reused {
    const char *results; // the cells of the wanted columns with commas between and a newline
    size_t n;
    bool infeasible; // it says that the point cannot be done
    // The objective; of an infeasible row what it has in the column that the kernel names `nearest`,
    // NAN where that is nothing.
    double value;
};

// Reads the result at path. PPS_E_INPUT, one line that names the difference, where its rows would
// not be those that the experiment computes: another kernel or version, --exact, a wanted column
// (or the objective) that it has not or has with other digits, no manifest; or where its bytes do not
// match the checksums in its index.
PPS_MUST_CHECK enum pps_status pps_reuse_open(struct pps_reuse **reuse,
                                              const char *path,
                                              const struct pps_experiment *experiment,
                                              int objective,
                                              struct pps_error *err);
void pps_reuse_close(struct pps_reuse *reuse); // NULL is fine

// Whether there was an index, so that the bytes are known to be those that were written.
bool pps_reuse_is_checked(const struct pps_reuse *reuse);

// False: the earlier result has no such point, or has it without any result.
bool pps_reuse_find(const struct pps_reuse *reuse,
                    const double *point,
                    struct pps_reused *found);

#endif
