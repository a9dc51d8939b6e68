// SPDX-License-Identifier: Apache-2.0
// Expresses the layers of each stage and chunk: evenly, by the first and last stage, by a list, by a
// layout, or by positions without a layer (MindSpeed). The form of the file is kept if it can.
#include "kernels/frameworks/megatron/megatron_wish.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int64_t n_chunks(const struct megatron_wishes *w)
{
    return w->pp * w->vp;
}

// ---- the layers of each chunk ----------------------------------------------------------------

// Even, with the rest on the first stage and then on the stages before the last one.
static void split_evenly(struct megatron_wishes *w)
{
    const int64_t n = n_chunks(w), rest = w->layers % n;
    for (int64_t c = 0; c < n; c++)
        w->decoders[c] = w->layers / n;
    for (int64_t i = 0; i < rest; i++)
        w->decoders[w->vp > 1 || i == 0 ? i : n - 1 - i]++;
}

static bool find_decoders(struct megatron_wishes *w)
{
    const int32_t *layers = w->settings->layers;
    int64_t left = w->layers;
    w->decoders = calloc((size_t)n_chunks(w), sizeof *w->decoders);
    if (w->decoders == NULL)
        return megatron_cannot(w, "out of memory");
    if (layers == NULL) {
        split_evenly(w);
        return true;
    }
    for (int64_t c = 0; c < n_chunks(w); c++) {
        w->decoders[c] = layers[c] < left ? layers[c] : left;
        left -= w->decoders[c];
    }
    if (left > 0)
        return megatron_cannot(w, "the stages hold %lld layers, the model has %lld",
                               (long long)(w->layers - left), (long long)w->layers);
    return true;
}

static bool are_equal(const struct megatron_wishes *w, int64_t from, int64_t to)
{
    for (int64_t c = from + 1; c < to; c++)
        if (w->decoders[c] != w->decoders[from])
            return false;
    return true;
}

// ---- dense layers ----------------------------------------------------------------------------

// Returns the dense layers of the file's model, without positions that hold no layer.
static int64_t dense_layers(const struct megatron_wishes *w)
{
    return w->now->dense - megatron_noop_between(w->now, 0, w->now->dense);
}

// Adapts the arguments that count positions: `positions` in all, `dense` of them before the first
// layer with experts.
static void want_positions(struct megatron_wishes *w, int64_t positions, int64_t dense)
{
    struct text_buffer list = {.text = NULL};
    const struct megatron_value *now = &w->now->values[MG_FREQUENCY];
    megatron_want_number(w, MG_LAYERS, positions, 0);
    if (megatron_has(w->now, MG_DENSE) && w->now->values[MG_DENSE].number > 0)
        megatron_want_number(w, MG_DENSE, dense, 0);
    const bool same = positions == w->now->values[MG_LAYERS].number && dense == w->now->dense;
    if (!now->given || now->text[0] == '\0' || strchr("0123456789-", now->text[0]) != NULL ||
        same)
        return;
    text_buffer_add(&list, "([0]*%" PRId64 "+[1]*%" PRId64 ")", dense, positions - dense);
    if (!list.failed)
        megatron_want(w, MG_FREQUENCY, list.text);
    text_buffer_free(&list);
}

// ---- forms -----------------------------------------------------------------------------------

static void want_chunks(struct megatron_wishes *w, int64_t layers_of_chunk)
{
    if (w->vp == 1) {
        megatron_want_none(w, MG_CHUNKS);
        megatron_want_none(w, MG_CHUNK_LAYERS);
    } else if (megatron_has(w->now, MG_CHUNKS) || layers_of_chunk == 0) {
        megatron_want_number(w, MG_CHUNKS, w->vp, 0);
        megatron_want_none(w, MG_CHUNK_LAYERS);
    } else {
        megatron_want_number(w, MG_CHUNK_LAYERS, layers_of_chunk, 0);
    }
}

static void want_no_form(struct megatron_wishes *w)
{
    static const enum megatron_key forms[] = {
        MG_LAYOUT,     MG_LAYER_LIST,      MG_FIRST_LAYERS, MG_LAST_LAYERS,
        MG_COUNT_LOSS, MG_COUNT_EMBEDDING, MG_CHUNKS,       MG_CHUNK_LAYERS};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        megatron_want_none(w, forms[i]);
}

// Positions without a layer fill each chunk up to the longest one.
static void by_positions(struct megatron_wishes *w)
{
    struct text_buffer list = {.text = NULL};
    int64_t longest = 0, dense = dense_layers(w), dense_positions = 0, layers = 0;
    for (int64_t c = 0; c < n_chunks(w); c++)
        longest = w->decoders[c] > longest ? w->decoders[c] : longest;
    for (int64_t c = 0; c < n_chunks(w); c++)
        for (int64_t i = 0; i < longest; i++) {
            const int64_t position = c * longest + i;
            if (i >= w->decoders[c])
                text_buffer_add(&list, "%s%" PRId64, list.n > 0 ? "," : "", position);
            else if (layers++ < dense)
                dense_positions = position + 1;
        }
    if (list.n > 0 && !list.failed)
        megatron_want(w, MG_NOOP, list.text);
    else
        megatron_want_none(w, MG_NOOP);
    text_buffer_free(&list);
    want_positions(w, n_chunks(w) * longest, dense_positions);
    want_chunks(w, longest);
}

// Returns the modules that predict several tokens of a chunk: the last layers of the model are theirs.
static int64_t modules_of(const struct megatron_wishes *w, int64_t c)
{
    if (w->settings->layers != NULL)
        return w->settings->layers[c] - w->decoders[c];
    return c == n_chunks(w) - 1 ? megatron_number(w->now, MG_MTP, 0) : 0;
}

static void by_layout(struct megatron_wishes *w)
{
    struct text_buffer layout = {.text = NULL};
    for (int64_t c = 0; c < n_chunks(w); c++) {
        text_buffer_add(&layout, "%s", c == 0 ? "E" : "|");
        if (w->decoders[c] > 3)
            text_buffer_add(&layout, "t*%" PRId64, w->decoders[c]);
        for (int64_t l = 0; w->decoders[c] <= 3 && l < w->decoders[c]; l++)
            text_buffer_add(&layout, "t");
        for (int64_t l = 0; l < modules_of(w, c); l++)
            text_buffer_add(&layout, "m");
    }
    text_buffer_add(&layout, "L");
    if (!layout.failed)
        megatron_want(w, MG_LAYOUT, layout.text);
    text_buffer_free(&layout);
}

static void by_list(struct megatron_wishes *w)
{
    struct text_buffer list = {.text = NULL};
    for (int64_t c = 0; c < n_chunks(w); c++)
        text_buffer_add(&list, "%s%" PRId64, c > 0 ? "," : "", w->decoders[c]);
    if (!list.failed)
        megatron_want(w, MG_LAYER_LIST, list.text);
    text_buffer_free(&list);
}

// Returns whether all chunks of each stage are equal, and all stages but the first and the last.
static bool fits_first_and_last(const struct megatron_wishes *w)
{
    for (int64_t c = 1; c < w->vp; c++)
        for (int64_t s = 0; s < w->pp; s++)
            if (w->decoders[c * w->pp + s] != w->decoders[s])
                return false;
    return w->pp > 2 && are_equal(w, 1, w->pp - 1);
}

static void by_first_and_last(struct megatron_wishes *w)
{
    megatron_want_number(w, MG_FIRST_LAYERS, w->decoders[0] * w->vp, -1);
    megatron_want_number(w, MG_LAST_LAYERS, w->decoders[w->pp - 1] * w->vp, -1);
    want_chunks(w, 0);
}

// Returns whether the embedding and the loss take the places of the missing layers.
static bool fits_counts(const struct megatron_wishes *w)
{
    const bool e = megatron_has(w->now, MG_COUNT_EMBEDDING);
    const bool l = megatron_has(w->now, MG_COUNT_LOSS);
    const int64_t n = n_chunks(w), total = w->layers + e + l;
    for (int64_t c = 0; c < n; c++)
        if (w->decoders[c] != total / n - (e && c == 0) - (l && c == n - 1))
            return false;
    return (e || l) && total % n == 0;
}

static void choose_form(struct megatron_wishes *w)
{
    const struct megatron *now = w->now;
    const int64_t last = modules_of(w, n_chunks(w) - 1);
    const bool apart = last != megatron_number(now, MG_MTP, 0);
    const bool layout = (megatron_has(now, MG_LAYOUT) && w->pp > 1) || apart;
    if (fits_counts(w) && !layout) {
        megatron_want_flag(w, MG_COUNT_EMBEDDING, megatron_has(now, MG_COUNT_EMBEDDING));
        megatron_want_flag(w, MG_COUNT_LOSS, megatron_has(now, MG_COUNT_LOSS));
        want_chunks(w, w->decoders[n_chunks(w) - 1] + megatron_has(now, MG_COUNT_LOSS));
    } else if (megatron_has(now, MG_LAYER_LIST) && w->vp == 1 && w->pp > 1) {
        by_list(w);
    } else if ((megatron_has(now, MG_FIRST_LAYERS) || megatron_has(now, MG_LAST_LAYERS)) &&
               fits_first_and_last(w)) {
        by_first_and_last(w);
    } else if (layout || !are_equal(w, 0, n_chunks(w))) {
        by_layout(w);
    } else {
        want_chunks(w, w->decoders[0]);
    }
}

// Micro-batches that a rank runs of one chunk before the next: the least number that the interleaved
// schedule accepts.
static void want_groups(struct megatron_wishes *w)
{
    const struct framework_settings *s = w->settings;
    const int64_t gbs = s->gbs > 0 ? s->gbs : megatron_number(w->now, MG_GBS, 0);
    const int64_t n = s->micro_batches > 0 ? s->micro_batches
                                           : gbs / ((int64_t)s->strategy.mbs * s->strategy.dp);
    int64_t group = w->pp;
    if (w->vp == 1) {
        megatron_want_none(w, MG_GROUP_SIZE);
        return;
    }
    while (group < n && n % group != 0 && n % group < w->pp)
        group++;
    megatron_want_number(w, MG_GROUP_SIZE, group, w->pp);
}

bool megatron_wish_split(struct megatron_wishes *w)
{
    if (!find_decoders(w))
        return false;
    want_no_form(w);
    want_groups(w);
    // The chunks of a plan go round the stages in one direction.
    if (w->vp > 1 || megatron_is(w->now, MG_SCHEDULE, "dualpipev", NULL))
        megatron_want_none(w, MG_SCHEDULE);
    if (megatron_has(w->now, MG_NOOP) && w->pp > 1) {
        by_positions(w);
        return true;
    }
    megatron_want_none(w, MG_NOOP);
    want_positions(w, w->layers, dense_layers(w));
    choose_form(w);
    return true;
}
