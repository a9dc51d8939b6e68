// SPDX-License-Identifier: Apache-2.0
// ZeRO levels 2 and 3: exchanges of every micro-batch, memory of gathered layers.
#include "tests/unit/support/kernels/nd_points.h"
#include "tests/unit/support/near.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "kernels/common/pipeline/collectives.h"

static const struct modeldesc *dense_model(void)
{
    static struct modeldesc model;
    model = model_of("{\"num_layers\": 4, \"hidden_size\": 1024, \"num_attention_heads\": 8, "
                     "\"vocab_size\": 32000}");
    return &model;
}

// So slow that exchanges are not hidden.
static struct cluster slow_links(void)
{
    struct cluster cluster = cluster_of("H100");
    cluster.hardware.intra = cluster.hardware.inter = 1e9;
    return cluster;
}

static void evaluate(int zero, int32_t op, struct nd_memory *memory, struct nd_time *time)
{
    struct cluster cluster = slow_links();
    struct training training;
    struct nd_estimate e;
    struct nd_cache *cache = make_cache();
    training_default(&training);
    training.stack = *stack_find("plain");
    training.zero_level = zero;
    nd_estimate_open(&e, dense_model(), &cluster, &training, 1);
    const struct nd_point point = {{8, 1, 1, 1, 1, op, 1, 1, false, ND_RECOMPUTE_NONE},
                                   512,
                                   64};
    nd_estimate(&e, cache, &point, memory, time);
    free(cache);
}

static double gather(int64_t ranks, int64_t stride, double bytes)
{
    const struct cluster cluster = slow_links();
    return hardware_gather(&cluster.hardware, ranks, stride, bytes);
}

// 64 sequences over 8 replicas: 8 micro-batches. Catches level 3 at the time of level 1.
Test(nd_fsdp, exchanges_of_every_micro_batch)
{
    struct modeldesc_counts counts;
    struct nd_memory memory;
    struct nd_time one, two, three, hybrid;
    modeldesc_count(dense_model(), &counts);
    const double all = (double)counts.total;
    const double parameters = gather(8, 1, 2 * all), gradients = gather(8, 1, 4 * all);
    evaluate(1, 8, &memory, &one);
    evaluate(2, 8, &memory, &two);
    evaluate(3, 8, &memory, &three);
    evaluate(3, 2, &memory, &hybrid);
    near(one.dp, parameters + gradients, 1e-9, "dp");
    near(two.dp, 8 * gradients + parameters, 1e-9, "dp");
    near(three.dp, 8 * (gradients + 2 * parameters), 1e-9, "dp");
    near(
        hybrid.dp,
        8 * (gather(2, 1, 4 * all) + 2 * gather(2, 1, 2 * all) + 2 * gather(4, 2, 4 * all / 2)),
        1e-9, "dp");
    near(three.dp_exposed, 8 * (gradients + 2 * parameters - 0.33 * three.stage), 1e-9,
         "dp_exposed");
    cr_expect(one.step < two.step && two.step < three.step);
}

// Level 1 with shards within pairs: parameters are gathered within a pair, as if there were no other.
Test(nd_fsdp, shards_of_level_one_stay_within_their_group)
{
    struct modeldesc_counts counts;
    struct nd_memory memory;
    struct nd_time time;
    modeldesc_count(dense_model(), &counts);
    const double all = (double)counts.total;
    evaluate(1, 2, &memory, &time);
    near(time.dp, gather(2, 1, 2 * all) + gather(2, 1, 4 * all) + 2 * gather(4, 2, 4 * all / 2),
         1e-9, "dp");
}

// 16 ranks on two nodes: 13 steps within nodes and 2 across them for each bucket.
Test(nd_fsdp, every_bucket_goes_around_the_ring)
{
    struct cluster cluster = slow_links();
    const double whole = hardware_buckets(&cluster.hardware, 16, 1, 1e9);
    near(whole, hardware_gather(&cluster.hardware, 16, 1, 1e9), 1e-12, "all at once");
    cluster.hardware.bucket = 25e6;
    near(hardware_buckets(&cluster.hardware, 16, 1, 1e9) - whole, 40 * (13 * 1.9e-6 + 2 * 4e-6),
         1e-9, "buckets");
    cluster.hardware.bucket = 1e9;
    near(hardware_buckets(&cluster.hardware, 1, 1, 1e9), 0, 1e-12, "one rank");
}

// Catches gathered layers that memory does not count, and layers of a single replica counted as
// gathered.
Test(nd_fsdp, two_gathered_layers_are_counted)
{
    struct modeldesc_counts counts;
    struct nd_memory one, three, alone;
    struct nd_time time;
    modeldesc_count(dense_model(), &counts);
    evaluate(1, 8, &one, &time);
    evaluate(3, 8, &three, &time);
    evaluate(3, 1, &alone, &time);
    near(three.parameters, one.parameters / 8, 1e-9, "parameters");
    near(three.transient, one.transient + 2 * 2 * (double)counts.dense_layer, 1e-9,
         "transient");
    near(alone.transient, one.transient, 1e-9, "transient");
    near(alone.parameters, one.parameters, 1e-9, "parameters");
}
