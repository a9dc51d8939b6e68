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

static void add_kernel_option(struct pps_option_table *table, const struct pps_option *option)
{
    int n = 0;
    while (table->options[n].name != NULL)
        n++;
    if (n >= PPS_ARGS_MAX_OPTIONS)
        return;
    char *name = table->names[n];
    snprintf(name, sizeof table->names[n], "%s", option->name);
    pps_hyphenate(name, '\0');
    if (pps_option_table_find(table, name) < 0)
        table->options[n] = (struct pps_opt){name, 0, "X", option->summary};
}

// Returns the letter, or 0 if an option of the command has it.
static char free_letter(const struct pps_command *command, char letter)
{
    for (int i = 0; command->options[i].name != NULL; i++)
        if (command->options[i].letter == letter)
            return 0;
    return letter;
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
            add_kernel_option(table, &composite->options[o]);
    }
}
