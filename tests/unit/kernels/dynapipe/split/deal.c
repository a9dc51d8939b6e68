// SPDX-License-Identifier: Apache-2.0
// Deals of micro-batches to replicas against all deals, and beyond the exact size.
#include "kernels/dynapipe/split/deal.h"

#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

enum { MOST = 400, REPLICAS = 16 };

static struct split_dealer *dealer_new(void **bytes)
{
    struct room room = {NULL, 0};
    split_dealer_take(MOST, REPLICAS, &room);
    *bytes = aligned_alloc(ROOM_ALIGNMENT, room.used);
    room = (struct room){*bytes, 0};
    return split_dealer_take(MOST, REPLICAS, &room);
}

static double slowest_of(const double *times, const int32_t *replica, int32_t n, int32_t k)
{
    double load[REPLICAS] = {0}, slowest = 0;
    int32_t used = 0;
    for (int32_t i = 0; i < n; i++) {
        cr_assert(replica[i] >= 0 && replica[i] < k && replica[i] <= used,
                  "micro-batch %d on replica %d", i, replica[i]);
        used = replica[i] == used ? used + 1 : used;
        load[replica[i]] += times[i];
    }
    for (int32_t r = 0; r < k; r++)
        slowest = fmax(slowest, load[r]);
    return slowest;
}

// Deals micro-batch i and all behind it in every way.
static void try_all(const double *times, int32_t n, int32_t k, int32_t i, double *load,
                    double *least)
{
    double slowest = 0;
    for (int32_t r = 0; r < k; r++)
        slowest = fmax(slowest, load[r]);
    if (slowest >= *least)
        return;
    if (i == n) {
        *least = slowest;
        return;
    }
    for (int32_t r = 0; r < k; r++) {
        load[r] += times[i];
        try_all(times, n, k, i + 1, load, least);
        load[r] -= times[i];
        if (load[r] == 0)
            break; // the other empty replicas are equal
    }
}

// Whole times: sums are exact, equal times are frequent. Fails if a set of micro-batches is skipped wrongly.
Test(dynapipe_deal, all_deals)
{
    void *bytes;
    struct split_dealer *dealer = dealer_new(&bytes);
    struct random r = {1};
    for (int round = 0; round < 3000; round++) {
        const int32_t n = (int32_t)random_below(&r, 11), k = 1 + (int32_t)random_below(&r, 5),
                      span = random_coin(&r) ? 9 : 1000;
        double times[MOST], load[REPLICAS] = {0}, least = HUGE_VAL;
        int32_t replica[MOST];
        struct split_deal deal = {.replica = replica};
        for (int32_t i = 0; i < n; i++)
            times[i] = (double)random_below(&r, span);
        try_all(times, n, k, 0, load, &least);
        cr_assert(split_deal(dealer, times, n, k, NULL, &deal));
        cr_assert_eq(deal.slowest, least, "round %d: %d to %d: %g, not %g", round, n, k,
                     deal.slowest, least);
        cr_assert_eq(slowest_of(times, replica, n, k), least);
        cr_assert(deal.is_proven && deal.bound == least);
    }
    free(bytes);
}

// A known optimum: every replica has the same work. Exact up to 20 micro-batches.
Test(dynapipe_deal, equal_replicas)
{
    void *bytes;
    struct split_dealer *dealer = dealer_new(&bytes);
    struct random r = {2};
    for (int round = 0; round < 60; round++) {
        const int32_t k = 2 + round % 6, each = SPLIT_EXACT_DEALS / k, n = k * each;
        double times[MOST];
        int32_t replica[MOST];
        struct split_deal deal = {.replica = replica};
        for (int32_t q = 0; q < k; q++) {
            double left = 1 << 20;
            for (int32_t i = 0; i < each; i++) {
                const double time =
                    i + 1 == each ? left : floor(left * (0.1 + 0.4 * random_unit(&r)));
                times[q * each + i] = time;
                left -= time;
            }
        }
        cr_assert(split_deal(dealer, times, n, k, NULL, &deal));
        cr_assert(deal.slowest == 1 << 20 && deal.is_proven, "round %d: %g", round,
                  deal.slowest);
    }
    free(bytes);
}

// Beyond the exact size: never more than the bound and one short micro-batch here.
Test(dynapipe_deal, many)
{
    void *bytes;
    struct split_dealer *dealer = dealer_new(&bytes);
    struct random r = {3};
    double worst = 0;
    for (int round = 0; round < 200; round++) {
        const int32_t n = 21 + (int32_t)random_below(&r, MOST - 20),
                      k = 2 + (int32_t)random_below(&r, 7);
        double times[MOST];
        int32_t replica[MOST];
        struct split_deal deal = {.replica = replica};
        for (int32_t i = 0; i < n; i++)
            times[i] = 1 + 50 * pow(random_unit(&r), 3);
        cr_assert(split_deal(dealer, times, n, k, NULL, &deal));
        cr_assert(deal.bound <= deal.slowest);
        cr_assert_float_eq(slowest_of(times, replica, n, k), deal.slowest, 1e-9);
        worst = fmax(worst, deal.slowest / deal.bound);
    }
    cr_assert(worst < 1.02, "%g", worst);
    free(bytes);
}

static bool over(void *self)
{
    (void)self;
    return true;
}

// A deal that the poll ends is whole.
Test(dynapipe_deal, poll_stops)
{
    void *bytes;
    struct split_dealer *dealer = dealer_new(&bytes);
    struct random r = {4};
    struct poll poll = {over, NULL, POLL_STEPS - 1};
    double times[MOST];
    int32_t replica[MOST];
    struct split_deal deal = {.replica = replica};
    for (int32_t i = 0; i < MOST; i++)
        times[i] = random_unit(&r);
    cr_assert_not(split_deal(dealer, times, MOST, 8, &poll, &deal));
    cr_assert_float_eq(slowest_of(times, replica, MOST, 8), deal.slowest, 1e-9);
    free(bytes);
}
