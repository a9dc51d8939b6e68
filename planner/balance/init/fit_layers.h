// SPDX-License-Identifier: Apache-2.0
// Makes the layers of a model from an init file: memory is decomposed, times are given or come from traces.
#pragma once

#include "base/document/json.h"
#include "base/write/gate.h"
#include "planner/balance/init/memory_fit.h"

#include <stdio.h>

// An init file that was read. A zeroed struct is empty.
struct init_file {
    struct pps_json json; // whose texts `init` uses
    struct balance_init init;
    struct memory_fit fit;
};

// Reads an init file (.yaml, .yml) and decomposes its memory; prints warnings for keys without a meaning. After an error there is
// nothing to free.
PPS_MUST_CHECK enum pps_status init_file_read(struct init_file *file, const char *path,
                                              struct pps_error *err);
void init_file_free(struct init_file *file);

// Makes the layers. name: of the model.
PPS_MUST_CHECK enum pps_status init_file_layers(const struct init_file *file, const char *name,
                                                struct balance_layers *layers,
                                                struct pps_error *err);

// Writes the layers as JSON, and prints the path. A file with other contents is kept, unless `force`.
PPS_MUST_CHECK enum pps_status init_file_write(const struct balance_layers *layers,
                                               const char *path, const struct pps_gate *gate,
                                               struct pps_error *err);

// Prints the decomposition: its unknowns, the residual of every stage, and how far it can be trusted.
void init_file_show(const struct init_file *file, FILE *out);
