// SPDX-License-Identifier: Apache-2.0
// Evaluates a point: the step of a batch, or of micro-batches whose sizes are drawn, is planned replica by replica.
#pragma once

#include "kernels/dynapipe/documents.h"
#include "kernels/dynapipe/step/step.h"

// A point as a task. The structure is large and lies in the scratch.
struct dynapipe_point {
    const struct batch *batch;      // NULL: a plan, or sizes are drawn
    const struct shared_plan *plan; // NULL: none
    int32_t micro_batches;          // that are drawn for a replica
    int distribution;
    double spread, comm_ratio;
    uint64_t seed;
    struct network network;
    struct network_links links;
    struct cost_tables none; // without cost tables: no parameters
    struct network_stages stages;
    struct step_setup setup;
    struct step_choice choice;
    int32_t over; // first device whose state does not fit; -1: none
    struct split_samples samples;
};

// What a point takes of the scratch.
struct dynapipe_scratch {
    struct dynapipe_point *point;
    int32_t *order; // [micro-batches] of the slowest replica
    double *size;   // [micro-batches]: drawn
    struct step_division *division;
    struct room replica; // what is left, for one replica at a time
};

struct dynapipe_figures {
    double makespan, bound,
        plain;   // us, of the slowest replica; plain: the simple schedule; INFINITY: none
    double busy; // us, of all devices
    double peak; // MB
    int32_t worst_device, slowest, count; // count: micro-batches of the slowest replica
    const char *method, *mode;
    int64_t evaluations, first_fit, full, selective, micro_batches;
    int64_t tokens, padded;
    double objective; // ms
    double needs;     // MB, of a point that is infeasible; NAN: unknown
};

// Opens the scratch of a worker for the values of a point that has passed the check.
void dynapipe_scratch_open(struct dynapipe_scratch *scratch, const double *value,
                           const struct pps_worker *worker);

// Returns the micro-batches of a replica.
int32_t dynapipe_count(const struct dynapipe_scratch *scratch, int32_t replica);

// Fills and plans replica k in the room.
enum plan_outcome dynapipe_plan(struct dynapipe_scratch *scratch, int32_t k, struct room room,
                                struct step_replica *replica, struct poll *poll);

// Evaluates a point. caution: zeroed; afterwards that of the division that was planned.
enum pps_outcome dynapipe_evaluate(struct dynapipe_scratch *scratch, struct poll *poll,
                                   struct dynapipe_figures *figures,
                                   struct step_caution *caution);

// Fills micro-batches of drawn sizes with all types of recomputation.
void dynapipe_generate(const struct dynapipe_point *point, int32_t replica, double *size,
                       struct step_replica *out);
