// SPDX-License-Identifier: Apache-2.0
// Speed of the strategy search's walks: the space of a 671-billion-parameter model on 1024 devices,
// counted after each filter, its tuples with their static memory, and the plain walk of every point
// through every filter. One JSON line; CPU time, the least of several runs; counts are compared.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/system/machine.h"
#include "bench/shippedmodel.h"
#include "planner/nd/strategies/published_memory.h"
#include "planner/nd/strategies/walk.h"

#define RUNS 7

struct search {
    struct nd_space space;
    struct nd_filters filters;
    struct nd_origmem memory;
    struct nd_counts plain, counts;
    uint64_t survivors, fitting;
};

// ---- what is measured ---------------------------------------------------------------------------

static bool see_point(void *context, const struct nd_strategy *point)
{
    struct search *s = context;
    s->plain.points++;
    for (int k = 0; k < s->filters.n; k++) {
        if (!nd_filter_keeps(s->filters.list[k], &s->filters, &s->space, point))
            return true;
        s->plain.after[k]++;
    }
    s->plain.survivors++;
    return true;
}

static void walk_plainly(struct search *s)
{
    memset(&s->plain, 0, sizeof s->plain);
    nd_points(&s->space, see_point, s);
}

static void count(struct search *s)
{
    nd_count(&s->space, &s->filters, &s->counts);
}

static bool see_survivor(void *context, const struct nd_strategy *point)
{
    (void)point;
    ((struct search *)context)->survivors++;
    return true;
}

static void walk_survivors(struct search *s)
{
    s->survivors = 0;
    nd_survivors(&s->space, &s->filters, see_survivor, s);
}

static bool see_tuple(void *context, const struct nd_strategy *tuple)
{
    struct search *s = context;
    s->fitting += nd_origmem_estimate(&s->memory, tuple) <= ND_ORIGMEM_LIMIT_MB;
    return true;
}

static void walk_tuples(struct search *s)
{
    s->fitting = 0;
    nd_tuples(&s->space, &s->filters, see_tuple, s);
}

static double measure(void (*what)(struct search *), struct search *s, int repeats)
{
    double least = HUGE_VAL;
    for (int run = 0; run < RUNS; run++) {
        const double start = pps_cpu_seconds();
        for (int k = 0; k < repeats; k++)
            what(s);
        least = fmin(least, (pps_cpu_seconds() - start) / repeats);
    }
    return least;
}

// ---- lines --------------------------------------------------------------------------------------

static bool compare(const char *name, const struct modeldesc *model, bool orig, bool cp)
{
    struct search s = {.survivors = 0};
    nd_space_init(&s.space, ND_FSDP, orig, 1024);
    nd_space_set_model(&s.space, model);
    s.space.vary.cp = cp;
    s.space.gbs = 1024;
    nd_filters_init(&s.filters, &s.space);
    nd_origmem_init(&s.memory, model, true);
    const double plain = measure(walk_plainly, &s, 1), counted = measure(count, &s, 16);
    const double survivors = measure(walk_survivors, &s, 4),
                 tuples = measure(walk_tuples, &s, 16);
    const bool same = s.counts.points == s.plain.points && s.survivors == s.plain.survivors &&
                      memcmp(s.counts.after, s.plain.after, sizeof s.plain.after) == 0;
    printf(
        "{\"name\":\"%s\",\"points\":%llu,\"survivors\":%llu,\"tuples\":%llu,\"fitting\":%llu,"
        "\"count_ms\":%.4f,\"points_per_s\":%.3g,\"survivors_ms\":%.4f,\"tuples_ms\":%.4f,"
        "\"plain_ms\":%.3f,\"ratio\":%.1f,\"results\":\"%s\"}\n",
        name, (unsigned long long)s.counts.points, (unsigned long long)s.survivors,
        (unsigned long long)s.counts.tuples, (unsigned long long)s.fitting, 1e3 * counted,
        (double)s.counts.points / counted, 1e3 * survivors, 1e3 * tuples, 1e3 * plain,
        plain / counted, same ? "agree" : "differ");
    return same;
}

int main(void)
{
    const struct modeldesc model = shipped_model("deepseek-v3");
    bool same = compare("ndwalk_published", &model, true, false);
    same = compare("ndwalk_published_cp", &model, true, true) && same;
    same = compare("ndwalk_corrected", &model, false, true) && same;
    return same ? 0 : 1;
}
