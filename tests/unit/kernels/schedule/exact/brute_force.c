// SPDX-License-Identifier: Apache-2.0
// Tries all orders.
#include "tests/unit/kernels/schedule/exact/brute_force.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { S_MOST = 6, M_MOST = 6, LENGTH = 18, ORDERS_MOST = 90000 };

struct step {
    unsigned char type, stage; // F, B, W: 0, 1, 2
};

struct brute {
    const struct pipeline *pipeline;
    int P, S, M;
    struct step (*orders)[LENGTH]; // of all devices
    int first[S_MOST + 1];         // of a device
    int length[S_MOST];            // operations of a device
    int chosen[S_MOST];
    struct brute_optimum best;
};

static double held(const struct brute *brute, int d, int done[S_MOST][3])
{
    double sum = brute->pipeline->fixed[d];
    for (int s = 0; s < brute->S; s++) {
        const struct pipeline_stage *stage = &brute->pipeline->stage[s];
        if (brute->pipeline->device_of[s] == d)
            sum += (done[s][0] - done[s][1]) * stage->kept_until_b +
                   (done[s][0] - done[s][2]) * stage->kept_until_w;
    }
    return sum;
}

// Lists the orders of a device: no B before its F, no W before its B, within the memory limit.
static void list(struct brute *brute, int d, struct step *order, int n, int done[S_MOST][3])
{
    if (n > 0 && order[n - 1].type == 0 &&
        held(brute, d, done) > brute->pipeline->limit[d] + 1e-9)
        return;
    if (n == brute->length[d]) {
        cr_assert_lt(brute->first[d + 1], ORDERS_MOST);
        memcpy(brute->orders[brute->first[d + 1]++], order, LENGTH * sizeof *order);
        return;
    }
    for (int s = 0; s < brute->S; s++) {
        for (int type = 0; type < 3 && brute->pipeline->device_of[s] == d; type++) {
            if (done[s][type] == (type == 0 ? brute->M : done[s][type - 1]))
                continue;
            order[n] = (struct step){(unsigned char)type, (unsigned char)s};
            done[s][type]++;
            list(brute, d, order, n + 1, done);
            done[s][type]--;
        }
    }
}

struct run {
    double end[S_MOST][2][M_MOST]; // of F and B
    double clock[S_MOST], first[S_MOST];
    int at[S_MOST], done[S_MOST][3];
};

// Runs the next operation of a device, if its input has arrived.
static bool run_next(const struct brute *brute, struct run *run, int d)
{
    const struct pipeline *p = brute->pipeline;
    if (run->at[d] == brute->length[d])
        return false;
    const struct step step = brute->orders[brute->chosen[d]][run->at[d]];
    const int s = step.stage, m = run->done[s][step.type];
    const int from = step.type == 0 ? s - 1 : step.type == 1 ? s + 1 : -1;
    double start = run->clock[d];
    if (from >= 0 && from < brute->S) {
        if (run->done[from][step.type] <= m)
            return false;
        const double delay = p->device_of[from] == d ? 0 : p->links.latency;
        start = fmax(start, run->end[from][step.type][m] + delay);
    }
    if (run->at[d]++ == 0)
        run->first[d] = start;
    const struct pipeline_stage *stage = &p->stage[s];
    run->clock[d] = start + (step.type == 0 ? stage->f : step.type == 1 ? stage->b : stage->w);
    if (step.type < 2)
        run->end[s][step.type][m] = run->clock[d];
    run->done[s][step.type]++;
    return true;
}

// Runs the chosen orders: every operation as early as its device and its message allow.
static void run_all(struct brute *brute)
{
    struct run run = {.at = {0}};
    int left = 3 * brute->M * brute->S;
    for (bool progress = true; progress;) {
        progress = false;
        for (int d = 0; d < brute->P; d++)
            for (; run_next(brute, &run, d); left--)
                progress = true;
    }
    if (left > 0)
        return; // a deadlock
    double makespan = 0, span = 0;
    for (int d = 0; d < brute->P; d++) {
        makespan = fmax(makespan, run.clock[d]);
        span = fmax(span, run.clock[d] - run.first[d]);
    }
    brute->best.makespan = fmin(brute->best.makespan, makespan);
    brute->best.span = fmin(brute->best.span, span);
}

static void choose(struct brute *brute, int d)
{
    if (d == brute->P || d == S_MOST) {
        run_all(brute);
        return;
    }
    for (int i = brute->first[d]; i < brute->first[d + 1]; i++) {
        brute->chosen[d] = i;
        choose(brute, d + 1);
    }
}

struct brute_optimum exhaustive_optimum(const struct pipeline *pipeline)
{
    struct brute brute = {.pipeline = pipeline,
                          .P = pipeline->shape.devices,
                          .S = pipeline->shape.stages,
                          .M = pipeline->shape.micro_batches,
                          .orders = malloc(ORDERS_MOST * sizeof *brute.orders),
                          .best = {(double)INFINITY, (double)INFINITY}};
    cr_assert(brute.S <= S_MOST && brute.M <= M_MOST && brute.orders != NULL);
    for (int d = 0; d < brute.P; d++) {
        struct step order[LENGTH] = {{0}};
        int done[S_MOST][3] = {{0}};
        for (int s = 0; s < brute.S; s++)
            brute.length[d] += pipeline->device_of[s] == d ? 3 * brute.M : 0;
        cr_assert_leq(brute.length[d], LENGTH);
        brute.first[d + 1] = brute.first[d];
        list(&brute, d, order, 0, done);
    }
    choose(&brute, 0);
    free(brute.orders);
    return brute.best;
}
