// SPDX-License-Identifier: Apache-2.0
// The keys of torchtitan configurations that say nothing of shape and strategy: harmless ones, and those
// that change time or memory and that no model counts.
#include "base/edit/toml_edit.h"
#include "kernels/frameworks/framework_private.h"
#include "kernels/frameworks/torchtitan_private.h"

#include <stdio.h>
#include <string.h>

enum {
    NEEDS_8BIT = FRAMEWORK_NEEDS_OTHERS,     // 8-bit products
    NEEDS_OPS = FRAMEWORK_NEEDS_OTHERS << 1, // selective recomputation of operations
};

// Without the experts' sections, all keys of 8-bit products are in sections of these names.
#define SKIPPED                                                                                \
    "[]|[\"output\"]|[\"router.gate\"]|[\"output\",\"router.gate\"]|"                          \
    "[\"router.gate\",\"output\"]|[\"output\",\"moe.router.gate\"]|[\"lm_head\"]"

static const struct framework_harmless harmless[] = {
    // logs, profiles, checkpoints, data
    {"job.custom_config_module", "", 0},
    {"job profiling metrics checkpoint validation memory_estimation estimate lr_scheduler "
     "training.dataset* training.dataloader training.steps",
     NULL, 0},
    // the launcher, and names of configurations
    {"$* module", NULL, 0},
    {"*._call", NULL, 0}, // of Python
    {"*._args _call _args loss model_spec model_converters config nproc_per_node nnodes "
     "node_rank rdzv* master* local_ranks_filter local_rank* role tee standalone log_dir "
     "redirects max_restarts dump_folder hf_assets_path tokenizer dataloader profiler "
     "validator",
     NULL, 0},
    {"training.disable_cuda_graphs", "true", 0},
    {"parallelism.spmd_backend training.warmup_steps training.max_norm training.seed "
     "training.gc_freq training.gc_debug",
     NULL, 0},
    // experts get equal numbers of tokens, as in the estimate
    {"training.debug_moe_force_load_balance", NULL, 0},
    {"training.micro_batch_num", NULL, 0}, // of configurations that nd writes
    {"model.hf_assets_path model.tokenizer_path model.print_after_conversion", NULL, 0},
    {"debug.deterministic", "false", 0},
    {"debug", NULL, 0},
    {"fault_tolerance.enable", "false", 0},
    {"fault_tolerance", NULL, 0},
    // modules of the user
    {"experimental.custom_import experimental.custom_args_module "
     "experimental.custom_model_path",
     "", 0},
    // the optimizer
    {"lora.alpha", NULL, 0},
    {"lora.dropout", "0|0.0", 0},
    {"lora.apply_to_all_linears", "true", 0},
    {"optimizer.name", "AdamW|Adam", 0},
    {"optimizer.implementation", "fused|foreach", 0},
    {"optimizer.fused", "true", 0},
    {"optimizer.early_step_in_backward", "false", 0},
    {"optimizer.lr optimizer.beta1 optimizer.beta2 optimizer.eps optimizer.weight_decay", NULL,
     0},
    // the model and its kernels
    {"model.norm_type", "rmsnorm|fused_rmsnorm", 0},
    {"model.use_flex_attn", "false", 0},
    {"model.attn_mask_type", "causal", 0},
    {"training.mixed_precision_reduce", "float32", 0},
    {"training.deterministic", "false", 0},
    {"compile.backend", "inductor", 0},
    // exchanges
    {"training.data_parallel_type", "fsdp", 0},
    {"training.enable_loss_parallel", "true", FRAMEWORK_NEEDS_TP},
    {"*.enable_async_tensor_parallel", "false", FRAMEWORK_NEEDS_TP},
    {"*.enable_compiled_autograd", "false", 0},
    {"*.context_parallel_load_balancer", "headtail", FRAMEWORK_NEEDS_CP},
    {"*.context_parallel_rotate_method", "allgather", FRAMEWORK_NEEDS_CP},
    {"*.expert_parallel_comm_backend", "standard", FRAMEWORK_NEEDS_EP},
    {"comm.mode", "default", 0},
    {"comm", NULL, 0},
    // recomputation
    {"activation_checkpoint.per_op_sac_force_recompute_mm_shapes_by_fqns "
     "activation_checkpoint.force_recompute_mm_shapes_by_fqns",
     "[]|[\"moe.router.gate\"]", NEEDS_OPS},
    {"activation_checkpoint.visualize_memory_budget_pareto "
     "activation_checkpoint.preserve_rng_state activation_checkpoint.determinism_check",
     NULL, 0},
    {"activation_checkpoint.debug", "false", 0},
    // products of 8 bits
    {"*.enable_fsdp_float8_all_gather *.enable_fsdp_fp8_all_gather", "false", NEEDS_8BIT},
    {"*.precompute_float8_dynamic_scale_for_fsdp", NULL, 0},
    {"*.force_recompute_fp8_weight_in_bwd", "false", NEEDS_8BIT},
    {"*.recipe_name", "tensorwise|rowwise|mxfp8|mxfp8_cublas|mxfp8_cublas_rceil", NEEDS_8BIT},
    {"*.filter_fqns", SKIPPED, NEEDS_8BIT},
    {"*.fqns *.moe_fqns_prototype", NULL, 0},
    {"*.emulate", "false", NEEDS_8BIT},
    {"*.mxfp8_dim1_cast_kernel_choice *.use_fp8_dim1_cast_triton_kernel "
     "*.enable_float8_linear *.enable_fp8_linear training.fp8_linear",
     NULL, 0},
    {"*.scaling_type_input *.scaling_type_weight *.scaling_type_grad_output "
     "training.float8_scaling_type*",
     "dynamic", NEEDS_8BIT},
};

static const char *const sections[] = {"model",        "training",  "parallelism",
                                       "experimental", "optimizer", "activation_checkpoint",
                                       "compile",      NULL};

struct sorting {
    struct framework_reader *r;
    const struct titan_source *s;
    const struct titan_config *c;
};

static bool is_known(const void *self, const char *path, const cJSON *item)
{
    const struct titan_config *c = self;
    (void)item;
    return titan_knows(path) || (c->has_shape && strncmp(path, "model.", 6) == 0 &&
                                 !titan_is_model_switch(path + 6));
}

// ---- values of keys that the reader knows --------------------------------------------------------

// Records a known key with its value, or with `value` if it is not NULL.
static bool record(const struct sorting *t, enum titan_key key, const char *value)
{
    const char *path = titan_path(t->s->doc, key);
    const cJSON *item = titan_get(t->s->doc, key, NULL);
    char name[256];
    char *json = value == NULL ? pps_json_print_line(item) : NULL;
    if (value == NULL && json == NULL)
        return framework_no_memory(t->r);
    snprintf(name, sizeof name, "%s=%s", path, value != NULL ? value : json);
    cJSON_free(json);
    return framework_not_modelled(t->r, name, framework_key_at(t->s->doc, item));
}

// Whole parameters stay on the device.
static bool record_offload(const struct sorting *t)
{
    return !t->c->offload || t->c->reshard || record(t, TITAN_CPU_OFFLOAD, NULL);
}

static bool record_schedule(const struct sorting *t)
{
    const cJSON *csv = titan_get(t->s->doc, TITAN_SCHEDULE_CSV, NULL);
    return t->c->pp == 1 || !cJSON_IsString(csv) || *csv->valuestring == '\0' ||
           record(t, TITAN_SCHEDULE_CSV, csv->valuestring);
}

static bool record_overlap(const struct sorting *t)
{
    const bool on = cJSON_IsTrue(titan_get(t->s->doc, TITAN_EXPERT_OVERLAP, NULL));
    return !on || t->c->ep == 1 || t->c->pp == 1 ||
           strcmp(t->c->schedule.name, "DualPipeV") != 0 ||
           record(t, TITAN_EXPERT_OVERLAP, NULL);
}

// The lists of recomputed layers need the layers of the model.
static bool record_recompute(const struct sorting *t)
{
    const bool lists = t->c->layers != NULL || t->c->cannot_run.text[0] != '\0';
    if (t->c->recompute == TITAN_OTHER)
        return record(t, TITAN_CHECKPOINT_MODE, "memory_budget");
    return lists || t->c->recompute == TITAN_NONE ||
           titan_get(t->s->doc, TITAN_CHECKPOINT_MODE, NULL) == NULL ||
           record(t, TITAN_CHECKPOINT_MODE,
                  t->c->recompute == TITAN_FULL ? "full" : "selective");
}

// The estimate is that of compiled layers.
static bool record_compile(const struct sorting *t)
{
    const cJSON *on = titan_get(t->s->doc, TITAN_COMPILE, NULL), *item;
    const cJSON *components = titan_get(t->s->doc, TITAN_COMPONENTS, NULL);
    if (cJSON_IsFalse(on))
        return record(t, TITAN_COMPILE, NULL);
    if (!cJSON_IsTrue(on) || !cJSON_IsArray(components))
        return true;
    cJSON_ArrayForEach (item, components) {
        if (cJSON_IsString(item) && strcmp(item->valuestring, "model") == 0)
            return true;
    }
    return record(t, TITAN_COMPONENTS, NULL);
}

// ---- converters ---------------------------------------------------------------------------------

static bool is_8bit(const char *converter)
{
    return strncmp(converter, "quantize.", 9) == 0 || strcmp(converter, "float8") == 0 ||
           strcmp(converter, "mx") == 0;
}

static bool record_converters(const struct sorting *t, const struct titan_precision *precision)
{
    const cJSON *list = titan_get(t->s->doc, TITAN_CONVERTERS, NULL), *item;
    const char *key = precision->of_linear;
    const cJSON *at = key != NULL ? toml_get(t->s->doc, key) : NULL;
    char name[96];
    if (key != NULL)
        snprintf(name, sizeof name, "%s: linear layers, counted in %s", key,
                 precision->word != NULL ? precision->word : "bf16");
    if (key != NULL && !framework_not_modelled(t->r, name, framework_key_at(t->s->doc, at)))
        return false;
    cJSON_ArrayForEach (item, list) {
        if (!cJSON_IsString(item) || is_8bit(item->valuestring) ||
            strcmp(item->valuestring, "lora") == 0)
            continue;
        snprintf(name, sizeof name, "model.converters=%s", item->valuestring);
        const size_t own = framework_value_at(t->s->doc, item);
        if (!framework_not_modelled(t->r, name,
                                    own > 0 ? own : framework_value_at(t->s->doc, list)))
            return false;
    }
    return true;
}

// ---- all ----------------------------------------------------------------------------------------

static unsigned needs_of(const struct titan_config *c, const struct titan_precision *precision)
{
    const bool experts = c->flavor == NULL || c->has_shape || c->flavor->experts > 0;
    return (c->tp > 1 ? FRAMEWORK_NEEDS_TP : 0U) | (c->pp > 1 ? FRAMEWORK_NEEDS_PP : 0U) |
           (c->cp > 1 ? FRAMEWORK_NEEDS_CP : 0U) | (c->ep > 1 ? FRAMEWORK_NEEDS_EP : 0U) |
           (experts ? FRAMEWORK_NEEDS_EXPERTS : 0U) | (precision->any ? NEEDS_8BIT : 0U) |
           (c->recompute == TITAN_OPS ? NEEDS_OPS : 0U);
}

bool titan_sort_others(struct framework_reader *r, const struct titan_source *s,
                       const struct titan_config *c, const struct titan_precision *precision)
{
    const struct sorting t = {r, s, c};
    const struct framework_others others = {.table = harmless,
                                            .n = sizeof harmless / sizeof *harmless,
                                            .has = needs_of(c, precision),
                                            .known = is_known,
                                            .self = c,
                                            .sections = sections};
    return framework_sort_others(r, s->doc, &others) && record_schedule(&t) &&
           record_overlap(&t) && record_recompute(&t) && record_compile(&t) &&
           record_converters(&t, precision) && record_offload(&t);
}
