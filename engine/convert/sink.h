// SPDX-License-Identifier: Apache-2.0
// A sink writes typed rows to an open file in one format.
#pragma once

#include "base/columns/schema.h"
#include "base/text/status.h"
#include "engine/convert/formats.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// What a sink writes and where.
struct pps_sink_target {
    const struct pps_schema *schema;
    const char *metadata; // JSON about the result; "" if nothing is known
    const char *creator;  // "ppsweep version 1.2"
    FILE *out;
    const char *path; // of the file behind `out`, which can be read, too; NULL: stdout
    const atomic_bool *stop;
};

struct pps_format {
    const char *name;
    const char *endings[4]; // of files; ends with NULL
    bool to_stdout;         // can be written to a pipe
    // Writes the start of the file. *sink is the sink's state; after an error there is none.
    enum pps_status (*open)(void **sink, const struct pps_sink_target *target,
                            struct pps_error *err);
    // Writes n > 0 bytes of lines; first_row is the number of the first, from 1.
    enum pps_status (*block)(void *sink, const char *text, size_t n, uint64_t first_row,
                             struct pps_error *err);
    // Writes the end of the file.
    enum pps_status (*finish)(void *sink, struct pps_error *err);
    void (*close)(void *sink);
};

// Appends n bytes to the file. PPS_E_STOPPED after a stop.
PPS_MUST_CHECK enum pps_status pps_sink_write(const struct pps_sink_target *target,
                                              const void *data, size_t n,
                                              struct pps_error *err);
