// SPDX-License-Identifier: Apache-2.0
// Holds a policy: how every device of a pipeline chooses its next operation while a step runs. Reads and
// writes policies as JSON documents:
//
//   {"ppsweep_policy": 1, "kind": "static"}
//   {"ppsweep_policy": 1, "kind": "robust", "replicates": 256, "budget": 2000}
//   {"ppsweep_policy": 1, "kind": "w_floats", "lag": 0, "ahead": "unlimited"}
//   {"ppsweep_policy": 1, "kind": "pull", "threshold": 0.5, "lag": 0, "ahead": "unlimited"}
//   {"ppsweep_policy": 1, "kind": "learned",
//    "guide": {"threshold": 0.5, "lag": 0, "ahead": "unlimited"},
//    "shape": {"candidate": 22, "state": 29, "widths": [64, 64]},
//    "weights": [0.01, ...], "training": {...}}
//
// ppsweep_policy is the version of this form. Every kind may have the keys "name", "comment" and
// "training", an object that says where the parameters come from. Numbers have the fewest digits that
// read back as the same number.
#pragma once

#include "base/text/text_buffer.h"
#include "kernels/schedule/online/pull.h"
#include "kernels/schedule/policy/network.h"
#include "ppsweep/fault.h"

struct cJSON;

enum { POLICY_VERSION = 1 };

enum policy_kind {
    POLICY_STATIC, // the order as it is
    POLICY_ROBUST, // as it is, in an order that is chosen by its mean over replicates (robust.h)
    POLICY_W_FLOATS, // F and B in order; W's move without an estimate of arrivals
    POLICY_PULL,     // F and B in order; W's move into waits
    POLICY_LEARNED,  // networks choose
    POLICY_KINDS,
};

extern const char *const policy_kind_names[POLICY_KINDS]; // "static", "robust", ...

struct policy {
    enum policy_kind kind;
    struct pull_rule rule;      // of the kinds that run an order; learned: of the guide
    int32_t replicates;         // robust: replicates of the choice
    int64_t budget;             // robust: neighbours that are tried
    struct network_shape shape; // learned
    double *parameters;         // learned: [network_parameters]
    struct cJSON *training;     // NULL: none
};

// Makes a policy of a kind with its usual parameters; learned: for networks of a shape, all parameters 0.
// shape: NULL for the other kinds. The caller frees it with policy_free. NULL: out of memory.
struct policy *policy_new(enum policy_kind kind, const struct network_shape *shape);
void policy_free(struct policy *policy); // NULL is allowed

// Reads a policy. NULL: a fault, or out of memory if fault->text is empty.
struct policy *policy_read(const struct cJSON *root, struct pps_fault *fault);

// Appends the policy as a document; out->failed: out of memory.
void policy_write(const struct policy *policy, struct text_buffer *out);
