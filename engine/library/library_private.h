// SPDX-License-Identifier: Apache-2.0
// Declares structs and functions that the files of the C library share. Private to this folder.
#pragma once

#include "base/text/status.h"
#include "engine/experiment/experiment.h"
#include "engine/library/errors.h"
#include "engine/run/audit.h"
#include "ppsweep.h"
#include "ppsweep/kernel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct ppsweep_stop {
    atomic_bool raised;
};

// ---- error.c ----

// Starts a thread that leaves signals to the caller's threads. Returns 0 or an errno.
int pps_library_thread(pthread_t *thread, void *(*work)(void *), void *self);

// ---- model ----

// The numbers that a parameter allows: low to high, whole numbers only if `whole`, and the names
// -1 ... name_low of a real with names.
struct pps_limits {
    double low, high, name_low;
    bool whole;
};

static inline bool pps_limits_allow(const struct pps_limits *limits, double x)
{
    if (x >= limits->low && x <= limits->high)
        return !limits->whole || x == (double)(int64_t)x;
    return x <= -1 && x >= limits->name_low && x == (double)(int64_t)x;
}

struct pps_workspace;

struct ppsweep_model {
    const struct pps_kernel *kernel; // with the documents read
    struct pps_documents *inputs;
    bool exact;
    uint64_t point_limit;
    int threads; // CPUs this process may use
    struct pps_option_value options[PPS_MAX_OPTIONS];
    uint64_t combinations;
    uint64_t by_document; // parameters that documents set, one bit each
    uint64_t by_choice;   // of these, parameters with several documents to choose from
    double highest[PPS_MAX_PARAMS]; // of values that are not given: defaults, all documents
    struct pps_limits limits[PPS_MAX_PARAMS];
    struct ppsweep_param params[PPS_MAX_PARAMS];
    char domains[PPS_MAX_PARAMS][PPS_DOMAIN];
    struct ppsweep_column columns[PPS_MAX_COLUMNS];
    double *defaults;           // n_params arrays of PPS_BATCH equal values
    pthread_mutex_t lock;       // of `idle`
    struct pps_workspace *idle; // of threads that are not evaluating
};

// ---- parameters.c ----

// Fills the descriptions of parameters and columns.
void pps_model_describe(struct ppsweep_model *model);

// ---- workspace.c ----

// The memory of one thread of an evaluation.
enum { PPS_WINDOW = 1024 };
struct pps_workspace {
    struct pps_workspace *next;
    void *scratch;
    size_t scratch_bytes;
    double *values;  // n_params arrays of PPS_BATCH
    double *results; // n_columns arrays of PPS_BATCH
    char *texts;     // PPS_BATCH texts of each text column
    uint8_t outcome[PPS_BATCH];
    int refused[PPS_WINDOW];    // the parameter at fault of each point of a window; -1: none
    int reason[PPS_WINDOW];     // the rule that excludes the point, if in range; 0: none
    uint32_t valid[PPS_WINDOW]; // numbers of the window's valid points
    double highest[PPS_MAX_PARAMS]; // maxima of their parameters, or more
};

// Takes a workspace of the model that no other thread uses. Returns NULL if memory runs out.
struct pps_workspace *pps_workspace_take(struct ppsweep_model *model);
void pps_workspace_give_back(struct ppsweep_model *model, struct pps_workspace *workspace);
void pps_workspaces_free(struct pps_workspace *idle);
