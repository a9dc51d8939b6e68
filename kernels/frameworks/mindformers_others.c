// SPDX-License-Identifier: Apache-2.0
// The keys of MindFormers configurations that say nothing of shape and strategy: harmless ones, and those
// that change time or memory and that no model counts.
#include "kernels/frameworks/mindformers_private.h"

enum {
    NEEDS_DEVICES = FRAMEWORK_NEEDS_OTHERS,       // several of them
    NEEDS_SWAP = FRAMEWORK_NEEDS_OTHERS << 1,     // activations on the host
    NEEDS_CAPACITY = FRAMEWORK_NEEDS_OTHERS << 2, // experts with places for so many tokens
    NEEDS_SHARDS = FRAMEWORK_NEEDS_OTHERS << 3,   // a divided optimizer
    NEEDS_AGAIN = FRAMEWORK_NEEDS_OTHERS
                  << 4, // layers with exchanges of tensor ranks made again
    NEEDS_WHOLE = FRAMEWORK_NEEDS_OTHERS << 5, // of these layers, inputs that are not split
    EXPERTS = FRAMEWORK_NEEDS_EXPERTS,
    EP = FRAMEWORK_NEEDS_EP,
    TP = FRAMEWORK_NEEDS_TP,
    CP = FRAMEWORK_NEEDS_CP,
};

#define HALF "bfloat16|float16"

static const struct framework_harmless harmless[] = {
    // runs, checkpoints, data, logs, profiles
    {"x-*", NULL, 0},
    {"run_mode", "train|finetune", 0},
    {"use_parallel", "true", NEEDS_DEVICES},
    {"train_precision_sync", "false", 0},
    {"seed", NULL, 0},
    {"output_dir", NULL, 0},
    {"load_c*", NULL, 0},
    {"src_strategy_path_or_dir", NULL, 0},
    {"auto_trans_ckpt", NULL, 0},
    {"transform_process_num", NULL, 0},
    {"only_save_strategy", NULL, 0},
    {"resume_training", NULL, 0},
    {"remote_save_url", NULL, 0},
    {"save_file", NULL, 0},
    {"ignore_data_skip", NULL, 0},
    {"data_skip_steps", NULL, 0},
    {"pretrained_model_dir", NULL, 0},
    {"use_legacy", NULL, 0},
    {"use_graceful_exit", NULL, 0},
    {"do_*", NULL, 0},
    {"eval_*", NULL, 0},
    {"auto_tune", NULL, 0},
    {"autotune_per_step", NULL, 0},
    {"filepath_prefix", NULL, 0},
    {"infer_precision_sync", NULL, 0},
    {"input_data", NULL, 0},
    {"predict_batch_size", NULL, 0},
    {"layer_scale", NULL, 0},
    {"layer_decay", NULL, 0},
    {"lr_scale*", NULL, 0},
    {"profil*", NULL, 0},
    {"init_start_profile", NULL, 0},
    {"mstx", NULL, 0},
    {"trainer", NULL, 0},
    {"callbacks", NULL, 0},
    {"lr_schedule", NULL, 0},
    {"metric", NULL, 0},
    {"train_dataset", NULL, 0},
    {"train_dataset_task", NULL, 0},
    {"processor", NULL, 0},
    {"monitor_config", NULL, 0},
    {"runner_wrapper", NULL, 0},
    {"runner_config.sink_mode", "true|1", 0},
    {"runner_config.epoch*", NULL, 0},
    {"runner_config.sink_size", NULL, 0},
    {"runner_config.num_classes", NULL, 0},
    {"runner_config.image_size", NULL, 0},
    {"runner_config.stop_step", NULL, 0},
    {"runner_config.initial_epoch", NULL, 0},
    {"runner_config.has_trained*", NULL, 0},
    {"runner_config.gradient_accumulation_steps", NULL, 0}, // of other forms of the pipeline
    // the optimizer
    {"optimizer.type", "AdamW|Adam|AdamWeightDecay|FP32StateAdamWeightDecay", 0},
    {"optimizer.swap", "false", 0},
    {"optimizer.bet*", NULL, 0},
    {"optimizer.eps", NULL, 0},
    {"optimizer.weight_decay", NULL, 0},
    {"optimizer.learning_rate", NULL, 0},
    // the device
    {"context.mode", "0", 0},
    {"context.device_id", NULL, 0},
    {"context.max_call_depth", NULL, 0},
    {"context.save_graphs*", NULL, 0},
    {"context.affinity_cpu_list", NULL, 0},
    {"context.enable_graph_kernel", "false", 0},
    {"context.memory_optimize_level", "O0", 0},
    {"context.mempool_block_size", NULL, 0},
    {"context.runtime_num_threads", NULL, 0},
    {"context.jit_config", NULL, 0},
    {"context.ascend_config.precision_mode", NULL, 0},
    {"context.ascend_config.parallel_speed_up_json_path", "", 0}, // switches in another file
    // exchanges
    {"parallel.parallel_mode", "1|semi_auto_parallel|SEMI_AUTO_PARALLEL", NEEDS_DEVICES},
    {"parallel.gradients_mean", NULL, 0},
    {"parallel.enable_alltoall", "true", EP},
    {"parallel.full_batch", NULL, 0},
    {"parallel.dataset_strategy", NULL, 0},
    {"parallel.search_mode", NULL, 0},
    {"parallel.loss_repeated_mean", NULL, 0},
    {"parallel.strategy_ckpt*", NULL, 0},
    {"*.parallel_optimizer_threshold", NULL, 0},
    {"*.vocab_emb_dp", "false", TP},
    {"*.gradient_aggregation_group", NULL, 0},
    {"*.context_parallel_algo", "colossalai_cp", CP},
    {"*.ulysses_degree_in_cp", "1", CP},
    {"*.use_ring_attention", "false", CP},
    {"*.mem_coeff", NULL, 0},
    {"*.fine_grain_interleave", "1", TP},
    {"*.use_3d_tensor_parallel", "false", TP},
    // recomputation and activations on the host
    {"recompute_config.parallel_optimizer_comm_recompute", "false", NEEDS_SHARDS},
    {"recompute_config.mp_comm_recompute", "true", NEEDS_AGAIN},
    {"recompute_config.recompute_slice_activation", "false", NEEDS_WHOLE},
    {"recompute_config.select_comm_recompute", "false", 0},
    {"recompute_config.select_recompute_exclude", "false", 0},
    {"recompute_config.select_comm_recompute_exclude", "false", 0},
    {"swap_config", "", NEEDS_SWAP},
    // experts, which a dense model does not have
    {"*.expert_num", "1", EXPERTS},
    {"*.num_experts_chosen", NULL, 0},
    {"*.shared_expert_num", NULL, 0},
    {"*.moe_intermediate_size", NULL, 0},
    {"*.first_k_dense_replace", NULL, 0},
    {"*.capacity_factor", "1|-1", NEEDS_CAPACITY},
    {"*.moe_expert_capacity_factor", "1|-1", NEEDS_CAPACITY},
    {"*.use_gmm", "true", EXPERTS},
    {"*.moe_grouped_gemm", "true", EXPERTS},
    {"*.use_fused_ops_permute", "true", EXPERTS},
    {"*.moe_permute_fusion", "true", EXPERTS},
    {"*.enable_gmm_safe_tokens", "false", EXPERTS},
    {"*.moe_shared_expert_overlap", "false", EXPERTS},
    {"*.comp_comm_parallel", "false", EXPERTS},
    {"*.enable_cold_hot_expert", "false", EXPERTS},
    {"*.ep_extend_tp", "true", EP},
    {"*.group_wise_a2a", "false", EP},
    {"*.enable_deredundency", "false", EP},
    {"*.use_allgather_dispatcher", "false", EP},
    {"*.moe_enable_deepep", "false", EP},
    {"*.aux_loss_factors", NULL, 0},
    {"*.aux_loss_types", NULL, 0},
    {"*.aux_loss_factor", NULL, 0},
    {"*.z_loss_factor", NULL, 0},
    {"*.moe_z_loss_coeff", NULL, 0},
    {"*.balance_via_topk_bias", NULL, 0},
    {"*.topk_bias_update_rate", NULL, 0},
    {"*.routing_policy", NULL, 0},
    {"*.routed_scaling_factor", NULL, 0},
    {"*.norm_topk_prob", NULL, 0},
    {"*.use_gating_sigmoid", NULL, 0},
    {"*.scoring_func", NULL, 0},
    {"*.topk_method", NULL, 0},
    {"*.topk_group", NULL, 0},
    {"*.n_group", NULL, 0},
    {"*.max_router_load", NULL, 0},
    {"*.enable_sdrop", NULL, 0},
    {"*.moe_token_drop_policy", NULL, 0},
    {"*.expert_group_size", NULL, 0},
    {"*.save_token_distribution", NULL, 0},
    {"*.cur_layer", NULL, 0},
    {"*.update_step", NULL, 0},
    {"*.hot_expert_num", NULL, 0},
    {"*.cold_token_percent", NULL, 0},
    {"*.moe_module_name", NULL, 0},
    {"*.comp_comm_parallel_degree", NULL, 0},
    {"*.callback_moe_droprate", NULL, 0},
    {"*.moe_per_layer_logging", NULL, 0},
    {"*.dispatch_global_max_bs", NULL, 0},
    {"*.npu_nums_per_device", NULL, 0},
    {"*.use_shared_expert_gating", NULL, 0},
    {"*.use_fused_ops_topkrouter", NULL, 0},
    {"*.router_dense_type", NULL, 0},
    {"*.moe_router_dtype", NULL, 0},
    {"*.moe_router_load_balancing_type", NULL, 0},
    {"*.moe_router_pre_softmax", NULL, 0},
    {"*.moe_router_score_function", NULL, 0},
    {"*.moe_router_num_groups", NULL, 0},
    {"*.moe_router_group_topk", NULL, 0},
    {"*.moe_router_topk_scaling_factor", NULL, 0},
    {"*.moe_router_bias_update_rate", NULL, 0},
    // numbers and kernels of the model
    {"*.compute_dtype", HALF, 0},
    {"*.param_init_type", HALF, 0},
    {"*.params_dtype", HALF, 0},
    {"*.residual_dtype", HALF, 0},
    {"*.res_dtype", HALF, 0},
    {"*.fp32_residual_connection", "false", 0},
    {"*.layernorm_compute_type", NULL, 0},
    {"*.layernorm_compute_dtype", NULL, 0},
    {"*.softmax_compute_type", NULL, 0},
    {"*.softmax_compute_dtype", NULL, 0},
    {"*.attention_softmax_in_fp32", NULL, 0},
    {"*.rotary_dtype", NULL, 0},
    {"*.embedding_init_type", NULL, 0},
    {"*.use_fused_swiglu", "true", 0},
    {"*.bias_swiglu_fusion", "true", 0},
    {"*.use_fused_rope", "true", 0},
    {"*.apply_rope_fusion", "true", 0},
    {"*.use_past", "false", 0},
    {"*.use_eod_attn_mask_compression", "false", 0},
    {"*.use_eod_reset", "false", 0},
    {"*.use_attn_mask_compression", NULL, 0},
    {"*.input_layout", NULL, 0},
    {"*.input_sliced_sig", NULL, 0},
    {"*.quantization_bit", "0", 0},
    {"*.pre_seq_len", "None", 0},
    {"*.prefix_projection", "false", 0},
    {"*.qkv_concat", NULL, 0},
    {"*.ffn_concat", NULL, 0},
    {"*.mlp_concat", NULL, 0},
    {"*.mla_qkv_concat", NULL, 0},
    {"*.compute_in_2d", NULL, 0},
    {"*.out_proj_has_bias", NULL, 0},
    {"*.post_layer_norm", NULL, 0},
    {"*.bias_dropout_fusion", NULL, 0},
    {"*.apply_query_key_layer_scaling", NULL, 0},
    {"*.apply_residual_connection_post_layernorm", NULL, 0},
    {"*.use_contiguous_weight_layout", NULL, 0},
    // the rest of the model: positions, tokens, initial values, inference
    {"model.arch", NULL, 0},
    {"*.name", NULL, 0},
    {"model.model_config.auto_map", NULL, 0},
    {"model.model_config.scaling_factor", NULL, 0},
    {"model.model_config.emb_dropout_prob", NULL, 0},
    {"model.model_config.embed_dropout_prob", NULL, 0},
    {"*.auto_register", NULL, 0},
    {"*.multiple_of", NULL, 0}, // of a width that another key gives
    {"*.ffn_dim_multiplier", NULL, 0},
    {"*.expand_ratio", NULL, 0},
    {"*.multi_query_attention", NULL, 0},
    {"*.multi_query_group_num", NULL, 0},
    {"*.untie_embeddings_and_output_weights", NULL, 0},
    {"*.llm_backend", NULL, 0},
    {"*.boost_model_name", NULL, 0},
    {"*.type", NULL, 0},
    {"*.model_type", NULL, 0},
    {"*.architectures", NULL, 0},
    {"*.rope_scaling", NULL, 0},
    {"*.rope_theta", NULL, 0},
    {"*.rope_ratio", NULL, 0},
    {"*.rope_interleave", NULL, 0},
    {"*.theta", NULL, 0},
    {"*.rotary_base", NULL, 0},
    {"*.rotary_emb_base", NULL, 0},
    {"*.rotary_pct", NULL, 0},
    {"*.rotary_percent", NULL, 0},
    {"*.extend_method", NULL, 0},
    {"*.position_embedding_type", NULL, 0},
    {"*.max_position_embedding", NULL, 0},
    {"*.max_position_embeddings", NULL, 0},
    {"*.pretrain_seqlen", NULL, 0},
    {"*.scaling_factor", NULL, 0},
    {"*.rms_norm_eps", NULL, 0},
    {"*.layernorm_epsilon", NULL, 0},
    {"*.layer_norm_epsilon", NULL, 0},
    {"*.hidden_act", NULL, 0},
    {"*.mtp_loss_factor", NULL, 0},
    {"*.return_extra_loss", NULL, 0},
    {"*.initializer_range", NULL, 0},
    {"*.init_method_std", NULL, 0},
    {"*.mean", NULL, 0},
    {"*.sigma", NULL, 0},
    {"*.bos_token_id", NULL, 0},
    {"*.eos_token_id", NULL, 0},
    {"*.pad_token_id", NULL, 0},
    {"*.ignore_token_id", NULL, 0},
    {"*.batch_size", NULL, 0},
    {"*.checkpoint_name_or_path", NULL, 0},
    {"*.use_past_shard", NULL, 0},
    {"*.use_cache", NULL, 0},
    {"*.is_dynamic", NULL, 0},
    {"*.block_size", NULL, 0},
    {"*.num_blocks", NULL, 0},
    {"*.do_sample", NULL, 0},
    {"*.max_decode_length", NULL, 0},
    {"*.max_length", NULL, 0},
    {"*.repetition_penalty", NULL, 0},
    {"*.lora_alpha", NULL, 0},
    {"*.lora_a_init", NULL, 0},
    {"*.lora_b_init", NULL, 0},
    {"*.temperature", NULL, 0},
    {"*.top_k", NULL, 0},
    {"*.top_p", NULL, 0},
};

static const char *const sections[] = {"model",
                                       "model.model_config",
                                       "model_config",
                                       "moe_config",
                                       "model.model_config.moe_config",
                                       "parallel",
                                       "parallel_config",
                                       "distribute_parallel_config",
                                       "recompute_config",
                                       "swap_config",
                                       "runner_config",
                                       "training_args",
                                       "optimizer",
                                       "context",
                                       "context.ascend_config",
                                       NULL};

// ---- what the file has --------------------------------------------------------------------------

static bool is_used(const void *self, const char *path, const cJSON *item)
{
    const struct mindformers_reader *m = self;
    (void)path;
    for (size_t k = 0; k < m->n_used; k++)
        if (m->used[k] == item)
            return true;
    return false;
}

static bool is_on(const struct mindformers_reader *m, const char *path)
{
    return cJSON_IsTrue(yaml_get(m->doc, path));
}

// Grouped products of experts take as many tokens as there are.
static bool has_capacity(const struct mindformers_reader *m)
{
    return !is_on(m, "moe_config.use_gmm") && !is_on(m, "model.model_config.use_gmm") &&
           !is_on(m, "model.model_config.moe_grouped_gemm") &&
           !is_on(m, "model.model_config.moe_config.use_gmm");
}

static bool makes_again(const struct mindformers_reader *m)
{
    const cJSON *full = yaml_get(m->doc, mindformers_paths(MF_RECOMPUTE)[0]);
    const cJSON *select = yaml_get(m->doc, mindformers_paths(MF_SELECT)[0]);
    return (full != NULL && !cJSON_IsFalse(full)) || (select != NULL && !cJSON_IsFalse(select));
}

static unsigned needs_of(const struct mindformers_reader *m)
{
    const bool experts = framework_get(m->r, FRAMEWORK_MODEL, "num_experts") != NULL;
    const bool again = m->tp > 1 && makes_again(m);
    unsigned has = 0;
    has |= m->dp * m->tp * m->pp * m->cp != 1 ? NEEDS_DEVICES : 0U;
    has |= m->swap ? NEEDS_SWAP : 0U;
    has |= experts ? EXPERTS : 0U;
    has |= experts && has_capacity(m) ? NEEDS_CAPACITY : 0U;
    has |= experts && m->ep > 1 ? EP : 0U;
    has |= m->tp > 1 ? TP : 0U;
    has |= m->cp > 1 ? CP : 0U;
    has |= m->shards != 1 ? NEEDS_SHARDS : 0U;
    has |= again ? NEEDS_AGAIN : 0U;
    has |= again && !m->sp ? NEEDS_WHOLE : 0U;
    return has;
}

// Patterns of operators count as parts of a layer, whatever they are.
static bool name_patterns(struct mindformers_reader *m)
{
    const cJSON *item;
    if (!mindformers_find(m, MF_SELECT, &item))
        return false;
    const bool patterns = item != NULL && item->child != NULL &&
                          (cJSON_IsObject(item) || cJSON_IsString(item->child));
    return !patterns ||
           framework_not_modelled(m->r, "recompute_config.select_recompute: patterns",
                                  framework_key_at(m->doc, item));
}

bool mindformers_sort_others(struct mindformers_reader *m)
{
    const struct framework_others others = {.table = harmless,
                                            .n = sizeof harmless / sizeof *harmless,
                                            .has = needs_of(m),
                                            .known = is_used,
                                            .self = m,
                                            .sections = sections};
    return framework_sort_others(m->r, m->doc, &others) && name_patterns(m);
}
