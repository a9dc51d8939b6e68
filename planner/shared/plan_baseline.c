// SPDX-License-Identifier: Apache-2.0
// Derives the number of data-parallel ranks of a baseline, and what depends on it.
#include "planner/shared/plan_baseline.h"

#include "base/document/fault.h"
#include "planner/shared/files.h"

#include <stdio.h>

// ---- plan written -------------------------------------------------------------------------------

static enum pps_status fail_reading(struct plan_written *written, struct pps_error *err)
{
    if (err->code != PPS_E_INPUT)
        return err->code;
    snprintf(written->why, sizeof written->why, "read back, line %d: %.480s", err->line,
             err->text);
    *err = (struct pps_error){.code = PPS_OK};
    return PPS_OK;
}

// A file with another batch or other sequences is another training.
static void compare(struct plan_written *written, const struct plan_run *like)
{
    const struct plan_run *run = &written->run;
    written->can_run = run->training.gbs == like->training.gbs &&
                       run->model.seq_length == like->model.seq_length;
    if (!written->can_run)
        snprintf(written->why, sizeof written->why,
                 "the file has %lld sequences of %lld tokens per step, not %lld of %lld",
                 (long long)run->training.gbs, (long long)run->model.seq_length,
                 (long long)like->training.gbs, (long long)like->model.seq_length);
}

enum pps_status plan_written_read(struct plan_written *written, const struct pps_args *args,
                                  const struct plan_run *like, const struct plan_text *text,
                                  struct pps_error *err)
{
    *written = (struct plan_written){.can_run = false};
    enum pps_status status = plan_run_open_with(&written->run, args, text, err);
    if (status != PPS_OK)
        return fail_reading(written, err);
    written->run.instead = NULL;
    if (plan_run_configuration(like) == NULL) {
        written->run.cluster = like->cluster;
        written->run.training.stack = like->training.stack;
    }
    return PPS_OK;
}

enum pps_status plan_written_open(struct plan_written *written, const struct pps_args *args,
                                  const struct plan_run *like, const struct plan_text *text,
                                  struct poll *poll, struct pps_error *err)
{
    enum pps_status status = plan_written_read(written, args, like, text, err);
    if (status != PPS_OK || written->run.n_documents == 0)
        return status;
    status = plan_mine_open(&written->mine, &written->run, true, poll, err);
    if (status != PPS_OK) {
        plan_run_close(&written->run);
        return status;
    }
    written->can_run = written->mine.has;
    if (!written->can_run)
        snprintf(written->why, sizeof written->why, "read back, it cannot run: %s",
                 written->mine.plan.cannot_run.n > 0 ? written->mine.plan.cannot_run.text
                                                     : "it sets no strategy");
    if (written->can_run)
        compare(written, like);
    return PPS_OK;
}

void plan_written_close(struct plan_written *written)
{
    plan_mine_close(&written->mine);
    plan_run_close(&written->run);
}

// ---- plan baseline ------------------------------------------------------------------------------

// Returns a value of the baseline; 0 without one.
static int64_t value_of(const struct plan_run *run, const char *key)
{
    const cJSON *item = pps_json_member(run->baseline, key);
    return cJSON_IsNumber(item) ? (int64_t)item->valuedouble : 0;
}

// Returns a degree of the baseline; 1 without one.
static int64_t degree_of(const struct plan_run *run, const char *key)
{
    const int64_t value = value_of(run, key);
    return value > 0 ? value : 1;
}

// Makes the number of devices the reason why the file does not start.
static void keep_reason(struct plan_run *run, int64_t degrees)
{
    struct pps_fault fault;
    struct pps_error at;
    pps_fault_set(&fault, pps_json_member(run->baseline, "dp_replicate"), false,
                  "the degrees in this file use %lld devices or a multiple; the cluster has "
                  "%lld (--devices N)",
                  (long long)degrees, (long long)run->cluster.world_size);
    plan_fail_document(&run->baseline_in->json, &fault, &at);
    fault.line = at.line;
    fault.column = at.column;
    for (int k = 0; k < run->n_documents; k++)
        if (&run->documents[k] == run->baseline_in &&
            run->documents[k].cannot_run.text[0] == '\0')
            run->documents[k].cannot_run = fault;
}

static enum pps_status set_replicas(struct plan_run *run, struct pps_error *err)
{
    const int64_t copies = degree_of(run, "dp_replicate"), cp = degree_of(run, "cp");
    const int64_t others = degree_of(run, "tp") * degree_of(run, "pp") * cp;
    const int64_t devices = run->cluster.world_size;
    if (devices % (others * copies) != 0) {
        keep_reason(run, others * copies);
        return PPS_OK;
    }
    const int64_t dp = devices / others;
    const int64_t batch = value_of(run, "replica_batch");
    cJSON *baseline = run->baseline;
    const bool shards = value_of(run, "dp_replicate") > 0;
    if (cJSON_AddNumberToObject(baseline, "dp", (double)dp) == NULL ||
        (shards && cJSON_AddNumberToObject(baseline, "op", (double)(dp / copies * cp)) == NULL))
        return pps_fail_memory(err, "%s", run->baseline_in->json.name);
    if (batch > 0 && !run->sets_batch)
        run->training.gbs = batch * dp;
    return PPS_OK;
}

// With Megatron and trainers the number of replicas follows from the devices, of which --devices may give another number
// than the script. All replicas share an optimizer state if they do in the file.
static void adapt_replicas(struct plan_run *run)
{
    cJSON *dp = cJSON_GetObjectItemCaseSensitive(run->baseline, "dp");
    cJSON *op = cJSON_GetObjectItemCaseSensitive(run->baseline, "op");
    const int64_t cp = degree_of(run, "cp");
    const int64_t others = degree_of(run, "tp") * degree_of(run, "pp") * cp;
    const int64_t devices = run->cluster.world_size;
    if (!cJSON_IsNumber(dp) || devices % others != 0 ||
        (int64_t)dp->valuedouble * others == devices)
        return;
    if (cJSON_IsNumber(op) && (int64_t)op->valuedouble == (int64_t)dp->valuedouble * cp)
        cJSON_SetNumberValue(op, (double)(devices / others * cp));
    run->file_replicas = (int64_t)dp->valuedouble;
    if (value_of(run, "replica_batch") > 0 && !run->sets_batch)
        run->training.gbs = value_of(run, "replica_batch") * (devices / others);
    cJSON_SetNumberValue(dp, (double)(devices / others));
}

enum pps_status plan_baseline_complete(struct plan_run *run, struct pps_error *err)
{
    if (run->baseline == NULL)
        return PPS_OK;
    if (value_of(run, "seq_length") > 0)
        run->model.seq_length = value_of(run, "seq_length");
    const enum framework framework = run->baseline_in->framework;
    if (framework == FRAMEWORK_MEGATRON || framework == FRAMEWORK_TRAINER ||
        framework == FRAMEWORK_VERL || framework == FRAMEWORK_BRIDGE)
        adapt_replicas(run);
    if (value_of(run, "dp") > 0)
        return PPS_OK;
    return value_of(run, "dp_replicate") > 0 || value_of(run, "replica_batch") > 0
               ? set_replicas(run, err)
               : PPS_OK;
}
