// SPDX-License-Identifier: Apache-2.0
// A kernel skeleton is a small kernel that builds and runs at once. Authors of kernels start from
// it. Not thread-safe: it creates files in the current folder.
#pragma once

#include "base/text/status.h"
#include "ppsweep/kernel.h"

#include <stdbool.h>

struct pps_skeleton {
    char folder[128]; // the new folder, relative to the current one
    bool in_tree;     // the current folder is ppsweep's source tree: the build finds the kernel
    char headers[4096]; // the folder that contains ppsweep/kernel.h, for a kernel elsewhere
};

// Creates the folder of a kernel called `name` with kernel.c, model.md and example.json: in
// kernels/ if the current folder is the source tree of ppsweep, otherwise in the current folder.
// Returns PPS_E_INPUT if the name is no lower-case identifier, belongs to a kernel of the
// NULL-terminated list, or if the folder exists.
PPS_MUST_CHECK enum pps_status pps_skeleton_write(const char *name,
                                                  const struct pps_kernel *const *kernels,
                                                  struct pps_skeleton *skeleton,
                                                  struct pps_error *err);
