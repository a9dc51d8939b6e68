// SPDX-License-Identifier: Apache-2.0
// Derives the layers of each stage and chunk, and the recomputed layers among them.
#include "kernels/common/plan/layout_text.h"
#include "kernels/frameworks/megatron/megatron_private.h"

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

static bool fail_split(const struct megatron *m, enum megatron_key key, const char *what)
{
    return megatron_fail(
        m, key, "%lld layers cannot be split over %lld stages of %lld chunks%s",
        (long long)m->values[MG_LAYERS].number, (long long)m->pp, (long long)m->chunks, what);
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
        return megatron_fail(m, MG_LAYER_LIST, "%lld numbers for %lld stages", (long long)n,
                             (long long)n_chunks(m));
    if (total != m->values[MG_LAYERS].number)
        return megatron_fail(m, MG_LAYER_LIST, "the sum is %lld, but --num-layers is %lld",
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
    if (rest < 0 || stages < 0 || (stages == 0 ? rest != 0 : rest % stages != 0))
        return fail_split(m, key, " with this first or last stage");
    const int64_t middle = stages > 0 ? rest / stages : 0;
    for (int64_t s = 0; s < m->pp; s++) {
        const int64_t layers = s == 0 && first ? f : s == m->pp - 1 && last ? l : middle;
        if (layers % m->chunks != 0)
            return fail_split(m, key, " with this first or last stage");
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
        return fail_split(m, MG_LAYERS, "");
    for (int64_t i = 0; i < n_chunks(m); i++)
        m->split[i] = total / n_chunks(m);
    m->split[0] -= embedding;
    m->split[n_chunks(m) - 1] -= loss;
    return true;
}

static bool read_chunks(struct megatron *m)
{
    const int64_t per_stage = megatron_number(m, MG_CHUNK_LAYERS, 0);
    const int64_t total = m->values[MG_LAYERS].number + megatron_has(m, MG_COUNT_EMBEDDING) +
                          megatron_has(m, MG_COUNT_LOSS);
    m->chunks = 1;
    if (m->pp == 1)
        return true;
    if (megatron_has(m, MG_CHUNKS)) {
        m->chunks = m->values[MG_CHUNKS].number;
    } else if (per_stage > 0) {
        if (total % m->pp != 0 || total / m->pp % per_stage != 0)
            return megatron_fail(m, MG_CHUNK_LAYERS,
                                 "%lld layers of a stage are not a multiple of %lld",
                                 (long long)(total / m->pp), (long long)per_stage);
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
        return megatron_fail(m, MG_LAYOUT, "%zu parts are not a multiple of %lld stages", n,
                             (long long)m->pp);
    if (!layout_text_fits(mtp, n, (size_t)m->pp, &why))
        return megatron_fail(m, MG_LAYOUT, "%s", why);
    for (size_t i = 0; i < n; i++) {
        layers += m->split[i];
        modules += mtp[i];
    }
    if (layers != m->values[MG_LAYERS].number || modules != megatron_number(m, MG_MTP, 0))
        return megatron_fail(m, MG_LAYOUT,
                             "%lld layers t and %lld m, but --num-layers is %lld and "
                             "--mtp-num-layers %lld",
                             (long long)layers, (long long)modules,
                             (long long)m->values[MG_LAYERS].number,
                             (long long)megatron_number(m, MG_MTP, 0));
    m->chunks = (int64_t)n / m->pp;
    return true;
}

static bool find_split(struct megatron *m, int64_t *mtp)
{
    if (megatron_has(m, MG_LAYOUT))
        return split_by_layout(m, mtp);
    if (!read_chunks(m))
        return false;
    mtp[n_chunks(m) - 1] = megatron_number(m, MG_MTP, 0);
    if (megatron_has(m, MG_LAYER_LIST))
        return split_by_list(m);
    if (megatron_has(m, MG_FIRST_LAYERS) || megatron_has(m, MG_LAST_LAYERS))
        return split_first_and_last(m);
    return split_evenly(m);
}

// ---- recomputed layers -----------------------------------------------------------------------

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t fully_recomputed(const struct megatron *m, int64_t chunk, int64_t layers)
{
    const int64_t n = megatron_number(m, MG_RECOMPUTE_LAYERS, 0);
    if (!megatron_is(m, MG_GRANULARITY, "full", NULL))
        return 0;
    if (!megatron_is(m, MG_METHOD, "block", NULL))
        return layers;
    if (!megatron_has(m, MG_RECOMPUTE_PER_RANK))
        return least(n, layers);
    // n layers of a device, dealt to its chunks in turn.
    return least(n > chunk ? (n - chunk + m->chunks - 1) / m->chunks : 0, layers);
}

static int64_t partly_recomputed(const struct megatron *m, int64_t left)
{
    if (megatron_has(m, MG_RECOMPUTE_ACTIVATIONS) ||
        megatron_is(m, MG_GRANULARITY, "selective", NULL))
        return left;
    if (megatron_has(m, MG_RECOMPUTE_FUNCTION))
        return least(megatron_number(m, MG_RECOMPUTE_FUNCTION_LAYERS, left), left);
    return 0;
}

// ---- the run document ------------------------------------------------------------------------

enum what { ALL_LAYERS, FULL, SELECT };

static cJSON *list_of(const struct megatron *m, const int64_t *mtp, enum what what)
{
    cJSON *chunks = cJSON_CreateArray();
    for (int64_t c = 0; chunks != NULL && c < m->chunks; c++) {
        cJSON *stages = cJSON_CreateArray();
        for (int64_t s = 0; stages != NULL && s < m->pp; s++) {
            const int64_t i = c * m->pp + s, layers = m->split[i] + mtp[i];
            const int64_t full = fully_recomputed(m, c, layers);
            const int64_t number = what == ALL_LAYERS ? layers
                                   : what == FULL     ? full
                                                      : partly_recomputed(m, layers - full);
            cJSON_AddItemToArray(stages, cJSON_CreateNumber((double)number));
        }
        cJSON_AddItemToArray(chunks, stages);
    }
    return chunks;
}

static size_t at_of(const struct megatron *m, enum megatron_key key)
{
    return megatron_has(m, key) ? m->values[key].at : m->at;
}

static bool put_lists(struct megatron *m, const int64_t *mtp)
{
    const enum megatron_key layers = megatron_has(m, MG_LAYOUT)       ? MG_LAYOUT
                                     : megatron_has(m, MG_LAYER_LIST) ? MG_LAYER_LIST
                                                                      : MG_LAYERS;
    const enum megatron_key chunks = megatron_has(m, MG_LAYOUT)   ? MG_LAYOUT
                                     : megatron_has(m, MG_CHUNKS) ? MG_CHUNKS
                                                                  : MG_CHUNK_LAYERS;
    const bool full = megatron_is(m, MG_GRANULARITY, "full", NULL);
    const bool part = megatron_has(m, MG_RECOMPUTE_ACTIVATIONS) ||
                      megatron_has(m, MG_RECOMPUTE_FUNCTION) ||
                      megatron_is(m, MG_GRANULARITY, "selective", NULL);
    return framework_put_number(m->r, FRAMEWORK_BASELINE, "vp", (double)m->chunks,
                                at_of(m, chunks)) &&
           framework_put(m->r, FRAMEWORK_BASELINE, "layers", list_of(m, mtp, ALL_LAYERS),
                         at_of(m, layers)) &&
           (!full || framework_put(m->r, FRAMEWORK_BASELINE, "recompute", list_of(m, mtp, FULL),
                                   at_of(m, MG_GRANULARITY))) &&
           (!part || framework_put(m->r, FRAMEWORK_BASELINE, "select_recompute",
                                   list_of(m, mtp, SELECT), at_of(m, MG_GRANULARITY)));
}

bool megatron_read_split(struct megatron *m)
{
    int64_t *mtp = calloc(2 * MEGATRON_MOST_CHUNKS, sizeof *mtp);
    m->split = calloc(MEGATRON_MOST_CHUNKS, sizeof *m->split);
    if (mtp == NULL || m->split == NULL) {
        free(mtp);
        return framework_put(m->r, FRAMEWORK_BASELINE, "layers", NULL, 0); // out of memory
    }
    bool ok =
        megatron_has(m, MG_LAYERS) && m->values[MG_LAYERS].number <= MEGATRON_MOST_LAYERS
            ? find_split(m, mtp)
            : megatron_fail(m, MG_LAYERS,
                            megatron_has(m, MG_LAYERS) ? "more than 4096 layers" : "missing");
    int64_t position = 0;
    for (int64_t i = 0; ok && i < n_chunks(m); i++) {
        const int64_t noop = megatron_noop_between(m, position, position + m->split[i]);
        position += m->split[i];
        m->split[i] -= noop;
        m->layers += m->split[i];
    }
    ok = ok && put_lists(m, mtp);
    free(mtp);
    return ok;
}
