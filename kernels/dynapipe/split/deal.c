// SPDX-License-Identifier: Apache-2.0
// Deals micro-batches to replicas, and improves the deal by moves and exchanges.
#include "kernels/dynapipe/split/deal_private.h"

#include <math.h>

struct split_dealer *split_dealer_take(int32_t micro_batches, int32_t replicas,
                                       struct room *room)
{
    struct split_dealer counted, *dealer = room_take(room, 1, sizeof *dealer),
                                 *d = dealer != NULL ? dealer : &counted;
    const size_t n = (size_t)micro_batches, k = (size_t)replicas;
    d->sorted = room_take(room, n, sizeof *d->sorted);
    d->replica = room_take(room, n, sizeof *d->replica);
    d->load = room_take(room, k, sizeof *d->load);
    d->bins = room_take(room, n, sizeof *d->bins);
    d->heap = room_take(room, n, sizeof *d->heap);
    d->next = room_take(room, n, sizeof *d->next);
    d->left = room_take(room, k, sizeof *d->left);
    d->right = room_take(room, k, sizeof *d->right);
    d->numbers = room_take(room, k, sizeof *d->numbers);
    d->failed = room_take(room, (size_t)1 << DEAL_FAILED_BITS, sizeof *d->failed);
    return dealer;
}

// Sorts by descending time with a heap of the smallest: ties by ascending number.
static bool is_before(const double *times, int32_t a, int32_t b)
{
    return times[a] > times[b] || (times[a] >= times[b] && a < b);
}

static void sift(const double *times, int32_t *list, int32_t n, int32_t at)
{
    for (int32_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
        if (child + 1 < n && is_before(times, list[child], list[child + 1]))
            child++;
        if (!is_before(times, list[at], list[child]))
            return;
        const int32_t swap = list[at];
        list[at] = list[child];
        list[child] = swap;
        at = child;
    }
}

static void sort(struct split_dealer *d)
{
    for (int32_t i = 0; i < d->n; i++)
        d->sorted[i] = i;
    for (int32_t i = d->n / 2; i-- > 0;)
        sift(d->times, d->sorted, d->n, i);
    for (int32_t end = d->n - 1; end > 0; end--) {
        const int32_t last = d->sorted[0];
        d->sorted[0] = d->sorted[end];
        d->sorted[end] = last;
        sift(d->times, d->sorted, end, 0);
    }
}

// Returns the most work of a replica.
static double add_up(struct split_dealer *d)
{
    double most = 0;
    for (int32_t r = 0; r < d->k; r++)
        d->load[r] = 0;
    for (int32_t i = 0; i < d->n; i++)
        d->load[d->replica[i]] += d->times[i];
    for (int32_t r = 0; r < d->k; r++)
        most = fmax(most, d->load[r]);
    return most;
}

// A micro-batch that leaves the slowest replica, for another micro-batch or for none.
struct exchange {
    int32_t out, in; // in: -1: none
    double after;    // the larger of the two loads
};

static double time_of(const struct split_dealer *d, int32_t m)
{
    return m < 0 ? 0 : d->times[m];
}

// Returns the first place of `sorted` from `at` on whose micro-batch is on the replica; n: none.
static int32_t next_on(const struct split_dealer *d, int32_t replica, int32_t at)
{
    while (at < d->n && d->replica[d->sorted[at]] != replica)
        at++;
    return at;
}

static void try_exchange(const struct split_dealer *d, int32_t from, int32_t to, int32_t out,
                         int32_t in, struct exchange *best)
{
    const double shift = time_of(d, out) - time_of(d, in),
                 after = fmax(d->load[from] - shift, d->load[to] + shift);
    if (after < best->after)
        *best = (struct exchange){out, in, after};
}

// Finds the best exchange between two replicas. The work that should change sides is half of the difference: for
// every micro-batch that leaves, in descending order, the two nearest to that are tried.
static void find_exchange(const struct split_dealer *d, int32_t from, int32_t to,
                          struct exchange *best)
{
    const double half = (d->load[from] - d->load[to]) / 2;
    int32_t at = next_on(d, to, 0), above = -1;
    for (int32_t p = next_on(d, from, 0); p < d->n; p = next_on(d, from, p + 1)) {
        const int32_t out = d->sorted[p];
        while (at < d->n && d->times[d->sorted[at]] > d->times[out] - half) {
            above = d->sorted[at];
            at = next_on(d, to, at + 1);
        }
        if (above >= 0)
            try_exchange(d, from, to, out, above, best);
        try_exchange(d, from, to, out, at < d->n ? d->sorted[at] : -1, best);
    }
}

// Takes work from the slowest replica while a move or a swap makes the larger of two replicas smaller. Returns false
// if the poll ended the loop.
static bool improve(struct split_dealer *d, struct poll *poll)
{
    // Every exchange makes the slowest replica faster, or another one the slowest; the count is a guard against
    // differences that are as small as rounding.
    for (int64_t left = 1000 + 4 * (int64_t)d->n; left > 0 && d->k > 1; left--) {
        int32_t from = 0, receiver = -1;
        for (int32_t r = 1; r < d->k; r++)
            if (d->load[r] > d->load[from])
                from = r;
        struct exchange best = {-1, -1, d->load[from] * (1 - 1e-12)};
        for (int32_t r = 0; r < d->k; r++) {
            const double before = best.after;
            if (r != from)
                find_exchange(d, from, r, &best);
            if (best.after < before)
                receiver = r;
            if (poll_over_after(poll, (uint64_t)d->n))
                return false;
        }
        if (receiver < 0)
            return true;
        const double shift = time_of(d, best.out) - time_of(d, best.in);
        d->replica[best.out] = receiver;
        if (best.in >= 0)
            d->replica[best.in] = from;
        d->load[from] -= shift;
        d->load[receiver] += shift;
    }
    return true;
}

// No deal has less than the mean, the longest micro-batch, or the two that must share a replica when one is left.
static double bound_of(const struct split_dealer *d)
{
    double sum = 0;
    for (int32_t i = 0; i < d->n; i++)
        sum += d->times[i];
    double bound = d->n > 0 ? fmax(sum / d->k, d->times[d->sorted[0]]) : 0;
    if (d->n > d->k)
        bound = fmax(bound, d->times[d->sorted[d->k - 1]] + d->times[d->sorted[d->k]]);
    return bound;
}

// Writes the deal with replicas in the order of their lowest micro-batches.
static void write(struct split_dealer *d, int32_t *replica)
{
    int32_t used = 0;
    for (int32_t r = 0; r < d->k; r++)
        d->numbers[r] = -1;
    for (int32_t i = 0; i < d->n; i++) {
        int32_t *number = &d->numbers[d->replica[i]];
        if (*number < 0)
            *number = used++;
        replica[i] = *number;
    }
}

bool split_deal(struct split_dealer *dealer, const double *times, int32_t n, int32_t k,
                struct poll *poll, struct split_deal *deal)
{
    dealer->times = times;
    dealer->n = n;
    dealer->k = k;
    sort(dealer);
    deal->bound = bound_of(dealer);
    bool is_whole = deal_by_differences(dealer, poll);
    add_up(dealer);
    is_whole = is_whole && improve(dealer, poll);
    deal->slowest = add_up(dealer);
    // Sums depend on the order of additions: equal up to rounding is optimal.
    deal->is_proven = deal->slowest <= deal->bound * (1 + 1e-14);
    if (is_whole && !deal->is_proven && n <= SPLIT_EXACT_DEALS) {
        is_whole = deal_exactly(dealer, deal->slowest, deal->bound, poll);
        deal->is_proven = is_whole;
        deal->slowest = add_up(dealer);
    }
    if (deal->is_proven)
        deal->bound = deal->slowest;
    write(dealer, deal->replica);
    return is_whole;
}
