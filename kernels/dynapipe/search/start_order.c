// SPDX-License-Identifier: Apache-2.0
// Sorts micro-batches by their times.
#include "kernels/dynapipe/search/start_order.h"

static double time_of(const struct plan_task *task, int32_t m, int32_t from, int32_t to)
{
    const struct micro_batches *b = task->of[DYNAPIPE_KEEP];
    double sum = 0;
    for (int32_t stage = from; stage < to; stage++)
        sum += b->forward[micro_batches_at(b, m, stage)] +
               b->backward[micro_batches_at(b, m, stage)];
    return sum;
}

// Jobs that are shorter at the first stage come first, the shortest of them first; then the others, the shortest at the
// last stage last.
static double johnson_key(const struct plan_task *task, int32_t m)
{
    const int32_t stages = task->pipeline->stages;
    const double first = time_of(task, m, 0, 1), last = time_of(task, m, stages - 1, stages);
    return first < last ? 1e300 - first : last;
}

static double key_of(const struct plan_task *task, enum start_order which, int32_t m)
{
    const double time = time_of(task, m, 0, task->pipeline->stages);
    return which == START_GIVEN         ? 0
           : which == START_SHORT_FIRST ? -time
           : which == START_JOHNSON     ? johnson_key(task, m)
                                        : time;
}

// Sorts by descending key; equal ones stay in their order.
static void sort(const double *key, int32_t n, int32_t *order)
{
    for (int32_t i = 1; i < n; i++) {
        const int32_t m = order[i];
        int32_t k = i;
        for (; k > 0 && key[order[k - 1]] < key[m]; k--)
            order[k] = order[k - 1];
        order[k] = m;
    }
}

// From sorted to alternating, in place: the last ones move between the first ones.
static void alternate(int32_t *order, int32_t n)
{
    for (int32_t to = 1; to < n; to += 2) {
        const int32_t moved = order[n - 1];
        for (int32_t k = n - 1; k > to; k--)
            order[k] = order[k - 1];
        order[to] = moved;
    }
}

void start_order_write(const struct plan_task *task, enum start_order which, double *key,
                       int32_t *order)
{
    const int32_t n = task->of[DYNAPIPE_KEEP]->count;
    for (int32_t m = 0; m < n; m++) {
        order[m] = m;
        key[m] = key_of(task, which, m);
    }
    sort(key, n, order);
    if (which == START_ALTERNATING)
        alternate(order, n);
}

bool start_recompute_write(const struct plan_task *task, int type, uint8_t *recompute)
{
    const struct micro_batches *keep = task->of[DYNAPIPE_KEEP];
    const int64_t n = (int64_t)keep->count * keep->stages;
    if (type < DYNAPIPE_RECOMPUTE_TYPES && task->of[type] == NULL)
        return false;
    for (int64_t at = 0; at < n; at++)
        recompute[at] =
            (uint8_t)(type < DYNAPIPE_RECOMPUTE_TYPES ? type : (int)plan_leanest(task, at));
    return true;
}
