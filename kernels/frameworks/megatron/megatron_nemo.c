// SPDX-License-Identifier: Apache-2.0
// Collects the values of a configuration of NeMo 1 (model.activations_checkpoint_granularity ...), with
// the defaults of its models of kind GPT.
#include "kernels/frameworks/megatron/megatron_private.h"
#include "kernels/frameworks/shell/shell_settings.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum special {
    PLAIN,      // an argument of Megatron-LM under another name
    ACTIVATION, // gelu, fast-swiglu ...
    NO_BIAS,    // false: no bias
    UNTIED,     // false: two matrices
    PRECISION,  // bf16, 16-mixed ...
    DEVICES,
    OPTIMIZER,
    FP8,
    GRADIENTS, // type in which gradients are summed
};

// Names with the maps around them, where they differ from those of Megatron-LM.
static const struct {
    const char *path;
    enum special special;
    enum megatron_key key;
} names[] = {
    {"trainer.devices", DEVICES, MG_PER_NODE},
    {"trainer.num_nodes", PLAIN, MG_NODES},
    {"trainer.precision", PRECISION, MG_BF16},
    {"model.optim.name", OPTIMIZER, MG_SHARDED},
    {"model.optim.overlap_grad_sync", PLAIN, MG_OVERLAP_GRADIENTS},
    {"model.optim.overlap_param_sync", PLAIN, MG_OVERLAP_PARAMETERS},
    {"model.optim.overlap_grad_reduce", PLAIN, MG_OVERLAP_GRADIENTS},
    {"model.optim.overlap_param_gather", PLAIN, MG_OVERLAP_PARAMETERS},
    {"model.optim.grad_sync_dtype", GRADIENTS, MG_BF16_REDUCE},
    {"model.tokenizer.type", PLAIN, MG_TOKENIZER_MODEL},
    {"model.activation", ACTIVATION, MG_GATED},
    {"model.bias", NO_BIAS, MG_NO_BIAS},
    {"model.qkv_bias", PLAIN, MG_QKV_BIAS},
    {"model.share_embeddings_and_output_weights", UNTIED, MG_UNTIED},
    {"model.precision", PRECISION, MG_BF16},
    {"model.override_vocab_size", PLAIN, MG_VOCAB},
    {"model.activations_checkpoint_granularity", PLAIN, MG_GRANULARITY},
    {"model.activations_checkpoint_method", PLAIN, MG_METHOD},
    {"model.activations_checkpoint_num_layers", PLAIN, MG_RECOMPUTE_LAYERS},
    {"model.fp8", FP8, MG_FP8},
    {"model.ub_tp_comm_overlap", PLAIN, MG_OVERLAP_TP},
    {"model.use_flash_attention", PLAIN, MG_FLASH},
    {"model.moe_ffn_hidden_size", PLAIN, MG_MOE_FFN},
};

// Keys without effect, with all that is inside.
static const char no_effect[] =
    "trainer exp_manager run hydra cluster defaults name restore_from_path model.optim "
    "model.data model.tokenizer model.nsys_profile model.name model.mcore_gpt "
    "model.transformer_engine model.megatron_amp_O2 model.grad_div_ar_fusion "
    "model.gradient_as_bucket_view model.pre_process model.post_process "
    "model.resume_from_checkpoint model.native_amp_init_scale "
    "model.native_amp_growth_interval model.sync_batch_comm model.fp8_e4m3 model.fp8_hybrid "
    "model.reduce_amax model.ffn_dropout model.batch_p2p_comm model.seed "
    "model.do_layer_norm_weight_decay model.gc_interval model.barrier_with_L1_time "
    "model.onnx_safe model.activations_checkpoint_recurrent ";

static bool mentions(const char *text, const char *part)
{
    for (; *text != '\0'; text++)
        if (strncasecmp(text, part, strlen(part)) == 0)
            return true;
    return false;
}

static bool set(struct megatron *m, enum megatron_key key, const char *text, size_t at)
{
    m->values[key] = (struct megatron_value){.given = true, .text = text, .at = at};
    return true;
}

static bool take_special(struct megatron *m, const struct plaindoc *document,
                         enum special special, enum megatron_key key, const cJSON *item)
{
    const size_t at = framework_value_at(document, item);
    const char *text = cJSON_IsString(item) ? item->valuestring : "";
    switch (special) {
    case ACTIVATION:
        return !mentions(text, "glu") || set(m, key, NULL, at);
    case NO_BIAS:
    case UNTIED:
        return !cJSON_IsFalse(item) || set(m, key, NULL, at);
    case PRECISION:
        if (mentions(text, "bf16"))
            return set(m, MG_BF16, NULL, at);
        return !(mentions(text, "16") || (cJSON_IsNumber(item) && item->valueint == 16)) ||
               set(m, MG_FP16, NULL, at);
    case OPTIMIZER:
        return !mentions(text, "distributed") || set(m, key, NULL, at);
    case GRADIENTS:
        return !mentions(text, "bf16") || set(m, key, NULL, at);
    case FP8:
        return !cJSON_IsTrue(item) || set(m, key, "hybrid", at);
    case DEVICES: // -1 and auto: all of the machine
        return !cJSON_IsNumber(item) || item->valuedouble < 1 ||
               megatron_take_item(m, document, key, "devices", item);
    case PLAIN:
        break;
    }
    return true;
}

// Returns the value that "${.key}", of the same map, or "${model.key}" stands for, or the item itself.
static const cJSON *resolved(const struct plaindoc *document, const cJSON *map,
                             const cJSON *item)
{
    char path[128];
    for (int hops = 0; hops < 4 && cJSON_IsString(item); hops++) {
        const char *text = item->valuestring;
        const size_t n = strlen(text);
        if (n < 4 || n - 3 >= sizeof path || strncmp(text, "${", 2) != 0 || text[n - 1] != '}')
            break;
        snprintf(path, sizeof path, "%.*s", (int)(n - 3), text + 2);
        const cJSON *to =
            path[0] == '.' ? pps_json_member(map, path + 1) : settings_get(document, path);
        if (to == NULL || cJSON_IsObject(to))
            break;
        item = to;
    }
    return item;
}

// Returns whether a key is one of models that are no decoders with attention in their layers.
static bool is_of_others(const struct plaindoc *document, const char *path)
{
    return framework_fits("model.mcore_bert model.bert_binary_head model.retro model.hyena",
                          path) ||
           (strcmp(path, "model.activations_checkpoint_recurrent") == 0 &&
            !cJSON_IsString(settings_get(document, "model.hybrid_override_pattern")));
}

static bool take_named(struct megatron *m, const struct plaindoc *document, const char *path,
                       const cJSON *item, bool *known)
{
    if (is_of_others(document, path))
        return framework_fail(m->r, framework_value_at(document, item),
                              "%s: only decoders with attention in their layers, or with a "
                              "pattern of layers, are known here",
                              path);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        *known = strcmp(names[i].path, path) == 0;
        if (!*known)
            continue;
        if (cJSON_IsNull(item))
            return true;
        return names[i].special == PLAIN
                   ? megatron_take_item(m, document, names[i].key, strrchr(path, '.') + 1, item)
                   : take_special(m, document, names[i].special, names[i].key, item);
    }
    *known = framework_fits(no_effect, path);
    if (*known && !cJSON_IsNull(item))
        framework_ignore(m->r, path);
    return true;
}

static bool take_tree(struct megatron *m, const struct plaindoc *document, const char *path,
                      const cJSON *object)
{
    for (const cJSON *item = object->child; item != NULL; item = item->next) {
        char inner[256], name[64];
        bool known = false;
        snprintf(inner, sizeof inner, "%s%s%s", path, *path != '\0' ? "." : "", item->string);
        if (cJSON_IsObject(item)) {
            if (!take_tree(m, document, inner, item))
                return false;
            continue;
        }
        const cJSON *value = resolved(document, object, item);
        if (!take_named(m, document, inner, value, &known))
            return false;
        if (known)
            continue;
        megatron_plain_name(item->string, name);
        const enum megatron_key key = megatron_key_of(name);
        if (!(key == N_MEGATRON_KEYS ? megatron_take_other_item(m, document, inner, value)
                                     : megatron_take_item(m, document, key, name, value)))
            return false;
    }
    return true;
}

bool megatron_collect_nemo(struct megatron *m, const struct plaindoc *document)
{
    if (!take_tree(m, document, "", document->root))
        return false;
    m->values[MG_GROUPED].given |= megatron_has(m, MG_GROUPS);
    return true;
}
