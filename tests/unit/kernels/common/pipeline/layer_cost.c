// SPDX-License-Identifier: Apache-2.0
// Tests the part of a backward pass that computes the gradients of the weights.
#include "kernels/common/pipeline/layer_cost.h"
#include "kernels/common/pipeline/collectives.h"

#include "tests/unit/support/kernels/models.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct layercost_set costs_of(const struct modeldesc *model,
                                     const struct training *training,
                                     const struct layercost_shape *shape)
{
    const struct cluster cluster = cluster_of("H100");
    struct layercost_model m;
    struct layercost_set set;
    layercost_open(&m, model, &cluster.hardware, training);
    layercost_of(&m, shape, &set);
    return set;
}

// 16 h inputs and outputs of the four matrices of a GPT layer, two bytes each: the 32 s b h of "Zero
// Bubble Pipeline Parallelism" (Qi et al., 2024).
Test(layer_cost, bytes_between_the_parts_of_a_backward)
{
    const struct modeldesc model =
        model_of("{'hidden_size': 2048, 'num_layers': 4, 'num_attention_heads': 16,"
                 "'vocab_size': 32000, 'seq_length': 1024, 'ffn_hidden_size': 8192,"
                 "'gated': false}");
    const struct layercost_shape shape = {1, 1, 1, 2, 1024, false};
    struct training training;
    training_default(&training);
    training.flash_attention = false;
    const struct layercost_set set = costs_of(&model, &training, &shape);
    cr_assert_eq(set.dense.kept_for_weights, 32.0 * 1024 * 2 * 2048, "%.17g",
                 set.dense.kept_for_weights);
}

// Two more norms a layer, after the attention and after the network, as in Gemma 2: each is one more
// pass over the activations, forward, and stores its input.
Test(layer_cost, norms_of_a_layer)
{
#define MODEL                                                                                  \
    "'hidden_size': 2048, 'num_layers': 4, 'num_attention_heads': 16,"                         \
    "'vocab_size': 32000, 'seq_length': 1024"
    const struct modeldesc two = model_of("{" MODEL "}");
    const struct modeldesc four = model_of("{" MODEL ", 'layer_norms': 4}");
    const struct modeldesc one = model_of("{" MODEL ", 'layer_norms': 1}");
    const struct layercost_shape shape = {1, 1, 1, 2, 1024, false};
    const double numbers = 2048.0 * 1024 * 2;
    const struct hardware h100 = *hardware_find("H100");
    struct training training;
    training_default(&training);
    const struct layercost a = costs_of(&two, &training, &shape).dense;
    const struct layercost b = costs_of(&four, &training, &shape).dense;
    const struct layercost c = costs_of(&one, &training, &shape).dense;
    cr_assert_float_eq(b.stored[LAYERCOST_NONE] - a.stored[LAYERCOST_NONE], 4 * numbers, 1);
    cr_assert_float_eq(b.stored[LAYERCOST_FULL], a.stored[LAYERCOST_FULL], 1);
    cr_assert_float_eq(b.parts.memory - a.parts.memory, hardware_stream(&h100, 8 * numbers),
                       1e-12);
    cr_assert_float_eq(b.parameters - a.parameters, 2 * 2048, 1e-6);
    cr_assert_float_eq(a.stored[LAYERCOST_NONE] - c.stored[LAYERCOST_NONE], 2 * numbers, 1);
    cr_assert(c.forward < a.forward && c.parts.gemm == a.parts.gemm);
}

// Learned positions and a norm are whole beside the table; the head may have a bias.
Test(layer_cost, ends_of_a_model)
{
    const struct modeldesc plain = model_of("{" MODEL "}");
    const struct modeldesc more = model_of(
        "{" MODEL ", 'learned_positions': 512, 'embedding_norm': true, 'head_bias': true}");
    const struct layercost_shape shape = {2, 1, 1, 2, 1024, false};
    struct training training;
    training_default(&training);
    const struct layercost_set a = costs_of(&plain, &training, &shape);
    const struct layercost_set b = costs_of(&more, &training, &shape);
    cr_assert_float_eq(a.embedding, 16000.0 * 2048, 1e-6);
    cr_assert_float_eq(b.embedding, 16000.0 * 2048 + 513 * 2048, 1e-6);
    cr_assert_float_eq(b.head.parameters - a.head.parameters, 16000, 1e-6);
}

static void check_layer(const struct layercost *layer, const struct training *t, int i)
{
    const bool some = !t->frozen || layer->weights > 0;
    cr_assert(t->frozen ? layer->weights < layer->parts.gemm
                        : layer->weights == layer->parts.gemm,
              "case %d", i);
    for (int mode = 0; mode < LAYERCOST_MODES; mode++)
        cr_assert(layer->backward[mode] - layer->weights >= layer->weights, "case %d", i);
    cr_assert((layer->kept_for_weights > 0) == some &&
                  layer->kept_for_weights <= layer->stored[LAYERCOST_NONE],
              "case %d", i);
}

// The other part is at least the matrix products for the gradient of the input.
Test(layer_cost, both_parts_of_random_models)
{
    struct random r = {31};
    for (int i = 0; i < 300; i++) {
        const struct modeldesc model = random_model(&r);
        const struct training training = random_training(&r);
        const struct layercost_shape shape = {.tp = 1 << random_below(&r, 4),
                                              .cp = 1 << random_below(&r, 2),
                                              .ep = 1 << random_below(&r, 4),
                                              .mbs = 1 + random_below(&r, 3),
                                              .seq_length = model.seq_length,
                                              .sp = random_coin(&r)};
        const struct layercost_set set = costs_of(&model, &training, &shape);
        if (set.dense.forward > 0)
            check_layer(&set.dense, &training, i);
        if (set.moe.forward > 0)
            check_layer(&set.moe, &training, i);
        cr_assert((set.head.weights > 0) == !training.frozen &&
                      (set.mtp_weights > 0) == !training.frozen &&
                      set.head.weights <= set.head.backward / 2,
                  "case %d", i);
    }
}

// Frozen weights have no product for their gradients and no stored inputs; adapters of Llama 3 8B on all matrices have the
// published 20 971 520 parameters with rank 8, and need all inputs but those of no matrix with an adapter.
Test(layer_cost, frozen_weights_and_adapters)
{
    const struct modeldesc model =
        model_of("{'hidden_size': 4096, 'num_layers': 32, 'num_attention_heads': 32,"
                 "'num_query_groups': 8, 'vocab_size': 128256, 'seq_length': 1024,"
                 "'ffn_hidden_size': 14336}");
    const struct layercost_shape shape = {1, 1, 1, 1, 1024, false};
    const double tokens = 1024, input = 2 * tokens * 4096, hidden = 2 * tokens * 14336;
    struct training training;
    struct layercost_model m;
    training_default(&training);
    const struct layercost_set all = costs_of(&model, &training, &shape);
    training.frozen = true;
    const struct layercost_set none = costs_of(&model, &training, &shape);
    training.lora_rank = 8;
    training.lora_modules = TRAINING_LINEAR_Q | TRAINING_LINEAR_K | TRAINING_LINEAR_V |
                            TRAINING_LINEAR_PROJ | TRAINING_LINEAR_FC1_GATE |
                            TRAINING_LINEAR_FC1_UP | TRAINING_LINEAR_FC2;
    const struct layercost_set lora = costs_of(&model, &training, &shape);
    layercost_open(&m, &model, hardware_find("H100"), &training);
    cr_assert_eq(32 * layercost_adapters(&m, 0, 0), 20971520);
    const struct layercost *a = &all.dense, *b = &none.dense, *c = &lora.dense;
    cr_assert(b->weights == 0 && b->forward == a->forward && none.head.weights == 0);
    cr_assert_float_eq(a->backward[LAYERCOST_NONE] - b->backward[LAYERCOST_NONE], a->weights,
                       1e-12);
    cr_assert_float_eq(a->stored[LAYERCOST_NONE] - b->stored[LAYERCOST_NONE],
                       2 * input + hidden, 1);
    cr_assert_float_eq(c->stored[LAYERCOST_NONE] - a->stored[LAYERCOST_NONE],
                       7 * 2 * tokens * 8, 1);
    cr_assert(c->weights > 0 && c->weights < 0.2 * a->weights && c->forward > a->forward);
}

// A loss in pieces has the logits of one piece at a time; times stay.
Test(layer_cost, a_loss_in_pieces)
{
    const struct modeldesc model =
        model_of("{'hidden_size': 2048, 'num_layers': 4, 'num_attention_heads': 16,"
                 "'vocab_size': 32000, 'seq_length': 1024, 'ffn_hidden_size': 8192}");
    const struct layercost_shape shape = {2, 1, 1, 2, 1024, false};
    struct training training;
    training_default(&training);
    const struct layercost_set whole = costs_of(&model, &training, &shape);
    training.loss_chunks = 8;
    const struct layercost_set pieces = costs_of(&model, &training, &shape);
    cr_assert_eq(pieces.head.logits, whole.head.logits / 8);
    cr_assert(pieces.head.forward == whole.head.forward &&
              pieces.head.backward == whole.head.backward);
}

// A stack that stops early does not make the last product again; select makes a share of the products
// again; no pass takes less than the launches.
Test(layer_cost, what_stacks_make_again)
{
    const struct modeldesc model =
        model_of("{'hidden_size': 2048, 'num_layers': 4, 'num_attention_heads': 16,"
                 "'vocab_size': 32000, 'seq_length': 1024, 'ffn_hidden_size': 8192}");
    const struct layercost_shape shape = {2, 1, 1, 2, 1024, false};
    const struct hardware h100 = *hardware_find("H100");
    struct training training;
    training_default(&training);
    training.stack = *stack_find("megatron-tuned");
    const struct layercost whole = costs_of(&model, &training, &shape).dense;
    training.stack.early_stop = true;
    training.stack.select_products = 0.5;
    training.stack.select_again = 0.25;
    const struct layercost less = costs_of(&model, &training, &shape).dense;
    cr_assert_float_eq(whole.backward[LAYERCOST_FULL] - less.backward[LAYERCOST_FULL],
                       hardware_gemm(&h100, 2048, 2048, 4096), 1e-15);
    cr_assert_float_eq(less.backward[LAYERCOST_SELECT] - less.backward[LAYERCOST_NONE],
                       0.25 * less.parts.gemm + less.parts.memory, 1e-15);
    training.stack.launch = 1;
    const struct layercost floor = costs_of(&model, &training, &shape).dense;
    cr_assert(floor.forward == 1 && floor.backward[LAYERCOST_NONE] == 1);
}

// Pairs of positions that causal attention multiplies, counted: each of `seq` tokens attends to the latest
// `window` tokens, itself included.
static double counted_pairs(int64_t seq, int64_t window)
{
    double pairs = 0;
    for (int64_t i = 0; i < seq; i++)
        pairs += (double)(i + 1 < window ? i + 1 : window);
    return pairs;
}

static struct layercost_set costs_with_window(int64_t window, bool flash)
{
    struct modeldesc model =
        model_of("{'hidden_size': 2048, 'num_layers': 4, 'num_attention_heads': 16,"
                 "'vocab_size': 32000, 'seq_length': 4096, 'ffn_hidden_size': 8192}");
    const struct layercost_shape shape = {1, 1, 1, 1, 4096, false};
    struct training training;
    training_default(&training);
    training.flash_attention = flash;
    model.window = window;
    return costs_of(&model, &training, &shape);
}

// A window makes attention as much shorter as it has fewer pairs; one as long as the sequence changes
// nothing, and none changes attention that computes all scores.
Test(layer_cost, windows_of_attention)
{
    const struct layercost_set whole = costs_with_window(0, true);
    for (int64_t window = 64; window < 4096; window *= 2) {
        const struct layercost_set set = costs_with_window(window, true);
        cr_assert_float_eq(set.dense.parts.attention / whole.dense.parts.attention,
                           counted_pairs(4096, window) / counted_pairs(4096, 4096), 1e-3);
        cr_assert(set.dense.parts.gemm == whole.dense.parts.gemm &&
                  set.dense.stored[LAYERCOST_NONE] == whole.dense.stored[LAYERCOST_NONE]);
        cr_assert_eq(costs_with_window(window, false).dense.forward,
                     costs_with_window(0, false).dense.forward);
    }
    for (int64_t window = 4096; window < 10000; window += 1000)
        cr_assert_eq(costs_with_window(window, true).dense.forward, whole.dense.forward);
}

static struct layercost_set kinds_of(const char *kinds, const char *more)
{
    const struct layercost_shape shape = {2, 1, 4, 1, 1024, true};
    char text[1024];
    struct training training;
    training_default(&training);
    snprintf(
        text, sizeof text,
        "{" MODEL ", 'scan_heads': 64, 'scan_head_dim': 64, 'scan_groups': 1,"
        "'scan_state': 128, 'scan_conv': 4, 'layer_kinds': [%s], 'layer_pattern': [0, 1, 2, 3]%s}",
        kinds, more);
    const struct modeldesc model = model_of(text);
    return costs_of(&model, &training, &shape);
}

// Falcon-H1: the products, kernels and exchanges of both mixers, one pass of the residual stream and one
// stored input for both.
Test(layer_cost, attention_beside_a_scan)
{
#define ALONE(mixer) "{'mixer': '" mixer "', 'network': 'none', 'layer_norms': 1}"
    const struct layercost_set set = kinds_of(
        "{'mixer': 'mamba2', 'network': 'none', 'layer_norms': 1, 'attention_beside': true}, " ALONE(
            "mamba2") ", " ALONE("attention") ", {'mixer': 'attention', 'network': 'dense'}",
        "");
    const struct layercost *both = &set.kind[0], *scan = &set.kind[1],
                           *attention = &set.kind[2];
    const double input = 2048.0 * 1024;
    cr_expect_float_eq(both->parts.gemm, scan->parts.gemm + attention->parts.gemm, 1e-12);
    cr_expect_float_eq(both->parts.attention,
                       scan->parts.attention + attention->parts.attention, 1e-12);
    cr_expect(both->parts.memory < scan->parts.memory + attention->parts.memory);
    cr_expect_float_eq(both->parts.tp, scan->parts.tp, 1e-12);
    cr_expect_float_eq(both->parameters, scan->parameters + attention->parameters - 1024, 1);
    cr_expect_float_eq(both->matrices, scan->matrices + attention->matrices, 1);
    cr_expect_float_eq(
        both->stored[LAYERCOST_NONE],
        scan->stored[LAYERCOST_NONE] + attention->stored[LAYERCOST_NONE] - 2 * input, 1);
    cr_expect_float_eq(both->stored[LAYERCOST_FULL], input, 1);
}

// Nemotron-NAS: a layer without mixer and network takes neither time nor memory.
Test(layer_cost, layers_that_do_nothing)
{
    const struct layercost_set set =
        kinds_of("{'mixer': 'none', 'network': 'none'}, {'mixer': 'attention', 'network': "
                 "'dense'}, {'mixer': 'attention', 'network': 'dense', 'num_query_groups': 4}, "
                 "{'mixer': 'attention', 'network': 'dense', 'ffn_hidden_size': 512}",
                 ", 'layer_norms': 0");
    const struct layercost nothing = {.forward = 0};
    cr_expect(memcmp(&set.kind[0], &nothing, sizeof nothing) == 0);
    cr_expect(set.kind[2].parameters < set.kind[1].parameters &&
              set.kind[3].forward < set.kind[1].forward);
}

static struct layercost experts_of(const char *more)
{
    const struct layercost_shape shape = {1, 1, 64, 1, 1024, false};
    char text[512];
    struct training training;
    training_default(&training);
    snprintf(text, sizeof text,
             "{" MODEL ", 'num_experts': 64, 'moe_intermediate_size': 512%s}", more);
    const struct modeldesc model = model_of(text);
    return costs_of(&model, &training, &shape).moe;
}

// A quarter of the width: a quarter of the parameters of experts and of what is exchanged, without the
// latencies. Of 64 experts and 32 that do nothing a token has 4 of 6.
Test(layer_cost, narrow_and_zero_experts)
{
    const struct layercost all = experts_of(", 'topk': 6"),
                           narrow = experts_of(", 'topk': 6, 'moe_latent_size': 512");
    const struct layercost zero = experts_of(", 'topk': 6, 'zero_experts': 32");
    const struct layercost four = experts_of(", 'topk': 4");
    const double latent = 2.0 * 2048 * 512;
    cr_expect_float_eq(narrow.routed, all.routed / 4, 1e-6);
    cr_expect_float_eq(narrow.parameters, all.parameters + latent, 1e-6);
    cr_expect(narrow.parts.ep > all.parts.ep / 4 && narrow.parts.ep < all.parts.ep / 2);
    cr_expect_float_eq(zero.routed, all.routed, 1e-6);
    cr_expect_float_eq(zero.parameters, all.parameters + 32 * 2048, 1e-6);
    cr_expect_float_eq(zero.parts.ep, four.parts.ep, 1e-12);
    cr_expect(zero.parts.gemm > four.parts.gemm && zero.parts.gemm < all.parts.gemm);
}

// Catches recipes whose experts are launched one kernel after the other, and shared experts that wait for
// the exchange of tokens.
Test(layer_cost, launches_of_experts_and_shared_experts_beside_the_exchange)
{
    const struct modeldesc model = model_of(
        "{'hidden_size': 2048, 'num_layers': 4, 'num_attention_heads': 16, 'vocab_size': 32000,"
        "'seq_length': 1024, 'n_routed_experts': 16, 'num_experts_per_tok': 4,"
        "'moe_intermediate_size': 512, 'n_shared_experts': 1, 'first_k_dense_replace': 1,"
        "'intermediate_size': 4096}");
    const struct layercost_shape shape = {1, 1, 8, 2, 1024, false};
    struct training training;
    training_default(&training);
    training.stack = *stack_find("plain");
    const struct layercost_set plain = costs_of(&model, &training, &shape);
    training.stack.shared_overlap = true;
    const struct layercost beside = costs_of(&model, &training, &shape).moe;
    cr_assert(beside.parts.ep < plain.moe.parts.ep &&
              beside.parts.gemm == plain.moe.parts.gemm);
    training.stack.shared_overlap = false;
    training.stack.launch_experts = 1;
    const struct layercost_set slow = costs_of(&model, &training, &shape);
    cr_assert(slow.moe.forward == 1 && slow.moe.backward[LAYERCOST_NONE] == 1);
    cr_assert(slow.dense.forward == plain.dense.forward);
}

// Catches norms inside products, which recomputation cannot free, and shared experts as a module.
Test(layer_cost, modules_that_free_nothing_and_shared_experts)
{
    const struct modeldesc model = model_of(
        "{'hidden_size': 2048, 'num_layers': 4, 'num_attention_heads': 16, 'vocab_size': 32000,"
        "'seq_length': 1024, 'n_routed_experts': 16, 'num_experts_per_tok': 4,"
        "'moe_intermediate_size': 512, 'n_shared_experts': 1, 'first_k_dense_replace': 1,"
        "'intermediate_size': 4096}");
    const struct layercost_shape shape = {1, 1, 8, 2, 1024, false};
    const double norm = 2.0 * 2 * 1024 * 2048; // bytes
    struct training training;
    training_default(&training);
    training.flash_attention = true;
    training.stack = *stack_find("megatron-tuned");
    training.recompute_modules = TRAINING_LAYERNORM;
    struct layercost_set set = costs_of(&model, &training, &shape);
    cr_assert(set.dense.stored[LAYERCOST_SELECT] == set.dense.stored[LAYERCOST_NONE]);
    cr_assert_float_eq(set.moe.stored[LAYERCOST_NONE] - set.moe.stored[LAYERCOST_SELECT], norm,
                       1);
    training.stack.fused_norms = false;
    set = costs_of(&model, &training, &shape);
    cr_assert_float_eq(set.dense.stored[LAYERCOST_NONE] - set.dense.stored[LAYERCOST_SELECT],
                       2 * norm, 1);
    training.recompute_modules = TRAINING_SHARED_EXPERTS;
    set = costs_of(&model, &training, &shape);
    cr_assert_float_eq(set.moe.stored[LAYERCOST_NONE] - set.moe.stored[LAYERCOST_SELECT],
                       2.0 * 2 * 1024 * 3 * 512, 1);
    cr_assert(set.dense.stored[LAYERCOST_SELECT] == set.dense.stored[LAYERCOST_NONE]);
}
