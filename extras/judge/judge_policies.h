// SPDX-License-Identifier: Apache-2.0
// Reads the policies that the command line names, and those that come with the program.
#pragma once

#include "base/document/json.h"
#include "engine/command/command.h"
#include "kernels/schedule/point.h"
#include "kernels/schedule/table.h"

enum { JUDGE_POLICIES_MAX = 32 };

struct judge_policy {
    char label[64]; // the name of the file, without folder and ending; or the kind
    struct policy *policy;
};

// A zeroed struct has no policies.
struct judge_policies {
    struct judge_policy list[JUDGE_POLICIES_MAX];
    int n;
    struct network_shape widest; // at least as wide as the networks of all learned policies
    const double *value;         // of the kernel's parameters: threshold and lag
};

// Reads all words of the command line; without words: pull, and the policies that come with the program. The
// caller frees the policies in every case.
PPS_MUST_CHECK enum pps_status judge_policies_read(struct judge_policies *policies,
                                                   const double value[N_PARAMS],
                                                   const struct pps_args *args,
                                                   struct pps_error *err);
void judge_policies_free(struct judge_policies *policies);
