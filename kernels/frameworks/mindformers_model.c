// SPDX-License-Identifier: Apache-2.0
// Reads the shape of the model from a MindFormers configuration.
#include "kernels/frameworks/mindformers_private.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { NAMES_MAX = 6 };

// Names of one value: of our own documents, and of MindFormers (releases, model families).
struct row {
    const char *own;
    const char *names[NAMES_MAX];
    bool above_zero; // 0 means that the model does not have it
};

static const struct row rows[] = {
    {"num_layers", {"num_layers", "num_hidden_layers", "n_layer"}, true},
    {"mtp_depth", {"mtp_depth", "num_nextn_predict_layers", "mtp_num_layers"}, false},
    {"hidden_size", {"hidden_size", "n_embd", "d_model"}, false},
    {"num_attention_heads", {"num_heads", "num_attention_heads", "n_head", "n_heads"}, true},
    {"num_query_groups", {"n_kv_heads", "num_key_value_heads", "num_query_groups"}, true},
    {"head_dim", {"head_dim", "kv_channels"}, true},
    {"ffn_hidden_size", {"intermediate_size", "ffn_hidden_size", "d_ff"}, true},
    {"vocab_size", {"vocab_size"}, false},
    {"padded_vocab_size", {"padded_vocab_size"}, true},
    {"seq_length", {"seq_length"}, false},
    {"tie_embeddings", {"tie_word_embeddings"}, false},
    {"multi_latent_attention", {"multi_latent_attention"}, false},
    {"q_lora_rank", {"q_lora_rank"}, false},
    {"kv_lora_rank", {"kv_lora_rank"}, true},
    {"qk_nope_head_dim", {"qk_nope_head_dim", "qk_head_dim"}, false},
    {"qk_rope_head_dim", {"qk_rope_head_dim", "qk_pos_emb_head_dim"}, false},
    {"v_head_dim", {"v_head_dim"}, true},
    {"attention_bias", {"qkv_has_bias", "add_qkv_bias", "attention_bias"}, false},
    {"linear_bias", {"add_bias_linear", "has_bias"}, false},
    {"qk_norm", {"qk_layernorm", "use_qk_norm", "qk_norm"}, false},
};

static const struct row experts[] = {
    {"num_experts",
     {"expert_num", "num_experts", "n_routed_experts", "num_moe_experts", "num_local_experts"},
     true},
    {"topk", {"num_experts_chosen", "num_experts_per_tok", "moe_router_topk"}, true},
    {"moe_intermediate_size", {"moe_intermediate_size", "moe_ffn_hidden_size"}, true},
    {"shared_expert_intermediate_size",
     {"moe_shared_expert_intermediate_size", "shared_expert_intermediate_size"},
     false},
    {"n_shared_experts",
     {"shared_expert_num", "n_shared_experts", "num_shared_experts"},
     false},
    {"first_k_dense_replace", {"first_k_dense_replace"}, false},
    {"router_bias", {"balance_via_topk_bias", "moe_router_enable_expert_bias"}, false},
};

enum { N_ROWS = sizeof rows / sizeof *rows, N_EXPERTS = sizeof experts / sizeof *experts };

// Objects in which the file may describe the model. The last two describe experts only.
static const char *const objects[] = {MINDFORMERS_MODEL_OBJECTS,
                                      "model.model_config.moe_config", "moe_config"};

enum { N_MODEL_OBJECTS = 2, N_OBJECTS = 4 };

// ---- values -------------------------------------------------------------------------------------

static bool is_value(const struct row *row, const cJSON *item)
{
    if (item == NULL || cJSON_IsNull(item))
        return false;
    return !row->above_zero || !cJSON_IsNumber(item) || item->valuedouble != 0;
}

// A file has one expert where it describes no experts.
static bool is_default(const struct row *row, const cJSON *item)
{
    return row == &experts[0] && cJSON_IsNumber(item) && item->valuedouble <= 1;
}

// Finds the value of a row. Returns false with a fault if the file has different values.
static bool find_row(struct mindformers_reader *m, const struct row *row, int n_objects,
                     const cJSON **item)
{
    *item = NULL;
    for (int o = 0; o < n_objects; o++) {
        const cJSON *object = yaml_get(m->doc, objects[o]);
        for (int k = 0; k < NAMES_MAX && row->names[k] != NULL; k++) {
            const cJSON *other = pps_json_member(object, row->names[k]);
            if (!is_value(row, other))
                continue;
            if (!mindformers_use(m, other))
                return false;
            if (*item == NULL || is_default(row, *item))
                *item = other;
            else if (!is_default(row, other) && !cJSON_Compare(*item, other, true))
                return mindformers_fail(
                    m, other, "%s contradicts %s in line %d, which means the same",
                    other->string, (*item)->string, mindformers_line(m, *item));
        }
    }
    return true;
}

static bool put_copy(struct mindformers_reader *m, const char *own, const cJSON *item)
{
    return framework_put(m->r, FRAMEWORK_MODEL, own, cJSON_Duplicate(item, true),
                         mindformers_at(m, item));
}

static bool has_own(const struct mindformers_reader *m, const char *own)
{
    return framework_get(m->r, FRAMEWORK_MODEL, own) != NULL;
}

static bool put_flag(struct mindformers_reader *m, const char *own, bool value,
                     const cJSON *item)
{
    return mindformers_use(m, item) &&
           framework_put_bool(m->r, FRAMEWORK_MODEL, own, value, mindformers_at(m, item));
}

// ---- feed-forward networks ----------------------------------------------------------------------

static double number_or(const cJSON *item, double otherwise)
{
    return cJSON_IsNumber(item) ? item->valuedouble : otherwise;
}

enum { MULTIPLIER_MAX = 64 }; // a larger multiplier is the width itself, as in Telechat's files

// The rule of the Llama family: two thirds of four times the width, rounded up.
static double llama_width(double hidden, double multiplier, double multiple)
{
    double width = 4 * hidden;
    if (multiplier > MULTIPLIER_MAX)
        return multiplier;
    if (multiplier > 0)
        width = floor((multiplier + 0.01) * width);
    width = floor(2 * width / 3);
    return ceil(width / multiple) * multiple;
}

// The width where the file does not have it.
static bool derive_width(struct mindformers_reader *m)
{
    const cJSON *hidden = framework_get(m->r, FRAMEWORK_MODEL, "hidden_size");
    const cJSON *multiplier = mindformers_member(m, "ffn_dim_multiplier");
    const cJSON *multiple = mindformers_member(m, "multiple_of"),
                *ratio = mindformers_member(m, "expand_ratio");
    const cJSON *at = multiplier != NULL ? multiplier : multiple != NULL ? multiple : ratio;
    if (has_own(m, "ffn_hidden_size") || !cJSON_IsNumber(hidden))
        return true;
    double width = floor(number_or(ratio, 4) * hidden->valuedouble);
    if (multiplier != NULL || multiple != NULL || mindformers_is_llama(m)) {
        if (number_or(multiple, 256) < 1 || number_or(multiplier, 1) <= 0)
            return mindformers_fail(m, at, "%s: expected a number above 0", at->string);
        width = llama_width(hidden->valuedouble, number_or(multiplier, 0),
                            number_or(multiple, 256));
    }
    const cJSON *used[] = {multiplier, multiple, ratio};
    for (int k = 0; k < 3; k++)
        if (used[k] != NULL && !mindformers_use(m, used[k]))
            return false;
    return framework_put_number(m->r, FRAMEWORK_MODEL, "ffn_hidden_size", width,
                                mindformers_at(m, at));
}

// ---- families -----------------------------------------------------------------------------------

static bool is_plain_activation(const cJSON *item)
{
    return cJSON_IsString(item) && strcasestr(item->valuestring, "glu") == NULL &&
           (strcasestr(item->valuestring, "gelu") != NULL ||
            strcasestr(item->valuestring, "relu") != NULL);
}

static bool read_gate(struct mindformers_reader *m)
{
    const cJSON *gated = mindformers_member(m, "gated_linear_unit");
    const cJSON *activation = mindformers_member(m, "hidden_act");
    if (cJSON_IsBool(gated))
        return put_flag(m, "gated_ffn", cJSON_IsTrue(gated), gated);
    if (is_plain_activation(activation))
        return put_flag(m, "gated_ffn", false, activation);
    return true;
}

static bool read_norm(struct mindformers_reader *m)
{
    const cJSON *norm = mindformers_member(m, "normalization"),
                *rms = mindformers_member(m, "rmsnorm");
    const cJSON *at = norm != NULL ? norm : rms;
    bool layer = mindformers_is_classic(m);
    if (cJSON_IsString(norm))
        layer = strcasestr(norm->valuestring, "rms") == NULL;
    else if (cJSON_IsBool(rms))
        layer = cJSON_IsFalse(rms);
    if (at != NULL && !mindformers_use(m, at))
        return false;
    return framework_put_text(
        m->r, FRAMEWORK_MODEL, "norm", layer ? "layer" : "rms",
        mindformers_at(m, at != NULL ? at : mindformers_member(m, "type")));
}

static bool read_family(struct mindformers_reader *m)
{
    const cJSON *type = mindformers_member(m, "type");
    if (!read_gate(m) || !read_norm(m))
        return false;
    if (!mindformers_is_classic(m))
        return true;
    return (has_own(m, "gated_ffn") || put_flag(m, "gated_ffn", false, type)) &&
           (has_own(m, "linear_bias") || put_flag(m, "linear_bias", true, type));
}

static bool read_tie(struct mindformers_reader *m)
{
    const cJSON *untie = mindformers_member(m, "untie_embeddings_and_output_weights");
    if (has_own(m, "tie_embeddings") || !cJSON_IsBool(untie))
        return true;
    return put_flag(m, "tie_embeddings", cJSON_IsFalse(untie), untie);
}

// Groups of queries in ChatGLM.
static bool read_groups(struct mindformers_reader *m)
{
    const cJSON *groups = mindformers_member(m, "multi_query_group_num");
    if (has_own(m, "num_query_groups") || groups == NULL ||
        !cJSON_IsTrue(mindformers_member(m, "multi_query_attention")))
        return true;
    return mindformers_use(m, groups) && put_copy(m, "num_query_groups", groups);
}

// ---- experts ------------------------------------------------------------------------------------

// moe_layer_freq as a list says for every layer whether it has experts: 0, ..., 0, 1, ..., 1.
static bool read_frequency(struct mindformers_reader *m)
{
    const cJSON *list = mindformers_member(m, "moe_layer_freq"), *item;
    int n_dense = 0;
    bool sparse = false, alternates = cJSON_IsNumber(list) && list->valuedouble > 1;
    cJSON_ArrayForEach (item, list) {
        const bool has = cJSON_IsNumber(item) && item->valuedouble > 0;
        alternates |= sparse && !has;
        sparse |= has;
        n_dense += !sparse;
    }
    if (alternates)
        return mindformers_fail(m, list,
                                "moe_layer_freq: all layers after the first layer with "
                                "experts must have experts");
    if (!cJSON_IsArray(list) || has_own(m, "first_k_dense_replace"))
        return list == NULL || mindformers_use(m, list);
    return mindformers_use(m, list) &&
           framework_put_number(m->r, FRAMEWORK_MODEL, "first_k_dense_replace", n_dense,
                                mindformers_at(m, list));
}

static bool read_experts(struct mindformers_reader *m)
{
    const cJSON *item;
    if (!find_row(m, &experts[0], N_OBJECTS, &item))
        return false;
    if (item == NULL || is_default(&experts[0], item))
        return true;
    for (int k = 0; k < N_EXPERTS; k++) {
        if (!find_row(m, &experts[k], N_OBJECTS, &item) ||
            (item != NULL && !put_copy(m, experts[k].own, item)))
            return false;
    }
    return read_frequency(m);
}

// ---- the model ----------------------------------------------------------------------------------

static bool is_name(const char *text)
{
    for (const char *c = text; *c != '\0'; c++)
        if (!isprint((unsigned char)*c))
            return false;
    return *text != '\0' && strlen(text) < 64;
}

static bool read_name(struct mindformers_reader *m)
{
    const cJSON *name;
    if (!mindformers_find(m, MF_NAME, &name))
        return false;
    return !cJSON_IsString(name) || !is_name(name->valuestring) || put_copy(m, "name", name);
}

bool mindformers_read_model(struct mindformers_reader *m)
{
    const cJSON *item;
    // A file without a shape belongs to a model in its own document (pretrained_model_dir).
    if (!find_row(m, &rows[0], N_MODEL_OBJECTS, &item))
        return false;
    if (!mindformers_check_shape(m) ||
        (item == NULL && mindformers_member(m, "hidden_size") == NULL))
        return true;
    for (int k = 0; k < N_ROWS; k++)
        if (!find_row(m, &rows[k], N_MODEL_OBJECTS, &item) ||
            (item != NULL && !put_copy(m, rows[k].own, item)))
            return false;
    item = mindformers_member(m, "embedding_size"); // the width in BERT and GPT
    if (item != NULL && !has_own(m, "hidden_size") &&
        !(mindformers_use(m, item) && put_copy(m, "hidden_size", item)))
        return false;
    return mindformers_name_type(m) && read_tie(m) && read_groups(m) && read_family(m) &&
           derive_width(m) && read_experts(m) && read_name(m);
}
