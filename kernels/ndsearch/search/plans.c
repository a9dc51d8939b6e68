// SPDX-License-Identifier: Apache-2.0
// The user's document again, key by key, with other values.
#include "plans.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

// ---- names --------------------------------------------------------------------------------------

void nd_plan_name(const struct nd_plan *plan,
                  const struct nd_profile_run *run,
                  char name[ND_PLAN_NAME])
{
    static const char *const endings[] = {"yaml", "sh", "toml"};
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
    snprintf(name + n, ND_PLAN_NAME - (size_t)n, "_pretrain.%s", endings[plan->style]);
}

// ---- values -------------------------------------------------------------------------------------

static int64_t micro_batches(const struct nd_plan *plan, const struct nd_strategy *s)
{
    const int64_t mbs = plan->orig || s->mbs < 1 ? 1 : s->mbs;
    return s->dp < 1 ? 0 : plan->gbs / s->dp / mbs;
}

static int32_t micro_batch_size(const struct nd_strategy *s)
{
    return s->mbs < 1 ? 1 : s->mbs;
}

// As YAML and TOML have it, between double quotes.
static void add_string(struct textroom *text, const char *value)
{
    textroom_add(text, "\"");
    for (; *value != '\0'; value++)
        if (*value == '"' || *value == '\\')
            textroom_add(text, "\\%c", *value);
        else if (iscntrl((unsigned char)*value))
            textroom_add(text, "\\u%04x", (unsigned)(unsigned char)*value);
        else
            textroom_add(text, "%c", *value);
    textroom_add(text, "\"");
}

static bool is_scalar(const cJSON *item)
{
    return cJSON_IsNumber(item) || cJSON_IsBool(item) || cJSON_IsString(item);
}

static void add_scalar(struct textroom *text, const cJSON *item)
{
    if (cJSON_IsNumber(item))
        textroom_add_number(text, item->valuedouble);
    else if (cJSON_IsBool(item))
        textroom_add(text, cJSON_IsTrue(item) ? "true" : "false");
    else
        add_string(text, item->valuestring);
}

static bool is_flat_list(const cJSON *item)
{
    const cJSON *element;
    if (!cJSON_IsArray(item))
        return false;
    cJSON_ArrayForEach(element, item)
    {
        if (!is_scalar(element))
            return false;
    }
    return true;
}

static void add_list(struct textroom *text, const int32_t *values, int n)
{
    for (int k = 0; k < n; k++)
        textroom_add(text, k > 0 ? ", %d" : "%d", values[k]);
}

// A list of stages; the scalar 0 where the run has none.
static void add_stages(struct textroom *text, const int32_t *values, int n)
{
    textroom_add(text, n > 0 ? "[" : "0");
    add_list(text, values, n);
    textroom_add(text, n > 0 ? "]\n" : "\n");
}

// ---- the user's model ---------------------------------------------------------------------------

// Keys that the run has a value of its own for.
static bool is_ours(const struct nd_profile_run *run, const char *key)
{
    static const char *const keys[] = {"num_layers", "n_layers", "num_hidden_layers", "offset",
                                       "recompute"};
    if (run->layers == 0)
        return false;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (strcmp(key, keys[k]) == 0)
            return true;
    return false;
}

static bool is_plain_key(const char *key)
{
    if (*key == '\0' || isdigit((unsigned char)*key))
        return false;
    for (; *key != '\0'; key++)
        if (!isalnum((unsigned char)*key) && *key != '_')
            return false;
    return true;
}

// Every scalar and flat list of the user's model: "<indent><key><equals><value>".
static void add_model(struct textroom *text,
                      const struct nd_plan *plan,
                      const struct nd_profile_run *run,
                      const char *indent,
                      const char *equals)
{
    const cJSON *item, *element;
    cJSON_ArrayForEach(item, plan->model)
    {
        if (item->string == NULL || !is_plain_key(item->string) || is_ours(run, item->string) ||
            (!is_scalar(item) && !is_flat_list(item)))
            continue;
        textroom_add(text, "%s%s%s", indent, item->string, equals);
        if (is_scalar(item)) {
            add_scalar(text, item);
        } else {
            textroom_add(text, "[");
            cJSON_ArrayForEach(element, item)
            {
                if (element != item->child)
                    textroom_add(text, ", ");
                add_scalar(text, element);
            }
            textroom_add(text, "]");
        }
        textroom_add(text, "\n");
    }
}

// ---- graph: YAML --------------------------------------------------------------------------------

static void write_yaml(struct textroom *text,
                       const struct nd_plan *plan,
                       const struct nd_profile_run *run)
{
    const struct nd_strategy *s = &run->strategy;
    textroom_add(text, "parallel_config:\n  data_parallel: %d\n  model_parallel: %d\n", s->dp,
                 s->tp);
    textroom_add(text, "  pipeline_stage: %d\n  context_parallel: %d\n", s->pp, s->cp);
    if (!plan->dense && s->ep > 0)
        textroom_add(text, "  expert_parallel: %d\n", s->ep);
    textroom_add(text, "  use_seq_parallel: %s\n  micro_batch_num: %" PRId64 "\n",
                 s->sp ? "true" : "false", micro_batches(plan, s));
    textroom_add(
        text, "parallel:\n  parallel_optimizer_config:\n    optimizer_weight_shard_size: %d\n",
        s->op);
    textroom_add(text, "runner_config:\n  batch_size: %d\n", micro_batch_size(s));
    textroom_add(text, "recompute_config:\n  recompute: ");
    add_stages(text, run->recompute, run->n_stages);
    textroom_add(text, "model:\n  model_config:\n");
    add_model(text, plan, run, "    ", ": ");
    textroom_add(text, "    num_layers: %d\n    offset: ", run->layers);
    add_stages(text, run->split, run->n_stages);
    textroom_add(text, "profile: true\nprofile_start_step: 4\nprofile_stop_step: 6\n");
}

// ---- megatron: variables ------------------------------------------------------------------------

static void write_shell(struct textroom *text,
                        const struct nd_plan *plan,
                        const struct nd_profile_run *run)
{
    const struct nd_strategy *s = &run->strategy;
    textroom_add(text, "NNODES=%d\nGPUS_PER_NODE=%d\n", run->nodes, run->node_devices);
    textroom_add(text, "DP=%d\nTP=%d\nPP=%d\nCP=%d\n", s->dp, s->tp, s->pp, s->cp);
    if (!plan->dense && s->ep > 0)
        textroom_add(text, "EP=%d\n", s->ep);
    textroom_add(text, "SEQUENCE_PARALLEL=%s\nMBS=%d\nGBS=%" PRId64 "\n",
                 s->sp ? "true" : "false", micro_batch_size(s),
                 micro_batches(plan, s) * micro_batch_size(s) * s->dp);
    textroom_add(text, "MICRO_BATCH_NUM=%" PRId64 "\nNUM_LAYERS=%d\n", micro_batches(plan, s),
                 run->layers);
    textroom_add(text, "PIPELINE_NUM_LAYERS=");
    for (int k = 0; k < run->n_stages; k++)
        textroom_add(text, k > 0 ? ",%d" : "%d", run->split[k]);
    textroom_add(text, "\nFIRST_K_DENSE_REPLACE=3\nRECOMPUTE_NUM_LAYERS=%d\n",
                 run->recompute[0]);
    if (plan->seq_length > 0)
        textroom_add(text, "SEQ_LEN=%" PRId64 "\n", plan->seq_length);
    textroom_add(text, "PROFILE=true\nPROFILE_STEP_START=5\nPROFILE_STEP_END=7\n");
    textroom_add(text, "PROFILE_RANKS=\"%d %d\"\n", run->record_ranks[0], run->record_ranks[1]);
}

// ---- fsdp: TOML ---------------------------------------------------------------------------------

static void write_toml(struct textroom *text,
                       const struct nd_plan *plan,
                       const struct nd_profile_run *run)
{
    const struct nd_strategy *s = &run->strategy;
    const int32_t shards = s->op == -1 ? s->dp : s->op;
    textroom_add(text, "[parallelism]\ndata_parallel_replicate_degree = %d\n",
                 shards > 0 ? s->dp / shards : 1);
    textroom_add(text, "data_parallel_shard_degree = %d\ntensor_parallel_degree = %d\n", s->op,
                 s->tp);
    textroom_add(text, "pipeline_parallel_degree = %d\ncontext_parallel_degree = %d\n", s->pp,
                 s->cp);
    if (!plan->dense && s->ep > 0)
        textroom_add(text, "expert_parallel_degree = %d\n", s->ep);
    textroom_add(text, "\n[training]\nlocal_batch_size = %d\nglobal_batch_size = %" PRId64 "\n",
                 micro_batch_size(s), plan->gbs);
    textroom_add(text, "micro_batch_num = %" PRId64 "\n", micro_batches(plan, s));
    if (plan->seq_length > 0)
        textroom_add(text, "seq_len = %" PRId64 "\n", plan->seq_length);
    textroom_add(text, "\n[profiling]\nenable_profiling = true\nprofile_freq = 20\n");
    textroom_add(text, "\n[model]\n");
    add_model(text, plan, run, "", " = ");
}

void nd_plan_write(struct textroom *text,
                   const struct nd_plan *plan,
                   const struct nd_profile_run *run)
{
    if (plan->style == ND_PROFILE_GRAPH)
        write_yaml(text, plan, run);
    else if (plan->style == ND_PROFILE_MEGATRON)
        write_shell(text, plan, run);
    else
        write_toml(text, plan, run);
}
