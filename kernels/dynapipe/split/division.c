// SPDX-License-Identifier: Apache-2.0
// Finds the best division of an order by dynamic programming, once for each useful bound of the longest group.
#include "kernels/dynapipe/split/division.h"

#include <math.h>
#include <string.h>

// Bounds at even distances that are tried before the scan: a good division early makes the scan short.
enum { TRIALS = 8 };

void split_divider_take(struct split_divider *divider, int32_t samples, struct room *room)
{
    const size_t n = (size_t)samples;
    divider->least = room_take(room, n + 1, sizeof *divider->least);
    divider->ends = room_take(room, n, sizeof *divider->ends);
    divider->found.start = room_take(room, n + 1, sizeof *divider->found.start);
}

struct task {
    struct split_divider *divider;
    const struct split_groups *groups;
    const struct split_pipeline *pipeline;
    struct poll *poll;
    struct split_division *best;
    double weight; // of the longest group in the objective
    bool is_stopped;
};

static const double *row(const struct task *t, int32_t first)
{
    return t->groups->times + (size_t)first * (size_t)t->groups->width;
}

static void limit(double *restrict least, const double *restrict times, double before,
                  int32_t n)
{
    for (int32_t k = 0; k < n; k++) {
        const double longest = times[k] > before ? times[k] : before;
        least[k] = longest < least[k] ? longest : least[k];
    }
}

// Returns the smallest bound that a division can keep; HUGE_VAL if there is no division.
static double smallest_bound(const struct task *t)
{
    const int32_t n = t->groups->count;
    double *least = t->divider->least;
    for (int32_t i = 1; i <= n; i++)
        least[i] = HUGE_VAL;
    least[0] = 0;
    for (int32_t i = 0; i < n; i++)
        limit(least + i + 1, row(t, i), least[i], t->divider->ends[i]);
    return least[n];
}

// Drops the last groups of every position that are longer than the bound, for all later passes.
static void drop(struct task *t, double bound)
{
    int32_t *ends = t->divider->ends;
    for (int32_t i = 0; i < t->groups->count; i++)
        while (ends[i] > 0 && row(t, i)[ends[i] - 1] > bound)
            ends[i]--;
}

static void relax(double *restrict least, const double *restrict times, double before,
                  double bound, int32_t n)
{
    for (int32_t k = 0; k < n; k++) {
        const double sum = times[k] <= bound ? before + times[k] : HUGE_VAL;
        least[k] = sum < least[k] ? sum : least[k];
    }
}

// Returns the least position from which a group up to `end` gives the least sum.
static int32_t last_start(const struct task *t, int32_t end, double bound)
{
    const double *least = t->divider->least;
    const int32_t width = t->groups->width;
    for (int32_t i = end > width ? end - width : 0; i < end; i++) {
        const int32_t k = end - i - 1;
        if (k < t->divider->ends[i] && row(t, i)[k] <= bound &&
            least[i] + row(t, i)[k] == least[end])
            return i;
    }
    return end - 1;
}

// Writes the division with the least sum, from its last group to its first.
static void trace_back(struct task *t, double bound)
{
    struct split_division *d = &t->divider->found;
    const int32_t n = t->groups->count;
    int32_t at = n;
    d->count = 0;
    d->longest = 0;
    for (int32_t end = n; end > 0; end = d->start[at]) {
        const int32_t i = last_start(t, end, bound);
        d->start[--at] = i;
        d->longest = fmax(d->longest, row(t, i)[end - i - 1]);
        d->count++;
    }
    memmove(d->start, d->start + at, (size_t)d->count * sizeof *d->start);
    d->start[d->count] = n;
    d->sum = t->divider->least[n];
    d->objective = split_objective(t->pipeline, d->longest, d->sum);
}

// Finds the least sum of groups of which none is longer than the bound, and keeps the division if its
// objective is the smallest so far. Returns false if the poll ended the pass.
static bool pass(struct task *t, double bound)
{
    const int32_t n = t->groups->count;
    double *least = t->divider->least;
    uint64_t cells = 1;
    for (int32_t i = 1; i <= n; i++)
        least[i] = HUGE_VAL;
    least[0] = 0;
    for (int32_t i = 0; i < n; i++) {
        const int32_t k = t->divider->ends[i];
        relax(least + i + 1, row(t, i), least[i], bound, k);
        cells += (uint64_t)k;
    }
    t->divider->passes++;
    trace_back(t, bound);
    const struct split_division *d = &t->divider->found;
    struct split_division *best = t->best;
    if (d->objective < best->objective ||
        (d->objective <= best->objective && d->longest < best->longest)) {
        int32_t *start = best->start;
        memcpy(start, d->start, ((size_t)d->count + 1) * sizeof *start);
        *best = *d;
        best->start = start;
    }
    t->is_stopped = poll_over_after(t->poll, cells);
    return !t->is_stopped;
}

// Returns the largest bound with which a division of at least this sum can be better than the best.
static double useful_bound(const struct task *t, double sum)
{
    const double rest = t->best->objective - sum / t->pipeline->replicas;
    if (t->weight == 0)
        return rest >= 0 ? HUGE_VAL : -1;
    return rest / t->weight * (1 + 1e-12); // the objective of an equal division was rounded
}

// Scans the bounds from the largest to the smallest. A smaller bound does not give a smaller sum, so the scan jumps
// over the bounds with which the present sum is not better than the best division.
static void scan(struct task *t, double least_bound)
{
    const struct split_division *d = &t->divider->found;
    if (!pass(t, least_bound) || !pass(t, HUGE_VAL))
        return;
    const double least_sum = d->sum, below = nextafter(d->longest, 0);
    double bound = fmin(below, useful_bound(t, least_sum));
    drop(t, bound);
    const double step = (bound - least_bound) / TRIALS;
    for (int32_t k = 1; k < TRIALS && step > 0 && t->weight > 0; k++)
        if (!pass(t, least_bound + k * step))
            return;
    bound = fmin(bound, useful_bound(t, least_sum));
    while (bound > least_bound) {
        drop(t, bound);
        if (!pass(t, bound))
            return;
        bound = fmin(nextafter(d->longest, 0), useful_bound(t, d->sum));
    }
}

enum split_outcome split_divide(struct split_divider *divider,
                                const struct split_groups *groups,
                                const struct split_pipeline *pipeline, struct poll *poll,
                                struct split_division *division)
{
    struct task t = {divider, groups, pipeline, poll, division, split_longest_weight(pipeline),
                     false};
    divider->passes = 0;
    memcpy(divider->ends, groups->extents, (size_t)groups->count * sizeof *divider->ends);
    division->count = 0;
    division->start[0] = 0;
    division->objective = division->longest = HUGE_VAL;
    if (groups->count == 0) {
        division->objective = division->longest = division->sum = 0;
        return SPLIT_FOUND;
    }
    const double least_bound = smallest_bound(&t);
    if (least_bound == HUGE_VAL)
        return SPLIT_INFEASIBLE;
    scan(&t, least_bound);
    return t.is_stopped ? SPLIT_STOPPED : SPLIT_FOUND;
}
