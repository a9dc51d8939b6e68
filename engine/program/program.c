// SPDX-License-Identifier: Apache-2.0
// Reads the command of an experiment, and makes a kernel of it.
#include "engine/program/program_private.h"

#include "base/text/characters.h"
#include "base/text/decimal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_identifier(const char *name)
{
    const size_t n = pps_name_length(name);
    return n > 0 && n < 48 && name[n] == '\0';
}

// Returns the entry of "params" or "results" in the file that became this item of the resolved command; NULL: there is none.
static const cJSON *said_at(const struct pps_command_reader *r, const char *key,
                            const cJSON *item)
{
    const cJSON *said = pps_command_member(r, key), *entry;
    cJSON_ArrayForEach (entry, said) {
        const char *name = cJSON_IsArray(said) ? entry->valuestring : entry->string;
        if (name != NULL && strcmp(name, item->string) == 0)
            return entry;
    }
    return NULL;
}

// ---- words ------------------------------------------------------------------------------------

// Returns the text or the list of words; NULL: there is none.
static const cJSON *words_item(const cJSON *command)
{
    return cJSON_IsObject(command) ? pps_json_member(command, "run") : command;
}

static int list_words(const cJSON *list, char **words)
{
    const cJSON *item;
    int n = 0;
    cJSON_ArrayForEach (item, list) {
        if (n == PPS_PROGRAM_WORDS || !cJSON_IsString(item))
            return n == PPS_PROGRAM_WORDS ? -3 : -4;
        words[n] = strdup(item->valuestring);
        if (words[n++] == NULL)
            return -1;
    }
    return n;
}

static enum pps_status read_words(struct pps_command_reader *r)
{
    struct pps_program *program = r->program;
    const cJSON *item = words_item(r->ask->command);
    const int n = cJSON_IsString(item)
                      ? pps_words_split(item->valuestring, program->words, PPS_PROGRAM_WORDS)
                  : cJSON_IsArray(item) ? list_words(item, program->words)
                                        : -4;
    switch (n) {
    case -4:
    case 0:
        return pps_command_fail(
            r, item != NULL ? item : r->ask->command,
            "expected a program and its arguments, as in \"python3 sim.py --n {n}\"");
    case -3:
        return pps_command_fail(r, item, "it has more than 256 words; put them into a script");
    case -2:
        return pps_command_fail(r, item, "a quote is not closed");
    case -1:
        return pps_fail_memory(r->err, "the command");
    }
    program->n_words = n;
    return PPS_OK;
}

struct unknown {
    const struct pps_program *program;
    char name[64];
};

static void note_unknown(void *self, const char *name, size_t n)
{
    struct unknown *u = self;
    if (u->name[0] == '\0' && pps_param_find(&u->program->kernel, name, n) < 0)
        snprintf(u->name, sizeof u->name, "%.*s", (int)(n < 60 ? n : 60), name);
}

static enum pps_status check_placeholders(const struct pps_command_reader *r)
{
    struct pps_program *program = r->program;
    const cJSON *item = words_item(r->ask->command);
    struct unknown u = {.program = program};
    for (int w = 0; w < program->n_words; w++)
        pps_words_placeholders(program->words[w], note_unknown, &u);
    if (u.name[0] == '\0')
        return PPS_OK;
    if (program->lines != PPS_LINES_NONE)
        return pps_json_fail(r->ask->file, item, r->err,
                             "command: with \"lines\" the program reads its points from stdin; "
                             "remove {%s}",
                             u.name);
    return pps_json_fail(r->ask->file, item, r->err,
                         "command: {%s} is no parameter of this experiment; add \"%s\": [...], "
                         "or write {{%s}} for the text itself",
                         u.name, u.name, u.name);
}

void pps_program_placeholders(const cJSON *command,
                              void (*placeholder)(void *self, const char *name, size_t n),
                              void *self)
{
    const cJSON *item = words_item(command), *word;
    if (cJSON_IsString(item))
        pps_words_placeholders(item->valuestring, placeholder, self);
    cJSON_ArrayForEach (word, item) {
        if (cJSON_IsString(word))
            pps_words_placeholders(word->valuestring, placeholder, self);
    }
}

// ---- parameters -------------------------------------------------------------------------------

static enum pps_status read_names(struct pps_command_reader *r, const cJSON *list, int p)
{
    const cJSON *item, *at = said_at(r, "params", list);
    int n = 0;
    const char **names = calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof *names);
    r->program->names[p] = names;
    if (names == NULL)
        return pps_fail_memory(r->err, "the command");
    cJSON_ArrayForEach (item, list) {
        if (!cJSON_IsString(item) || item->valuestring[0] == '\0' ||
            strlen(item->valuestring) >= PPS_CELL_TEXT - 1 ||
            strpbrk(item->valuestring, ",\"\r\n\t") != NULL)
            return pps_json_fail(
                r->ask->file, cJSON_GetArrayItem(at, n), r->err,
                "%s: a text is a value of at most %d characters without comma, "
                "quote or line break; give it a short name",
                list->string, PPS_CELL_TEXT - 2);
        names[n++] = item->valuestring;
    }
    r->program->params[p].names = names;
    return PPS_OK;
}

static enum pps_status add_param(struct pps_command_reader *r, const cJSON *item)
{
    static const char *const kinds[] = {"integer", "real", "boolean", NULL};
    static const enum pps_kind of[] = {PPS_INTEGER, PPS_REAL, PPS_BOOLEAN};
    struct pps_program *program = r->program;
    const cJSON *at = said_at(r, "params", item);
    const int p = program->kernel.n_params;
    int k = cJSON_IsArray(item) ? 3 : 0;
    while (k < 3 && (!cJSON_IsString(item) || strcmp(item->valuestring, kinds[k]) != 0))
        k++;
    if (!is_identifier(item->string))
        return pps_json_fail_key(r->ask->file, at, r->err,
                                 "\"%.60s\" is no name of a parameter: letters, digits and _",
                                 item->string);
    if (k == 3 && !cJSON_IsArray(item))
        return pps_json_fail(r->ask->file, at, r->err,
                             "%s: expected integer, real, boolean or a list of names",
                             item->string);
    if (p == PPS_MAX_PARAMS)
        return pps_command_fail(r, r->ask->command, "too many parameters (at most 64)");
    program->params[p] = (struct pps_param){.name = item->string,
                                            .unit = "",
                                            .summary = "parameter of the command",
                                            .kind = k == 3 ? PPS_CHOICE : of[k],
                                            .min = -(double)INFINITY,
                                            .max = (double)INFINITY};
    program->kernel.n_params++;
    return k == 3 ? read_names(r, item, p) : PPS_OK;
}

static enum pps_status read_params(struct pps_command_reader *r)
{
    const cJSON *item;
    cJSON_ArrayForEach (item, pps_json_member(r->program->resolved, "params")) {
        const enum pps_status status = add_param(r, item);
        if (status != PPS_OK)
            return status;
    }
    return PPS_OK;
}

// ---- results ----------------------------------------------------------------------------------

static enum pps_status add_column(struct pps_command_reader *r, const cJSON *item)
{
    static const char *const words[] = {"lower", "higher", "number", "text"};
    static const enum pps_goal goals[] = {PPS_LOWER, PPS_HIGHER, PPS_NEUTRAL, PPS_NEUTRAL};
    struct pps_program *program = r->program;
    const cJSON *at = said_at(r, "results", item);
    const int c = program->kernel.n_columns;
    int k = 0;
    while (k < 4 && (!cJSON_IsString(item) || strcmp(item->valuestring, words[k]) != 0))
        k++;
    if (k == 4)
        return pps_json_fail(r->ask->file, at, r->err,
                             "%s: expected lower, higher, number or text", item->string);
    if (!is_identifier(item->string) || c == PPS_PROGRAM_RESULTS ||
        pps_column_find(&program->kernel, item->string, strlen(item->string)) >= 0 ||
        pps_param_find(&program->kernel, item->string, strlen(item->string)) >= 0)
        return pps_json_fail(
            r->ask->file, at, r->err,
            "\"%.60s\" cannot be a result: expected at most %d different names of letters, "
            "digits and _ that are no parameters",
            item->string, PPS_PROGRAM_RESULTS);
    if (c == 0 && k == 3)
        return pps_json_fail(r->ask->file, at, r->err, "%s: the first result must be a number",
                             item->string);
    program->columns[c] =
        (struct pps_column){.name = item->string,
                            .unit = "",
                            .summary = "result of the command",
                            .kind = k == 3 ? PPS_COLUMN_TEXT : PPS_COLUMN_REAL,
                            .decimals = PPS_FULL_DIGITS,
                            .text_max = k == 3 ? PPS_PROGRAM_TEXT : 0,
                            .goal = goals[k],
                            .may_be_empty = c > 0};
    program->kernel.n_columns++;
    return PPS_OK;
}

static enum pps_status read_results(struct pps_command_reader *r)
{
    const cJSON *item, *results = pps_json_member(r->program->resolved, "results");
    cJSON_ArrayForEach (item, results) {
        const enum pps_status status = add_column(r, item);
        if (status != PPS_OK)
            return status;
    }
    r->program->knows_results = r->program->kernel.n_columns > 0;
    if (!r->program->knows_results) {
        r->program->columns[0] = (struct pps_column){.name = "result",
                                                     .unit = "",
                                                     .summary = "",
                                                     .decimals = PPS_FULL_DIGITS};
        r->program->kernel.n_columns = 1;
    }
    return PPS_OK;
}

// ---- the resolved command -----------------------------------------------------------------------

// A list of names, of which the lowest value of the first is the best, or the object itself.
static cJSON *results_object(const cJSON *results)
{
    const cJSON *item;
    cJSON *object = cJSON_CreateObject();
    cJSON_ArrayForEach (item, results) {
        if (cJSON_IsArray(results))
            cJSON_AddStringToObject(object, item->valuestring,
                                    item->prev->next == NULL ? "lower" : "number");
        else
            cJSON_AddItemToObject(object, item->string, cJSON_Duplicate(item, true));
    }
    return object;
}

static void resolve(struct pps_command_reader *r)
{
    static const char *const protocols[] = {NULL, "csv", "json"};
    struct pps_program *program = r->program;
    const cJSON *item, *said = pps_command_member(r, "params"),
                       *results = pps_command_member(r, "results");
    cJSON *root = program->resolved = cJSON_CreateObject();
    cJSON *run = cJSON_AddArrayToObject(root, "run");
    for (int w = 0; w < program->n_words; w++)
        cJSON_AddItemToArray(run, cJSON_CreateString(program->words[w]));
    if (program->lines != PPS_LINES_NONE)
        cJSON_AddStringToObject(root, "lines", protocols[program->lines]);
    cJSON *params = cJSON_AddObjectToObject(root, "params");
    cJSON_ArrayForEach (item, said)
        cJSON_AddItemToObject(params, item->string, cJSON_Duplicate(item, true));
    cJSON_ArrayForEach (item, r->ask->params) {
        if (pps_json_member(params, item->string) == NULL)
            cJSON_AddItemToObject(params, item->string, cJSON_Duplicate(item, true));
    }
    results = results != NULL ? results : r->ask->results;
    cJSON_AddItemToObject(root, "results", results_object(results));
    if (program->limit_s > 0)
        cJSON_AddNumberToObject(root, "time_limit", program->limit_s);
    if (pps_command_member(r, "point_time") != NULL)
        cJSON_AddNumberToObject(root, "point_time", program->point_s);
    if (program->retries > 0)
        cJSON_AddNumberToObject(root, "retries", program->retries);
}

// ---- the kernel -------------------------------------------------------------------------------

static size_t scratch_bytes(const double *highest, const void *shared)
{
    (void)highest;
    (void)shared;
    return 64;
}

static int check(const double *point, const void *shared)
{
    (void)point;
    (void)shared;
    return 0;
}

static double cost(const double *point, const void *shared)
{
    const struct pps_program *program = shared;
    (void)point;
    return program->point_s * 1e9;
}

// An audit runs the program again.
const struct pps_kernel pps_program_table = {.name = PPS_PROGRAM_KERNEL,
                                             .summary = "the command of the experiment",
                                             .source = "the experiment",
                                             .version = "1",
                                             .reasons = (const char *const[]){"", NULL},
                                             .scratch_bytes = scratch_bytes,
                                             .check = check,
                                             .cost = cost,
                                             .run = pps_program_run,
                                             .reference = pps_program_run};

static enum pps_status read_all(struct pps_command_reader *r)
{
    enum pps_status status = pps_program_read_options(r);
    if (status == PPS_OK)
        status = read_words(r);
    if (status != PPS_OK)
        return status;
    resolve(r);
    status = read_params(r);
    if (status == PPS_OK)
        status = check_placeholders(r);
    return status == PPS_OK ? read_results(r) : status;
}

enum pps_status pps_program_open(struct pps_program **out, const struct pps_program_ask *ask,
                                 struct pps_error *err)
{
    struct pps_program *program = *out = calloc(1, sizeof *program);
    struct pps_command_reader r = {program, ask, err};
    if (program == NULL)
        return pps_fail_memory(err, "the command");
    pthread_mutex_init(&program->lock, NULL);
    program->kernel = pps_program_table;
    program->kernel.params = program->params;
    program->kernel.columns = program->columns;
    program->kernel.shared = program;
    const enum pps_status status = read_all(&r);
    if (status == PPS_OK)
        return PPS_OK;
    pps_program_close(program);
    *out = NULL;
    return status;
}

void pps_program_close(struct pps_program *program)
{
    if (program == NULL)
        return;
    pps_partners_end(program);
    pthread_mutex_destroy(&program->lock);
    for (int p = 0; p < PPS_MAX_PARAMS; p++)
        free(program->names[p]);
    for (int w = 0; w < PPS_PROGRAM_WORDS; w++)
        free(program->words[w]);
    cJSON_Delete(program->resolved);
    free(program->logs);
    free(program);
}

const struct pps_kernel *pps_program_kernel(const struct pps_program *program)
{
    return &program->kernel;
}

const cJSON *pps_program_resolved(const struct pps_program *program)
{
    return program->resolved;
}

enum pps_status pps_program_lack(struct pps_program *program, struct pps_error *err)
{
    char lack[PPS_PROGRAM_WHY];
    pthread_mutex_lock(&program->lock);
    strcpy(lack, program->lack);
    pthread_mutex_unlock(&program->lock);
    return lack[0] == '\0'
               ? PPS_OK
               : pps_fail(err, PPS_E_MACHINE,
                          "%s; raise the limit (ulimit -n, ulimit -u) or write a smaller -j",
                          lack);
}

bool pps_program_knows_results(const struct pps_program *program)
{
    return program->knows_results;
}
