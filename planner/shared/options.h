// SPDX-License-Identifier: Apache-2.0
// Reads values of options that several planners have: switches, lists of words, --compat and
// --threads.
#pragma once

#include "engine/command/command.h"

#include <stddef.h>

// Returns the next of several words separated by commas, not terminated, and sets *n to its length;
// NULL at the end.
const char *plan_next_word(const char **rest, size_t *n);
bool plan_is_word(const char *word, size_t n, const char *name);

// Reads on, true, 1, off, false or 0. false: another word.
bool plan_read_switch(const char *word, size_t n, bool *on);

// Accepts yes, true, t, y, 1 or no, false, f, n, 0, ignoring case. Without the option, *value
// stays.
PPS_MUST_CHECK enum pps_status plan_arg_bool(const struct pps_args *args, const char *name,
                                             bool *value, struct pps_error *err);

// Reads --compat none or orig: as published.
PPS_MUST_CHECK enum pps_status plan_arg_compat(const struct pps_args *args, bool *orig,
                                               struct pps_error *err);

// Reads --threads or --parallel-num, its published name: 1 to `most`. Without them, all CPUs that
// this process may use.
PPS_MUST_CHECK enum pps_status plan_arg_threads(const struct pps_args *args, uint64_t most,
                                                uint64_t *threads, struct pps_error *err);

// Published options and the options of the same meaning, for the `same` of a command.
extern const struct pps_opt_alias plan_same_options[];

// An option of the published tool that has no effect here, and why: "ppsweep starts no training".
struct plan_no_effect {
    const char *option, *why;
};

// Prints one line for each reason, with the options that were given: "ignored   --a, --b: reason".
// The list ends with a zeroed entry.
void plan_note_no_effect(const struct pps_args *args, const struct plan_no_effect *list);

// With --compat orig and without --output, prints where the published tool writes its files.
void plan_note_folder(const struct pps_args *args, const char *folder);
