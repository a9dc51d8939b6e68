// SPDX-License-Identifier: Apache-2.0
// The settings of a command as a document: --a.b 8 and a.b=8 are the number 8 at the path a.b.
// Every value has its place in the script.
#pragma once

#include "base/document/plain.h"
#include "kernels/frameworks/shell/shell.h"

// Returns whether a reader gives a meaning to a path, with _ for -.
typedef bool settings_known(const char *path);

// Returns the first command with the most settings that are known; NULL: none has any.
const struct shell_command *settings_command(const struct shell_script *script,
                                             settings_known *known);

// Makes the document of a command. Its text is that of the script, which has to outlive the document;
// free it with settings_free(). A flag without a value is true, --no-x and --a.no-x are x false. The last
// of two values counts. The words before a program (*.py, or the module after -m) are those of
// launchers; "NAME=value" before the command is the text $NAME. Returns false with a fault if
// a known key has a value that only a shell can evaluate.
bool settings_read(struct plaindoc *settings, const struct shell_script *script,
                   const struct shell_command *command, settings_known *known,
                   struct pps_fault *fault);

// Puts a value at a path, with places for its key and its value. Takes ownership of the item; NULL means out
// of memory. Returns false if memory runs out, or if the path leads through a value.
bool settings_put(struct plaindoc *settings, const char *path, cJSON *item, size_t at);

// Puts the settings of a text "a.b=8 c=true" that the document does not have.
bool settings_put_defaults(struct plaindoc *settings, const char *text, size_t at);

// Returns the item at a path; NULL: none.
const cJSON *settings_get(const struct plaindoc *settings, const char *path);

// Returns a new value of n bytes of text: a number, true, false, null, a list, a map, or the text.
cJSON *settings_value(const char *text, size_t n);

void settings_free(struct plaindoc *settings);
