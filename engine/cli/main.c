// SPDX-License-Identifier: Apache-2.0
// ppsweep: finds and runs the command; the default command is `run`.
#include "base/text/say.h"
#include "engine/cli/program.h"
#include "engine/cli/verbs.h"

#include "base/text/characters.h"
#include "base/text/nearest.h"
#include "base/text/status.h"
#include "engine/command/arguments.h"
#include "engine/kernels/kernel_list.h"
#include "kernels/registry.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static enum pps_status suggest_experiment(const char *path, struct pps_error *err)
{
    char word[1024] = "FILE";
    FILE *out = fmemopen(word, sizeof word - 1, "w");
    if (out != NULL) {
        pps_say_word(out, path, SIZE_MAX);
        fclose(out);
    }
    return pps_fail(err, PPS_E_INPUT, "unknown command \"%s\"; write: ppsweep -c %s", path,
                    word);
}

// Finds what a word of another program means here. Returns PPS_OK with *command NULL for an unknown word.
static enum pps_status find_expected(const char *word, const struct pps_command **command,
                                     struct pps_error *err)
{
    *command = NULL;
    for (const struct pps_expected *e = pps_expected; e->word != NULL; e++) {
        if (strcmp(word, e->word) != 0)
            continue;
        if (e->command == NULL)
            return pps_fail(err, PPS_E_INPUT, "there is no command %s; %s", word, e->hint);
        *command = pps_program_command(e->command, NULL);
    }
    return PPS_OK;
}

static enum pps_status find_command(const char *word, const struct pps_command **command,
                                    struct pps_error *err)
{
    const struct pps_command *list[PPS_MAX_COMMANDS];
    const char *names[PPS_MAX_COMMANDS];
    const int n = pps_program_commands(list);
    for (int i = 0; i < n; i++) {
        names[i] = list[i]->name;
        *command = list[i];
        if (strcmp(word, list[i]->name) == 0)
            return PPS_OK;
    }
    const enum pps_status status = find_expected(word, command, err);
    if (status != PPS_OK || *command != NULL)
        return status;
    const char *near = pps_suggest(word, names, (size_t)n);
    if (pps_ends_with(word, ".json"))
        return suggest_experiment(word, err);
    if (near != NULL)
        return pps_fail(err, PPS_E_INPUT, "unknown command \"%s\"; did you mean %s?", word,
                        near);
    return pps_fail(err, PPS_E_INPUT, "unknown command \"%s\"; ppsweep help all lists them",
                    word);
}

// `--stage NAME` may replace the second word of the name of a tool, at any position. Removes
// these arguments from argv and returns the tool, or NULL.
static const struct pps_command *take_stage(const char *word, int *argc, char **argv)
{
    for (int i = 2; i < *argc && strcmp(argv[i], "--") != 0; i++) {
        const bool apart = strcmp(argv[i], "--stage") == 0 && i + 1 < *argc;
        const char *name = apart                                  ? argv[i + 1]
                           : strncmp(argv[i], "--stage=", 8) == 0 ? argv[i] + 8
                                                                  : NULL;
        const struct pps_command *command =
            name != NULL ? pps_program_command(word, name) : NULL;
        if (command == NULL)
            continue;
        const int taken = apart ? 2 : 1;
        for (int rest = i; rest + taken <= *argc; rest++)
            argv[rest] = argv[rest + taken];
        *argc -= taken;
        return command;
    }
    return NULL;
}

// Finds the values of --kernel before the options are parsed, because a kernel may add options;
// returns their number, at most PPS_MAX_KERNEL_FILES + 1.
static int find_kernel_files(int argc, char **argv, const char **files)
{
    int n = 0;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0 && n <= PPS_MAX_KERNEL_FILES; i++) {
        if (strncmp(argv[i], "--kernel=", 9) == 0)
            files[n++] = argv[i] + 9;
        else if (strcmp(argv[i], "--kernel") == 0 && i + 1 < argc)
            files[n++] = argv[++i];
    }
    return n;
}

static enum pps_status run_command(const struct pps_command *command, const char *program,
                                   int argc, char **argv, struct pps_error *err)
{
    struct pps_kernel_list kernels;
    const char *files[PPS_MAX_KERNEL_FILES + 1];
    const int n_files = command->kernels ? find_kernel_files(argc, argv, files) : 0;
    enum pps_status status = pps_kernel_list_open(&kernels, pps_kernels, files, n_files, err);
    if (status != PPS_OK)
        return status;
    struct pps_args *args;
    bool done;
    status = pps_args_parse(&args, command, kernels.all, program, argc, argv, &done, err);
    if (status == PPS_OK && !done)
        status = command->main(args, err);
    pps_args_free(args);
    pps_kernel_list_close(&kernels);
    return status;
}

// Improves the error if the command is written after its options.
static enum pps_status suggest_order(int argc, char **argv, struct pps_error *err)
{
    const struct pps_command *list[PPS_MAX_COMMANDS];
    const int n = pps_program_commands(list);
    const bool unknown = strncmp(err->text, "run has no option", 17) == 0;
    if (!unknown && strstr(err->text, ": unexpected argument") == NULL)
        return PPS_E_INPUT;
    for (int i = 1; i < argc; i++)
        for (int c = 0; c < n; c++)
            if (strcmp(argv[i], list[c]->name) == 0)
                return pps_fail(err, PPS_E_INPUT,
                                "write the command before its options: ppsweep %s %s",
                                list[c]->name, list[c]->usage);
    return PPS_E_INPUT;
}

// A failed write to stdout is an error; a closed pipe is not.
static enum pps_status close_stdout(enum pps_status status, struct pps_error *err)
{
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == PPS_OK)
        return pps_fail_errno(err, "cannot write", "stdout");
    return status;
}

// If the caller closed stdin, stdout or stderr, the next opened file would get its descriptor,
// and messages could be written to a result. Therefore, opens /dev/null for closed descriptors,
// in the wrong direction: reading stdin or writing stdout still fails.
static bool hold_streams(void)
{
    static const int how[] = {O_WRONLY, O_RDONLY, O_WRONLY};
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", how[fd]) != fd)
            return false;
    return true;
}

// Turns "help COMMAND ..." into "COMMAND ... --help".
static void turn_help(int argc, char **argv, char *help)
{
    if (argc < 3 || strcmp(argv[1], "help") != 0)
        return;
    for (int k = 1; k < argc - 1; k++)
        argv[k] = argv[k + 1];
    argv[argc - 1] = help;
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

static int run_program(int argc, char **argv)
{
    char help_option[] = "--help";
    struct pps_error err = {.code = PPS_OK};
    const struct pps_command *command = &pps_command_run;
    enum pps_status status = PPS_OK;
    const bool all = argc == 3 && is_one_of(argv[1], "help", "--help", "-h") &&
                     is_one_of(argv[2], "all", "--all", "-a");
    if (!all)
        turn_help(argc, argv, help_option);
    const char *word = argc > 1 ? argv[1] : help_option;
    if (!hold_streams())
        return pps_exit_status(PPS_E_MACHINE);
    signal(SIGXFSZ, SIG_IGN); // writes beyond a file-size limit fail with an error
    signal(SIGPIPE, SIG_DFL); // a closed pipe ends the program quietly
    if (is_one_of(word, "help", "--help", "-h")) {
        pps_program_help(all);
    } else if (is_one_of(word, "version", "--version", "-V")) {
        pps_program_version();
    } else if (word[0] == '-') {
        status = run_command(command, NULL, argc, argv, &err);
        if (status == PPS_E_INPUT)
            status = suggest_order(argc, argv, &err);
    } else if (argc > 2 && pps_program_command(word, argv[2]) != NULL) {
        command = pps_program_command(word, argv[2]);
        status = run_command(command, argv[0], argc - 2, argv + 2, &err);
    } else {
        const struct pps_command *stage = take_stage(word, &argc, argv);
        status = stage != NULL ? PPS_OK : find_command(word, &command, &err);
        command = stage != NULL ? stage : command;
        if (status == PPS_OK)
            status = run_command(command, argv[0], argc - 1, argv + 1, &err);
    }
    status = close_stdout(status, &err);
    if (pps_memory_failed() && status != PPS_E_MACHINE) // whatever the command made of it
        status = pps_fail_memory(&err, "this command");
    if (err.code != PPS_OK && err.text[0] != '\0')
        pps_error_print(&err);
    return pps_exit_status(status);
}

// ---- the stack --------------------------------------------------------------------------------

#define STACK_BYTES ((size_t)8 << 20)

struct program {
    int argc;
    char **argv;
    int exit_status;
};

static void *run_on_stack(void *self)
{
    struct program *program = self;
    program->exit_status = run_program(program->argc, program->argv);
    return NULL;
}

// Runs the program in a thread with a large stack, and gives worker threads equal stacks: the
// limit of the caller (ulimit -s) may be too small.
int main(int argc, char **argv)
{
    struct program program = {argc, argv, 0};
    pthread_attr_t stack;
    pthread_t thread;
    pthread_attr_init(&stack);
    pthread_attr_setstacksize(&stack, STACK_BYTES);
    (void)pthread_setattr_default_np(&stack); // for the threads of OpenMP
    if (pthread_create(&thread, &stack, run_on_stack, &program) != 0)
        return run_program(argc, argv);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&stack);
    return program.exit_status;
}
