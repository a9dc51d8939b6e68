// SPDX-License-Identifier: Apache-2.0
// Lists the commands of the program, and prints its help and its versions.
#include "engine/cli/program.h"

#include "base/system/codec.h"
#include "base/system/machine.h"
#include "engine/cli/commit.h"
#include "engine/cli/verbs.h"
#include "kernels/registry.h"

#include <stdio.h>
#include <string.h>

static const struct pps_command *const commands[] = {
    &pps_command_run,    &pps_command_plan,  &pps_command_eval,        &pps_command_top,
    &pps_command_slice,  &pps_command_plot,  &pps_command_sensitivity, &pps_command_best,
    &pps_command_trace,  &pps_command_diff,  &pps_command_report,      &pps_command_convert,
    &pps_command_verify, &pps_command_merge, &pps_command_kernels,     &pps_command_bench,
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

#define TOOLS(name) extern const struct pps_command *const name[];
#include "engine/cli/tools.def"
#undef TOOLS

static const struct pps_command *const *const tools[] = {
#define TOOLS(name) name,
#include "engine/cli/tools.def"
#undef TOOLS
};

const struct pps_meaning pps_exit_meanings[] = {
    {"0", "done"},
    {"1", "the machine failed, or a result is wrong"},
    {"2", "wrong usage or input"},
    {"3", "nothing feasible exists (tools)"},
    {"4", "some points failed, or an audit found a difference"},
    {"5", "stopped early; --resume continues the run"},
    {NULL, NULL},
};

const struct pps_meaning pps_environment[] = {
    {"PPSWEEP_DATA", "the folder that contains sweep_configs and plot_scripts\n"
                     "(default: ../share/ppsweep, next to the folder of the program)"},
    {NULL, NULL},
};

int pps_program_commands(const struct pps_command *list[PPS_MAX_COMMANDS])
{
    int n = 0;
    for (; n < N_COMMANDS; n++)
        list[n] = commands[n];
    for (size_t s = 0; s < sizeof tools / sizeof *tools; s++)
        for (int t = 0; tools[s][t] != NULL; t++)
            if (n < PPS_MAX_COMMANDS)
                list[n++] = tools[s][t];
    return n;
}

const struct pps_command *pps_program_command(const char *word, const char *second)
{
    const struct pps_command *list[PPS_MAX_COMMANDS];
    const int n = pps_program_commands(list);
    const size_t length = strlen(word);
    for (int i = 0; i < n; i++) {
        const char *name = list[i]->name;
        if (strncmp(name, word, length) != 0)
            continue;
        if (second == NULL ? name[length] == '\0'
                           : name[length] == ' ' && strcmp(name + length + 1, second) == 0)
            return list[i];
    }
    return NULL;
}

// ---- help -------------------------------------------------------------------------------------

static void print_meanings(const struct pps_meaning *list, int width)
{
    for (; list->word != NULL; list++) {
        const char *line = list->meaning;
        printf("  %-*s  ", width, list->word);
        for (const char *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
            printf("%.*s\n  %-*s  ", (int)(end - line), line, width, "");
        printf("%s\n", line);
    }
}

void pps_program_help(void)
{
    printf("ppsweep: " PPS_PROGRAM_SUMMARY "\n\n"
           "usage: ppsweep -c EXPERIMENT.json [options]     (the same as ppsweep run)\n"
           "       ppsweep COMMAND [options]\n\ncommands:\n");
    const struct pps_command *list[PPS_MAX_COMMANDS];
    const int n = pps_program_commands(list);
    for (int i = 0; i < n; i++)
        printf("  %-11s %s\n", list[i]->name, list[i]->summary);
    printf(
        "\n"
        "  ppsweep COMMAND --help    print the options of a command\n"
        "  ppsweep --version         print the versions of ppsweep, its build and its kernels\n"
        "\nexit status:\n");
    print_meanings(pps_exit_meanings, 1);
    printf("\nenvironment:\n");
    print_meanings(pps_environment, 12);
}

// ---- versions ---------------------------------------------------------------------------------

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

void pps_program_version(void)
{
    char codecs[96];
    pps_codec_versions(codecs, sizeof codecs);
    printf("ppsweep %s\n"
           "commit     %s\n"
           "compiler   %s, C library %s\n"
           "codecs     %s\n"
           "processor  %s\n"
           "kernels    ",
           PPS_VERSION, pps_commit, COMPILER, pps_machine_c_library(), codecs,
           pps_machine_vectors());
    for (int k = 0; pps_kernels[k] != NULL; k++)
        printf("%s%s %s", k > 0 ? ", " : "", pps_kernels[k]->name, pps_kernels[k]->version);
    putchar('\n');
}
