// SPDX-License-Identifier: Apache-2.0
// Reads the totals of a complete result from its rows and its index, and from its manifest
// where rows do not show them. A repeated run prints the totals as its summary.
#pragma once

#include "engine/run/sweep.h"

#include <cjson/cJSON.h>

struct pps_finished_result {
    struct pps_totals totals; // times: of the run that made the result
    bool has_index;           // false: the index is missing, and only the manifest was read
    double audit;             // fraction of the rows that was audited; 0: none
    const char *reuse;        // the earlier result that rows were taken from; or NULL
    uint64_t data_bytes;
    int threads;
    cJSON *manifest;
};

// Reads the complete result of this sweep at path. PPS_E_INPUT or PPS_E_WRONG if it is damaged.
// Reading ends early, without an error, if the stop flag of the sweep is raised:
// totals.complete is then false. The caller calls pps_finished_result_free in every case.
PPS_MUST_CHECK enum pps_status pps_finished_result_read(const struct pps_sweep *sweep,
                                                        const char *path,
                                                        struct pps_finished_result *finished,
                                                        struct pps_error *err);
void pps_finished_result_free(struct pps_finished_result *finished); // a zeroed one is fine
