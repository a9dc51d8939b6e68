// SPDX-License-Identifier: Apache-2.0
// Reads options and data files once for all strategies.
#include "planner/nd/input/program_input.h"

#include "base/document/json.h"
#include "base/math/units.h"
#include "base/system/machine.h"
#include "base/system/whole_file.h"
#include "base/text/say.h"
#include "base/text/status.h"
#include "planner/figures/ratios.h"
#include "planner/profiles/profile_run.h"
#include "planner/shared/files.h"
#include "planner/shared/options.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

// ---- profile folder -----------------------------------------------------------------------------

// Returns whether the path is a folder.
static bool nd_is_profile_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool is_known(const struct nd_profiles *profiles, const struct nd_profile *profile)
{
    for (int64_t i = 0; i < profiles->n; i++) {
        const struct nd_profile *p = &profiles->rows[i];
        if (p->dp == profile->dp && p->tp == profile->tp && p->pp == profile->pp &&
            p->ep == profile->ep && p->cp == profile->cp && p->op == profile->op &&
            p->mbs == profile->mbs)
            return true;
    }
    return false;
}

static enum pps_status add_profile(struct nd_profiles *profiles,
                                   const struct nd_profile *profile, struct pps_error *err)
{
    struct nd_profile *rows =
        realloc(profiles->rows, ((size_t)profiles->n + 1) * sizeof *profiles->rows);
    if (rows == NULL)
        return pps_fail_memory(err, "the profiles");
    profiles->rows = rows;
    if (!is_known(profiles, profile))
        rows[profiles->n++] = *profile;
    return PPS_OK;
}

static enum pps_status take_run(struct nd_profiles *profiles, const struct profile_run *run,
                                const struct run_folder *folder, bool quiet,
                                struct pps_error *err)
{
    struct nd_profile profile;
    struct pps_fault fault;
    enum pps_status status = PPS_OK;
    cJSON *document = profile_run_document(run, &folder->degrees);
    if (document == NULL)
        return pps_fail_memory(err, "the layer times of %s", folder->path);
    if (nd_profile_of_times(&profile, document, ND_CORRECTED, &fault))
        status = add_profile(profiles, &profile, err);
    else if (!quiet)
        pps_say(stderr, "note      %s: no ratios: %s", folder->path, fault.text);
    cJSON_Delete(document);
    return status;
}

static void print_notes(const struct profile_run *run)
{
    for (const char *at = run->notes.text; at != NULL && *at != '\0';) {
        const size_t n = strcspn(at, "\n");
        pps_say(stderr, "note      %.*s", (int)n, at);
        at += n + (at[n] == '\n');
    }
}

static enum pps_status read_run(struct nd_profiles *profiles, const struct run_folder *folder,
                                bool quiet, struct pps_error *err)
{
    static const struct profile_request request = {.skip_steps = 0};
    struct run_files files;
    struct profile_run run;
    enum pps_status status = run_files_list(&files, folder->path, err);
    if (status != PPS_OK)
        return status;
    status = profile_run_read(&run, &files, &folder->degrees, &request, err);
    if (status == PPS_OK) {
        if (!quiet)
            print_notes(&run);
        if (run.n_profiles > 0)
            status = take_run(profiles, &run, folder, quiet, err);
        profile_run_free(&run);
    }
    run_files_free(&files);
    return status;
}

// Reads the profiles of all runs in the folder (planner/profiles). Of several runs of the same
// configuration the first counts. Prints notes about profiles to stderr, unless quiet. PPS_E_INPUT: no
// run has layer times. After an error there is nothing to free.
static enum pps_status nd_profile_folder_read(struct nd_profiles *profiles, const char *folder,
                                              bool quiet, struct pps_error *err)
{
    struct run_folders runs;
    *profiles = (struct nd_profiles){0};
    enum pps_status status = run_folders_find(&runs, folder, NULL, err);
    if (status != PPS_OK)
        return status;
    for (size_t i = 0; status == PPS_OK && i < runs.n; i++)
        status = read_run(profiles, &runs.rows[i], quiet, err);
    run_folders_free(&runs);
    if (status == PPS_OK && profiles->n == 0)
        status =
            pps_fail_at(err, PPS_E_INPUT, folder, 0, 0,
                        "expected folders with names like DP8_TP2_PP4_EP16 with profiles that "
                        "give layer times; `ppsweep nd parse` reports what it finds");
    if (status != PPS_OK)
        nd_profiles_free(profiles);
    return status;
}

// ---- options ------------------------------------------------------------------------------------

// Every solver name selects the built-in solver; a note reports the replacement once.
static void read_solver(struct nd_input *input, const struct pps_args *args)
{
    static const char *const KNOWN[] = {"HIGHS",  "SCIP",  "CBC",  "GLPK",
                                        "GUROBI", "CPLEX", "QIUQI"};
    const char *name = pps_arg(args, "solver-name");
    input->solver = "HIGHS";
    for (size_t k = 0; name != NULL && k < sizeof KNOWN / sizeof KNOWN[0]; k++)
        if (strcasecmp(name, KNOWN[k]) == 0) {
            input->solver = KNOWN[k];
            if (k > 0 && !input->quiet)
                fprintf(stderr, "note      %s: the built-in exact solver is used\n", KNOWN[k]);
            return;
        }
    if (name != NULL)
        pps_say(stderr, "warning   unknown solver %s: the built-in solver is used", name);
}

static enum pps_status read_options(struct nd_input *input, const struct pps_args *args,
                                    struct pps_error *err)
{
    input->quiet = pps_arg(args, "quiet") != NULL;
    input->gate = pps_arg_gate(args);
    input->given = nd_ratios_unknown;
    input->low_mem = input->job.run.training.low_mem_vpp;
    input->effort.seconds = pps_wall_seconds;
    read_solver(input, args);
    bool orig;
    enum pps_status status = plan_arg_compat(args, &orig, err);
    const struct plan_document *file = plan_run_configuration(&input->job.run);
    input->compat = orig ? ND_ORIG : ND_CORRECTED;
    input->allow_full = orig || file == NULL || !file->never_wholly;
    input->allow_select = !orig && (file == NULL || !file->only_wholly);
    if (status == PPS_OK)
        status = plan_arg_bool(args, "select", &input->allow_select, err);
    if (status == PPS_OK)
        status = plan_arg_bool(args, "full", &input->allow_full, err);
    if (status == PPS_OK)
        status = plan_arg_bool(args, "low-mem", &input->low_mem, err);
    if (status == PPS_OK)
        status = pps_arg_number(args, "time", 0, 1e9, &input->effort.max_seconds, err);
    if (status == PPS_OK)
        status =
            pps_arg_count(args, "search-limit", 0, UINT64_MAX, &input->effort.max_nodes, err);
    if (status == PPS_OK && input->effort.max_seconds > 0 && !input->quiet)
        fprintf(stderr, "note      with a time limit, the result may not be optimal\n");
    return status;
}

// ---- data files ---------------------------------------------------------------------------------

static enum pps_status read_profiles(struct nd_input *input, const char *path,
                                     struct pps_error *err)
{
    struct plan_table data;
    struct pps_fault fault;
    enum pps_status status = plan_table_read(&data, path, err);
    if (status == PPS_OK && !nd_profiles_read(&input->profiles, data.table, &fault))
        status = plan_fail_table(&data, &fault, err);
    plan_table_free(&data);
    return status;
}

static enum pps_status add_times(struct nd_input *input, const char *path,
                                 struct pps_error *err)
{
    struct pps_json json;
    struct pps_fault fault;
    struct nd_profiles *profiles = &input->profiles;
    enum pps_status status = pps_json_load(&json, path, err);
    if (status != PPS_OK)
        return status;
    struct nd_profile *rows =
        realloc(profiles->rows, ((size_t)profiles->n + 1) * sizeof *profiles->rows);
    if (rows == NULL) {
        pps_json_free(&json);
        return pps_fail_memory(err, "%s", path);
    }
    profiles->rows = rows;
    if (nd_profile_of_times(&rows[profiles->n], json.root, input->compat, &fault))
        profiles->n++;
    else
        status = plan_fail_document(&json, &fault, err);
    pps_json_free(&json);
    return status;
}

static enum pps_status read_figures(struct nd_input *input, const char *path,
                                    struct pps_error *err)
{
    char *text;
    size_t n;
    struct pps_fault fault;
    enum pps_status status = pps_whole_file_read(path, PLAN_DATA_MAX, &text, &n, err);
    if (status == PPS_OK && !nd_figures_read(&input->figures, text, n, &fault))
        status =
            pps_fail_at(err, PPS_E_INPUT, path, fault.line, fault.column, "%s", fault.text);
    free(text);
    input->has_figures = true;
    return status;
}

static void note_fit(const struct nd_input *input, const struct nd_calibration_fit *fit)
{
    if (!input->quiet)
        fprintf(stderr,
                "note      calibration: the fitted figures differ from the peaks by %.1f MiB "
                "(root mean square), at most %.1f MiB (stage %d)\n",
                fit->residual_mb, fit->worst_mb, fit->worst_stage);
}

static enum pps_status read_calibration(struct nd_input *input, const struct pps_args *args,
                                        const char *path, struct pps_error *err)
{
    struct pps_json json;
    struct pps_fault fault;
    struct nd_calibration calibration;
    struct nd_calibration_fit fit;
    uint64_t layout = ND_LAYOUT_16;
    enum pps_status status = pps_arg_count(args, "llm", 0, 1, &layout, err);
    if (status == PPS_OK)
        status = pps_json_load(&json, path, err);
    if (status != PPS_OK)
        return status;
    if (nd_calibration_read(&calibration, (enum nd_layout)layout, json.root, &fault)) {
        nd_figures_of_calibration(&input->figures, &calibration, input->compat,
                                  pps_arg(args, "whole-layers") != NULL, &fit);
        input->has_figures = true;
        note_fit(input, &fit);
    } else {
        status = plan_fail_document(&json, &fault, err);
    }
    pps_json_free(&json);
    return status;
}

static enum pps_status read_data(struct nd_input *input, const struct pps_args *args,
                                 struct pps_error *err)
{
    const char *profiles = pps_arg(args, "parser-result"),
               *figures = pps_arg(args, "memory-info");
    const char *folder = pps_arg(args, "profile-data-dir"); // the published name
    const char *calibration = pps_arg(args, "calibration");
    enum pps_status status = PPS_OK;
    profiles = profiles != NULL ? profiles : folder;
    if (profiles != NULL && nd_is_profile_folder(profiles))
        status = nd_profile_folder_read(&input->profiles, profiles, input->quiet, err);
    else if (profiles != NULL)
        status = read_profiles(input, profiles, err);
    for (int k = 0; status == PPS_OK && pps_arg_nth(args, "profile-times", k) != NULL; k++)
        status = add_times(input, pps_arg_nth(args, "profile-times", k), err);
    if (status == PPS_OK && figures != NULL)
        status = read_figures(input, figures, err);
    else if (status == PPS_OK && calibration != NULL)
        status = read_calibration(input, args, calibration, err);
    if (status == PPS_OK && !input->has_figures && input->compat == ND_ORIG)
        fprintf(
            stderr,
            "warning   no memory figures given: the published tool's figures are used for every model\n");
    return status;
}

// ---- the dialect -----------------------------------------------------------------------------

enum nd_dialect nd_dialect_of(enum framework framework)
{
    switch (framework) {
    case FRAMEWORK_MEGATRON:
        return ND_SAYS_EACH;
    case FRAMEWORK_TORCHTITAN:
    case FRAMEWORK_TRAINER:
    case FRAMEWORK_VERL:
    case FRAMEWORK_BRIDGE:
        return ND_SAYS_EVERY;
    case FRAMEWORK_MINDFORMERS:
    case FRAMEWORK_NONE:
    case N_FRAMEWORKS:
        break;
    }
    return ND_SAYS_ANY;
}

// ---- all ----------------------------------------------------------------------------------------

enum pps_status nd_input_open(struct nd_input *input, const struct pps_args *args,
                              struct pps_error *err)
{
    enum pps_status status = nd_job_open(&input->job, args, err);
    if (status == PPS_OK)
        status = read_options(input, args, err);
    if (status == PPS_OK)
        status = read_data(input, args, err);
    if (status != PPS_OK) {
        nd_input_close(input);
        return status;
    }
    const struct plan_document *file = plan_run_configuration(&input->job.run);
    input->dialect = file != NULL && file->deals_again
                         ? ND_SAYS_DEALT
                         : nd_dialect_of(file != NULL ? file->framework : FRAMEWORK_NONE);
    return PPS_OK;
}

void nd_input_close(struct nd_input *input)
{
    nd_profiles_free(&input->profiles);
    nd_job_close(&input->job);
}

double nd_input_limit_mb(const struct nd_input *input)
{
    const double reserve = input->has_figures ? input->job.run.cluster.reserve : 0.0;
    return units_to_mib(input->job.run.cluster.memory_limit - reserve);
}

enum pps_status nd_input_chunks(const struct nd_input *input, struct nd_rank_options *rank,
                                bool given, struct pps_error *err)
{
    const enum training_schedule schedule = input->job.run.training.schedule;
    if (input->compat == ND_ORIG || schedule == TRAINING_ANY_SCHEDULE)
        return PPS_OK;
    if (schedule == TRAINING_ZERO_BUBBLE || schedule == TRAINING_DUALPIPE)
        return plan_run_check_schedule(&input->job.run, err);
    if (schedule == TRAINING_VPP && rank->max_vpp < 2)
        return pps_fail(
            err, PPS_E_INPUT,
            "--max-vpp 1: the training document sets schedule vpp, which needs at least "
            "two chunks per stage");
    if (schedule == TRAINING_1F1B && given && rank->max_vpp > 1)
        return pps_fail(err, PPS_E_INPUT,
                        "--max-vpp %d: the training document sets schedule 1f1b, which has one "
                        "chunk per stage",
                        rank->max_vpp);
    if (schedule == TRAINING_VPP)
        rank->min_vpp = 2;
    else
        rank->max_vpp = 1;
    return PPS_OK;
}

void nd_add_lists(struct text_buffer *text, const int32_t *values, int32_t rows,
                  int32_t columns)
{
    text_buffer_add(text, "[");
    for (int32_t r = 0; r < rows; r++) {
        text_buffer_add(text, "%s[", r > 0 ? ", " : "");
        for (int32_t c = 0; c < columns; c++)
            text_buffer_add(text, "%s%d", c > 0 ? ", " : "", values[r * columns + c]);
        text_buffer_add(text, "]");
    }
    text_buffer_add(text, "]");
}
