// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/support/kernels/models.h"

#include "base/math/units.h"
#include "tests/unit/support/documents.h"

#include <criterion/criterion.h>

struct modeldesc model_read(const cJSON *document)
{
    struct modeldesc model;
    struct pps_fault fault;
    cr_assert(modeldesc_read(&model, document, &fault), "%s", fault.text);
    return model;
}

struct modeldesc model_of(const char *text)
{
    struct pps_json json = document_of(text);
    struct modeldesc model = model_read(json.root);
    pps_json_free(&json);
    return model;
}

int64_t looked_up(const struct modeldesc *model)
{
    return ((model->tied ? 0 : model->vocab) + model->positions) * model->hidden;
}

struct cluster cluster_of(const char *hardware)
{
    struct cluster cluster = {.world_size = 8,
                              .node_devices = 8,
                              .memory_limit = 80 * UNITS_GIB,
                              .hardware = *hardware_find(hardware)};
    return cluster;
}

struct modeldesc random_model(struct random *r)
{
    struct modeldesc m = {.num_layers = 1 + random_below(r, 70),
                          .mtp_depth = random_coin(r) ? 0 : random_below(r, 3),
                          .hidden = 64 * (1 + random_below(r, 64)),
                          .heads = 64,
                          .query_groups = random_coin(r) ? 64 : 8,
                          .head_dim = 64 * (1 + random_below(r, 2)),
                          .ffn = 256 * (1 + random_below(r, 64)),
                          .gated = random_coin(r),
                          .vocab = 1000 + random_below(r, 200000),
                          .seq_length = 4096,
                          .tied = random_coin(r),
                          .layer_norms = 2,
                          .qk_norm = random_coin(r)};
    if (random_coin(r)) {
        m.attention = MODELDESC_MLA;
        m.q_rank = random_coin(r) ? 0 : 1536;
        m.kv_rank = 512;
        m.qk_nope = 128;
        m.qk_rope = 64;
        m.v_dim = 128;
    }
    m.dense_layers = m.num_layers;
    if (random_below(r, 3) > 0) {
        m.experts = 8 << random_below(r, 5);
        m.topk = 1 + random_below(r, 8);
        m.moe_ffn = 256 * (1 + random_below(r, 8));
        m.shared_ffn = random_coin(r) ? 0 : m.moe_ffn;
        m.dense_layers =
            random_coin(r) ? random_below(r, m.num_layers + 1) : random_below(r, 4);
        if (m.dense_layers > m.num_layers)
            m.dense_layers = m.num_layers;
    }
    return m;
}

struct modeldesc random_hybrid(struct random *r)
{
    struct modeldesc m = random_model(r);
    struct modeldesc_kind kinds[5];
    const int n = (int)(2 + random_below(r, 4));
    m.scan = (struct modeldesc_scan){.heads = 64,
                                     .head_dim = 64,
                                     .groups = random_coin(r) ? 64 : 8,
                                     .state = 128,
                                     .conv = 4,
                                     .rank = 128};
    for (int k = 0; k < n; k++) {
        kinds[k] = (struct modeldesc_kind){
            .mixer = (enum modeldesc_mixer)random_below(r, MODELDESC_MIXERS),
            .network = (enum modeldesc_network)random_below(r, MODELDESC_NETWORKS),
            .window = random_coin(r) ? 0 : 512,
            .chunked = random_coin(r),
            .layer_norms = 1 + random_below(r, 2)};
        if (kinds[k].network == MODELDESC_EXPERTS && m.experts == 0)
            kinds[k].network = MODELDESC_DENSE;
    }
    m.n_kinds = 0;
    for (int64_t i = 0; i < modeldesc_layers(&m); i++)
        modeldesc_set_kind(&m, i, &kinds[random_below(r, n)]);
    return m;
}

struct training random_training(struct random *r)
{
    struct training t;
    training_default(&t);
    t.zero_level = (int)random_below(r, 4);
    t.distributed_optimizer = random_below(r, 4) > 0;
    t.flash_attention = random_coin(r);
    t.low_mem_vpp = random_coin(r);
    t.dummy_wgrad = random_coin(r);
    t.expert_tensor_parallel = random_coin(r);
    t.fused_cross_entropy = random_coin(r);
    if (random_coin(r)) {
        t.bytes_param = 1;
        t.bytes_optim = 6;
    }
    int n;
    const struct stack *stacks = stack_all(&n);
    t.stack = stacks[random_below(r, n)];
    t.stack.pp_exposed = random_coin(r) ? 0.3 : 0;
    t.stack.accumulation_whole = random_coin(r);
    t.precision = (enum training_precision)random_below(r, 3);
    t.dropout = random_coin(r);
    t.recompute_modules = random_coin(r) ? 0 : (unsigned)random_below(r, 64);
    if (random_coin(r))
        t.schedule = random_coin(r) ? TRAINING_ZERO_BUBBLE : TRAINING_DUALPIPE;
    t.frozen = random_below(r, 4) == 0;
    if (t.frozen && random_coin(r)) {
        t.lora_rank = 1 + random_below(r, 64);
        t.lora_modules = 1 + (unsigned)random_below(r, 511);
    }
    return t;
}
