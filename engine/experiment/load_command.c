// SPDX-License-Identifier: Apache-2.0
// Loads the "command" of an experiment: a program in place of a kernel.
#include "base/text/characters.h"
#include "engine/experiment/loading_private.h"
#include "engine/program/program.h"

#include <stdlib.h>
#include <string.h>

// ---- parameters -------------------------------------------------------------------------------

struct kinds {
    cJSON *of;           // name to kind
    cJSON *placeholders; // names that the command uses
};

static void note_placeholder(void *self, const char *name, size_t n)
{
    char key[64];
    snprintf(key, sizeof key, "%.*s", (int)(n < 63 ? n : 63), name);
    if (pps_json_member(self, key) == NULL)
        cJSON_AddNullToObject(self, key);
}

// "seed" is a parameter of a command that uses {seed}.
static bool is_param(const struct kinds *kinds, const cJSON *item)
{
    return !pps_is_reserved(item->string) ||
           (strcmp(item->string, "seed") == 0 &&
            pps_json_member(kinds->placeholders, "seed") != NULL);
}

static void kinds_of_file(struct pps_loader *l, struct kinds *kinds)
{
    const cJSON *item;
    cJSON_ArrayForEach (item, l->file.root) {
        if (is_param(kinds, item))
            pps_command_kind(kinds->of, item->string, item);
    }
    cJSON_ArrayForEach (item, pps_json_member(l->file.root, "params")) {
        if (item->string != NULL)
            pps_command_kind(kinds->of, item->string, item);
    }
}

// -s gives values to parameters of the file and to names that the command uses, and to no others.
static enum pps_status kinds_of_overrides(struct pps_loader *l, struct kinds *kinds)
{
    for (int i = 0; i < l->request->n_overrides; i++) {
        const char *name = l->request->overrides[i].key;
        const enum pps_status status = pps_load_override(l, i);
        if (status != PPS_OK)
            return pps_override_place(l, status);
        if (pps_json_member(kinds->of, name) != NULL ||
            pps_json_member(kinds->placeholders, name) != NULL)
            pps_command_kind(kinds->of, name, l->overrides[i].root);
    }
    return PPS_OK;
}

static enum pps_status kinds_of_points(struct pps_loader *l, struct kinds *kinds)
{
    const cJSON *item = pps_json_member(l->file.root, "points");
    char *path = l->request->points != NULL ? strdup(l->request->points)
                 : cJSON_IsString(item) ? pps_path_beside(l->request->path, item->valuestring)
                                        : NULL;
    if (path == NULL)
        return PPS_OK;
    const enum pps_status status = pps_command_point_kinds(kinds->of, path, l->err);
    free(path);
    return status;
}

// ---- use --------------------------------------------------------------------------------------

static bool names_word(const cJSON *item, const char *name)
{
    const cJSON *member;
    bool names = cJSON_IsString(item) && pps_has_name(item->valuestring, name);
    cJSON_ArrayForEach (member, item)
        names = names || names_word(member, name);
    return names;
}

// Whether an expression of another parameter, a rule or a computed column uses the parameter.
static bool is_used_beside(const struct pps_loader *l, const char *name)
{
    const cJSON *item;
    bool used = false;
    cJSON_ArrayForEach (item, l->file.root)
        used = used || (strcmp(item->string, name) != 0 && strcmp(item->string, "zip") != 0 &&
                        strcmp(item->string, "command") != 0 && names_word(item, name));
    for (int i = 0; i < l->request->n_overrides; i++)
        used = used || (strcmp(l->request->overrides[i].key, name) != 0 &&
                        names_word(l->overrides[i].root, name));
    for (int i = 0; i < l->request->n_lets; i++)
        used = used || pps_has_name(l->request->lets[i], name);
    return used;
}

// Refuses a parameter of the file that has no effect, as a kernel refuses names that it does not know. One that is
// declared under "params" may be there to repeat points, and a program that reads lines receives all.
static enum pps_status check_use(const struct pps_loader *l, const struct kinds *kinds)
{
    const cJSON *item, *command = pps_json_member(l->file.root, "command");
    const cJSON *declared = pps_json_member(command, "params");
    if (pps_json_member(command, "lines") != NULL)
        return PPS_OK;
    cJSON_ArrayForEach (item, l->file.root) {
        const char *name = item->string;
        if (is_param(kinds, item) && pps_json_member(kinds->placeholders, name) == NULL &&
            pps_json_member(declared, name) == NULL && !is_used_beside(l, name))
            return pps_json_fail_key(
                &l->file, item, l->err,
                "%s: the command does not use it; write {%s} there, or, to "
                "repeat points, declare it: \"command\": {\"run\": \"...\", "
                "\"params\": {\"%s\": \"integer\"}}",
                name, name, name);
    }
    return PPS_OK;
}

static enum pps_status open_program(struct pps_loader *l, struct pps_program **program)
{
    const cJSON *command = pps_json_member(l->file.root, "command");
    struct kinds kinds = {cJSON_CreateObject(), cJSON_CreateObject()};
    pps_program_placeholders(command, note_placeholder, kinds.placeholders);
    enum pps_status status = kinds_of_points(l, &kinds);
    kinds_of_file(l, &kinds);
    if (status == PPS_OK)
        status = kinds_of_overrides(l, &kinds);
    if (l->request->seed_given && pps_json_member(kinds.placeholders, "seed") != NULL &&
        pps_json_member(kinds.of, "seed") == NULL)
        cJSON_AddStringToObject(kinds.of, "seed", "integer");
    const struct pps_program_ask ask = {&l->file, command, kinds.of, l->results};
    if (status == PPS_OK)
        status = pps_program_open(program, &ask, l->err);
    if (status == PPS_OK && !l->bare && (status = check_use(l, &kinds)) != PPS_OK)
        pps_program_close(*program);
    cJSON_Delete(kinds.of);
    cJSON_Delete(kinds.placeholders);
    return status;
}

// ---- results ----------------------------------------------------------------------------------

static enum pps_status first_point(const struct pps_experiment *e, double *point,
                                   struct pps_error *err)
{
    struct pps_left_out left_out[PPS_MAX_REASONS] = {{0, 0}};
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    if (cursor == NULL)
        return pps_fail_memory(err, "a point");
    pps_cursor_seek(cursor, &e->space, 0);
    const bool any = pps_cursor_next(cursor, e->n_points, left_out);
    memcpy(point, cursor->point, sizeof cursor->point);
    free(cursor);
    return any ? PPS_OK
               : pps_fail(err, PPS_E_INPUT, "command: the experiment has no point to run");
}

// Loads the points without results, and runs the first one.
static enum pps_status learn_results(struct pps_loader *l)
{
    double point[PPS_MAX_PARAMS];
    struct pps_request request = *l->request;
    request.metrics = request.objective = request.only = NULL;
    request.n_lets = 0;
    struct pps_loader bare = {.request = &request, .err = l->err, .bare = true};
    bare.file = l->file;
    enum pps_status status = pps_load_experiment(&bare);
    if (status == PPS_OK)
        status = first_point(bare.experiment, point, l->err);
    if (status == PPS_OK)
        status =
            pps_program_first_results(bare.experiment->program, point, &l->results, l->err);
    if (status == PPS_E_INPUT &&
        l->err->file[0] == '\0') { // a fault of the program has no place
        struct pps_error said = *l->err;
        status = pps_json_fail(&l->file, pps_json_member(l->file.root, "command"), l->err, "%s",
                               said.text);
    }
    pps_experiment_free(bare.experiment);
    pps_loader_free(&bare);
    return status;
}

// ---- the whole --------------------------------------------------------------------------------

enum pps_status pps_load_command(struct pps_loader *l)
{
    const cJSON *kernel = pps_json_member(l->file.root, "kernel");
    struct pps_program *program = NULL;
    if (kernel != NULL &&
        !(cJSON_IsString(kernel) && strcmp(kernel->valuestring, PPS_PROGRAM_KERNEL) == 0))
        return pps_json_fail_key(&l->file, kernel, l->err,
                                 "kernel and command cannot be used together; remove one");
    enum pps_status status = open_program(l, &program);
    if (status == PPS_OK && !l->bare && !pps_program_knows_results(program)) {
        pps_program_close(program);
        program = NULL;
        status = learn_results(l);
        if (status == PPS_OK)
            status = open_program(l, &program);
    }
    if (status != PPS_OK)
        return status;
    l->experiment->program = program;
    l->kernel = pps_program_kernel(program);
    return PPS_OK;
}
