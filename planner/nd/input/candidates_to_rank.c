// SPDX-License-Identifier: Apache-2.0
// Reads candidates from a table, or finds them with a search.
#include "planner/nd/input/candidates_to_rank.h"

#include "planner/nd/input/baseline.h"
#include "planner/shared/configurations.h"
#include "planner/shared/files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void nd_picks_close(struct nd_picks *picks)
{
    free(picks->strategies);
    *picks = (struct nd_picks){0};
}

// ---- of a table ---------------------------------------------------------------------------------

enum { DP, TP, PP, EP, CP, OP, SP, MBS, N_FIELDS };

static const struct table_field FIELDS[N_FIELDS] = {
    [DP] = {"dp", NULL, true, true, 1, ND_DEVICES_MAX},
    [TP] = {"tp", NULL, true, true, 1, ND_DEVICES_MAX},
    [PP] = {"pp", NULL, true, true, 1, ND_DEVICES_MAX},
    [EP] = {"ep", NULL, false, true, 0, ND_EXPERTS_MAX},
    [CP] = {"cp", NULL, false, true, 1, ND_DEVICES_MAX},
    [OP] = {"op", "op/fsdp", false, true, -1, ND_DEVICES_MAX},
    [SP] = {"sp", NULL, false, true, 0, 1},
    [MBS] = {"mbs", NULL, false, true, 1, 1 << 20},
};

static int32_t whole(double value, int32_t missing)
{
    return isnan(value) ? missing : (int32_t)value;
}

static bool take_row(struct nd_picks *picks, const struct nd_job *job,
                     const struct table *table, int64_t row, const int *columns,
                     struct pps_fault *fault)
{
    double v[N_FIELDS];
    if (!table_row(table, row, FIELDS, N_FIELDS, columns, v, fault))
        return false;
    struct nd_strategy *s = &picks->strategies[picks->n++];
    *s = (struct nd_strategy){.dp = whole(v[DP], 1),
                              .tp = whole(v[TP], 1),
                              .cp = whole(v[CP], 1),
                              .pp = whole(v[PP], 1),
                              .ep = whole(v[EP], 1),
                              .op = whole(v[OP], -1),
                              .vp = 1,
                              .mbs = whole(v[MBS], 0),
                              .recompute = ND_RECOMPUTE_FULL};
    s->sp = whole(v[SP], s->tp > 1) != 0;
    s->ep = s->ep > 0 ? s->ep : 1;
    s->op = s->op != 0 ? s->op : -1;
    const double devices = (double)s->dp * s->tp * s->cp * s->pp;
    if (devices == (double)job->run.cluster.world_size)
        return true;
    return table_fail(table, row, -1, fault,
                      "dp %d x tp %d x cp %d x pp %d is %.0f devices, but the cluster has %lld",
                      s->dp, s->tp, s->cp, s->pp, devices,
                      (long long)job->run.cluster.world_size);
}

static bool take_table(struct nd_picks *picks, const struct nd_job *job,
                       const struct table *table, struct pps_fault *fault)
{
    int columns[N_FIELDS];
    if (!table_bind(table, FIELDS, N_FIELDS, columns, fault))
        return false;
    picks->strategies = calloc((size_t)table_rows(table) + 1, sizeof *picks->strategies);
    if (picks->strategies == NULL) {
        *fault = (struct pps_fault){0};
        return pps_fault_set(fault, NULL, false, "out of memory for the candidates");
    }
    for (int64_t row = 0; row < table_rows(table); row++)
        if (!take_row(picks, job, table, row, columns, fault))
            return false;
    return true;
}

static enum pps_status read_picks(struct nd_picks *picks, const struct nd_job *job,
                                  const char *path, struct pps_error *err)
{
    struct plan_table data;
    struct pps_fault fault;
    enum pps_status status = plan_table_read(&data, path, err);
    if (status == PPS_OK && !take_table(picks, job, data.table, &fault))
        status = plan_fail_table(&data, &fault, err);
    if (status == PPS_OK && picks->n == 0)
        status = pps_fail_at(err, PPS_E_INPUT, path, 0, 0, "the table has no candidates");
    plan_table_free(&data);
    return status;
}

// ---- of a folder --------------------------------------------------------------------------------

static enum pps_status take_configuration(struct nd_picks *picks, struct nd_job *job,
                                          const char *path, struct pps_error *err)
{
    struct plan_document document;
    char text[ND_BASELINE_BYTES];
    double devices = 0;
    const double cluster = (double)job->run.cluster.world_size;
    enum pps_status status = plan_document_read(&document, path, PLAINDOC_NONE, err);
    if (status != PPS_OK)
        return status;
    const cJSON *baseline = pps_json_member(document.json.root, "baseline");
    if (baseline == NULL)
        status = pps_fail_at(err, PPS_E_INPUT, path, 0, 0, "the file sets no strategy");
    if (status == PPS_OK)
        status = nd_baseline_text(&document.json, baseline, text, &devices, err);
    if (status == PPS_OK && devices != 0 && devices != cluster)
        status = pps_fail_at(err, PPS_E_INPUT, path, 0, 0,
                             "the strategy %s is for %.0f devices, but the cluster has %.0f",
                             text, devices, cluster);
    struct nd_strategy *s = &picks->strategies[picks->n];
    if (status == PPS_OK)
        status = nd_strategy_read(job, "candidates", text, s, err);
    if (status == PPS_OK) {
        s->vp = 1;
        s->recompute = ND_RECOMPUTE_FULL;
        if (!nd_strategy_sets(text, "mbs"))
            s->mbs = 0;
        picks->n++;
    }
    plan_document_free(&document);
    return status;
}

// Takes the strategy of each configuration in a folder.
static enum pps_status folder_picks(struct nd_picks *picks, struct nd_job *job,
                                    const char *folder, struct pps_error *err)
{
    struct plan_configurations list;
    enum pps_status status = plan_configurations_require(&list, folder, err);
    if (status == PPS_OK) {
        picks->strategies = calloc(list.n, sizeof *picks->strategies);
        if (picks->strategies == NULL)
            status = pps_fail_memory(err, "the candidates");
    }
    job->space.devices = (int32_t)job->run.cluster.world_size;
    for (size_t k = 0; k < list.n && status == PPS_OK; k++)
        status = take_configuration(picks, job, list.paths[k], err);
    plan_configurations_free(&list);
    return status;
}

// Returns the folder of configurations that the options name; NULL: none.
static const char *folder_of(const struct pps_args *args)
{
    static const char *const options[] = {"candidates", "yaml-path", "shell-path", "toml-path"};
    for (size_t k = 0; k < sizeof options / sizeof *options; k++)
        if (pps_arg(args, options[k]) != NULL && plan_is_folder(pps_arg(args, options[k])))
            return pps_arg(args, options[k]);
    return pps_arg(args, "files-dir");
}

// ---- of the search ------------------------------------------------------------------------------

static enum pps_status take_best(struct nd_picks *picks, const struct nd_search_result *result,
                                 struct pps_error *err)
{
    if (result->best.n == 0)
        return pps_fail(
            err, PPS_E_INFEASIBLE,
            "no strategy to rank; run ppsweep nd with the same model for the reason");
    picks->strategies = calloc(result->best.n, sizeof *picks->strategies);
    if (picks->strategies == NULL)
        return pps_fail_memory(err, "the candidates");
    for (size_t k = 0; k < result->best.n; k++) {
        picks->strategies[k] = result->best.heap[k].strategy;
        picks->strategies[k].vp = 1;
    }
    picks->n = (int64_t)result->best.n;
    picks->searched = true;
    return PPS_OK;
}

// Takes each tuple once, in its fastest form: ranking itself tries numbers of chunks.
static enum pps_status search_picks(struct nd_picks *picks, const struct nd_job *job,
                                    size_t top, struct pps_error *err)
{
    struct nd_open_search open;
    struct nd_search_result result = {0};
    enum pps_status status = nd_search_open(&open, job, top, err);
    if (status != PPS_OK)
        return status;
    status = nd_search_run(&open.search, &result) ? take_best(picks, &result, err)
                                                  : pps_fail_memory(err, "the search");
    nd_search_free(&result);
    nd_search_close(&open);
    return status;
}

enum pps_status nd_picks_open(struct nd_picks *picks, struct nd_job *job,
                              const struct pps_args *args, struct pps_error *err)
{
    uint64_t top = 20;
    const char *path = pps_arg(args, "candidates");
    enum pps_status status = PPS_OK;
    *picks = (struct nd_picks){0};
    if (path == NULL)
        path = pps_arg(args, "nd-path");
    const char *folder = path == NULL || plan_is_folder(path) ? folder_of(args) : NULL;
    if (path == NULL && folder == NULL)
        status = pps_arg_count(args, "search", 1, 100000, &top, err);
    if (status == PPS_OK && path == NULL && folder == NULL)
        status = nd_job_space(job, args, err);
    if (status == PPS_OK)
        status = folder != NULL ? folder_picks(picks, job, folder, err)
                 : path != NULL ? read_picks(picks, job, path, err)
                                : search_picks(picks, job, (size_t)top, err);
    if (status != PPS_OK)
        nd_picks_close(picks);
    return status;
}
