// SPDX-License-Identifier: Apache-2.0
// Derives values of a model from keys that have no field of their own.
#include "kernels/common/description/model_config_private.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- values with a meaning of their own -----------------------------------------------------

static const struct cJSON *special(const struct modelconfig_taking *t,
                                   enum modeltype_field field)
{
    return t->special[(int)field - N_MODEL_KEYS];
}

static bool take_flag(const struct modelconfig_taking *t, enum modeltype_field field,
                      bool *flag)
{
    const struct cJSON *item = special(t, field);
    if (item != NULL && !cJSON_IsBool(item))
        return pps_fault_set(t->fault, item, false, "%s: expected true or false",
                             docfields_name(item));
    *flag = item != NULL ? cJSON_IsTrue(item) : *flag;
    return true;
}

static bool take_least(const struct modelconfig_taking *t, enum modeltype_field field,
                       double least, double most, int64_t *number)
{
    const struct cJSON *item = special(t, field);
    if (item == NULL)
        return true;
    const double x = item->valuedouble;
    if (!cJSON_IsNumber(item) || !(x >= least && x <= most) || (double)(int64_t)x < x)
        return pps_fault_set(t->fault, item, false, "%s: expected a whole number %.0f ... %.0f",
                             docfields_name(item), least, most);
    *number = (int64_t)x;
    return true;
}

static bool take_whole(const struct modelconfig_taking *t, enum modeltype_field field,
                       double most, int64_t *number)
{
    return take_least(t, field, 1, most, number);
}

static bool derive_groups(struct modelconfig_taking *t)
{
    struct modeldesc *m = &t->record->model;
    const double most = modelkeys_own.fields[KEY_QUERY_GROUPS].max;
    bool multi = m->query_groups == 1, decoder = false;
    int64_t groups = 1, of_decoder = 0;
    if (!take_flag(t, TYPE_MULTI_QUERY, &multi) ||
        !take_whole(t, TYPE_MULTI_GROUPS, most, &groups) ||
        !take_flag(t, TYPE_NEW_DECODER, &decoder) ||
        !take_whole(t, TYPE_DECODER_GROUPS, most, &of_decoder))
        return false;
    if (special(t, TYPE_MULTI_QUERY) != NULL)
        m->query_groups = multi ? groups : 0;
    if (decoder)
        m->query_groups = of_decoder;
    return true;
}

static bool derive_norms(struct modelconfig_taking *t)
{
    struct modeldesc *m = &t->record->model;
    bool beside = false, one = m->layer_norms == 1, decoder = false;
    int64_t of_decoder = 2;
    if (!take_flag(t, TYPE_BESIDE, &beside) || !take_flag(t, TYPE_BESIDE_ONE, &one) ||
        !take_flag(t, TYPE_NEW_DECODER, &decoder) ||
        !take_whole(t, TYPE_DECODER_NORMS, 2, &of_decoder))
        return false;
    if (special(t, TYPE_BESIDE_ONE) != NULL)
        m->layer_norms = one ? 1 : 2;
    if (decoder)
        m->layer_norms = of_decoder;
    return true;
}

// Heads of Mamba-2 share its inner width.
static bool derive_inner(struct modelconfig_taking *t, int64_t inner)
{
    struct modeldesc_scan *s = &t->record->model.scan;
    const struct cJSON *item = special(t, TYPE_INNER);
    const int64_t heads = s->heads > 0 ? s->heads : 1;
    bool norm = !s->plain;
    if (!take_flag(t, TYPE_SCAN_NORM, &norm) || !take_whole(t, TYPE_INNER, 1 << 24, &inner))
        return false;
    s->plain = !norm;
    if (item != NULL &&
        (inner % heads != 0 || (s->head_dim > 0 && s->head_dim * heads != inner)))
        return modelconfig_refuse(t, item, "the product of heads and their width");
    s->head_dim = s->head_dim > 0 ? s->head_dim : inner / heads;
    return true;
}

// Widths of mixers that follow from others.
static bool derive_scan(struct modelconfig_taking *t)
{
    struct modeldesc *m = &t->record->model;
    struct modeldesc_scan *s = &m->scan;
    int64_t expand = 2;
    bool rounded = t->visitor.config->type->layers.other == MODELDESC_CONV;
    if (!take_whole(t, TYPE_EXPAND, 64, &expand) || !take_flag(t, TYPE_FFN_ROUNDED, &rounded))
        return false;
    if (t->visitor.config->type->layers.other == MODELDESC_MAMBA1) {
        s->head_dim = 1;
        s->heads = expand * m->hidden;
        s->rank = s->rank > 0 ? s->rank : (m->hidden + 15) / 16;
    }
    if (t->visitor.config->type->layers.other == MODELDESC_MAMBA2 &&
        !derive_inner(t, expand * m->hidden))
        return false;
    if (rounded) {
        const int64_t of = t->record->multiple_of > 0 ? t->record->multiple_of : 256;
        m->ffn = (2 * m->ffn / 3 + of - 1) / of * of;
    }
    t->record->multiple_of = 0;
    t->items->item[KEY_MULTIPLE_OF] = NULL;
    return true;
}

// Files may leave the number of layers to the list of their kinds.
static void derive_layers(struct modelconfig_taking *t)
{
    const struct modelconfig *c = t->visitor.config;
    const struct cJSON *words = c->type->layers.kinds ? modelconfig_layer_words(c) : NULL;
    if (words != NULL && t->items->item[KEY_NUM_LAYERS] == NULL)
        t->record->model.num_layers = modelconfig_words(words) < MODELDESC_PATTERN
                                          ? modelconfig_words(words)
                                          : MODELDESC_PATTERN;
}

// Refuses another value than this one.
static bool says(const struct modelconfig_taking *t, enum modeltype_field field, int64_t wanted,
                 const char *what)
{
    const struct cJSON *item = special(t, field);
    return item == NULL || (cJSON_IsNumber(item) && item->valuedouble == (double)wanted) ||
           modelconfig_refuse(t, item, what);
}

static bool derive_widths(struct modelconfig_taking *t)
{
    struct modeldesc *m = &t->record->model;
    int64_t expansion = 0;
    if (!says(t, TYPE_HIDDEN_AGAIN, m->hidden, "the hidden size") ||
        !says(t, TYPE_MOE_AGAIN, m->moe_ffn, "the width of experts"))
        return false;
    if (!take_whole(t, TYPE_EXPANSION, 64, &expansion))
        return false;
    if (expansion > 0)
        m->ffn = expansion * m->hidden;
    return derive_scan(t);
}

static void derive_positions(struct modelconfig_taking *t)
{
    struct modeldesc *m = &t->record->model;
    if (t->items->item[KEY_MAX_POSITIONS] != NULL &&
        t->visitor.config->type->silent.model.positions > 0)
        m->positions = t->record->max_positions + t->visitor.config->type->more_positions;
}

// ---- layers with experts --------------------------------------------------------------------

// Takes which layers have experts. They come last in most models.
static bool take_sparse(struct modelconfig_taking *t, const struct cJSON *item,
                        const bool *sparse)
{
    struct modeldesc *m = &t->record->model;
    int64_t first = 0, all = 0;
    while (first < m->num_layers && !sparse[first])
        first++;
    for (int64_t k = 0; k < m->num_layers; k++)
        all += !sparse[k];
    if (first == all) {
        m->dense_layers = all;
        return true;
    }
    if (m->num_layers + m->mtp_depth > MODELDESC_PATTERN)
        return pps_fault_set(
            t->fault, item, false, "%s: layers of several kinds are modelled up to %d layers",
            item != NULL ? docfields_name(item) : "num_hidden_layers", MODELDESC_PATTERN);
    t->record->mixed = true;
    m->dense_layers = 0;
    for (int64_t k = 0; k < m->num_layers + m->mtp_depth; k++)
        t->record->sparse[k] = k >= m->num_layers || sparse[k];
    return true;
}

// The last one of so many layers has experts, after leading dense layers.
enum { LAYERS_MAX = 4096 };

static bool take_every(struct modelconfig_taking *t)
{
    struct modeldesc *m = &t->record->model;
    bool sparse[LAYERS_MAX];
    int64_t every =
                t->visitor.config->type->moe_every > 0 ? t->visitor.config->type->moe_every : 1,
            offset = -1;
    if (!take_whole(t, TYPE_MOE_EVERY, LAYERS_MAX, &every) ||
        !take_least(t, TYPE_MOE_OFFSET, 0, LAYERS_MAX, &offset))
        return false;
    offset = offset < 0 ? every - 1 : offset;
    for (int64_t k = 0; k < m->num_layers; k++)
        sparse[k] = k % every == offset && k >= m->dense_layers;
    return every == 1 || m->experts == 0 || take_sparse(t, special(t, TYPE_MOE_EVERY), sparse);
}

// The same of a text, "3,4,5".
static bool mark_text(const char *text, bool *marks, int64_t n)
{
    char *end;
    memset(marks, 0, (size_t)n);
    for (const char *at = text; *at != '\0'; at = end + (*end == ',')) {
        const long layer = strtol(at, &end, 10);
        if (end == at || (*end != ',' && *end != '\0') || layer < 0 || layer >= n)
            return false;
        marks[layer] = true;
    }
    return true;
}

// A list of layers: stores in `marks` which are listed. Returns false for anything else.
static bool mark_layers(const struct cJSON *list, bool *marks, int64_t n)
{
    if (cJSON_IsString(list))
        return mark_text(list->valuestring, marks, n);
    memset(marks, 0, (size_t)n);
    for (const cJSON *each = list->child; each != NULL; each = each->next) {
        const double x = each->valuedouble;
        if (!cJSON_IsNumber(each) || !(x >= 0 && x < (double)n) || (double)(int64_t)x < x)
            return false;
        marks[(int64_t)x] = true;
    }
    return cJSON_IsArray(list);
}

// A list of 0 or "dense", and 1 or "sparse", for each layer; or 1 for all.
static bool mark_pattern(const struct cJSON *pattern, bool *marks, int64_t n)
{
    int64_t k = 0;
    for (const cJSON *each = pattern->child; each != NULL; each = each->next, k++) {
        const bool sparse = modelconfig_is_value(each, "1") || cJSON_IsTrue(each) ||
                            modelconfig_is_value(each, "sparse");
        if (k >= n || (!sparse && !cJSON_IsFalse(each) && !modelconfig_is_value(each, "0") &&
                       !modelconfig_is_value(each, "dense")))
            return false;
        marks[k] = sparse;
    }
    return cJSON_IsArray(pattern) && (k == n || k == 0);
}

// Takes marks of layers with or without experts; others are as TYPE_MOE_EVERY says.
static bool take_marks(struct modelconfig_taking *t, const struct cJSON *item, bool *marks,
                       bool dense_marked)
{
    int64_t every = 1;
    if (dense_marked && !take_whole(t, TYPE_MOE_EVERY, 4096, &every))
        return false;
    for (int64_t k = 0; k < t->record->model.num_layers; k++)
        marks[k] = marks[k] != dense_marked && (k + 1) % every == 0;
    return take_sparse(t, item, marks);
}

// Two mixers and two networks that the file calls a layer are two layers here. The first of them has experts, beside
// a network as dense as that of the second one.
static bool derive_pairs(struct modelconfig_taking *t)
{
    struct modeldesc *m = &t->record->model;
    const struct cJSON *layers = t->items->item[KEY_NUM_LAYERS];
    bool sparse[LAYERS_MAX];
    int64_t pairs = t->visitor.config->type->silent.model.num_layers / 2;
    if (!take_whole(t, TYPE_PAIRS, LAYERS_MAX / 2, &pairs))
        return false;
    if (layers != NULL && m->num_layers != 2 * pairs && m->num_layers != pairs)
        return modelconfig_refuse(t, layers, "num_layers, or twice that,");
    m->num_layers = 2 * pairs;
    m->shared_ffn = m->ffn;
    for (int64_t k = 0; k < m->num_layers; k++)
        sparse[k] = k % 2 == 0;
    return take_sparse(t, special(t, TYPE_PAIRS), sparse);
}

// Experts beside the dense network of each layer, with norms of their own (Gemma 4).
static bool derive_experts_too(struct modelconfig_taking *t)
{
    struct modeldesc *m = &t->record->model;
    bool experts = false;
    if (!take_flag(t, TYPE_EXPERTS_TOO, &experts))
        return false;
    if (!experts)
        m->experts = 0;
    if (experts && m->experts == 0)
        return modelconfig_refuse(t, special(t, TYPE_EXPERTS_TOO),
                                  "false, or true with num_experts,");
    if (experts) {
        m->shared_ffn = m->ffn;
        m->layer_norms = 7;
        m->router_scale = true;
    }
    return true;
}

// The blocks of an MTP module of models whose layers are one block each.
static bool derive_mtp_blocks(struct modelconfig_taking *t)
{
    const struct cJSON *item = special(t, TYPE_MTP_BLOCKS);
    const struct cJSON *first = cJSON_GetArrayItem(item, 0),
                       *last = cJSON_GetArrayItem(item, 1);
    if (item == NULL || modelconfig_is_value(item, "*E"))
        return true;
    if (cJSON_GetArraySize(item) == 2 && modelconfig_is_value(last, "moe") &&
        (modelconfig_is_value(first, "attention") ||
         modelconfig_is_value(first, "full_attention")))
        return true;
    return modelconfig_refuse(t, item, "attention and experts");
}

// Which layers have an indexer: all, or those that a list names "full".
static bool derive_indexers(struct modelconfig_taking *t)
{
    const struct modelconfig *c = t->visitor.config;
    const struct cJSON *every = special(t, TYPE_INDEX_EVERY), *each = NULL;
    const struct cJSON *list =
        c->type->layers.indexers != NULL
            ? cJSON_GetObjectItemCaseSensitive(c->text, c->type->layers.indexers)
            : NULL;
    if (every != NULL && !cJSON_IsArray(list) && !modelconfig_is_value(every, "1"))
        return modelconfig_refuse(t, every, "1, or a list indexer_types,");
    cJSON_ArrayForEach (each, list)
        if (!modelconfig_is_value(each, "full") && !modelconfig_is_value(each, "shared"))
            return modelconfig_refuse(t, list, "a list of \"full\" and \"shared\"");
    if (cJSON_IsArray(list) && (cJSON_GetArraySize(list) < t->record->model.num_layers ||
                                !modelconfig_is_value(list->child, "full")))
        return modelconfig_refuse(t, list, "a word for each layer, \"full\" first,");
    return true;
}

static bool derive_dense(struct modelconfig_taking *t)
{
    struct modeldesc *m = &t->record->model;
    bool marks[LAYERS_MAX];
    const struct cJSON *dense = special(t, TYPE_DENSE_LAYERS);
    const struct cJSON *moe = special(t, TYPE_MOE_LAYERS);
    const struct cJSON *pattern = special(t, TYPE_MOE_PATTERN);
    const struct cJSON *last = special(t, TYPE_LAST_MOE_LAYER);
    if (t->visitor.config->type->paired)
        return derive_pairs(t);
    if (dense != NULL && dense->child != NULL)
        return mark_layers(dense, marks, m->num_layers)
                   ? take_marks(t, dense, marks, true)
                   : modelconfig_refuse(t, dense, "a list of layers");
    if (moe != NULL)
        return mark_layers(moe, marks, m->num_layers)
                   ? take_marks(t, moe, marks, false)
                   : modelconfig_refuse(t, moe, "a list of layers");
    if (pattern != NULL && pattern->child != NULL)
        return mark_pattern(pattern, marks, m->num_layers)
                   ? take_marks(t, pattern, marks, false)
                   : modelconfig_refuse(t, pattern, "1, or a list of 0 and 1 for each layer");
    if (pattern != NULL && !modelconfig_is_value(pattern, "1"))
        return modelconfig_refuse(t, pattern, "1, or a list of 0 and 1 for each layer");
    if (last != NULL && !modelconfig_is_value(last, "-1") &&
        !(cJSON_IsNumber(last) && last->valuedouble == (double)(m->num_layers - 1)))
        return modelconfig_refuse(t, last, "the last layer, or -1,");
    return take_every(t);
}

bool modelconfig_derive(struct modelconfig_taking *t)
{
    struct modeldesc *m = &t->record->model;
    derive_positions(t);
    derive_layers(t);
    if (t->visitor.config->type->shared_alone && m->experts == 0)
        m->ffn = m->shared_ffn;
    // The class compares the number with layers: all of a shorter model are dense.
    if (m->dense_layers > m->num_layers)
        m->dense_layers = m->num_layers;
    if (modelconfig_name(t->visitor.config, TYPE_EXPERTS_TOO) != NULL && !derive_experts_too(t))
        return false;
    return derive_groups(t) && derive_norms(t) && derive_widths(t) && derive_dense(t) &&
           derive_mtp_blocks(t) && derive_indexers(t);
}
