// SPDX-License-Identifier: Apache-2.0
// Builds the table of the options of a command.
#include "engine/command/option_table.h"

#include "base/text/characters.h"
#include "ppsweep/kernel.h"

#include <stdio.h>
#include <string.h>

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

// Returns the letter, or 0 if an option of the command has it.
static char free_letter(const struct pps_command *command, char letter)
{
    for (int i = 0; command->options[i].name != NULL; i++)
        if (command->options[i].letter == letter)
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
static void add_params(struct pps_option_table *table,
                       const struct pps_command *command,
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

void pps_option_table_build(struct pps_option_table *table,
                            const struct pps_command *command,
                            const struct pps_kernel *const *kernels)
{
    static const struct pps_opt kernel = {"kernel", 0, "FILE.so",
                                          "load a kernel, which becomes the default"};
    int n = 0;
    memset(table, 0, sizeof *table);
    for (; n < PPS_ARGS_MAX_OPTIONS && command->options[n].name != NULL; n++)
        table->options[n] = command->options[n];
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
