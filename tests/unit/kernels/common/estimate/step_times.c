// SPDX-License-Identifier: Apache-2.0
// The timeline of a strategy's step compared with the closed forms that represent it.
#include "tests/unit/support/kernels/nd_points.h"

#include "tests/unit/support/kernels/step_times.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

static const char model_text[] = "{\"num_layers\": 48, \"hidden_size\": 4096, "
                                 "\"num_attention_heads\": 32, \"ffn_hidden_size\": "
                                 "14336, \"vocab_size\": 32000, \"num_experts\": 8, \"topk\": "
                                 "2, \"first_k_dense_replace\": 5}";

struct plan {
    int32_t pp, vp, micro_batches;
    bool low;
    enum nd_recompute recompute;
};

static const struct plan plans[] = {
    {1, 1, 4, false, ND_RECOMPUTE_NONE},   {4, 1, 4, false, ND_RECOMPUTE_FULL},
    {8, 1, 32, false, ND_RECOMPUTE_NONE},  {4, 2, 8, false, ND_RECOMPUTE_SELECT},
    {8, 3, 16, false, ND_RECOMPUTE_NONE},  {4, 3, 10, true, ND_RECOMPUTE_FULL},
    {6, 2, 13, true, ND_RECOMPUTE_SELECT},
};
enum { N_PLANS = sizeof plans / sizeof *plans };

struct fixture {
    struct modeldesc model;
    struct cluster cluster;
    struct training training;
    struct nd_estimate estimate;
    struct nd_cache *cache;
    struct nd_point point;
    struct passes times;
};

static struct fixture make(const struct plan *plan)
{
    struct fixture f = {.model = model_of(model_text), .cluster = cluster_of("H100")};
    training_default(&f.training);
    f.training.low_mem_vpp = plan->low;
    nd_estimate_open(&f.estimate, &f.model, &f.cluster, &f.training, 1);
    f.cache = make_cache();
    f.point = (struct nd_point){
        .strategy = {1, 2, 1, plan->pp, 1, 1, plan->vp, 1, true, plan->recompute},
        .seq_length = 4096,
        .gbs = plan->micro_batches};
    cr_assert_eq(nd_steptimes_of(&f.times, &f.estimate, f.cache, &f.point), ND_STEPTIMES_DONE);
    return f;
}

static void drop(struct fixture *f)
{
    passes_free(&f->times);
    free(f->cache);
}

// Catches passes that are lost or overlap on a stage.
Test(steptimes, passes_of_a_stage_follow_each_other)
{
    for (int k = 0; k < N_PLANS; k++) {
        struct fixture f = make(&plans[k]);
        double last[8] = {0};
        int32_t count[8] = {0};
        for (int32_t t = 0; t < f.times.n; t++) {
            const struct pass *pass = &f.times.list[t];
            cr_assert_geq(pass->start, last[pass->stage], "plan %d, pass %d", k, t);
            cr_assert_gt(pass->end, pass->start);
            last[pass->stage] = pass->end;
            count[pass->stage]++;
        }
        for (int32_t i = 0; i < plans[k].pp; i++)
            cr_assert_eq(count[i], 2 * plans[k].vp * plans[k].micro_batches);
        drop(&f);
    }
}

// Catches memory that is not given back, and a peak that is not the estimate's.
Test(steptimes, memory_comes_back_and_peaks_as_estimated)
{
    for (int k = 0; k < N_PLANS; k++) {
        struct fixture f = make(&plans[k]);
        struct nd_chunk chunks[64];
        struct nd_stage stages[8];
        struct nd_memory memory;
        double peak[8] = {0}, last[8] = {0};
        nd_reference_split(&f.estimate, &f.point, chunks);
        nd_reference(&f.estimate, &f.point, chunks, stages, &memory, NULL);
        for (int32_t t = 0; t < f.times.n; t++) {
            const struct pass *pass = &f.times.list[t];
            peak[pass->stage] = fmax(peak[pass->stage], pass->held);
            last[pass->stage] = pass->held;
        }
        for (int32_t i = 0; i < plans[k].pp; i++) {
            cr_expect_float_eq(peak[i], stages[i].total - stages[i].transient, 1e-6 * peak[i],
                               "plan %d, stage %d", k, i);
            cr_expect_float_eq(last[i], f.times.timed.pipeline.fixed[i], 1e-6 * last[i] + 1,
                               "plan %d", k);
        }
        drop(&f);
    }
}

// The closed form takes the longest stage for all; the timeline is never shorter than that stage's
// own work, and where the order is standard seldom much longer than the form.
Test(steptimes, the_makespan_is_near_the_closed_form)
{
    for (int k = 0; k < N_PLANS; k++) {
        struct fixture f = make(&plans[k]);
        struct nd_memory memory;
        struct nd_time time;
        nd_estimate(&f.estimate, f.cache, &f.point, &memory, &time);
        const double closed = time.pipe + time.bubble + time.p2p;
        cr_expect_geq(f.times.makespan, time.pipe * (1 - 1e-12), "plan %d", k);
        cr_expect_lt(fabs(f.times.makespan / closed - 1), plans[k].low ? 0.35 : 0.06,
                     "plan %d: %g s, closed %g s", k, f.times.makespan, closed);
        drop(&f);
    }
}

// Catches a crash where a schedule does not exist.
Test(steptimes, fewer_micro_batches_than_stages_have_no_order)
{
    struct fixture f = make(&plans[1]);
    passes_free(&f.times);
    f.point.gbs = 3;
    cr_assert_eq(nd_steptimes_of(&f.times, &f.estimate, f.cache, &f.point),
                 ND_STEPTIMES_NO_ORDER);
    drop(&f);
}
