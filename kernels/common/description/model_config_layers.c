// SPDX-License-Identifier: Apache-2.0
// Finds the kind of every layer in a config.json: a list or a pattern of kinds, or the rule of the
// configuration class of the type.
#include "kernels/common/description/model_config.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

struct finding {
    const struct modelconfig *c;
    const struct modeltype_layers *rule;
    struct modelkeys_record *record;
    struct pps_fault *fault;
    const struct cJSON
        *words; // a list of words or a text of signs, one for each layer; NULL: none
};

// Returns the value of a key, also "linear_attn_config.kda_layers"; NULL: none, or null.
static const struct cJSON *value_at(const struct modelconfig *c, const char *key)
{
    const char *dot = key != NULL ? strchr(key, '.') : NULL;
    const struct cJSON *object = c->text;
    char name[64];
    if (key == NULL)
        return NULL;
    if (dot != NULL) {
        snprintf(name, sizeof name, "%.*s", (int)(dot - key), key);
        object = cJSON_GetObjectItemCaseSensitive(object, name);
        key = dot + 1;
    }
    const struct cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNull(item) ? NULL : item;
}

const struct cJSON *modelconfig_layer_words(const struct modelconfig *c)
{
    static const char *const names[] = {"hybrid_override_pattern", "layers_block_type",
                                        "layer_types"};
    for (size_t i = 0; c->type->layers.indexers == NULL && i < sizeof names / sizeof *names;
         i++) {
        const struct cJSON *item = value_at(c, names[i]);
        if (cJSON_IsArray(item) || cJSON_IsString(item))
            return item;
    }
    return NULL;
}

int64_t modelconfig_words(const struct cJSON *words)
{
    return cJSON_IsString(words) ? (int64_t)strlen(words->valuestring)
                                 : cJSON_GetArraySize(words);
}

static int64_t number(const struct finding *f, const char *key, int64_t otherwise)
{
    char old[64];
    const struct cJSON *item = value_at(f->c, key);
    if (item == NULL && key != NULL) { // an older name, of private attributes
        snprintf(old, sizeof old, "_%s", key);
        item = value_at(f->c, old);
    }
    return cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble < 1e6
               ? (int64_t)item->valuedouble
               : otherwise;
}

static bool is_listed(const struct cJSON *list, int64_t layer)
{
    for (const struct cJSON *each = list->child; each != NULL; each = each->next)
        if (cJSON_IsNumber(each) && each->valuedouble == (double)layer)
            return true;
    return false;
}

// Returns whether a layer has full attention by the rule of its type.
static bool is_full(const struct finding *f, int64_t layer)
{
    const struct modeltype_layers *rule = f->rule;
    if (rule->last_full && layer == f->record->model.num_layers - 1)
        return true;
    const struct cJSON *list = value_at(f->c, rule->full_list);
    const struct cJSON *flags = value_at(f->c, rule->flags);
    if (cJSON_IsArray(list))
        return is_listed(list, layer + rule->first);
    if (cJSON_IsArray(flags) && layer < cJSON_GetArraySize(flags)) {
        const struct cJSON *flag = cJSON_GetArrayItem(flags, (int)layer);
        return cJSON_IsNumber(flag) && flag->valuedouble == rule->full_flag;
    }
    if (rule->all_other)
        return false;
    if (rule->after_key != NULL)
        return layer < number(f, rule->after_key, rule->after);
    const int64_t every = number(f, rule->every_key, rule->every);
    const int64_t offset =
        rule->offset_key != NULL ? number(f, rule->offset_key, rule->offset) : every - 1;
    return every < 1 || layer % every == offset || (rule->first_full && layer == 0);
}

// ---- one layer ------------------------------------------------------------------------------

static void set_heads(const struct finding *f, const struct modeltype_heads *keys,
                      struct modeldesc_kind *kind)
{
    const bool groups =
        keys->groups_if == NULL || cJSON_IsTrue(value_at(f->c, keys->groups_if));
    kind->heads = number(f, keys->heads, 0);
    kind->query_groups = groups ? number(f, keys->groups, 0) : 0;
    kind->head_dim = number(f, keys->head_dim, keys->silent_dim);
    kind->v_dim = number(f, keys->v_dim, f->rule->v_dim);
    kind->keys_as_values =
        keys->keys_only_if != NULL && cJSON_IsTrue(value_at(f->c, keys->keys_only_if));
}

static void set_full(const struct finding *f, struct modeldesc_kind *kind)
{
    kind->mixer = MODELDESC_ATTENTION;
    kind->window = 0;
    kind->chunked = false;
    kind->no_sinks = f->rule->own_sinks && f->record->model.attention_sinks;
    set_heads(f, &f->rule->full, kind);
}

static void set_other(const struct finding *f, struct modeldesc_kind *kind)
{
    kind->mixer = f->rule->other;
    kind->attention_beside = f->rule->beside;
    if (kind->mixer != MODELDESC_ATTENTION)
        kind->window = 0;
    set_heads(f, &f->rule->rest, kind);
}

// Takes one of the parts of models whose layers have either a mixer or a network.
static bool set_block(struct modeldesc_kind *kind, const char *word)
{
    static const struct {
        const char *word;
        enum modeldesc_mixer mixer;
        enum modeldesc_network network;
    } blocks[] = {{"M", MODELDESC_MAMBA2, MODELDESC_NO_NETWORK},
                  {"mamba", MODELDESC_MAMBA2, MODELDESC_NO_NETWORK},
                  {"linear_attention", MODELDESC_MAMBA2, MODELDESC_NO_NETWORK},
                  {"*", MODELDESC_ATTENTION, MODELDESC_NO_NETWORK},
                  {"attention", MODELDESC_ATTENTION, MODELDESC_NO_NETWORK},
                  {"full_attention", MODELDESC_ATTENTION, MODELDESC_NO_NETWORK},
                  {"-", MODELDESC_NO_MIXER, MODELDESC_DENSE},
                  {"mlp", MODELDESC_NO_MIXER, MODELDESC_DENSE},
                  {"E", MODELDESC_NO_MIXER, MODELDESC_EXPERTS},
                  {"moe", MODELDESC_NO_MIXER, MODELDESC_EXPERTS}};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (strcmp(blocks[i].word, word) == 0) {
            *kind = (struct modeldesc_kind){.mixer = blocks[i].mixer,
                                            .network = blocks[i].network,
                                            .layer_norms = 1};
            return true;
        }
    return false;
}

static bool set_word(const struct finding *f, struct modeldesc_kind *kind, const char *word)
{
    const bool windows = f->rule->other == MODELDESC_ATTENTION;
    if (f->rule->blocks)
        return set_block(kind, word);
    if (f->rule->beside) {
        set_other(f, kind);
        return strcmp(word, "hybrid") == 0;
    }
    if (strcmp(word, "full_attention") == 0 || strcmp(word, "attention") == 0) {
        set_full(f, kind);
        return true;
    }
    const bool known = windows ? strcmp(word, "sliding_attention") == 0 ||
                                     strcmp(word, "chunked_attention") == 0
                               : strcmp(word, "linear_attention") == 0 ||
                                     strcmp(word, "mamba") == 0 || strcmp(word, "conv") == 0;
    if (known)
        set_other(f, kind);
    return known;
}

// Takes the word of a layer.
static bool take_word(const struct finding *f, struct modeldesc_kind *kind, int64_t layer)
{
    char sign[2] = "";
    const struct cJSON *item = f->words;
    const char *word = sign;
    if (layer >= modelconfig_words(f->words))
        return pps_fault_set(f->fault, f->words, false,
                             "%s: expected a kind for each of the %lld layers",
                             docfields_name(f->words), (long long)f->record->model.num_layers);
    if (cJSON_IsString(f->words)) {
        sign[0] = f->words->valuestring[layer];
    } else {
        item = cJSON_GetArrayItem(f->words, (int)layer);
        word = cJSON_IsString(item) ? item->valuestring : "";
    }
    return set_word(f, kind, word) ||
           pps_fault_set(f->fault, item, false, "%s: \"%.40s\" is not modelled for %s",
                         docfields_name(f->words), word, f->c->type->name);
}

static enum modeldesc_network network_of(const struct finding *f, int64_t layer)
{
    const struct modelkeys_record *record = f->record;
    const struct modeldesc *m = &record->model;
    if (layer >= m->num_layers && f->rule->mtp_listed)
        return MODELDESC_DENSE;
    const bool sparse = record->mixed ? record->sparse[layer] : layer >= m->dense_layers;
    return m->experts > 0 && sparse ? MODELDESC_EXPERTS : MODELDESC_DENSE;
}

// Heads of a kind share groups of keys, as those of the model.
static bool heads_agree(const struct finding *f, const struct modeldesc_kind *kind)
{
    const struct modeldesc *m = &f->record->model;
    const int64_t heads = kind->heads > 0 ? kind->heads : m->heads;
    const int64_t groups = kind->query_groups > 0 ? kind->query_groups : m->query_groups;
    const int64_t most = (int64_t)modelkeys_own.fields[KEY_HEADS].max;
    if (heads <= most && kind->head_dim <= most && kind->v_dim <= most && heads % groups == 0)
        return true;
    const char *key =
        f->rule->rest.groups != NULL ? f->rule->rest.groups : f->rule->full.groups;
    return pps_fault_set(f->fault, value_at(f->c, key), false,
                         "%s: expected a divisor of the heads, and widths and numbers of heads "
                         "of at most %lld",
                         key, (long long)most);
}

static bool shares_index(const struct finding *f, int64_t layer)
{
    const struct cJSON *word =
        cJSON_GetArrayItem(value_at(f->c, f->rule->indexers), (int)layer);
    return cJSON_IsString(word) && strcmp(word->valuestring, "shared") == 0;
}

static bool find_layer(const struct finding *f, int64_t layer)
{
    struct modeldesc *m = &f->record->model;
    struct modeldesc_kind kind = {.network = network_of(f, layer),
                                  .window = m->window,
                                  .chunked = m->chunked,
                                  .shares_index = shares_index(f, layer)};
    const bool listed = f->rule->mtp_listed && layer < modelconfig_words(f->words);
    const bool mtp = layer >= m->num_layers && !listed;
    if (f->rule->objects != NULL)
        return modelconfig_object(f->c, f->record, layer, f->fault);
    if (f->rule->kinds && (mtp || (f->rule->last_full && layer == m->num_layers - 1)))
        set_full(f, &kind);
    else if (f->rule->kinds && f->words == NULL && is_full(f, layer))
        set_full(f, &kind);
    else if (f->rule->kinds && f->words == NULL)
        set_other(f, &kind);
    else if (f->rule->kinds && !take_word(f, &kind, layer))
        return false;
    if (kind.network == MODELDESC_EXPERTS && m->experts == 0)
        return pps_fault_set(f->fault, f->words, false,
                             "%s: has experts, but their number is 0",
                             docfields_name(f->words));
    if (!heads_agree(f, &kind))
        return false;
    return modeldesc_set_kind(m, layer, &kind) ||
           pps_fault_set(f->fault, f->words != NULL ? f->words : f->c->text, false,
                         "layers: %d kinds of at most %d layers are modelled", MODELDESC_KINDS,
                         MODELDESC_PATTERN);
}

// Clears what the table of kinds says instead, and experts that no layer has.
static void clear_unused(struct modeldesc *m)
{
    bool experts = false;
    m->window = 0;
    m->chunked = false;
    for (int k = 0; k < m->n_kinds; k++)
        experts = experts || m->kinds[k].network == MODELDESC_EXPERTS;
    if (experts)
        return;
    m->experts = m->topk = m->shared_ffn = m->expert_groups = m->routed_groups = 0;
    m->zero_experts = m->moe_latent = 0;
    m->router_bias = m->router_scale = m->shared_gate = false;
    m->dense_layers = m->num_layers;
}

// Returns whether layers differ in heads, too: they do so without windows.
static bool heads_differ(const struct modeltype_layers *rule)
{
    return rule->full.head_dim != NULL || rule->rest.groups != NULL;
}

bool modelconfig_layers(const struct modelconfig *c, struct modelkeys_record *record,
                        struct pps_fault *fault)
{
    struct finding f = {.c = c, .rule = &c->type->layers, .record = record, .fault = fault};
    struct modeldesc *m = &record->model;
    const struct cJSON *enabled = value_at(c, "use_sliding_window");
    const bool off = c->type->windows_if_enabled && !cJSON_IsTrue(enabled);
    const bool windows = f.rule->kinds && f.rule->other == MODELDESC_ATTENTION &&
                         !f.rule->blocks && f.rule->objects == NULL && !heads_differ(f.rule) &&
                         value_at(c, f.rule->indexers) == NULL;
    if (windows && (off || m->window == 0)) {
        m->window = 0;
        m->chunked = false;
        if (!record->mixed)
            return true;
    }
    if (!f.rule->kinds && !record->mixed)
        return true;
    f.words = f.rule->kinds ? modelconfig_layer_words(c) : NULL;
    if ((f.rule->blocks || f.rule->words) && f.words == NULL)
        return pps_fault_set(fault, c->text, false, "%s: missing; it says what each layer is",
                             f.rule->blocks ? "hybrid_override_pattern" : "layer_types");
    if (f.rule->kinds &&
        f.rule->other == MODELDESC_LIGHTNING) { // its heads are those of attention
        m->scan.heads = m->heads;
        m->scan.head_dim = m->head_dim;
    }
    for (int64_t i = 0; i < modeldesc_layers(m); i++)
        if (!find_layer(&f, i))
            return false;
    modeldesc_simplify(m);
    if (m->n_kinds > 0)
        clear_unused(m);
    return true;
}
