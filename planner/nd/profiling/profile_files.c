// SPDX-License-Identifier: Apache-2.0
// Copies the user's document key by key with changed values.
#include "planner/nd/profiling/profile_files.h"

#include "base/edit/plain_write.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>

// ---- names --------------------------------------------------------------------------------------

void nd_plan_name(const struct nd_plan *plan, const struct nd_profile_run *run,
                  char name[ND_PLAN_NAME])
{
    static const char *const endings[] = {".yaml", ".sh", ".toml"};
    const struct nd_strategy *s = &run->strategy;
    int n = snprintf(name, ND_PLAN_NAME, "DP%d_TP%d_PP%d", s->dp, s->tp, s->pp);
    if (!plan->dense && s->ep > 0)
        n += snprintf(name + n, ND_PLAN_NAME - (size_t)n, "_EP%d", s->ep);
    if (plan->style == ND_PROFILE_FSDP)
        n += snprintf(name + n, ND_PLAN_NAME - (size_t)n, "_CP%d_FSDP%d", s->cp, s->op);
    else if (!plan->orig && s->cp > 1)
        n += snprintf(name + n, ND_PLAN_NAME - (size_t)n, "_CP%d", s->cp);
    if (!plan->orig && s->mbs > 1)
        n += snprintf(name + n, ND_PLAN_NAME - (size_t)n, "_MBS%d", s->mbs);
    if (!plan->orig && !s->sp && s->tp > 1)
        n += snprintf(name + n, ND_PLAN_NAME - (size_t)n, "_NOSP");
    snprintf(name + n, ND_PLAN_NAME - (size_t)n, "_pretrain%s",
             plan->ending != NULL ? plan->ending : endings[plan->style]);
}

// ---- values -------------------------------------------------------------------------------------

int64_t nd_plan_micro_batches(const struct nd_plan *plan, const struct nd_profile_run *run)
{
    const struct nd_strategy *s = &run->strategy;
    const int64_t mbs = plan->orig || s->mbs < 1 ? 1 : s->mbs;
    return s->dp < 1 ? 0 : plan->gbs / s->dp / mbs;
}

static int32_t micro_batch_size(const struct nd_strategy *s)
{
    return s->mbs < 1 ? 1 : s->mbs;
}

// ---- trees --------------------------------------------------------------------------------------

// A document that is being made.
struct draft {
    const struct nd_plan *plan;
    const struct nd_profile_run *run;
    cJSON *root;
    bool failed; // no memory
};

static cJSON *add(struct draft *draft, cJSON *map, const char *key, cJSON *item)
{
    if (item != NULL && cJSON_AddItemToObject(map, key, item))
        return item;
    cJSON_Delete(item);
    draft->failed = true;
    return NULL;
}

static cJSON *add_map(struct draft *draft, cJSON *map, const char *key)
{
    return add(draft, map, key, cJSON_CreateObject());
}

static void add_number(struct draft *draft, cJSON *map, const char *key, int64_t value)
{
    add(draft, map, key, cJSON_CreateNumber((double)value));
}

static void add_switch(struct draft *draft, cJSON *map, const char *key, bool on)
{
    add(draft, map, key, cJSON_CreateBool(on));
}

// A list of stages; the scalar 0 where the run has none.
static void add_stages(struct draft *draft, cJSON *map, const char *key, const int32_t *values)
{
    const int n = draft->run->n_stages;
    add(draft, map, key, n > 0 ? cJSON_CreateIntArray(values, n) : cJSON_CreateNumber(0));
}

// The user's model, without keys that the run has a value of its own for.
static cJSON *add_model(struct draft *draft, cJSON *map, const char *key)
{
    static const char *const ours[] = {"num_layers", "n_layers", "num_hidden_layers", "offset",
                                       "recompute"};
    const cJSON *user = draft->plan->model;
    cJSON *model =
        add(draft, map, key, user != NULL ? cJSON_Duplicate(user, true) : cJSON_CreateObject());
    for (size_t k = 0; k < sizeof ours / sizeof *ours && draft->run->layers > 0; k++)
        cJSON_DeleteItemFromObjectCaseSensitive(model, ours[k]);
    return model;
}

// ---- graph: YAML --------------------------------------------------------------------------------

static void draft_graph(struct draft *draft)
{
    const struct nd_plan *plan = draft->plan;
    const struct nd_profile_run *run = draft->run;
    const struct nd_strategy *s = &run->strategy;
    cJSON *root = draft->root, *map = add_map(draft, root, "parallel_config");
    add_number(draft, map, "data_parallel", s->dp);
    add_number(draft, map, "model_parallel", s->tp);
    add_number(draft, map, "pipeline_stage", s->pp);
    add_number(draft, map, "context_parallel", s->cp);
    if (!plan->dense && s->ep > 0)
        add_number(draft, map, "expert_parallel", s->ep);
    add_switch(draft, map, "use_seq_parallel", s->sp);
    add_number(draft, map, "micro_batch_num", nd_plan_micro_batches(plan, run));
    map = add_map(draft, add_map(draft, root, "parallel"), "parallel_optimizer_config");
    add_number(draft, map, "optimizer_weight_shard_size", s->op);
    add_number(draft, add_map(draft, root, "runner_config"), "batch_size", micro_batch_size(s));
    add_stages(draft, add_map(draft, root, "recompute_config"), "recompute", run->recompute);
    map = add_model(draft, add_map(draft, root, "model"), "model_config");
    add_number(draft, map, "num_layers", run->layers);
    add_stages(draft, map, "offset", run->split);
    add_switch(draft, root, "profile", true);
    add_number(draft, root, "profile_start_step", 4);
    add_number(draft, root, "profile_stop_step", 6);
}

// ---- fsdp: TOML ---------------------------------------------------------------------------------

static void draft_fsdp(struct draft *draft)
{
    const struct nd_plan *plan = draft->plan;
    const struct nd_strategy *s = &draft->run->strategy;
    const int32_t shards = s->op == -1 ? s->dp : s->op;
    cJSON *root = draft->root, *map = add_map(draft, root, "parallelism");
    add_number(draft, map, "data_parallel_replicate_degree", shards > 0 ? s->dp / shards : 1);
    add_number(draft, map, "data_parallel_shard_degree", s->op);
    add_number(draft, map, "tensor_parallel_degree", s->tp);
    add_number(draft, map, "pipeline_parallel_degree", s->pp);
    add_number(draft, map, "context_parallel_degree", s->cp);
    if (!plan->dense && s->ep > 0)
        add_number(draft, map, "expert_parallel_degree", s->ep);
    map = add_map(draft, root, "training");
    add_number(draft, map, "local_batch_size", micro_batch_size(s));
    add_number(draft, map, "global_batch_size", plan->gbs);
    add_number(draft, map, "micro_batch_num", nd_plan_micro_batches(plan, draft->run));
    if (plan->seq_length > 0)
        add_number(draft, map, "seq_len", plan->seq_length);
    map = add_map(draft, root, "profiling");
    add_switch(draft, map, "enable_profiling", true);
    add_number(draft, map, "profile_freq", 20);
    add_model(draft, root, "model");
}

static void write_tree(struct text_buffer *text, const struct nd_plan *plan,
                       const struct nd_profile_run *run)
{
    const bool graph = plan->style == ND_PROFILE_GRAPH;
    struct draft draft = {plan, run, cJSON_CreateObject(), false};
    if (graph)
        draft_graph(&draft);
    else
        draft_fsdp(&draft);
    if (draft.root != NULL)
        docwrite(text, graph ? PLAINDOC_YAML : PLAINDOC_TOML, draft.root);
    text->failed |= draft.failed;
    cJSON_Delete(draft.root);
}

// ---- megatron: variables ------------------------------------------------------------------------

static void write_shell(struct text_buffer *text, const struct nd_plan *plan,
                        const struct nd_profile_run *run)
{
    const struct nd_strategy *s = &run->strategy;
    text_buffer_add(text, "NNODES=%d\nGPUS_PER_NODE=%d\n", run->nodes, run->node_devices);
    text_buffer_add(text, "DP=%d\nTP=%d\nPP=%d\nCP=%d\n", s->dp, s->tp, s->pp, s->cp);
    if (!plan->dense && s->ep > 0)
        text_buffer_add(text, "EP=%d\n", s->ep);
    text_buffer_add(text, "SEQUENCE_PARALLEL=%s\nMBS=%d\nGBS=%" PRId64 "\n",
                    s->sp ? "true" : "false", micro_batch_size(s),
                    nd_plan_micro_batches(plan, run) * micro_batch_size(s) * s->dp);
    text_buffer_add(text, "MICRO_BATCH_NUM=%" PRId64 "\nNUM_LAYERS=%d\n",
                    nd_plan_micro_batches(plan, run), run->layers);
    text_buffer_add(text, "PIPELINE_NUM_LAYERS=");
    for (int k = 0; k < run->n_stages; k++)
        text_buffer_add(text, k > 0 ? ",%d" : "%d", run->split[k]);
    text_buffer_add(text, "\nFIRST_K_DENSE_REPLACE=3\nRECOMPUTE_NUM_LAYERS=%d\n",
                    run->recompute[0]);
    if (plan->seq_length > 0)
        text_buffer_add(text, "SEQ_LEN=%" PRId64 "\n", plan->seq_length);
    text_buffer_add(text, "PROFILE=true\nPROFILE_STEP_START=5\nPROFILE_STEP_END=7\n");
    text_buffer_add(text, "PROFILE_RANKS=\"%d %d\"\n", run->record_ranks[0],
                    run->record_ranks[1]);
}

void nd_plan_write(struct text_buffer *text, const struct nd_plan *plan,
                   const struct nd_profile_run *run)
{
    if (plan->style == ND_PROFILE_MEGATRON)
        write_shell(text, plan, run);
    else
        write_tree(text, plan, run);
}
