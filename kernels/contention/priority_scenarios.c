// SPDX-License-Identifier: Apache-2.0
// Computes priority scenarios from their index.
#include "kernels/contention/priority_scenarios.h"

#include <math.h>

#define COUNT_MAX ((uint64_t)1 << 53)
#define STEPS_MAX ((int64_t)1 << 27) // with three kinds already more than COUNT_MAX

// Tier of fwd_prop, grad_prop, grad_sync; '-': none.
static const char default_tiers[][4] = {"---", "a--", "-a-"};
static const char all_tiers[][4] = {
    "---", "--a", "-a-", "-aa", "-ab", "-ba", "a--", "a-a", "a-b", "aa-", "aaa", "aab", "ab-",
    "aba", "abb", "abc", "acb", "b-a", "ba-", "baa", "bab", "bac", "bba", "bca", "cab", "cba",
};

static size_t n_scenarios(const struct contention_scenarios *s)
{
    if (s->tiers == CONTENTION_TIERS_LIST)
        return s->n_rows;
    return s->tiers == CONTENTION_TIERS_ALL ? sizeof all_tiers / sizeof *all_tiers
                                            : sizeof default_tiers / sizeof *default_tiers;
}

// Returns the tier of a kind as a priority; NAN: the kind shares.
static double tier(const struct contention_scenarios *s, size_t scenario, int kind)
{
    if (s->tiers == CONTENTION_TIERS_LIST)
        return s->rows[scenario * CONTENTION_N_SHARING + (size_t)kind];
    const char(*table)[4] = s->tiers == CONTENTION_TIERS_ALL ? all_tiers : default_tiers;
    char letter = table[scenario][kind];
    return letter == '-' ? (double)NAN : -1.0 - (letter - 'a');
}

// Finds the kinds that share in a scenario, in order; returns their number.
static int sharing(const struct contention_scenarios *s, size_t scenario, int *kinds)
{
    int count = 0;
    for (int kind = 0; kind < CONTENTION_N_SHARING; kind++)
        if (isnan(tier(s, scenario, kind)))
            kinds[count++] = kind;
    return count;
}

// Returns the number of ways to split `steps` steps over m kinds.
static uint64_t splits(int64_t steps, int m)
{
    uint64_t k = (uint64_t)steps;
    if (m < 2)
        return 1;
    return m == 2 ? k + 1 : (k + 1) * (k + 2) / 2;
}

uint64_t contention_scenarios_count(const struct contention_scenarios *s)
{
    uint64_t count = 0;
    int kinds[CONTENTION_N_SHARING];
    if (s->steps > STEPS_MAX)
        return 0;
    for (size_t k = 0; k < n_scenarios(s); k++) {
        count += splits(s->steps, sharing(s, k, kinds));
        if (count > COUNT_MAX)
            return 0;
    }
    return count;
}

// Returns the number of splits over three kinds whose first part is less than `first` steps.
static uint64_t splits_before(int64_t steps, int64_t first)
{
    uint64_t f = (uint64_t)first;
    return f * (uint64_t)(steps + 1) - f * (f - (f > 0)) / 2;
}

// Returns the first part of split number `index` over three kinds: the root of splits_before =
// index, corrected for rounding.
static int64_t first_part(int64_t steps, uint64_t index)
{
    double b = 2 * (double)steps + 3;
    double root = (b - sqrt(fmax(b * b - 8 * (double)index, 0))) / 2;
    int64_t first = (int64_t)fmin(root, (double)steps);
    while (first > 0 && splits_before(steps, first) > index)
        first--;
    while (first < steps && splits_before(steps, first + 1) <= index)
        first++;
    return first;
}

// Computes split number `index` over m kinds, in steps.
static void split(int64_t steps, int m, uint64_t index, int64_t *part)
{
    if (m == 3) {
        part[0] = first_part(steps, index);
        index -= splits_before(steps, part[0]);
        steps -= part[0];
        part++;
    }
    if (m >= 2) {
        part[0] = (int64_t)index;
        part[1] = steps - part[0];
    } else if (m == 1) {
        part[0] = steps;
    }
}

void contention_scenarios_value(const struct contention_scenarios *s, uint64_t index,
                                double priority[CONTENTION_N_SHARING])
{
    int kinds[CONTENTION_N_SHARING];
    int64_t part[CONTENTION_N_SHARING] = {0};
    size_t scenario = 0;
    int m = sharing(s, 0, kinds);
    while (index >= splits(s->steps, m)) {
        index -= splits(s->steps, m);
        m = sharing(s, ++scenario, kinds);
    }
    split(s->steps, m, index, part);
    for (int kind = 0; kind < CONTENTION_N_SHARING; kind++)
        priority[kind] = tier(s, scenario, kind);
    for (int k = 0; k < m; k++)
        priority[kinds[k]] = (double)part[k] / (double)s->steps;
}
