// SPDX-License-Identifier: Apache-2.0
// Reads recipes of Megatron-Bridge: Python functions that return a configuration, and launch lines that name a recipe
// and override its values. Names and defaults follow src/megatron/bridge/recipes/common.py and
// scripts/training/run_recipe.py of August 2026 (067f987df).
#include "base/document/fault.h"
#include "kernels/frameworks/python/python.h"
#include "kernels/frameworks/shell/shell_edit.h"
#include "kernels/frameworks/trainer/bridge_recipes.h"
#include "kernels/frameworks/trainer/trainer_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct trainer_path paths[] = {
    {"model.tensor_model_parallel_size", TRAINER_TP},
    {"model.pipeline_model_parallel_size", TRAINER_PP},
    {"model.virtual_pipeline_model_parallel_size", TRAINER_VP},
    {"model.context_parallel_size", TRAINER_CP},
    {"model.expert_model_parallel_size", TRAINER_EP},
    {"model.expert_tensor_parallel_size", TRAINER_ETP},
    {"ddp.num_distributed_optimizer_instances", TRAINER_REPLICATE},
    {"train.micro_batch_size", TRAINER_MBS},
    {"train.global_batch_size", TRAINER_GBS},
    {"dataset.sequence_length", TRAINER_SEQ},
    {"dataset.seq_length", TRAINER_SEQ},
    {"model.seq_length", TRAINER_SEQ},
    // flags of run_recipe.py
    {"tensor_model_parallel_size", TRAINER_TP},
    {"pipeline_model_parallel_size", TRAINER_PP},
    {"context_parallel_size", TRAINER_CP},
    {"expert_model_parallel_size", TRAINER_EP},
    {"micro_batch_size", TRAINER_MBS},
    {"global_batch_size", TRAINER_GBS},
    {"seq_length", TRAINER_SEQ},
    {"nodes", TRAINER_NODES},
    {"nnodes", TRAINER_NODES},
    {"gpus_per_node", TRAINER_PER_NODE},
    {"nproc_per_node", TRAINER_PER_NODE},
    {"model.sequence_parallel", TRAINER_OTHER},
    {"model.recompute_granularity", TRAINER_OTHER},
    {"model.recompute_method", TRAINER_OTHER},
    {"model.recompute_num_layers", TRAINER_OTHER},
    {"model.recompute_modules", TRAINER_OTHER},
    {"model.cross_entropy_loss_fusion", TRAINER_OTHER},
    {"ddp.use_distributed_optimizer", TRAINER_OTHER},
    {"ddp.use_megatron_fsdp", TRAINER_OTHER},
    {"ddp.data_parallel_sharding_strategy", TRAINER_OTHER},
    {"ddp.grad_reduce_in_fp32", TRAINER_OTHER},
    {"mixed_precision", TRAINER_OTHER},
    {"mixed_precision.fp8", TRAINER_OTHER},
    {"mixed_precision.fp8_recipe", TRAINER_OTHER},
    {"mixed_precision.grad_reduce_in_fp32", TRAINER_OTHER},
    {"peft", TRAINER_OTHER},
    {"peft.dim", TRAINER_RANK},
    {"peft.target_modules", TRAINER_OTHER},
    {"recipe", TRAINER_OTHER},
    {"mode", TRAINER_OTHER},
    {"optimizer.optimizer_cpu_offload", TRAINER_OTHER},
    {"optimizer.optimizer_offload_fraction", TRAINER_OTHER},
};

static const struct framework_harmless harmless[] = {
    {"model.cuda_graph_impl", "none", 0},
    {"model.cuda_graph*", NULL, 0},
    {"model.pipeline_model_parallel_layout", "null|None", 0},
    {"model.num_layers_in_first_pipeline_stage model.num_layers_in_last_pipeline_stage", "null",
     0},
    {"model.account_for_*", "false", 0},
    {"model.moe_token_dispatcher_type", "alltoall", 0},
    {"model.fine_grained_activation_offloading", "false", 0},
    {"model.offload_modules", "[]|null", 0},
    {"model.cpu_offloading", "false", 0},
    {"model.mtp_num_layers", NULL, 0},
    {"model", NULL, 0}, // kernels, initial values, routing
    {"optimizer.use_precision_aware_optimizer", "false", 0},
    {"optimizer", NULL, 0},
    {"mixed_precision.fp8_param_gather", "false", 0},
    {"mixed_precision", NULL, 0},
    {"comm_overlap", NULL, 0}, // of the stack
    {"ddp train validation scheduler tokenizer dataset logger checkpoint rng dist "
     "profiling env_vars ft rerun_state_machine straggler tensor_inspect nvrx_straggler "
     "inprocess_restart *._call *._args _call _args $* account partition container* "
     "step_func max_steps save_dir node_rank master_* rdzv* standalone",
     NULL, 0},
};

static const struct trainer_dialect dialect = {paths, sizeof paths / sizeof *paths, harmless,
                                               sizeof harmless / sizeof *harmless};

static bool is_known(const char *path)
{
    return trainer_knows(&dialect, path);
}

// ---- values -------------------------------------------------------------------------------------

// A recipe of precision is a text, or a function of its name: "bf16_mixed", bf16_with_mxfp8_mixed().
static bool take_precision(struct trainer *t)
{
    const char *recipe = trainer_text(t, "mixed_precision");
    const cJSON *unnamed = cJSON_GetArrayItem(settings_get(t->doc, "mixed_precision._args"), 0);
    const char *word = trainer_text(t, "mixed_precision.fp8_recipe");
    if (recipe == NULL)
        recipe = cJSON_IsString(unnamed) ? unnamed->valuestring
                                         : trainer_text(t, "mixed_precision._call");
    t->half = true;
    t->half_gradients = !trainer_is(t, "ddp.grad_reduce_in_fp32", true) ||
                        !trainer_is(t, "mixed_precision.grad_reduce_in_fp32", true);
    if (recipe == NULL)
        return true;
    if (strstr(recipe, "fp4") != NULL || strcmp(recipe, "?") == 0)
        return framework_not_modelled(t->r, "mixed_precision: counted as bf16",
                                      trainer_at(t, "mixed_precision"));
    if (strstr(recipe, "fp8") != NULL || trainer_get(t, "mixed_precision.fp8") != NULL)
        t->precision =
            strstr(recipe, "mxfp8") != NULL || (word != NULL && strstr(word, "mxfp8") != NULL)
                ? "mxfp8"
                : "fp8";
    return true;
}

static void take_sharding(struct trainer *t)
{
    const char *kind = trainer_text(t, "ddp.data_parallel_sharding_strategy");
    t->zero = trainer_is(t, "ddp.use_distributed_optimizer", true);
    t->zero_at = trainer_at(t, "ddp.use_distributed_optimizer");
    if (trainer_is(t, "ddp.use_megatron_fsdp", false))
        t->zero = kind == NULL || strcmp(kind, "optim_grads_params") == 0 ? 3
                  : strcmp(kind, "optim_grads") == 0                      ? 2
                                                                          : 1;
}

static void take_offload(struct trainer *t)
{
    static const char path[] = "optimizer.optimizer_cpu_offload";
    const cJSON *share = trainer_get(t, "optimizer.optimizer_offload_fraction");
    if (!trainer_is(t, path, false))
        return;
    t->offload_optimizer =
        cJSON_IsNumber(share) && share->valuedouble >= 0 && share->valuedouble <= 1
            ? share->valuedouble
            : 1;
    t->offload_at = trainer_at(t, path);
}

static bool take_recompute(struct trainer *t)
{
    const char *part = trainer_text(t, "model.recompute_granularity");
    const char *method = trainer_text(t, "model.recompute_method");
    t->recompute = part == NULL ? "none" : strcmp(part, "full") == 0 ? "full" : "select";
    t->recompute_at = trainer_at(t, "model.recompute_granularity");
    return part == NULL || method == NULL || strcmp(method, "block") != 0 ||
           framework_not_modelled(t->r, "model.recompute_method=block: counted as every layer",
                                  trainer_at(t, "model.recompute_method"));
}

// LoRA(dim=..., target_modules=[...]), CanonicalLoRA(...), default_peft_config("lora", ...), or "lora": Megatron-Bridge
// 067f987d has rank 32 and all matrices of a layer.
static bool take_adapters(struct trainer *t)
{
    enum { RANK = 32 };
    const cJSON *peft = trainer_get(t, "peft");
    const cJSON *call = pps_json_member(peft, "_call"), *scheme = peft;
    const char *mode = trainer_text(t, "mode");
    if (cJSON_IsString(call) && strcmp(call->valuestring, "default_peft_config") == 0)
        scheme = cJSON_GetArrayItem(pps_json_member(peft, "_args"), 0);
    else if (cJSON_IsString(call))
        scheme = call;
    const char *name = cJSON_IsString(scheme) ? scheme->valuestring : NULL;
    if (peft == NULL && mode != NULL &&
        (strcmp(mode, "lora") == 0 || strcmp(mode, "dora") == 0))
        return trainer_fail(t, "mode", "only the training of all parameters is known here");
    if (peft == NULL || (name != NULL && strcasecmp(name, "none") == 0))
        return true;
    const bool canonical = name != NULL && strcmp(name, "CanonicalLoRA") == 0;
    const bool open = name != NULL && scheme != peft && scheme != call && *name == '?';
    if (open && !framework_not_modelled(t->r, "peft: counted as LoRA, the default of recipes",
                                        trainer_at(t, "peft")))
        return false;
    if (name == NULL || (strcasecmp(name, "lora") != 0 && !canonical && !open))
        return trainer_fail(t, "peft",
                            "only LoRA and the training of all parameters are known here; "
                            "write LoRA(dim=32, target_modules=[...])");
    trainer_set(t, TRAINER_RANK, RANK, trainer_at(t, "peft"));
    return trainer_take_adapters(t, "peft.target_modules",
                                 canonical ? trainer_single_matrices : trainer_fused_matrices);
}

static bool fill(struct trainer *t)
{
    const cJSON *names = settings_get(t->doc, "model._args");
    const cJSON *model = cJSON_GetArrayItem(names, 0);
    if (!take_adapters(t))
        return false;
    if (cJSON_IsString(model)) {
        t->model = model->valuestring;
        t->model_at = trainer_at(t, "model");
    }
    if (!trainer_take_numbers(t, &dialect))
        return false;
    if (trainer_number(t, TRAINER_MBS, 0) == 0)
        trainer_set(t, TRAINER_MBS, 2, t->all_at);
    if (trainer_number(t, TRAINER_GBS, 0) == 0)
        trainer_set(t, TRAINER_GBS, 32, t->all_at);
    t->sp = trainer_is(t, "model.sequence_parallel", false);
    t->fused_loss = trainer_is(t, "model.cross_entropy_loss_fusion", false);
    take_sharding(t);
    take_offload(t);
    return take_precision(t) && take_recompute(t) && trainer_sort_others(t, &dialect);
}

// The number of devices is a part of a recipe's name: ..._16gpu_h100_...
static void take_devices(struct trainer *t, const char *name)
{
    const char *sign = strstr(name, "gpu_");
    long n = 0;
    while (sign != NULL && sign > name && sign[-1] >= '0' && sign[-1] <= '9')
        sign--;
    n = sign != NULL ? strtol(sign, NULL, 10) : 0;
    if (n > 0 && n <= 1 << 20 && trainer_number(t, TRAINER_PER_NODE, 0) == 0)
        trainer_set(t, TRAINER_DEVICES, n, t->all_at);
}

// ---- Python -------------------------------------------------------------------------------------

struct opened_python {
    struct python_functions functions;
    const char *name;
    struct plaindoc settings;
    struct trainer t;
};

static bool is_recipe(const struct plaindoc *settings)
{
    const cJSON *train = pps_json_member(settings->root, "train");
    return pps_json_member(settings->root, "model") != NULL && train != NULL;
}

// Finds the recipe that the user names, or the only one. *n: how many there are.
static void choose(struct opened_python *o, const struct plaindoc *document, const char *choice,
                   size_t *n)
{
    *n = 0;
    python_find_functions(&o->functions, document->text);
    for (size_t k = 0; k < o->functions.n; k++) {
        const char *name = o->functions.list[k].name;
        if ((choice != NULL && strcmp(choice, name) != 0) ||
            !python_read(&o->settings, document->text, document->n, &o->functions, name))
            continue;
        if (is_recipe(&o->settings)) {
            o->name = name;
            ++*n;
        }
        settings_free(&o->settings);
    }
}

static bool open_python(struct opened_python *o, struct framework_reader *r,
                        const struct plaindoc *document)
{
    size_t n;
    const char *choice = r->beside != NULL ? r->beside->choice : NULL;
    choose(o, document, choice, &n);
    if (n == 0)
        return framework_fail(
            r, 0,
            "%.80s: sets no model and no training of Megatron-Bridge as values; "
            "name another file, or a function of it as FILE.py:NAME",
            choice != NULL ? choice : "the file");
    if (n != 1)
        return framework_fail(
            r, 0,
            "%zu functions of this file return a configuration of Megatron-Bridge: "
            "write FILE.py:NAME%s%.80s",
            n, n > 0 ? ", as NAME = " : "", n > 0 ? o->name : "");
    if (!python_read(&o->settings, document->text, document->n, &o->functions, o->name))
        return framework_no_memory(r);
    o->t = (struct trainer){.r = r, .doc = &o->settings};
    if (fill(&o->t)) {
        take_devices(&o->t, o->name);
        return true;
    }
    settings_free(&o->settings);
    return false;
}

static bool is_python(const struct plaindoc *document)
{
    return strstr(document->text, "megatron.bridge") != NULL;
}

static bool read_python(struct framework_reader *r, const struct plaindoc *document)
{
    struct opened_python o;
    if (!open_python(&o, r, document))
        return false;
    const bool ok = trainer_put(&o.t);
    settings_free(&o.settings);
    return ok;
}

// ---- launch lines -------------------------------------------------------------------------------

static bool needs(const char *path)
{
    return trainer_needs(&dialect, path);
}

static bool put_recipe(struct trainer_script *o)
{
    const char *name = trainer_text(&o->t, "recipe");
    const struct bridge_recipe *recipe = name != NULL ? bridge_recipe_find(name) : NULL;
    const size_t at = trainer_at(&o->t, "recipe");
    cJSON *names;
    if (recipe == NULL)
        return trainer_fail(
            &o->t, "recipe",
            "%.80s: the values of this recipe are not known here; name its file: "
            "ppsweep check FILE.py:NAME",
            name != NULL ? name : "missing");
    if (settings_get(&o->settings, "model") == NULL &&
        !settings_put(&o->settings, "model", cJSON_CreateObject(), at))
        return framework_no_memory(o->t.r);
    names = cJSON_CreateArray();
    cJSON_AddItemToArray(names, cJSON_CreateString(recipe->model));
    return (settings_put(&o->settings, "model._args", names, at) &&
            settings_put_defaults(&o->settings, recipe->values + 1, at)) ||
           framework_no_memory(o->t.r);
}

static bool open_script(struct trainer_script *o, struct framework_reader *r,
                        const struct plaindoc *document)
{
    if (!shell_read(&o->script, document->text, document->n, r->fault))
        return false;
    o->command = settings_command(&o->script, is_known);
    if (!settings_read(&o->settings, &o->script, o->command, needs, r->fault)) {
        shell_free(&o->script);
        return false;
    }
    o->t = (struct trainer){.r = r, .doc = &o->settings, .all_at = (size_t)o->command->from};
    const char *name = trainer_text(&o->t, "recipe");
    if (put_recipe(o) && fill(&o->t)) {
        take_devices(&o->t, bridge_recipe_find(name)->function);
        return true;
    }
    trainer_script_close(o);
    return false;
}

static bool is_script(const struct plaindoc *document)
{
    struct shell_script script;
    struct pps_fault fault;
    const struct shell_command *command;
    if (document->root != NULL || strstr(document->text, "--recipe") == NULL ||
        !shell_read(&script, document->text, document->n, &fault))
        return false;
    command = settings_command(&script, is_known);
    shell_free(&script);
    return command != NULL;
}

static bool read_script(struct framework_reader *r, const struct plaindoc *document)
{
    struct trainer_script o;
    if (!open_script(&o, r, document))
        return false;
    const bool ok = trainer_put(&o.t);
    trainer_script_close(&o);
    return ok;
}

// ---- changed copies -----------------------------------------------------------------------------

static bool can_add(const struct trainer_writer *w, const char *path)
{
    (void)w;
    return strncmp(path, "model.", 6) == 0 || strncmp(path, "train.", 6) == 0 ||
           strncmp(path, "ddp.", 4) == 0;
}

static bool set_item(struct trainer_writer *w, const char *path, cJSON *value)
{
    const bool ok = value != NULL && w->set(w, path, value);
    cJSON_Delete(value);
    return ok;
}

static bool set_sp(struct trainer_writer *w, bool on)
{
    return set_item(w, "model.sequence_parallel", cJSON_CreateBool(on));
}

static bool set_batch(struct trainer_writer *w, int64_t all)
{
    const bool flag = trainer_get(w->old, "global_batch_size") != NULL;
    return !flag ? set_item(w, "train.global_batch_size", cJSON_CreateNumber((double)all))
                 : trainer_fail(w->old, "global_batch_size",
                                "write train.global_batch_size=%lld in place "
                                "of this argument",
                                (long long)all);
}

static bool set_recompute(struct trainer_writer *w, const char *word)
{
    const bool full = strcmp(word, "full") == 0, none = strcmp(word, "none") == 0;
    return set_item(w, "model.recompute_granularity",
                    none ? cJSON_CreateNull()
                         : cJSON_CreateString(full ? "full" : "selective")) &&
           (!full || (set_item(w, "model.recompute_method", cJSON_CreateString("uniform")) &&
                      set_item(w, "model.recompute_num_layers", cJSON_CreateNumber(1))));
}

static bool write_script(struct framework_writer *w, const struct plaindoc *document)
{
    const struct trainer_writer writer = {.dialect = &dialect,
                                          .can_add = can_add,
                                          .set_sp = set_sp,
                                          .set_batch = set_batch,
                                          .set_recompute = set_recompute};
    return trainer_write_launch(w, document, FRAMEWORK_BRIDGE, open_script, writer);
}

static bool write_python(struct framework_writer *w, const struct plaindoc *document)
{
    (void)document;
    return pps_fault_set(
        w->fault, NULL, false,
        "copies of recipes of Megatron-Bridge are not written; a launch line with overrides is: "
        "run_recipe.py --recipe NAME model.tensor_model_parallel_size=8");
}

const struct framework_form bridge_python_form = {
    .framework = FRAMEWORK_BRIDGE,
    .form = PLAINDOC_PYTHON,
    .is = is_python,
    .read = read_python,
    .write = write_python,
};

const struct framework_form bridge_script_form = {
    .framework = FRAMEWORK_BRIDGE,
    .form = PLAINDOC_FLAT,
    .is = is_script,
    .read = read_script,
    .write = write_script,
};
