// SPDX-License-Identifier: Apache-2.0
// Computes what a layer stores for its backward pass, and what each mode of recomputation makes again.
#include "kernels/common/pipeline/layer_cost_private.h"

#include "kernels/common/pipeline/collectives.h"

#include <math.h>

// Parts of what a layer stores, bytes.
struct stored_parts {
    double norms;     // outputs of norms
    double attention; // output of attention and its log-sum-exp
    double expanded;  // queries, keys and values that were expanded
    double remade;    // outputs of activation functions
    double network;   // all of the feed-forward part
    double all;
};

static struct stored_parts stored_parts(const struct layer_setting *s,
                                        const struct layer_feed_forward *f)
{
    const double input = ELEMENT * s->tokens * s->h / s->u, inputs = s->m->kept_8bit ? 0.5 : 1;
    const double output = ELEMENT * s->tokens * s->heads * s->dv;
    const bool mla = s->d->attention == MODELDESC_MLA && s->d->mixer == MODELDESC_ATTENTION;
    // Norms after the attention and the network store what these give; nothing multiplies their
    // outputs.
    const double norms = (double)s->d->layer_norms, after = fmax(0, norms - s->blocks);
    const double dropped = 2.0 - layer_stores_input(s, TRAINING_LINEAR_FIRST) -
                           layer_stores_input(s, TRAINING_LINEAR_NETWORK_FIRST);
    const double remade = layer_stores_input(s, TRAINING_LINEAR_FC2) ? f->remade : 0;
    const double first = layer_stores_input(s, TRAINING_LINEAR_NETWORK_FIRST) ? f->inputs : 0;
    // A flash kernel needs its output backward, too.
    const bool kept = s->m->flash || layer_stores_input(s, TRAINING_LINEAR_PROJ);
    struct stored_parts parts = {
        .norms = inputs * fmax(0, fmin(s->blocks, norms) - dropped) * input,
        .attention = inputs * output + INDEX * s->tokens * s->heads,
        .expanded = mla ? ELEMENT * s->tokens * s->heads * (2 * s->dq + s->dv) : 0,
        .remade = inputs * remade,
        .network = f->kept - (f->remade - remade) - (f->inputs - first) -
                   (1 - inputs) * (remade + first) + f->adapters.kept,
    };
    parts.all = (s->m->dropout ? 1.5 : 1) * s->blocks * input + parts.norms +
                s->attention_kept - (kept ? 1 - inputs : 1) * output + parts.network +
                after * input + s->adapters.kept;
    return parts;
}

// Exchanges of the feed-forward part: its gathers, and those of tokens. Zero without the other parts.
static struct layercost_parts network_exchanges(const struct layer_setting *s,
                                                const struct layer_feed_forward *f,
                                                const struct layercost_parts *p)
{
    const double own = f->gathers * s->gather + f->exchange;
    const double all = (s->gathers + f->gathers) * s->gather + f->exchange;
    return (struct layercost_parts){.tp = all > 0 ? p->tp * own / all : 0, .ep = p->ep};
}

// The share of the norms of a layer that are modules of their own. Transformer Engine makes them a part of the
// product after them, except before compressed queries and before routed experts (Megatron-LM, core/models/gpt/
// gpt_layer_specs.py); what it stores for this product stays.
static double separate_norms(const struct layer_setting *s, const struct layer_feed_forward *f)
{
    const bool compressed =
        s->d->attention == MODELDESC_MLA && s->d->mixer == MODELDESC_ATTENTION;
    if (!s->stack->fused_norms || s->blocks < 1)
        return 1;
    return (compressed + f->routed) / fmax(2, s->blocks);
}

// Adds what mode select of a list of modules drops to *dropped, and returns the time to make it again.
static double remake_modules(const struct layer_setting *s, const struct layer_feed_forward *f,
                             const struct layercost_parts *p, double *dropped)
{
    const struct stored_parts parts = stored_parts(s, f);
    const unsigned modules = s->m->modules;
    const bool network = (modules & (f->routed ? TRAINING_MOE : TRAINING_MLP)) != 0;
    const struct layercost_parts own = network_exchanges(s, f, p);
    double again = 0;
    if (modules & TRAINING_CORE_ATTN) {
        // The output of the kernel stays: it is the input of the projection. Scores: see below.
        *dropped += s->m->flash ? INDEX * s->tokens * s->heads : 0;
        again += p->attention + hardware_stream(s->hw, layer_score_traffic(s));
    }
    if (modules & TRAINING_LAYERNORM) {
        *dropped += separate_norms(s, f) * parts.norms;
        again += separate_norms(s, f) * 0.25 * p->memory;
    }
    if (modules & TRAINING_MLA_UP_PROJ) {
        *dropped += parts.expanded;
        again += layer_up_products(s);
    }
    if (network) {
        *dropped += parts.network;
        again += f->gemm + hardware_stream(s->hw, f->traffic) + own.tp + own.ep;
    } else if (f->routed && (modules & TRAINING_MOE_ACT)) {
        *dropped += parts.remade;
        again += 0.25 * p->memory;
    }
    if (f->routed && !network && (modules & TRAINING_SHARED_EXPERTS)) {
        *dropped += f->kept_shared;
        again += f->shared;
    }
    return again;
}

// Whether mode select keeps a share of the products and makes everything else again. The policy of PyTorch
// and torchtitan (torchtitan/distributed/activation_checkpoint.py, b5bcd76c; compute_intensive_ops of
// torch/_functorch/partitioners.py) lists plain products, attention and exchanges of tokens, not
// aten._grouped_mm: products of routed experts are all made again.
static bool keeps_products(const struct layer_setting *s)
{
    return s->m->flash && s->m->modules == 0 && s->stack->select_products > 0;
}

// The time that mode select adds to a backward pass.
static double select_again(const struct layer_setting *s, const struct layer_feed_forward *f,
                           const struct layercost_parts *p)
{
    double dropped = 0;
    if (s->m->modules != 0)
        return remake_modules(s, f, p, &dropped);
    if (keeps_products(s))
        return s->stack->select_again * (p->gemm - f->grouped) + f->grouped + p->memory;
    return s->m->flash ? 0.5 * p->memory
                       : p->attention + hardware_stream(s->hw, layer_score_traffic(s));
}

void layer_pass_times(const struct layer_setting *s, const struct layer_feed_forward *f,
                      struct layercost *layer)
{
    const struct layercost_parts *p = &layer->parts;
    const double launch =
        f->routed ? fmax(s->stack->launch, s->stack->launch_experts) : s->stack->launch;
    const double exchanges = p->tp + p->ep + p->cp + s->stack->gap;
    layer->forward = fmax(p->gemm + p->attention + p->memory + exchanges, launch);
    const double measured = s->hw->shapes.backward > 0 ? s->hw->shapes.backward : 1;
    const double twice = s->m->flash ? 2.5 / measured : 2; // attention backward
    const double plain = fmax(
        p->gemm + layer->weights + twice * p->attention + 2 * p->memory + exchanges, launch);
    layer->backward[LAYERCOST_NONE] = plain;
    layer->backward[LAYERCOST_SELECT] = plain + select_again(s, f, p);
    layer->backward[LAYERCOST_FULL] =
        plain + fmax(layer->forward - (s->stack->early_stop ? f->last : 0), launch);
    const unsigned network = f->routed ? TRAINING_MOE : TRAINING_MLP;
    if (s->m->modules & network)
        layer->select_again = network_exchanges(s, f, p);
}

// Bytes per score that mode none stores: the output of the softmax, the mask of dropout, and its output
// (Korthikanti et al. 2022, section 4.1).
#define STORED_SCORE 5.0

// Scores that exist only while a layer computes its attention, and keys and values of all context ranks.
static double attention_buffers(const struct layer_setting *s)
{
    const double scores =
        s->m->flash ? 0 : fmax(0, s->stack->scores - STORED_SCORE) * s->scores;
    return scores + (s->stack->context_gathered ? s->context_bytes : 0);
}

void layer_stored_bytes(const struct layer_setting *s, const struct layer_feed_forward *f,
                        struct layercost *layer)
{
    const struct stored_parts parts = stored_parts(s, f);
    const double input = ELEMENT * s->tokens * s->h / s->u;
    const double scores = s->m->flash ? 0 : STORED_SCORE * s->scores;
    double *stored = layer->stored, dropped = 0;
    stored[LAYERCOST_NONE] = parts.all + scores;
    stored[LAYERCOST_SELECT] = s->m->flash ? parts.all - parts.norms - parts.remade : parts.all;
    if (keeps_products(s))
        stored[LAYERCOST_SELECT] =
            input +
            ELEMENT * s->stack->select_products * (s->tokens * s->attention_made + f->made) +
            ELEMENT * f->sent + parts.attention;
    if (s->m->modules != 0) {
        remake_modules(s, f, &layer->parts, &dropped);
        const bool attention = (s->m->modules & TRAINING_CORE_ATTN) != 0;
        stored[LAYERCOST_SELECT] = parts.all + (attention ? 0 : scores) - dropped;
    }
    stored[LAYERCOST_FULL] = input;
    layer->buffers = attention_buffers(s);
    layer->kept_for_weights =
        layer->weights > 0
            ? fmin(ELEMENT * (s->tokens * s->attention_ends + f->ends), stored[LAYERCOST_NONE])
            : 0;
}
