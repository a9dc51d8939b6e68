// SPDX-License-Identifier: Apache-2.0
// Evaluates choices of options for the search.
#include "kernels/common/search/general_private.h"

static double value(void *self, const double *forward, const double *backward)
{
    struct nd_general *g = self;
    return nd_evaluator_objective(g->evaluator, forward, backward);
}

static int32_t slowest_stage(const struct nd_program *p, const double *forward,
                             const double *backward)
{
    int32_t slowest = 0;
    double most = -1;
    for (int32_t i = 0; i < p->stages; i++) {
        double sum = 0;
        for (int32_t v = 0; v < p->chunks; v++)
            sum += forward[v * p->stages + i] + backward[v * p->stages + i];
        if (sum > most) {
            most = sum;
            slowest = i;
        }
    }
    return slowest;
}

// A period that is not laid out costs at least the time of the slowest stage.
static bool path(void *self, const double *forward, const double *backward, double *forwards,
                 double *backwards, double *constant)
{
    struct nd_general *g = self;
    const struct nd_program *p = g->program;
    const int32_t periods = nd_program_residue(p) * p->stages;
    if (nd_evaluator_path(g->evaluator, forward, backward, forwards, backwards, constant) !=
        ND_DONE)
        return false;
    const int32_t slowest = slowest_stage(p, forward, backward);
    for (int32_t v = 0; v < p->chunks; v++) {
        forwards[v * p->stages + slowest] += periods;
        backwards[v * p->stages + slowest] += periods;
    }
    return true;
}

static void keep(void *self, const int32_t *choice)
{
    struct nd_general *g = self;
    const int32_t stages = g->program->stages, chunks = g->program->chunks;
    for (int32_t i = 0; i < stages; i++)
        for (int32_t v = 0; v < chunks; v++)
            g->draft->chunks[v * stages + i] =
                g->options.chunk[g->options.split.id[choice[i]] * chunks + v];
    nd_watch_found(&g->watch, g->search.best);
}

static bool often(void *self, uint64_t nodes)
{
    struct nd_general *g = self;
    return nd_watch_over(&g->watch, nodes);
}

static bool now(void *self)
{
    struct nd_general *g = self;
    return nd_watch_now(&g->watch);
}

struct split_oracle nd_general_oracle(struct nd_general *g)
{
    return (struct split_oracle){.self = g,
                                 .value = value,
                                 .path = path,
                                 .keep = keep,
                                 .often = often,
                                 .now = now};
}
