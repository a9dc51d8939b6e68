// SPDX-License-Identifier: Apache-2.0
// The commands that describe the program for others: completion, manual, schema.
#include "base/document/json.h"
#include "engine/cli/describe/completion.h"
#include "engine/cli/describe/manual.h"
#include "engine/cli/describe/schema.h"
#include "engine/cli/describe/shell_files.h"
#include "engine/cli/program.h"
#include "engine/experiment/experiment.h"

#include <stdlib.h>
#include <string.h>

extern const struct pps_command *const describe_tools[];

static const struct pps_opt none[] = {{NULL, 0, NULL, NULL}};

// ---- completion -------------------------------------------------------------------------------

static const struct pps_opt completion_options[] = {
    {"typed", 0, "[WORD]", "list completions of WORD after the words that follow --"},
    {NULL, 0, NULL, NULL},
};

static enum pps_status complete(const struct pps_args *args, struct pps_error *err)
{
    const int n = pps_arg_words(args);
    const char **words = calloc((size_t)n + 1, sizeof *words);
    if (words == NULL)
        return pps_fail_memory(err, "the command line");
    for (int i = 0; i < n; i++)
        words[i] = pps_arg_word(args, i);
    words[n] = pps_arg(args, "typed");
    pps_completion_print(&(struct completion_line){words, n + 1, pps_arg_kernels(args)},
                         stdout);
    free(words);
    return PPS_OK;
}

static enum pps_status completion_main(const struct pps_args *args, struct pps_error *err)
{
    if (pps_arg(args, "typed") != NULL)
        return complete(args, err);
    const char *shell = pps_arg_word(args, 0);
    for (const struct pps_shell_file *f = pps_shell_files;
         shell != NULL && pps_arg_words(args) == 1 && f->name != NULL; f++)
        if (strcmp(strchr(f->name, '.') + 1, shell) == 0) {
            fwrite(f->bytes, 1, f->n, stdout);
            return PPS_OK;
        }
    return pps_fail(err, PPS_E_INPUT,
                    "completion: name one shell, bash, fish or zsh, as in ppsweep completion "
                    "bash");
}

static const struct pps_command completion_command = {
    .name = "completion",
    .summary = "print the script that completes command lines in bash, zsh or fish",
    .usage = "SHELL",
    .details =
        "Load it in the shell, or in the file that the shell reads at its start:\n\n"
        "  bash   source <(ppsweep completion bash)\n"
        "  zsh    source <(ppsweep completion zsh)\n"
        "  fish   ppsweep completion fish | source\n\n"
        "The script asks the program on the command line for the words that are possible\n"
        "there: commands, options, their values, kernels, parameters, models, clusters.\n",
    .options = completion_options,
    .kernels = true,
    .max_words = -1,
    .main = completion_main,
};

// ---- manual -----------------------------------------------------------------------------------

static enum pps_status manual_main(const struct pps_args *args, struct pps_error *err)
{
    const char *word = pps_arg_word(args, 0), *second = pps_arg_word(args, 1);
    const struct pps_command *only = word != NULL ? pps_program_command(word, second) : NULL;
    if (word != NULL && only == NULL)
        return pps_fail(err, PPS_E_INPUT, "manual: there is no command %s%s%s", word,
                        second != NULL ? " " : "", second != NULL ? second : "");
    return manual_write(only, pps_arg_kernels(args), stdout, err);
}

static const struct pps_command manual_command = {
    .name = "manual",
    .summary = "print the manual page of ppsweep, or of one command, for man",
    .usage = "[COMMAND]",
    .details = "  ppsweep manual | man -l -\n"
               "  ppsweep manual top | man -l -\n",
    .options = none,
    .kernels = true,
    .max_words = 2,
    .main = manual_main,
};

// ---- schema -----------------------------------------------------------------------------------

static enum pps_status schema_main(const struct pps_args *args, struct pps_error *err)
{
    const struct pps_kernel *const *kernels = pps_arg_kernels(args);
    const struct pps_kernel *only = NULL;
    const char *name = pps_arg_word(args, 0);
    if (name != NULL) {
        const enum pps_status status = pps_kernel_choose(kernels, name, &only, err);
        if (status != PPS_OK)
            return status;
    }
    pps_json_put(stdout, pps_schema_make(kernels, only));
    return PPS_OK;
}

static const struct pps_command schema_command = {
    .name = "schema",
    .summary = "print the JSON Schema of experiments, with which editors complete and check",
    .usage = "[options] [KERNEL]",
    .details =
        "Write it to a file and name the file in an experiment:\n\n"
        "  ppsweep schema > experiment.schema.json\n"
        "  { \"$schema\": \"./experiment.schema.json\", \"n\": [8, 16] }\n\n"
        "Experiments may contain // comments. Visual Studio Code accepts them in files of\n"
        "the language \"JSON with Comments\" (jsonc): set \"files.associations\":\n"
        "{\"*.json\": \"jsonc\"}.\n",
    .options = none,
    .kernels = true,
    .max_words = 1,
    .main = schema_main,
};

const struct pps_command *const describe_tools[] = {&completion_command, &manual_command,
                                                    &schema_command, NULL};
