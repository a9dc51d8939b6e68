// SPDX-License-Identifier: Apache-2.0
// Writes a folder for each answer: the file that starts it, its plan, its timeline, and the command that prices it
// again.
#include "planner/tune/tuning.h"

#include "base/system/disk.h"
#include "base/text/say.h"
#include "planner/check/check_files.h"
#include "planner/shared/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- names --------------------------------------------------------------------------------------

// Returns the name of the file that starts a training, without its folder: that of the user's file, or train.sh.
static void launched_name(const struct tuning *t, char name[256])
{
    const struct plan_document *file = plan_run_configuration(&t->input.job.run);
    const char *path = file != NULL ? file->json.name : "train.sh";
    const char *slash = strrchr(path, '/');
    const char *base = slash != NULL ? slash + 1 : path;
    const char *colon =
        file != NULL && file->form == PLAINDOC_PYTHON ? strrchr(base, ':') : NULL;
    snprintf(name, 256, "%.*s", colon != NULL ? (int)(colon - base) : (int)strlen(base), base);
}

// Returns what follows the name of a Python file in words of the command line: ":NAME", or nothing.
static const char *choice_of(const struct tuning *t)
{
    const struct plan_document *file = plan_run_configuration(&t->input.job.run);
    const char *colon =
        file != NULL && file->form == PLAINDOC_PYTHON ? strrchr(file->json.name, ':') : NULL;
    return colon != NULL ? colon : "";
}

enum { PATH = PLAN_PATH + 300, FILES = 4 };

// Sets the paths of the files of an answer: the launched one, plan, timeline, command.
static void paths_of(const struct tuning *t, int place, char paths[FILES][PATH])
{
    static const char *const names[] = {NULL, "plan.json", "step.svg", "command.txt"};
    char launched[256];
    launched_name(t, launched);
    for (int k = 0; k < FILES; k++)
        snprintf(paths[k], PATH, "%s/%02d/%s", t->folder, place, k == 0 ? launched : names[k]);
}

enum pps_status tune_check_folder(const struct tuning *t, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    if (t->folder == NULL)
        return PPS_OK;
    if (strlen(t->folder) >= PLAN_PATH - 8)
        return pps_fail(err, PPS_E_INPUT, "--output: the name is too long");
    status = plan_check_folder(t->folder, err);
    for (int place = 1; place <= TUNE_ANSWERS_MOST && status == PPS_OK; place++) {
        char paths[FILES][PATH];
        paths_of(t, place, paths);
        for (int k = 0; k < FILES && status == PPS_OK; k++)
            status = pps_gate_check(t->input.gate, paths[k], err);
    }
    return status;
}

// ---- the command --------------------------------------------------------------------------------

// Adds a word in quotes if a shell needs them.
static void add_word(struct text_buffer *text, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=./:,@%";
    if (word[0] != '\0' && strspn(word, plain) == strlen(word)) {
        text_buffer_add(text, " %s", word);
        return;
    }
    text_buffer_add(text, " '");
    for (; *word != '\0'; word++)
        if (*word == '\'')
            text_buffer_add(text, "'\\''");
        else
            text_buffer_add(text, "%c", *word);
    text_buffer_add(text, "'");
}

// Adds the options of the command that say more about the training than the file.
static void add_options(struct text_buffer *text, const struct tuning *t)
{
    static const struct pps_opt options[] = {PLAN_RUN_OPTIONS};
    const struct plan_run *run = &t->input.job.run;
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        const char *value = pps_arg(t->args, options[k].name);
        if (value == NULL)
            continue;
        text_buffer_add(text, " --%s", options[k].name);
        add_word(text, value);
    }
    if (plan_run_configuration(run) == NULL && pps_arg(t->args, "stack") == NULL)
        text_buffer_add(text, " --stack %s", training_stack(&run->training)->name);
}

// A model that the configuration names by a path beside it is not beside its copy.
static void add_model(struct text_buffer *text, const struct plan_document *file,
                      const char *path)
{
    char *old = plan_document_model(file->json.name, file->model_name);
    char *new = plan_document_model(path, file->model_name);
    if (old != NULL && new == NULL)
        add_word(text, old);
    free(old);
    free(new);
}

static void add_command(struct text_buffer *text, const struct tuning *t, const char *path)
{
    const struct plan_document *file = plan_run_configuration(&t->input.job.run);
    struct text_buffer launched = {.text = NULL};
    text_buffer_add(&launched, "%s%s", path, choice_of(t));
    text_buffer_add(text, "ppsweep check");
    if (file != NULL && pps_arg_words(t->args) > 0 &&
        strcmp(pps_arg_word(t->args, 0), file->json.name) == 0)
        add_model(text, file, path);
    for (int k = 0; k < pps_arg_words(t->args); k++) {
        const char *word = pps_arg_word(t->args, k);
        const bool replaced = file != NULL ? strcmp(word, file->json.name) == 0 : k == 0;
        add_word(text, replaced && launched.text != NULL ? launched.text : word);
    }
    add_options(text, t);
    text_buffer_add(text, "\n");
    text->failed = text->failed || launched.failed;
    text_buffer_free(&launched);
}

// ---- files --------------------------------------------------------------------------------------

static enum pps_status write_answer(struct tuning *t, int place, struct pps_error *err)
{
    struct tune_answer *answer = &t->answers[place - 1];
    const struct checked checked = tune_checked(t, answer);
    const struct pps_gate *gate = t->input.gate;
    struct text_buffer launched = {.text = NULL}, command = {.text = NULL};
    char paths[FILES][PATH], folder[PATH];
    snprintf(folder, sizeof folder, "%s/%02d", t->folder, place);
    paths_of(t, place, paths);
    text_buffer_add(&launched, "%.*s", (int)answer->text.n, answer->text.text);
    enum pps_status status = pps_disk_make_folder(folder, err);
    if (status == PPS_OK)
        status = plan_write_text(paths[0], &launched, gate, err);
    if (status == PPS_OK)
        status = checked_write_plan(&checked, paths[1], gate, err);
    if (status == PPS_OK)
        status = checked_write_trace(&checked, paths[2], true, gate, err);
    if (status == PPS_OK) {
        add_command(&command, t, paths[0]);
        status = plan_write_text(paths[3], &command, gate, err);
        answer->path = strdup(paths[0]);
    }
    text_buffer_free(&launched);
    text_buffer_free(&command);
    return status != PPS_OK || answer->path != NULL ? status : pps_fail_memory(err, "a path");
}

enum pps_status tune_write_folders(struct tuning *t, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    if (t->folder == NULL)
        return PPS_OK;
    for (int place = 1; place <= t->n && status == PPS_OK; place++)
        status = write_answer(t, place, err);
    if (status == PPS_OK && t->n > 0)
        pps_say(stderr,
                "wrote     %s/01%s, each with the file to launch, plan.json, step.svg "
                "and command.txt",
                t->folder, t->n == 1 ? "" : " and further folders");
    return status;
}
