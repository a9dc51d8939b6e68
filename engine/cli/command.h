// SPDX-License-Identifier: Apache-2.0
// A subcommand: its name, help and option table, and how it reads its options. Help texts,
// errors and suggestions all come from the table.
#ifndef PPS_CLI_COMMAND_H
#define PPS_CLI_COMMAND_H

#include "engine/status.h"

#include <stdbool.h>
#include <stdint.h>

struct pps_opt {
    const char *name; // long name, with hyphens; underscores are accepted when typed
    char letter;      // short form, or 0
    const char *arg;  // what the argument is called; NULL: none; "[X]": optional, as --name=X
    const char *help; // one line
};

struct pps_args;

struct pps_command {
    const char *name;
    const char *summary;           // one line
    const char *usage;             // "[options] RESULT": what follows the name
    const char *details;           // paragraphs below the options in --help; or NULL
    const struct pps_opt *options; // ends with a zeroed entry; --help is added
    bool kernel_options;           // also the options of the kernels' composite axes
    int min_words, max_words;      // positional arguments; max -1: any number
    enum pps_status (*main)(const struct pps_args *args, struct pps_error *err);
};

// argv[0] is the verb's name, with the program's in `program`; or the program's, and that is NULL.
// Prints help and sets *done where --help asks
// for it. Unknown options are PPS_E_INPUT with the nearest known one.
PPS_MUST_CHECK enum pps_status pps_args_parse(struct pps_args **args,
                                              const struct pps_command *command,
                                              const char *program,
                                              int argc,
                                              char **argv,
                                              bool *done,
                                              struct pps_error *err);
void pps_args_free(struct pps_args *args);

void pps_command_help(const struct pps_command *command);

// Value of the last --name given; "" where it was given without one; NULL where it was not.
const char *pps_arg(const struct pps_args *args, const char *name);

// The i-th value of an option that may be repeated; NULL past the last.
const char *pps_arg_nth(const struct pps_args *args, const char *name, int i);

int pps_arg_words(const struct pps_args *args);
const char *pps_arg_word(const struct pps_args *args, int i);

// The command line as typed, words quoted where a shell needs it; valid as long as args.
const char *pps_arg_line(const struct pps_args *args);

// *value keeps what it holds where the option is not given. Counts take k, M, G (powers of 1000).
PPS_MUST_CHECK enum pps_status pps_arg_count(const struct pps_args *args,
                                             const char *name,
                                             uint64_t min,
                                             uint64_t max,
                                             uint64_t *value,
                                             struct pps_error *err);
PPS_MUST_CHECK enum pps_status pps_arg_number(const struct pps_args *args,
                                              const char *name,
                                              double min,
                                              double max,
                                              double *value,
                                              struct pps_error *err);

// --digits: a number of decimals 0 ... 17, or "full" (PPS_FULL_DIGITS). *digits is kept where it
// is not given.
PPS_MUST_CHECK enum pps_status pps_arg_digits(const struct pps_args *args,
                                              int *digits,
                                              struct pps_error *err);

// One object a subcommand, each in the file of its name.
extern const struct pps_command pps_command_run;
extern const struct pps_command pps_command_plan;
extern const struct pps_command pps_command_eval;
extern const struct pps_command pps_command_trace;
extern const struct pps_command pps_command_plot;
extern const struct pps_command pps_command_slice;
extern const struct pps_command pps_command_top;
extern const struct pps_command pps_command_verify;
extern const struct pps_command pps_command_merge;
extern const struct pps_command pps_command_kernels;
extern const struct pps_command pps_command_bench;

#endif
