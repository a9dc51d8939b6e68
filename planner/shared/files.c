// SPDX-License-Identifier: Apache-2.0
// Reads text and tables, writes files and checks folders.
#include "planner/shared/files.h"

#include "base/system/whole_file.h"
#include "base/text/characters.h"
#include "base/text/say.h"
#include "base/write/new_file.h"
#include "engine/command/signals.h"
#include "kernels/common/plan/plan_json.h"
#include "kernels/configuration/document.h"
#include "planner/shared/plan_configuration.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- a training ---------------------------------------------------------------------------------

static enum pps_status plan_of_mine(struct plan **plan, struct plan_run *run, const char *path,
                                    struct pps_error *err)
{
    struct plan_mine mine;
    struct poll poll = {.over = poll_flag, .self = pps_signals_install()};
    if (run->baseline == NULL)
        return pps_fail_at(
            err, PPS_E_INPUT, path, 0, 0,
            "describes no strategy; ppsweep check --at --plan makes a plan of it");
    const enum pps_status status = plan_mine_open(&mine, run, true, &poll, err);
    if (status != PPS_OK)
        return status;
    if (!mine.has) {
        pps_fail_at(err, PPS_E_INPUT, path, 0, 0, "the training cannot run: %s",
                    mine.plan.cannot_run.text);
    } else {
        *plan = configuration_plan(&mine.plan.configuration, &mine.step);
        if (*plan == NULL)
            pps_fail_memory(err, "the plan");
    }
    plan_mine_close(&mine);
    return *plan != NULL ? PPS_OK : err->code;
}

static enum pps_status plan_of_training(struct plan **plan, const char *path,
                                        const char *cluster, struct pps_error *err)
{
    struct plan_run run;
    enum pps_status status = plan_run_open_files(&run, path, cluster, NULL, err);
    if (status != PPS_OK)
        return status;
    status = plan_of_mine(plan, &run, path, err);
    if (status == PPS_OK && cluster == NULL && !run.names_hardware)
        pps_say(stderr, "note      %s: priced on %s (assumed; name a cluster after the file)",
                path, run.cluster.hardware.name);
    plan_run_close(&run);
    return status;
}

// ---- a plan -------------------------------------------------------------------------------------

static enum pps_status plan_of_json(struct plan **plan, struct pps_json *json,
                                    struct pps_error *err)
{
    struct pps_fault fault = {.item = NULL};
    *plan = plan_json_read(json->root, &fault);
    if (*plan != NULL)
        return PPS_OK;
    if (fault.item == NULL)
        fault.item = json->root;
    return plan_fail_document(json, &fault, err);
}

enum pps_status plan_file_read(struct plan **plan, struct pps_json *json, const char *path,
                               const char *cluster, struct pps_error *err)
{
    *plan = NULL;
    *json = (struct pps_json){.root = NULL};
    if (strcmp(path, "-") != 0 && !pps_ends_with(path, ".json"))
        return plan_of_training(plan, path, cluster, err);
    enum pps_status status = pps_json_load(json, path, err);
    if (status != PPS_OK)
        return status;
    if (plan_json_is_plan(json->root) && cluster == NULL) {
        status = plan_of_json(plan, json, err);
        if (status != PPS_OK)
            pps_json_free(json);
        return status;
    }
    pps_json_free(json);
    return plan_of_training(plan, path, cluster, err);
}

// ---- files --------------------------------------------------------------------------------------

static bool begins_json(const char *text, size_t n)
{
    size_t i = pps_utf8_mark(text, n);
    while (i < n && strchr(" \t\r\n", text[i]) != NULL && text[i] != '\0')
        i++;
    return i < n && (text[i] == '[' || text[i] == '{');
}

static enum pps_status parse_table(struct plan_table *data, const char *text, size_t n,
                                   struct pps_error *err)
{
    struct pps_fault fault;
    data->is_json = begins_json(text, n);
    if (data->is_json) {
        const enum pps_status status = pps_json_parse(&data->json, data->path, text, n, err);
        if (status != PPS_OK) {
            data->json = (struct pps_json){0};
            return status;
        }
        return table_read_json(&data->table, data->json.root, &fault)
                   ? PPS_OK
                   : plan_fail_table(data, &fault, err);
    }
    return table_read_csv(&data->table, text, n, &fault) ? PPS_OK
                                                         : plan_fail_table(data, &fault, err);
}

enum pps_status plan_table_read(struct plan_table *data, const char *path,
                                struct pps_error *err)
{
    char *text;
    size_t n;
    *data = (struct plan_table){.path = path};
    enum pps_status status = pps_whole_file_read(path, PLAN_DATA_MAX, &text, &n, err);
    if (status == PPS_OK)
        status = parse_table(data, text, n, err);
    free(text);
    return status;
}

void plan_table_free(struct plan_table *data)
{
    table_free(data->table);
    pps_json_free(&data->json);
    *data = (struct plan_table){0};
}

enum pps_status plan_fail_document(const struct pps_json *json, const struct pps_fault *fault,
                                   struct pps_error *err)
{
    if (fault->text[0] == '\0')
        return pps_fail_memory(err, "%s", json->name);
    return fault->at_key ? pps_json_fail_key(json, fault->item, err, "%s", fault->text)
                         : pps_json_fail(json, fault->item, err, "%s", fault->text);
}

void plan_warn(const struct pps_json *json, const struct pps_fault *doubts, int n)
{
    struct pps_error at;
    for (int i = 0; i < n; i++) {
        plan_fail_document(json, &doubts[i], &at);
        pps_say(stderr, "warning   %s:%d:%d: %s", at.file, at.line, at.column, at.text);
    }
}

enum pps_status plan_fail_table(const struct plan_table *data, const struct pps_fault *fault,
                                struct pps_error *err)
{
    if (data->is_json)
        return plan_fail_document(&data->json, fault, err);
    return pps_fail_at(err, PPS_E_INPUT, data->path, (int)fault->line, (int)fault->column, "%s",
                       fault->text);
}

// ---- out ----------------------------------------------------------------------------------------

// Refuses a path on which a folder is a file.
static enum pps_status check_folders(const char *path, struct pps_error *err)
{
    char part[PLAN_PATH];
    struct stat info;
    const size_t n = strlen(path);
    if (n >= sizeof part)
        return pps_fail(err, PPS_E_INPUT, "the folder's name is longer than %d bytes",
                        PLAN_PATH - 1);
    for (size_t k = 0; k <= n; k++) {
        part[k] = path[k];
        if (k == 0 || (path[k] != '/' && path[k] != '\0'))
            continue;
        part[k] = '\0';
        if (stat(part, &info) == 0 && !S_ISDIR(info.st_mode))
            return pps_fail(err, PPS_E_INPUT, "%s is not a folder; choose another name", part);
        part[k] = path[k];
    }
    return PPS_OK;
}

// The last existing folder of the path must accept a new folder.
static enum pps_status check_rights(const char *path, struct pps_error *err)
{
    char part[PLAN_PATH];
    size_t n = strlen(path);
    memcpy(part, path, n + 1);
    while (n > 0 && access(part, F_OK) != 0) {
        while (n > 0 && part[n - 1] != '/')
            n--;
        while (n > 1 && part[n - 1] == '/')
            n--;
        part[n] = '\0';
    }
    if (access(n > 0 ? part : ".", W_OK | X_OK) != 0)
        return pps_fail(err, PPS_E_INPUT, "cannot write to the folder %s: %s",
                        n > 0 ? part : ".", strerror(errno));
    return PPS_OK;
}

enum pps_status plan_check_folder(const char *path, struct pps_error *err)
{
    const enum pps_status status = check_folders(path, err);
    return status == PPS_OK ? check_rights(path, err) : status;
}

enum pps_status plan_check_file(const char *path, const struct pps_gate *gate,
                                struct pps_error *err)
{
    struct pps_new_file probe;
    const enum pps_status status = pps_new_file_open(&probe, path, gate, err);
    if (status == PPS_OK)
        pps_new_file_abandon(&probe);
    return status;
}

enum pps_status plan_write_text(const char *path, struct text_buffer *text,
                                const struct pps_gate *gate, struct pps_error *err)
{
    struct pps_new_file file = {.out = NULL};
    enum pps_status status = text->failed ? pps_fail_memory(err, "%s", path)
                                          : pps_new_file_open(&file, path, gate, err);
    if (status == PPS_OK) {
        fwrite(text->text, 1, text->n, file.out);
        status = pps_new_file_close(&file, err);
        pps_new_file_abandon(&file);
    }
    text_buffer_free(text);
    return status;
}
