// SPDX-License-Identifier: Apache-2.0
// Finds what may stand at the end of a command line: commands, options and their values.
#include "engine/cli/describe/completion.h"

#include "base/document/plain.h"
#include "base/system/installed.h"
#include "base/text/characters.h"
#include "engine/cli/describe/shell_files.h"
#include "engine/cli/program.h"
#include "engine/command/option_table.h"
#include "engine/experiment/experiment.h"
#include "ppsweep/kernel.h"

#include <stdlib.h>
#include <string.h>

struct parse {
    const struct completion_line *line;
    const struct pps_command *command;
    struct pps_option_table *table;
    int first; // the first word behind the name of the command
    FILE *out;
};

static const char *typed(const struct parse *p)
{
    return p->line->words[p->line->n - 1];
}

// ---- completion values --------------------------------------------------------------------------

// Prints a word behind `start` with its meaning if it begins as the last word of the line.
static void completion_offer(const struct completion_line *line, const char *start,
                             const char *word, const char *meaning, FILE *out)
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
        completion_offer(line, start, line->kernels[k]->name, line->kernels[k]->summary, out);
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
            completion_offer(line, start, word, kernel->params[p].summary, out);
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
        completion_offer(line, start, word, kernel->slots[s].summary, out);
    }
}

// ---- arguments --------------------------------------------------------------------------------

static void offer_shipped(const struct completion_line *line, const char *kind,
                          const char *start, FILE *out)
{
    struct pps_installed_names names;
    char meaning[64];
    snprintf(meaning, sizeof meaning, "a %s that comes with ppsweep", kind);
    pps_installed_names(kind, &names);
    for (size_t i = 0; i < names.n; i++)
        completion_offer(line, start, names.name[i], meaning, out);
    fputs(":files\n", out);
}

// Offers the values that the name of an argument stands for: RESULT, MODEL, FILE. `start` is the
// beginning of the last word that stays.
static void completion_values(const struct completion_line *line, const char *argument,
                              const char *start, FILE *out)
{
    static const char files[] = "RESULT SHARD A B FILE PLAN ORDER LAYERS INIT BATCHES POLICY "
                                "FILE.so PATH CSV";
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
            completion_offer(line, start, strchr(f->name, '.') + 1, "a shell", out);
    else if (strcmp(argument, "K/N") == 0)
        for (int s = 0; shards[s] != NULL; s++)
            completion_offer(line, start, shards[s], "K from the launcher", out);
    else if (pps_has_word(files, argument))
        fputs(":files\n", out);
    else if (pps_has_word("FOLDER DIR [DIR]", argument))
        fputs(":folders\n", out);
}

// Offers the values of an option.
static void completion_option(const struct completion_line *line, const struct pps_opt *option,
                              const char *start, FILE *out)
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
        completion_values(line, option->arg, start, out);
    snprintf(before, sizeof before, "%.*s", comma != NULL ? (int)(comma + 1 - typed) : 0,
             typed);
    for (size_t v = 0; v < values.n; v++) {
        snprintf(word, sizeof word, "%s%s", values.word[v], colon ? ":" : "");
        completion_offer(line, several && comma != NULL ? before : start, word, option->help,
                         out);
    }
}

// ---- commands ---------------------------------------------------------------------------------

// Offers the word of a command's name, once, at place 0, or at place 1 behind `word`.
static void offer_commands(const struct completion_line *line, const char *word, FILE *out)
{
    const struct pps_command *list[PPS_MAX_COMMANDS];
    const int n = pps_program_commands(list);
    for (int i = 0; i < n; i++) {
        const char *space = strchr(list[i]->name, ' ');
        const size_t length = space != NULL ? (size_t)(space - list[i]->name) : 0;
        if (word == NULL && space == NULL)
            completion_offer(line, "", list[i]->name, list[i]->summary, out);
        else if (word != NULL && space != NULL && strlen(word) == length &&
                 memcmp(word, list[i]->name, length) == 0)
            completion_offer(line, "", space + 1, list[i]->summary, out);
    }
}

// ---- options ----------------------------------------------------------------------------------

// Returns the option that a word names, as in --top, --top=3 or -k, or NULL.
static const struct pps_opt *option_of(const struct parse *p, const char *word)
{
    const size_t n = strcspn(word, "=");
    for (const struct pps_opt *o = p->table->options; o->name != NULL; o++)
        if (strncmp(word, "--", 2) == 0
                ? strlen(o->name) == n - 2 && memcmp(o->name, word + 2, n - 2) == 0
                : word[0] == '-' && o->letter != 0 && word[1] == o->letter && word[2] == '\0')
            return o;
    return NULL;
}

// Returns whether the word behind the option is its value.
static bool takes_next(const struct pps_opt *option, const char *word)
{
    return option != NULL && option->arg != NULL && option->arg[0] != '[' &&
           strchr(word, '=') == NULL;
}

static void offer_options(const struct parse *p)
{
    char name[64];
    for (const struct pps_opt *o = p->table->options; o->name != NULL; o++) {
        snprintf(name, sizeof name, "--%s", o->name);
        if (o->help != NULL)
            completion_offer(p->line, "", name, o->help, p->out);
        snprintf(name, sizeof name, "-%c", o->letter);
        if (o->help != NULL && o->letter != 0 && typed(p)[1] != '-')
            completion_offer(p->line, "", name, o->help, p->out);
    }
    completion_offer(p->line, "", "--help", "print this help", p->out);
}

// ---- words ------------------------------------------------------------------------------------

// Returns the number of words that are neither options nor their values, before the last.
static int count_words(const struct parse *p)
{
    int n = 0;
    for (int i = p->first; i < p->line->n - 1; i++) {
        const char *word = p->line->words[i];
        if (word[0] != '-' || word[1] == '\0')
            n++;
        else if (takes_next(option_of(p, word), word))
            i++;
    }
    return n;
}

// Offers what `usage` names at a place: "[options] MODEL [CLUSTER]". The last name with "..." is
// repeated. Behind "|" stands another name for the same place.
static void offer_place(const struct parse *p, int place)
{
    char usage[160], *rest = NULL, last[32] = "";
    int at = -1;
    bool alternative = false, option = false, found = false;
    snprintf(usage, sizeof usage, "%s", p->command->usage);
    for (char *word = strtok_r(usage, " []", &rest); word != NULL;
         word = strtok_r(NULL, " []", &rest)) {
        const bool value = option;
        option = word[0] == '-';
        if (strcmp(word, "|") == 0)
            alternative = true;
        if (option || value || strcmp(word, "|") == 0 || strcmp(word, "options") == 0 ||
            strcmp(word, "...") == 0)
            continue;
        at += alternative ? 0 : 1;
        alternative = false;
        word[strcspn(word, ".")] = '\0';
        snprintf(last, sizeof last, "%s", word);
        if (at == place)
            completion_values(p->line, word, "", p->out);
        found = found || at == place;
    }
    if (!found && p->command->max_words < 0)
        completion_values(p->line, last, "", p->out);
}

// ---- the whole --------------------------------------------------------------------------------

static void offer_value(const struct parse *p, const struct pps_opt *option, size_t prefix)
{
    char start[128];
    snprintf(start, sizeof start, "%.*s", (int)prefix, typed(p));
    completion_option(p->line, option, start, p->out);
}

static void print_of_command(struct parse *p)
{
    const char *last = typed(p);
    const char *before = p->line->n - 2 >= p->first ? p->line->words[p->line->n - 2] : "";
    const char *equals = strncmp(last, "--", 2) == 0 ? strchr(last, '=') : NULL;
    const struct pps_opt *option = option_of(p, before);
    if (takes_next(option, before))
        offer_value(p, option, 0);
    else if (equals != NULL && (option = option_of(p, last)) != NULL)
        offer_value(p, option, (size_t)(equals + 1 - last));
    else if (last[0] == '-')
        offer_options(p);
    else
        offer_place(p, count_words(p));
}

void pps_completion_print(const struct completion_line *line, FILE *out)
{
    const char *word = line->words[0];
    if (line->n == 1 && word[0] != '-') {
        offer_commands(line, NULL, out);
        completion_offer(line, "", "help", "print the options of a command", out);
        return;
    }
    const bool help = strcmp(word, "help") == 0;
    if (help && line->n == 2) {
        offer_commands(line, NULL, out);
        return;
    }
    if (line->n == 1)
        completion_offer(line, "", "--version", "print the versions", out);
    const char *second = line->n > 2 ? line->words[1] : NULL;
    const struct pps_command *command = pps_program_command(word, second);
    struct parse p = {.line = line, .command = command, .first = 2, .out = out};
    if (command == NULL || second == NULL) {
        p.command =
            word[0] == '-' ? pps_program_command("run", NULL) : pps_program_command(word, NULL);
        p.first = word[0] == '-' ? 0 : 1;
    }
    if (line->n == 2 && word[0] != '-')
        offer_commands(line, word, out);
    p.table = p.command != NULL ? calloc(1, sizeof *p.table) : NULL;
    if (p.table == NULL)
        return;
    pps_option_table_build(p.table, p.command, line->kernels);
    print_of_command(&p);
    free(p.table);
}
