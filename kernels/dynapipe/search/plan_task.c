// SPDX-License-Identifier: Apache-2.0
// Looks at tasks before they are searched.
#include "kernels/dynapipe/search/plan_task.h"

struct plan_size plan_size_of(const struct dynapipe_pipeline *pipeline, int32_t count)
{
    struct plan_size size = {pipeline->devices, pipeline->stages, 0, count};
    for (int32_t d = 0; d < pipeline->devices; d++) {
        int32_t stages = 0;
        for (int32_t s = 0; s < pipeline->stages; s++)
            stages += pipeline->device_of[s] == d;
        size.widest = stages > size.widest ? stages : size.widest;
    }
    return size;
}

// Returns the least memory with which a device can run a micro-batch alone: its forwards through all stages, then its
// backwards. Exact for one stage; no plan needs less for several.
static double alone(const struct plan_task *task, int32_t device, int32_t m)
{
    const struct micro_batches *keep = task->of[DYNAPIPE_KEEP];
    double memory = task->pipeline->state[device], most = memory;
    for (int32_t s = 0; s < keep->stages; s++) {
        const int64_t at = micro_batches_at(keep, m, s);
        double needs = HUGE_VAL, stored = HUGE_VAL;
        for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++)
            if (task->of[type] != NULL && task->pipeline->device_of[s] == device) {
                needs = fmin(needs, plan_needs(task->of[type], at));
                stored = fmin(stored, task->of[type]->stored[at]);
            }
        if (task->pipeline->device_of[s] != device)
            continue;
        most = fmax(most, memory + needs);
        memory += stored;
    }
    return most;
}

bool plan_is_feasible(const struct plan_task *task, int32_t *device, double *needs)
{
    const struct dynapipe_pipeline *p = task->pipeline;
    double worst = 0;
    *device = -1;
    *needs = 0;
    for (int32_t d = 0; d < p->devices; d++) {
        double most = p->state[d];
        for (int32_t m = 0; m < task->of[DYNAPIPE_KEEP]->count; m++)
            most = fmax(most, alone(task, d, m));
        if (!plan_fits(most, p->limit[d]) && most - p->limit[d] > worst) {
            worst = most - p->limit[d];
            *device = d;
            *needs = most;
        }
    }
    return *device < 0;
}
