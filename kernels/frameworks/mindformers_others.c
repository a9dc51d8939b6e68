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
    {"seed output_dir load_c* src_strategy_path_or_dir auto_trans_ckpt "
     "transform_process_num only_save_strategy resume_training remote_save_url save_file "
     "ignore_data_skip data_skip_steps pretrained_model_dir use_legacy use_graceful_exit "
     "do_* eval_* auto_tune autotune_per_step filepath_prefix infer_precision_sync "
     "input_data predict_batch_size layer_scale layer_decay lr_scale* profil* "
     "init_start_profile mstx trainer callbacks lr_schedule metric train_dataset "
     "train_dataset_task processor monitor_config runner_wrapper",
     NULL, 0},
    {"runner_config.sink_mode", "true|1", 0},
    {"runner_config.epoch* runner_config.sink_size runner_config.num_classes "
     "runner_config.image_size runner_config.stop_step runner_config.initial_epoch "
     "runner_config.has_trained*",
     NULL, 0},
    {"runner_config.gradient_accumulation_steps", NULL, 0}, // of other forms of the pipeline
    // the optimizer
    {"optimizer.type", "AdamW|Adam|AdamWeightDecay|FP32StateAdamWeightDecay", 0},
    {"optimizer.swap", "false", 0},
    {"optimizer.bet* optimizer.eps optimizer.weight_decay optimizer.learning_rate", NULL, 0},
    // the device
    {"context.mode", "0", 0},
    {"context.device_id context.max_call_depth context.save_graphs* "
     "context.affinity_cpu_list",
     NULL, 0},
    {"context.enable_graph_kernel", "false", 0},
    {"context.memory_optimize_level", "O0", 0},
    {"context.mempool_block_size context.runtime_num_threads context.jit_config "
     "context.ascend_config.precision_mode",
     NULL, 0},
    {"context.ascend_config.parallel_speed_up_json_path", "", 0}, // switches in another file
    // exchanges
    {"parallel.parallel_mode", "1|semi_auto_parallel|SEMI_AUTO_PARALLEL", NEEDS_DEVICES},
    {"parallel.gradients_mean", NULL, 0},
    {"parallel.enable_alltoall", "true", EP},
    {"parallel.full_batch parallel.dataset_strategy parallel.search_mode "
     "parallel.loss_repeated_mean parallel.strategy_ckpt* *.parallel_optimizer_threshold",
     NULL, 0},
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
    {"recompute_config.select_comm_recompute recompute_config.select_recompute_exclude "
     "recompute_config.select_comm_recompute_exclude",
     "false", 0},
    {"swap_config", "", NEEDS_SWAP},
    // experts, which a dense model does not have
    {"*.expert_num", "1", EXPERTS},
    {"*.num_experts_chosen *.shared_expert_num *.moe_intermediate_size "
     "*.first_k_dense_replace",
     NULL, 0},
    {"*.capacity_factor *.moe_expert_capacity_factor", "1|-1", NEEDS_CAPACITY},
    {"*.use_gmm *.moe_grouped_gemm *.use_fused_ops_permute *.moe_permute_fusion", "true",
     EXPERTS},
    {"*.enable_gmm_safe_tokens *.moe_shared_expert_overlap *.comp_comm_parallel "
     "*.enable_cold_hot_expert",
     "false", EXPERTS},
    {"*.ep_extend_tp", "true", EP},
    {"*.group_wise_a2a *.enable_deredundency *.use_allgather_dispatcher "
     "*.moe_enable_deepep",
     "false", EP},
    {"*.aux_loss_factors *.aux_loss_types *.aux_loss_factor *.z_loss_factor "
     "*.moe_z_loss_coeff *.balance_via_topk_bias *.topk_bias_update_rate *.routing_policy "
     "*.routed_scaling_factor *.norm_topk_prob *.use_gating_sigmoid *.scoring_func "
     "*.topk_method *.topk_group *.n_group *.max_router_load *.enable_sdrop "
     "*.moe_token_drop_policy *.expert_group_size *.save_token_distribution *.cur_layer "
     "*.update_step *.hot_expert_num *.cold_token_percent *.moe_module_name "
     "*.comp_comm_parallel_degree *.callback_moe_droprate *.moe_per_layer_logging "
     "*.dispatch_global_max_bs *.npu_nums_per_device *.use_shared_expert_gating "
     "*.use_fused_ops_topkrouter *.router_dense_type *.moe_router_dtype "
     "*.moe_router_load_balancing_type *.moe_router_pre_softmax "
     "*.moe_router_score_function *.moe_router_num_groups *.moe_router_group_topk "
     "*.moe_router_topk_scaling_factor *.moe_router_bias_update_rate",
     NULL, 0},
    // numbers and kernels of the model
    {"*.compute_dtype *.param_init_type *.params_dtype *.residual_dtype *.res_dtype", HALF, 0},
    {"*.fp32_residual_connection", "false", 0},
    {"*.layernorm_compute_type *.layernorm_compute_dtype *.softmax_compute_type "
     "*.softmax_compute_dtype *.attention_softmax_in_fp32 *.rotary_dtype "
     "*.embedding_init_type",
     NULL, 0},
    {"*.use_fused_swiglu *.bias_swiglu_fusion *.use_fused_rope *.apply_rope_fusion", "true", 0},
    {"*.use_past *.use_eod_attn_mask_compression *.use_eod_reset", "false", 0},
    {"*.use_attn_mask_compression *.input_layout *.input_sliced_sig", NULL, 0},
    {"*.quantization_bit", "0", 0},
    {"*.pre_seq_len", "None", 0},
    {"*.prefix_projection", "false", 0},
    {"*.qkv_concat *.ffn_concat *.mlp_concat *.mla_qkv_concat *.compute_in_2d "
     "*.out_proj_has_bias *.post_layer_norm *.bias_dropout_fusion "
     "*.apply_query_key_layer_scaling *.apply_residual_connection_post_layernorm "
     "*.use_contiguous_weight_layout",
     NULL, 0},
    // the rest of the model: positions, tokens, initial values, inference
    {"model.arch *.name model.model_config.auto_map model.model_config.scaling_factor "
     "model.model_config.emb_dropout_prob model.model_config.embed_dropout_prob "
     "*.auto_register",
     NULL, 0},
    {"*.multiple_of", NULL, 0}, // of a width that another key gives
    {"*.ffn_dim_multiplier *.expand_ratio *.multi_query_attention *.multi_query_group_num "
     "*.untie_embeddings_and_output_weights *.llm_backend *.boost_model_name *.type "
     "*.model_type *.architectures *.rope_scaling *.rope_theta *.rope_ratio "
     "*.rope_interleave *.theta *.rotary_base *.rotary_emb_base *.rotary_pct "
     "*.rotary_percent *.extend_method *.position_embedding_type *.max_position_embedding "
     "*.max_position_embeddings *.pretrain_seqlen *.scaling_factor *.rms_norm_eps "
     "*.layernorm_epsilon *.layer_norm_epsilon *.hidden_act *.mtp_loss_factor "
     "*.return_extra_loss *.initializer_range *.init_method_std *.mean *.sigma "
     "*.bos_token_id *.eos_token_id *.pad_token_id *.ignore_token_id *.batch_size "
     "*.checkpoint_name_or_path *.use_past_shard *.use_cache *.is_dynamic *.block_size "
     "*.num_blocks *.do_sample *.max_decode_length *.max_length *.repetition_penalty "
     "*.lora_alpha *.lora_a_init *.lora_b_init *.temperature *.top_k *.top_p",
     NULL, 0},
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
