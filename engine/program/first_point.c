// SPDX-License-Identifier: Apache-2.0
// Checks a program before a sweep, and finds out from its first point which results it prints.
#include "engine/program/program_private.h"

#include "base/text/decimal_read.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- existence --------------------------------------------------------------------------------

static bool is_program(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, X_OK) == 0;
}

static bool is_in_path(const char *name)
{
    const char *path = getenv("PATH");
    for (const char *at = path != NULL ? path : "/usr/bin:/bin"; *at != '\0';) {
        char file[4096];
        const size_t n = strcspn(at, ":");
        snprintf(file, sizeof file, "%.*s/%s", (int)n, n > 0 ? at : ".", name);
        if (is_program(file))
            return true;
        at += n + (at[n] == ':');
    }
    return false;
}

enum pps_status pps_program_check(const struct pps_program *program, struct pps_error *err)
{
    const char *name = program->words[0];
    const bool varies = strchr(name, '{') != NULL; // each value is another program
    if (varies || (strchr(name, '/') != NULL ? is_program(name) : is_in_path(name)))
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT, "command: cannot find the program %s%s", name,
                    strchr(name, '/') != NULL
                        ? ", or it is no executable file"
                        : " in PATH; write ./NAME for a file in this folder");
}

// ---- results ----------------------------------------------------------------------------------

struct names {
    const struct pps_program *program;
    cJSON *results;
    bool has_text_first;
};

// The first number is what the sweep minimises; a text before it comes later.
static void note_name(void *self, const struct pps_said *said)
{
    struct names *names = self;
    char name[64];
    double number;
    if (said->name_n >= sizeof name)
        return;
    for (size_t i = 0; i < said->name_n; i++)
        name[i] = isalnum((unsigned char)said->name[i]) ? said->name[i] : '_';
    name[said->name_n] = '\0';
    const bool text =
        said->quoted ||
        (said->text != NULL && said->text_n > 0 &&
         !pps_decimal_read(said->text, said->text_n, &number) &&
         strncasecmp(said->text, "nan", 3) != 0 && strncasecmp(said->text, "inf", 3) != 0 &&
         strncasecmp(said->text, "true", 4) != 0 && strncasecmp(said->text, "false", 5) != 0);
    if (pps_json_member(names->results, name) != NULL ||
        pps_param_find(&names->program->kernel, name, said->name_n) >= 0)
        return;
    const cJSON *first = names->results->child;
    const bool first_number = !text && (first == NULL || names->has_text_first);
    if (first == NULL)
        names->has_text_first = text;
    cJSON *kind = cJSON_CreateString(text ? "text" : first_number ? "lower" : "number");
    cJSON_AddItemToObject(names->results, name, kind);
    if (first_number && first != NULL) {
        (void)cJSON_InsertItemInArray(
            names->results, 0, cJSON_DetachItemFromObjectCaseSensitive(names->results, name));
        names->has_text_first = false;
    }
}

static bool take_line(void *self, size_t i, const char *header, const char *line,
                      char why[PPS_PROGRAM_WHY])
{
    (void)i;
    (void)why;
    return header == NULL ? pps_answer_scan_json(line, strlen(line), note_name, self)
                          : pps_answer_scan_csv(header, line, note_name, self);
}

static bool ask_lines(struct pps_program *program, const double *point, struct names *names,
                      char why[PPS_PROGRAM_WHY])
{
    const double *param[PPS_MAX_PARAMS];
    enum pps_ask_end end;
    for (int p = 0; p < program->kernel.n_params; p++)
        param[p] = &point[p];
    return pps_partner_ask(program, param, 0, 1, NULL, take_line, names, &end, why) == 1;
}

static bool ask_once(struct pps_program *program, const double *point, struct names *names,
                     char why[PPS_PROGRAM_WHY])
{
    struct pps_launch launch = {.end = PPS_LAUNCH_ENDED};
    pps_launch_run(&launch, program, point, NULL);
    const bool failed = pps_launch_failed(&launch, program, why);
    if (!failed)
        (void)pps_answer_scan(launch.output.text, launch.output.n, note_name, names);
    if (failed && launch.errors.n > 0) { // its last line
        struct text_buffer *errors = &launch.errors;
        while (errors->n > 0 && isspace((unsigned char)errors->text[errors->n - 1]))
            errors->text[--errors->n] = '\0';
        const char *line = strrchr(errors->text, '\n');
        const size_t n = strlen(why);
        snprintf(why + n, PPS_PROGRAM_WHY - n, ": %s", line != NULL ? line + 1 : errors->text);
    }
    pps_launch_free(&launch);
    return !failed;
}

static void name_point(const struct pps_program *program, const double *point, char *out,
                       size_t cap)
{
    size_t at = 0;
    out[0] = '\0';
    for (int p = 0; p < program->kernel.n_params && at < cap; p++) {
        char value[PPS_CELL_TEXT];
        (void)pps_program_value(program, p, point[p], value);
        at += (size_t)snprintf(out + at, cap - at, "%s%s=%s", p > 0 ? " " : "",
                               program->params[p].name, value);
    }
}

enum pps_status pps_program_first_results(struct pps_program *program, const double *point,
                                          cJSON **results, struct pps_error *err)
{
    struct names names = {.program = program, .results = cJSON_CreateObject()};
    char why[PPS_PROGRAM_WHY] = "", at[200];
    *results = NULL;
    if (names.results == NULL)
        return pps_fail_memory(err, "the results");
    const bool ran = program->lines == PPS_LINES_NONE ? ask_once(program, point, &names, why)
                                                      : ask_lines(program, point, &names, why);
    name_point(program, point, at, sizeof at);
    const cJSON *first = names.results->child;
    if (ran && first != NULL && !names.has_text_first) {
        *results = names.results;
        return PPS_OK;
    }
    const bool none = ran && first == NULL;
    cJSON_Delete(names.results);
    if (ran)
        return pps_fail(err, PPS_E_INPUT,
                        "command: the first point (%s) printed no %s; print one line of JSON, "
                        "name=value or CSV with a header, or list \"results\"",
                        at, none ? "results" : "number");
    const enum pps_status status = pps_program_lack(program, err);
    return status != PPS_OK ? status
                            : pps_fail(err, PPS_E_INPUT,
                                       "command: the first point (%s) failed: %s", at, why);
}
