// SPDX-License-Identifier: Apache-2.0
// Derives values of a model from keys that have no field of their own.
#include "kernels/common/description/model_config_private.h"

#include <cjson/cJSON.h>
#include <stdio.h>
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
    if (t->visitor.config->type->layers.other == MODELDESC_MAMBA2 && s->head_dim == 0)
        s->head_dim = expand * m->hidden / (s->heads > 0 ? s->heads : 1);
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

static bool derive_widths(struct modelconfig_taking *t)
{
    struct modeldesc *m = &t->record->model;
    const struct cJSON *again = special(t, TYPE_HIDDEN_AGAIN);
    int64_t expansion = 0;
    if (again != NULL && !(cJSON_IsNumber(again) && again->valuedouble == (double)m->hidden))
        return modelconfig_refuse(t, again, "the hidden size");
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
static bool take_every(struct modelconfig_taking *t)
{
    enum { LAYERS_MAX = 4096 };
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

// A list of layers: stores in `marks` which are listed. Returns false for anything else.
static bool mark_layers(const struct cJSON *list, bool *marks, int64_t n)
{
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
        const bool sparse =
            modelconfig_is_value(each, "1") || modelconfig_is_value(each, "sparse");
        if (k >= n || (!sparse && !modelconfig_is_value(each, "0") &&
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

static bool derive_dense(struct modelconfig_taking *t)
{
    enum { LAYERS_MAX = 4096 };
    struct modeldesc *m = &t->record->model;
    bool marks[LAYERS_MAX];
    const struct cJSON *dense = special(t, TYPE_DENSE_LAYERS);
    const struct cJSON *moe = special(t, TYPE_MOE_LAYERS);
    const struct cJSON *pattern = special(t, TYPE_MOE_PATTERN);
    const struct cJSON *last = special(t, TYPE_LAST_MOE_LAYER);
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
    return derive_groups(t) && derive_norms(t) && derive_widths(t) && derive_dense(t);
}
