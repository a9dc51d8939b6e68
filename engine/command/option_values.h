// SPDX-License-Identifier: Apache-2.0
// The words that an option accepts, as its line of the table states them. Completion offers them, so
// it never offers a word that --help does not list.
#ifndef PPS_ENGINE_COMMAND_OPTION_VALUES_H
#define PPS_ENGINE_COMMAND_OPTION_VALUES_H

#include "engine/command/command.h"

enum { PPS_OPT_MAX_VALUES = 16 };

struct pps_opt_values {
    size_t n;
    char word[PPS_OPT_MAX_VALUES][32];
};

// Reads the words from the argument, as in lower|higher, or else from the help: a list at its start
// or behind ": ", as in "png, svg or pdf". A list without "or" has at least three words. n is 0 if
// the option takes other values too.
void pps_opt_values_read(const struct pps_opt *option, struct pps_opt_values *values);

#endif
