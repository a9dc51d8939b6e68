// SPDX-License-Identifier: Apache-2.0
// What the two files that make up inputs share: inputread.c finds and reads the documents, inputs.c
// opens the kernel with them. Private to these.
#ifndef PPS_INPUTPARTS_H
#define PPS_INPUTPARTS_H

#include "inputs.h"
#include "value.h"

enum { PPS_DOCUMENT_NAME = PPS_CELL_TEXT };

// A document: a file of its own, or a part of the experiment.
struct pps_source {
    int slot;
    char *path;                  // as it was opened; NULL: a part of the experiment
    struct pps_json own;         // of a file; only while the inputs are opened
    const struct pps_json *json; // own, or the experiment's
    const cJSON *root;
    char name[PPS_DOCUMENT_NAME];
};

struct pps_inputs {
    const struct pps_kernel *base;
    struct pps_kernel kernel; // base with params of its own, and `shared`
    struct pps_param *params;
    const char **names[PPS_MAX_SLOTS]; // of a slot's documents, ended with NULL
    double *said[PPS_MAX_SLOTS];       // n_sets values of each of a slot's documents
    struct pps_source *sources;        // slot by slot
    int n, count[PPS_MAX_SLOTS];
    cJSON *resolved;
    bool is_open;
};

struct pps_opening {
    struct pps_inputs *inputs;
    const struct pps_inputs_ask *ask;
    struct pps_error *err;
};

enum pps_status pps_inputs_no_memory(const struct pps_opening *o);

// Reads what the experiment and the command line name into inputs->sources, which has room for all.
PPS_MUST_CHECK enum pps_status pps_inputs_read(struct pps_opening *o);

#endif
