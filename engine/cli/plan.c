// SPDX-License-Identifier: Apache-2.0
// ppsweep plan: shows what a run would do.
#include "engine/cli/plan.h"

#include "base/document/json.h"
#include "base/text/human.h"
#include "base/text/say.h"
#include "engine/cli/options/experiment_options.h"
#include "engine/command/shard_option.h"
#include "engine/command/signals.h"
#include "engine/forecast/costly_points.h"
#include "engine/job/job.h"
#include "engine/measure/calibrate.h"
#include "engine/run/work_schedule.h"
#include "engine/space/sample.h"
#include "engine/space/sample_design.h"
#include "engine/space/space.h"
#include "engine/space/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MEASURE_S  1.0 // seconds of measuring
#define PATIENCE_S 1.7 // seconds after which an unfinished point is no longer measured

static const struct pps_opt options[] = {
    PPS_REQUEST_OPTIONS,
    {"shard", 0, "K/N", "plan shard K of N (K from 0), or auto, as in ppsweep run"},
    {"output", 'o', "PATH", "as in ppsweep run (outputs/data/)"},
    PPS_FORMAT_OPTION,
    {"compress", 0, "CODEC", "as in ppsweep run (zlib:1)"},
    {"json", 0, NULL, "print one JSON object"},
    {NULL, 0, NULL, NULL},
};

enum {
    SHOWN_VALUES = 8,
    COSTLY_TIMES = 10, // points that take this many times the mean are named
};

static void print_table(const struct pps_axis *axis, const struct pps_param *params)
{
    const struct pps_axis_member *member = &axis->members[0];
    for (int m = 0; m < axis->n_members; m++)
        printf("%s%s", m > 0 ? "," : "", params[axis->members[m].param].name);
    printf(": %s value%s", pps_count_text((double)axis->count).text,
           axis->count == 1 ? "" : "s");
    for (uint32_t v = 0; axis->n_members == 1 && v < member->n_values && v < SHOWN_VALUES; v++)
        printf("%s%.*s", v == 0 ? " " : ", ", member->cells[v].n - 1, member->cells[v].text);
    printf("%s\n", axis->n_members == 1 && member->n_values > SHOWN_VALUES ? ", ..." : "");
}

static void print_axis(const struct pps_axis *axis, const struct pps_experiment *e)
{
    const struct pps_param *params = e->kernel->params;
    char first[PPS_CELL_TEXT], last[PPS_CELL_TEXT];
    switch (axis->kind) {
    case PPS_AXIS_TABLE:
        print_table(axis, params);
        break;
    case PPS_AXIS_RANGE:
        pps_value_text(&params[axis->param], axis->start, first);
        pps_value_text(&params[axis->param],
                       axis->start + (double)(axis->count - 1) * axis->step, last);
        printf("%s: %s values %s to %s\n", params[axis->param].name,
               pps_count_text((double)axis->count).text, first, last);
        break;
    case PPS_AXIS_DEPENDENT:
        pps_say(stdout, "%s: %s", params[axis->param].name, axis->text);
        break;
    case PPS_AXIS_COMPOSITE:
        for (int m = 0; m < axis->composite->n_members; m++)
            printf("%s%s", m > 0 ? "," : "", params[axis->composite->members[m]].name);
        printf(": %s value%s\n", pps_count_text((double)axis->count).text,
               axis->count == 1 ? "" : "s");
        break;
    case PPS_AXIS_CONTINUOUS:
        pps_value_text(&params[axis->param], axis->start, first);
        pps_value_text(&params[axis->param], axis->stop, last);
        printf("%s: any number from %s to %s\n", params[axis->param].name, first, last);
        break;
    }
}

static void print_axes(const struct pps_experiment *e)
{
    pps_say(stdout, "experiment  %s, kernel %s %s, digest %016" PRIx64, e->name,
            e->kernel->name, e->kernel->version, e->digest);
    if (pps_documents_resolved(e->inputs) != NULL) {
        printf("inputs      ");
        pps_documents_list(e->inputs, stdout);
        printf("\n");
    }
    for (int d = 0; d < e->space.n_axes; d++) {
        printf("%s", d == 0 ? "axes        " : "            ");
        print_axis(&e->space.axes[d], e);
    }
}

static void print_sample(const struct pps_sample *sample)
{
    char count[48], grid[48];
    if (sample == NULL)
        return;
    pps_human_count((double)sample->count, count, sizeof count);
    pps_human_count((double)sample->n_grid, grid, sizeof grid);
    if (pps_sample_is_design(sample))
        printf("sample      %s groups of %s draws, %s, seed %" PRIu64, count,
               pps_count_text((double)sample->group).text, pps_sample_methods[sample->method],
               sample->seed);
    else
        printf("sample      %s draws, %s, seed %" PRIu64, count,
               pps_sample_methods[sample->method], sample->seed);
    if (sample->n_grid > 0 && !sample->any_floating)
        printf(", of %s points", grid);
    printf("\n");
}

static void print_shard(struct pps_shard shard, const char *source)
{
    if (shard.count == 0)
        return;
    printf("shard       %u of %u", (unsigned)shard.index, (unsigned)shard.count);
    printf(source[0] == '\0' ? "\n" : " (from %s)\n", source);
}

static void print_counts(const struct pps_experiment *e, struct pps_shard shard,
                         const struct pps_forecast *f)
{
    char count[48], all[48], words[PPS_REASON_WORDS];
    const char *about = f->exact ? "" : "about ";
    pps_human_count((double)f->points, count, sizeof count);
    pps_human_count((double)e->n_points, all, sizeof all);
    printf("points      %s%s%s%s\n", count, shard.count == 0 ? "" : " of ",
           shard.count == 0 ? "" : all, e->n_points < e->space.n_points ? " (--limit)" : "");
    for (int r = 0; r < e->space.n_reasons; r++) {
        if (f->left_out[r].n == 0)
            continue;
        pps_human_count((double)f->left_out[r].n, count, sizeof count);
        pps_say(stdout, "skipped     %s%s point%s %s", about, count,
                f->left_out[r].n == 1 ? "" : "s", pps_reason_words(&e->space, r, words));
    }
    pps_human_count(f->rows, count, sizeof count);
    printf("rows        %s%s%s\n", about, count,
           f->exact && f->rows == 0 && f->points > 0 ? ": every point is skipped" : "");
}

// The number of pruned points is unknown before the run; best rows need almost no space.
static void print_forecast(const struct pps_forecast *f, int threads, bool only_top)
{
    char time[32], one[48], text[32], data[32], memory[32], ring[32];
    const double total_s = f->point_s * (double)f->points;
    const char *about = f->at_least ? "more than" : "about";
    pps_human_seconds(total_s / threads, time, sizeof time);
    snprintf(one, sizeof one, "%s%s", f->at_least ? "more than " : "",
             pps_time_text(f->point_s).text);
    pps_human_bytes(f->text_bytes, text, sizeof text);
    pps_human_bytes(f->data_bytes, data, sizeof data);
    pps_human_bytes(f->worker_bytes * threads + 16 * 0x1p20, memory, sizeof memory);
    printf("time        %s%s %s on %d thread%s (%s per point on one thread)\n",
           only_top && !f->at_least ? "at most " : "", about, time, threads,
           threads == 1 ? "" : "s", one);
    if (only_top)
        printf("size        small: only the best rows are written\n");
    else if (f->at_least && f->text_bytes <= 0)
        printf("size        unknown: no point finished in time\n");
    else
        printf("size        about %s, %s of text\n", data, text);
    pps_human_bytes((double)pps_ring_default(threads).bytes, ring, sizeof ring);
    printf("memory      about %s, and at most %s for blocks that wait to be written\n", memory,
           ring);
}

// Mean and times are per point that is not skipped.
static void print_costly(const struct pps_experiment *e, const struct pps_forecast *f)
{
    struct pps_costly costly;
    pps_costly_find(&costly, e);
    for (int i = 0; i < costly.n && f->rows > 0; i++) {
        const double times = costly.points[i].cost / costly.mean;
        char time[32];
        pps_human_seconds(times * f->point_s * (double)f->points / f->rows, time, sizeof time);
        if (times >= COSTLY_TIMES)
            pps_say(stdout, "costly      %s: about %s, %.0f times the mean point",
                    costly.points[i].text, time, times);
    }
}

static void put_json(const struct pps_job_result *plan, const struct pps_forecast *f)
{
    const struct pps_experiment *e = plan->experiment;
    cJSON *root = cJSON_CreateObject();
    char digest[24], words[PPS_REASON_WORDS];
    snprintf(digest, sizeof digest, "%016" PRIx64, e->digest);
    cJSON_AddStringToObject(root, "experiment", e->name);
    cJSON_AddStringToObject(root, "kernel", e->kernel->name);
    cJSON_AddStringToObject(root, "version", e->kernel->version);
    cJSON_AddStringToObject(root, "digest", digest);
    pps_json_add_count(root, "points", f->points);
    cJSON *skipped = cJSON_AddObjectToObject(root, "skipped");
    for (int r = 0; r < e->space.n_reasons; r++)
        if (f->left_out[r].n > 0)
            pps_json_add_count(skipped, pps_reason_words(&e->space, r, words),
                               f->left_out[r].n);
    cJSON_AddNumberToObject(root, "rows", f->rows);
    cJSON_AddBoolToObject(root, "rows_counted", f->exact);
    cJSON_AddNumberToObject(root, "threads", plan->threads);
    cJSON_AddNumberToObject(root, "seconds", f->point_s * (double)f->points / plan->threads);
    cJSON_AddBoolToObject(root, "takes_longer", f->at_least);
    cJSON_AddNumberToObject(root, "data_bytes", f->data_bytes);
    cJSON_AddNumberToObject(root, "text_bytes", f->text_bytes);
    cJSON_AddStringToObject(root, "result", plan->path.path);
    pps_json_put_line(stdout, root);
}

static enum pps_status read_options(const struct pps_args *args,
                                    struct pps_request_words *words, struct pps_job *job,
                                    char source[PPS_SHARD_SOURCE], struct pps_error *err)
{
    enum pps_status status = pps_request_threads(args, &job->threads, err);
    if (status == PPS_OK)
        status = pps_shard_choose(args, &job->shard, source, err);
    if (status == PPS_OK)
        status = pps_request_read(args, words, &job->request, err);
    if (status == PPS_OK)
        status = pps_top_options(args, job, err);
    job->output = pps_arg(args, "output");
    if (status == PPS_OK)
        status = pps_format_option(args, job->output, &job->codec, err);
    return status;
}

static enum pps_status print_plan(const struct pps_job_result *plan, const char *source,
                                  bool json, struct pps_error *err)
{
    const struct pps_experiment *e = plan->experiment;
    const struct pps_shard shard = plan->sweep.shard;
    const char *path = plan->path.path;
    struct pps_forecast forecast;
    fputs(e->notes, stderr);
    pps_documents_warn(e->inputs, stderr);
    if (!json) {
        print_axes(e);
        print_sample(e->space.sample);
        print_shard(shard, source);
        fflush(stdout);
    }
    enum pps_status status = pps_calibrate(e, shard, plan->path.codec, MEASURE_S,
                                           pps_signals_alarm(PATIENCE_S), &forecast, err);
    if (status == PPS_OK && json)
        put_json(plan, &forecast);
    if (status != PPS_OK || json)
        return status;
    print_counts(e, shard, &forecast);
    print_forecast(&forecast, plan->threads, plan->sweep.only_best);
    print_costly(e, &forecast);
    pps_say(stdout, "result      %s", strcmp(path, "-") == 0 ? "stdout" : path);
    return PPS_OK;
}

enum pps_status pps_plan_print(const struct pps_args *args, struct pps_error *err)
{
    struct pps_job job = {.threads = 0};
    struct pps_request_words words = {.n = 0};
    struct pps_job_result plan = {.job = NULL};
    char source[PPS_SHARD_SOURCE];
    enum pps_status status = read_options(args, &words, &job, source, err);
    if (status == PPS_OK)
        status = pps_job_load(&job, &plan, err);
    if (status == PPS_OK)
        status = print_plan(&plan, source, pps_arg(args, "json") != NULL, err);
    pps_job_free(&plan);
    pps_request_free(&words);
    return status;
}

static enum pps_status plan_main(const struct pps_args *args, struct pps_error *err)
{
    return pps_plan_print(args, err);
}

const struct pps_command pps_command_plan = {
    .name = "plan",
    .summary = "show what a run would do: axes, counts, time, size (measures for 1 s)",
    .usage = "-c EXPERIMENT.json [options]",
    .options = options,
    .aliases = pps_request_aliases,
    .kernels = true,
    .kernel_options = true,
    .main = plan_main,
};
