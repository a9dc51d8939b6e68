// SPDX-License-Identifier: Apache-2.0
// Writes the options of Megatron-LM that say of which kind every layer is.
#include "planner/nd/launch/megatron_private.h"

typedef bool (*marking)(const struct modeldesc_kind *kind);

static bool mark_at(const struct modeldesc *m, marking marked, int64_t layer)
{
    return marked(&m->kinds[m->pattern[layer]]);
}

// Returns the layers after which the marks begin again.
static int64_t period_of(const struct modeldesc *m, marking marked)
{
    for (int64_t period = 1; period < m->num_layers; period++) {
        int64_t i = period;
        while (i < m->num_layers && mark_at(m, marked, i) == mark_at(m, marked, i - period))
            i++;
        if (i == m->num_layers && i % period == 0)
            return period;
    }
    return m->num_layers;
}

// Writes a list with one number for each layer: ([0]*3+[1]*57), or ([1]*3+[0]*1)*12.
static void add_list(struct nd_megatron_options *w, const char *name, marking marked)
{
    const struct modeldesc *m = w->model;
    const int64_t period = period_of(m, marked), times = m->num_layers / period;
    option_begin(w);
    text_buffer_add(w->text, "--%s '(", name);
    for (int64_t i = 0, from = 0; i < period; i++) {
        const bool mark = mark_at(m, marked, i);
        if (i + 1 < period && mark_at(m, marked, i + 1) == mark)
            continue;
        text_buffer_add(w->text, "%s[%d]*%" PRId64, from > 0 ? "+" : "", mark, i + 1 - from);
        from = i + 1;
    }
    if (times > 1)
        text_buffer_add(w->text, ")*%" PRId64 "'", times);
    else
        text_buffer_add(w->text, ")'");
}

static bool has_experts(const struct modeldesc_kind *kind)
{
    return kind->network == MODELDESC_EXPERTS;
}

static bool has_window(const struct modeldesc_kind *kind)
{
    return kind->window > 0;
}

static bool is_linear(const struct modeldesc_kind *kind)
{
    return kind->mixer == MODELDESC_DELTA;
}

static bool any(const struct modeldesc *m, marking marked)
{
    int k = 0;
    while (k < m->n_kinds && !marked(&m->kinds[k]))
        k++;
    return k < m->n_kinds;
}

static void add_linear(struct nd_megatron_options *w)
{
    const struct modeldesc_scan *s = &w->model->scan;
    option_add_number(w, "linear-num-value-heads", s->heads);
    option_add_number(w, "linear-value-head-dim", s->head_dim);
    option_add_number(w, "linear-num-key-heads", s->groups);
    option_add_number(w, "linear-key-head-dim", s->state);
    option_add_number(w, "linear-conv-kernel-dim", s->conv);
}

// ---- layers that are a mixer or a network --------------------------------------------------------

static char sign_of(const struct modeldesc_kind *k)
{
    if (k->network == MODELDESC_NO_NETWORK)
        return k->mixer == MODELDESC_MAMBA2      ? 'M'
               : k->mixer == MODELDESC_DELTA     ? 'G'
               : k->mixer == MODELDESC_ATTENTION ? '*'
                                                 : '\0';
    if (k->mixer != MODELDESC_NO_MIXER)
        return '\0';
    return k->network == MODELDESC_EXPERTS ? 'E' : '-';
}

static bool add_pattern(struct nd_megatron_options *w)
{
    const struct modeldesc *m = w->model;
    bool mamba = false;
    for (int k = 0; k < m->n_kinds; k++) {
        if (sign_of(&m->kinds[k]) == '\0')
            return false;
        mamba = mamba || m->kinds[k].mixer == MODELDESC_MAMBA2;
    }
    option_begin(w);
    text_buffer_add(w->text, "--hybrid-layer-pattern '");
    for (int64_t i = 0; i < m->num_layers; i++)
        text_buffer_add(w->text, "%c", sign_of(&m->kinds[m->pattern[i]]));
    text_buffer_add(w->text, "'");
    if (mamba) {
        option_add_number(w, "mamba-num-heads", m->scan.heads);
        option_add_number(w, "mamba-head-dim", m->scan.head_dim);
        option_add_number(w, "mamba-num-groups", m->scan.groups);
        option_add_number(w, "mamba-state-dim", m->scan.state);
    }
    if (any(m, is_linear))
        add_linear(w);
    return true;
}

// ---- layers of a mixer and a network -------------------------------------------------------------

// Sets the width of windows. Returns whether layers differ in nothing but experts, windows of one width, and linear
// attention.
static bool has_lists(const struct modeldesc *m, int64_t *window)
{
    bool all = true;
    *window = 0;
    for (int k = 0; k < m->n_kinds; k++) {
        const struct modeldesc_kind *a = &m->kinds[k];
        const int64_t wide = a->chunked ? 0 : a->window;
        const bool usual = (a->mixer == MODELDESC_ATTENTION || is_linear(a)) &&
                           a->network != MODELDESC_NO_NETWORK && !a->chunked;
        const bool widths = a->heads > 0 || a->query_groups > 0 || a->head_dim > 0 ||
                            a->v_dim > 0 || a->ffn > 0 || a->layer_norms > 0;
        const bool parts =
            a->attention_beside || a->keys_as_values || a->no_sinks || a->shares_index;
        all =
            all && usual && !widths && !parts && (*window == 0 || wide == 0 || wide == *window);
        *window = wide > 0 ? wide : *window;
    }
    return all;
}

static void add_lists(struct nd_megatron_options *w)
{
    int64_t window;
    if (!has_lists(w->model, &window))
        option_add_note(w, "the layers differ in what these arguments cannot say: add the "
                           "arguments of the model's own launch script");
    if (w->model->experts > 0 && period_of(w->model, has_experts) > 1)
        add_list(w, "moe-layer-freq", has_experts);
    if (window > 0) {
        option_begin(w);
        text_buffer_add(w->text, "--window-size %" PRId64 ",0", window - 1);
        add_list(w, "window-attn-skip-freq", has_window);
    }
    if (any(w->model, is_linear)) {
        option_add_word(w, "experimental-attention-variant", "gated_delta_net");
        add_list(w, "linear-attention-freq", is_linear);
        add_linear(w);
    }
}

void nd_megatron_add_kinds(struct nd_megatron_options *w)
{
    if (w->model->n_kinds > 0 && !add_pattern(w))
        add_lists(w);
}
