// SPDX-License-Identifier: Apache-2.0
// Trials of changes to a launch script. Private to shell_edit*.c.
#ifndef PPS_BASE_SHELL_SHELL_EDIT_PRIVATE_H
#define PPS_BASE_SHELL_SHELL_EDIT_PRIVATE_H

#include "base/shell/shell_edit.h"

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
enum shell_trial shell_try(struct shell_edit *edit,
                           const struct shell_script *before,
                           const struct shell_change *change,
                           const char *name,
                           const char *value);

// Returns whether an argument has this value ("": is there).
bool shell_says(const struct shell_edit *edit,
                const struct shell_command *command,
                const char *name,
                const char *value);

// Returns whether a value has bytes that mean something to a shell. Blanks separate values.
bool shell_needs_quotes(const char *value);

// Fills the fault that an argument cannot be changed; why: the text of a reason, or "". false.
bool shell_edit_fail(struct shell_edit *edit, size_t at, const char *name, const char *why);

// Adds an argument beside the first of the siblings that the command has.
bool shell_add(struct shell_edit *edit,
               const struct shell_script *script,
               const char *name,
               const char *value,
               const char *const *siblings);

#endif
