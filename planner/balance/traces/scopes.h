// SPDX-License-Identifier: Apache-2.0
// Reads the scopes of one trace that lie in counted passes.
#pragma once

#include "planner/balance/traces/layer_times.h"

// A scope of a layer. Times are ns.
struct scope {
    int64_t start, duration;
    int32_t part, name; // of the settings
    int64_t instance;   // number of a body layer; -1: head or tail
    uint32_t thread;    // a hash of its name
    bool backward;      // in a backward pass
};

struct scopes {
    struct scope *list; // [n], without equal ones, those that count
    size_t n, room;
    int64_t steps; // that count
};

// Reads a file. The caller frees the scopes in every case.
PPS_MUST_CHECK enum pps_status scopes_read(struct scopes *scopes, const char *path,
                                           const struct layer_times *settings,
                                           const atomic_bool *stop, struct pps_error *err);
void scopes_free(struct scopes *scopes);
