// SPDX-License-Identifier: Apache-2.0
// Random points of the whole parameter space of the contention model, by number.
#ifndef TEST_CONTENTIONRANDOM_H
#define TEST_CONTENTIONRANDOM_H

#include "contentionpoints.h"

struct random {
    uint64_t state;
};

// splitmix64
static inline uint64_t draw(struct random *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline int32_t below(struct random *r, int32_t end)
{
    return (int32_t)(draw(r) % (uint64_t)end);
}

static inline double unit(struct random *r)
{
    return (double)(draw(r) >> 11) * 0x1p-53;
}

static inline double one_of(struct random *r, const double *values, int count)
{
    return values[below(r, count)];
}

// Half of the lengths are round, so that many events coincide.
static inline double length(struct random *r, bool may_be_zero)
{
    static const double round[] = {0.25, 0.5, 0.75, 1, 1.3, 1.5, 2, 2.5, 3, 4};
    if (may_be_zero && below(r, 10) == 0)
        return 0;
    return below(r, 2) ? one_of(r, round, 10) : 0.05 + 4 * unit(r);
}

static inline double impact(struct random *r)
{
    static const double round[] = {0, 0.1, 0.2, 0.4, 0.5, 0.999};
    return below(r, 2) ? one_of(r, round, 6) : 0.99 * unit(r);
}

static inline double priority(struct random *r)
{
    switch (below(r, 8)) {
    case 0:
        return 0;
    case 1:
    case 2:
        return -1 - below(r, 3);
    case 3:
        return unit(r);
    default:
        return below(r, 11) / 10.0;
    }
}

// Mostly small, with a tail of larger ones.
static inline int32_t size(struct random *r, int32_t most)
{
    int32_t bound = below(r, 20) == 0 ? most : most / 4 + 1;
    return 1 + below(r, bound);
}

// n up to 64, gpus up to 16.
static inline struct contention_point random_point(uint64_t seed)
{
    struct random r = {seed * 0x2545f4914f6cdd1du};
    struct contention_point p = {.n = size(&r, 64), .gpus = size(&r, 16)};
    p.sync_freq = below(&r, 2) ? 1 : 1 + below(&r, p.n);
    p.fwd_len = length(&r, false);
    p.bwd_len = length(&r, false);
    p.prop_len = length(&r, true);
    p.sync_base_len = length(&r, true);
    p.fwd_impact = impact(&r);
    p.bwd_impact = impact(&r);
    p.pipeline = below(&r, 4) == 0 ? CONTENTION_GPIPE : CONTENTION_1F1B;
    p.congestion = below(&r, 4) != 0;
    p.channels =
        below(&r, 5) != 0 ? CONTENTION_SHARED : (enum contention_channels)(1 + below(&r, 2));
    for (int k = 0; k < CONTENTION_N_SHARING; k++)
        p.priority[k] = priority(&r);
    return p;
}

#endif
