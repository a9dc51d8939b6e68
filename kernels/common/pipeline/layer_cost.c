// SPDX-License-Identifier: Apache-2.0
// Computes widths and rates of one shape first; the costs of dense and MoE layers are sums of them.
#include "kernels/common/pipeline/layer_cost.h"

#include "kernels/common/pipeline/collectives.h"

#include "base/math/detmath.h"

#include <math.h>
#include <string.h>

#define ELEMENT 2.0 // bytes of an activation
#define INDEX   4.0 // bytes of a number kept in fp32: log-sum-exp, router scores

// Values that dense and MoE layers share, for one shape.
struct setting {
    const struct layercost_model *m;
    const struct hardware *hw;
    const struct stack *stack;
    double tokens;                    // T: per micro-batch and cp rank
    double seq, t, u;                 // s; tp; tp where sequence parallel, else 1
    double cp;                        // ranks
    int64_t tp, ep;                   // ranks
    double h, matrices;               // hidden; matrices of a feed-forward network, 3 gated
    double heads;                     // A / t
    double dq, dv;                    // widths of a head
    double scores;                    // A b s^2 / (cp t): numbers in the attention scores
    struct layercost_parts attention; // of the attention block: matrices and kernel
    double gather;         // s, one all-gather of the layer's activations among tp ranks
    double cp_gather;      // s, of keys and values among cp ranks
    double attention_kept; // bytes
    double attention_ends; // numbers per token: inputs and outputs of the matrices
    double attention_made; // numbers per token: outputs of the matrices
};

static struct setting set_up(const struct layercost_model *m,
                             const struct layercost_shape *shape)
{
    const struct modeldesc *d = &m->model;
    bool mla = d->attention == MODELDESC_MLA;
    struct setting s = {.m = m,
                        .hw = &m->hardware,
                        .stack = &m->stack,
                        .tokens = (double)(shape->mbs * shape->seq_length) / (double)shape->cp,
                        .seq = (double)shape->seq_length,
                        .t = (double)shape->tp,
                        .u = shape->sp ? (double)shape->tp : 1,
                        .cp = (double)shape->cp,
                        .tp = shape->tp,
                        .ep = shape->ep,
                        .h = (double)d->hidden,
                        .matrices = d->gated ? 3 : 2,
                        .dq = (double)(mla ? d->qk_nope + d->qk_rope : d->head_dim),
                        .dv = (double)(mla ? d->v_dim : d->head_dim)};
    s.heads = (double)d->heads / s.t;
    s.scores = s.heads * (double)shape->mbs * s.seq * s.seq / s.cp;
    return s;
}

// A product of a linear layer: the operands have 8 bits where the training says so.
static double product(const struct setting *s, double m, double n, double k)
{
    return s->m->fp8 ? hardware_gemm_fp8(s->hw, m, n, k) : hardware_gemm(s->hw, m, n, k);
}

// The part of an exchange that computation does not hide: at least the share `exposed`.
static double exposed(double share, double exchange, double computation)
{
    return share >= 1 ? exchange : fmax(share * exchange, exchange - computation);
}

// ---- attention ----------------------------------------------------------------------------------

static double grouped_projections(const struct setting *s)
{
    const struct modeldesc *d = &s->m->model;
    double qkv = (double)((d->heads + 2 * d->query_groups) * d->head_dim) / s->t;
    return product(s, s->tokens, qkv, s->h) + product(s, s->tokens, s->h, s->heads * s->dv);
}

static double compressed_projections(const struct setting *s)
{
    const struct modeldesc *d = &s->m->model;
    double r = (double)d->q_rank, c = (double)d->kv_rank;
    double down = c + (double)d->qk_rope, up = s->heads * ((double)d->qk_nope + s->dv);
    double queries = product(s, s->tokens, r, s->h) +
                     product(s, s->tokens, s->heads * s->dq, r > 0 ? r : s->h);
    return queries + product(s, s->tokens, down, s->h) + product(s, s->tokens, up, c) +
           product(s, s->tokens, s->h, s->heads * s->dv);
}

// Keys and values that cp ranks exchange, in numbers per token.
static double exchanged(const struct setting *s)
{
    const struct modeldesc *d = &s->m->model;
    return d->attention == MODELDESC_MLA ? (double)(d->kv_rank + d->qk_rope)
                                         : (double)(d->query_groups * d->head_dim) / s->t;
}

static double attention_bytes(const struct setting *s)
{
    const struct modeldesc *d = &s->m->model;
    double per_token;
    if (d->attention == MODELDESC_MLA)
        per_token = (double)(d->q_rank + d->kv_rank + d->qk_rope) / s->u +
                    s->heads * (2 * s->dq + 2 * s->dv);
    else
        per_token = 2 * s->dq * (s->heads + (double)d->query_groups / s->t);
    return ELEMENT * s->tokens * per_token + INDEX * s->tokens * s->heads;
}

// Inputs and outputs of the matrices, in numbers per token: the gradients of the weights need the
// inputs and the gradients of the outputs.
static double attention_ends(const struct setting *s)
{
    const struct modeldesc *d = &s->m->model;
    const double block = 2 * s->h / s->u + s->heads * s->dv; // into the block, out of it
    if (d->attention == MODELDESC_GQA)
        return block + s->dq * (s->heads + 2 * (double)d->query_groups / s->t);
    const double r = (double)d->q_rank, c = (double)d->kv_rank;
    return block + 2 * r + s->heads * s->dq + 2 * c + (double)d->qk_rope +
           s->heads * ((double)d->qk_nope + s->dv);
}

static double attention_made(const struct setting *s)
{
    const struct modeldesc *d = &s->m->model;
    if (d->attention == MODELDESC_GQA)
        return s->dq * (s->heads + 2 * (double)d->query_groups / s->t) + s->h / s->u;
    return (double)(d->q_rank + d->kv_rank + d->qk_rope) + s->heads * s->dq +
           s->heads * ((double)d->qk_nope + s->dv) + s->h / s->u;
}

static double projections(const struct setting *s)
{
    const struct modeldesc *d = &s->m->model;
    double out = s->heads * s->dv * s->h;
    if (d->attention == MODELDESC_GQA)
        return (double)((d->heads + 2 * d->query_groups) * d->head_dim) / s->t * s->h + out;
    double r = (double)d->q_rank, c = (double)d->kv_rank;
    double query = s->h * r + s->heads * s->dq * (r > 0 ? r : s->h);
    double keys = s->h * (c + (double)d->qk_rope) + s->heads * ((double)d->qk_nope + s->dv) * c;
    return out + query + keys;
}

static void add_attention(struct setting *s, const struct layercost_shape *shape)
{
    const struct hardware *hw = s->hw;
    bool mla = s->m->model.attention == MODELDESC_MLA;
    double seen = s->m->flash ? 0.5 : 1; // a causal kernel skips the masked half
    s->attention.gemm = mla ? compressed_projections(s) : grouped_projections(s);
    // Zigzag slices: each context rank has two, one of the front and one of the back.
    const double slice = s->cp > 1 ? s->seq / (2 * s->cp) : s->seq;
    const double rate =
        hw->peak * hw->attention_eff * slice / (slice + s->stack->attention_half);
    s->attention.attention = 2 * s->tokens * s->seq * s->heads * (s->dq + s->dv) * seen / rate;
    double bytes = 16 * s->tokens * s->h / s->u + 4 * s->tokens * s->heads * (s->dq + s->dv);
    if (!s->m->flash)
        bytes += 16 * s->scores;
    s->attention.memory = hardware_stream(hw, bytes);
    s->gather = hardware_gather(hw, shape->tp, 1, ELEMENT * s->tokens * s->h);
    s->cp_gather =
        hardware_gather(hw, shape->cp, shape->tp, s->cp * 4 * s->tokens * exchanged(s));
    s->attention_kept = attention_bytes(s);
    s->attention_ends = attention_ends(s);
    s->attention_made = attention_made(s);
}

// ---- layers -------------------------------------------------------------------------------------

// The cost of the feed-forward part of a layer.
struct feed_forward {
    double gemm;
    double last;     // s, part of `gemm`: the products whose outputs are the layer's
    double traffic;  // bytes of memory-bound operations
    double gathers;  // among tp ranks, of the layer's activations, with attention
    double exchange; // s, further exchanges among tp ranks
    double ep;       // s, among ep ranks
    double kept;     // bytes
    double ends;     // numbers: inputs and outputs of the matrices
    double made;     // numbers: outputs of the matrices
    double remade;   // part of `kept` that mode select recomputes with a flash kernel
    double inputs;   // part of `kept`, inputs of products besides these
    bool routed;     // to experts
};

static double network(const struct setting *s, double rows, double width)
{
    return product(s, rows, width * (s->matrices - 1), s->h) + product(s, rows, s->h, width);
}

static struct feed_forward dense_network(const struct setting *s)
{
    double width = (double)s->m->model.ffn / s->t;
    return (struct feed_forward){.gemm = network(s, s->tokens, width),
                                 .last = product(s, s->tokens, s->h, width),
                                 .traffic = 2 * s->tokens * width * (s->matrices + 1),
                                 .gathers = 4,
                                 .kept = ELEMENT * s->tokens * width * s->matrices,
                                 .ends = s->tokens * (2 * s->h / s->u + width * s->matrices),
                                 .made = s->tokens * (width * (s->matrices - 1) + s->h / s->u),
                                 .remade = ELEMENT * s->tokens * width};
}

// How much longer products of an expert take: small ones and uneven load make them slower.
static double expert_slowdown(const struct setting *s, double rows)
{
    const struct stack *stack = s->stack;
    const double rate = stack->grouped * rows / (rows + stack->grouped_half);
    return rows > 0 ? stack->imbalance / rate : 0;
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
static double copies_across(const struct setting *s)
{
    const double k = (double)s->m->model.topk, nodes = hardware_nodes(s->hw, s->ep);
    if (!s->stack->node_copies || nodes <= 1)
        return 1;
    const double n = reachable_nodes(&s->m->model, nodes);
    const double met = n > 1 ? n * (1 - detmath_exp(k * detmath_log(1 - 1 / n))) : 1;
    return met * (nodes - 1) / nodes / k;
}

// To the experts and back.
static double token_exchange(const struct setting *s, double sent)
{
    const double across = copies_across(s), numbers = sent * s->h * s->stack->imbalance;
    return hardware_all_to_all(s->hw, s->ep, s->stack->dispatch * numbers, across) +
           hardware_all_to_all(s->hw, s->ep, s->stack->combine * numbers, across);
}

// Each tp rank routes the tokens of its share of the sequence. If experts are split over tp, the tp
// ranks first gather the received tokens, and finally sum the outputs of the parts of an expert.
static struct feed_forward routed_network(const struct setting *s)
{
    const struct modeldesc *d = &s->m->model;
    bool split = s->m->expert_tensor_parallel;
    double experts = fmax(1, (double)d->experts / (double)s->ep);
    double sent = s->tokens * (double)d->topk / s->t, received = split ? sent * s->t : sent;
    double width = (double)d->moe_ffn / (split ? s->t : 1);
    double shared = (double)d->shared_ffn / s->t, n = s->matrices;
    double router = hardware_gemm(s->hw, s->tokens / s->u, (double)d->experts, s->h);
    double bytes = ELEMENT * received * s->h;
    double exchange = split ? 2 * hardware_gather(s->hw, s->tp, 1, bytes) : 0;
    double rows = received / experts, slow = expert_slowdown(s, rows) * experts;
    return (struct feed_forward){
        .gemm = network(s, rows, width) * slow + network(s, s->tokens, shared) + router,
        .last = product(s, rows, s->h, width) * slow + product(s, s->tokens, s->h, shared),
        .traffic = 2 * received * width * (n + 1) + 12 * received * s->h,
        .gathers = d->shared_ffn > 0 ? 4 : 2,
        .exchange = exchange,
        .ep = token_exchange(s, sent),
        .kept = INDEX * s->tokens * (double)d->experts / s->u +
                ELEMENT * (received * (s->h + width) + s->tokens * shared * n) +
                received * (s->stack->expert_outputs * s->h +
                            s->stack->expert_hidden * (n - 1) * width),
        .ends = received * (2 * s->h + n * width) +
                s->tokens * (shared * n + 2 * s->h / s->u + (double)d->experts / s->u),
        .made =
            received * ((n - 1) * width + s->h) + s->tokens * ((n - 1) * shared + s->h / s->u),
        .remade = ELEMENT * (received * width + s->tokens * shared),
        .inputs = ELEMENT * received * s->h,
        .routed = true};
}

// Products that expand compressed queries, keys and values.
static double up_products(const struct setting *s)
{
    const struct modeldesc *d = &s->m->model;
    const double r = (double)d->q_rank;
    if (d->attention != MODELDESC_MLA)
        return 0;
    const double up = s->heads * ((double)d->qk_nope + s->dv);
    return (r > 0 ? product(s, s->tokens, s->heads * s->dq, r) : 0) +
           product(s, s->tokens, up, (double)d->kv_rank);
}

// Parts of what a layer stores, bytes.
struct stored_parts {
    double norms;     // outputs of norms
    double attention; // output of attention and its log-sum-exp
    double expanded;  // queries, keys and values that were expanded
    double remade;    // outputs of activation functions
    double network;   // all of the feed-forward part
    double all;
};

static struct stored_parts stored_parts(const struct setting *s, const struct feed_forward *f)
{
    const double input = ELEMENT * s->tokens * s->h / s->u, inputs = s->m->kept_8bit ? 0.5 : 1;
    const double output = ELEMENT * s->tokens * s->heads * s->dv;
    const bool mla = s->m->model.attention == MODELDESC_MLA;
    struct stored_parts parts = {
        .norms = inputs * 2 * input,
        .attention = inputs * output + INDEX * s->tokens * s->heads,
        .expanded = mla ? ELEMENT * s->tokens * s->heads * (2 * s->dq + s->dv) : 0,
        .remade = inputs * f->remade,
        .network = f->kept - (1 - inputs) * (f->remade + f->inputs),
    };
    parts.all = (s->m->dropout ? 3 : 2) * input + parts.norms + s->attention_kept -
                (1 - inputs) * output + parts.network;
    return parts;
}

// Adds what mode select of a list of modules drops to *dropped, and returns the time to make it again.
static double remake_modules(const struct setting *s,
                             const struct feed_forward *f,
                             const struct layercost_parts *p,
                             double *dropped)
{
    const struct stored_parts parts = stored_parts(s, f);
    const unsigned modules = s->m->modules;
    const bool network = (modules & (f->routed ? TRAINING_MOE : TRAINING_MLP)) != 0;
    double again = 0;
    if (modules & TRAINING_CORE_ATTN) {
        *dropped += s->m->flash ? parts.attention : 0; // scores: see below
        again += p->attention + (s->m->flash ? 0 : hardware_stream(s->hw, 16 * s->scores));
    }
    if (modules & TRAINING_LAYERNORM) {
        *dropped += parts.norms;
        again += 0.25 * p->memory;
    }
    if (modules & TRAINING_MLA_UP_PROJ) {
        *dropped += parts.expanded;
        again += up_products(s);
    }
    if (network) {
        *dropped += parts.network;
        again += f->gemm + hardware_stream(s->hw, f->traffic) + (f->routed ? p->ep : 0);
    } else if (f->routed && (modules & TRAINING_MOE_ACT)) {
        *dropped += parts.remade;
        again += 0.25 * p->memory;
    }
    return again;
}

// Whether mode select keeps a share of the products and makes everything else again.
static bool keeps_products(const struct setting *s)
{
    return s->m->flash && s->m->modules == 0 && s->stack->select_products > 0;
}

// The time that mode select adds to a backward pass.
static double select_again(const struct setting *s,
                           const struct feed_forward *f,
                           const struct layercost_parts *p)
{
    double dropped = 0;
    if (s->m->modules != 0)
        return remake_modules(s, f, p, &dropped);
    if (keeps_products(s))
        return s->stack->select_again * p->gemm + p->memory;
    return s->m->flash ? 0.5 * p->memory
                       : p->attention + hardware_stream(s->hw, 16 * s->scores);
}

static void backward_times(const struct setting *s,
                           const struct feed_forward *f,
                           struct layercost *layer)
{
    const struct layercost_parts *p = &layer->parts;
    const double exchanges = p->tp + p->ep + p->cp;
    layer->forward = fmax(p->gemm + p->attention + p->memory + exchanges, s->stack->launch);
    const double plain =
        fmax(2 * p->gemm + (s->m->flash ? 2.5 : 2) * p->attention + 2 * p->memory + exchanges,
             s->stack->launch);
    layer->backward[LAYERCOST_NONE] = plain;
    layer->backward[LAYERCOST_SELECT] = plain + select_again(s, f, p);
    layer->backward[LAYERCOST_FULL] =
        plain + layer->forward - (s->stack->early_stop ? f->last : 0);
    layer->weights = p->gemm;
}

static void stored_bytes(const struct setting *s,
                         const struct feed_forward *f,
                         struct layercost *layer)
{
    const struct stored_parts parts = stored_parts(s, f);
    const double input = ELEMENT * s->tokens * s->h / s->u;
    const double scores = s->m->flash ? 0 : 5 * s->scores;
    double *stored = layer->stored, dropped = 0;
    stored[LAYERCOST_NONE] = parts.all + scores;
    stored[LAYERCOST_SELECT] = s->m->flash ? parts.all - parts.norms - parts.remade : parts.all;
    if (keeps_products(s))
        stored[LAYERCOST_SELECT] =
            input +
            ELEMENT * s->stack->select_products * (s->tokens * s->attention_made + f->made) +
            parts.attention;
    if (s->m->modules != 0) {
        remake_modules(s, f, &layer->parts, &dropped);
        const bool attention = (s->m->modules & TRAINING_CORE_ATTN) != 0;
        stored[LAYERCOST_SELECT] = parts.all + (attention ? 0 : scores) - dropped;
    }
    stored[LAYERCOST_FULL] = input;
    layer->kept_for_weights =
        fmin(ELEMENT * (s->tokens * s->attention_ends + f->ends), stored[LAYERCOST_NONE]);
}

static void add_up(const struct setting *s,
                   const struct feed_forward *f,
                   struct layercost *layer)
{
    struct layercost_parts *p = &layer->parts;
    *p = s->attention;
    p->gemm += f->gemm;
    p->memory += hardware_stream(s->hw, f->traffic);
    if (s->m->fp8) // a third forward, two thirds backward
        p->memory += hardware_stream(s->hw, s->stack->quantise *
                                                (s->tokens * s->attention_ends + f->ends) / 3);
    p->tp = exposed(s->stack->tp_exposed, f->gathers * s->gather + f->exchange, p->gemm);
    p->ep = exposed(s->stack->ep_exposed, f->ep, p->gemm + p->attention + p->memory);
    p->cp = exposed(s->stack->cp_exposed, s->cp_gather, p->attention);
    backward_times(s, f, layer);
    stored_bytes(s, f, layer);
}

static void dense_layer(const struct setting *s, struct layercost *layer)
{
    struct feed_forward f = dense_network(s);
    add_up(s, &f, layer);
    layer->parameters = (double)s->m->counts.dense_layer / s->t;
    layer->matrices = s->h * s->matrices * (double)s->m->model.ffn / s->t;
}

static void moe_layer(const struct setting *s, struct layercost *layer)
{
    const struct modeldesc *d = &s->m->model;
    const struct modeldesc_counts *c = &s->m->counts;
    struct feed_forward f = routed_network(s);
    add_up(s, &f, layer);
    layer->parameters =
        (double)(c->attention + c->norms + c->shared) / s->t + (double)c->router;
    double etp = s->m->expert_tensor_parallel ? s->t : 1;
    layer->routed = (double)c->routed / ((double)s->ep * etp);
    double widths = (double)d->moe_ffn / etp + (double)d->shared_ffn / s->t;
    layer->matrices = s->h * s->matrices * widths;
}

// ---- around the layers --------------------------------------------------------------------------

static void head_costs(const struct setting *s, struct layercost_head *head)
{
    double columns = (double)s->m->model.vocab / s->t, logits = s->tokens * columns;
    double gemm = hardware_gemm(s->hw, s->tokens, columns, s->h);
    bool fused = s->m->fused_ce;
    head->forward = gemm + hardware_stream(s->hw, (fused ? 6 : 14) * logits);
    head->backward = 2 * gemm + hardware_stream(s->hw, (fused ? 4 : 10) * logits);
    head->weights = gemm;
    head->logits = s->stack->logits * logits * (s->stack->whole_logits ? s->t : 1);
    head->parameters = columns * s->h;
}

// An activation forward and its gradient backward between ranks that are `stride` devices apart.
static double boundary(const struct setting *s, int64_t stride)
{
    double bytes = 2 * s->tokens * s->h / s->u;
    return 2 * (bytes / hardware_link_rate(s->hw, 2, stride) + s->hw->alpha);
}

void layercost_open(struct layercost_model *m,
                    const struct modeldesc *model,
                    const struct hardware *hardware,
                    const struct training *training)
{
    memset(m, 0, sizeof *m);
    m->model = *model;
    m->hardware = *hardware;
    modeldesc_count(model, &m->counts);
    m->stack = *training_stack(training);
    stack_apply(&m->stack, &m->hardware);
    m->stack.launch *= m->stack.scale;
    m->hardware.gemm_eff *= hardware_power_share(hardware);
    m->hardware.fp8_eff *= hardware_power_share(hardware);
    m->hardware.attention_eff *= hardware_power_share(hardware);
    m->fp8 = (training->precision != TRAINING_BF16 || hardware->fp8) && hardware->peak_fp8 > 0;
    m->kept_8bit = m->fp8 && m->stack.kept_8bit;
    m->modules = training->recompute_modules;
    m->dropout = training->dropout;
    m->flash = training->flash_attention;
    m->fused_ce = hardware->fused_ce && training->fused_cross_entropy;
    m->expert_tensor_parallel = training->expert_tensor_parallel;
}

void layercost_of(const struct layercost_model *m,
                  const struct layercost_shape *shape,
                  struct layercost_set *set)
{
    const struct modeldesc *d = &m->model;
    struct setting s = set_up(m, shape);
    add_attention(&s, shape);
    memset(set, 0, sizeof *set);
    if (d->dense_layers > 0 || d->experts == 0)
        dense_layer(&s, &set->dense);
    if (d->experts > 0)
        moe_layer(&s, &set->moe);
    head_costs(&s, &set->head);
    set->attention_matrices = projections(&s);
    set->embedding = set->head.parameters + (double)(d->positions * d->hidden);
    set->mtp_parameters = 2 * s.h * s.h / s.t + 3 * s.h;
    set->mtp_forward = product(&s, s.tokens, s.h / s.t, 2 * s.h);
    set->p2p_intra = boundary(&s, 1);
    set->p2p_inter = boundary(&s, m->hardware.node);
}
