// SPDX-License-Identifier: Apache-2.0
// Reads a manifest strictly: its digest must match every byte, and every member that describes
// the result must be present. (manifest_file.h reads one that lacks members.)
#pragma once

#include "base/text/status.h"
#include "engine/experiment/experiment.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The members of a manifest. Strings and items belong to root. Counts are doubles, as JSON has
// them.
struct pps_manifest_facts {
    char *name; // for errors
    cJSON *root;
    const char *version; // of ppsweep
    const char *kernel, *kernel_version, *codec;
    uint64_t digest; // of the experiment
    const cJSON *experiment, *parameters, *columns, *left_out;
    bool exact;
    uint64_t point_limit; // 0: none
    const char *only;     // which of the rows are the best ones it keeps; NULL: all rows
    double points, rows, failed, infeasible, block_points, text_bytes, data_bytes;
};

// Reads the file. PPS_E_INPUT where there is none, PPS_E_WRONG with the first thing that is not
// as it should be. Free what it said in every case.
PPS_MUST_CHECK enum pps_status pps_manifest_facts_read(struct pps_manifest_facts *said,
                                                       const char *path, struct pps_error *err);

// The same of a text of n bytes; name stands for the file in errors.
PPS_MUST_CHECK enum pps_status pps_manifest_facts_parse(struct pps_manifest_facts *said,
                                                        const char *name, const char *text,
                                                        size_t n, struct pps_error *err);

void pps_manifest_facts_free(struct pps_manifest_facts *said); // a zeroed one is fine

// The names of its parameters and columns as the header line of the rows, with a newline; the
// caller frees it. NULL without memory.
char *pps_manifest_facts_header(const struct pps_manifest_facts *said);

// The decimals of result column i, PPS_FULL_DIGITS for full.
int pps_manifest_facts_decimals(const struct pps_manifest_facts *said, int i);

// Returns the points skipped for the i-th reason, and the reason; false after the last reason.
bool pps_manifest_facts_left_out(const struct pps_manifest_facts *said, int i,
                                 const char **reason, double *n);
