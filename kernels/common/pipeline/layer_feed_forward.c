// SPDX-License-Identifier: Apache-2.0
// Computes the feed-forward part of a layer: dense networks, and experts with the exchange of tokens.
#include "kernels/common/pipeline/layer_cost_private.h"

#include "kernels/common/pipeline/collectives.h"

#include "base/math/detmath.h"

#include <math.h>

// A network of inputs of width `in`.
static double network_of(const struct layer_setting *s, double rows, double in, double width)
{
    return layer_product(s, rows, width * (s->matrices - 1), in) +
           layer_product(s, rows, in, width);
}

static double network(const struct layer_setting *s, double rows, double width)
{
    return network_of(s, rows, s->h, width);
}

struct layer_feed_forward layer_dense_network(const struct layer_setting *s)
{
    double width = (double)s->d->ffn / s->t;
    if (s->d->no_network)
        return (struct layer_feed_forward){.gathers = 0};
    const struct layer_rows all = {s->tokens, s->t, 1, (double)s->d->ffn};
    struct layer_feed_forward f = {.gemm = network(s, s->tokens, width),
                                   .last = layer_product(s, s->tokens, s->h, width),
                                   .traffic = 2 * s->tokens * width * (s->matrices + 1),
                                   .gathers = 2,
                                   .kept = ELEMENT * s->tokens * width * s->matrices,
                                   .ends = s->tokens * (2 * s->h / s->u + width * s->matrices),
                                   .made =
                                       s->tokens * (width * (s->matrices - 1) + s->h / s->u),
                                   .remade = ELEMENT * s->tokens * width};
    layer_add_adapters(s, TRAINING_LINEAR_NETWORK, &all, &f.adapters);
    return f;
}

// How much longer products of an expert take: small ones and uneven load make them slower.
static double expert_slowdown(const struct layer_setting *s, double rows)
{
    const struct stack *stack = s->stack;
    const double rate = stack->grouped * rows / (rows + stack->grouped_half);
    return rows > 0 ? stack->imbalance / rate : 0;
}

// Products of all experts of a device, of so many rows each: into a network, and out of it (`last`). Where
// shapes are measured, blocks of all experts fill the device together.
static double experts_products(const struct layer_setting *s, double experts, double rows,
                               double in, double width, double *last)
{
    const struct stack *stack = s->stack;
    if (s->hw->shapes.tile_m > 0 && !s->m->fp8) {
        const double slow = stack->imbalance / stack->grouped;
        *last = hardware_grouped_gemm(s->hw, experts, rows, in, width) * slow;
        return hardware_grouped_gemm(s->hw, experts, rows, width * (s->matrices - 1), in) *
                   slow +
               *last;
    }
    const double slow = expert_slowdown(s, rows) * experts;
    *last = layer_product(s, rows, in, width) * slow;
    return network_of(s, rows, in, width) * slow;
}

// Nodes that the experts of a token can be on: routing among groups of experts limits them.
static double reachable_nodes(const struct modeldesc *d, double nodes)
{
    const double groups = (double)d->expert_groups, routed = (double)d->routed_groups;
    return routed > 0 && routed < groups ? fmin(nodes, routed * fmax(1, nodes / groups))
                                         : nodes;
}

// The share of a token's copies that leaves its node, if each node gets one: k draws among n nodes
// meet n (1 - (1 - 1/n)^k) of them, and one of all nodes is the token's own.
static double copies_across(const struct layer_setting *s)
{
    const double k = modeldesc_chosen(s->d), nodes = hardware_nodes(s->hw, s->ep);
    if (!s->stack->node_copies || nodes <= 1)
        return 1;
    const double n = reachable_nodes(s->d, nodes);
    const double met = n > 1 ? n * (1 - detmath_exp(k * detmath_log(1 - 1 / n))) : 1;
    return met * (nodes - 1) / nodes / k;
}

// To the experts and back.
static double token_exchange(const struct layer_setting *s, double numbers)
{
    const double across = copies_across(s);
    numbers *= s->stack->imbalance;
    return hardware_all_to_all(s->hw, s->ep, s->stack->dispatch * numbers, across) +
           hardware_all_to_all(s->hw, s->ep, s->stack->combine * numbers, across);
}

// Products between tokens and their narrow form that experts see; all tp ranks have both matrices.
static void add_latent(const struct layer_setting *s, struct layer_feed_forward *f)
{
    const double width = (double)s->d->moe_latent, rows = s->tokens / s->u;
    if (width <= 0)
        return;
    const double up = layer_product(s, rows, s->h, width);
    f->gemm += layer_product(s, rows, width, s->h) + up;
    f->last += up;
    f->kept += 2 * ELEMENT * rows * width;
    f->ends += 2 * rows * (width + s->h);
    f->made += rows * (width + s->h);
}

// Bytes of an output of experts that adding their biases moves, a third of both passes: expert by expert, times the weights
// of tokens in fp32, put together again and converted (Megatron-LM, core/transformer/moe/experts.py, _apply_bias).
#define EXPERT_BIAS 21

// Each tp rank routes the tokens of its share of the sequence. If experts are split over tp, the tp
// ranks first gather the received tokens, and finally sum the outputs of the parts of an expert.
// Tokens stay where they are for choices that are no experts.
struct layer_feed_forward layer_routed_network(const struct layer_setting *s)
{
    const struct modeldesc *d = s->d;
    bool split = s->m->expert_tensor_parallel;
    double experts = fmax(1, (double)d->experts / (double)s->ep);
    double sent = s->tokens * modeldesc_chosen(d) / s->t, received = split ? sent * s->t : sent;
    double width = (double)d->moe_ffn / (split ? s->t : 1);
    double shared = (double)d->shared_ffn / s->t, n = s->matrices;
    const double choices = (double)(d->experts + d->zero_experts);
    const double in = (double)modeldesc_expert_input(d);
    double router = hardware_gemm(s->hw, s->tokens / s->u, choices, s->h);
    double bytes = ELEMENT * received * in;
    double exchange = split ? 2 * hardware_gather(s->hw, s->tp, 1, bytes) : 0;
    double rows = received / experts, last;
    const struct layer_rows own = {rows, split ? s->t : 1, expert_slowdown(s, rows) * experts,
                                   (double)d->moe_ffn};
    const struct layer_rows all = {s->tokens, s->t, 1, (double)d->shared_ffn};
    const double grouped = experts_products(s, experts, rows, in, width, &last);
    const double beside = network(s, s->tokens, shared);
    struct layer_feed_forward f = {
        .gemm = grouped + beside + router,
        .last = last + layer_product(s, s->tokens, s->h, shared),
        .traffic = 2 * received * width * (n + 1) +
                   (12 + (d->ffn_bias ? EXPERT_BIAS : 0)) * received * in,
        .gathers = d->shared_ffn > 0 ? 2 : 0,
        .exchange = exchange,
        .ep = token_exchange(s, sent * in),
        .kept = INDEX * s->tokens * choices / s->u +
                ELEMENT * (received * (in + width) + s->tokens * shared * n) +
                received *
                    (s->stack->expert_outputs * in + s->stack->expert_hidden * (n - 1) * width),
        .ends = received * (2 * in + n * width) +
                s->tokens * (shared * n + 2 * s->h / s->u + choices / s->u),
        .made = shared > 0 ? s->tokens * ((n - 1) * shared + s->h / s->u) : 0,
        .grouped = grouped,
        .shared = beside,
        .kept_shared = ELEMENT * s->tokens * shared * n,
        .sent = s->ep > 1 ? 2 * received * in : 0,
        .remade = ELEMENT * (received * width + s->tokens * shared),
        .inputs = ELEMENT * received * in,
        .routed = true};
    add_latent(s, &f);
    layer_add_adapters(s, TRAINING_LINEAR_NETWORK, &own, &f.adapters);
    if (d->shared_ffn > 0)
        layer_add_adapters(s, TRAINING_LINEAR_NETWORK, &all, &f.adapters);
    return f;
}
