// SPDX-License-Identifier: Apache-2.0
// Evaluates one batch of the points of a ppsweep_evaluate call, and declares the state of the
// call. Private to evaluate.c and batch.c.
#pragma once

#include "engine/library/library_private.h"

// A call of ppsweep_evaluate.
struct pps_call {
    struct ppsweep_model *model;
    const struct ppsweep_points *points;
    const atomic_bool *stop;
    uint64_t given; // parameters with an array, one bit each
    int given_list[PPS_MAX_PARAMS];
    int n_given;
    int threads;
    size_t window; // points
    atomic_size_t next;
    atomic_bool stopped, no_memory;
};

// A batch: n points of the caller, numbered from[0] + first and so on.
struct pps_chunk {
    const uint32_t *from;
    size_t first, n;
};

// Sets all parameters to their defaults.
void pps_call_defaults(const struct pps_call *call, double *point);

// Copies the parameters of point i that have an array, and adds the values of its documents.
void pps_call_point(const struct pps_call *call, size_t i, double *point);

// Ends point i without results.
void pps_call_refuse(const struct pps_call *call, size_t i, enum ppsweep_outcome outcome,
                     int detail);

// Evaluates a batch of valid points, whose parameters are at most highest[p]; in halves if they
// need too much memory together.
void pps_call_evaluate(struct pps_call *call, struct pps_workspace *workspace,
                       const struct pps_chunk *chunk, const double *highest);
