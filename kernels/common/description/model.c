// SPDX-License-Identifier: Apache-2.0
// Reads a model: stores its keys in a record, derives the missing values, then checks that all
// values agree.
#include "kernels/common/description/model.h"

#include "kernels/common/description/model_keys.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <string.h>

enum { SEQ_LENGTH = 4096, TOPK = 2, QK_NOPE = 128, QK_ROPE = 64, V_DIM = 128 };

struct reader {
    const struct cJSON *object;
    bool hugging;
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
    return pps_fault_set(r->fault, r->object, false, "%s: missing%s",
                         modelkeys_own.fields[field].key, why);
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
    if (r->hugging && !is_name(item, sizeof model->name))
        item = r->items.item[KEY_MODEL_TYPE];
    if (is_name(item, sizeof model->name))
        memcpy(model->name, item->valuestring, strlen(item->valuestring) + 1);
    else if (item != NULL && !r->hugging)
        return pps_fault_set(r->fault, item, false, "name: expected text of at most %zu bytes",
                             sizeof model->name - 1);
    return true;
}

static bool read_norm(struct reader *r)
{
    static const char *const words[] = {"rms", "rmsnorm", "layer", "layernorm", NULL};
    const struct cJSON *item = r->items.item[KEY_NORM];
    const int word = word_of(item, words);
    if (item == NULL)
        return true;
    if (word < 0)
        return pps_fault_set(r->fault, item, false, "%s: expected \"rms\" or \"layer\"",
                             docfields_name(item));
    r->record.model.norm = word < 2 ? MODELDESC_RMS : MODELDESC_LAYER;
    return true;
}

// ---- attention ------------------------------------------------------------------------------

static bool derive_heads(struct reader *r)
{
    struct modeldesc *model = &r->record.model;
    if (!given(r, KEY_QUERY_GROUPS) || (given(r, KEY_GROUPED) && !r->record.grouped))
        model->query_groups = model->heads;
    if (model->heads % model->query_groups != 0)
        return pps_fault_set(r->fault, r->items.item[KEY_QUERY_GROUPS], false,
                             "%s: expected a divisor of %s, %lld", name_of(r, KEY_QUERY_GROUPS),
                             name_of(r, KEY_HEADS), (long long)model->heads);
    if (!given(r, KEY_HEAD_DIM))
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
    bool mla = given(r, KEY_COMPRESSED) ? r->record.compressed : given(r, KEY_KV_RANK);
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
        return true;
    }
    if (!given(r, KEY_KV_RANK))
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
    if (!given(r, KEY_FFN))
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
    model->expert_groups = model->routed_groups = 0;
    model->dense_layers = model->num_layers;
    model->router_bias = false;
}

static bool derive_shared(struct reader *r)
{
    struct modeldesc *model = &r->record.model;
    const int64_t width = r->record.shared_experts * model->moe_ffn;
    const bool number = given(r, KEY_SHARED_EXPERTS);
    if (number && given(r, KEY_SHARED_FFN) && width != model->shared_ffn)
        return pps_fault_set(r->fault, r->items.item[KEY_SHARED_FFN], false,
                             "%s: %s experts of %s are %lld wide; remove one of these keys",
                             name_of(r, KEY_SHARED_FFN), name_of(r, KEY_SHARED_EXPERTS),
                             name_of(r, KEY_MOE_FFN), (long long)width);
    if (number)
        model->shared_ffn = width;
    model->shared_given = number || given(r, KEY_SHARED_FFN) ? model->shared_ffn : -1;
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
    model->dense_given = given(r, KEY_DENSE_LAYERS) ? model->dense_layers : -1;
    if (!given(r, KEY_MOE_FFN))
        model->moe_ffn = model->ffn;
    if (!derive_shared(r))
        return false;
    if (model->experts == 0) {
        forget_experts(model);
        return true;
    }
    if (!given(r, KEY_TOPK) && model->experts < TOPK)
        model->topk = model->experts;
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
    const double h = (double)m->hidden, ranks = (double)(m->q_rank + m->kv_rank);
    const double heads =
        (double)m->heads * (double)(m->head_dim + m->qk_nope + m->qk_rope + m->v_dim);
    const double experts = (double)m->experts * (double)(m->moe_ffn + 2);
    const double width = 4 * (double)(m->ffn + m->shared_ffn) + 4 * (experts + heads + ranks);
    const double layers = (double)(m->num_layers + m->mtp_depth + 1);
    return layers * (h + ranks + 8) * (width + 4 * h + 1024) +
           (2 * (double)m->vocab + (double)m->positions) * h;
}

static bool check_size(struct reader *r)
{
    const double most = 4611686018427387904.0; // 2^62
    if (at_most(&r->record.model) < most)
        return true;
    return pps_fault_set(r->fault, r->object, false,
                         "the model has more than 2^62 parameters; make a width smaller");
}

static bool derive_gated(struct reader *r)
{
    struct modeldesc *model = &r->record.model;
    if (!given(r, KEY_GATED) && !r->hugging)
        model->gated = model->experts > 0 || model->norm == MODELDESC_RMS;
    return true;
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
    static const enum modelkeys_field required[] = {KEY_NUM_LAYERS, KEY_HIDDEN, KEY_HEADS};
    for (size_t i = 0; i < sizeof required / sizeof *required; i++)
        if (!given(r, required[i]))
            return missing(r, required[i], "");
    if (!given(r, KEY_VOCAB) && !given(r, KEY_PADDED_VOCAB))
        return missing(r, KEY_VOCAB, "");
    return true;
}

// ---- config.json ----------------------------------------------------------------------------

static bool has_gate(const struct cJSON *activation)
{
    static const char *const words[] = {"silu", "swish", "swiglu", "geglu", NULL};
    return activation == NULL || word_of(activation, words) >= 0;
}

static void assume_type(struct reader *r)
{
    const struct cJSON *item = r->items.item[KEY_MODEL_TYPE];
    const char *name = cJSON_IsString(item) ? item->valuestring : NULL;
    const struct modelkeys_type *type = modelkeys_type_of(name);
    struct modeldesc *model = &r->record.model;
    if (!given(r, KEY_ATTENTION_BIAS))
        model->attention_bias = type->qkv_bias;
    else if (!given(r, KEY_OUTPUT_BIAS))
        model->output_bias = model->attention_bias && type->output_bias;
    if (!given(r, KEY_LINEAR_BIAS))
        model->linear_bias = type->linear_bias;
    if (!given(r, KEY_NORM))
        model->norm = type->layer_norm ? MODELDESC_LAYER : MODELDESC_RMS;
    if (!given(r, KEY_TIED))
        model->tied = type->tied;
    if (!given(r, KEY_QK_NORM))
        model->qk_norm = type->qk_norm;
    if (!given(r, KEY_ROUTER_BIAS))
        model->router_bias = type->router_bias;
    if (!given(r, KEY_GATED))
        model->gated =
            !type->layer_norm && (type->gated || has_gate(r->items.item[KEY_HIDDEN_ACT]));
    if (!given(r, KEY_LEARNED) && type->learned)
        model->positions =
            given(r, KEY_MAX_POSITIONS) ? r->record.max_positions : model->seq_length;
}

// ---- whole models ---------------------------------------------------------------------------

static struct modelkeys_record silent_record(void)
{
    return (struct modelkeys_record){
        .model = {.seq_length = SEQ_LENGTH,
                  .topk = TOPK,
                  .qk_nope = QK_NOPE,
                  .qk_rope = QK_ROPE,
                  .v_dim = V_DIM},
    };
}

static bool take(struct reader *r)
{
    const struct docfields *table = r->hugging ? &modelkeys_hugging : &modelkeys_own;
    r->record = silent_record();
    if (!docfields_find(table, r->object, r->hugging, &r->items, r->fault))
        return false;
    if (!docfields_store(table, &r->items, &r->record, r->fault) || !check_required(r))
        return false;
    if (!r->hugging)
        return true;
    assume_type(r);
    return modelconfig_check(r->object, r->fault);
}

bool modeldesc_read(struct modeldesc *model,
                    const struct cJSON *document,
                    struct pps_fault *fault)
{
    static bool (*const steps[])(struct reader * r) = {
        take,           read_name,      read_norm,          derive_vocab,
        derive_heads,   read_attention, derive_compression, derive_ffn,
        derive_experts, derive_gated,   read_positions,     check_size,
    };
    struct reader r = {.hugging = modeldesc_is_config(document), .fault = fault};
    r.object = r.hugging ? modelconfig_text(document) : document;
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
