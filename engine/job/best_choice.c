// SPDX-License-Identifier: Apache-2.0
// Chooses the best rows of a job: their number, their groups, and the column that ranks them.
#include "engine/job/job_private.h"

#include "base/text/nearest.h"
#include "engine/experiment/work_groups.h"

#include <stdio.h>
#include <string.h>

enum pps_status pps_job_selection(const struct pps_job *job, char **selection,
                                  struct pps_error *err)
{
    const char *objective = job->request.objective;
    *selection = NULL;
    if (!job->only_best)
        return PPS_OK;
    if (asprintf(selection, "%llu by %s objective %s%s", (unsigned long long)job->top,
                 job->by != NULL ? job->by : "(work)", objective != NULL ? objective : "",
                 job->ties ? " with ties" : "") >= 0)
        return PPS_OK;
    *selection = NULL;
    return pps_fail_memory(err, "a job");
}

// ---- the column -------------------------------------------------------------------------------

static enum pps_status find_objective(const char *name, const struct pps_experiment *experiment,
                                      int *column, struct pps_error *err)
{
    const struct pps_kernel *kernel = experiment->kernel;
    *column = name == NULL ? pps_column_ranks(kernel, experiment->wanted)
                           : pps_column_find(kernel, name, strlen(name));
    if (*column >= 0 && kernel->columns[*column].kind == PPS_COLUMN_TEXT)
        return pps_fail(err, PPS_E_INPUT,
                        "--objective %s: its results are text; expected a column of numbers",
                        name);
    if (*column >= 0)
        return PPS_OK;
    const char *names[PPS_MAX_COLUMNS];
    for (int c = 0; c < kernel->n_columns; c++)
        names[c] = kernel->columns[c].name;
    const char *near = pps_suggest(name, names, (size_t)kernel->n_columns);
    if (near != NULL)
        return pps_fail(err, PPS_E_INPUT, "--objective %s: unknown result; did you mean %s?",
                        name, near);
    return pps_fail(err, PPS_E_INPUT,
                    "--objective %s: unknown result; ppsweep kernels %s lists them", name,
                    kernel->name);
}

// ---- groups -----------------------------------------------------------------------------------

static enum pps_status unknown_name(const struct pps_experiment *e, const char *name, int n,
                                    struct pps_error *err)
{
    const char *names[PPS_MAX_PARAMS];
    char word[64];
    snprintf(word, sizeof word, "%.*s", n, name);
    for (int c = 0; c < e->space.n_columns; c++)
        names[c] = e->kernel->params[e->space.columns[c]].name;
    const char *near = pps_suggest(word, names, (size_t)e->space.n_columns);
    if (near != NULL)
        return pps_fail(err, PPS_E_INPUT,
                        "--by %s: no such parameter in this sweep; did you mean %s?", word,
                        near);
    return pps_fail(
        err, PPS_E_INPUT,
        "--by %s: expected parameters that this sweep varies, separated by commas, such as %s",
        word, names[0]);
}

static enum pps_status read_by(const char *list, const struct pps_experiment *e,
                               struct pps_sweep *sweep, int *by, struct pps_error *err)
{
    uint64_t seen = 0;
    sweep->by = by;
    if (list == NULL)
        sweep->n_by = pps_work_groups(e, sweep->objective, by);
    if (list == NULL || strcmp(list, PPS_BY_NONE) == 0)
        return PPS_OK;
    for (const char *name = list;;) {
        const size_t n = strcspn(name, ",");
        const int p = pps_param_find(e->kernel, name, n);
        bool shown = false;
        for (int c = 0; c < e->space.n_columns; c++)
            shown = shown || e->space.columns[c] == p;
        if (!shown)
            return unknown_name(e, name, n < 60 ? (int)n : 60, err);
        if ((seen >> p & 1) == 0)
            by[sweep->n_by++] = p;
        seen |= (uint64_t)1 << p;
        if (name[n] == '\0')
            break;
        name += n + 1;
    }
    return PPS_OK;
}

// ---- the whole --------------------------------------------------------------------------------

static enum pps_status check_only_best(const struct pps_job *job, struct pps_error *err)
{
    if (job->top == 0)
        return pps_fail(err, PPS_E_INPUT,
                        "--only-top with --top 0 writes no row; write --top 1 or more");
    if (job->shard.count > 0)
        return pps_fail(err, PPS_E_INPUT,
                        "--only-top needs the whole experiment; remove --shard, or remove "
                        "--only-top, merge the shards and run ppsweep top");
    return PPS_OK;
}

enum pps_status pps_job_choose_best(struct pps_job_result *r, struct pps_error *err)
{
    const struct pps_job *job = r->job;
    struct pps_sweep *sweep = &r->sweep;
    enum pps_status status =
        find_objective(job->request.objective, r->experiment, &sweep->objective, err);
    if (status == PPS_OK)
        status = read_by(job->by, r->experiment, sweep, r->work->by, err);
    sweep->n_best = job->top;
    sweep->only_best = job->only_best;
    sweep->ties = job->ties;
    if (status == PPS_OK && job->ties && !job->only_best)
        return pps_fail(err, PPS_E_INPUT,
                        "--ties needs --only-top; for a whole result, run ppsweep top --ties");
    return status == PPS_OK && job->only_best ? check_only_best(job, err) : status;
}
