// SPDX-License-Identifier: Apache-2.0
// Reads a model: stores its keys in a record, derives the missing values, then checks that all
// values agree.
#include "kernels/common/description/model.h"

#include "kernels/common/description/model_config.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SEQ_LENGTH = 4096, TOPK = 2, QK_NOPE = 128, QK_ROPE = 64, V_DIM = 128 };

struct reader {
    const struct cJSON *object;
    bool hugging;
    struct modelconfig config; // if hugging
    struct docitems items;
    struct modelkeys_record record;
    struct pps_fault *fault;
};

static bool given(const struct reader *r, enum modelkeys_field field)
{
    return r->items.item[field] != NULL;
}

static bool missing(struct reader *r, enum modelkeys_field field, const char *why)
{
    const char *name = r->hugging ? modelconfig_name(&r->config, (int)field) : NULL;
    return pps_fault_set(r->fault, r->object, false, "%s: missing%s",
                         name != NULL ? name : modelkeys_own.fields[field].key, why);
}

// Returns the name of the field in the document.
static const char *name_of(const struct reader *r, enum modelkeys_field field)
{
    const struct cJSON *item = r->items.item[field];
    return item != NULL ? docfields_name(item) : modelkeys_own.fields[field].key;
}

// ---- words ----------------------------------------------------------------------------------

static bool same_word(const char *a, const char *b)
{
    while (*a != '\0' && tolower((unsigned char)*a) == tolower((unsigned char)*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

// Returns the index of the item's text among the words, which end with NULL; -1: not found.
static int word_of(const struct cJSON *item, const char *const *words)
{
    for (int i = 0; cJSON_IsString(item) && words[i] != NULL; i++)
        if (same_word(item->valuestring, words[i]))
            return i;
    return -1;
}

// Text that fits in a table: no control characters.
static bool is_name(const struct cJSON *item, size_t cap)
{
    if (!cJSON_IsString(item) || strlen(item->valuestring) >= cap)
        return false;
    for (const char *c = item->valuestring; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return false;
    return true;
}

// The name in a config.json is written for other tools; an invalid name is ignored there.
static bool read_name(struct reader *r)
{
    struct modeldesc *model = &r->record.model;
    const struct cJSON *item = r->items.item[KEY_NAME];
    if (r->hugging && (!is_name(item, sizeof model->name) || item->valuestring[0] == '\0')) {
        snprintf(model->name, sizeof model->name, "%s", r->config.type->name);
        return true;
    }
    if (is_name(item, sizeof model->name))
        memcpy(model->name, item->valuestring, strlen(item->valuestring) + 1);
    else if (item != NULL && !r->hugging)
        return pps_fault_set(r->fault, item, false, "name: expected text of at most %zu bytes",
                             sizeof model->name - 1);
    return true;
}

static bool read_norm(struct reader *r)
{
    static const struct {
        const char *word;
        enum modeldesc_norm norm;
    } words[] = {{"rms", MODELDESC_RMS},
                 {"rmsnorm", MODELDESC_RMS},
                 {"layer", MODELDESC_LAYER},
                 {"layernorm", MODELDESC_LAYER},
                 {"layer_no_bias", MODELDESC_LAYER_NO_BIAS},
                 {"fixed", MODELDESC_FIXED}};
    const struct cJSON *item = r->items.item[KEY_NORM];
    if (item == NULL)
        return true;
    for (size_t i = 0; cJSON_IsString(item) && i < sizeof words / sizeof *words; i++)
        if (same_word(item->valuestring, words[i].word)) {
            r->record.model.norm = words[i].norm;
            return true;
        }
    return pps_fault_set(r->fault, item, false,
                         "%s: expected \"rms\", \"layer\", \"layer_no_bias\" or \"fixed\"",
                         docfields_name(item));
}

// ---- attention ------------------------------------------------------------------------------

static bool derive_heads(struct reader *r)
{
    struct modeldesc *model = &r->record.model;
    if (model->query_groups == 0 || (given(r, KEY_GROUPED) && !r->record.grouped))
        model->query_groups = model->heads;
    if (model->heads % model->query_groups != 0)
        return pps_fault_set(r->fault, r->items.item[KEY_QUERY_GROUPS], false,
                             "%s: expected a divisor of %s, %lld", name_of(r, KEY_QUERY_GROUPS),
                             name_of(r, KEY_HEADS), (long long)model->heads);
    if (model->head_dim == 0)
        model->head_dim = model->hidden / model->heads;
    if (model->head_dim < 1)
        return pps_fault_set(r->fault, r->items.item[KEY_HEADS], false,
                             "%s: greater than %s; give the width of a head as head_dim",
                             name_of(r, KEY_HEADS), name_of(r, KEY_HIDDEN));
    return true;
}

// Decided by "attention", else by multi_latent_attention, else by the presence of a key-value rank.
static bool read_attention(struct reader *r)
{
    static const char *const words[] = {"gqa", "mla", NULL};
    const struct cJSON *item = r->items.item[KEY_ATTENTION];
    bool mla = given(r, KEY_COMPRESSED) ? r->record.compressed : r->record.model.kv_rank > 0;
    const int word = word_of(item, words);
    if (item != NULL && word < 0)
        return pps_fault_set(r->fault, item, false, "attention: expected \"gqa\" or \"mla\"");
    if (word >= 0 && given(r, KEY_COMPRESSED) && mla != (word == 1))
        return pps_fault_set(r->fault, item, false,
                             "attention: is \"%s\", but multi_latent_attention is %s",
                             words[word], mla ? "true" : "false");
    if (word >= 0)
        mla = word == 1;
    r->record.model.attention = mla ? MODELDESC_MLA : MODELDESC_GQA;
    return true;
}

static bool derive_compression(struct reader *r)
{
    struct modeldesc *model = &r->record.model;
    if (model->attention == MODELDESC_GQA) {
        model->q_rank = model->kv_rank = 0;
        model->qk_nope = model->qk_rope = model->v_dim = 0;
        return model->index_heads == 0 ||
               pps_fault_set(r->fault, r->items.item[KEY_INDEX_HEADS], false,
                             "%s: an indexer is modelled for compressed attention only; make "
                             "it 0, or give kv_lora_rank",
                             name_of(r, KEY_INDEX_HEADS));
    }
    if (model->index_heads > 0 && (model->index_dim == 0 || model->index_topk == 0))
        return missing(r, model->index_dim == 0 ? KEY_INDEX_DIM : KEY_INDEX_TOPK,
                       "; the indexer needs it");
    if (model->kv_rank == 0)
        return missing(r, KEY_KV_RANK, "; \"mla\" attention needs it");
    if (model->qk_nope + model->qk_rope < 1)
        return pps_fault_set(r->fault, r->items.item[KEY_QK_NOPE], false,
                             "%s: is 0, and %s is 0; make one of them greater than 0",
                             name_of(r, KEY_QK_NOPE), name_of(r, KEY_QK_ROPE));
    return true;
}

// ---- feed-forward networks ------------------------------------------------------------------

// The rule of Llama's published code: a multiple of two thirds, rounded up.
static bool multiply_ffn(struct reader *r)
{
    struct modeldesc *model = &r->record.model;
    const int64_t multiple = r->record.multiple_of;
    const double width = floor(r->record.ffn_multiplier * (double)(2 * model->ffn / 3));
    const double wide = ceil(width / (double)multiple) * (double)multiple;
    const struct docfield *field = &modelkeys_own.fields[KEY_FFN];
    if (!(wide >= field->min && wide <= field->max))
        return pps_fault_set(r->fault, r->items.item[KEY_FFN_MULTIPLIER], false,
                             "%s: makes ffn_hidden_size %.0f; expected %.0f ... %.0f",
                             name_of(r, KEY_FFN_MULTIPLIER), wide, field->min, field->max);
    model->ffn = (int64_t)wide;
    return true;
}

static bool derive_ffn(struct reader *r)
{
    struct modeldesc *model = &r->record.model;
    const bool multiplier = given(r, KEY_FFN_MULTIPLIER), multiple = given(r, KEY_MULTIPLE_OF);
    if (model->ffn == 0)
        model->ffn = 4 * model->hidden;
    if (multiplier && multiple)
        return multiply_ffn(r);
    if (multiplier)
        return missing(r, KEY_MULTIPLE_OF, "; ffn_dim_multiplier needs it (1: no rounding)");
    if (multiple)
        return missing(r, KEY_FFN_MULTIPLIER, "; multiple_of needs it (1 changes no width)");
    return true;
}

static void forget_experts(struct modeldesc *model)
{
    model->experts = model->topk = model->moe_ffn = model->shared_ffn = 0;
    model->expert_groups = model->routed_groups = model->zero_experts = model->moe_latent = 0;
    model->dense_layers = model->num_layers;
    model->router_bias = model->router_scale = model->shared_gate = false;
}

static bool derive_shared(struct reader *r)
{
    struct modeldesc *model = &r->record.model;
    const int64_t width = r->record.shared_experts * model->moe_ffn;
    const bool number = given(r, KEY_SHARED_EXPERTS) || r->record.shared_experts > 0;
    if (given(r, KEY_SHARED_EXPERTS) && given(r, KEY_SHARED_FFN) && width != model->shared_ffn)
        return pps_fault_set(r->fault, r->items.item[KEY_SHARED_FFN], false,
                             "%s: %s experts of %s are %lld wide; remove one of these keys",
                             name_of(r, KEY_SHARED_FFN), name_of(r, KEY_SHARED_EXPERTS),
                             name_of(r, KEY_MOE_FFN), (long long)width);
    if (number)
        model->shared_ffn = width;
    const bool is_given = number || given(r, KEY_SHARED_FFN) || model->shared_ffn > 0;
    model->shared_given = is_given ? model->shared_ffn : -1;
    return true;
}

static bool derive_experts(struct reader *r)
{
    struct modeldesc *model = &r->record.model;
    if (model->dense_layers > model->num_layers)
        return pps_fault_set(r->fault, r->items.item[KEY_DENSE_LAYERS], false,
                             "%s: expected a whole number 0 ... %lld, which %s is",
                             name_of(r, KEY_DENSE_LAYERS), (long long)model->num_layers,
                             name_of(r, KEY_NUM_LAYERS));
    const bool dense_given = given(r, KEY_DENSE_LAYERS) || model->dense_layers > 0;
    model->dense_given = dense_given ? model->dense_layers : -1;
    if (model->moe_ffn == 0)
        model->moe_ffn = model->ffn;
    if (!derive_shared(r))
        return false;
    if (model->experts == 0) {
        forget_experts(model);
        return true;
    }
    if (model->topk == 0 && r->hugging)
        return missing(r, KEY_TOPK, "");
    if (model->topk == 0)
        model->topk = model->experts < TOPK ? model->experts : TOPK;
    if (model->topk > model->experts)
        return pps_fault_set(r->fault, r->items.item[KEY_TOPK], false,
                             "%s: expected a whole number 1 ... %lld, which %s is",
                             name_of(r, KEY_TOPK), (long long)model->experts,
                             name_of(r, KEY_EXPERTS));
    if (model->routed_groups > model->expert_groups)
        return pps_fault_set(r->fault, r->items.item[KEY_ROUTED_GROUPS], false,
                             "%s: expected a whole number 0 ... %lld, which %s is",
                             name_of(r, KEY_ROUTED_GROUPS), (long long)model->expert_groups,
                             name_of(r, KEY_EXPERT_GROUPS));
    return true;
}

// ---- the rest -------------------------------------------------------------------------------

static bool read_positions(struct reader *r)
{
    struct modeldesc *model = &r->record.model;
    const struct cJSON *item = r->items.item[KEY_LEARNED];
    const double most = modelkeys_own.fields[KEY_MAX_POSITIONS].max;
    const int64_t all =
        given(r, KEY_MAX_POSITIONS) ? r->record.max_positions : model->seq_length;
    if (item == NULL)
        return true;
    if (cJSON_IsBool(item)) {
        model->positions = cJSON_IsTrue(item) ? all : 0;
        return true;
    }
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble <= most) ||
        floor(item->valuedouble) < item->valuedouble)
        return pps_fault_set(r->fault, item, false,
                             "%s: expected true, false or a whole number 0 ... %.0f",
                             docfields_name(item), most);
    model->positions = (int64_t)item->valuedouble;
    return true;
}

// Bounds all sums of modeldesc_count, so that they cannot overflow.
static double at_most(const struct modeldesc *m)
{
    const struct modeldesc_scan *s = &m->scan;
    const double inner = (double)s->heads * (double)s->head_dim;
    const double keys = (double)s->groups * (double)s->state;
    const double small = 8 * (double)(s->rank + s->state + s->conv + s->head_dim + 8);
    const double h = (double)m->hidden, ranks = (double)(m->q_rank + m->kv_rank);
    const double heads =
        (double)m->heads * (double)(m->head_dim + m->qk_nope + m->qk_rope + m->v_dim) +
        (double)m->index_heads * (double)(m->index_dim + 1) + (double)m->index_dim;
    const double experts = (double)m->experts * (double)(m->moe_ffn + 2) +
                           (double)(m->zero_experts + m->moe_latent);
    const double width = 4 * (double)(m->ffn + m->shared_ffn) + 4 * (experts + heads + ranks) +
                         8 * (inner + keys);
    const double layers = (double)(m->num_layers + m->mtp_depth + 1);
    return layers * (h + (double)m->moe_latent + ranks + 8) * (width + 4 * h + 1024) +
           layers * small * (inner + keys + h) +
           (2 * (double)m->vocab + (double)m->positions + 2) * (h + 1);
}

static bool check_size(struct reader *r)
{
    const double most = 4611686018427387904.0; // 2^62
    const struct modeldesc *model = &r->record.model;
    double size = at_most(model);
    for (int k = 0; k < model->n_kinds; k++) {
        struct modeldesc view;
        modeldesc_view(model, k, &view);
        view.experts = model->experts;
        size = fmax(size, at_most(&view));
    }
    if (size < most)
        return true;
    return pps_fault_set(r->fault, r->object, false,
                         "the model has more than 2^62 parameters; make a width smaller");
}

static bool derive_flags(struct reader *r)
{
    struct modeldesc *model = &r->record.model;
    const bool all = model->attention_bias && model->output_bias && model->ffn_bias;
    if (r->hugging && all && model->attention == MODELDESC_GQA)
        model->linear_bias = true;
    if (!r->hugging && !given(r, KEY_QK_NORM))
        model->qk_norm = model->qk_norm_full;
    model->qk_norm_full = model->qk_norm_full && model->qk_norm;
    if (!r->hugging && !given(r, KEY_GATED))
        model->gated = model->experts > 0 || model->norm == MODELDESC_RMS;
    return true;
}

static bool read_layers(struct reader *r)
{
    if (r->hugging) {
        r->record.model.image_tower =
            modelconfig_image_tower(&r->config, r->record.model.hidden);
        r->record.model.audio_tower =
            modelconfig_audio_tower(&r->config, r->record.model.hidden);
        return modelconfig_layers(&r->config, &r->record, r->fault);
    }
    return modelkeys_read_layers(&r->record.model, r->items.item[KEY_LAYER_KINDS],
                                 r->items.item[KEY_LAYER_PATTERN], r->fault);
}

static bool derive_vocab(struct reader *r)
{
    if (given(r, KEY_PADDED_VOCAB))
        r->record.model.vocab = r->record.padded_vocab;
    r->record.model.seq_given = given(r, KEY_SEQ_LENGTH);
    return true;
}

static bool check_required(struct reader *r)
{
    const struct modeldesc *model = &r->record.model;
    if (model->num_layers == 0)
        return missing(r, KEY_NUM_LAYERS, "");
    if (model->hidden == 0)
        return missing(r, KEY_HIDDEN, "");
    if (model->heads == 0)
        return missing(r, KEY_HEADS, "");
    if (model->vocab == 0 && r->record.padded_vocab == 0)
        return missing(r, KEY_VOCAB, "");
    return true;
}

// ---- whole models ---------------------------------------------------------------------------

static struct modelkeys_record silent_record(void)
{
    return (struct modelkeys_record){
        .model = {.seq_length = SEQ_LENGTH,
                  .layer_norms = MODELKEYS_LAYER_NORMS,
                  .qk_nope = QK_NOPE,
                  .qk_rope = QK_ROPE,
                  .v_dim = V_DIM},
    };
}

static bool take(struct reader *r)
{
    r->record = silent_record();
    if (r->hugging)
        return modelconfig_take(&r->config, &r->items, &r->record, r->fault) &&
               check_required(r);
    return docfields_find(&modelkeys_own, r->object, false, &r->items, r->fault) &&
           docfields_store(&modelkeys_own, &r->items, &r->record, r->fault) &&
           check_required(r);
}

bool modeldesc_read(struct modeldesc *model, const struct cJSON *document,
                    struct pps_fault *fault)
{
    static bool (*const steps[])(struct reader * r) = {
        take,           read_name,          read_norm,  derive_vocab,   derive_heads,
        read_attention, derive_compression, derive_ffn, derive_experts, derive_flags,
        read_positions, read_layers,        check_size,
    };
    struct reader r = {.object = document,
                       .hugging = modeldesc_is_config(document),
                       .fault = fault};
    if (r.hugging && !modelconfig_open(&r.config, document, fault))
        return false;
    if (r.hugging)
        r.object = r.config.text;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (!steps[i](&r))
            return false;
    *model = r.record.model;
    return true;
}

const struct docfields *modeldesc_keys(void)
{
    return &modelkeys_own;
}
