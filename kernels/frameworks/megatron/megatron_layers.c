// SPDX-License-Identifier: Apache-2.0
// Derives the layers of each stage and chunk.
#include "kernels/common/plan/layout_text.h"
#include "kernels/frameworks/megatron/megatron_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t n_chunks(const struct megatron *m)
{
    return m->chunks * m->pp;
}

// ---- positions that hold no layer ------------------------------------------------------------

// Returns whether a position is in a list such as 61,62,63.
static bool is_listed(const char *list, int64_t position)
{
    for (const char *c = list; *c != '\0'; c += *c == ',') {
        char *end;
        const long long x = strtoll(c, &end, 10);
        if (x == position && end > c)
            return true;
        c = end > c ? end : c + 1;
        while (*c != '\0' && *c != ',')
            c++;
    }
    return false;
}

int64_t megatron_noop_between(const struct megatron *m, int64_t from, int64_t to)
{
    int64_t n = 0;
    for (int64_t i = from; megatron_has(m, MG_NOOP) && i < to; i++)
        n += is_listed(m->values[MG_NOOP].text, i);
    return n;
}

// ---- the split -------------------------------------------------------------------------------

// Records that the layers cannot be split; true: the rest of the file is of use.
static bool no_split(struct megatron *m, enum megatron_key key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool no_split(struct megatron *m, enum megatron_key key, const char *format, ...)
{
    char text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    megatron_cannot_run(m, key, "%s", text);
    m->no_split = true;
    return true;
}

static bool no_even_split(struct megatron *m, enum megatron_key key, const char *what)
{
    return no_split(m, key, "%lld layers cannot be split over %lld stages of %lld chunks%s",
                    (long long)m->values[MG_LAYERS].number, (long long)m->pp,
                    (long long)m->chunks, what);
}

// --num-layer-list 7,8,8,8: layers of each stage, or of each stage of each chunk.
static bool split_by_list(struct megatron *m)
{
    int64_t n = 0, total = 0;
    const char *c = m->values[MG_LAYER_LIST].text;
    for (; *c != '\0'; c++) {
        char *end;
        const long long layers = strtoll(c, &end, 10);
        if (end == c || layers < 0 || layers > MEGATRON_MOST_LAYERS ||
            (*end != '\0' && *end != ','))
            return megatron_fail(m, MG_LAYER_LIST,
                                 "expected numbers with commas, as in 7,8,8,8");
        if (n < n_chunks(m))
            m->split[n] = layers;
        total += layers;
        n++;
        c = *end == '\0' ? end - 1 : end;
    }
    if (n != n_chunks(m))
        return no_split(m, MG_LAYER_LIST, "%lld numbers for %lld stages", (long long)n,
                        (long long)n_chunks(m));
    if (total != m->values[MG_LAYERS].number)
        return no_split(m, MG_LAYER_LIST, "the sum is %lld, but --num-layers is %lld",
                        (long long)total, (long long)m->values[MG_LAYERS].number);
    return true;
}

static bool split_first_and_last(struct megatron *m)
{
    const bool first = megatron_has(m, MG_FIRST_LAYERS), last = megatron_has(m, MG_LAST_LAYERS);
    const int64_t f = megatron_number(m, MG_FIRST_LAYERS, 0);
    const int64_t l = megatron_number(m, MG_LAST_LAYERS, 0);
    const int64_t rest = m->values[MG_LAYERS].number - f - l, stages = m->pp - first - last;
    const enum megatron_key key = first ? MG_FIRST_LAYERS : MG_LAST_LAYERS;
    if (megatron_has(m, MG_COUNT_EMBEDDING) || megatron_has(m, MG_COUNT_LOSS))
        return no_split(m, key, "given together with --account-for-...-in-pipeline-split");
    if (rest < 0 || stages < 0 || (stages == 0 ? rest != 0 : rest % stages != 0))
        return no_even_split(m, key, " with this first or last stage");
    const int64_t middle = stages > 0 ? rest / stages : 0;
    for (int64_t s = 0; s < m->pp; s++) {
        const int64_t layers = s == 0 && first ? f : s == m->pp - 1 && last ? l : middle;
        if (layers % m->chunks != 0)
            return no_even_split(m, key, " with this first or last stage");
        for (int64_t c = 0; c < m->chunks; c++)
            m->split[c * m->pp + s] = layers / m->chunks;
    }
    return true;
}

// Even; the embedding and the loss count as layers if the arguments demand it.
static bool split_evenly(struct megatron *m)
{
    const int64_t embedding = megatron_has(m, MG_COUNT_EMBEDDING);
    const int64_t loss = megatron_has(m, MG_COUNT_LOSS);
    const int64_t total = m->values[MG_LAYERS].number + embedding + loss;
    if (total % n_chunks(m) != 0)
        return no_even_split(m, MG_LAYERS, "");
    for (int64_t i = 0; i < n_chunks(m); i++)
        m->split[i] = total / n_chunks(m);
    m->split[0] -= embedding;
    m->split[n_chunks(m) - 1] -= loss;
    return true;
}

// Returns whether the second chunks of the devices come in the opposite order.
static bool is_v(const struct megatron *m)
{
    return megatron_is(m, MG_SCHEDULE, "dualpipev", NULL) && m->pp > 1;
}

static bool read_chunks(struct megatron *m)
{
    const int64_t per_stage = megatron_number(m, MG_CHUNK_LAYERS, 0);
    const int64_t total = m->values[MG_LAYERS].number + megatron_has(m, MG_COUNT_EMBEDDING) +
                          megatron_has(m, MG_COUNT_LOSS);
    m->chunks = 1;
    if (m->pp == 1)
        return true;
    if (is_v(m)) {
        m->chunks = 2;
    } else if (megatron_has(m, MG_CHUNKS)) {
        m->chunks = m->values[MG_CHUNKS].number;
    } else if (per_stage > 0) {
        if (total % m->pp != 0 || total / m->pp % per_stage != 0)
            return no_split(m, MG_CHUNK_LAYERS,
                            "%lld layers cannot be split over %lld stages in chunks of %lld "
                            "layers",
                            (long long)total, (long long)m->pp, (long long)per_stage);
        m->chunks = total / m->pp / per_stage;
    }
    if (n_chunks(m) > MEGATRON_MOST_CHUNKS)
        return megatron_fail(m, MG_CHUNKS, "more than %d stages times chunks",
                             MEGATRON_MOST_CHUNKS);
    return true;
}

static bool split_by_layout(struct megatron *m, int64_t *mtp)
{
    const char *why;
    int64_t layers = 0, modules = 0;
    const size_t n =
        layout_text_read(m->values[MG_LAYOUT].text, m->split, mtp, MEGATRON_MOST_CHUNKS, &why);
    if (n == 0)
        return megatron_fail(m, MG_LAYOUT, "%s", why);
    if ((int64_t)n % m->pp != 0)
        return no_split(m, MG_LAYOUT, "%zu parts are not a multiple of %lld stages", n,
                        (long long)m->pp);
    for (size_t i = 0; i < n; i++) {
        layers += m->split[i];
        modules += mtp[i];
    }
    m->chunks = (int64_t)n / m->pp;
    if (layers != m->values[MG_LAYERS].number || modules != megatron_number(m, MG_MTP, 0))
        return no_split(m, MG_LAYOUT,
                        "%lld layers t and %lld m, but --num-layers is %lld and "
                        "--mtp-num-layers %lld",
                        (long long)layers, (long long)modules,
                        (long long)m->values[MG_LAYERS].number,
                        (long long)megatron_number(m, MG_MTP, 0));
    return true;
}

static bool find_split(struct megatron *m, int64_t *mtp)
{
    if (megatron_has(m, MG_LAYOUT))
        return split_by_layout(m, mtp);
    if (!read_chunks(m) || m->no_split)
        return m->no_split;
    mtp[n_chunks(m) - 1] = megatron_number(m, MG_MTP, 0);
    if (megatron_has(m, MG_LAYER_LIST))
        return split_by_list(m);
    if (megatron_has(m, MG_FIRST_LAYERS) || megatron_has(m, MG_LAST_LAYERS))
        return split_first_and_last(m);
    return split_evenly(m);
}

// ---- the run document ------------------------------------------------------------------------

static bool put_layers(struct megatron *m, const int64_t *mtp)
{
    const enum megatron_key from = megatron_has(m, MG_LAYOUT)       ? MG_LAYOUT
                                   : megatron_has(m, MG_LAYER_LIST) ? MG_LAYER_LIST
                                                                    : MG_LAYERS;
    int64_t layers[MEGATRON_MOST_CHUNKS];
    for (int64_t i = 0; i < n_chunks(m); i++)
        layers[i] = m->split[i] + mtp[i];
    return framework_put_chunks(m->r, "layers", layers, m->chunks, m->pp, megatron_at(m, from));
}

static bool put_chunks(const struct megatron *m)
{
    const enum megatron_key from = megatron_has(m, MG_LAYOUT)   ? MG_LAYOUT
                                   : is_v(m)                    ? MG_SCHEDULE
                                   : megatron_has(m, MG_CHUNKS) ? MG_CHUNKS
                                                                : MG_CHUNK_LAYERS;
    return (m->chunks == 0 || framework_put_number(m->r, FRAMEWORK_BASELINE, "vp",
                                                   (double)m->chunks, megatron_at(m, from))) &&
           (!is_v(m) || framework_put_text(m->r, FRAMEWORK_BASELINE, "schedule", "dualpipev",
                                           m->values[MG_SCHEDULE].at));
}

// With overlapped exchanges of experts, Megatron-LM starts several stages only with several chunks each, and makes no
// layer again wholly. A file that has one chunk all the same is taken as it is.
static bool put_limits(const struct megatron *m)
{
    if (!megatron_has(m, MG_OVERLAP_EP) || megatron_number(m, MG_EXPERTS, 0) == 0)
        return true;
    m->r->file->never_wholly = !megatron_is(m, MG_GRANULARITY, "full", NULL);
    return is_v(m) || (m->pp > 1 && m->chunks <= 1) ||
           framework_put_text(m->r, FRAMEWORK_TRAINING, "schedule", "vpp",
                              megatron_at(m, MG_OVERLAP_EP));
}

// Orders of other schedules, and of other groups of micro-batches than one for each stage.
static bool name_orders(const struct megatron *m)
{
    const bool other = megatron_has(m, MG_SCHEDULE) && !is_v(m) && m->pp > 1;
    const bool groups = m->chunks > 1 && megatron_number(m, MG_GROUP_SIZE, m->pp) != m->pp;
    return (!other || megatron_not_modelled(m, MG_SCHEDULE)) &&
           (!groups || megatron_not_modelled(m, MG_GROUP_SIZE));
}

// ---- all -------------------------------------------------------------------------------------

// Removes the positions that hold no layer.
static void remove_noops(struct megatron *m)
{
    int64_t position = 0;
    m->layers = 0;
    for (int64_t i = 0; !m->no_split && i < n_chunks(m); i++) {
        const int64_t noop = megatron_noop_between(m, position, position + m->split[i]);
        position += m->split[i];
        m->split[i] -= noop;
        m->layers += m->split[i];
    }
    const int64_t positions = m->values[MG_LAYERS].number;
    if (m->no_split)
        m->layers = positions - megatron_noop_between(m, 0, positions);
}

static void swap(int64_t *a, int64_t *b)
{
    const int64_t kept = *a;
    *a = *b;
    *b = kept;
}

// The second chunk of device d is part 2 pp - 1 - d of the model.
static void turn_second_chunks(const struct megatron *m, int64_t *list)
{
    for (int64_t s = 0; s < m->pp / 2; s++)
        swap(&list[m->pp + s], &list[2 * m->pp - 1 - s]);
}

static bool check_layers(const struct megatron *m)
{
    if (!megatron_has(m, MG_LAYERS))
        return megatron_fail(m, MG_LAYERS, "missing");
    return m->values[MG_LAYERS].number <= MEGATRON_MOST_LAYERS ||
           megatron_fail(m, MG_LAYERS, "more than %d layers", MEGATRON_MOST_LAYERS);
}

bool megatron_read_split(struct megatron *m)
{
    int64_t *mtp = calloc(2 * MEGATRON_MOST_CHUNKS, sizeof *mtp);
    m->split = calloc(MEGATRON_MOST_CHUNKS, sizeof *m->split);
    if (mtp == NULL || m->split == NULL) {
        free(mtp);
        return framework_no_memory(m->r);
    }
    bool ok = megatron_pattern_layers(m) && check_layers(m) && find_split(m, mtp);
    if (ok)
        remove_noops(m);
    if (ok && is_v(m) && !m->no_split) {
        turn_second_chunks(m, m->split);
        turn_second_chunks(m, mtp);
    }
    ok = ok && put_chunks(m) && put_limits(m) && name_orders(m) &&
         (m->no_split || put_layers(m, mtp)) && megatron_read_recompute(m, mtp);
    free(mtp);
    return ok;
}
