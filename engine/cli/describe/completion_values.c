// SPDX-License-Identifier: Apache-2.0
// Offers the values of options and words, by the names of their arguments.
#include "engine/cli/describe/completion_values.h"

#include "base/document/plain.h"
#include "base/system/installed.h"
#include "engine/cli/describe/shell_files.h"
#include "engine/command/option_values.h"
#include "engine/experiment/experiment.h"
#include "ppsweep/kernel.h"

#include <string.h>

void pps_completion_offer(const struct completion_line *line,
                          const char *start,
                          const char *word,
                          const char *meaning,
                          FILE *out)
{
    const char *typed = line->words[line->n - 1];
    const size_t n = strlen(start), n_typed = strlen(typed);
    const bool begins = strncmp(start, typed, n < n_typed ? n : n_typed) == 0;
    if (begins && (n_typed <= n || strncmp(word, typed + n, n_typed - n) == 0))
        fprintf(out, "%s%s\t%s\n", start, word, meaning);
}

// ---- kernels ----------------------------------------------------------------------------------

// Returns the word that names an experiment: behind -c or --config; NULL: none.
static const char *experiment_of(const struct completion_line *line)
{
    for (int i = 0; i < line->n - 1; i++) {
        const char *word = line->words[i];
        if (strncmp(word, "--config=", 9) == 0)
            return word + 9;
        if ((strcmp(word, "-c") == 0 || strcmp(word, "--config") == 0) && i + 2 < line->n)
            return line->words[i + 1];
    }
    return NULL;
}

// Returns the kernel of the experiment on the line; the default if it names none; NULL if it
// cannot be read.
static const struct pps_kernel *kernel_of(const struct completion_line *line)
{
    const char *path = experiment_of(line);
    const struct pps_kernel *kernel = NULL;
    struct pps_json json = {0};
    struct pps_error err;
    if (path == NULL)
        return line->kernels[0];
    if (strcmp(path, "-") == 0 || plaindoc_load(&json, path, &err) != PPS_OK)
        return NULL;
    const cJSON *name = pps_json_member(json.root, "kernel");
    if (pps_kernel_choose(line->kernels, cJSON_IsString(name) ? name->valuestring : NULL,
                          &kernel, &err) != PPS_OK)
        kernel = NULL;
    pps_json_free(&json);
    return kernel;
}

static void offer_kernels(const struct completion_line *line, const char *start, FILE *out)
{
    for (int k = 0; line->kernels[k] != NULL; k++)
        pps_completion_offer(line, start, line->kernels[k]->name, line->kernels[k]->summary,
                             out);
}

// The parameters of a kernel, as in -s n=8.
static void offer_keys(const struct completion_line *line, const char *start, FILE *out)
{
    const struct pps_kernel *kernel = kernel_of(line);
    char word[80];
    for (int i = 0; i < line->n - 1; i++)
        for (int k = 0; line->kernels[k] != NULL; k++)
            if (strcmp(line->words[i], line->kernels[k]->name) == 0)
                kernel = line->kernels[k]; // trace KERNEL KEY=VALUE
    for (int p = 0; kernel != NULL && p < kernel->n_params; p++) {
        snprintf(word, sizeof word, "%s=", kernel->params[p].name);
        if (!kernel->params[p].fixed)
            pps_completion_offer(line, start, word, kernel->params[p].summary, out);
    }
}

// The documents that a kernel takes, as in -i model=.
static void offer_slots(const struct completion_line *line, const char *start, FILE *out)
{
    const struct pps_kernel *kernel = kernel_of(line);
    char word[80];
    if (strchr(line->words[line->n - 1] + strlen(start), '=') != NULL) {
        fputs(":files\n", out);
        return;
    }
    for (int s = 0; kernel != NULL && s < kernel->n_slots; s++) {
        snprintf(word, sizeof word, "%s=", kernel->slots[s].name);
        pps_completion_offer(line, start, word, kernel->slots[s].summary, out);
    }
}

// ---- arguments --------------------------------------------------------------------------------

static void offer_shipped(const struct completion_line *line,
                          const char *kind,
                          const char *start,
                          FILE *out)
{
    struct pps_installed_names names;
    char meaning[64];
    snprintf(meaning, sizeof meaning, "a %s that comes with ppsweep", kind);
    pps_installed_names(kind, &names);
    for (size_t i = 0; i < names.n; i++)
        pps_completion_offer(line, start, names.name[i], meaning, out);
    fputs(":files\n", out);
}

static bool is_one_of(const char *word, const char *const *list)
{
    for (; *list != NULL; list++)
        if (strcmp(word, *list) == 0)
            return true;
    return false;
}

void pps_completion_values(const struct completion_line *line,
                           const char *argument,
                           const char *start,
                           FILE *out)
{
    static const char *const files[] = {"RESULT", "SHARD",   "A",      "B",    "FILE",
                                        "PLAN",   "ORDER",   "LAYERS", "INIT", "BATCHES",
                                        "POLICY", "FILE.so", "PATH",   "CSV",  NULL};
    static const char *const folders[] = {"FOLDER", "DIR", "[DIR]", NULL};
    static const char *const shards[] = {"auto", "auto/", NULL};
    if (strcmp(argument, "MODEL") == 0)
        offer_shipped(line, "model", start, out);
    else if (strcmp(argument, "CLUSTER") == 0)
        offer_shipped(line, "cluster", start, out);
    else if (strcmp(argument, "NAME|FILE") == 0)
        offer_shipped(line, "stack", start, out);
    else if (strcmp(argument, "KERNEL") == 0)
        offer_kernels(line, start, out);
    else if (strncmp(argument, "KEY=VALUE", 9) == 0)
        offer_keys(line, start, out);
    else if (strcmp(argument, "SLOT=FILE") == 0)
        offer_slots(line, start, out);
    else if (strcmp(argument, "SHELL") == 0)
        for (const struct pps_shell_file *f = pps_shell_files; f->name != NULL; f++)
            pps_completion_offer(line, start, strchr(f->name, '.') + 1, "a shell", out);
    else if (strcmp(argument, "K/N") == 0)
        for (int s = 0; shards[s] != NULL; s++)
            pps_completion_offer(line, start, shards[s], "K from the launcher", out);
    else if (is_one_of(argument, files))
        fputs(":files\n", out);
    else if (is_one_of(argument, folders))
        fputs(":folders\n", out);
}

void pps_completion_option(const struct completion_line *line,
                           const struct pps_opt *option,
                           const char *start,
                           FILE *out)
{
    struct pps_opt_values values;
    char before[256], word[48];
    const char *typed = line->words[line->n - 1];
    const char *comma = strrchr(typed, ',');
    const bool several = option->arg != NULL && (strcmp(option->arg, "LIST") == 0 ||
                                                 strcmp(option->arg, "KINDS") == 0);
    const bool colon = option->arg != NULL && strcmp(option->arg, "METHOD:N") == 0;
    if (option->arg == NULL)
        return;
    pps_opt_values_read(option, &values);
    if (values.n == 0)
        pps_completion_values(line, option->arg, start, out);
    snprintf(before, sizeof before, "%.*s", comma != NULL ? (int)(comma + 1 - typed) : 0,
             typed);
    for (size_t v = 0; v < values.n; v++) {
        snprintf(word, sizeof word, "%s%s", values.word[v], colon ? ":" : "");
        pps_completion_offer(line, several && comma != NULL ? before : start, word,
                             option->help, out);
    }
}
