// SPDX-License-Identifier: Apache-2.0
// Reads values of options.
#include "planner/shared/options.h"

#include "base/system/machine.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

// ---- words --------------------------------------------------------------------------------------

const char *plan_next_word(const char **rest, size_t *n)
{
    const char *word = *rest;
    if (*word == '\0')
        return NULL;
    *n = strcspn(word, ",");
    *rest = word + *n + (word[*n] == ',');
    return word;
}

bool plan_is_word(const char *word, size_t n, const char *name)
{
    return strlen(name) == n && strncmp(word, name, n) == 0;
}

bool plan_read_switch(const char *word, size_t n, bool *on)
{
    *on = plan_is_word(word, n, "on") || plan_is_word(word, n, "true") ||
          plan_is_word(word, n, "1");
    return *on || plan_is_word(word, n, "off") || plan_is_word(word, n, "false") ||
           plan_is_word(word, n, "0");
}

const struct pps_opt_alias plan_same_options[] = {
    {"max-expert-parallel", "ep-max"},
    {"dryrun-data-dir", "dryrun-data"},
    {"output-path", "output"},
    {"topn", "top"},
    {"nd-path", "candidates"},
    {"parallel-num", "threads"},
    {"dryrun-lim", "threads"},
    {"nnodes", "devices"},
    {"files-dir", "yaml-path"},
    {"shell-path", "yaml-path"},
    {"toml-path", "yaml-path"},
    {"yaml", "yaml-path"},
    {"shell", "yaml-path"},
    {NULL, NULL},
};

// ---- options ------------------------------------------------------------------------------------

enum pps_status plan_arg_bool(const struct pps_args *args, const char *name, bool *value,
                              struct pps_error *err)
{
    static const char *const WORDS[2][5] = {{"no", "false", "f", "n", "0"},
                                            {"yes", "true", "t", "y", "1"}};
    const char *word = pps_arg(args, name);
    if (word == NULL)
        return PPS_OK;
    for (int yes = 0; yes < 2; yes++)
        for (int k = 0; k < 5; k++)
            if (strcasecmp(word, WORDS[yes][k]) == 0) {
                *value = yes == 1;
                return PPS_OK;
            }
    return pps_fail(err, PPS_E_INPUT, "--%s %s: Boolean value expected: write yes or no", name,
                    word);
}

enum pps_status plan_arg_compat(const struct pps_args *args, bool *orig, struct pps_error *err)
{
    const char *word = pps_arg(args, "compat");
    *orig = word != NULL && strcmp(word, "orig") == 0;
    if (word != NULL && !*orig && strcmp(word, "none") != 0)
        return pps_fail(err, PPS_E_INPUT, "--compat %s: expected none or orig", word);
    return PPS_OK;
}

enum pps_status plan_arg_threads(const struct pps_args *args, uint64_t most, uint64_t *threads,
                                 struct pps_error *err)
{
    *threads = (uint64_t)pps_machine_cpus();
    enum pps_status status = pps_arg_count(args, "parallel-num", 1, most, threads, err);
    if (status == PPS_OK)
        status = pps_arg_count(args, "threads", 1, most, threads, err);
    *threads = *threads < most ? *threads : most;
    return status;
}

void plan_note_no_effect(const struct pps_args *args, const struct plan_no_effect *list)
{
    for (const struct plan_no_effect *first = list; first->option != NULL; first++) {
        bool any = false, is_first = true;
        for (const struct plan_no_effect *k = list; k < first; k++)
            is_first = is_first && strcmp(k->why, first->why) != 0;
        for (const struct plan_no_effect *k = first; is_first && k->option != NULL; k++) {
            if (pps_arg(args, k->option) == NULL || strcmp(k->why, first->why) != 0)
                continue;
            fprintf(stderr, any ? ", --%s" : "ignored   --%s", k->option);
            any = true;
        }
        if (any)
            fprintf(stderr, ": %s\n", first->why);
    }
}

void plan_note_folder(const struct pps_args *args, const char *folder)
{
    const char *compat = pps_arg(args, "compat");
    if (compat == NULL || strcmp(compat, "orig") != 0 || pps_arg(args, "quiet") != NULL ||
        pps_arg(args, "output") != NULL || pps_arg(args, "output-path") != NULL)
        return;
    fprintf(stderr,
            "note      no files are written; -o %s writes them where the published tool does\n",
            folder);
}
