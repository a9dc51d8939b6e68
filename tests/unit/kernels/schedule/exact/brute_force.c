// SPDX-License-Identifier: Apache-2.0
// Tries all orders.
#include "tests/unit/kernels/schedule/exact/brute_force.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { P_MOST = 6, M_MOST = 6, LENGTH = 3 * M_MOST, ORDERS_MOST = 90000 };

struct brute {
    const struct pipeline *pipeline;
    int P, M;
    char (*orders)[LENGTH]; // of all stages: letters F, B, W
    int first[P_MOST + 1];  // of a stage
    int chosen[P_MOST];
    struct brute_optimum best;
};

// Lists the orders of a stage: no B before its F, no W before its B, within the memory limit.
static void list(struct brute *brute, int s, char *order, int f, int b, int w)
{
    const struct pipeline_stage *stage = &brute->pipeline->stage[s];
    const int n = f + b + w;
    const double held = brute->pipeline->fixed[s] + (f - b) * stage->kept_until_b +
                        (f - w) * stage->kept_until_w;
    if (n > 0 && order[n - 1] == 'F' && held > brute->pipeline->limit[s] + 1e-9)
        return;
    if (n == 3 * brute->M) {
        cr_assert_lt(brute->first[s + 1], ORDERS_MOST);
        memcpy(brute->orders[brute->first[s + 1]++], order, LENGTH);
        return;
    }
    if (f < brute->M)
        order[n] = 'F', list(brute, s, order, f + 1, b, w);
    if (b < f)
        order[n] = 'B', list(brute, s, order, f, b + 1, w);
    if (w < b)
        order[n] = 'W', list(brute, s, order, f, b, w + 1);
}

// Runs the chosen orders: every operation as early as its stage and its message allow.
static void run(struct brute *brute)
{
    const struct pipeline *p = brute->pipeline;
    double f_end[P_MOST][M_MOST], b_end[P_MOST][M_MOST], clock[P_MOST] = {0}, first[P_MOST];
    int at[P_MOST] = {0}, done[P_MOST][3] = {{0}}, left = 3 * brute->M * brute->P;
    for (int progress = 1; progress;) {
        progress = 0;
        for (int s = 0; s < brute->P; s++) {
            for (; at[s] < 3 * brute->M; at[s]++, left--, progress = 1) {
                const char type = brute->orders[brute->chosen[s]][at[s]];
                int *n = &done[s][type == 'F' ? 0 : type == 'B' ? 1 : 2];
                double start = clock[s];
                if (type == 'F' && s > 0) {
                    if (done[s - 1][0] <= *n)
                        break;
                    start = fmax(start, f_end[s - 1][*n] + p->links.latency);
                }
                if (type == 'B' && s + 1 < brute->P) {
                    if (done[s + 1][1] <= *n)
                        break;
                    start = fmax(start, b_end[s + 1][*n] + p->links.latency);
                }
                if (at[s] == 0)
                    first[s] = start;
                const struct pipeline_stage *stage = &p->stage[s];
                clock[s] = start + (type == 'F' ? stage->f : type == 'B' ? stage->b : stage->w);
                if (type == 'F')
                    f_end[s][*n] = clock[s];
                if (type == 'B')
                    b_end[s][*n] = clock[s];
                ++*n;
            }
        }
    }
    if (left > 0)
        return; // a deadlock
    double makespan = 0, span = 0;
    for (int s = 0; s < brute->P; s++) {
        makespan = fmax(makespan, clock[s]);
        span = fmax(span, clock[s] - first[s]);
    }
    brute->best.makespan = fmin(brute->best.makespan, makespan);
    brute->best.span = fmin(brute->best.span, span);
}

static void choose(struct brute *brute, int s)
{
    if (s == brute->P || s == P_MOST) {
        run(brute);
        return;
    }
    for (int i = brute->first[s]; i < brute->first[s + 1]; i++) {
        brute->chosen[s] = i;
        choose(brute, s + 1);
    }
}

struct brute_optimum brute_force(const struct pipeline *pipeline)
{
    struct brute brute = {.pipeline = pipeline,
                          .P = pipeline->shape.devices,
                          .M = pipeline->shape.micro_batches,
                          .orders = malloc(ORDERS_MOST * sizeof *brute.orders),
                          .best = {(double)INFINITY, (double)INFINITY}};
    cr_assert(brute.P <= P_MOST && brute.M <= M_MOST && brute.orders != NULL);
    for (int s = 0; s < brute.P; s++) {
        char order[LENGTH] = {0};
        brute.first[s + 1] = brute.first[s];
        list(&brute, s, order, 0, 0, 0);
    }
    choose(&brute, 0);
    free(brute.orders);
    return brute.best;
}
