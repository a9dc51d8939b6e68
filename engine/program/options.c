// SPDX-License-Identifier: Apache-2.0
// Reads what a command says beside its words, its parameters and its results.
#include "engine/program/program_private.h"

#include "base/text/duration.h"
#include "base/text/nearest.h"

#include <math.h>
#include <string.h>

static const char *const keys[] = {"run",        "lines",   "params",    "results",
                                   "time_limit", "retries", "point_time"};
enum { N_KEYS = sizeof keys / sizeof *keys, MOST_RETRIES = 100 };

// Times of a point where the command does not say "point_time". They only set the size of blocks: one row for a
// program that is started for it.
static const double ONCE_S = 1, LINE_S = 2e-5;

enum pps_status pps_command_fail(const struct pps_command_reader *r, const cJSON *item,
                                 const char *what)
{
    return pps_json_fail(r->ask->file, item, r->err, "command: %s", what);
}

const cJSON *pps_command_member(const struct pps_command_reader *r, const char *key)
{
    return cJSON_IsObject(r->ask->command) ? pps_json_member(r->ask->command, key) : NULL;
}

// A name that the command may use.
struct used_name {
    const char *name;
    bool used;
};

static void note_use(void *self, const char *name, size_t n)
{
    struct used_name *use = self;
    use->used |= strlen(use->name) == n && strncmp(use->name, name, n) == 0;
}

// Options beside the command would be parameters that it does not use.
static enum pps_status check_place(const struct pps_command_reader *r)
{
    const cJSON *item;
    cJSON_ArrayForEach (item, r->ask->file->root) {
        struct used_name use = {item->string, false};
        if (!pps_json_key_is_of(item, keys, N_KEYS))
            continue;
        pps_program_placeholders(r->ask->command, note_use, &use);
        if (!use.used && strcmp(item->string, "params") != 0)
            return pps_json_fail_key(r->ask->file, item, r->err,
                                     "%s: this belongs to the command, as in \"command\": "
                                     "{\"run\": \"...\", \"%s\": ...}",
                                     item->string, item->string);
    }
    return PPS_OK;
}

static enum pps_status check_keys(const struct pps_command_reader *r)
{
    const cJSON *item;
    const enum pps_status status = check_place(r);
    if (status != PPS_OK)
        return status;
    if (!cJSON_IsObject(r->ask->command))
        return PPS_OK;
    cJSON_ArrayForEach (item, r->ask->command) {
        if (pps_json_key_is_of(item, keys, N_KEYS))
            continue;
        const char *near = pps_suggest(item->string, keys, N_KEYS);
        return pps_json_fail_key(
            r->ask->file, item, r->err, "command: unknown key \"%.60s\"; %s%s%s", item->string,
            near != NULL ? "did you mean " : "its keys are run, lines, params, results, ",
            near != NULL ? near : "time_limit, retries and point_time",
            near != NULL ? "?" : "");
    }
    return PPS_OK;
}

static enum pps_status read_time(const struct pps_command_reader *r, const char *key,
                                 double *seconds)
{
    const cJSON *item = pps_command_member(r, key);
    if (cJSON_IsNumber(item) && item->valuedouble > 0)
        *seconds = item->valuedouble;
    else if (item != NULL &&
             !(cJSON_IsString(item) && pps_duration_read(item->valuestring, seconds)))
        return pps_json_fail(
            r->ask->file, item, r->err,
            "command: %s: expected seconds, or a time such as \"90s\" or \"5m\"", key);
    return PPS_OK;
}

static enum pps_status read_numbers(const struct pps_command_reader *r)
{
    struct pps_program *program = r->program;
    const cJSON *lines = pps_command_member(r, "lines");
    const cJSON *retries = pps_command_member(r, "retries");
    const bool csv = cJSON_IsString(lines) && strcmp(lines->valuestring, "csv") == 0;
    const bool json = cJSON_IsString(lines) && strcmp(lines->valuestring, "json") == 0;
    program->lines = csv ? PPS_LINES_CSV : json ? PPS_LINES_JSON : PPS_LINES_NONE;
    if (lines != NULL && program->lines == PPS_LINES_NONE)
        return pps_command_fail(r, lines, "lines: expected \"csv\" or \"json\"");
    enum pps_status status = read_time(r, "time_limit", &program->limit_s);
    program->point_s = program->lines == PPS_LINES_NONE ? ONCE_S : LINE_S;
    if (status == PPS_OK)
        status = read_time(r, "point_time", &program->point_s);
    if (status != PPS_OK || retries == NULL)
        return status;
    if (!cJSON_IsNumber(retries) || retries->valuedouble < 0 ||
        retries->valuedouble > MOST_RETRIES ||
        retries->valuedouble != floor(retries->valuedouble))
        return pps_command_fail(r, retries, "retries: expected a whole number from 0 to 100");
    program->retries = retries->valueint;
    return PPS_OK;
}

// The names themselves are checked when they are read.
static enum pps_status check_forms(const struct pps_command_reader *r)
{
    const cJSON *params = pps_command_member(r, "params"),
                *results = pps_command_member(r, "results"), *item;
    const bool lists = cJSON_IsArray(results);
    if (params != NULL && !cJSON_IsObject(params))
        return pps_command_fail(r, params,
                                "params: expected an object, as in {\"n\": \"integer\"}");
    if (results != NULL && ((!lists && !cJSON_IsObject(results)) || results->child == NULL))
        return pps_command_fail(
            r, results, "results: expected names, as in [\"loss\"] or {\"loss\": \"lower\"}");
    cJSON_ArrayForEach (item, results) {
        if (lists && !cJSON_IsString(item))
            return pps_command_fail(r, item, "results: expected a name, as in [\"loss\"]");
    }
    return PPS_OK;
}

enum pps_status pps_program_read_options(const struct pps_command_reader *r)
{
    enum pps_status status = check_keys(r);
    if (status == PPS_OK)
        status = check_forms(r);
    return status == PPS_OK ? read_numbers(r) : status;
}
