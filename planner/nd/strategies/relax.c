// SPDX-License-Identifier: Apache-2.0
// Finds the filters to relax if no strategy survives.
#include "planner/nd/strategies/walk.h"

#include <string.h>

enum nd_filter nd_last_filter(const struct nd_filters *filters, const struct nd_counts *counts)
{
    if (counts->points == 0)
        return ND_N_FILTERS;
    for (int k = 0; k < filters->n; k++)
        if (counts->after[k] == 0)
            return filters->list[k];
    return ND_N_FILTERS;
}

static bool keep_first(void *context, const struct nd_strategy *point)
{
    *(struct nd_strategy *)context = *point;
    return false;
}

static bool is_empty(const struct nd_space *space, const struct nd_filters *filters)
{
    struct nd_strategy first;
    return nd_tuples(space, filters, keep_first, &first);
}

// Returns the least bound with which a strategy survives. A larger bound never leaves fewer.
static int32_t least_bound(const struct nd_space *space, struct nd_filters filters,
                           enum nd_filter filter)
{
    int32_t *bound = nd_filter_bound(&filters, filter);
    int32_t low = *bound > 0 ? *bound : 0, high = low; // low does not suffice
    do {
        high = high < ND_DEVICES_MAX / 2 ? 2 * high + 1 : ND_DEVICES_MAX;
        *bound = high;
    } while (is_empty(space, &filters));
    while (high - low > 1) {
        *bound = low + (high - low) / 2;
        *(is_empty(space, &filters) ? &low : &high) = *bound;
    }
    return high;
}

static struct nd_filters without(const struct nd_filters *filters, enum nd_filter filter)
{
    struct nd_filters left = *filters;
    nd_filters_drop(&left, nd_filter_name(filter));
    return left;
}

// One way of relaxing: without these n filters. false: nothing survives even so.
static bool try_without(const struct nd_space *space, const struct nd_filters *filters, int n,
                        const enum nd_filter which[2], struct nd_relaxation *relaxation)
{
    struct nd_filters left = *filters, bounded = *filters;
    struct nd_counts counts;
    for (int k = 0; k < n; k++)
        left = without(&left, which[k]);
    if (is_empty(space, &left))
        return false;
    memset(relaxation, 0, sizeof *relaxation);
    nd_count(space, &left, &counts);
    relaxation->n = n;
    relaxation->survivors = counts.survivors;
    for (int k = 0; k < n; k++) {
        relaxation->filters[k] = which[k];
        if (nd_filter_bound(&bounded, which[k]) == NULL)
            bounded = without(&bounded, which[k]);
    }
    for (int k = 0; k < n; k++)
        if (nd_filter_bound(&bounded, which[k]) != NULL) {
            struct nd_filters other = bounded; // the second bound is out of the way meanwhile
            if (k == 0 && n == 2 && nd_filter_bound(&bounded, which[1]) != NULL)
                other = without(&other, which[1]);
            relaxation->bounds[k] = least_bound(space, other, which[k]);
            *nd_filter_bound(&bounded, which[k]) = relaxation->bounds[k];
        }
    nd_tuples(space, &bounded, keep_first, &relaxation->example);
    return true;
}

// Wider bounds first, then filters to leave out, then rules of legality, which a run would stop on.
static int cost_of(enum nd_filter filter)
{
    struct nd_filters any;
    if (nd_filter_is_rule(filter))
        return 2;
    return nd_filter_bound(&any, filter) == NULL;
}

void nd_relax(const struct nd_space *space, const struct nd_filters *filters,
              struct nd_relaxation *relaxation)
{
    for (int cost = 0; cost <= 2; cost++)
        for (int k = 0; k < filters->n; k++) {
            const enum nd_filter one[2] = {filters->list[k], ND_N_FILTERS};
            if (cost_of(one[0]) == cost && try_without(space, filters, 1, one, relaxation))
                return;
        }
    for (int cost = 0; cost <= 4; cost++)
        for (int k = 0; k < filters->n; k++)
            for (int l = k + 1; l < filters->n; l++) {
                const enum nd_filter two[2] = {filters->list[k], filters->list[l]};
                if (cost_of(two[0]) + cost_of(two[1]) == cost &&
                    try_without(space, filters, 2, two, relaxation))
                    return;
            }
    memset(relaxation, 0, sizeof *relaxation);
}
