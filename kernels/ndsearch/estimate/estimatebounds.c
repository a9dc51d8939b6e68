// SPDX-License-Identifier: Apache-2.0
// Bounds for whole families of points: those that differ in optimizer shards, virtual chunks and
// recompute alone. Where a stage's layers come from depends on the chunks, how many it has does
// not; hence the lightest layer times their number, and the mean over all stages.
#include "estimatecache.h"

#include <math.h>

struct family {
    const struct nd_estimate *e;
    const struct nd_shape_place *at;
    int64_t stages;
};

// A quantity that each layer has so much of, the first and the last stage more: the largest stage's
// is never less.
static double largest(const struct family *f,
                      double dense,
                      double moe,
                      double first,
                      double last)
{
    const struct nd_estimate *e = f->e;
    int64_t n = e->n_layers, left = n % f->stages, base = n / f->stages;
    double mean = ((double)e->n_dense * dense + (double)(n - e->n_dense) * moe + first + last) /
                  (double)f->stages;
    double least = e->n_dense == 0 ? moe : e->n_dense == n ? dense : fmin(dense, moe);
    double head = (double)(base + (left > 0)) * least + first; // stage 0 has what is left over
    double tail = (double)base * least + last;
    return fmax(mean, f->stages == 1 ? mean : fmax(head, tail));
}

static double static_bytes(const struct nd_estimate *e, double parameters, double shards)
{
    double whole = e->bytes_param / (e->zero_level >= 3 ? shards : 1) +
                   e->bytes_grad / (e->zero_level >= 2 ? shards : 1) +
                   e->bytes_optim / (e->zero_level >= 1 ? shards : 1);
    return parameters * whole;
}

static double memory_bound(const struct family *f, const struct nd_strategy *s)
{
    const struct nd_estimate *e = f->e;
    const struct layercost_set *set = &f->at->set;
    double replicas = (double)s->dp * s->cp;
    double etp = e->layers.expert_tensor_parallel ? s->tp : 1;
    double experts = fmax(1, floor(replicas * s->tp / (s->ep * etp)));
    double dense =
        static_bytes(e, set->dense.parameters, replicas) + set->dense.stored[LAYERCOST_FULL];
    double moe = static_bytes(e, set->moe.parameters, replicas) +
                 static_bytes(e, set->moe.routed, experts) + set->moe.stored[LAYERCOST_FULL];
    const double *ends = f->at->ends;
    bool one = s->pp == 1;
    double first = static_bytes(e, one ? 0 : ends[ND_FIRST], replicas);
    double last = static_bytes(e, one ? ends[ND_FIRST | ND_LAST] : ends[ND_LAST], replicas) +
                  f->at->logits;
    return largest(f, dense, moe, first, last) + e->reserve;
}

static double step_bound(const struct family *f, const struct nd_point *point)
{
    const struct nd_estimate *e = f->e;
    const struct nd_strategy *s = &point->strategy;
    const struct nd_shape_place *at = f->at;
    int64_t n = nd_micro_batches(point);
    double stage = largest(f, at->dense_time[LAYERCOST_NONE], at->moe_time[LAYERCOST_NONE], 0,
                           at->head_time);
    bool across = (int64_t)s->dp * s->tp * s->cp >= e->layers.hardware.node;
    double hop = across ? at->set.p2p_inter : at->set.p2p_intra;
    double shards = e->zero_level >= 1 ? (double)s->dp * s->cp : 1;
    double updated = at->held / s->pp / shards * (2 * e->bytes_optim + e->bytes_grad);
    return (double)(n < 1 ? 1 : n) * stage + 2 * (double)(s->pp - 1) * hop +
           hardware_stream(&e->layers.hardware, updated);
}

// Sums in another order than the estimate's may come out higher by their rounding.
#define ROUNDING (1 - 1e-12)

void nd_lower_bounds(const struct nd_estimate *e,
                     struct nd_cache *cache,
                     const struct nd_point *point,
                     double *memory,
                     double *step)
{
    struct family f = {e, nd_shape_of(e, cache, point), point->strategy.pp};
    *memory = memory_bound(&f, &point->strategy) * ROUNDING;
    *step = step_bound(&f, point) * ROUNDING;
}
