// SPDX-License-Identifier: Apache-2.0
// Starts passes one after the other in the order of their times: every schedule is met once.
#include "tests/unit/support/kernels/order_brute.h"

#include <math.h>
#include <string.h>

enum { CELLS = 64, DEVICES = 8 };

// A partial schedule. A chain has a forward of every stage, then a backward of every stage.
struct partial {
    int32_t done[CELLS]; // of a micro-batch: passes of its chain
    uint8_t type[CELLS]; // of micro_batch * stages + stage: its recomputation
    double ready[CELLS]; // of a micro-batch: arrival of the input of its next pass
    double computes[DEVICES], sends[DEVICES], memory[DEVICES], left[DEVICES];
    double now; // start of the latest pass
    int32_t device;
};

struct brute {
    const struct plan_case *c;
    double best;
    int64_t tried, most;
    double rest[CELLS][2 * CELLS]; // of a micro-batch: what is left of its chain from a pass on
    double way[DEVICES];           // the shortest way back from the first stage of a device
};

// Sets what is left of the chains, without recomputation.
static void measure(struct brute *b)
{
    const struct micro_batches *t = &b->c->of[0];
    const int32_t n = t->stages;
    for (int32_t d = 0; d < b->c->pipeline.devices; d++)
        b->way[d] = HUGE_VAL;
    for (int32_t m = 0; m < t->count; m++) {
        double rest = b->rest[m][2 * n] = 0;
        for (int32_t k = 2 * n - 1; k >= 0; k--) {
            const int32_t stage = k < n ? k : 2 * n - 1 - k, d = b->c->device_of[stage];
            const int64_t at = (int64_t)m * n + stage;
            if (k >= n && d == stage) // devices appear in the order of their numbers
                b->way[d] = fmin(b->way[d], rest + (stage > 0 ? t->gradient[at - 1] : 0));
            if (k != n - 1 && k != 2 * n - 1)
                rest += k < n ? t->activation[at] : t->gradient[at - 1];
            rest += k < n ? t->forward[at] : t->backward[at];
            b->rest[m][k] = rest;
        }
    }
}

// Returns whether a partial schedule may end before the best one that is known.
static bool may_end(const struct brute *b, const struct partial *p, int32_t m)
{
    const double end = b->best * (1 - 1e-12);
    for (int32_t d = 0; d < b->c->pipeline.devices; d++)
        if (p->left[d] > 1e-9 && fmax(p->computes[d], p->now) + p->left[d] + b->way[d] >= end)
            return false;
    return p->ready[m] + b->rest[m][p->done[m]] < end;
}

// Runs the next pass of a micro-batch, a forward with a recomputation of its stage. Returns false if it cannot start in the order
// of times, does not fit, or ends too late.
static bool start(struct brute *b, struct partial *p, int32_t m, int type)
{
    const struct micro_batches *keep = &b->c->of[0];
    const int32_t n = keep->stages, k = p->done[m], stage = k < n ? k : 2 * n - 1 - k,
                  d = b->c->device_of[stage];
    const int64_t at = (int64_t)m * n + stage;
    if (k < n)
        p->type[at] = (uint8_t)type;
    const struct micro_batches *t = &b->c->of[p->type[at]];
    const double begins = fmax(p->computes[d], p->ready[m]),
                 takes = k < n ? t->forward[at] : t->backward[at],
                 needs = k < n ? fmax(t->peak[at], t->stored[at]) : t->backward_peak[at];
    if (begins < p->now || (begins == p->now && d < p->device) ||
        p->memory[d] + needs > b->c->limit[d] + 1e-6)
        return false;
    p->memory[d] += k < n ? t->stored[at] : -t->stored[at];
    p->now = begins;
    p->device = d;
    p->computes[d] = p->ready[m] = begins + takes;
    p->left[d] -= k < n ? keep->forward[at] : keep->backward[at];
    p->done[m]++;
    if (k != n - 1 && k != 2 * n - 1)
        p->sends[d] = p->ready[m] = fmax(p->sends[d], p->ready[m]) +
                                    (k < n ? keep->activation[at] : keep->gradient[at - 1]);
    return may_end(b, p, m);
}

static void go_on(struct brute *b, const struct partial *p)
{
    const int32_t count = b->c->of[0].count, n = b->c->of[0].stages;
    bool is_done = true;
    for (int32_t m = 0; m < count; m++) {
        is_done = is_done && p->done[m] == 2 * n;
        for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES && b->tried < b->most; type++) {
            struct partial next = *p;
            if (p->done[m] == 2 * n || b->c->task.of[type] == NULL ||
                (type > 0 && p->done[m] >= n))
                continue;
            b->tried++;
            if (start(b, &next, m, type))
                go_on(b, &next);
        }
    }
    if (!is_done)
        return;
    double makespan = 0;
    for (int32_t d = 0; d < b->c->pipeline.devices; d++)
        makespan = fmax(makespan, fmax(p->computes[d], p->sends[d]));
    b->best = fmin(b->best, makespan);
}

double order_brute(const struct plan_case *c, double below, int64_t most)
{
    struct brute b = {.c = c, .best = below, .most = most};
    struct partial p;
    memset(&p, 0, sizeof p);
    memcpy(p.memory, c->state, (size_t)c->pipeline.devices * sizeof *p.memory);
    for (int32_t m = 0; m < c->of[0].count; m++)
        for (int32_t s = 0; s < c->pipeline.stages; s++) {
            const int64_t at = (int64_t)m * c->pipeline.stages + s;
            p.left[c->device_of[s]] += c->of[0].forward[at] + c->of[0].backward[at];
        }
    measure(&b);
    go_on(&b, &p);
    return b.tried < most ? b.best : (double)NAN;
}
