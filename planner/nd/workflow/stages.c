// SPDX-License-Identifier: Apache-2.0
// The table of stages, and the words of each stage's command line.
#include "planner/nd/workflow/stages.h"

#include "base/document/json.h"
#include "base/text/grow_list.h"
#include "base/text/say.h"
#include "base/text/text_buffer.h"
#include "planner/nd/commands/commands.h"
#include "planner/nd/results/parse.h"
#include "planner/nd/runs/commands.h"
#include "planner/shared/files.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const names[ND_N_STAGES] = {"search",  "dryrun", "fit",
                                               "profile", "parse",  "rank"};

const char *nd_stage_name(enum nd_stage stage)
{
    return names[stage];
}

enum nd_stage nd_stage_find(const char *name)
{
    int s = 0;
    while (s < ND_N_STAGES && strcmp(name, names[s]) != 0)
        s++;
    return (enum nd_stage)s;
}

bool nd_stage_runs(enum nd_stage stage)
{
    return stage == ND_STAGE_DRYRUN || stage == ND_STAGE_PROFILE;
}

// ---- words --------------------------------------------------------------------------------------

static void add(struct nd_stage_line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(struct nd_stage_line *line, const char *format, ...)
{
    va_list list;
    size_t room = (size_t)line->room;
    char **words = pps_grow(line->words, &room, (size_t)line->n + 2, sizeof *words);
    line->failed |= words == NULL;
    if (words == NULL)
        return;
    line->words = words;
    line->room = (int)room;
    va_start(list, format);
    if (vasprintf(&line->words[line->n], format, list) < 0)
        line->failed = true;
    else
        line->n++;
    va_end(list);
    line->words[line->n] = NULL;
}

// Passes options of `nd auto` on, as "--name=value".
static void pass(struct nd_stage_line *line, const struct pps_args *args,
                 const char *const *options)
{
    for (; *options != NULL; options++)
        for (int i = 0; pps_arg_nth(args, *options, i) != NULL; i++) {
            const char *value = pps_arg_nth(args, *options, i);
            if (value[0] == '\0')
                add(line, "--%s", *options);
            else
                add(line, "--%s=%s", *options, value);
        }
}

// Both tables, and the configurations that are written, have as many rows.
static void add_top(struct nd_stage_line *line, const struct pps_args *args)
{
    const char *top = pps_arg(args, "top");
    add(line, "--top=%s", top != NULL ? top : "10");
}

static void add_model(struct nd_stage_line *line, const struct pps_args *args)
{
    static const char *const options[] = {"training",  "devices", "memory",     "stack",
                                          "precision", "gbs",     "seq-length", NULL};
    for (int w = 0; w < pps_arg_words(args); w++)
        add(line, "%s", pps_arg_word(args, w));
    pass(line, args, options);
}

static const char *const search_options[] = {
    "preset", "strategy", "filters", "add-filter", "drop-filter", "rule", "tp-max",
    "ep-max", "pp-max",   "vp-max",  "large",      "test-ep",     NULL};
static const char *const run_options[] = {
    "command",         "mindformers-dir", "mindspeed-path",
    "torchtitan-path", "parallel-num",    "time-limit",
    "grace",           "retry-failed",    NULL};

// ---- stages -------------------------------------------------------------------------------------

static void build_search(struct nd_stage_line *line, const struct pps_args *args,
                         const char *folder)
{
    add(line, "nd");
    add_model(line, args);
    pass(line, args, search_options);
    add(line, "--dry-runs");
    add(line, "--output=%s", folder);
}

static void build_runs(struct nd_stage_line *line, const struct pps_args *args,
                       const char *folder, bool dry_runs)
{
    add(line, dry_runs ? "nd dryrun" : "nd profile");
    add(line, "%s/%s", folder, dry_runs ? "dryrun_yaml" : "profile_yaml");
    add(line, "--output=%s/%s", folder, dry_runs ? "dryrun" : "profile");
    pass(line, args, run_options);
    if (dry_runs)
        add(line, "--ranks=largest");
    if (!dry_runs && pps_arg(args, "rank-num") != NULL)
        add(line, "--rank-num=%s", pps_arg(args, "rank-num"));
}

static void build_fit(struct nd_stage_line *line, const struct pps_args *args,
                      const char *folder, bool dry_runs)
{
    static const char *const options[] = {"rank-num", "profile-max", NULL};
    add(line, "nd");
    add_model(line, args);
    pass(line, args, search_options);
    pass(line, args, options);
    add_top(line, args);
    if (dry_runs)
        add(line, "--dryrun-data=%s/dryrun/logs", folder);
    add(line, "--output=%s", folder);
}

static void build_parse(struct nd_stage_line *line, const struct pps_args *args,
                        const char *folder)
{
    static const char *const options[] = {"skip-steps", "micro-batches", "attention-forward",
                                          "attention-backward", NULL};
    add(line, "nd parse");
    add(line, "%s/profile/logs", folder);
    add(line, "--output=%s", folder);
    pass(line, args, options);
}

static void build_rank(struct nd_stage_line *line, const struct pps_args *args,
                       const char *folder, bool profiles)
{
    static const char *const options[] = {"max-vpp", "select",  "full", "low-mem",
                                          "time",    "threads", NULL};
    add(line, "nd rank");
    add_model(line, args);
    add(line, "--candidates=%s/nd_candidate_config.csv", folder);
    if (profiles)
        add(line, "--parser-result=%s/profile_ratios.csv", folder);
    pass(line, args, options);
    add_top(line, args);
    add(line, "--output=%s/result", folder);
}

void nd_stage_line_build(struct nd_stage_line *line, enum nd_stage stage,
                         const struct pps_args *args, const char *folder, bool dry_runs,
                         bool profiles)
{
    *line = (struct nd_stage_line){.words = NULL};
    switch (stage) {
    case ND_STAGE_SEARCH:
        line->command = &nd_command;
        build_search(line, args, folder);
        break;
    case ND_STAGE_DRYRUN:
        line->command = &nd_dryrun_command;
        build_runs(line, args, folder, true);
        break;
    case ND_STAGE_FIT:
        line->command = &nd_command;
        build_fit(line, args, folder, dry_runs);
        break;
    case ND_STAGE_PROFILE:
        line->command = &nd_profile_command;
        build_runs(line, args, folder, false);
        break;
    case ND_STAGE_PARSE:
        line->command = &nd_parse_command;
        build_parse(line, args, folder);
        break;
    case ND_STAGE_RANK:
    case ND_N_STAGES:
        line->command = &nd_rank_command;
        build_rank(line, args, folder, profiles);
    }
}

void nd_stage_line_force(struct nd_stage_line *line)
{
    add(line, "--force");
}

void nd_stage_line_free(struct nd_stage_line *line)
{
    for (int k = 0; k < line->n; k++)
        free(line->words[k]);
    free(line->words);
    *line = (struct nd_stage_line){.words = NULL};
}

char *nd_stage_line_text(const struct nd_stage_line *line)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    if (out == NULL)
        return NULL;
    fprintf(out, "ppsweep %s", line->words[0]);
    for (int k = 1; k < line->n; k++) {
        fputc(' ', out);
        pps_say_word(out, line->words[k], SIZE_MAX);
    }
    return fclose(out) == 0 ? text : NULL;
}

// ---- state --------------------------------------------------------------------------------------

static void state_path(char path[PLAN_PATH + 32], const char *folder)
{
    snprintf(path, PLAN_PATH + 32, "%s/workflow.json", folder);
}

static bool is_state(const cJSON *root)
{
    return cJSON_IsString(pps_json_member(root, "input")) &&
           cJSON_IsObject(pps_json_member(root, "complete"));
}

static bool is_of_input(const cJSON *root, uint64_t input)
{
    char digest[24];
    const char *text = cJSON_GetStringValue(pps_json_member(root, "input"));
    snprintf(digest, sizeof digest, "%016" PRIx64, input);
    return text != NULL && strcmp(text, digest) == 0;
}

enum pps_status nd_workflow_state_open(struct nd_workflow_state *state, const char *folder,
                                       uint64_t input, bool force, struct pps_error *err)
{
    char path[PLAN_PATH + 32];
    struct pps_json json;
    *state = (struct nd_workflow_state){.input = input};
    state_path(path, folder);
    if (access(path, F_OK) != 0)
        return PPS_OK;
    enum pps_status status = pps_json_load(&json, path, err);
    if (status != PPS_OK)
        return status;
    if (!force && !is_state(json.root)) {
        status = pps_json_fail(&json, json.root, err,
                               "not a state of ppsweep nd auto; choose another folder, or "
                               "--force replaces it");
        pps_json_free(&json);
        return status;
    }
    for (int s = 0; s < ND_N_STAGES && is_of_input(json.root, input); s++) {
        const char *line = cJSON_GetStringValue(pps_json_member(
            pps_json_member(json.root, "complete"), nd_stage_name((enum nd_stage)s)));
        if (line == NULL)
            continue; // not complete, or skipped
        state->lines[s] = strdup(line);
        if (state->lines[s] == NULL)
            status = pps_fail_memory(err, "%s", path);
    }
    pps_json_free(&json);
    if (status != PPS_OK)
        nd_workflow_state_close(state);
    return status;
}

static void forget_from(struct nd_workflow_state *state, int stage)
{
    for (int s = stage; s < ND_N_STAGES; s++) {
        free(state->lines[s]);
        state->lines[s] = NULL;
    }
}

void nd_workflow_state_close(struct nd_workflow_state *state)
{
    forget_from(state, 0);
}

bool nd_workflow_state_has(const struct nd_workflow_state *state, enum nd_stage stage,
                           const char *line)
{
    return state->lines[stage] != NULL && strcmp(state->lines[stage], line) == 0;
}

static cJSON *state_tree(const struct nd_workflow_state *state)
{
    char digest[24];
    cJSON *root = cJSON_CreateObject();
    snprintf(digest, sizeof digest, "%016" PRIx64, state->input);
    cJSON_AddStringToObject(root, "input", digest);
    cJSON *complete = cJSON_AddObjectToObject(root, "complete");
    for (int s = 0; s < ND_N_STAGES; s++)
        if (state->lines[s] != NULL)
            cJSON_AddStringToObject(complete, nd_stage_name((enum nd_stage)s), state->lines[s]);
    return root;
}

enum pps_status nd_workflow_state_set(struct nd_workflow_state *state, const char *folder,
                                      enum nd_stage stage, const char *line,
                                      struct pps_error *err)
{
    char path[PLAN_PATH + 32];
    struct text_buffer text = {.text = NULL};
    state_path(path, folder);
    forget_from(state, (int)stage);
    state->lines[stage] = strdup(line);
    cJSON *root = state_tree(state);
    char *printed = pps_json_print(root);
    cJSON_Delete(root);
    if (state->lines[stage] == NULL || printed == NULL) {
        cJSON_free(printed);
        return pps_fail_memory(err, "%s", path);
    }
    text_buffer_add(&text, "%s\n", printed);
    cJSON_free(printed);
    return plan_write_text(path, &text, &pps_gate_open, err);
}
