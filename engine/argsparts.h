// SPDX-License-Identifier: Apache-2.0
// What the files that make up command lines share: args.c takes them apart, argvalues.c says what was
// given, argshelp.c prints help. Private to these.
#ifndef PPS_ARGSPARTS_H
#define PPS_ARGSPARTS_H

#include "args.h"

enum { PPS_ARGS_MAX_OPTIONS = 96 };

struct pps_args_given {
    int option; // index in the table
    const char *value;
};

struct pps_args {
    const struct pps_command *command;
    struct pps_opt table[PPS_ARGS_MAX_OPTIONS + 1]; // its options and those of the kernels
    char names[PPS_ARGS_MAX_OPTIONS][48];           // of the kernels' options, with hyphens
    struct pps_args_given *given;
    int n_given;
    char **words;
    int n_words;
    char **argv; // our own copy, which getopt may permute
    char *line;
};

// The place of an option in the table; -1: there is none.
int pps_args_option(const struct pps_args *args, const char *name);

// Prints the page of the command, with the options of the table.
void pps_args_help(const struct pps_args *args);

#endif
