// SPDX-License-Identifier: Apache-2.0
// Computes widths and rates of one shape first; the costs of dense and MoE layers are sums of them.
#include "kernels/common/pipeline/layer_cost_private.h"

#include "kernels/common/pipeline/collectives.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// Kernels bound by memory of a feed-forward network: norm, activation, sum; with experts, tokens are
// sorted and brought back, too.
#define NETWORK_KERNELS 3
#define EXPERT_KERNELS  5
// s, launching one operator of PyTorch on the hosts to which stacks were fitted (assumed).
#define USUAL_LAUNCH 8e-6

static struct layer_setting set_up(const struct layercost_model *m, const struct modeldesc *d,
                                   const struct modeldesc_counts *counts,
                                   const struct layercost_shape *shape)
{
    bool mla = d->attention == MODELDESC_MLA;
    struct layer_setting s = {.m = m,
                              .d = d,
                              .counts = counts,
                              .blocks = (d->mixer != MODELDESC_NO_MIXER) + !d->no_network,
                              .hw = &m->hardware,
                              .stack = &m->stack,
                              .tokens =
                                  (double)(shape->mbs * shape->seq_length) / (double)shape->cp,
                              .seq = (double)shape->seq_length,
                              .t = (double)shape->tp,
                              .u = shape->sp ? (double)shape->tp : 1,
                              .cp = (double)shape->cp,
                              .tp = shape->tp,
                              .ep = shape->ep,
                              .h = (double)d->hidden,
                              .matrices = d->gated ? 3 : 2,
                              .dq = (double)(mla ? d->qk_nope + d->qk_rope : d->head_dim),
                              .dv = (double)(mla ? d->v_dim : modeldesc_value_dim(d))};
    s.heads = (double)d->heads / s.t;
    s.scores = s.heads * (double)shape->mbs * s.seq * s.seq / s.cp;
    if (d->mixer == MODELDESC_ATTENTION)
        layer_add_attention(&s, shape);
    else
        layer_add_scan(&s, shape);
    if (d->attention_beside)
        layer_add_beside(&s, shape);
    return s;
}

// A product of a linear layer: the operands have 8 bits where the training says so.
double layer_product(const struct layer_setting *s, double m, double n, double k)
{
    return s->m->fp8 ? hardware_gemm_fp8(s->hw, m, n, k) : hardware_gemm(s->hw, m, n, k);
}

// The part of an exchange that computation does not hide: at least the share `exposed`.
static double exposed(double share, double exchange, double computation)
{
    return share >= 1 ? exchange : fmax(share * exchange, exchange - computation);
}

// ---- layers -------------------------------------------------------------------------------------

// Moves a share of what is stored to the host behind the forward and back before the backward. Transfers run beside the
// layer; where they take longer, the layer waits, which is told of its backward. Inputs of two layers that are made
// again are on the way at a time, or all that one layer stores.
static void offload(const struct layer_setting *s, struct layercost *layer)
{
    const double whole = layer->stored[LAYERCOST_NONE];
    layer->working = whole;
    layer->buffers += fmax(2 * s->m->offloaded[LAYERCOST_FULL] * layer->stored[LAYERCOST_FULL],
                           s->m->offloaded[LAYERCOST_NONE] * whole);
    for (int mode = 0; mode < LAYERCOST_MODES; mode++) {
        const double share = s->m->offloaded[mode];
        const double moved = hardware_host(s->hw, share * layer->stored[mode]);
        const double waits = fmax(0, moved - layer->forward);
        layer->backward[mode] = fmax(layer->backward[mode], moved) + waits;
        layer->stored[mode] *= 1 - share;
    }
    layer->kept_for_weights *= 1 - s->m->offloaded[LAYERCOST_NONE];
}

static void add_up(const struct layer_setting *s, const struct layer_feed_forward *f,
                   struct layercost *layer)
{
    struct layercost_parts *p = &layer->parts;
    if (s->blocks <= 0) // nothing is executed
        return;
    *p = s->attention;
    const double adapters = s->adapters.gemm + f->adapters.gemm;
    p->gemm += f->gemm + adapters;
    layer->weights = s->m->frozen ? adapters : p->gemm;
    p->memory +=
        hardware_stream(s->hw, f->traffic + s->adapters.traffic + f->adapters.traffic) +
        hardware_kernels(s->hw, f->routed ? EXPERT_KERNELS : NETWORK_KERNELS);
    if (s->m->fp8) // a third forward, two thirds backward
        p->memory += hardware_stream(s->hw, s->stack->quantise *
                                                (s->tokens * s->attention_ends + f->ends) / 3);
    // Pieces of an exchange overlap with products only over the links within a node.
    const double tp_exposed = s->tp > s->hw->node ? 1 : s->stack->tp_exposed;
    p->tp = exposed(tp_exposed, (s->gathers + f->gathers) * s->gather + f->exchange, p->gemm);
    p->ep = exposed(s->stack->ep_exposed, f->ep, p->gemm + p->attention + p->memory);
    if (s->stack->shared_overlap)
        p->ep = fmax(0, p->ep - f->shared);
    p->cp = exposed(s->stack->cp_exposed, s->cp_gather, p->attention);
    layer_pass_times(s, f, layer);
    layer_stored_bytes(s, f, layer);
    offload(s, layer);
}

static void dense_layer(const struct layer_setting *s, struct layercost *layer)
{
    struct layer_feed_forward f = layer_dense_network(s);
    add_up(s, &f, layer);
    layer->parameters = (double)s->counts->dense_layer / s->t;
    layer->matrices = s->h * s->matrices * (double)s->d->ffn / s->t;
}

static void moe_layer(const struct layer_setting *s, struct layercost *layer)
{
    const struct modeldesc *d = s->d;
    const struct modeldesc_counts *c = s->counts;
    struct layer_feed_forward f = layer_routed_network(s);
    add_up(s, &f, layer);
    layer->parameters =
        (double)(c->attention + c->norms + c->shared) / s->t + (double)c->router;
    double etp = s->m->expert_tensor_parallel ? s->t : 1;
    layer->routed = (double)c->routed / ((double)s->ep * etp);
    double experts = (double)(modeldesc_expert_input(d) * d->moe_ffn) / etp;
    layer->matrices = s->matrices * (experts + s->h * (double)d->shared_ffn / s->t) +
                      2 * s->h * (double)d->moe_latent;
}

// ---- around the layers --------------------------------------------------------------------------

static void head_costs(const struct layer_setting *s, struct layercost_head *head)
{
    double columns = (double)s->d->vocab / s->t, logits = s->tokens * columns;
    double gemm = hardware_gemm(s->hw, s->tokens, columns, s->h);
    // Logits of 16 bits without a copy in fp32: a fused loss.
    const double kept = s->stack->logits;
    const bool fused = s->m->fused_ce || (kept > 0 && kept <= 4);
    head->forward = gemm + hardware_stream(s->hw, (fused ? 6 : 14) * logits);
    head->weights = s->m->frozen ? 0 : gemm;
    head->backward = gemm + head->weights + hardware_stream(s->hw, (fused ? 4 : 10) * logits);
    head->logits =
        s->stack->logits * logits * (s->stack->whole_logits ? s->t : 1) / s->m->loss_chunks;
    head->parameters = columns * (s->h + (s->d->head_bias ? 1 : 0));
}

// An activation forward and its gradient backward between ranks that are `stride` devices apart.
static double boundary(const struct layer_setting *s, int64_t stride)
{
    double bytes = 2 * s->tokens * s->h / s->u;
    return 2 * (bytes / hardware_link_rate(s->hw, 2, stride) + s->hw->alpha);
}

void layercost_open(struct layercost_model *m, const struct modeldesc *model,
                    const struct hardware *hardware, const struct training *training)
{
    memset(m, 0, sizeof *m);
    m->model = *model;
    m->hardware = *hardware;
    modeldesc_count(model, &m->counts);
    m->stack = *training_stack(training);
    stack_settle(&m->stack, hardware);
    stack_apply(&m->stack, &m->hardware);
    m->stack.launch *= m->stack.scale;
    m->stack.launch_experts *= m->stack.scale;
    m->stack.gap *= m->stack.scale;
    if (hardware->shapes.launch > 0) {
        m->stack.launch *= hardware->shapes.launch / USUAL_LAUNCH;
        m->stack.launch_experts *= hardware->shapes.launch / USUAL_LAUNCH;
    }
    m->hardware.gemm_eff *= hardware_power_share(hardware);
    m->hardware.fp8_eff *= hardware_power_share(hardware);
    m->hardware.attention_eff *= hardware_power_share(hardware);
    if (m->stack.ep_dualpipe && training->schedule != TRAINING_DUALPIPE)
        m->stack.ep_exposed = 1;
    m->fp8 = (training->precision != TRAINING_BF16 || hardware->fp8) && hardware->peak_fp8 > 0;
    m->kept_8bit = m->fp8 && m->stack.kept_8bit;
    m->modules = training->recompute_modules;
    m->dropout = training->dropout;
    m->frozen = training->frozen;
    m->adapter_rank = training->lora_rank;
    m->adapters = training->lora_rank > 0 ? training->lora_modules : 0;
    m->flash = training->flash_attention;
    m->loss_chunks = training->loss_chunks > 1 ? (double)training->loss_chunks : 1;
    m->offloaded[LAYERCOST_NONE] = m->offloaded[LAYERCOST_SELECT] =
        training->offload_activations;
    m->offloaded[LAYERCOST_FULL] = training->offload_checkpoints;
    m->fused_ce = hardware->fused_ce && training->fused_cross_entropy;
    m->expert_tensor_parallel = training->expert_tensor_parallel;
}

// The layers of a table of kinds: each has matrices of its own, also for attention.
static void kinds_of_layers(const struct layercost_model *m,
                            const struct layercost_shape *shape, struct layercost_set *set)
{
    for (int k = 0; k < m->model.n_kinds; k++) {
        struct modeldesc view;
        struct modeldesc_counts counts;
        modeldesc_view(&m->model, k, &view);
        modeldesc_count(&view, &counts);
        const struct layer_setting s = set_up(m, &view, &counts, shape);
        if (view.experts > 0)
            moe_layer(&s, &set->kind[k]);
        else
            dense_layer(&s, &set->kind[k]);
        set->kind[k].matrices += layer_projections(&s);
    }
}

void layercost_of(const struct layercost_model *m, const struct layercost_shape *shape,
                  struct layercost_set *set)
{
    const struct modeldesc *d = &m->model;
    const struct layer_setting s = set_up(m, d, &m->counts, shape);
    memset(set, 0,
           offsetof(struct layercost_set, kind) +
               (size_t)layercost_kinds(m) * sizeof *set->kind);
    if (d->n_kinds > 0) {
        kinds_of_layers(m, shape, set);
    } else {
        if (d->dense_layers > 0 || d->experts == 0)
            dense_layer(&s, &set->dense);
        if (d->experts > 0)
            moe_layer(&s, &set->moe);
        set->attention_matrices = layer_projections(&s);
    }
    head_costs(&s, &set->head);
    // Beside the table: learned positions and a norm, whole on each device.
    const double beside = (double)(m->counts.embedding - d->vocab * d->hidden);
    set->embedding = (double)d->vocab / s.t * s.h + beside;
    set->mtp_parameters = 2 * s.h * s.h / s.t + 3 * s.h;
    set->mtp_forward = layer_product(&s, s.tokens, s.h / s.t, 2 * s.h);
    set->mtp_weights = m->frozen ? 0 : set->mtp_forward;
    set->p2p_intra = boundary(&s, 1);
    set->p2p_inter = boundary(&s, m->hardware.node);
}
