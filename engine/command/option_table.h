// SPDX-License-Identifier: Apache-2.0
// The options of a command as one table: its own, those that many commands share, and those of
// kernels. Parsing, help, the man page and completion read the same table.
#pragma once

#include "engine/command/command.h"

// ---- option values ------------------------------------------------------------------------------

enum { PPS_OPT_MAX_VALUES = 16 };

struct pps_opt_values {
    size_t n;
    char word[PPS_OPT_MAX_VALUES][32];
};

// Reads the words from the argument, as in lower|higher, or else from the help: a list at its start
// or behind ": ", as in "png, svg or pdf". A list without "or" has at least three words. n is 0 if
// the option takes other values too.
void pps_opt_values_read(const struct pps_opt *option, struct pps_opt_values *values);

// ---- option table -------------------------------------------------------------------------------

enum { PPS_ARGS_MAX_OPTIONS = 96 };

struct pps_option_table {
    struct pps_opt options[PPS_ARGS_MAX_OPTIONS + 1]; // ends with a zeroed entry
    char names[PPS_ARGS_MAX_OPTIONS][48];             // names of kernel options, with hyphens
    char old_letter[PPS_ARGS_MAX_OPTIONS]; // another letter, which is not listed; or 0
    int param
        [PPS_ARGS_MAX_OPTIONS]; // 1 + the parameter of the default kernel that it sets, or 0
};

// Builds the table. It points into itself, so it is not copied or moved. `kernels` ends with NULL.
// --help is not in the table.
void pps_option_table_build(struct pps_option_table *table, const struct pps_command *command,
                            const struct pps_kernel *const *kernels);

// Returns the index of the option with this name, or -1.
int pps_option_table_find(const struct pps_option_table *table, const char *name);
