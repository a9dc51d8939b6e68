// SPDX-License-Identifier: Apache-2.0
// Lists the scripts of packaging/completion, which the build turns into arrays (packaging/embed.cmake).
#pragma once

#include <stddef.h>

struct pps_shell_file {
    const char *name; // "ppsweep.bash": the ending is the name of the shell
    const unsigned char *bytes;
    size_t n;
};

// All files in the order of their names; the last entry has no name.
extern const struct pps_shell_file pps_shell_files[];
