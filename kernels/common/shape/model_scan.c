// SPDX-License-Identifier: Apache-2.0
// Counts the parameters of mixers that are no attention, as the published code of their models
// declares them. h: hidden size; H heads of P values, I = H P; G groups of N numbers; K taps.
#include "kernels/common/shape/model.h"

static int64_t linear(int64_t in, int64_t out, bool bias)
{
    return in * out + (bias ? out : 0);
}

static int64_t convolution(const struct modeldesc_scan *s, int64_t width)
{
    return width * s->conv + (s->conv_bias ? width : 0);
}

// Projection to gate, values, B, C and steps; step bias, A and D per head; norm of the output.
// Dao and Gu 2024; classes Mamba2Mixer, NemotronHMamba2Mixer, BambaMixer, FalconH1Mixer of
// transformers; the last one may be without the norm.
static int64_t mamba2(const struct modeldesc *m, const struct modeldesc_scan *s)
{
    const int64_t i = s->heads * s->head_dim, mixed = i + 2 * s->groups * s->state;
    return linear(m->hidden, i + mixed + s->heads, s->bias) + convolution(s, mixed) +
           3 * s->heads + (s->plain ? 0 : i) + linear(i, m->hidden, s->bias);
}

// Gu and Dao 2023; classes MambaMixer and JambaMambaMixer of transformers. heads is I here.
static int64_t mamba1(const struct modeldesc *m, const struct modeldesc_scan *s)
{
    const int64_t i = s->heads * s->head_dim, small = s->rank + 2 * s->state;
    return linear(m->hidden, 2 * i, s->bias) + convolution(s, i) + i * small +
           linear(s->rank, i, true) + i * s->state + i + linear(i, m->hidden, s->bias) +
           (s->norms ? small : 0);
}

// Projection to queries, keys, values, gate, and two numbers per head; norm of a head.
// Class Qwen3NextGatedDeltaNet of transformers.
static int64_t delta(const struct modeldesc *m, const struct modeldesc_scan *s)
{
    const int64_t keys = s->groups * s->state, i = s->heads * s->head_dim;
    return m->hidden * (2 * keys + 2 * i + 2 * s->heads) + convolution(s, 2 * keys + i) +
           2 * s->heads + s->head_dim + i * m->hidden;
}

// Queries, keys and values with convolutions, decay of every key and a gate over a narrow
// projection each, one step size per head. Class KimiDeltaAttention beside the weights of Kimi-Linear.
static int64_t kda(const struct modeldesc *m, const struct modeldesc_scan *s)
{
    const int64_t keys = s->groups * s->state, i = s->heads * s->head_dim;
    return m->hidden * (2 * keys + i + s->heads + 2 * s->head_dim) +
           convolution(s, 2 * keys + i) + s->head_dim * (keys + i) + keys + s->heads +
           s->head_dim + i * m->hidden;
}

// Queries, keys, values, a gate and a norm as wide as all heads.
// Class MiniMaxLightningAttention of transformers.
static int64_t lightning(const struct modeldesc *m, const struct modeldesc_scan *s)
{
    const int64_t i = s->heads * s->head_dim;
    return m->hidden * 4 * i + i + i * m->hidden;
}

// Two gates and values, as wide as the hidden size. Class Lfm2ShortConv of transformers.
static int64_t short_convolution(const struct modeldesc *m, const struct modeldesc_scan *s)
{
    return linear(m->hidden, 3 * m->hidden, s->conv_bias) + convolution(s, m->hidden) +
           linear(m->hidden, m->hidden, s->conv_bias);
}

int64_t modeldesc_scan_parameters(const struct modeldesc *view)
{
    const struct modeldesc_scan *s = &view->scan;
    switch (view->mixer) {
    case MODELDESC_MAMBA2:
        return mamba2(view, s);
    case MODELDESC_MAMBA1:
        return mamba1(view, s);
    case MODELDESC_DELTA:
        return delta(view, s);
    case MODELDESC_KDA:
        return kda(view, s);
    case MODELDESC_LIGHTNING:
        return lightning(view, s);
    case MODELDESC_CONV:
        return short_convolution(view, s);
    case MODELDESC_ATTENTION:
    case MODELDESC_NO_MIXER:
    case MODELDESC_MIXERS:
        break;
    }
    return 0;
}
