// SPDX-License-Identifier: Apache-2.0
// Lists the commands of the program, and prints its help and its versions.
#include "engine/cli/program.h"

#include "base/system/codec.h"
#include "base/system/machine.h"
#include "engine/cli/commit.h"
#include "engine/cli/verbs.h"
#include "engine/command/wrap.h"
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

// Every letter of an option, with the names of the options that have it.
static const struct pps_meaning letters[] = {
    {"-c", "--config: the experiment, or a file of options"},
    {"-h", "--help"},
    {"-i", "--input: a document that a model reads"},
    {"-j", "--threads"},
    {"-k", "--count, --top: the number of best rows"},
    {"-m", "--micro-batches"},
    {"-n", "--devices"},
    {"-o", "--output, --output-folder: where results go"},
    {"-q", "--quiet"},
    {"-s", "--set: the values of a parameter"},
    {"-t", "--time, --time-limit: when to stop"},
    {"-v", "--verbose"},
    {"-x", "--x: the horizontal axis of a picture"},
    {"-y", "--y: the vertical axis"},
    {"-a", "--assignment, only in dynaplan"},
    {"-f", "--family, only in schedule"},
    {"-O", "--optimization-level, only in balance"},
    {NULL, NULL},
};

const struct pps_expected pps_expected[] = {
    {"list", "kernels", NULL},
    {"heatmap", "plot", NULL},
    {"gantt", "trace", NULL},
    {"timeline", "trace", NULL},
    {"optimize", "best", NULL},
    {"optimise", "best", NULL},
    {"status", NULL,
     "a run says its progress itself; ppsweep plan -c FILE says what it would do, and ppsweep verify RESULT "
     "checks a complete result"},
    {"resume", NULL, "repeat the command of the run with --resume"},
    {"show", NULL,
     "ppsweep top RESULT prints its best rows, and ppsweep report RESULT writes a page"},
    {NULL, NULL, NULL},
};

// The commands of the short help.
static const struct {
    const char *title;
    const char *const *names;
} common[] = {
    {"for a training:", (const char *const[]){"check", "tune", "nd", "schedule", NULL}},
    {"for a sweep:",
     (const char *const[]){"run", "plan", "top", "plot", "report", "best", NULL}},
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

static void print_command(const struct pps_command *command)
{
    printf("  %-*s  ", (int)sizeof "schedule check" - 1, command->name);
    pps_wrap_print(stdout, command->summary, sizeof "schedule check" + 3,
                   sizeof "schedule check" + 3);
}

static void print_common(void)
{
    for (size_t g = 0; g < sizeof common / sizeof *common; g++) {
        printf("%s%s\n", g > 0 ? "\n" : "", common[g].title);
        for (const char *const *name = common[g].names; *name != NULL; name++)
            print_command(pps_program_command(*name, NULL));
    }
}

static void print_all(void)
{
    const struct pps_command *list[PPS_MAX_COMMANDS];
    const int n = pps_program_commands(list);
    printf("commands:\n");
    for (int i = 0; i < n; i++)
        print_command(list[i]);
    printf("\nletters of options, with one meaning in all commands:\n");
    print_meanings(letters, 2);
}

void pps_program_help(bool all)
{
    printf("ppsweep: " PPS_PROGRAM_SUMMARY "\n\n"
           "usage: ppsweep -c EXPERIMENT.json [options]     (the same as ppsweep run)\n"
           "       ppsweep COMMAND [options]\n\n");
    if (all)
        print_all();
    else
        print_common();
    printf("\n"
           "  ppsweep COMMAND --help    print the options of a command\n"
           "  ppsweep help all          print all commands\n"
           "  ppsweep --version         print the versions of ppsweep and its kernels\n"
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
