// SPDX-License-Identifier: Apache-2.0
// The arguments --name value of a command. Names compare without --, and _ is the same as -.
#pragma once

#include "kernels/frameworks/shell/shell.h"

// How many values an argument takes.
enum shell_kind {
    SHELL_OTHER, // not an argument that matters: all words up to the next that starts with --
    SHELL_FLAG,  // none
    SHELL_ONE,
    SHELL_MANY, // all words up to the next that starts with --
};

// Returns the kind of an argument by its name.
typedef enum shell_kind shell_kind_of(const char *name);

struct shell_argument {
    char name[64];                 // with - for _; a longer name is cut
    const struct shell_text *word; // --name or --name=value
    size_t i;                      // of the word in the command
    enum shell_kind kind;
    const struct shell_text *values; // do not copy the argument if it points to `inside`
    size_t n_values;
    struct shell_text inside; // the value of --name=value
};

// Finds the next argument, from word *i on; *i becomes a word behind it. false: no more.
bool shell_next_argument(const struct shell_command *command, shell_kind_of *kind_of, size_t *i,
                         struct shell_argument *argument);

// Finds the last argument with a name: it decides. false: none.
bool shell_find_argument(const struct shell_command *command, shell_kind_of *kind_of,
                         const char *name, struct shell_argument *argument);

// Returns how often a command has an argument.
size_t shell_count_argument(const struct shell_command *command, const char *name);

// Returns the first command with the most arguments that matter; NULL: none has any.
const struct shell_command *shell_command_with(const struct shell_script *script,
                                               shell_kind_of *kind_of);
