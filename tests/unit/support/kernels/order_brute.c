// SPDX-License-Identifier: Apache-2.0
// Starts passes one after the other in the order of their times: every schedule is met once.
#include "tests/unit/support/kernels/order_brute.h"

#include <math.h>
#include <string.h>

enum { CELLS = 64, DEVICES = 8 };

// A partial schedule. A chain has a forward of every stage, then a backward of every stage.
struct partial {
    int32_t done[CELLS]; // of a micro-batch: passes of its chain
    double ready[CELLS]; // of a micro-batch: arrival of the input of its next pass
    double computes[DEVICES], sends[DEVICES], memory[DEVICES], left[DEVICES];
    double now; // start of the latest pass
    int32_t device;
};

struct brute {
    const struct plan_case *c;
    double best;
    int64_t tried, most;
};

// Runs the next pass of a micro-batch. Returns false if it cannot start in the order of times, does not fit, or ends too late.
static bool start(struct brute *b, struct partial *p, int32_t m)
{
    const struct micro_batches *t = &b->c->of[0];
    const int32_t n = t->stages, k = p->done[m], stage = k < n ? k : 2 * n - 1 - k,
                  d = b->c->device_of[stage];
    const int64_t at = (int64_t)m * n + stage;
    const double begins = fmax(p->computes[d], p->ready[m]),
                 takes = k < n ? t->forward[at] : t->backward[at];
    if (begins < p->now || (begins == p->now && d < p->device))
        return false;
    if (k < n && p->memory[d] + fmax(t->peak[at], t->stored[at]) > b->c->limit[d] + 1e-6)
        return false;
    p->memory[d] += k < n ? t->stored[at] : -t->stored[at];
    p->now = begins;
    p->device = d;
    p->computes[d] = p->ready[m] = begins + takes;
    p->left[d] -= takes;
    p->done[m]++;
    if (k != n - 1 && k != 2 * n - 1)
        p->sends[d] = p->ready[m] =
            fmax(p->sends[d], p->ready[m]) + (k < n ? t->activation[at] : t->gradient[at - 1]);
    for (int32_t e = 0; e < b->c->pipeline.devices; e++)
        if (fmax(p->computes[e], p->now) + fmax(p->left[e], 0) >= b->best * (1 - 1e-12))
            return false;
    return p->sends[d] < b->best;
}

static void go_on(struct brute *b, const struct partial *p)
{
    const int32_t count = b->c->of[0].count, n = b->c->of[0].stages;
    bool is_done = true;
    for (int32_t m = 0; m < count && b->tried < b->most; m++) {
        struct partial next = *p;
        if (p->done[m] == 2 * n)
            continue;
        is_done = false;
        b->tried++;
        if (start(b, &next, m))
            go_on(b, &next);
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
    struct brute b = {c, below, 0, most};
    struct partial p;
    memset(&p, 0, sizeof p);
    memcpy(p.memory, c->state, (size_t)c->pipeline.devices * sizeof *p.memory);
    for (int32_t m = 0; m < c->of[0].count; m++)
        for (int32_t s = 0; s < c->pipeline.stages; s++) {
            const int64_t at = (int64_t)m * c->pipeline.stages + s;
            p.left[c->device_of[s]] += c->of[0].forward[at] + c->of[0].backward[at];
        }
    go_on(&b, &p);
    return b.tried < most ? b.best : (double)NAN;
}
