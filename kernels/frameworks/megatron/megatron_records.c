// SPDX-License-Identifier: Apache-2.0
// Collects the values of records of Python as Megatron Bridge and NeMo 2 write them: maps that name
// their class as _target_. What such a file does not give has the value of the class. The defaults of the
// general classes are those of the arguments of Megatron-LM, except for a few (take_defaults); those of other
// classes are not known here: such a file is accepted only if it gives everything that describes the shape.
#include "kernels/frameworks/megatron/megatron_private.h"

#include <stdio.h>
#include <string.h>

static const char class_key[] = "_target_";

// ---- the record of the model -----------------------------------------------------------------

// What must be there, with null for nothing; behind a name of a flag what it needs.
static const char *const shape[] = {"num_layers",
                                    "hidden_size",
                                    "ffn_hidden_size",
                                    "num_attention_heads",
                                    "num_query_groups",
                                    "kv_channels",
                                    "normalization",
                                    "add_bias_linear",
                                    "add_qkv_bias",
                                    "gated_linear_unit",
                                    "share_embeddings_and_output_weights",
                                    "position_embedding_type",
                                    "multi_latent_attention",
                                    "num_moe_experts",
                                    NULL};
static const char *const experts[] = {"moe_ffn_hidden_size", "moe_router_topk",
                                      "moe_layer_freq", "moe_shared_expert_intermediate_size",
                                      NULL};
static const char *const latent[] = {"q_lora_rank",         "kv_lora_rank", "qk_head_dim",
                                     "qk_pos_emb_head_dim", "v_head_dim",   NULL};

// Returns the map that describes the layers; NULL: none.
static const cJSON *model_of(const cJSON *object)
{
    if (pps_json_member(object, "num_layers") != NULL ||
        pps_json_member(object, "num_attention_heads") != NULL)
        return object;
    for (const cJSON *item = object->child; item != NULL; item = item->next) {
        const cJSON *found = cJSON_IsObject(item) ? model_of(item) : NULL;
        if (found != NULL)
            return found;
    }
    return NULL;
}

static bool check_given(struct megatron *m, const struct plaindoc *document, const cJSON *model,
                        const char *const *keys)
{
    const cJSON *name = pps_json_member(model, class_key);
    for (; *keys != NULL; keys++)
        if (cJSON_GetObjectItemCaseSensitive(model, *keys) == NULL)
            return framework_fail(
                m->r, framework_value_at(document, name != NULL ? name : model),
                "%s: missing; the default of %.80s is not known here, write the value (null: "
                "none)",
                *keys, cJSON_IsString(name) ? name->valuestring : "this record");
    return true;
}

static bool is_set(const cJSON *model, const char *key)
{
    const cJSON *item = pps_json_member(model, key);
    return item != NULL && !cJSON_IsNull(item) && !cJSON_IsFalse(item);
}

// GPTModelProvider of Megatron Bridge (067f987d, models/gpt_provider.py) and GPTConfig of NeMo 2, both on
// TransformerConfig of Megatron Core (d98e8a64).
static bool is_general(const cJSON *model)
{
    const cJSON *name = pps_json_member(model, class_key);
    const char *last = cJSON_IsString(name) ? strrchr(name->valuestring, '.') : NULL;
    return last != NULL &&
           (strcmp(last, ".GPTModelProvider") == 0 || strcmp(last, ".GPTConfig") == 0);
}

static bool check_shape(struct megatron *m, const struct plaindoc *document)
{
    const cJSON *model = model_of(document->root);
    if (model == NULL)
        return framework_fail(m->r, 0, "num_layers: missing");
    return (is_general(model) || check_given(m, document, model, shape)) &&
           (is_general(model) || !is_set(model, "num_moe_experts") ||
            check_given(m, document, model, experts)) &&
           (!is_set(model, "multi_latent_attention") ||
            check_given(m, document, model, latent));
}

// ---- values ----------------------------------------------------------------------------------

// Maps whose content concerns data, logs, checkpoints and supervision.
static const char no_effect[] =
    "scheduler logger checkpoint rng profiling ft rerun_state_machine straggler tokenizer nvrx* "
    "inprocess_restart tensor_inspect log resume callbacks plugins ";

static bool set(struct megatron *m, enum megatron_key key, const char *text, size_t at)
{
    m->values[key] = (struct megatron_value){.given = true, .text = text, .at = at};
    return true;
}

// A recipe of precision, such as bf16_with_mxfp8_mixed.
static bool take_recipe(struct megatron *m, const char *recipe, size_t at)
{
    if (strstr(recipe, "nvfp4") != NULL)
        set(m, MG_FP4, recipe, at);
    if (strstr(recipe, "mxfp8") != NULL)
        set(m, MG_FP8_RECIPE, "mxfp8", at);
    if (strstr(recipe, "fp8") != NULL)
        set(m, MG_FP8, recipe, at);
    return set(m, strncmp(recipe, "fp16", 4) == 0 ? MG_FP16 : MG_BF16, NULL, at);
}

// Returns the text of a type or a function that a map names, as in {_target_: torch.bfloat16}; NULL: the
// map is a record.
static const char *named_value(const cJSON *item)
{
    const cJSON *name = cJSON_IsObject(item) ? pps_json_member(item, class_key) : NULL;
    if (!cJSON_IsString(name) || strncmp(name->valuestring, "torch.", 6) != 0)
        return NULL;
    const char *last = strrchr(name->valuestring, '.') + 1;
    return strcmp(last, "bfloat16") == 0  ? "bf16"
           : strcmp(last, "float16") == 0 ? "fp16"
           : strcmp(last, "float32") == 0 ? "fp32"
           : strcmp(last, "uint8") == 0   ? "fp8"
                                          : last;
}

// Adapters (LoRA, CanonicalLoRA): Megatron Bridge 067f987d and NeMo 2.4 have rank 32, and all four matrices of a layer.
static bool take_adapters(struct megatron *m, const struct plaindoc *document,
                          const cJSON *item)
{
    const cJSON *name = pps_json_member(item, class_key), *rank = pps_json_member(item, "dim"),
                *modules = pps_json_member(item, "target_modules");
    const char *class = cJSON_IsString(name) ? strrchr(name->valuestring, '.') : NULL;
    static const char usual[] = "linear_qkv linear_proj linear_fc1 linear_fc2";
    const size_t at = framework_value_at(document, item);
    if (class == NULL || (strcmp(class, ".LoRA") != 0 && strcmp(class, ".CanonicalLoRA") != 0))
        return framework_fail(m->r, at,
                              "peft: only LoRA and the training of all parameters are known "
                              "here");
    m->values[MG_LORA_RANK] = (struct megatron_value){.given = true, .number = 32, .at = at};
    m->values[MG_LORA_MODULES] = (struct megatron_value){.given = true, .at = at};
    return (rank == NULL || megatron_take_item(m, document, MG_LORA_RANK, "lora-r", rank)) &&
           (cJSON_IsArray(modules)
                ? megatron_take_item(m, document, MG_LORA_MODULES, "lora-target-modules",
                                     modules)
                : megatron_take_module(m, MG_LORA_MODULES, usual, sizeof usual - 1, at));
}

// Values that a record names in its own way. *known: it is one.
static bool take_special(struct megatron *m, const struct plaindoc *document, const char *name,
                         const cJSON *item, bool *known)
{
    const size_t at = framework_value_at(document, item);
    *known = true;
    if (name[0] == '_')
        return true; // _target_, _call_
    if (strcmp(name, "share_embeddings_and_output_weights") == 0)
        return !cJSON_IsFalse(item) || set(m, MG_UNTIED, NULL, at);
    if (strcmp(name, "grad_reduce_in_fp32") == 0 && !cJSON_IsNull(item)) {
        m->values[MG_FP32_GRADIENTS].given = m->values[MG_BF16_REDUCE].given = false;
        return set(m, cJSON_IsTrue(item) ? MG_FP32_GRADIENTS : MG_BF16_REDUCE, NULL, at);
    }
    if (strcmp(name, "mixed_precision") == 0 && cJSON_IsString(item))
        return take_recipe(m, item->valuestring, at);
    if (strcmp(name, "sequence_length") == 0)
        return megatron_take_item(m, document, MG_SEQ_LENGTH, "seq-length", item);
    if (strcmp(name, "num_nodes") == 0 && cJSON_IsNumber(item)) // of a trainer
        return megatron_take_item(m, document, MG_NODES, "nnodes", item);
    if (strcmp(name, "devices") == 0 && cJSON_IsNumber(item))
        return megatron_take_item(m, document, MG_PER_NODE, "nproc-per-node", item);
    if (strcmp(name, "peft") == 0 && !cJSON_IsNull(item))
        return take_adapters(m, document, item);
    *known = false;
    return true;
}

// A flag of two records is set if one of them sets it.
static bool take_key(struct megatron *m, const struct plaindoc *document, enum megatron_key key,
                     const char *name, const cJSON *item)
{
    const char *text = named_value(item);
    if (text != NULL)
        return megatron_take(m, key, megatron_name_of(name), text, strlen(text),
                             framework_value_at(document, item));
    const bool again = megatron_arguments[key].kind == MG_FLAG && megatron_has(m, key);
    return (again && key != MG_BIAS) || megatron_take_item(m, document, key, name, item);
}

static const char precision_key[] = "mixed_precision";

static bool is_precision(const cJSON *item)
{
    return cJSON_IsObject(item) && strcmp(item->string, precision_key) == 0;
}

static bool take_tree(struct megatron *m, const struct plaindoc *document, const char *path,
                      const cJSON *object)
{
    for (const cJSON *item = object->child; item != NULL; item = item->next) {
        char inner[256], name[64];
        bool known;
        snprintf(inner, sizeof inner, "%s%s%s", path, *path != '\0' ? "." : "", item->string);
        megatron_plain_name(item->string, name);
        const enum megatron_key key = megatron_key_of(name);
        if (!take_special(m, document, item->string, item, &known))
            return false;
        if (known || (framework_fits(no_effect, item->string) && object == document->root))
            continue;
        if (is_precision(item) && object == document->root)
            continue;
        const bool record = cJSON_IsObject(item) && named_value(item) == NULL;
        const bool ok =
            record ? take_tree(m, document, inner, item)
            : key != N_MEGATRON_KEYS
                ? take_key(m, document, key, name, item)
                : cJSON_IsObject(item) || megatron_take_other_item(m, document, inner, item);
        if (!ok)
            return false;
    }
    return true;
}

// The record of precision replaces what the records of the model and of gradients say (Megatron Bridge,
// training/mixed_precision.py).
static bool take_precision(struct megatron *m, const struct plaindoc *document)
{
    const cJSON *precision = pps_json_member(document->root, precision_key), *item;
    if (!cJSON_IsObject(precision))
        return true;
    cJSON_ArrayForEach (item, precision) {
        char name[64];
        megatron_plain_name(item->string, name);
        const enum megatron_key key = megatron_key_of(name);
        if (key != N_MEGATRON_KEYS)
            m->values[key].given = false;
    }
    return take_tree(m, document, precision_key, precision);
}

// A record of overlaps switches on what it does not decide, with a distributed optimizer (Megatron Bridge,
// training/comm_overlap.py), and replaces what the record of gradients says.
static void take_overlap(struct megatron *m, const struct plaindoc *document)
{
    static const struct {
        const char *name;
        enum megatron_key key;
    } overlaps[] = {{"overlap_grad_reduce", MG_OVERLAP_GRADIENTS},
                    {"overlap_param_gather", MG_OVERLAP_PARAMETERS}};
    const cJSON *record = pps_json_member(document->root, "comm_overlap");
    for (int k = 0; cJSON_IsObject(record) && megatron_has(m, MG_SHARDED) && k < 2; k++) {
        const cJSON *item = pps_json_member(record, overlaps[k].name);
        set(m, overlaps[k].key, NULL, framework_value_at(document, record));
        m->values[overlaps[k].key].given = item == NULL || !cJSON_IsFalse(item);
    }
}

// What the general classes have that arguments do not.
static void take_defaults(struct megatron *m, const struct plaindoc *document)
{
    const cJSON *model = model_of(document->root);
    const struct megatron_value length = {.given = true,
                                          .number = 1024,
                                          .at = framework_value_at(document, model)};
    if (!is_general(model))
        return;
    if (!megatron_has(m, MG_SEQ_LENGTH))
        m->values[MG_SEQ_LENGTH] = length;
    if (!megatron_has(m, MG_MAX_POSITIONS))
        m->values[MG_MAX_POSITIONS] = m->values[MG_SEQ_LENGTH];
    if (pps_json_member(model, "cross_entropy_loss_fusion") == NULL)
        set(m, MG_FUSED_CE, NULL, length.at);
}

bool megatron_collect_records(struct megatron *m, const struct plaindoc *document)
{
    if (!check_shape(m, document) || !take_tree(m, document, "", document->root) ||
        !take_precision(m, document))
        return false;
    take_overlap(m, document);
    take_defaults(m, document);
    m->values[MG_GROUPED].given |= megatron_has(m, MG_GROUPS);
    return true;
}
