// SPDX-License-Identifier: Apache-2.0
// Says what a search for plans has to schedule, and how long it may take.
#pragma once

#include "kernels/dynapipe/model/micro_batches.h"

#include <math.h>

#define PLAN_TOLERANCE_MB 1e-6 // a device fits if its peak is at most its limit and this

struct plan_task {
    const struct dynapipe_pipeline *pipeline;
    // The micro-batches with each recomputation of all layers; NULL: the type is not allowed. DYNAPIPE_KEEP is always
    // given; its transfers hold for all types.
    const struct micro_batches *of[DYNAPIPE_RECOMPUTE_TYPES];
    bool keeps_order; // of the micro-batches
    int64_t budget;   // evaluations of schedules
    uint64_t seed;
};

// The size of a task, for which memory is taken.
struct plan_size {
    int32_t devices, stages;
    int32_t widest; // stages of the device with most of them
    int32_t count;  // micro-batches
};

struct plan_size plan_size_of(const struct dynapipe_pipeline *pipeline, int32_t count);

// Returns whether each device keeps within its limit if it has one micro-batch at a time with the recomputation that needs
// the least: if not, no plan fits. *device: the device that lacks most memory; *needs: what it needs, MB.
bool plan_is_feasible(const struct plan_task *task, int32_t *device, double *needs);

static inline bool plan_fits(double peak, double limit)
{
    return peak <= limit + PLAN_TOLERANCE_MB;
}

// Returns what a stage needs for a micro-batch while one of its passes runs.
static inline double plan_needs(const struct micro_batches *batches, int64_t at)
{
    const double again = batches->stored[at] + batches->backward_peak[at];
    return batches->peak[at] > again ? batches->peak[at] : again;
}

// Returns the type of recomputation with which a stage keeps the least of a micro-batch; of equals, that which needs the
// least while it runs, then the fastest.
static inline enum dynapipe_recompute plan_leanest(const struct plan_task *task, int64_t at)
{
    enum dynapipe_recompute best = DYNAPIPE_KEEP;
    for (int type = 1; type < DYNAPIPE_RECOMPUTE_TYPES; type++) {
        const struct micro_batches *b = task->of[type], *c = task->of[best];
        if (b == NULL || b->stored[at] > c->stored[at])
            continue;
        const double needs = plan_needs(b, at), least = plan_needs(c, at);
        if (b->stored[at] < c->stored[at] || needs < least ||
            (needs == least && b->backward[at] < c->backward[at]))
            best = (enum dynapipe_recompute)type;
    }
    return best;
}
