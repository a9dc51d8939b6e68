// SPDX-License-Identifier: Apache-2.0
// Reads the words of `trace`: the words of the command line, and KEY=VALUE for each published option
// that sets a parameter of the point.
#ifndef PPS_ENGINE_CLI_OPTIONS_TRACE_WORDS_H
#define PPS_ENGINE_CLI_OPTIONS_TRACE_WORDS_H

#include "engine/command/command.h"

// Entries of an option table.
#define PPS_TRACE_PARAM_OPTIONS                                                                \
    {"n", 'n', "N", NULL}, {"num-groups", 0, "N", NULL}, {"sync-freq", 0, "N", NULL},          \
        {"fwd-len", 0, "X", NULL}, {"bwd-len", 0, "X", NULL}, {"prop-len", 0, "X", NULL},      \
        {"sync-base-len", 0, "X", NULL}, {"fwd-impact", 0, "X", NULL},                         \
    {                                                                                          \
        "bwd-impact", 0, "X", NULL                                                             \
    }

enum { PPS_TRACE_PARAM_COUNT = 9 };

struct pps_trace_words {
    const char **list; // the caller frees the list, not the words
    int n;
    char room[PPS_TRACE_PARAM_COUNT][96]; // words that stand for options
};

// Returns PPS_E_INPUT if there are no words.
PPS_MUST_CHECK enum pps_status pps_trace_words_read(const struct pps_args *args,
                                                    struct pps_trace_words *words,
                                                    struct pps_error *err);

#endif
