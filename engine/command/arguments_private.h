// SPDX-License-Identifier: Apache-2.0
// Declares private types of the command-line parser: arguments.c parses, config_file.c
// reads --config, file_gate.c makes the gate, values.c returns values, help.c prints help.
#pragma once

#include "base/document/json.h"
#include "base/write/gate.h"
#include "engine/command/arguments.h"
#include "engine/command/option_table.h"

struct pps_args_given {
    int option; // index in the table
    const char *value;
};

struct pps_args {
    const struct pps_command *command;
    const struct pps_kernel *const *kernels;
    struct pps_option_table own;  // of the command and of the kernels
    const struct pps_opt *table;  // own.options
    struct pps_args_given *given; // of the command line, then of the file of --config
    int n_given, n_typed;         // n_typed: of the command line
    size_t room_given;
    struct pps_json config; // the file of --config, and texts made of its values
    char **texts;
    size_t n_texts, room_texts;
    char **words;
    int n_words;
    char **argv; // a copy that getopt may permute
    char *line;
    const char **inputs; // of the gate
    struct pps_gate gate;
};

// Returns the index of an option in the table, or -1.
int pps_args_option(const struct pps_args *args, const char *name);

// Adds the options in the file of --config, if it is given, to those of the command line, which have
// priority.
PPS_MUST_CHECK enum pps_status pps_args_read_config(struct pps_args *args,
                                                    struct pps_error *err);

// Makes the gate of the command's files: what it may have read, its name, and --force.
PPS_MUST_CHECK enum pps_status pps_args_make_gate(struct pps_args *args, struct pps_error *err);

// Prints the help page of the command, with all options of the table.
void pps_args_help(const struct pps_args *args);
