// SPDX-License-Identifier: Apache-2.0
// Computes the mixers of a layer that are no attention: state-space layers, linear attention, short
// convolutions. Their projections are products like those of attention. A scan runs over chunks of
// the sequence: within a chunk it multiplies matrices as attention does, between chunks it passes
// states on. Operations per token:
//   Mamba-2, chunks of 256: H (2 C P + 4 N P) + G 2 C N (Dao and Gu, "Transformers are SSMs", 2024,
//     section 6).
//   Mamba-1: 9 I N on vector units (Gu and Dao, "Mamba", 2023, section 3.3).
//   Gated DeltaNet and KDA, chunks of 64: H (2 C (3 N + 2 P) + C C + 6 N P): the products of the WY
//     form (Yang et al., "Gated Delta Networks", 2024, section 3.3; Kimi Team, "Kimi Linear", 2025).
//   Lightning attention, chunks of 256: H (4 C P + 4 P P) (Qin et al., "Lightning Attention-2", 2024).
// Rates are those of attention times C / (C + 560): the state-space dual is as fast as
// FlashAttention-2 at 2048 tokens (Dao and Gu, figure 10), which has 3.2 times as many operations
// there. Nothing of this was measured on shipped devices.
#include "kernels/common/pipeline/layer_cost_private.h"

#include "kernels/common/pipeline/collectives.h"

#define CHUNK       256.0 // of Mamba-2 and of lightning attention
#define DELTA_CHUNK 64.0
#define HALF_CHUNK  560.0
#define VECTOR      16.0 // matrix units do so many times the operations of vector units (H100)

// Numbers per token.
struct scan_widths {
    double in;                   // made of the hidden state, split over tensor ranks
    double narrow;               // small ones that every tensor rank makes,
    double narrow_from;          // of so many
    double second, second_from;  // made of narrow ones
    double convolved, values;    // values: what the output projection takes
    double stored;               // for the backward pass, beside `in`, `narrow` and `second`
    double heads, states, chunk; // states: numbers of all states, one set per chunk
};

static struct scan_widths delta_widths(const struct modeldesc *d, bool narrow_gates)
{
    const struct modeldesc_scan *c = &d->scan;
    const double keys = (double)(c->groups * c->state), i = (double)(c->heads * c->head_dim);
    const double heads = (double)c->heads, expanded = heads * (double)c->state;
    // Stored: queries, keys and values after the convolution, the triangular matrix of each chunk, the
    // output of the scan, and the scaled one.
    struct scan_widths w = {.in = 2 * keys + 2 * i + 2 * heads,
                            .convolved = 2 * keys + i,
                            .values = i,
                            .stored = 2 * expanded + 3 * i + DELTA_CHUNK * heads,
                            .heads = heads,
                            .states = expanded * (double)c->head_dim,
                            .chunk = DELTA_CHUNK};
    if (narrow_gates) {
        w.in = 2 * keys + i + heads;
        w.narrow = 2 * (double)c->head_dim;
        w.narrow_from = (double)d->hidden;
        w.second = keys + i;
        w.second_from = (double)c->head_dim;
    }
    return w;
}

static struct scan_widths mamba_widths(const struct modeldesc *d)
{
    const struct modeldesc_scan *c = &d->scan;
    const double i = (double)(c->heads * c->head_dim), heads = (double)c->heads;
    const double mixed = i + 2 * (double)(c->groups * c->state);
    // The kernels make the convolution again; the output of the scan and the scaled one are stored.
    struct scan_widths w = {.in = i + mixed + heads,
                            .convolved = mixed,
                            .values = i,
                            .stored = 2 * i,
                            .heads = heads,
                            .states = i * (double)c->state,
                            .chunk = CHUNK};
    if (d->mixer == MODELDESC_MAMBA1) {
        w.in = 2 * i;
        w.convolved = i;
        w.narrow = (double)(c->rank + 2 * c->state);
        w.narrow_from = i;
        w.second = i;
        w.second_from = (double)c->rank;
    }
    return w;
}

static struct scan_widths widths_of(const struct modeldesc *d)
{
    const double i = (double)(d->scan.heads * d->scan.head_dim), h = (double)d->hidden;
    switch (d->mixer) {
    case MODELDESC_MAMBA1:
    case MODELDESC_MAMBA2:
        return mamba_widths(d);
    case MODELDESC_DELTA:
        return delta_widths(d, false);
    case MODELDESC_KDA:
        return delta_widths(d, true);
    case MODELDESC_LIGHTNING:
        return (struct scan_widths){.in = 4 * i,
                                    .values = i,
                                    .stored = 5 * i,
                                    .heads = (double)d->scan.heads,
                                    .states = i * (double)d->scan.head_dim,
                                    .chunk = CHUNK};
    case MODELDESC_CONV:
        return (struct scan_widths){.in = 3 * h,
                                    .convolved = h,
                                    .values = h,
                                    .stored = 3 * h,
                                    .heads = 1,
                                    .chunk = 1};
    case MODELDESC_ATTENTION:
    case MODELDESC_NO_MIXER:
    case MODELDESC_MIXERS:
        break;
    }
    return (struct scan_widths){.chunk = 1};
}

double layercost_scan_flops(const struct modeldesc *view)
{
    const struct modeldesc_scan *c = &view->scan;
    const double heads = (double)c->heads, p = (double)c->head_dim, n = (double)c->state;
    switch (view->mixer) {
    case MODELDESC_MAMBA2:
        return heads * (2 * CHUNK * p + 4 * n * p) + (double)c->groups * 2 * CHUNK * n;
    case MODELDESC_MAMBA1:
        return 9 * heads * p * n;
    case MODELDESC_DELTA:
    case MODELDESC_KDA:
        return heads *
               (2 * DELTA_CHUNK * (3 * n + 2 * p) + DELTA_CHUNK * DELTA_CHUNK + 6 * n * p);
    case MODELDESC_LIGHTNING:
        return heads * (4 * CHUNK * p + 4 * p * p);
    case MODELDESC_CONV:
    case MODELDESC_ATTENTION:
    case MODELDESC_NO_MIXER:
    case MODELDESC_MIXERS:
        break;
    }
    return 0;
}

static double scan_time(const struct layer_setting *s, const struct scan_widths *w)
{
    const double flops = s->tokens * layercost_scan_flops(s->d) / s->t;
    if (s->d->mixer == MODELDESC_MAMBA1)
        return flops * VECTOR / s->hw->peak;
    return flops / (s->hw->peak * s->hw->attention_eff * w->chunk / (w->chunk + HALF_CHUNK));
}

// The convolution reads and writes, the scan reads what it gave and writes values, which a norm and a
// gate read and write; states are written, passed on and read as fp32.
static double scan_traffic(const struct layer_setting *s, const struct scan_widths *w)
{
    const double numbers = 3 * w->convolved + w->in + 4 * w->values;
    return s->tokens / s->t * (ELEMENT * numbers + 16 * w->states / w->chunk);
}

static double products(const struct layer_setting *s, const struct scan_widths *w)
{
    const double from =
        s->d->mixer == MODELDESC_MAMBA1 ? w->narrow_from / s->t : w->narrow_from;
    return layer_product(s, s->tokens, w->in / s->t, s->h) +
           layer_product(s, s->tokens, w->narrow, from) +
           layer_product(s, s->tokens, w->second / s->t, w->second_from) +
           layer_product(s, s->tokens, s->h, w->values / s->t);
}

double layer_scan_matrices(const struct layer_setting *s)
{
    const struct scan_widths w = widths_of(s->d);
    const double from = s->d->mixer == MODELDESC_MAMBA1 ? w.narrow_from / s->t : w.narrow_from;
    return (s->h * (w.in + w.values) + w.second * w.second_from) / s->t + w.narrow * from;
}

void layer_add_scan(struct layer_setting *s, const struct layercost_shape *shape)
{
    const struct scan_widths w = widths_of(s->d);
    const bool none = s->d->mixer == MODELDESC_NO_MIXER;
    s->heads = w.heads / s->t;
    s->dq = (double)s->d->scan.state;
    s->dv = w.heads > 0 ? w.values / w.heads : 0;
    s->scores = 0;
    s->attention.gemm = products(s, &w);
    s->attention.attention = scan_time(s, &w);
    s->attention.memory =
        hardware_stream(s->hw, layer_residual_traffic(s) + scan_traffic(s, &w));
    s->gathers = none ? 0 : 2;
    s->gather = hardware_gather(s->hw, shape->tp, 1, ELEMENT * s->tokens * s->h);
    // Context ranks deal heads among themselves, and deal the outputs back.
    s->cp_gather =
        none ? 0
             : hardware_all_to_all(s->hw, shape->cp, ELEMENT * s->tokens * w.in / s->t, 1) +
                   hardware_all_to_all(s->hw, shape->cp, ELEMENT * s->tokens * w.values / s->t,
                                       1);
    s->attention_kept = ELEMENT * s->tokens * ((w.in + w.second + w.stored) / s->t + w.narrow) +
                        INDEX * s->tokens * s->heads;
    s->attention_made = (w.in + w.second) / s->t + w.narrow + (none ? 0 : s->h / s->u);
    s->attention_ends = s->attention_made + w.values / s->t + (w.second > 0 ? w.narrow : 0) +
                        (none ? 0 : s->h / s->u);
}
