// SPDX-License-Identifier: Apache-2.0
// Every stage is a command of its own, which is printed as a user would write it.
#include "planner/measure/stages.h"

#include "base/system/disk.h"
#include "base/system/whole_file.h"
#include "base/text/say.h"
#include "engine/command/arguments.h"
#include "planner/nd/results/parse.h"
#include "planner/nd/runs/commands.h"
#include "planner/shared/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 128 };

struct line {
    const struct pps_command *command;
    char *words[WORDS];
    int n;
};

// A word is not changed by the command that reads it.
static void add(struct line *line, const char *word)
{
    union {
        const char *read;
        char *write;
    } text = {.read = word};
    if (line->n < WORDS)
        line->words[line->n++] = text.write;
}

static enum pps_status run_line(struct line *line, struct pps_error *err)
{
    struct pps_args *args = NULL;
    bool done = false;
    char text[PLAN_PATH];
    int n = snprintf(text, sizeof text, "runs      ppsweep %s", line->words[0]);
    for (int i = 1; i < line->n && n < (int)sizeof text - 1; i++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      strpbrk(line->words[i], " {}'") != NULL ? " \"%s\"" : " %s",
                      line->words[i]);
    pps_say(stdout, "%s", text);
    fflush(stdout);
    enum pps_status status =
        pps_args_parse(&args, line->command, NULL, "ppsweep", line->n, line->words, &done, err);
    if (status == PPS_OK)
        status = line->command->main(args, err);
    fflush(stdout);
    pps_args_free(args);
    return status;
}

// Some of many runs may fail, also because they run out of memory: that is a measurement.
static enum pps_status run_files(const struct pps_command *command, const char *text,
                                 const struct pps_args *args, const char *folder,
                                 struct pps_error *err)
{
    struct line line = {.command = command};
    const char *limit = pps_arg(args, "time-limit");
    add(&line, command->name);
    for (int i = 0; i < pps_arg_words(args); i++)
        add(&line, pps_arg_word(args, i));
    add(&line, "--command");
    add(&line, text);
    add(&line, "-o");
    add(&line, folder);
    if (limit != NULL) {
        add(&line, "--time-limit");
        add(&line, limit);
    }
    const enum pps_status status = run_line(&line, err);
    if (status != PPS_E_POINTS)
        return status;
    pps_say(stderr, "note      %s; what their logs say counts", err->text);
    return PPS_OK;
}

static const char *file_name(const char *path)
{
    return strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
}

// nd parse reads the degrees of a run from its configuration in the folder above the logs.
static enum pps_status copy_files(const struct pps_args *args, const char *folder,
                                  struct pps_error *err)
{
    enum pps_status status = pps_disk_make_folder(folder, err);
    for (int i = 0; i < pps_arg_words(args) && status == PPS_OK; i++) {
        struct text_buffer text = {0};
        char path[2 * PLAN_PATH], *bytes = NULL;
        size_t n = 0;
        snprintf(path, sizeof path, "%s/%s", folder, file_name(pps_arg_word(args, i)));
        status = pps_whole_file_read(pps_arg_word(args, i), PLAN_DATA_MAX, &bytes, &n, err);
        if (status != PPS_OK)
            return status;
        text_buffer_add_bytes(&text, bytes, n);
        free(bytes);
        status = text.failed ? pps_fail_memory(err, "%s", path)
                             : plan_write_text(path, &text, pps_arg_gate(args), err);
    }
    return status;
}

// Logs alone have no layer times: a table of them is welcome, not needed. That memory or the disk ran out is a failure.
static enum pps_status parse(const char *logs, const char *folder, struct pps_error *err)
{
    struct line line = {.command = &nd_parse_command};
    add(&line, "nd parse");
    add(&line, logs);
    add(&line, "-o");
    add(&line, folder);
    add(&line, "--force");
    const enum pps_status status = run_line(&line, err);
    if (status == PPS_OK || status == PPS_E_MACHINE || status == PPS_E_STOPPED)
        return status;
    pps_say(stderr, "note      no layer times: %s", err->text);
    return PPS_OK;
}

enum pps_status measure_stages_run(const struct pps_args *args, const char *folder,
                                   struct pps_error *err)
{
    char dry[PLAN_PATH], profile[PLAN_PATH], logs[PLAN_PATH + 8], parsed[PLAN_PATH];
    const char *dry_command = pps_arg(args, "dry-command");
    enum pps_status status;
    snprintf(dry, sizeof dry, "%s/dryrun", folder);
    snprintf(profile, sizeof profile, "%s/profile", folder);
    snprintf(logs, sizeof logs, "%s/logs", profile);
    snprintf(parsed, sizeof parsed, "%s/parsed", folder);
    status = copy_files(args, profile, err);
    if (status == PPS_OK && dry_command != NULL)
        status = run_files(&nd_dryrun_command, dry_command, args, dry, err);
    if (status == PPS_OK)
        status = run_files(&nd_profile_command, pps_arg(args, "command"), args, profile, err);
    if (status == PPS_OK)
        status = parse(logs, parsed, err);
    return status;
}

void measure_stages_logs(const char *folder, const char *path, char *text, size_t size)
{
    const char *name = file_name(path);
    const char *dot = strrchr(name, '.');
    const int n = (int)(dot != NULL ? (size_t)(dot - name) : strlen(name));
    snprintf(text, size, "%s/profile/logs/%.*s", folder, n, name);
}
