// SPDX-License-Identifier: Apache-2.0
// Replays schedules by their definition.
#include "kernels/dynapipe/reference.h"

#include <math.h>
#include <stdlib.h>

struct replay {
    const struct micro_batches *batches;
    const struct lanes *lanes;
    double *end;   // [micro_batch * 4 * stages + step of the chain]; < 0: has not run
    int32_t *next; // [LANES * devices]
    double *free_at;
};

// Steps of a chain: the forward of stage 0, its transfer, ..., the forward of the last stage, nothing, its backward, ...
static int64_t step_of(const struct replay *r, int lane, const struct lane_operation *op)
{
    const int32_t n = r->batches->stages;
    return (op->backward ? 2 * (2 * n - 1 - op->stage) : 2 * op->stage) + lane;
}

// Runs the next operation of a lane if it can start. Returns whether it did.
static bool advance(const struct replay *r, int lane, int32_t device)
{
    const int32_t n = r->batches->stages, at = lane * r->lanes->devices + device;
    if (r->next[at] == r->lanes->n[lane][device])
        return false;
    const struct lane_operation *op =
        &r->lanes->operations[lane][lanes_at(r->lanes, device, r->next[at])];
    double *chain = r->end + (int64_t)op->micro_batch * 4 * n;
    const int64_t step = step_of(r, lane, op), before = step == 2 * n ? step - 2 : step - 1;
    if (step > 0 && chain[before] < 0)
        return false;
    const double ready = step > 0 ? chain[before] : 0;
    r->free_at[at] = fmax(r->free_at[at], ready) +
                     lane_duration(r->batches, lane == 0 ? LANE_COMPUTE : LANE_SEND, op);
    chain[step] = r->free_at[at];
    r->next[at]++;
    return true;
}

static double run(const struct replay *r)
{
    const int32_t devices = r->lanes->devices;
    double makespan = 0;
    for (bool ran = true; ran;) {
        ran = false;
        for (int lane = 0; lane < LANES; lane++)
            for (int32_t d = 0; d < devices; d++)
                while (advance(r, lane, d))
                    ran = true;
    }
    for (int lane = 0; lane < LANES; lane++)
        for (int32_t d = 0; d < devices; d++) {
            if (r->next[lane * devices + d] < r->lanes->n[lane][d])
                return (double)NAN;
            makespan = fmax(makespan, r->free_at[lane * devices + d]);
        }
    return makespan;
}

double dynapipe_replay(const struct dynapipe_pipeline *pipeline,
                       const struct micro_batches *batches, const struct lanes *lanes)
{
    const size_t cells = 4 * (size_t)batches->count * (size_t)batches->stages + 1,
                 all = LANES * (size_t)pipeline->devices;
    struct replay r = {batches, lanes, malloc(cells * sizeof *r.end),
                       calloc(all, sizeof *r.next), calloc(all, sizeof *r.free_at)};
    double makespan = (double)NAN;
    for (size_t k = 0; k < cells && r.end != NULL; k++)
        r.end[k] = -1;
    if (r.end != NULL && r.next != NULL && r.free_at != NULL)
        makespan = run(&r);
    free(r.end);
    free(r.next);
    free(r.free_at);
    return makespan;
}
