// SPDX-License-Identifier: Apache-2.0
// States of runs, in memory and in files.
#include "planner/nd/runs/run.h"

#include "base/document/json.h"
#include "base/system/disk.h"
#include "planner/shared/files.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const state_names[ND_RUN_STATES] = {
    [ND_RUN_WAITING] = "not started", [ND_RUN_RUNNING] = "running",
    [ND_RUN_DONE] = "done",           [ND_RUN_FAILED] = "failed",
    [ND_RUN_KILLED] = "killed",       [ND_RUN_NO_MEMORY] = "out of memory",
    [ND_RUN_TIMED_OUT] = "timed out", [ND_RUN_STOPPED] = "stopped",
    [ND_RUN_IN_USE] = "in use",
};

// ---- names --------------------------------------------------------------------------------------

__attribute__((format(printf, 1, 2))) static char *print(const char *format, ...)
{
    va_list args;
    char *text = NULL;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    va_end(args);
    return text;
}

enum pps_status nd_run_open(struct nd_run *run, const struct nd_order *order,
                            const char *output, struct pps_error *err)
{
    const char *name = order->configuration->name;
    const long long rank = order->rank;
    *run = (struct nd_run){.order = *order, .process = {.link = -1}, .slot = -1};
    run->folder = print("%s/logs/%s", output, name);
    if (rank < 0) {
        run->name = print("%s", name);
        run->log = print("%s/logs/%s/output.log", output, name);
        run->status_file = print("%s/status/%s.json", output, name);
    } else {
        run->name = print("%s rank %lld", name, rank);
        run->log = print("%s/logs/%s/rank_%lld.log", output, name, rank);
        run->status_file = print("%s/status/%s.rank_%lld.json", output, name, rank);
    }
    if (run->name == NULL || run->folder == NULL || run->log == NULL ||
        run->status_file == NULL)
        return pps_fail_memory(err, "the runs");
    return PPS_OK;
}

void nd_run_free(struct nd_run *run)
{
    free(run->name);
    free(run->folder);
    free(run->log);
    free(run->status_file);
}

// ---- file ---------------------------------------------------------------------------------------

// The command without devices and port, which differ from call to call.
static void add_recipe(struct text_buffer *text, const struct nd_run *run,
                       const struct nd_recipe *recipe)
{
    const struct nd_place place = {.log = run->folder, .devices = ""};
    nd_recipe_command(text, recipe, &run->order, &place);
}

static void print_digest(const struct nd_run *run, char digest[17])
{
    snprintf(digest, 17, "%016" PRIx64, run->order.configuration->digest);
}

static double number_of(const cJSON *root, const char *key)
{
    const cJSON *item = pps_json_member(root, key);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static const char *text_of(const cJSON *root, const char *key)
{
    const cJSON *item = pps_json_member(root, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

static bool is_unchanged(const struct nd_run *run, const struct nd_recipe *recipe,
                         const cJSON *root)
{
    char digest[17];
    struct text_buffer text = {.text = NULL};
    print_digest(run, digest);
    add_recipe(&text, run, recipe);
    const bool same = !text.failed && strcmp(text_of(root, "recipe"), text.text) == 0 &&
                      strcmp(text_of(root, "digest"), digest) == 0;
    text_buffer_free(&text);
    return same;
}

enum pps_status nd_run_check_status(const struct nd_run *run, struct pps_error *err)
{
    struct pps_json json = {.root = NULL};
    struct pps_error ignored;
    enum pps_disk_entry entry;
    enum pps_status status = pps_disk_look(run->status_file, &entry, err);
    if (status != PPS_OK || entry == PPS_DISK_NOTHING)
        return status;
    if (pps_json_load(&json, run->status_file, &ignored) != PPS_OK)
        return PPS_OK; // damaged: the run is repeated
    if (text_of(json.root, "state")[0] == '\0')
        status = pps_fail(err, PPS_E_INPUT,
                          "%s is not the status of a run; choose another folder with -o, or "
                          "--force replaces it",
                          run->status_file);
    pps_json_free(&json);
    return status;
}

void nd_run_read(struct nd_run *run, const struct nd_recipe *recipe)
{
    struct pps_json json;
    struct pps_error ignored = {.text = ""};
    enum pps_disk_entry entry;
    if (pps_disk_look(run->status_file, &entry, &ignored) != PPS_OK ||
        entry == PPS_DISK_NOTHING || pps_json_load(&json, run->status_file, &ignored) != PPS_OK)
        return;
    for (int s = 0; s < ND_RUN_STATES && is_unchanged(run, recipe, json.root); s++) {
        if (strcmp(text_of(json.root, "state"), state_names[s]) != 0)
            continue;
        run->state = (enum nd_run_state)s;
        run->earlier = true;
        run->exit_status = (int)number_of(json.root, "exit_status");
        run->signal = (int)number_of(json.root, "signal");
        run->seconds = number_of(json.root, "seconds");
        run->limit_s = number_of(json.root, "time_limit");
        snprintf(run->line.text, sizeof run->line.text, "%s", text_of(json.root, "last_line"));
        break;
    }
    pps_json_free(&json);
}

static void add_time(cJSON *root, const char *key, time_t when)
{
    char text[32];
    struct tm utc;
    if (when == 0 || gmtime_r(&when, &utc) == NULL)
        return;
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    cJSON_AddStringToObject(root, key, text);
}

static cJSON *make_document(const struct nd_run *run, const char *recipe, const char *command)
{
    char digest[17];
    cJSON *root = cJSON_CreateObject();
    print_digest(run, digest);
    cJSON_AddStringToObject(root, "name", run->order.configuration->name);
    if (run->order.rank >= 0)
        cJSON_AddNumberToObject(root, "rank", (double)run->order.rank);
    cJSON_AddStringToObject(root, "state", state_names[run->state]);
    cJSON_AddNumberToObject(root, "exit_status", run->exit_status);
    cJSON_AddNumberToObject(root, "signal", run->signal);
    add_time(root, "start", run->started);
    add_time(root, "end", run->ended);
    cJSON_AddNumberToObject(root, "seconds", round(run->seconds * 1e3) / 1e3);
    cJSON_AddNumberToObject(root, "time_limit", run->limit_s);
    cJSON_AddStringToObject(root, "last_line", run->line.text);
    cJSON_AddStringToObject(root, "configuration", run->order.configuration->path);
    cJSON_AddStringToObject(root, "digest", digest);
    cJSON_AddStringToObject(root, "log", run->log);
    cJSON_AddStringToObject(root, "command", command);
    cJSON_AddStringToObject(root, "recipe", recipe);
    return root;
}

enum pps_status nd_run_write(const struct nd_run *run, const struct nd_recipe *recipe,
                             const char *command, struct pps_error *err)
{
    struct text_buffer known = {.text = NULL}, out = {.text = NULL};
    add_recipe(&known, run, recipe);
    cJSON *root = known.failed ? NULL : make_document(run, known.text, command);
    char *text = pps_json_print(root);
    text_buffer_free(&known);
    cJSON_Delete(root);
    if (text == NULL)
        return pps_fail_memory(err, "%s", run->status_file);
    text_buffer_add(&out, "%s\n", text);
    cJSON_free(text);
    return plan_write_text(run->status_file, &out, &pps_gate_open, err);
}

// ---- text ---------------------------------------------------------------------------------------

bool nd_run_failed(const struct nd_run *run)
{
    return run->state >= ND_RUN_FAILED && run->state <= ND_RUN_TIMED_OUT;
}

void nd_run_describe(const struct nd_run *run, char *out, size_t cap)
{
    if (run->state == ND_RUN_FAILED) {
        snprintf(out, cap, "failed with exit %d", run->exit_status);
    } else if (run->state == ND_RUN_KILLED) {
        snprintf(out, cap, "killed by signal %d", run->signal);
    } else {
        snprintf(out, cap, "%s", state_names[run->state]);
    }
}
