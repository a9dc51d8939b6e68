// SPDX-License-Identifier: Apache-2.0
// Reads the layers of every stage and chunk, and the recomputed ones, from a MindFormers
// configuration.
#include "kernels/frameworks/mindformers_private.h"

#include <math.h>
#include <stdlib.h>

// A matrix [chunk][stage].
struct counts {
    int64_t *n; // [chunk * pp + stage]
    int vp, pp;
    int64_t total;  // layers, MTP layers included
    bool from_list; // the file sets them
};

static int64_t total_layers(struct mindformers_reader *m)
{
    const cJSON *layers = framework_get(m->r, FRAMEWORK_MODEL, "num_layers");
    const cJSON *mtp = framework_get(m->r, FRAMEWORK_MODEL, "mtp_depth");
    const double n = (cJSON_IsNumber(layers) ? layers->valuedouble : 0) +
                     (cJSON_IsNumber(mtp) ? mtp->valuedouble : 0);
    return n >= 1 && n <= 1 << 16 ? (int64_t)n : 0;
}

static bool put_counts(struct mindformers_reader *m, const char *key,
                       const struct counts *counts, const cJSON *at)
{
    return framework_put_chunks(m->r, key, counts->n, counts->vp, counts->pp,
                                mindformers_at(m, at));
}

// ---- offset -------------------------------------------------------------------------------------

static bool fail_length(struct mindformers_reader *m, const cJSON *list, const char *name,
                        int wanted)
{
    const cJSON *stages;
    const int n = cJSON_GetArraySize(list);
    if (!mindformers_find(m, MF_PP, &stages))
        return false;
    if (stages == NULL)
        return mindformers_fail(m, list, "%s: has %d numbers, but the pipeline has 1 stage",
                                name, n);
    return mindformers_fail(m, list,
                            "%s: has %d numbers, but the pipeline has %d stages (line %d)",
                            name, n, wanted, mindformers_line(m, stages));
}

static bool read_offset_row(struct mindformers_reader *m, const cJSON *row,
                            struct counts *counts, int chunk)
{
    const int n = cJSON_GetArraySize(row);
    int i = 0;
    if (n != counts->pp)
        return fail_length(m, row, "offset", counts->pp);
    for (const cJSON *item = row->child; item != NULL; item = item->next, i++) {
        const double x = cJSON_IsNumber(item) ? item->valuedouble : 0.5; // not whole
        int64_t *layers = &counts->n[chunk * counts->pp + i];
        if (!(fabs(x) <= 4096 && x == floor(x)))
            return mindformers_fail(m, item, "offset: expected whole numbers");
        *layers += (int64_t)x;
        if (*layers < 0)
            return mindformers_fail(m, item, "offset: stage %d of %d has %lld layers", i,
                                    counts->pp, (long long)*layers);
    }
    return true;
}

static bool check_sum(struct mindformers_reader *m, const cJSON *offset,
                      const struct counts *counts)
{
    int64_t sum = 0;
    for (int k = 0; k < counts->vp * counts->pp; k++)
        sum += counts->n[k];
    if (sum == counts->total)
        return true;
    const int n = counts->vp * counts->pp;
    const int64_t rest = counts->total % n;
    return mindformers_fail(
        m, offset, "%s: the sum is %lld; %lld layers (MTP included) in %d parts leave %lld",
        offset->string, (long long)(rest + sum - counts->total), (long long)counts->total, n,
        (long long)rest);
}

// A number is for every part, a list for every chunk, a list of lists for chunks and stages.
static bool read_offset(struct mindformers_reader *m, const cJSON *offset,
                        struct counts *counts)
{
    const cJSON *first = cJSON_GetArrayItem(offset, 0);
    if (cJSON_IsNumber(offset) && offset->valuedouble == 0)
        return true;
    if (!cJSON_IsArray(offset))
        return mindformers_fail(m, offset, "%s: expected 0 or a list", offset->string);
    counts->from_list = true;
    if (!cJSON_IsArray(first)) {
        for (int v = 0; v < counts->vp; v++)
            if (!read_offset_row(m, offset, counts, v))
                return false;
    } else {
        int v = 0;
        if (cJSON_GetArraySize(offset) != counts->vp)
            return mindformers_fail(m, offset, "%s: has %d lists, but pp_interleave_num is %d",
                                    offset->string, cJSON_GetArraySize(offset), counts->vp);
        for (const cJSON *row = offset->child; row != NULL; row = row->next, v++)
            if (!read_offset_row(m, row, counts, v))
                return false;
    }
    return check_sum(m, offset, counts);
}

// Without a list, all parts have the same number of layers, and the first ones one more if layers are
// left.
static void spread(struct counts *counts)
{
    const int64_t n = counts->vp * counts->pp, rest = counts->total % n;
    for (int64_t k = 0; k < n; k++)
        counts->n[k] += !counts->from_list && k < rest;
}

// ---- recomputation ------------------------------------------------------------------------------

static int64_t count_of(const cJSON *item, int64_t most)
{
    if (cJSON_IsBool(item))
        return cJSON_IsTrue(item) ? most : 0;
    if (!cJSON_IsNumber(item) || item->valuedouble < 0)
        return -1;
    return item->valuedouble < (double)most ? (int64_t)item->valuedouble : most;
}

static bool all_layers(const struct counts *layers, struct counts *out, bool all)
{
    for (int k = 0; k < layers->vp * layers->pp; k++)
        out->n[k] = all ? layers->n[k] : 0;
    return true;
}

// A number per stage fills the chunks of the stage in turn, one layer each.
static void fill_stage(const struct counts *layers, struct counts *out, int stage, int64_t n)
{
    bool more = true;
    while (n > 0 && more) {
        more = false;
        for (int v = 0; v < layers->vp && n > 0; v++) {
            const int k = v * layers->pp + stage;
            if (out->n[k] < layers->n[k]) {
                out->n[k]++;
                n--;
                more = true;
            }
        }
    }
}

static bool fail_kind(struct mindformers_reader *m, const cJSON *at, const char *name)
{
    return mindformers_fail(m, at,
                            "%s: expected True, False, numbers of layers per stage, or lists "
                            "of them per chunk",
                            name);
}

static bool read_stages(struct mindformers_reader *m, const cJSON *list,
                        const struct counts *layers, struct counts *out, const char *name)
{
    int i = 0;
    if (cJSON_GetArraySize(list) != layers->pp)
        return fail_length(m, list, name, layers->pp);
    for (const cJSON *item = list->child; item != NULL; item = item->next, i++) {
        const int64_t n = count_of(item, 1 << 16);
        if (n < 0)
            return fail_kind(m, item, name);
        fill_stage(layers, out, i, n);
    }
    return true;
}

static bool read_chunks(struct mindformers_reader *m, const cJSON *list,
                        const struct counts *layers, struct counts *out, const char *name)
{
    int v = 0;
    if (cJSON_GetArraySize(list) != layers->vp)
        return mindformers_fail(m, list, "%s: has %d lists, but pp_interleave_num is %d", name,
                                cJSON_GetArraySize(list), layers->vp);
    for (const cJSON *row = list->child; row != NULL; row = row->next, v++) {
        if (cJSON_IsArray(row) && cJSON_GetArraySize(row) != layers->pp)
            return fail_length(m, row, name, layers->pp);
        for (int i = 0; i < layers->pp; i++) {
            const int k = v * layers->pp + i;
            const cJSON *item = cJSON_IsArray(row) ? cJSON_GetArrayItem(row, i) : row;
            out->n[k] = count_of(item, layers->n[k]);
            if (out->n[k] < 0 || (item == row && !cJSON_IsBool(row)))
                return fail_kind(m, item, name);
        }
    }
    return true;
}

// With activations on the host, a list has numbers of layers, from 0 in the order of the model.
static bool read_numbers(struct mindformers_reader *m, const cJSON *list,
                         const struct counts *layers, struct counts *out, const char *name)
{
    for (const cJSON *item = list->child; item != NULL; item = item->next) {
        double before = 0;
        int k = 0;
        if (!cJSON_IsNumber(item) || item->valuedouble < 0 ||
            item->valuedouble >= (double)layers->total)
            return mindformers_fail(m, item,
                                    "%s: with swap, expected numbers of layers from 0 to %lld",
                                    name, (long long)layers->total - 1);
        while (item->valuedouble >= before + (double)layers->n[k])
            before += (double)layers->n[k++];
        out->n[k]++;
    }
    return true;
}

static bool has_lists(const cJSON *list)
{
    for (const cJSON *item = list->child; item != NULL; item = item->next)
        if (cJSON_IsArray(item))
            return true;
    return false;
}

static bool read_counts(struct mindformers_reader *m, const cJSON *item,
                        const struct counts *layers, struct counts *out, const char *name);

// Patterns of operators with their layers: the largest number counts.
static bool read_patterns(struct mindformers_reader *m, const cJSON *map,
                          const struct counts *layers, struct counts *out, const char *name)
{
    const int n = layers->vp * layers->pp;
    struct counts one = *layers;
    bool ok = true;
    one.n = calloc((size_t)n, sizeof *one.n);
    for (const cJSON *item = map->child; one.n != NULL && ok && item != NULL;
         item = item->next) {
        all_layers(layers, &one, false);
        ok = read_counts(m, item, layers, &one, name);
        for (int k = 0; k < n; k++)
            out->n[k] = one.n[k] > out->n[k] ? one.n[k] : out->n[k];
    }
    ok &= one.n != NULL || framework_no_memory(m->r);
    free(one.n);
    return ok;
}

static bool read_counts(struct mindformers_reader *m, const cJSON *item,
                        const struct counts *layers, struct counts *out, const char *name)
{
    if (cJSON_IsBool(item))
        return all_layers(layers, out, cJSON_IsTrue(item));
    if (cJSON_IsNumber(item) && item->valuedouble >= 0) {
        for (int i = 0; i < layers->pp; i++)
            fill_stage(layers, out, i, count_of(item, 1 << 16));
        return true;
    }
    if (cJSON_IsObject(item))
        return read_patterns(m, item, layers, out, name);
    if (!cJSON_IsArray(item))
        return fail_kind(m, item, name);
    if (item->child == NULL || cJSON_IsString(item->child)) // patterns for all layers
        return all_layers(layers, out, item->child != NULL);
    if (m->swap)
        return read_numbers(m, item, layers, out, name);
    if (has_lists(item))
        return read_chunks(m, item, layers, out, name);
    return read_stages(m, item, layers, out, name);
}

// Layers that are recomputed as a whole are not recomputed in parts.
static bool read_recompute(struct mindformers_reader *m, const struct counts *layers)
{
    const size_t n = (size_t)(layers->vp * layers->pp);
    struct counts full = *layers, select = *layers;
    const cJSON *full_item, *select_item;
    if (!mindformers_find(m, MF_RECOMPUTE, &full_item) ||
        !mindformers_find(m, MF_SELECT, &select_item))
        return false;
    full.n = calloc(n, sizeof *full.n);
    select.n = calloc(n, sizeof *select.n);
    bool ok = (full.n != NULL && select.n != NULL) || framework_no_memory(m->r);
    if (ok && full_item != NULL)
        ok = read_counts(m, full_item, layers, &full, "recompute") &&
             put_counts(m, "recompute", &full, full_item);
    if (ok && select_item != NULL) {
        ok = read_counts(m, select_item, layers, &select, "select_recompute");
        for (size_t k = 0; k < n; k++)
            select.n[k] = select.n[k] > full.n[k] ? select.n[k] - full.n[k] : 0;
        ok = ok && put_counts(m, "select_recompute", &select, select_item);
    }
    free(full.n);
    free(select.n);
    return ok;
}

// Without the layers of the model there are no lists.
static bool name_recompute(struct mindformers_reader *m)
{
    static const enum mindformers_key keys[] = {MF_RECOMPUTE, MF_SELECT};
    const cJSON *item;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (!mindformers_find(m, keys[k], &item) ||
            (item != NULL && !cJSON_IsFalse(item) &&
             !mindformers_not_modelled(m, mindformers_paths(keys[k])[0], item)))
            return false;
    return true;
}

static bool read_lists(struct mindformers_reader *m, struct counts *layers)
{
    const cJSON *offset;
    if (!mindformers_find(m, MF_OFFSET, &offset))
        return false;
    for (int k = 0; k < layers->vp * layers->pp; k++)
        layers->n[k] = layers->total / (layers->vp * layers->pp);
    if (offset != NULL && !read_offset(m, offset, layers))
        return false;
    if (layers->from_list && !put_counts(m, "layers", layers, offset))
        return false;
    spread(layers);
    return read_recompute(m, layers);
}

bool mindformers_read_layers(struct mindformers_reader *m)
{
    struct counts layers = {.vp = (int)m->vp,
                            .pp = (int)m->pp,
                            .total = total_layers(m),
                            .from_list = false};
    if (layers.total == 0 || m->pp * m->vp > 1 << 16)
        return name_recompute(m);
    layers.n = malloc((size_t)(m->pp * m->vp) * sizeof *layers.n);
    if (layers.n == NULL)
        return framework_no_memory(m->r);
    const bool ok = read_lists(m, &layers) || mindformers_keep_reason(m);
    free(layers.n);
    return ok;
}
