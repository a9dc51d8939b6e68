// SPDX-License-Identifier: Apache-2.0
// A shell edit changes arguments in a launch script. Everything else stays byte for byte.
//
// The value of --name $X is changed in the assignment of X, unless that changes another argument,
// too: then the new value replaces $X. An added argument follows the last argument of the same
// array, text or command, in the same style. Each change is checked by reading the changed script.
#pragma once

#include "base/edit/text_edit.h"
#include "kernels/frameworks/shell/shell_arguments.h"

struct shell_edit {
    char *text; // with the changes so far; ends with NUL
    size_t n;
    int32_t *origins; // offset of each byte in the original text; -1: added
    size_t n_original;
    // Tells the arguments that matter: they keep their values. Their number selects the command.
    shell_kind_of *kind_of;
    // Names of arguments that will be set later, and so may change meanwhile; ends with NULL.
    const char *const *later;
    struct pps_fault *fault;
};

// Starts the edit of a text without byte-order mark and carriage returns. false: out of memory, or
// not a script; the fault is set.
bool shell_edit_begin(struct shell_edit *edit, const char *text, size_t n,
                      shell_kind_of *kind_of, struct pps_fault *fault);

// Sets the value of an argument (name without --), and adds the argument if the command does not
// have it; next to the first of the siblings that the command has, names that end with NULL. value
// "" is a flag without a value. A value that is the same already stays untouched. false: the script
// cannot be changed in this way; the fault names the place.
bool shell_set(struct shell_edit *edit, const char *name, const char *value,
               const char *const *siblings);

// Removes an argument and its values, as often as the command has it.
bool shell_remove(struct shell_edit *edit, const char *name);

// Changes the value of a variable in its last assignment. *found: the script sets the variable.
// false: its value is not a literal, or memory runs out.
bool shell_set_variable(struct shell_edit *edit, const char *name, const char *value,
                        bool *found);

// Adds the changes to those of the original text. false: out of memory.
bool shell_edit_finish(const struct shell_edit *edit, struct text_edit *changes);
void shell_edit_free(struct shell_edit *edit);
