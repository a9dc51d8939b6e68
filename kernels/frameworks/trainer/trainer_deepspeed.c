// SPDX-License-Identifier: Apache-2.0
// Reads DeepSpeed configurations (JSON), alone or beside a trainer's arguments. Names and defaults follow
// deepspeed/runtime/config.py, zero/config.py and constants.py of v0.18 (docs/_pages/config-json.md). "auto"
// is a value that the trainer's arguments set.
//
// With bf16 or fp16 and a level of ZeRO above 0, gradients are summed in 16 bits (engine.py, get_data_types).
#include "kernels/frameworks/shell/shell_settings.h"
#include "kernels/frameworks/trainer/trainer_private.h"

#include "base/document/fault.h"

#include <string.h>
#include <strings.h>

static const struct trainer_path paths[] = {
    {"train_batch_size", TRAINER_GBS},
    {"train_micro_batch_size_per_gpu", TRAINER_MBS},
    {"gradient_accumulation_steps", TRAINER_ACCUMULATION},
    {"tensor_parallel.autotp_size", TRAINER_TP},
    {"tensor_parallel.tp_size", TRAINER_TP},
    {"pipeline.stages", TRAINER_PP},
    {"sequence_parallel_size", TRAINER_CP},
    {"zero_optimization.mics_shard_size", TRAINER_SHARDS},
    {"zero_optimization.stage", TRAINER_OTHER},
    {"bf16.enabled", TRAINER_OTHER},
    {"bfloat16.enabled", TRAINER_OTHER},
    {"fp16.enabled", TRAINER_OTHER},
    {"data_types.grad_accum_dtype", TRAINER_OTHER},
    {"zero_optimization.offload_optimizer.device", TRAINER_OTHER},
    {"zero_optimization.offload_optimizer.ratio", TRAINER_OTHER},
    {"zero_optimization.offload_param.device", TRAINER_OTHER},
    {"zero_optimization.cpu_offload", TRAINER_OTHER},
    {"activation_checkpointing.cpu_checkpointing", TRAINER_OTHER},
};

static const struct framework_harmless harmless[] = {
    {"zero_optimization.offload_optimizer zero_optimization.offload_param", NULL, 0},
    {"zero_optimization.cpu_offload_params", "false", 0},
    {"zero_optimization.zero_hpz_partition_size", "1", 0},
    {"zero_optimization.zero_quantized_weights zero_optimization.zero_quantized_gradients",
     "false", 0},
    {"zero_optimization.zero_quantized_nontrainable_weights", NULL, 0},
    {"zero_optimization.reduce_scatter", "true", 0},
    {"zero_optimization.overlap_comm", NULL, 0}, // of the stack
    {"zero_optimization", NULL, 0},              // sizes of buckets and of groups
    {"activation_checkpointing.partition_activations", "false", 0},
    {"activation_checkpointing fp16 bf16 bfloat16", NULL, 0},
    {"optimizer.type", "Adam|AdamW|adam|adamw|auto", 0},
    {"optimizer scheduler gradient_clipping gradient_predivide_factor prescale_gradients "
     "steps_per_print wall_clock_breakdown dump_state flops_profiler tensorboard wandb "
     "csv_monitor comms_logger monitor_config checkpoint",
     NULL, 0},
    {"data_efficiency.enabled", "false", 0},
    {"communication_data_type", "bf16|fp16|null", 0},
    {"zero_allow_untested_optimizer zero_force_ds_cpu_optimizer train_with_mixed_precision "
     "tensor_parallel pipeline",
     NULL, 0},
    {"hybrid_engine.enabled", "false", 0},
    {"aio _comment* comment*", NULL, 0},
};

static const struct trainer_dialect dialect = {paths, sizeof paths / sizeof *paths, harmless,
                                               sizeof harmless / sizeof *harmless};

static bool take_zero(struct trainer *t)
{
    const cJSON *stage = trainer_get(t, "zero_optimization.stage");
    t->zero = 0;
    t->zero_at = trainer_at(t, "zero_optimization.stage");
    if (stage == NULL)
        return true;
    if (!cJSON_IsNumber(stage) || stage->valuedouble < 0 || stage->valuedouble > 3)
        return trainer_fail(t, "zero_optimization.stage", "expected 0, 1, 2 or 3");
    t->zero = (int)stage->valuedouble;
    return true;
}

static void take_types(struct trainer *t)
{
    const char *sums = trainer_text(t, "data_types.grad_accum_dtype");
    t->half = trainer_is(t, "bf16.enabled", t->half && trainer_get(t, "bf16") != NULL) ||
              trainer_is(t, "bfloat16.enabled", false) ||
              trainer_is(t, "fp16.enabled", t->half && trainer_get(t, "fp16") != NULL);
    t->half_gradients = t->half && t->zero > 0 && !(sums != NULL && strcmp(sums, "fp32") == 0);
}

// cpu_offload is the old switch of the optimizer state.
static bool take_offload(struct trainer *t)
{
    const cJSON *ratio = trainer_get(t, "zero_optimization.offload_optimizer.ratio");
    const double share = cJSON_IsNumber(ratio) ? ratio->valuedouble : 1;
    if (!(share >= 0 && share <= 1))
        return trainer_fail(t, "zero_optimization.offload_optimizer.ratio",
                            "expected a number from 0 to 1");
    if (trainer_is(t, "activation_checkpointing.cpu_checkpointing", false)) {
        t->offload_checkpoints = true;
        t->offload_at = trainer_at(t, "activation_checkpointing.cpu_checkpointing");
    }
    if (trainer_is(t, "zero_optimization.cpu_offload", false)) {
        t->offload_optimizer = 1;
        t->offload_at = trainer_at(t, "zero_optimization.cpu_offload");
        return true;
    }
    return trainer_take_offload(t, "zero_optimization.offload_optimizer.device",
                                "zero_optimization.offload_param.device", share);
}

// Two of three batches give the third; the number of sequences of a step counts only where the
// accumulation does not follow from the arguments.
static void take_batch(struct trainer *t)
{
    if (trainer_number(t, TRAINER_ACCUMULATION, 0) > 0 && trainer_number(t, TRAINER_MBS, 0) > 0)
        t->numbers[TRAINER_GBS].value = 0;
}

// Gives values of another file the place of the key that names the file.
static void move_places(struct trainer *t, const int64_t before[N_TRAINER_NUMBERS], size_t at)
{
    for (int k = 0; k < N_TRAINER_NUMBERS; k++)
        if (t->numbers[k].value != before[k])
            t->numbers[k].at = at;
}

static bool take_all(struct trainer *t)
{
    if (!trainer_take_numbers(t, &dialect) || !take_zero(t))
        return false;
    take_types(t);
    take_batch(t);
    return take_offload(t);
}

bool trainer_take_deepspeed(struct trainer *t, const struct plaindoc *json, size_t at)
{
    int64_t before[N_TRAINER_NUMBERS];
    const size_t first = t->r->file->not_modelled.n, all_at = t->all_at;
    const struct plaindoc *own = t->doc;
    for (int k = 0; k < N_TRAINER_NUMBERS; k++)
        before[k] = t->numbers[k].value;
    t->doc = json;
    t->all_at = at;
    const bool ok = take_all(t) && trainer_sort_others(t, &dialect);
    t->doc = own;
    t->all_at = all_at;
    t->zero_at = t->offload_at = at;
    move_places(t, before, at);
    trainer_move_notes(t, first, at);
    return ok;
}

// ---- a file alone -------------------------------------------------------------------------------

static bool is_deepspeed(const struct plaindoc *document)
{
    const cJSON *root = document->root;
    return cJSON_IsObject(pps_json_member(root, "zero_optimization")) ||
           pps_json_member(root, "train_micro_batch_size_per_gpu") != NULL;
}

static bool read_deepspeed(struct framework_reader *r, const struct plaindoc *document)
{
    struct trainer t = {.r = r, .doc = document, .half = true, .recompute = "none"};
    if (!take_all(&t) || !trainer_sort_others(&t, &dialect))
        return false;
    if (trainer_number(&t, TRAINER_MBS, 0) == 0 &&
        !framework_not_modelled(
            r, "train_micro_batch_size_per_gpu of the trainer's arguments: counted as 1",
            trainer_at(&t, "train_micro_batch_size_per_gpu")))
        return false;
    return trainer_put(&t);
}

static bool write_deepspeed(struct framework_writer *w, const struct plaindoc *document)
{
    (void)document;
    return pps_fault_set(
        w->fault, NULL, false,
        "copies of DeepSpeed files are not written: the trainer's arguments have "
        "the degrees and the batch");
}

const struct framework_form deepspeed_form = {
    .framework = FRAMEWORK_TRAINER,
    .form = PLAINDOC_NONE,
    .is = is_deepspeed,
    .read = read_deepspeed,
    .write = write_deepspeed,
};
