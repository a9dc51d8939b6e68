// SPDX-License-Identifier: Apache-2.0
// Prints help pages.
#include "engine/command/arguments_private.h"

#include "base/text/characters.h"
#include "engine/command/wrap.h"

#include <stdio.h>
#include <string.h>

void pps_opt_help(const struct pps_opt *option, char *out, size_t size)
{
    const char *help = option->help, *value = strrchr(help, '(');
    const bool has_default = option->arg != NULL && value != NULL && pps_ends_with(help, ")");
    const size_t n = has_default ? (size_t)(value + 1 - help) : strlen(help);
    snprintf(out, size, "%.*s%s%s", (int)n, help, has_default ? "default: " : "",
             has_default ? value + 1 : "");
}

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
    char help[512];
    pps_opt_help(option, help, sizeof help);
    if (strlen(left) > 26)
        printf("  %s\n  %-26s  ", left, "");
    else
        printf("  %-26s  ", left);
    pps_wrap_print(stdout, help, 30, 30);
}

void pps_args_help(const struct pps_args *args)
{
    const struct pps_command *command = args->command;
    printf("usage: ppsweep %s %s\n\n", command->name, command->usage);
    pps_wrap_print(stdout, command->summary, 0, 0);
    printf("\noptions:\n");
    for (int i = 0; args->table[i].name != NULL; i++)
        if (args->table[i].help != NULL)
            print_option(&args->table[i]);
    print_option(&(struct pps_opt){"help", 'h', NULL, "print this help"});
    if (command->details == NULL)
        return;
    putchar('\n');
    pps_wrap_paragraphs(stdout, command->details);
}
