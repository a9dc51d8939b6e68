// SPDX-License-Identifier: Apache-2.0
// Completion of command lines. The scripts of the shells ask the program, so they offer what the
// tables of this program contain.
#pragma once

#include "engine/command/command.h"

#include <stdio.h>

// A command line: the words behind the name of the program, the last of which is being typed.
struct completion_line {
    const char *const *words; // n >= 1
    int n;
    const struct pps_kernel *const *kernels;
};

// Prints a line "WORD<tab>MEANING" for every word that may stand in place of the last. The line
// ":files" says that names of files may stand there too, ":folders" names of folders.
void pps_completion_print(const struct completion_line *line, FILE *out);
