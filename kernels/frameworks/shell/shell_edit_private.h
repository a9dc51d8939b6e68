// SPDX-License-Identifier: Apache-2.0
// Trials of changes to a launch script. Private to shell_edit*.c.
#pragma once

#include "kernels/frameworks/shell/shell_edit.h"

enum { SHELL_VALUE_MAX = 16000 };

struct shell_change {
    size_t from, to;  // replaced bytes
    const char *with; // ends with NUL
};

enum shell_trial {
    SHELL_TRIAL_HOLDS, // the text is changed
    SHELL_TRIAL_FAILS, // the change would not have the intended effect, or others, too
    SHELL_TRIAL_STOPS, // out of memory; the fault is set
};

// Makes a change if the argument `name` then has this value ("": is there; NULL: appears once less)
// and all other arguments that matter keep theirs. A name that starts with $ is of a variable.
enum shell_trial shell_try(struct shell_edit *edit, const struct shell_script *before,
                           const struct shell_change *change, const char *name,
                           const char *value);

// Returns whether an argument has this value ("": is there).
bool shell_says(const struct shell_edit *edit, const struct shell_command *command,
                const char *name, const char *value);

// Ways to write a value. The plain one is for values without special bytes, and inside a longer
// quoted text; the twice quoted one for text that is evaluated again (bash -c "...").
enum shell_quotes { SHELL_PLAIN, SHELL_QUOTED, SHELL_TWICE_QUOTED, SHELL_N_QUOTES };
extern const char *const shell_quotes_open[SHELL_N_QUOTES],
    *const shell_quotes_close[SHELL_N_QUOTES];

// Stores the ways to try for a value, in order, and returns their number.
int shell_quotes_for(const char *value, enum shell_quotes quotes[SHELL_N_QUOTES]);

// Fills the fault that an argument cannot be changed; why: the text of a reason, or "". false.
bool shell_edit_fail(struct shell_edit *edit, size_t at, const char *name, const char *why);

// Adds an argument beside the first of the siblings that the command has.
bool shell_add(struct shell_edit *edit, const struct shell_script *script, const char *name,
               const char *value, const char *const *siblings);
