// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/description/model_config.h"

#include "base/text/nearest.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OWN_KEYS                                                                               \
    "describe the shape in our own keys: num_layers, hidden_size, num_attention_heads, "       \
    "vocab_size ... (sweep_configs/models/README.md)"

static const struct cJSON *member(const struct cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

bool modeldesc_is_config(const struct cJSON *object)
{
    return member(object, "architectures") != NULL || member(object, "model_type") != NULL;
}

// ---- the type -------------------------------------------------------------------------------

// Models of several parts keep the language model in a nested object.
static const struct cJSON *find_text(const struct cJSON *document)
{
    static const char *const names[] = {"text_config", "llm_config", "language_config"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct cJSON *text = member(document, names[i]);
        if (cJSON_IsObject(text) && text->child != NULL)
            return text;
    }
    return document;
}

static bool refuse_unknown(const struct cJSON *item, struct pps_fault *fault)
{
    int n;
    const struct modeltype *types = modeltype_all(&n);
    struct pps_nearest nearest = pps_nearest_to(item->valuestring);
    for (int i = 0; i < n; i++)
        pps_nearest_consider(&nearest, types[i].name);
    return pps_fault_set(fault, item, false, "model_type: \"%.60s\" is unknown%s%s%s; %s",
                         item->valuestring, nearest.name != NULL ? " (nearest: " : "",
                         nearest.name != NULL ? nearest.name : "",
                         nearest.name != NULL ? ")" : "", OWN_KEYS);
}

// Stores the type of this name; refuses one that cannot be read.
static bool take_type(struct modelconfig *c,
                      const struct cJSON *item,
                      const char *name,
                      struct pps_fault *fault)
{
    const char *nearest, *lacks = modeltype_lacks(name, &nearest);
    if (lacks != NULL)
        return pps_fault_set(fault, item, false,
                             "model_type: %s is not modelled: %s; nearest: %s, in our own keys",
                             name, lacks, nearest);
    c->type = modeltype_find(name);
    c->type_item = item;
    return c->type != NULL || refuse_unknown(item, fault);
}

bool modelconfig_open(struct modelconfig *c,
                      const struct cJSON *document,
                      struct pps_fault *fault)
{
    *c = (struct modelconfig){.document = document, .text = find_text(document)};
    const struct cJSON *outer = member(document, "model_type");
    const struct cJSON *inner = member(c->text, "model_type");
    const char *nearest;
    if (cJSON_IsString(outer) && modeltype_lacks(outer->valuestring, &nearest) != NULL)
        return take_type(c, outer, outer->valuestring, fault);
    if (cJSON_IsString(inner))
        return take_type(c, inner, inner->valuestring, fault);
    if (inner == NULL && cJSON_IsString(outer)) {
        const char *name = modeltype_inside(outer->valuestring);
        return name != NULL ? take_type(c, outer, name, fault) : refuse_unknown(outer, fault);
    }
    return pps_fault_set(fault, inner != NULL ? inner : c->text, false, "model_type: %s; %s",
                         inner != NULL ? "expected text" : "missing", OWN_KEYS);
}

// ---- keys -----------------------------------------------------------------------------------

static bool begins_with(const char *key, const char *object)
{
    const size_t n = strlen(object);
    return strncmp(key, object, n) == 0 && key[n] == '.';
}

static bool reads_inside(const struct modeltype *type, const char *object)
{
    struct modeltype_walk walk = {0, 0};
    for (const struct modeltype_key *key; (key = modeltype_next(type, &walk)) != NULL;)
        if (begins_with(key->key, object))
            return true;
    return false;
}

bool modelconfig_each(struct modelconfig_visitor *visitor)
{
    const struct modelconfig *c = visitor->config;
    for (const cJSON *item = c->text->child; item != NULL; item = item->next) {
        if (!cJSON_IsObject(item) || !reads_inside(c->type, item->string)) {
            if (!visitor->visit(visitor, item->string, item))
                return false;
            continue;
        }
        for (const cJSON *each = item->child; each != NULL; each = each->next) {
            char path[128];
            snprintf(path, sizeof path, "%s.%s", item->string, each->string);
            if (!visitor->visit(visitor, path, each))
                return false;
        }
    }
    return true;
}

const char *modelconfig_name(const struct modelconfig *c, int field)
{
    struct modeltype_walk walk = {0, 0};
    for (const struct modeltype_key *key; (key = modeltype_next(c->type, &walk)) != NULL;)
        if (key->field == field)
            return key->key;
    return NULL;
}

// ---- values ---------------------------------------------------------------------------------

struct taking {
    struct modelconfig_visitor visitor;
    struct docitems *items;
    struct modelkeys_record *record;
    const struct cJSON *special[N_TYPE_FIELDS - N_MODEL_KEYS];
    struct pps_fault *fault;
};

static const struct cJSON *special(const struct taking *t, enum modeltype_field field)
{
    return t->special[(int)field - N_MODEL_KEYS];
}

static bool is_value(const struct cJSON *item, const char *text)
{
    if (cJSON_IsArray(item)) {
        for (const cJSON *each = item->child; each != NULL; each = each->next)
            if (!is_value(each, text))
                return false;
        return true;
    }
    if (cJSON_IsBool(item))
        return strcmp(text, cJSON_IsTrue(item) ? "true" : "false") == 0;
    if (cJSON_IsNumber(item)) {
        char number[32];
        snprintf(number, sizeof number, "%.17g", item->valuedouble);
        return strcmp(text, number) == 0;
    }
    return cJSON_IsString(item) && strcmp(text, item->valuestring) == 0;
}

static bool refuse_value(const struct taking *t, const struct cJSON *item, const char *only)
{
    return pps_fault_set(t->fault, item, false, "%s: only %s is modelled for %s",
                         docfields_name(item), only, t->visitor.config->type->name);
}

// The class takes null for "none": it is no gap that the class fills.
static void clear(struct taking *t, const struct docfield *field)
{
    char *at = (char *)t->record + field->offset;
    if (field->kind == DOCFIELD_WHOLE)
        *(int64_t *)(void *)at = 0;
    else if (field->kind == DOCFIELD_FLAG)
        *(bool *)(void *)at = false;
}

// Stores a value of one of our own fields. A list has a value for each layer.
static bool take_own(struct taking *t, int field, const struct cJSON *item)
{
    const struct cJSON **slot = &t->items->item[field];
    if (cJSON_IsNull(item)) {
        clear(t, &modelkeys_own.fields[field]);
        return true;
    }
    if (cJSON_IsArray(item) && item->child != NULL) {
        for (const cJSON *each = item->child; each != NULL; each = each->next)
            if (!cJSON_Compare(each, item->child, true))
                return pps_fault_set(t->fault, item, false,
                                     "%s: layers that differ are not modelled",
                                     docfields_name(item));
        item = item->child;
    }
    if (*slot != NULL && !cJSON_Compare(*slot, item, true))
        return pps_fault_set(t->fault, item, true, "%.60s: %.60s gives another value",
                             docfields_name(item), docfields_name(*slot));
    *slot = item;
    return true;
}

static bool take_meaning(struct taking *t,
                         const struct modeltype_key *key,
                         const struct cJSON *item)
{
    if (key->field < N_MODEL_KEYS)
        return take_own(t, key->field, item);
    if (key->field == TYPE_UNUSED || cJSON_IsNull(item))
        return true;
    if (key->field == TYPE_ONLY)
        return is_value(item, key->only) || refuse_value(t, item, key->only);
    t->special[key->field - N_MODEL_KEYS] = item;
    return true;
}

static bool take_key(struct modelconfig_visitor *self,
                     const char *path,
                     const struct cJSON *item)
{
    struct taking *t = (struct taking *)(void *)self;
    struct modeltype_walk walk = {0, 0};
    bool known = false;
    for (const struct modeltype_key *key;
         (key = modeltype_next(self->config->type, &walk)) != NULL;)
        if (strcmp(key->key, path) == 0) {
            known = true;
            if (!take_meaning(t, key, item))
                return false;
        }
    if (known || modelconfig_kind_of(self->config, path, item) != CONFIG_SHAPE)
        return true;
    return pps_fault_set(t->fault, item, true,
                         "%.60s: is not understood for %s and may change the shape; remove it "
                         "if it does not, or " OWN_KEYS,
                         path, self->config->type->name);
}

// ---- values with a meaning of their own -----------------------------------------------------

static bool take_flag(const struct taking *t, enum modeltype_field field, bool *flag)
{
    const struct cJSON *item = special(t, field);
    if (item != NULL && !cJSON_IsBool(item))
        return pps_fault_set(t->fault, item, false, "%s: expected true or false",
                             docfields_name(item));
    *flag = item != NULL ? cJSON_IsTrue(item) : *flag;
    return true;
}

static bool take_whole(const struct taking *t,
                       enum modeltype_field field,
                       double most,
                       int64_t *number)
{
    const struct cJSON *item = special(t, field);
    if (item == NULL)
        return true;
    const double x = item->valuedouble;
    if (!cJSON_IsNumber(item) || !(x >= 1 && x <= most) || (double)(int64_t)x < x)
        return pps_fault_set(t->fault, item, false, "%s: expected a whole number 1 ... %.0f",
                             docfields_name(item), most);
    *number = (int64_t)x;
    return true;
}

static bool derive_groups(struct taking *t)
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

static bool derive_norms(struct taking *t)
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

static bool derive_widths(struct taking *t)
{
    struct modeldesc *m = &t->record->model;
    const struct cJSON *again = special(t, TYPE_HIDDEN_AGAIN);
    int64_t expansion = 0;
    if (again != NULL && !(cJSON_IsNumber(again) && again->valuedouble == (double)m->hidden))
        return refuse_value(t, again, "the hidden size");
    if (!take_whole(t, TYPE_EXPANSION, 64, &expansion))
        return false;
    if (expansion > 0)
        m->ffn = expansion * m->hidden;
    return true;
}

static void derive_positions(struct taking *t)
{
    struct modeldesc *m = &t->record->model;
    if (t->items->item[KEY_MAX_POSITIONS] != NULL &&
        t->visitor.config->type->silent.model.positions > 0)
        m->positions = t->record->max_positions + t->visitor.config->type->more_positions;
}

// ---- layers with experts --------------------------------------------------------------------

static bool refuse_mixed(const struct taking *t, const struct cJSON *item, int64_t dense)
{
    return pps_fault_set(
        t->fault, item, false,
        "%s: layers with experts between dense layers are not modelled; "
        "nearest: our own keys with first_k_dense_replace %lld, which puts the "
        "dense layers first",
        docfields_name(item), (long long)dense);
}

static bool take_every(const struct taking *t)
{
    const int64_t layers = t->record->model.num_layers;
    int64_t every = 1;
    if (!take_whole(t, TYPE_MOE_EVERY, 4096, &every))
        return false;
    return every == 1 || refuse_mixed(t, special(t, TYPE_MOE_EVERY), layers - layers / every);
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

// A list of 0 and 1 for each layer, or 1 for all.
static bool mark_pattern(const struct cJSON *pattern, bool *marks, int64_t n)
{
    int64_t k = 0;
    for (const cJSON *each = pattern->child; each != NULL; each = each->next, k++) {
        if (k >= n || !cJSON_IsNumber(each) ||
            !is_value(each, each->valuedouble > 0 ? "1" : "0"))
            return false;
        marks[k] = each->valuedouble > 0;
    }
    return cJSON_IsArray(pattern) && (k == n || k == 0);
}

// Takes the number of dense layers from marks of layers; they must come first.
static bool take_marks(struct taking *t,
                       const struct cJSON *item,
                       const bool *marks,
                       bool dense_marked)
{
    struct modeldesc *m = &t->record->model;
    int64_t first = 0, all = 0;
    while (first < m->num_layers && marks[first] == dense_marked)
        first++;
    for (int64_t k = 0; k < m->num_layers; k++)
        all += marks[k] == dense_marked;
    if (first < all)
        return refuse_mixed(t, item, all);
    m->dense_layers = all;
    return true;
}

static bool derive_dense(struct taking *t)
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
                   : refuse_value(t, dense, "a list of layers");
    if (moe != NULL)
        return mark_layers(moe, marks, m->num_layers)
                   ? take_marks(t, moe, marks, false)
                   : refuse_value(t, moe, "a list of layers");
    if (pattern != NULL && pattern->child != NULL)
        return mark_pattern(pattern, marks, m->num_layers)
                   ? take_marks(t, pattern, marks, false)
                   : refuse_value(t, pattern, "1, or a list of 0 and 1 for each layer");
    if (pattern != NULL && !is_value(pattern, "1"))
        return refuse_value(t, pattern, "1, or a list of 0 and 1 for each layer");
    if (last != NULL && !is_value(last, "-1") &&
        !(cJSON_IsNumber(last) && last->valuedouble == (double)(m->num_layers - 1)))
        return refuse_value(t, last, "the last layer, or -1,");
    return take_every(t);
}

// ---- all ------------------------------------------------------------------------------------

bool modelconfig_take(const struct modelconfig *c,
                      struct docitems *items,
                      struct modelkeys_record *record,
                      struct pps_fault *fault)
{
    const struct cJSON *tied = member(c->document, "tie_word_embeddings");
    struct taking t = {.visitor = {take_key, c},
                       .items = items,
                       .record = record,
                       .fault = fault};
    const struct modeldesc usual = record->model;
    *items = (struct docitems){{NULL}};
    *record = c->type->silent;
    record->model.seq_length = usual.seq_length;
    if (record->model.layer_norms == 0)
        record->model.layer_norms = usual.layer_norms;
    if (!modelconfig_each(&t.visitor))
        return false;
    if (items->item[KEY_TIED] == NULL && tied != NULL && !cJSON_IsNull(tied))
        items->item[KEY_TIED] = tied;
    if (!docfields_store(&modelkeys_own, items, record, fault))
        return false;
    derive_positions(&t);
    // The class compares layers with the number: all of a shorter model are dense.
    if (record->model.dense_layers > record->model.num_layers)
        record->model.dense_layers = record->model.num_layers;
    return derive_groups(&t) && derive_norms(&t) && derive_widths(&t) && derive_dense(&t);
}
