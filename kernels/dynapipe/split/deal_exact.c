// SPDX-License-Identifier: Apache-2.0
// Fills the replicas one after the other: each takes the longest micro-batch that is left, and every set of others
// with which it stays below the best deal so far. Bin completion: Korf, A new algorithm for optimal bin packing, AAAI
// 2002; Schreiber and Korf, Improved bin completion for optimal bin packing and number partitioning, IJCAI 2013.
#include "kernels/dynapipe/split/deal_private.h"

#include <math.h>
#include <string.h>

// Micro-batches are named by their places in `sorted`: bit 0 is the longest.
struct exact {
    struct split_dealer *d;
    struct poll *poll;
    double time[SPLIT_EXACT_DEALS];
    double best, bound; // best: the slowest replica of the best deal; better ones are searched
    uint32_t sets[SPLIT_EXACT_DEALS]; // of the replicas that are full
    double sums[SPLIT_EXACT_DEALS];
    bool is_stopped;
};

// One replica that is being filled.
struct filling {
    uint32_t rest; // micro-batches that no full replica has
    int32_t left;  // replicas that are not full, with this one
    double total;  // of rest
    uint32_t set;  // of this replica
    double sum;
};

static bool is_over(const struct exact *e)
{
    return e->is_stopped || e->best <= e->bound * (1 + 1e-14);
}

static void keep(struct exact *e, int32_t replicas)
{
    double slowest = 0;
    for (int32_t r = 0; r < replicas; r++) {
        slowest = fmax(slowest, e->sums[r]);
        for (int32_t i = 0; i < e->d->n; i++)
            if (e->sets[r] >> i & 1)
                e->d->replica[e->d->sorted[i]] = r;
    }
    e->best = slowest;
}

// Returns whether another choice is at least as good: one more micro-batch fits, or a longer one instead of a
// shorter. The first micro-batch stays in any case.
static bool is_dominated(const struct exact *e, const struct filling *f)
{
    const uint32_t out = f->rest & ~f->set;
    double longer =
        0; // the last, that is the shortest, of the longer ones that are not in the set
    bool has_longer = false, is_first = true;
    for (int32_t i = 0; i < e->d->n; i++) {
        if (out >> i & 1) {
            longer = e->time[i];
            has_longer = true;
        } else if (f->set >> i & 1) {
            if (!is_first && has_longer && longer > e->time[i] &&
                f->sum - e->time[i] + longer < e->best)
                return true;
            is_first = false;
        }
    }
    return has_longer && f->sum + longer < e->best; // now the shortest of all
}

static void fill(struct exact *e, uint32_t rest, int32_t left, double total);

// Decides the micro-batches from place i on.
static void choose(struct exact *e, struct filling *f, int32_t i, double undecided)
{
    // The other replicas must have room for what this one does not take.
    if (is_over(e) || f->total - f->sum - undecided >= (f->left - 1) * e->best)
        return;
    while (i < e->d->n && (f->rest >> i & 1) == 0)
        i++;
    if (poll_over(e->poll)) {
        e->is_stopped = true;
        return;
    }
    if (i == e->d->n) {
        if (is_dominated(e, f))
            return;
        const int32_t replica = e->d->k - f->left;
        e->sets[replica] = f->set;
        e->sums[replica] = f->sum;
        fill(e, f->rest & ~f->set, f->left - 1, f->total - f->sum);
        return;
    }
    const double time = e->time[i], sum = f->sum;
    const uint32_t set = f->set;
    // Of micro-batches with equal times the first are taken.
    const bool is_equal =
        i > 0 && (f->rest >> (i - 1) & 1) && !(f->set >> (i - 1) & 1) && e->time[i - 1] <= time;
    if (sum + time < e->best && !is_equal) {
        f->set = set | 1u << i;
        f->sum = sum + time;
        choose(e, f, i + 1, undecided - time);
        f->set = set;
        f->sum = sum;
    }
    choose(e, f, i + 1, undecided - time);
}

static uint32_t *failed_of(const struct exact *e, uint32_t key)
{
    return &e->d->failed[key * 0x9E3779B1u >> (32 - DEAL_FAILED_BITS)];
}

// Deals the rest to the replicas that are left.
static void fill(struct exact *e, uint32_t rest, int32_t left, double total)
{
    const int32_t replica = e->d->k - left;
    const uint32_t key = rest | (uint32_t)left << SPLIT_EXACT_DEALS;
    double most = 0; // of the full replicas
    for (int32_t r = 0; r < replica; r++)
        most = fmax(most, e->sums[r]);
    if (is_over(e) || most >= e->best)
        return;
    if (rest == 0) {
        keep(e, replica);
        return;
    }
    int32_t first = 0;
    while ((rest >> first & 1) == 0)
        first++;
    if (left == 1) {
        e->sets[replica] = rest;
        e->sums[replica] = total;
        if (total < e->best)
            keep(e, replica + 1);
        return;
    }
    if (*failed_of(e, key) == key || total >= left * e->best)
        return;
    struct filling f = {rest, left, total, 1u << first, e->time[first]};
    if (f.sum < e->best)
        choose(e, &f, first + 1, total - f.sum);
    // No deal of the rest is below the best, which only becomes smaller. This does not hold when the full replicas
    // ended the search.
    if (!e->is_stopped && most < e->best)
        *failed_of(e, key) = key;
}

bool deal_exactly(struct split_dealer *d, double slowest, double bound, struct poll *poll)
{
    struct exact e = {.d = d, .poll = poll, .best = slowest, .bound = bound};
    double total = 0;
    for (int32_t i = 0; i < d->n; i++)
        total += e.time[i] = d->times[d->sorted[i]];
    memset(d->failed, 0xFF, sizeof *d->failed << DEAL_FAILED_BITS);
    fill(&e, (1u << d->n) - 1, d->k, total);
    return !e.is_stopped;
}
