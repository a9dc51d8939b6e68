// SPDX-License-Identifier: Apache-2.0
// Builds the table of the options of a command.
#include "engine/command/option_table.h"

#include "base/text/characters.h"
#include "ppsweep/kernel.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// ---- option values ------------------------------------------------------------------------------

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

static void add(struct pps_opt_values *values, const char *text, size_t n)
{
    if (values->n < PPS_OPT_MAX_VALUES)
        snprintf(values->word[values->n++], sizeof values->word[0], "%.*s", (int)n, text);
}

// Returns the length of the word at `text`; 0 if there is none. Names of arguments, in capitals, are
// not words.
static size_t word_length(const char *text)
{
    if (!islower((unsigned char)text[0]) && !isdigit((unsigned char)text[0]))
        return 0;
    return strspn(text, LETTERS);
}

// "lower|higher"
static void read_argument(const char *arg, struct pps_opt_values *values)
{
    for (const char *at = arg;; at++) {
        const size_t n = word_length(at);
        if (n == 0 || (at[n] != '|' && at[n] != '\0')) {
            values->n = 0;
            return;
        }
        add(values, at, n);
        at += n;
        if (*at == '\0')
            return;
    }
}

// Returns the text behind the separator at `text`, or NULL. Sets *last before the last word.
static const char *behind_separator(const char *text, bool *last)
{
    static const char *const joins[] = {", or ", " or ", " and "};
    for (size_t j = 0; j < sizeof joins / sizeof *joins; j++)
        if (strncmp(text, joins[j], strlen(joins[j])) == 0) {
            *last = true;
            return text + strlen(joins[j]);
        }
    return strncmp(text, ", ", 2) == 0 ? text + 2 : NULL;
}

static bool ends_list(const char *text)
{
    static const char *const ends[] = {" (", "; ", ": ", ", ", " for "};
    for (size_t e = 0; e < sizeof ends / sizeof *ends; e++)
        if (strncmp(text, ends[e], strlen(ends[e])) == 0)
            return true;
    return text[0] == '\0';
}

// Reads the list that begins at `text`. A word that the sentence goes on with is not part of it.
static void read_list(const char *text, struct pps_opt_values *values)
{
    bool joined = false; // the word at `text` is the last one
    values->n = 0;
    for (;;) {
        bool last = false;
        const size_t n = word_length(text);
        const char *next = n > 0 ? behind_separator(text + n, &last) : NULL;
        if (n == 0 || (next == NULL && !ends_list(text + n))) {
            if (joined || strncmp(text + n, " ...", 4) == 0)
                values->n = 0;
            break;
        }
        add(values, text, n);
        if (joined || next == NULL)
            break;
        joined = last;
        text = next;
    }
    if (values->n < (joined ? 2U : 3U))
        values->n = 0;
}

void pps_opt_values_read(const struct pps_opt *option, struct pps_opt_values *values)
{
    static const char lists[] = "NAME HOW FORMAT FRAMEWORK WORD LIST KINDS FORM METHOD:N STAGE";
    values->n = 0;
    if (option->arg == NULL || option->help == NULL)
        return;
    if (strchr(option->arg, '|') != NULL) {
        read_argument(option->arg, values);
        return;
    }
    const bool listed = pps_has_word(lists, option->arg);
    for (const char *at = option->help; listed && at != NULL && values->n == 0;) {
        read_list(at, values);
        at = strstr(at, ": ");
        at = at != NULL ? at + 2 : NULL;
    }
}

// ---- option table -------------------------------------------------------------------------------

int pps_option_table_find(const struct pps_option_table *table, const char *name)
{
    for (int i = 0; table->options[i].name != NULL; i++)
        if (strcmp(table->options[i].name, name) == 0)
            return i;
    return -1;
}

// Adds an option with this name, written with hyphens, unless there is one. Returns its index, or
// -1.
static int add_option(struct pps_option_table *table, const char *known, struct pps_opt option)
{
    int n = 0;
    while (table->options[n].name != NULL)
        n++;
    if (n >= PPS_ARGS_MAX_OPTIONS)
        return -1;
    char *name = table->names[n];
    snprintf(name, sizeof table->names[n], "%s", known);
    pps_hyphenate(name, '\0');
    if (pps_option_table_find(table, name) >= 0)
        return -1;
    option.name = name;
    table->options[n] = option;
    return n;
}

// Letters that options had before a letter had one meaning in all commands: of a command, and of those whose names
// begin with its name.
static const struct old_letter {
    const char *command;
    char letter;
    const char *option;
} old_letters[] = {
    {"balance", 'i', "chunks"},   {"balance", 'm', "model-name"},
    {"balance", 's', "stages"},   {"check", 't', "training"},
    {"dynaplan", 'c', "costs"},   {"dynaplan", 'd', "devices"},
    {"dynaplan", 'm', "model"},   {"nd", 't', "training"},
    {"nd calibrate", 's', "set"}, {"nd rank", 'c', "candidates"},
    {"run", 'n', "dry-run"},      {"schedule", 'p', "devices"},
    {"schedule", 'v', "chunks"},
};

static char old_letter(const struct pps_command *command, const char *option)
{
    for (size_t i = 0; i < sizeof old_letters / sizeof *old_letters; i++) {
        const struct old_letter *old = &old_letters[i];
        const size_t n = strlen(old->command);
        if (strcmp(old->option, option) == 0 && strncmp(old->command, command->name, n) == 0 &&
            strchr(" ", command->name[n]) != NULL)
            return old->letter;
    }
    return 0;
}

// Returns the letter, or 0 if an option of the command has it or had it.
static char free_letter(const struct pps_command *command, char letter)
{
    for (int i = 0; command->options[i].name != NULL; i++)
        if (command->options[i].letter == letter ||
            old_letter(command, command->options[i].name) == letter)
            return 0;
    return letter;
}

static const char *name_of_param(const struct pps_opt_alias *names, const char *param)
{
    for (; names->name != NULL; names++)
        if (strcmp(names->option, param) == 0)
            return names->name;
    return param;
}

// Adds the options of the parameters of a kernel that are numbers.
static void add_params(struct pps_option_table *table, const struct pps_command *command,
                       const struct pps_kernel *kernel)
{
    for (int p = 0; p < kernel->n_params; p++) {
        const struct pps_param *param = &kernel->params[p];
        const bool whole = param->kind == PPS_INTEGER;
        if ((!whole && param->kind != PPS_REAL) || param->names != NULL || param->fixed)
            continue;
        const char *name = name_of_param(command->params, param->name);
        const char letter = name[1] == '\0' ? free_letter(command, name[0]) : '\0';
        const int option =
            add_option(table, name, (struct pps_opt){NULL, letter, whole ? "N" : "X", NULL});
        if (option >= 0)
            table->param[option] = p + 1;
    }
}

void pps_option_table_build(struct pps_option_table *table, const struct pps_command *command,
                            const struct pps_kernel *const *kernels)
{
    static const struct pps_opt kernel = {"kernel", 0, "FILE.so",
                                          "load a kernel, which becomes the default"};
    int n = 0;
    memset(table, 0, sizeof *table);
    for (; n < PPS_ARGS_MAX_OPTIONS && command->options[n].name != NULL; n++) {
        table->options[n] = command->options[n];
        table->old_letter[n] = old_letter(command, command->options[n].name);
    }
    if (command->kernels && n < PPS_ARGS_MAX_OPTIONS)
        table->options[n++] = kernel;
    if (command->config && n < PPS_ARGS_MAX_OPTIONS)
        table->options[n] = (struct pps_opt){"config", free_letter(command, 'c'), "FILE",
                                             "read options from a JSON file with // comments"};
    for (int k = 0; command->kernel_options && kernels[k] != NULL; k++) {
        const struct pps_composite *composite = kernels[k]->composite;
        for (int o = 0; composite != NULL && o < composite->n_options; o++)
            add_option(table, composite->options[o].name,
                       (struct pps_opt){NULL, 0, "X", composite->options[o].summary});
    }
    if (command->params != NULL && kernels[0] != NULL)
        add_params(table, command, kernels[0]);
}
