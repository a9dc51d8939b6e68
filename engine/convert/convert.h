// SPDX-License-Identifier: Apache-2.0
// Converts a result to another format, row group by row group, in constant memory. The file appears
// under its name only when it is complete.
#pragma once

#include "base/text/status.h"
#include "base/write/gate.h"
#include "engine/read/view.h"

#include <stdint.h>

struct pps_convert_ask {
    struct pps_view_ask view;
    const char *columns;         // names, separated by commas; NULL: all
    const char *output;          // "-": stdout
    const char *format;          // "parquet"; NULL: by the ending of the output
    uint64_t group_rows;         // rows of a row group, 0: the default
    const char *version;         // of ppsweep
    const struct pps_gate *gate; // of the output
};

struct pps_converted {
    uint64_t rows;
    int columns;
    uint64_t bytes; // of the file; 0: unknown
};

// Writes the file. PPS_E_INPUT for an unknown format, for a format that cannot go to stdout, and for a
// result that cannot be read.
PPS_MUST_CHECK enum pps_status pps_convert(const struct pps_convert_ask *ask,
                                           struct pps_converted *done, struct pps_error *err);
