// SPDX-License-Identifier: Apache-2.0
// Implements `eval`: reads rows of points in CSV and writes the same rows with results. Rows
// are streamed: rows that have arrived are answered before the evaluator waits for more input.
#pragma once

#include "base/text/status.h"
#include "engine/experiment/experiment.h"
#include "engine/read/result.h"
#include "engine/store/output.h"
#include "ppsweep/kernel.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct pps_evaluate {
    const struct pps_kernel *kernel;    // kernel of `inputs`
    const struct pps_documents *inputs; // documents of the kernel
    const char *path;                   // input file; "-": stdin
    FILE *out;
    const char *metrics; // as in struct pps_request
    int digits;
    bool exact;           // disable shortcuts
    uint64_t point_limit; // events after which a point fails; 0: no limit
    bool keep;            // copy columns that are neither parameters nor results
    bool strict;          // a row that cannot be read ends the evaluation
    bool reasons;         // add PPS_REASON_COLUMN: why a row has no results
    // Called for each row that cannot be read, with the place and the error; may be NULL.
    void (*unreadable)(void *self, const struct pps_error *why);
    void *self;
    int threads;
    const atomic_bool *stop;
    struct pps_read_watch watch; // of the input; its stop flag is not used
};

struct pps_evaluated {
    uint64_t rows;
    uint64_t unreadable; // rows with empty results because they cannot be read
    uint64_t failed, infeasible;
    uint64_t left_out[PPS_MAX_REASONS]; // skipped points by the kernel's reason
};

#define PPS_REASON_COLUMN "reason"

// Evaluates all rows of the input. A row that cannot be read, or that needs more memory than is
// available, is answered with empty results. With `strict` it is PPS_E_INPUT, and the rows
// before it are still written. An error in the header line, or a line longer than PPS_CSV_LINE,
// is always PPS_E_INPUT. Returns PPS_E_STOPPED if the stop flag was set.
PPS_MUST_CHECK enum pps_status pps_evaluate(const struct pps_evaluate *ask,
                                            struct pps_evaluated *count, struct pps_error *err);
