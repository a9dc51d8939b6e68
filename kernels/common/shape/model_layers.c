// SPDX-License-Identifier: Apache-2.0
// Keeps the kinds of layers of a model.
#include "kernels/common/shape/model.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// Sets the network of a view.
static void view_network(struct modeldesc *view, enum modeldesc_network network)
{
    view->no_network = network == MODELDESC_NO_NETWORK;
    if (network == MODELDESC_EXPERTS) {
        view->dense_layers = 0;
        return;
    }
    view->experts = view->shared_ffn = view->zero_experts = view->moe_latent = 0;
    view->dense_layers = view->num_layers;
    view->ffn = view->no_network ? 0 : view->ffn;
}

void modeldesc_view(const struct modeldesc *model, int kind, struct modeldesc *view)
{
    const struct modeldesc_kind plain = {.network =
                                             kind == 0 ? MODELDESC_DENSE : MODELDESC_EXPERTS,
                                         .mixer = model->mixer,
                                         .window = model->window,
                                         .chunked = model->chunked};
    const struct modeldesc_kind *k = model->n_kinds > 0 ? &model->kinds[kind] : &plain;
    memcpy(view, model, offsetof(struct modeldesc, kinds));
    view->n_kinds = 0;
    view->mixer = k->mixer;
    view->window = k->window;
    view->chunked = k->chunked;
    view->heads = k->heads > 0 ? k->heads : model->heads;
    view->query_groups = k->query_groups > 0 ? k->query_groups : model->query_groups;
    view->head_dim = k->head_dim > 0 ? k->head_dim : model->head_dim;
    view->v_dim = k->v_dim > 0 ? k->v_dim : model->v_dim;
    view->ffn = k->ffn > 0 ? k->ffn : model->ffn;
    view->layer_norms = k->layer_norms > 0 ? k->layer_norms : model->layer_norms;
    view->attention_beside = k->attention_beside;
    view->keys_as_values = k->keys_as_values;
    view->attention_sinks = model->attention_sinks && !k->no_sinks;
    view->index_heads = k->shares_index ? 0 : model->index_heads;
    view_network(view, k->network);
}

void modeldesc_kinds_of(const struct modeldesc *model, int64_t begin, int64_t layers,
                        int64_t n[MODELDESC_KINDS])
{
    memset(n, 0, MODELDESC_KINDS * sizeof *n);
    if (model->n_kinds > 0) {
        for (int64_t i = begin; i < begin + layers; i++)
            n[model->pattern[i]]++;
        return;
    }
    const int64_t left = model->dense_layers - begin;
    n[0] = model->experts == 0 ? layers : left < 0 ? 0 : least(left, layers);
    n[1] = layers - n[0];
}

static bool same_kind(const struct modeldesc_kind *a, const struct modeldesc_kind *b)
{
    return a->mixer == b->mixer && a->network == b->network && a->window == b->window &&
           a->chunked == b->chunked && a->heads == b->heads &&
           a->query_groups == b->query_groups && a->head_dim == b->head_dim &&
           a->v_dim == b->v_dim && a->ffn == b->ffn && a->layer_norms == b->layer_norms &&
           a->attention_beside == b->attention_beside &&
           a->keys_as_values == b->keys_as_values && a->no_sinks == b->no_sinks &&
           a->shares_index == b->shares_index;
}

bool modeldesc_set_kind(struct modeldesc *model, int64_t layer,
                        const struct modeldesc_kind *kind)
{
    int k = 0;
    while (k < model->n_kinds && !same_kind(&model->kinds[k], kind))
        k++;
    if (k == MODELDESC_KINDS || layer >= MODELDESC_PATTERN)
        return false;
    model->kinds[k] = *kind;
    model->n_kinds = k == model->n_kinds ? k + 1 : model->n_kinds;
    model->pattern[layer] = (uint8_t)k;
    return true;
}

// Returns whether the layers of two kinds differ in their networks only.
static bool same_mixer(const struct modeldesc_kind *a, const struct modeldesc_kind *b)
{
    struct modeldesc_kind c = *a;
    c.network = b->network;
    return same_kind(&c, b);
}

void modeldesc_simplify(struct modeldesc *model)
{
    const int64_t layers = modeldesc_layers(model);
    int64_t first = 0;
    if (model->n_kinds == 0 || model->n_kinds > 2)
        return;
    const struct modeldesc_kind *of_first = &model->kinds[model->pattern[0]],
                                *of_last = &model->kinds[model->pattern[layers - 1]];
    while (first < layers && model->pattern[first] == model->pattern[0])
        first++;
    for (int64_t i = first; i < layers; i++)
        if (model->pattern[i] != model->pattern[layers - 1])
            return;
    const bool usual = of_last->network == MODELDESC_EXPERTS ||
                       (of_last->network == MODELDESC_DENSE && model->n_kinds == 1);
    const struct modeldesc_kind own = {.mixer = of_first->mixer,
                                       .network = of_first->network,
                                       .window = of_first->window,
                                       .chunked = of_first->chunked};
    if (!same_kind(&own, of_first) || !same_mixer(of_first, of_last) || !usual ||
        of_first->network == MODELDESC_NO_NETWORK || of_first->mixer != MODELDESC_ATTENTION)
        return;
    model->mixer = of_first->mixer;
    model->window = of_first->window;
    model->chunked = of_first->chunked;
    model->dense_layers = of_last->network == MODELDESC_DENSE ? model->num_layers
                          : model->n_kinds == 2               ? first
                                                              : 0;
    model->n_kinds = 0;
}

const char *const modeldesc_mixer_words[MODELDESC_MIXERS] = {
    [MODELDESC_ATTENTION] = "attention",
    [MODELDESC_MAMBA2] = "mamba2",
    [MODELDESC_MAMBA1] = "mamba1",
    [MODELDESC_DELTA] = "gated_delta_net",
    [MODELDESC_KDA] = "kda",
    [MODELDESC_LIGHTNING] = "lightning",
    [MODELDESC_CONV] = "short_conv",
    [MODELDESC_NO_MIXER] = "none",
};

const char *const modeldesc_network_words[MODELDESC_NETWORKS] = {
    [MODELDESC_DENSE] = "dense",
    [MODELDESC_EXPERTS] = "experts",
    [MODELDESC_NO_NETWORK] = "none",
};

void modeldesc_kind_text(const struct modeldesc *model, int kind,
                         char text[MODELDESC_KIND_TEXT])
{
    struct modeldesc view;
    char window[40] = "";
    modeldesc_view(model, kind, &view);
    const bool experts = view.experts > 0, mixer = view.mixer != MODELDESC_NO_MIXER;
    if (view.attention_beside)
        snprintf(window, sizeof window, " beside attention");
    else if (view.mixer == MODELDESC_ATTENTION && view.window > 0)
        snprintf(window, sizeof window, " in %s of %" PRId64,
                 view.chunked ? "chunks" : "windows", view.window);
    snprintf(text, MODELDESC_KIND_TEXT, "%s%s%s%s",
             mixer ? modeldesc_mixer_words[view.mixer] : "", window,
             mixer && !view.no_network ? " with " : "",
             view.no_network ? mixer ? "" : "nothing"
             : experts       ? "experts"
                             : "a dense network");
}
