// SPDX-License-Identifier: Apache-2.0
// A command is a table: its name, help and options, and the function that runs it. Help texts,
// errors and suggestions all come from the table; other functions read the values of options.
#pragma once

#include "base/text/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pps_opt {
    const char *name; // long name with hyphens; underscores are accepted on the command line
    char letter;      // short form, or 0
    const char *arg;  // name of the argument; NULL: none; "[X]": optional, as --name=X
    const char *help; // one line; NULL: a published alias of another option, not listed
};

// Writes the help of an option, with the word "default" in the parentheses at its end, which hold the default of an option
// that has an argument.
void pps_opt_help(const struct pps_opt *option, char *out, size_t size);

// Another name of an option, as published elsewhere. It is not listed in --help.
struct pps_opt_alias {
    const char *name, *option;
};

struct pps_args;
struct pps_gate;
struct pps_kernel;

struct pps_command {
    const char *name;
    const char *summary;                 // one line
    const char *usage;                   // "[options] RESULT": the words after the name
    const char *details;                 // paragraphs below the options in --help; or NULL
    const struct pps_opt *options;       // ends with a zeroed entry; --help is added
    const struct pps_opt_alias *aliases; // of options; ends with a zeroed entry; or NULL
    bool kernels;                        // uses kernels: --kernel, which loads one, is added
    bool kernel_options;                 // adds the options of the kernels' composite axes
    const struct pps_opt_alias *params;  // adds the numbers among the parameters of the default
                                         // kernel, not listed; pairs of an option that has
                                         // another name than its parameter; or NULL
    bool config;                         // --config FILE: a JSON object of options is added
    const struct pps_opt_alias *same; // pairs of options with one meaning: a value of --config
                                      // counts only if the command line gives neither; or NULL
    bool one_dash;                    // accepts -name for --name, as some published tools do
    int min_words, max_words;         // positional arguments; max -1: any number
    enum pps_status (*main)(const struct pps_args *args, struct pps_error *err);
};

// Returns the value of the last --name; "" if it has no value; NULL if the option is not given.
const char *pps_arg(const struct pps_args *args, const char *name);

// Returns whether the value of an option comes from the file of --config.
bool pps_arg_in_config(const struct pps_args *args, const char *name);

// Returns the i-th value of an option that may be repeated; NULL past the last.
const char *pps_arg_nth(const struct pps_args *args, const char *name, int i);

// Returns the gate of the files that the command writes. It refuses every file that a word or an
// option of the command line names, except for the options that name outputs.
const struct pps_gate *pps_arg_gate(const struct pps_args *args);

// Returns the value of the option that sets parameter p of the default kernel, NULL if it is not
// given; *name: the option.
const char *pps_arg_param(const struct pps_args *args, int p, const char **name);

// Returns the kernels that the command may use, ended with NULL; the first is the default.
const struct pps_kernel *const *pps_arg_kernels(const struct pps_args *args);

// Returns the name of the command that runs, as in "nd rank".
const char *pps_arg_command(const struct pps_args *args);

int pps_arg_words(const struct pps_args *args);
const char *pps_arg_word(const struct pps_args *args, int i);

// Returns the command line as typed, with words quoted where a shell needs quotes; valid as
// long as args.
const char *pps_arg_line(const struct pps_args *args);

// Writes the command that resumes: the command line as typed, with --resume if it is missing, or a
// description if the command line is too long.
void pps_arg_line_resume(const struct pps_args *args, char *command, size_t size);

// Parse the value of an option. *value is unchanged if the option is not given. Counts accept
// k, M, G (powers of 1000). PPS_E_INPUT outside min ... max.
PPS_MUST_CHECK enum pps_status pps_arg_count(const struct pps_args *args, const char *name,
                                             uint64_t min, uint64_t max, uint64_t *value,
                                             struct pps_error *err);
PPS_MUST_CHECK enum pps_status pps_arg_number(const struct pps_args *args, const char *name,
                                              double min, double max, double *value,
                                              struct pps_error *err);

// Reads an amount of memory of an option with its unit, as in 80GiB, 70000MiB or "80 GB"; a bare number is in `unit`.
// *value is in `unit`, and unchanged if the option is not given. PPS_E_INPUT outside 0 ... max, for an unknown unit, and for a
// bare number above `most`, which was meant in a smaller unit.
struct pps_memory_option {
    const char *name, *unit;
    double most, max;
};

PPS_MUST_CHECK enum pps_status pps_arg_memory(const struct pps_args *args,
                                              const struct pps_memory_option *option,
                                              double *value, struct pps_error *err);

// Reads the option --name in seconds, written as 90, 90s, 1.5h, 1h30m or 2d. Leaves *seconds
// unchanged if the option is not given. Returns PPS_E_INPUT for other texts and for 0.
PPS_MUST_CHECK enum pps_status pps_arg_duration(const struct pps_args *args, const char *name,
                                                double *seconds, struct pps_error *err);

// Parses --digits: a number of decimals 0 ... 17, or "full" (PPS_FULL_DIGITS). *digits is
// unchanged if the option is not given.
PPS_MUST_CHECK enum pps_status pps_arg_digits(const struct pps_args *args, int *digits,
                                              struct pps_error *err);
