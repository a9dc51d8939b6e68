// SPDX-License-Identifier: Apache-2.0
// The gate through which every written file goes. Its rule: a command replaces what it wrote itself
// and nobody edited (mark.h); with --force also other files; never a file that it reads, nor one that
// it wrote in the same run.
#pragma once

#include "base/text/status.h"
#include "base/write/mark.h"

#include <stdbool.h>
#include <stddef.h>

// A gate outlives the files that are opened with it.
struct pps_gate {
    bool force;             // --force
    struct pps_maker maker; // the command, as in "nd rank"
    const char *const *
        inputs; // paths that the command reads, or lists "A,B"; words that are no paths do no harm
    size_t n_inputs;
};

// A gate that lets everything pass, for files in a folder that only this process uses.
extern const struct pps_gate pps_gate_open;

// Returns PPS_E_INPUT if the file is one of the inputs, or the index or manifest beside one.
PPS_MUST_CHECK enum pps_status pps_gate_check_inputs(const struct pps_gate *gate,
                                                     const char *path, struct pps_error *err);

// Returns PPS_E_INPUT if the file may not be written: it belongs to an input, it exists and may not
// be replaced, or it is no regular file.
PPS_MUST_CHECK enum pps_status pps_gate_check(const struct pps_gate *gate, const char *path,
                                              struct pps_error *err);

// Checks n files that a command will write. Two of them may not have the same path. Entries may be
// NULL.
PPS_MUST_CHECK enum pps_status pps_gate_check_all(const struct pps_gate *gate,
                                                  const char *const *paths, size_t n,
                                                  struct pps_error *err);

// Returns PPS_E_INPUT if writing to path would destroy the file `input` that is read, or the
// index or manifest beside it. Both may be "-" or NULL.
PPS_MUST_CHECK enum pps_status pps_gate_apart(const char *path, const char *input,
                                              struct pps_error *err);
