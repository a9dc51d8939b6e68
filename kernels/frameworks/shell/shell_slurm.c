// SPDX-License-Identifier: Apache-2.0
// Sets the variables that Slurm derives from #SBATCH lines, at the places of the numbers there.
#include "kernels/frameworks/shell/shell_private.h"

#include <string.h>

static const struct {
    const char *option; // with = or a blank behind it
    const char *variables[3];
} options[] = {
    {"--nodes", {"SLURM_NNODES", "SLURM_JOB_NUM_NODES"}},
    {"-N", {"SLURM_NNODES", "SLURM_JOB_NUM_NODES"}},
    {"--gpus-per-node", {"SLURM_GPUS_PER_NODE", "SLURM_GPUS_ON_NODE"}},
    {"--gres", {"SLURM_GPUS_ON_NODE"}},
    {"--ntasks-per-node", {"SLURM_NTASKS_PER_NODE"}},
    {"--ntasks", {"SLURM_NTASKS", "SLURM_NPROCS"}},
    {"-n", {"SLURM_NTASKS", "SLURM_NPROCS"}},
};

static void set(struct shell *sh, const char *const *variables, size_t from, size_t to)
{
    struct shell_text text = {.from = SHELL_NOWHERE, .to = SHELL_NOWHERE};
    for (size_t i = from; i < to; i++) {
        struct shell_mark mark = SHELL_COMPUTED;
        mark.at = (int32_t)i;
        shell_text_byte(sh, &text, sh->text[i], mark);
    }
    const struct shell_value *value = shell_scalar(sh, &text);
    for (int k = 0; k < 3 && variables[k] != NULL && !sh->failed; k++)
        shell_assign(sh, variables[k], strlen(variables[k]), value);
}

// Reads an option at an offset; the number is the last one of a value such as gpu:h100:8.
static void read_option(struct shell *sh, size_t at)
{
    const size_t end = at + strcspn(sh->text + at, " =\t\r\n");
    size_t to = end + strspn(sh->text + end, " =\t");
    to += strcspn(sh->text + to, " \t\r\n#(");
    size_t from = to;
    while (from > end && sh->text[from - 1] >= '0' && sh->text[from - 1] <= '9')
        from--;
    const bool whole = from > end && strchr(" =\t:", sh->text[from - 1]) != NULL;
    for (size_t i = 0; whole && from < to && i < sizeof options / sizeof *options; i++)
        if (strlen(options[i].option) == end - at &&
            strncmp(options[i].option, sh->text + at, end - at) == 0)
            set(sh, options[i].variables, from, to);
}

void shell_read_slurm(struct shell *sh)
{
    static const char mark[] = "#SBATCH";
    for (size_t at = 0; sh->text[at] != '\0' && !sh->failed;) {
        if (strncmp(sh->text + at, mark, sizeof mark - 1) == 0) {
            const size_t option = at + sizeof mark - 1;
            read_option(sh, option + strspn(sh->text + option, " \t"));
        }
        at += strcspn(sh->text + at, "\n");
        at += sh->text[at] == '\n';
    }
}
