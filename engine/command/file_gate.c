// SPDX-License-Identifier: Apache-2.0
// Makes the gate of a command's files from its command line.
#include "engine/command/arguments_private.h"

#include "base/text/characters.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// Returns whether options of this name say where to write.
static bool is_output(const char *name)
{
    return pps_has_word("output output-folder output-path trace plan data log", name);
}

static uint64_t run_number(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec +
           ((uint64_t)getpid() << 40);
}

enum pps_status pps_args_make_gate(struct pps_args *args, struct pps_error *err)
{
    // A value may be a path or NAME=PATH, so it counts twice.
    const size_t most = (size_t)args->n_words + 2 * (size_t)args->n_given;
    size_t n = 0;
    args->inputs = calloc(most + 1, sizeof *args->inputs);
    if (args->inputs == NULL)
        return pps_fail_memory(err, "the command line");
    for (int i = 0; i < args->n_words; i++)
        args->inputs[n++] = args->words[i];
    for (int i = 0; i < args->n_given; i++) {
        const char *value = args->given[i].value;
        if (is_output(args->table[args->given[i].option].name))
            continue;
        const char *sign = strchr(value, '=');
        args->inputs[n++] = value;
        if (sign != NULL)
            args->inputs[n++] = sign + 1;
    }
    args->gate = (struct pps_gate){.force = pps_arg(args, "force") != NULL,
                                   .maker = {args->command->name, run_number()},
                                   .inputs = args->inputs,
                                   .n_inputs = n};
    return PPS_OK;
}
