// SPDX-License-Identifier: Apache-2.0
// A verb of the command line: its name, help and option table, and how it reads its options. Help
// texts, errors and suggestions all come from the table. The engine's verbs are in engine/cli; a
// kernel may have tools of its own, which need nothing of the engine but this header: it also
// brings errors, lines for people, names that may have been meant, JSON documents with places, those
// that are shipped, files that appear only when they are whole, traces as files, and how many CPUs
// there are.
#ifndef PPS_TOOL_H
#define PPS_TOOL_H

#include "folder.h"
#include "jsonfile.h"
#include "machine.h"
#include "oneline.h"
#include "shipped.h"
#include "status.h"
#include "suggest.h"
#include "textfile.h"
#include "tracewrite.h"

#include <stdbool.h>
#include <stdint.h>

struct pps_opt {
    const char *name; // long name, with hyphens; underscores are accepted when typed
    char letter;      // short form, or 0
    const char *arg;  // what the argument is called; NULL: none; "[X]": optional, as --name=X
    const char *help; // one line; NULL: a published name for another option, not listed
};

struct pps_args;

struct pps_command {
    const char *name;
    const char *summary;           // one line
    const char *usage;             // "[options] RESULT": what follows the name
    const char *details;           // paragraphs below the options in --help; or NULL
    const struct pps_opt *options; // ends with a zeroed entry; --help is added
    bool kernel_options;           // also the options of the kernels' composite axes
    bool one_dash;            // -name is accepted for --name, as some published tools have it
    int min_words, max_words; // positional arguments; max -1: any number
    enum pps_status (*main)(const struct pps_args *args, struct pps_error *err);
};

// Value of the last --name given; "" where it was given without one; NULL where it was not.
const char *pps_arg(const struct pps_args *args, const char *name);

// The i-th value of an option that may be repeated; NULL past the last.
const char *pps_arg_nth(const struct pps_args *args, const char *name, int i);

// PPS_E_INPUT where the file that option NAME is to write is one that a word or another option names.
PPS_MUST_CHECK enum pps_status pps_arg_apart(const struct pps_args *args,
                                             const char *name,
                                             struct pps_error *err);

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

#endif
