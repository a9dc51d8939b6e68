// SPDX-License-Identifier: Apache-2.0
// Reads the words of `trace`: the words of the command line, and KEY=VALUE for each option that
// sets a parameter of the point.
#ifndef PPS_ENGINE_CLI_OPTIONS_TRACE_WORDS_H
#define PPS_ENGINE_CLI_OPTIONS_TRACE_WORDS_H

#include "engine/command/command.h"

struct pps_trace_words {
    const char **list; // n; the caller frees the list, not the words
    int n;
    char (*room)[96]; // words that stand for options; the caller frees it
};

// Returns PPS_E_INPUT if there are no words.
PPS_MUST_CHECK enum pps_status pps_trace_words_read(const struct pps_args *args,
                                                    struct pps_trace_words *words,
                                                    struct pps_error *err);

#endif
