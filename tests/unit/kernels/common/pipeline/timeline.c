// SPDX-License-Identifier: Apache-2.0
// Timelines against a plain simulation, event by event, that knows orders and no graph; longest
// paths, deadlocks, memory along orders and bubbles.
#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/math/random.h"
#include "kernels/common/pipeline/bubble.h"
#include "kernels/common/pipeline/memory_line.h"
#include "kernels/common/pipeline/timeline.h"

// ---- cases --------------------------------------------------------------------------------------

static double length(struct draws *d)
{
    const int32_t how = draws_below(d, 4);
    return how == 0   ? draws_below(d, 4)
           : how == 1 ? 0.1 * draws_below(d, 50)
                      : 0.01 + draws_below(d, 1000) * 0.007;
}

struct pipeline {
    struct orders_shape shape;
    enum orders_placement placement;
    struct orders_task *tasks; // [stage][length]
    double *durations;         // [class]
    double hop;
};

static struct pipeline random_pipeline(uint64_t seed, uint64_t k)
{
    struct draws d = {seed, k, 0};
    struct pipeline p = {
        .shape = {.stages = 1 + draws_below(&d, 6), .chunks = 1 + draws_below(&d, 3)}};
    p.shape.micro_batches = p.shape.stages + draws_below(&d, 9);
    p.shape.splits = draws_below(&d, 3) ? 1 : 1 + draws_below(&d, 3);
    p.shape.warmup = (enum orders_warmup)draws_below(&d, 2);
    p.shape.remainder = (enum orders_remainder)draws_below(&d, 3);
    p.hop = draws_below(&d, 2) ? 0 : length(&d);
    const int32_t n = orders_length(&p.shape), classes = 2 * p.shape.chunks * p.shape.stages;
    p.tasks = malloc((size_t)(p.shape.stages * n) * sizeof *p.tasks);
    p.durations = malloc((size_t)classes * sizeof *p.durations);
    for (int32_t i = 0; i < p.shape.stages; i++)
        orders_of_stage(&p.shape, i, &p.tasks[i * n]);
    for (int32_t c = 0; c < classes; c++)
        p.durations[c] = length(&d);
    return p;
}

static void free_pipeline(struct pipeline *p)
{
    free(p->tasks);
    free(p->durations);
}

// ---- the plain simulation -----------------------------------------------------------------------

static bool same(const struct orders_task *a, int kind, int chunk, const struct orders_task *b)
{
    return a->kind == kind && a->chunk == chunk && a->micro_batch == b->micro_batch &&
           a->split == b->split;
}

// When the task of that kind at a place in the model has ended; HUGE_VAL: not yet.
static double end_of(const struct pipeline *p,
                     const double *ends,
                     int kind,
                     int32_t position,
                     const struct orders_task *task,
                     int32_t *stage)
{
    const int32_t n = orders_length(&p->shape);
    int32_t chunk;
    orders_at_position(p->placement, p->shape.stages, position, &chunk, stage);
    for (int32_t k = 0; k < n; k++)
        if (same(&p->tasks[*stage * n + k], kind, chunk, task))
            return ends[*stage * n + k];
    return HUGE_VAL;
}

// When what a task needs is there; HUGE_VAL: not known yet.
static double ready(const struct pipeline *p, const double *ends, int32_t k)
{
    const struct orders_task *task = &p->tasks[k];
    const int32_t stage = k / orders_length(&p->shape);
    const int32_t last = p->shape.stages * p->shape.chunks - 1;
    const int32_t at = orders_position(p->placement, p->shape.stages, task->chunk, stage);
    int32_t from = stage;
    double end = 0;
    if (task->kind == ORDERS_FORWARD && at > 0)
        end = end_of(p, ends, ORDERS_FORWARD, at - 1, task, &from);
    if (task->kind == ORDERS_BACKWARD)
        end = at == last ? end_of(p, ends, ORDERS_FORWARD, at, task, &from)
                         : end_of(p, ends, ORDERS_BACKWARD, at + 1, task, &from);
    return end + (from != stage ? p->hop : 0);
}

// Each stage's next task starts once the stage is free and what it needs is there. Time goes from
// event to event: the least end, or arrival, at which something can start. false: deadlock.
static bool simulate(const struct pipeline *p, double *starts, double *ends, double *makespan)
{
    const int32_t n = orders_length(&p->shape), stages = p->shape.stages;
    int32_t *next = calloc((size_t)stages, sizeof *next);
    double *free_at = calloc((size_t)stages, sizeof *free_at);
    int32_t left = stages * n;
    *makespan = 0;
    for (int32_t k = 0; k < stages * n; k++)
        ends[k] = HUGE_VAL;
    while (left > 0) {
        double now = HUGE_VAL;
        int32_t who = -1;
        for (int32_t i = 0; i < stages; i++) {
            const double at =
                next[i] < n ? fmax(free_at[i], ready(p, ends, i * n + next[i])) : HUGE_VAL;
            if (at < now) {
                now = at;
                who = i;
            }
        }
        if (who < 0)
            break;
        const int32_t k = who * n + next[who]++;
        const enum orders_kind kind = (enum orders_kind)p->tasks[k].kind;
        starts[k] = now;
        free_at[who] = ends[k] =
            now + p->durations[timeline_class(&p->shape, kind, p->tasks[k].chunk, who)];
        *makespan = fmax(*makespan, ends[k]);
        left--;
    }
    free(next);
    free(free_at);
    return left == 0;
}

Test(timeline, equals_the_plain_simulation)
{
    for (uint64_t k = 0; k < 600; k++) {
        struct pipeline p = random_pipeline(5, k);
        const size_t n = (size_t)(p.shape.stages * orders_length(&p.shape));
        double *values = malloc(4 * n * sizeof *values), makespan;
        double *starts = values, *ends = values + n, *plain = values + 2 * n;
        const double delays[] = {0, p.hop};
        struct timeline *timeline;
        cr_assert(timeline_of_orders(&p.shape, p.placement, p.tasks, &timeline, NULL) ==
                  TIMELINE_DONE);
        cr_assert(timeline_n_tasks(timeline) == (int32_t)n);
        const double span = timeline_run(timeline, p.durations, delays, starts, ends);
        cr_assert(simulate(&p, plain, plain + n, &makespan));
        cr_assert(span == makespan, "case %d: %.17g %.17g", (int)k, span, makespan);
        cr_assert(memcmp(starts, plain, 2 * n * sizeof *starts) == 0, "case %d", (int)k);
        timeline_free(timeline);
        free(values);
        free_pipeline(&p);
    }
}

Test(timeline, longest_path_is_as_long_as_the_makespan)
{
    for (uint64_t k = 0; k < 300; k++) {
        struct pipeline p = random_pipeline(6, k);
        const int32_t n = p.shape.stages * orders_length(&p.shape);
        double *starts = malloc(2 * (size_t)n * sizeof *starts), *ends = starts + n;
        int32_t *path = malloc((size_t)n * sizeof *path);
        const double delays[] = {0, p.hop};
        struct timeline *timeline;
        cr_assert(timeline_of_orders(&p.shape, p.placement, p.tasks, &timeline, NULL) ==
                  TIMELINE_DONE);
        const double span = timeline_run(timeline, p.durations, delays, starts, ends);
        const int32_t length = timeline_critical(timeline, delays, starts, ends, path, n);
        cr_assert(length >= 1 && length <= n);
        cr_assert(starts[path[0]] == 0 && ends[path[length - 1]] == span);
        for (int32_t j = 1; j < length; j++) {
            const bool hop =
                path[j] / orders_length(&p.shape) != path[j - 1] / orders_length(&p.shape);
            cr_assert(starts[path[j]] == ends[path[j - 1]] + (hop ? p.hop : 0));
        }
        // The last ones, where there is no room for all.
        int32_t two[2];
        cr_assert(timeline_critical(timeline, delays, starts, ends, two, 2) == length);
        cr_assert(two[length > 1] == path[length - 1]);
        timeline_free(timeline);
        free(starts);
        free(path);
        free_pipeline(&p);
    }
}

Test(timeline, deadlocks_are_named)
{
    const struct orders_shape shape = {2, 1, 2, 1, ORDERS_LOW, ORDERS_FIRST};
    // Stage 0 wants the backward of micro-batch 0 before the forward of 1, stage 1 the forward of 1
    // before the backward of 0.
    const struct orders_task tasks[] = {
        {0, 0, 0, ORDERS_FORWARD},  {0, 0, 0, ORDERS_BACKWARD}, {1, 0, 0, ORDERS_FORWARD},
        {1, 0, 0, ORDERS_BACKWARD}, {0, 0, 0, ORDERS_FORWARD},  {1, 0, 0, ORDERS_FORWARD},
        {0, 0, 0, ORDERS_BACKWARD}, {1, 0, 0, ORDERS_BACKWARD},
    };
    struct timeline *timeline;
    struct timeline_cycle cycle;
    char text[512], small[20];
    cr_assert(timeline_of_orders(&shape, ORDERS_LOOP, tasks, &timeline, &cycle) ==
              TIMELINE_DEADLOCK);
    cr_assert(timeline == NULL && cycle.n == 4);
    timeline_cycle_text(&shape, tasks, &cycle, text, sizeof text);
    cr_assert(strstr(text, "backward of micro-batch 0 on stage 1 waits for forward of "
                           "micro-batch 1 on stage 1") != NULL,
              "%s", text);
    cr_assert(strstr(text, "forward of micro-batch 1 on stage 0 waits for backward of "
                           "micro-batch 0 on stage 0") != NULL,
              "%s", text);
    timeline_cycle_text(&shape, tasks, &cycle, small, sizeof small);
    cr_assert(strlen(small) == sizeof small - 1);
}

// ---- memory -------------------------------------------------------------------------------------

Test(memline, of_1f1b_is_the_distance_to_the_end)
{
    const struct orders_shape shape = {4, 1, 6, 1, ORDERS_LOW, ORDERS_FIRST};
    struct orders_task tasks[12];
    const double weights[] = {3};
    for (int32_t i = 0; i < 4; i++) {
        int32_t vectors[16];
        orders_of_stage(&shape, i, tasks);
        const struct memline_peak peak = memline_of_order(&shape, tasks, weights);
        cr_assert(peak.memory == 3.0 * (4 - i) && peak.in_flight == 4 - i && peak.at == 3 - i);
        cr_assert(memline_vectors(&shape, tasks, vectors, 16) == 1 && vectors[0] == 4 - i);
        cr_assert(memline_1f1b(4, 6, i) == 4 - i);
    }
    cr_assert(memline_1f1b(4, 2, 0) == 2);
}

Test(memline, vectors_have_the_peak_of_the_order)
{
    for (uint64_t k = 0; k < 300; k++) {
        struct pipeline p = random_pipeline(7, k);
        struct draws d = {8, k, 0};
        const int32_t n = orders_length(&p.shape), most = memline_vectors_most(&p.shape);
        int32_t *vectors = malloc((size_t)(most * p.shape.chunks) * sizeof *vectors);
        double *after = malloc((size_t)n * sizeof *after), weights[3];
        for (int32_t i = 0; i < p.shape.stages; i++) {
            const struct orders_task *tasks = &p.tasks[i * n];
            for (int v = 0; v < 3; v++)
                weights[v] = draws_below(&d, 4) ? 1 + draws_below(&d, 9) : 0;
            const struct memline_peak peak = memline_of_order(&p.shape, tasks, weights);
            const int32_t found = memline_vectors(&p.shape, tasks, vectors, most);
            cr_assert(found >= 1 && found <= most);
            cr_assert_float_eq(memline_of_vectors(&p.shape, vectors, found, weights),
                               peak.memory, 1e-12 * peak.memory);
            double highest = 0;
            memline_curve(&p.shape, tasks, weights, after);
            for (int32_t j = 0; j < n; j++)
                highest = fmax(highest, after[j]);
            cr_assert(highest == peak.memory && after[peak.at] == peak.memory);
            cr_assert(after[n - 1] == 0);
        }
        free(after);
        free(vectors);
        free_pipeline(&p);
    }
}

Test(bubble, parts_add_up)
{
    // 4 stages, 8 micro-batches, perfectly balanced, nothing recomputed: the ideal bubble alone.
    struct bubble_work work = {4, 1, 8, 8 * 4 * 3.0, 8 * 4 * 3.0, 11 * 3.0, 11 * 3.0};
    struct bubble bubble = bubble_split(&work);
    cr_assert_float_eq(bubble.total, 3.0 / 8, 1e-12);
    cr_assert_float_eq(bubble.ideal, 3.0 / 8, 1e-12);
    cr_assert_float_eq(bubble.imbalance, 0, 1e-12);
    work = (struct bubble_work){4, 2, 8, 96, 120, 50, 45};
    bubble = bubble_split(&work);
    cr_assert_float_eq(bubble.ideal, 3.0 / 16, 1e-12);
    cr_assert_float_eq(bubble.recompute, 0.25, 1e-12);
    cr_assert_float_eq(bubble.transfer, 4 * 5 / 96.0, 1e-12);
    cr_assert_float_eq(bubble.ideal + bubble.recompute + bubble.transfer + bubble.imbalance,
                       bubble.total, 1e-12);
}
