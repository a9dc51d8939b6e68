// SPDX-License-Identifier: Apache-2.0
// Rows of points in CSV to the same rows with results: what `eval` does. Streams; rows that have
// arrived are answered before more input is waited for.
#ifndef PPS_EVALUATE_H
#define PPS_EVALUATE_H

#include "experiment.h"
#include "kernel.h"
#include "output.h"
#include "status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct pps_evaluate {
    const struct pps_kernel *kernel; // that of inputs
    const struct pps_inputs *inputs; // of the kernel
    const char *path;                // of the input; "-": stdin
    FILE *out;
    const char *metrics; // as in struct pps_request
    int digits;
    bool exact;           // take no short cut
    uint64_t point_limit; // events after which a point fails; 0: none
    bool keep;            // columns that are neither parameters nor results pass through
    bool strict;          // a row that cannot be read ends the evaluation
    bool reasons;         // a last column PPS_REASON_COLUMN says why a row has no results
    // Called for each row that cannot be read, with the place and what is wrong; or NULL.
    void (*unreadable)(void *self, const struct pps_error *why);
    void *self;
    int threads;
    const atomic_bool *stop;
};

struct pps_evaluated {
    uint64_t rows;
    uint64_t unreadable; // answered with empty results
    uint64_t failed, infeasible;
    uint64_t left_out[PPS_MAX_REASONS]; // by the kernel's reason
};

#define PPS_REASON_COLUMN "reason"

// A row that cannot be read, or needs more memory than there is, is answered with empty results;
// with `strict` it is PPS_E_INPUT, and rows before it are still written. A fault of the header line,
// or a line longer than PPS_CSV_LINE, is PPS_E_INPUT in every case. PPS_E_STOPPED when the stop flag
// went up.
PPS_MUST_CHECK enum pps_status pps_evaluate(const struct pps_evaluate *ask,
                                            struct pps_evaluated *count,
                                            struct pps_error *err);

#endif
