// SPDX-License-Identifier: Apache-2.0
// Compares walks that skip rejected points with the plain walk over every point and every filter,
// for random spaces and lists of filters. Would catch a filter that declares fewer dimensions than
// it reads, a part counted twice, and a domain that depends on more dimensions than it should.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "planner/nd/strategies/walk.h"

// ---- random spaces ------------------------------------------------------------------------------

static uint64_t state = 20240607;

static int32_t draw(int32_t low, int32_t high)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return low + (int32_t)(state % (uint64_t)(high - low + 1));
}

static bool coin(void)
{
    return draw(0, 1) == 1;
}

static int32_t power(void)
{
    return 1 << draw(0, 5);
}

static void draw_space(struct nd_space *space)
{
    static const int32_t devices[] = {1, 2, 6, 8, 12, 16, 24, 30, 36, 64, 72, 96, 1008};
    struct training training = {.gbs = draw(1, 40) * power(), .n_mbs = draw(1, 4)};
    struct modeldesc model = {.num_layers = draw(1, 20),
                              .layer_norms = 2,
                              .mtp_depth = draw(0, 1),
                              .heads = coin() ? 0 : 3 * power(),
                              .query_groups = power(),
                              .vocab = 8 * draw(1, 9),
                              .ffn = 4 * draw(1, 9),
                              .seq_length = 8 * draw(1, 9),
                              .attention = coin() ? MODELDESC_MLA : MODELDESC_GQA,
                              .experts = coin() ? 0 : draw(1, 24),
                              .moe_ffn = 4 * draw(1, 9),
                              .shared_ffn = 4 * draw(0, 3),
                              .dense_layers = draw(0, 1)};
    for (int k = 0; k < training.n_mbs; k++)
        training.mbs[k] = draw(1, 6);
    training.expert_tensor_parallel = coin();
    training.schedule = coin() ? TRAINING_ANY_SCHEDULE : coin() ? TRAINING_1F1B : TRAINING_VPP;
    cr_assert(nd_space_init(space, (enum nd_preset)draw(ND_CLASSIC, ND_MEGATRON), coin(),
                            devices[draw(0, 12)]));
    space->vary = (struct nd_switches){draw(0, 5) > 0, draw(0, 5) > 0, draw(0, 5) > 0,
                                       draw(0, 5) > 0, coin(),         draw(0, 5) > 0};
    nd_space_set_model(space, &model);
    nd_space_set_training(space, &training);
}

static void draw_filters(struct nd_filters *filters, const struct nd_space *space)
{
    nd_filters_init(filters, space);
    for (int k = draw(0, 3) == 0 ? 0 : draw(0, 40); k > 0; k--) {
        const char *name = nd_filter_name((enum nd_filter)draw(0, ND_N_FILTERS - 1));
        cr_assert(coin() ? nd_filters_add(filters, name) : nd_filters_drop(filters, name));
    }
    filters->tp_max = power();
    filters->ep_max = power();
    filters->pp_max = power();
    filters->vp_max = power();
    filters->large = draw(1, 100);
    filters->large_tp_one = coin();
}

// ---- the plain walk -----------------------------------------------------------------------------

enum { POINTS_MAX = 1 << 20 };

struct plain {
    const struct nd_space *space;
    const struct nd_filters *filters;
    struct nd_counts counts;
    size_t n, n_tuples;
    struct nd_strategy *points, *tuples;
};

static bool same_tuple(const struct nd_strategy *a, const struct nd_strategy *b)
{
    return a->dp == b->dp && a->tp == b->tp && a->cp == b->cp && a->pp == b->pp &&
           a->ep == b->ep && a->op == b->op;
}

static bool same_point(const struct nd_strategy *a, const struct nd_strategy *b)
{
    return same_tuple(a, b) && a->vp == b->vp && a->mbs == b->mbs && a->sp == b->sp;
}

static void add_tuple(struct plain *p, const struct nd_strategy *point)
{
    for (size_t k = p->n_tuples; k-- > 0 && p->tuples[k].dp == point->dp;)
        if (same_tuple(&p->tuples[k], point))
            return;
    p->tuples[p->n_tuples++] = *point;
}

static bool see_point(void *context, const struct nd_strategy *point)
{
    struct plain *p = context;
    p->counts.points++;
    for (int k = 0; k < p->filters->n; k++) {
        if (!nd_filter_keeps(p->filters->list[k], p->filters, p->space, point))
            return true;
        p->counts.after[k]++;
    }
    p->counts.survivors++;
    cr_assert(p->n < POINTS_MAX);
    p->points[p->n++] = *point;
    add_tuple(p, point);
    return true;
}

// ---- comparisons --------------------------------------------------------------------------------

// Goes through a list that another walk should repeat.
struct expected {
    const struct nd_strategy *list;
    size_t n, at;
    bool (*same)(const struct nd_strategy *, const struct nd_strategy *);
};

static bool expect_next(void *context, const struct nd_strategy *point)
{
    struct expected *e = context;
    cr_assert(e->at < e->n && e->same(&e->list[e->at], point),
              "%zu of %zu: dp %d tp %d cp %d pp %d ep %d op %d vp %d mbs %d sp %d", e->at, e->n,
              point->dp, point->tp, point->cp, point->pp, point->ep, point->op, point->vp,
              point->mbs, point->sp);
    e->at++;
    return true;
}

static void compare(struct plain *p, int round)
{
    struct nd_counts counts;
    struct expected points = {p->points, p->n, 0, same_point};
    struct expected tuples = {p->tuples, p->n_tuples, 0, same_point};
    nd_count(p->space, p->filters, &counts);
    cr_expect_eq(counts.points, p->counts.points, "round %d: %llu points", round,
                 (unsigned long long)counts.points);
    for (int k = 0; k < p->filters->n; k++)
        cr_expect_eq(counts.after[k], p->counts.after[k], "round %d: %llu after %s, not %llu",
                     round, (unsigned long long)counts.after[k],
                     nd_filter_name(p->filters->list[k]),
                     (unsigned long long)p->counts.after[k]);
    cr_expect_eq(counts.survivors, p->n, "round %d", round);
    cr_expect_eq(counts.tuples, p->n_tuples, "round %d: %llu tuples", round,
                 (unsigned long long)counts.tuples);
    nd_survivors(p->space, p->filters, expect_next, &points);
    cr_expect_eq(points.at, p->n, "round %d", round);
    nd_tuples(p->space, p->filters, expect_next, &tuples);
    cr_expect_eq(tuples.at, p->n_tuples, "round %d", round);
}

Test(nd_walk, agrees_with_the_plain_walk)
{
    struct nd_space space;
    struct nd_filters filters;
    struct plain p = {.space = &space, .filters = &filters};
    uint64_t seen = 0;
    p.points = malloc(POINTS_MAX * sizeof *p.points);
    p.tuples = malloc(POINTS_MAX * sizeof *p.tuples);
    for (int round = 0; round < 600; round++) {
        draw_space(&space);
        draw_filters(&filters, &space);
        memset(&p.counts, 0, sizeof p.counts);
        p.n = p.n_tuples = 0;
        nd_points(&space, see_point, &p);
        compare(&p, round);
        seen += p.n;
    }
    cr_expect_gt(seen, 10000); // not all of them empty
    free(p.points);
    free(p.tuples);
}

// ---- order of the loops -------------------------------------------------------------------------

// The same space by brute force, innermost dimension outermost: all quadruples of numbers.
static uint64_t count_backwards(const struct nd_space *space)
{
    uint64_t n = 0;
    struct nd_domains d;
    struct nd_quad quad;
    const int32_t devices = space->devices;
    for (quad.pp = devices; quad.pp >= 1; quad.pp--)
        for (quad.cp = space->vary.cp ? devices : 1; quad.cp >= 1; quad.cp--)
            for (quad.tp = devices; quad.tp >= 1; quad.tp--)
                for (quad.dp = devices; quad.dp >= 1; quad.dp--) {
                    if (quad.dp * quad.tp * quad.cp * quad.pp != devices)
                        continue;
                    nd_domains_of(space, &quad, &d);
                    for (int op = d.n_op - 1; op >= 0; op--)
                        for (int ep = d.n_ep - 1; ep >= 0; ep--)
                            if (!d.op_of_ep || nd_op_follows(&quad, d.ep[ep], d.op[op]))
                                for (int32_t vp = d.last_vp; vp >= d.first_vp; vp--)
                                    n += (uint64_t)space->n_mbs * (d.sp_on ? 2 : 1);
                }
    return n;
}

Test(nd_walk, counts_do_not_depend_on_the_order)
{
    static const int32_t devices[] = {1, 2, 12, 24, 30, 36};
    for (int preset = ND_CLASSIC; preset <= ND_FSDP; preset++)
        for (int k = 0; k < 6; k++) {
            struct nd_space space;
            struct nd_filters none = {0};
            struct nd_counts counts;
            cr_assert(nd_space_init(&space, (enum nd_preset)preset, true, devices[k]));
            space.layers = 17;
            space.experts = 16;
            space.gbs = 64;
            space.vary.cp = true;
            nd_count(&space, &none, &counts);
            cr_expect_eq(counts.points, count_backwards(&space), "%s %d",
                         nd_preset_name(space.preset), devices[k]);
        }
}
