// SPDX-License-Identifier: Apache-2.0
// Reads the logs and the profile of every run in a folder.
#include "planner/nd/results/results.h"

#include "planner/nd/results/run_config.h"

#include "base/text/grow_list.h"
#include "base/text/say.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 4096 };

#define SELECTIVE_MOST 0.3 // re_grow_ration below which recompute is probably not full

static void free_result(struct nd_result *result)
{
    free(result->path);
    run_files_free(&result->files);
    dry_run_free(&result->logs);
    profile_run_free(&result->profile);
    text_buffer_free(&result->why);
}

void nd_results_free(struct nd_results *results)
{
    for (size_t i = 0; i < results->n; i++)
        free_result(&results->rows[i]);
    free(results->rows);
    *results = (struct nd_results){0};
}

bool nd_result_is_profiled(const struct nd_result *result)
{
    return result->profile.n_profiles > 0;
}

// ---- one run ------------------------------------------------------------------------------------

// Recompute of the attention only starts the same kernels as full recompute, but takes less time.
static void note_selective(struct nd_result *result)
{
    if (result->ratios.recompute < SELECTIVE_MOST) // false if unknown
        text_buffer_add(
            &result->profile.notes,
            "recompute adds only %.2f of a layer's forward; if it was selective, empty re_grow_ration\n",
            result->ratios.recompute);
}

static enum pps_status take_ratios(struct nd_result *result, struct pps_error *err)
{
    struct nd_profile profile;
    struct pps_fault fault;
    const struct profile_times *lists = result->profile.lists;
    if (lists[PROFILE_DENSE_FW].n == 0 && lists[PROFILE_MOE_FW].n == 0)
        return PPS_OK;
    cJSON *document = profile_run_document(&result->profile, &result->degrees);
    if (document == NULL)
        return pps_fail_memory(err, "the layer times of %s", result->path);
    result->has_ratios = nd_profile_of_times(&profile, document, ND_CORRECTED, &fault);
    if (result->has_ratios) {
        result->ratios = profile.ratios;
        note_selective(result);
    } else
        text_buffer_add(&result->profile.notes, "no ratios: %s\n", fault.text);
    cJSON_Delete(document);
    return PPS_OK;
}

static void explain(struct nd_result *result)
{
    char text[TEXT_BYTES];
    if (result->logs.failure != LOG_NO_FAILURE) {
        dry_run_describe_failure(&result->logs, &result->files, text, sizeof text);
        text_buffer_add(&result->why, "%s", text);
    } else if (!result->has_peak && !result->has_ratios && !nd_result_is_profiled(result)) {
        text_buffer_add(&result->why, "no memory figure in %zu log%s and no profile",
                        result->logs.n_logs, result->logs.n_logs == 1 ? "" : "s");
    } else if (!result->has_peak && !result->has_ratios) {
        text_buffer_add(&result->why, "the profile gives no layer times");
    }
}

// Adds what the configuration of the run says to what the user says. config: room.
static struct profile_request complete(const struct profile_request *request,
                                       struct run_config *config, struct nd_result *result)
{
    struct profile_request complete = *request;
    struct run_degrees *d = &result->degrees;
    run_config_find(config, result->path);
    if (!config->is_found || config->degrees.pp != d->pp)
        return complete;
    d->ep = d->ep > 0 ? d->ep : config->degrees.ep;
    d->cp = d->cp > 0 ? d->cp : config->degrees.cp;
    d->op = d->op != 0 ? d->op : config->degrees.op;
    d->mbs = d->mbs > 0 ? d->mbs : config->degrees.mbs;
    if (!complete.has_dense && config->has_dense) {
        complete.has_dense = true;
        complete.dense = config->dense;
    }
    if (complete.layers == NULL && complete.micro_batches == 0) {
        complete.is_guess = true;
        complete.micro_batches = config->micro_batches;
        complete.layers = config->n_layers == d->pp ? config->layers : NULL;
        complete.n_layers = config->n_layers;
    }
    return complete;
}

static enum pps_status read_parts(struct nd_result *result,
                                  const struct profile_request *request, struct pps_error *err)
{
    struct run_config config;
    const struct profile_request complete_request = complete(request, &config, result);
    enum pps_status status = run_files_list(&result->files, result->path, err);
    if (status == PPS_OK)
        status = dry_run_read(&result->logs, &result->files, err);
    if (status == PPS_OK)
        status = profile_run_read(&result->profile, &result->files, &result->degrees,
                                  &complete_request, err);
    if (status == PPS_OK)
        status = take_ratios(result, err);
    return status;
}

static enum pps_status read_result(struct nd_result *result,
                                   const struct profile_request *request, struct pps_error *err)
{
    const enum pps_status status = read_parts(result, request, err);
    if (status == PPS_E_INPUT) {
        text_buffer_add(&result->why, "%s%s%s", err->file, err->file[0] != '\0' ? ": " : "",
                        err->text);
        return PPS_OK;
    }
    if (status != PPS_OK)
        return status;
    const struct log_peak peak = dry_run_peak(&result->logs, &result->degrees, -1);
    result->has_peak = result->logs.failure == LOG_NO_FAILURE && log_peak_mb(&peak) > 0;
    explain(result);
    return result->why.failed ? pps_fail_memory(err, "%s", result->path) : PPS_OK;
}

// ---- all runs -----------------------------------------------------------------------------------

static enum pps_status add_result(struct nd_results *results, struct run_folder *run,
                                  const struct profile_request *request, struct pps_error *err)
{
    struct nd_result *rows =
        pps_grow(results->rows, &results->room, results->n + 1, sizeof *rows);
    if (rows == NULL)
        return pps_fail_memory(err, "the results of %s", run->path);
    results->rows = rows;
    struct nd_result *result = &rows[results->n++];
    *result = (struct nd_result){.path = run->path, .degrees = run->degrees};
    run->path = NULL;
    return read_result(result, request, err);
}

enum pps_status nd_results_add(struct nd_results *results, const char *folder,
                               const struct profile_request *request, struct pps_error *err)
{
    static const struct run_guess guess = {run_config_guess, NULL};
    struct run_folders runs;
    enum pps_status status = run_folders_find(&runs, folder, &guess, err);
    if (status != PPS_OK)
        return status;
    if (runs.n == 0)
        status = pps_fail_at(err, PPS_E_INPUT, folder, 0, 0,
                             "expected a folder with a name like DP8_TP2_PP4_EP16, or with a "
                             "configuration file, and the logs or the profile of a run");
    for (size_t i = 0; status == PPS_OK && i < runs.n; i++)
        status = add_result(results, &runs.rows[i], request, err);
    run_folders_free(&runs);
    return status;
}

// ---- repeated configurations --------------------------------------------------------------------

static int32_t or_one(int32_t degree)
{
    return degree > 0 ? degree : 1;
}

static bool is_same(const struct run_degrees *a, const struct run_degrees *b)
{
    return a->dp == b->dp && a->tp == b->tp && a->pp == b->pp &&
           or_one(a->ep) == or_one(b->ep) && or_one(a->cp) == or_one(b->cp) && a->op == b->op &&
           a->mbs == b->mbs;
}

void nd_results_mark_repeated(struct nd_results *results)
{
    for (size_t i = 0; i < results->n; i++)
        for (size_t k = 0; k < i && !results->rows[i].is_repeated; k++) {
            struct nd_result *a = &results->rows[k], *b = &results->rows[i];
            b->is_repeated = is_same(&a->degrees, &b->degrees) && a->why.n == 0 &&
                             b->why.n == 0 &&
                             nd_result_is_profiled(a) == nd_result_is_profiled(b);
            if (b->is_repeated)
                text_buffer_add(&b->profile.notes,
                                "same configuration as %s; its figures are not written\n",
                                a->path);
        }
}

// ---- report -------------------------------------------------------------------------------------

static int path_width(const struct nd_results *results)
{
    size_t width = 3;
    for (size_t i = 0; i < results->n; i++)
        width = strlen(results->rows[i].path) > width ? strlen(results->rows[i].path) : width;
    return width < 100 ? (int)width : 100;
}

static void print_number(double value, int width, int decimals)
{
    if (isnan(value) || value == 0)
        printf(" %*s", width, "-");
    else
        printf(" %*.*f", width, decimals, value);
}

static const char *outcome_of(const struct nd_result *result)
{
    if (result->logs.failure != LOG_NO_FAILURE)
        return log_failure_name(result->logs.failure);
    return result->why.n > 0 ? "no result" : result->has_ratios ? "layer times" : "peak";
}

static void print_row(const struct nd_result *result, int width)
{
    const struct log_peak peak = dry_run_peak(&result->logs, &result->degrees, -1);
    const struct nd_ratios ratios = result->has_ratios ? result->ratios : nd_ratios_unknown;
    pps_say_part(stdout, "%-*s", width, result->path);
    printf(" %5zu %6zu", result->logs.n_logs, result->profile.n_ranks);
    print_number(result->has_peak ? log_peak_mb(&peak) : 0, 10, 1);
    print_number(ratios.layer_ms, 9, 3);
    print_number(ratios.dense, 8, 3);
    print_number(ratios.backward, 9, 3);
    print_number(ratios.recompute, 10, 3);
    print_number(ratios.head, 8, 3);
    printf("  %s\n", outcome_of(result));
}

// Prints each line of a note with the path of its run.
static void print_notes(const struct nd_result *result)
{
    const char *text = result->profile.notes.text;
    for (const char *at = text; at != NULL && *at != '\0';) {
        const size_t n = strcspn(at, "\n");
        const bool has_path = strncmp(at, result->path, strlen(result->path)) == 0;
        pps_say(stderr, "note      %s%s%.*s", has_path ? "" : result->path,
                has_path ? "" : ": ", (int)n, at);
        at += n + (at[n] == '\n');
    }
}

static void print_ranks(const struct nd_result *result)
{
    for (size_t i = 0; i < result->profile.n_ranks; i++) {
        const struct profile_rank *rank = &result->profile.ranks[i];
        const struct layer_shape *shape = &rank->shape;
        pps_say_part(stdout, "%s: rank %d, stage %d", result->path, rank->rank, rank->stage);
        if (rank->is_cut)
            printf(": %d layers, %d recomputed, %d micro-batches in %d step%s, %d warm-up",
                   shape->layers, shape->recomputed, shape->passes, shape->steps,
                   shape->steps == 1 ? "" : "s", shape->warm_up);
        if (rank->step_ms > 0)
            printf("; %.1f ms per step", rank->step_ms);
        printf("\n");
    }
}

void nd_results_print(const struct nd_results *results, bool verbose)
{
    const int width = path_width(results);
    printf("%-*s  logs  ranks   peak MiB  layer ms    dense  backward  recompute     head  "
           "result\n",
           width, "run");
    for (size_t i = 0; i < results->n; i++)
        print_row(&results->rows[i], width);
    for (size_t i = 0; i < results->n && verbose; i++)
        print_ranks(&results->rows[i]);
    fflush(stdout);
    for (size_t i = 0; i < results->n; i++) {
        print_notes(&results->rows[i]);
        if (results->rows[i].why.n > 0)
            pps_say(stderr, "failed    %s: %s", results->rows[i].path,
                    results->rows[i].why.text);
    }
}
