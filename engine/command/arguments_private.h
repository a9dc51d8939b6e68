// SPDX-License-Identifier: Apache-2.0
// Declares private types of the command-line parser: arguments.c parses, values.c returns
// values, help.c prints help.
#ifndef PPS_ENGINE_COMMAND_ARGUMENTS_PRIVATE_H
#define PPS_ENGINE_COMMAND_ARGUMENTS_PRIVATE_H

#include "engine/command/arguments.h"

enum { PPS_ARGS_MAX_OPTIONS = 96 };

struct pps_args_given {
    int option; // index in the table
    const char *value;
};

struct pps_args {
    const struct pps_command *command;
    const struct pps_kernel *const *kernels;
    struct pps_opt table[PPS_ARGS_MAX_OPTIONS + 1]; // options of the command and of the kernels
    char names[PPS_ARGS_MAX_OPTIONS][48];           // names of kernel options, with hyphens
    struct pps_args_given *given;
    int n_given;
    char **words;
    int n_words;
    char **argv; // a copy that getopt may permute
    char *line;
};

// Returns the index of an option in the table, or -1.
int pps_args_option(const struct pps_args *args, const char *name);

// Prints the help page of the command, with all options of the table.
void pps_args_help(const struct pps_args *args);

#endif
