// SPDX-License-Identifier: Apache-2.0
// Sorts the keys of a config.json that its type does not read: harmless ones, those that change time
// only, and those that may change the shape.
#include "kernels/common/description/model_config.h"

#include "base/text/characters.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

// ---- tables ---------------------------------------------------------------------------------

// Keys without a meaning for shape and time, of all types, with blanks around each.
static const char harmless[] =
    " architectures auto_map model_type torch_dtype dtype transformers_version use_cache "
    "hidden_act hidden_activation activation_function ffn_act_fn rope_scaling rope_parameters "
    "rope_interleave rope_local_base_freq rotary_pct rotary_dim partial_rotary_factor "
    "original_max_position_embeddings max_position_embeddings max_sequence_length max_seq_len "
    "model_max_length seq_length max_window_layers sliding_window_pattern "
    "_sliding_window_pattern use_sliding_window cache_implementation pretraining_tp "
    "output_router_logits norm_topk_prob scoring_func topk_method routed_scaling_factor "
    "seq_aux ep_size router_jitter_noise input_jitter_noise quantization_config "
    "task_specific_params id2label label2id query_pre_attn_scalar attn_logit_softcapping "
    "final_logit_softcapping embedding_multiplier logits_scaling residual_multiplier "
    "attention_multiplier logit_scale scale_emb scale_depth dim_model_base mup_denominator "
    "no_rope_layers no_rope_layer_interval attn_temperature_tuning attn_scale floor_scale "
    "for_llm_compressor clip_qkv attn_config.clip_qkv attn_config.softmax_scale "
    "attn_config.attn_impl attn_config.prefix_lm attn_config.attn_uses_sequence_id "
    "attn_config.attn_pdrop attn_config.rope_theta alibi apply_residual_connection_post_layernorm "
    "masked_softmax_fusion slow_but_exact hidden_dropout offset_alibi skip_bias_add "
    "skip_bias_add_qkv bias_dropout_fusion summary_activation summary_first_dropout "
    "summary_proj_to_labels summary_type summary_use_proj scale_attn_weights "
    "scale_attn_by_inverse_layer_idx reorder_and_upcast_attn attention_softmax_in_fp32 "
    "scale_attention_softmax_in_fp32 inference_runner validate_runner_input pre_allocate_kv_cache "
    "max_batch_size initial_context_length swiglu_limit swiglu_alpha experts_per_token "
    "embedding_fraction init_config init_device verbose is_decoder is_encoder_decoder "
    "problem_type finetuning_task prefix tokenizer_class use_position_ids layer_switch "
    "order_of_interleaved_layers position_embedding_type rope_ratio original_rope "
    "fp32_residual_connection quantization_bit kv_cache_quantization_bit "
    "kv_cache_quantization_kernels pre_seq_len prefix_projection use_flash_attn use_flash_attention "
    "_attn_implementation_autoset attn_implementation gradient_checkpointing return_dict "
    "chunk_size_feed_forward use_bfloat16 vision_start_token_id use_rmsnorm "
    "group_expert_merge moe_gate compression_ratio fuse_rope num_experts_per_token "
    "hidden_dropout_prob bos_token_ids keys_to_ignore_at_inference unsloth_fixed "
    "attention_dropout_prob use_logits_norm use_expert_bias rope_3d interpolate_factor "
    "full_attn_mod mscale num_labels output_attentions output_hidden_states torchscript "
    "pruned_heads norm_reduce llama_4_scaling_beta encoder_no_repeat_ngram_size "
    "rotary_emb_base rotary rope_pct rope_percent rotary_percent rotary_scaling_factor "
    "transformers.js_config is_llama_config rope_interleaved aux_loss_alpha use_mtp "
    "max_model_len quantization compression_config _flash_attn_2_enabled max_sequence_length "
    "use_rotary_pos_emb use_mrope add_classification_head num_beams num_beam_groups "
    "num_return_sequences max_length min_length length_penalty repetition_penalty temperature "
    "top_k top_p typical_p remove_invalid_values time_step_limit route_scale indexer_rope_interleave "
    "index_share_for_mtp_iteration ";

// Ends of names that speak of numerics, tokens or losses.
static const char *const harmless_ends[] = {
    "_eps",   "_epsilon",     "dropout", "pdrop", "_theta",   "_id",
    "_ids",   "_range",       "_std",    "_coef", "_coeff",   "_loss",
    "_token", "_token_index", "_prob",   "_seed", "_version", "_gain",
};

// Parts of a name that may speak of a shape.
static const char *const shape_words[] = {
    "layer", "head",  "hidden", "expert", "rank",    "ffn",   "mlp",   "moe",
    "conv",  "ssm",   "mamba",  "dim",    "size",    "bias",  "emb",   "vocab",
    "width", "depth", "num_",   "block",  "hybrid",  "norm",  "state", "group",
    "index", "inter", "inner",  "factor", "d_model", "n_ctx", "kv_",
};

static const char towers[] = "vision_config audio_config speech_config vit_config vision_tower "
                             "image_config vision visual_config vision_model";

// ---- kinds ----------------------------------------------------------------------------------

static bool is_harmless(const char *name)
{
    const size_t n = strlen(name);
    for (size_t i = 0; i < sizeof harmless_ends / sizeof *harmless_ends; i++) {
        const size_t end = strlen(harmless_ends[i]);
        if (n >= end && strcmp(name + n - end, harmless_ends[i]) == 0)
            return true;
    }
    return pps_has_word(harmless, name);
}

// Values that switch something on; a word is a choice of method.
static bool is_active(const struct cJSON *item)
{
    if (cJSON_IsNumber(item))
        return item->valuedouble < 0 || item->valuedouble > 0;
    return cJSON_IsTrue(item) ||
           ((cJSON_IsArray(item) || cJSON_IsObject(item)) && item->child != NULL);
}

static bool may_be_shape(const char *name)
{
    for (size_t i = 0; i < sizeof shape_words / sizeof *shape_words; i++)
        if (strstr(name, shape_words[i]) != NULL)
            return true;
    return false;
}

// Whether all layers have attention, if only within windows.
static bool is_attention(const struct cJSON *kinds)
{
    const struct cJSON *each = NULL;
    cJSON_ArrayForEach (each, kinds)
        if (!cJSON_IsString(each) || (strcmp(each->valuestring, "full_attention") != 0 &&
                                      strcmp(each->valuestring, "sliding_attention") != 0 &&
                                      strcmp(each->valuestring, "chunked_attention") != 0))
            return false;
    return cJSON_IsArray(kinds);
}

static bool has_windows(const struct modelconfig *c)
{
    const struct cJSON *enabled =
        cJSON_GetObjectItemCaseSensitive(c->text, "use_sliding_window");
    return enabled != NULL ? cJSON_IsTrue(enabled) : !c->type->windows_if_enabled;
}

enum modelconfig_kind modelconfig_kind_of(const struct modelconfig *c, const char *path,
                                          const struct cJSON *item)
{
    if (!is_active(item))
        return CONFIG_HARMLESS;
    if (strcmp(path, "sliding_window") == 0)
        return has_windows(c) ? CONFIG_UNPRICED : CONFIG_HARMLESS;
    if (strcmp(path, "attention_chunk_size") == 0 || strcmp(path, "num_mtp_modules") == 0)
        return CONFIG_UNPRICED;
    if (strcmp(path, "layer_types") == 0)
        return is_attention(item) ? CONFIG_HARMLESS : CONFIG_SHAPE;
    if (pps_has_word(towers, path))
        return CONFIG_UNPRICED;
    if (is_harmless(path))
        return CONFIG_HARMLESS;
    return may_be_shape(path) ? CONFIG_SHAPE : CONFIG_UNPRICED;
}

// ---- notes ----------------------------------------------------------------------------------

struct noting {
    struct modelconfig_visitor visitor;
    struct modeldesc_note *notes;
    const char **keys;
    int n, max;
    bool beside_said;
};

static void add_note(struct noting *n, const struct cJSON *item, const char *text)
{
    if (n->n < n->max) {
        n->notes[n->n].item = item;
        snprintf(n->notes[n->n].text, sizeof n->notes->text, "%s", text);
    }
    n->n++;
}

// Returns the key of the type with this path; NULL: none.
static const struct modeltype_key *key_of(const struct modeltype *type, const char *path)
{
    struct modeltype_walk walk = {0, 0};
    const struct modeltype_key *key;
    while ((key = modeltype_next(type, &walk)) != NULL && strcmp(key->key, path) != 0)
        ;
    return key;
}

static bool note_key(struct modelconfig_visitor *self, const char *path,
                     const struct cJSON *item)
{
    struct noting *n = (struct noting *)(void *)self;
    const struct modeltype_key *key = key_of(self->config->type, path);
    char text[sizeof n->notes->text];
    const bool beside =
        key != NULL && (key->field == TYPE_BESIDE || key->field == TYPE_BESIDE_ONE);
    n->beside_said = n->beside_said || (beside && !cJSON_IsNull(item));
    if (beside
            ? !cJSON_IsTrue(item)
            : key != NULL || modelconfig_kind_of(self->config, path, item) != CONFIG_UNPRICED)
        return true;
    if (cJSON_IsNumber(item))
        snprintf(text, sizeof text, "%.60s %.15g", path, item->valuedouble);
    else
        snprintf(text, sizeof text, "%.80s", path);
    add_note(n, item, text);
    return true;
}

// What the type has without a key.
static void note_type(struct noting *n, const struct modelconfig *c)
{
    char text[sizeof n->notes->text];
    const char *silent = NULL;
    if (c->type->windows && cJSON_GetObjectItemCaseSensitive(c->text, "sliding_window") == NULL)
        silent = "attention in windows";
    if (silent != NULL) {
        snprintf(text, sizeof text, "%s: %s", c->type->name, silent);
        add_note(n, c->type_item, text);
    }
    if (c->type->beside && !n->beside_said) {
        snprintf(text, sizeof text, "%s: attention beside the feed-forward network",
                 c->type->name);
        add_note(n, c->type_item, text);
    }
}

int modeldesc_notes(const struct cJSON *document, struct modeldesc_note *notes, int max)
{
    struct modelconfig c;
    struct pps_fault fault;
    struct noting n = {.visitor = {note_key, &c}, .notes = notes, .max = max};
    if (!modeldesc_is_config(document) || !modelconfig_open(&c, document, &fault))
        return 0;
    modelconfig_each(&n.visitor);
    note_type(&n, &c);
    for (const cJSON *item = document->child; item != NULL && c.text != document;
         item = item->next)
        if (pps_has_word(towers, item->string) && is_active(item))
            add_note(&n, item, item->string);
    return n.n;
}

// ---- ignored keys ---------------------------------------------------------------------------

static bool count_ignored(struct modelconfig_visitor *self, const char *path,
                          const struct cJSON *item)
{
    struct noting *n = (struct noting *)(void *)self;
    const struct modeltype_key *key = key_of(self->config->type, path);
    if (strcmp(path, "model_type") == 0 || strcmp(path, "architectures") == 0 ||
        (key != NULL && key->field != TYPE_UNUSED) ||
        (key == NULL && modelconfig_kind_of(self->config, path, item) != CONFIG_HARMLESS))
        return true;
    if (n->n < n->max)
        n->keys[n->n] = item->string;
    n->n++;
    return true;
}

int modeldesc_ignored(const struct cJSON *document, const char **keys, int max)
{
    struct modelconfig c;
    struct pps_fault fault;
    struct noting n = {.visitor = {count_ignored, &c}, .keys = keys, .max = max};
    if (!modeldesc_is_config(document) || !modelconfig_open(&c, document, &fault))
        return 0;
    modelconfig_each(&n.visitor);
    return n.n;
}
