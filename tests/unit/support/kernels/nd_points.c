// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/support/kernels/nd_points.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static enum nd_recompute mode_of(const char *name)
{
    return strcmp(name, "none") == 0     ? ND_RECOMPUTE_NONE
           : strcmp(name, "select") == 0 ? ND_RECOMPUTE_SELECT
                                         : ND_RECOMPUTE_FULL;
}

struct modeldesc golden_model(const cJSON *document, const cJSON *c)
{
    cJSON *shape = cJSON_Duplicate(
        golden_item(golden_item(document, "models"), golden_word(c, "model_name")), 1);
    const cJSON *item;
    cJSON_ArrayForEach (item, golden_item(c, "overrides")) {
        cJSON_DeleteItemFromObjectCaseSensitive(shape, item->string);
        cJSON_AddItemToObject(shape, item->string, cJSON_Duplicate(item, 1));
    }
    struct modeldesc model = model_read(shape);
    cJSON_Delete(shape);
    return model;
}

struct nd_point golden_point(const cJSON *c)
{
    struct nd_point p = {.seq_length = (int64_t)golden_real(c, "seq")};
    p.strategy =
        (struct nd_strategy){.dp = golden_whole(c, "dp"),
                             .tp = golden_whole(c, "tp"),
                             .cp = golden_whole(c, "cp"),
                             .pp = golden_whole(c, "pp"),
                             .ep = golden_whole(c, "ep"),
                             .op = (int32_t)(golden_real(c, "dp") * golden_real(c, "cp")),
                             .vp = 1,
                             .mbs = golden_whole(c, "micro_batch_size"),
                             .sp = golden_is(c, "sp"),
                             .recompute = mode_of(golden_word(c, "recompute"))};
    return p;
}

struct nd_cache *make_cache(void)
{
    size_t bytes = (nd_cache_bytes() + 63) / 64 * 64;
    struct nd_cache *cache = aligned_alloc(64, bytes);
    memset(cache, 0, bytes);
    return cache;
}

void random_setting(struct random *r, struct nd_setting *s, uint32_t id)
{
    static const char *const devices[] = {"A100", "H100", "B200"};
    s->model = random_model(r);
    s->cluster = cluster_of(devices[random_below(r, 3)]);
    s->cluster.reserve = (double)random_below(r, 3) * 1e9;
    s->training = random_training(r);
    if (random_below(r, 4) == 0) { // in the memory of the host
        s->training.offload_optimizer = random_coin(r) ? 0.5 : 1;
        s->training.offload_activations = random_coin(r) ? 0.25 : 0;
        s->training.offload_checkpoints = random_coin(r);
        s->training.offload_parameters = random_coin(r) && s->training.zero_level == 3;
    }
    nd_estimate_open(&s->estimate, &s->model, &s->cluster, &s->training, id);
}

struct nd_point random_nd_point(struct random *r, const struct modeldesc *m)
{
    struct nd_point p = {.seq_length = 512 << random_below(r, 5)};
    struct nd_strategy *s = &p.strategy;
    int64_t layers = modeldesc_layers(m);
    *s = (struct nd_strategy){.dp = 1 << random_below(r, 6),
                              .tp = 1 << random_below(r, 4),
                              .cp = 1 << random_below(r, 3)};
    s->dp *= random_coin(r) ? 1 : 3;
    s->pp = (int32_t)(1 + random_below(r, random_coin(r) ? layers : 1 + layers / 4));
    s->vp = (int32_t)(1 + random_below(r, 1 + layers / s->pp));
    s->ep = m->experts == 0 ? 1 : 1 << random_below(r, 4);
    s->op = random_coin(r) ? s->dp : random_coin(r) ? -1 : s->dp * s->cp;
    s->mbs = 1 << random_below(r, 3);
    s->sp = random_coin(r);
    s->recompute = (enum nd_recompute)random_below(r, 3);
    int64_t micro_batches = s->pp + random_below(r, random_coin(r) ? 3 * s->pp : 9 * s->pp);
    if (random_below(r, 20) == 0)
        micro_batches = 1 + random_below(r, s->pp);
    p.gbs = micro_batches * s->dp * s->mbs;
    return p;
}

struct nd_chunk plain_chunks[PLAIN_CHUNKS];
struct nd_stage plain_stages[PLAIN_STAGES];

void plain_estimate(const struct nd_estimate *e, const struct nd_point *p,
                    struct nd_memory *memory, struct nd_time *time)
{
    nd_reference_split(e, p, plain_chunks);
    nd_reference(e, p, plain_chunks, plain_stages, memory, time);
}
