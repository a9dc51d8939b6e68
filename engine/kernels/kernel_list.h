// SPDX-License-Identifier: Apache-2.0
// A kernel list holds the kernels that a command may use: kernels loaded from shared libraries,
// then the built-in kernels. Reading a list is thread-safe; opening and closing it is not.
#pragma once

#include "base/text/status.h"
#include "ppsweep/kernel.h"

#include <stddef.h>

// ---- kernel table -------------------------------------------------------------------------------

// Returns whether the tables of the kernel are complete and consistent: names are identifiers and
// distinct, defaults lie within their ranges, required functions exist, and lists end. Otherwise
// writes one sentence to fault[cap].
bool pps_kernel_table_valid(const struct pps_kernel *kernel, char *fault, size_t cap);

// ---- kernel list --------------------------------------------------------------------------------

enum { PPS_MAX_KERNEL_FILES = 8 };

struct pps_kernel_list {
    const struct pps_kernel *
        *all; // loaded kernels in order, then built-in ones; ends with NULL
    void *library[PPS_MAX_KERNEL_FILES];
    int n_libraries;
};

// Loads the kernels of n shared libraries (at most PPS_MAX_KERNEL_FILES) and adds the
// NULL-terminated list of built-in kernels. A path without a slash is a file in the current
// folder. Returns PPS_E_INPUT if a file is no kernel, was built for another version of
// ppsweep/kernel.h, has an invalid table, or has the name of another kernel. After an error there
// is nothing to close.
PPS_MUST_CHECK enum pps_status pps_kernel_list_open(struct pps_kernel_list *list,
                                                    const struct pps_kernel *const *built_in,
                                                    const char *const *paths, int n,
                                                    struct pps_error *err);

// Frees the list and unloads its libraries. Their kernels must no longer be in use.
void pps_kernel_list_close(struct pps_kernel_list *list);
