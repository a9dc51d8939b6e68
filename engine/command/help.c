// SPDX-License-Identifier: Apache-2.0
// Prints help pages.
#include "engine/command/arguments_private.h"

#include <stdio.h>
#include <string.h>

static void print_option(const struct pps_opt *option)
{
    char left[64];
    char shorts[8] = "    ";
    if (option->letter != 0)
        snprintf(shorts, sizeof shorts, "-%c, ", option->letter);
    const bool optional = option->arg != NULL && option->arg[0] == '[';
    char arg[48] = "";
    if (optional)
        snprintf(arg, sizeof arg, "[=%.*s]", (int)strlen(option->arg) - 2, option->arg + 1);
    else if (option->arg != NULL)
        snprintf(arg, sizeof arg, " %s", option->arg);
    snprintf(left, sizeof left, "%s--%s%s", shorts, option->name, arg);
    if (strlen(left) > 26)
        printf("  %s\n  %-26s  %s\n", left, "", option->help);
    else
        printf("  %-26s  %s\n", left, option->help);
}

void pps_args_help(const struct pps_args *args)
{
    const struct pps_command *command = args->command;
    printf("usage: ppsweep %s %s\n\n%s\n\noptions:\n", command->name, command->usage,
           command->summary);
    for (int i = 0; args->table[i].name != NULL; i++)
        if (args->table[i].help != NULL)
            print_option(&args->table[i]);
    print_option(&(struct pps_opt){"help", 'h', NULL, "print this help"});
    if (command->details != NULL)
        printf("\n%s", command->details);
}
