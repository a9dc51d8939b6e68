// SPDX-License-Identifier: Apache-2.0
// Reads files of strategies that users write (kernels/balance/documents/manual_read.h).
#pragma once

#include "base/text/status.h"
#include "kernels/balance/documents/manual_read.h"
#include "planner/shared/document_read.h"

struct balance_manual_file {
    struct plan_document document;
    struct balance_manual manual; // names belong to the document
};

// Reads YAML, JSON or TOML by the ending of the path; without a known ending, YAML. Warns on stderr about each unknown
// key. Entries may be wrong: see balance_manual_file_fail. After an error there is nothing to free.
PPS_MUST_CHECK enum pps_status balance_manual_file_read(struct balance_manual_file *file,
                                                        const char *path,
                                                        const struct balance_layers *layers,
                                                        int32_t stages, int32_t chunks,
                                                        struct pps_error *err);
void balance_manual_file_free(struct balance_manual_file *file); // a zeroed struct is allowed

// Returns PPS_OK for a right entry; otherwise PPS_E_INPUT with file, line and column. Other entries can be used.
PPS_MUST_CHECK enum pps_status balance_manual_file_fail(const struct balance_manual_file *file,
                                                        int32_t entry, struct pps_error *err);

// Prints what is wrong with each wrong entry, and returns PPS_E_INPUT with their number; PPS_OK: all are right.
PPS_MUST_CHECK enum pps_status balance_manual_file_check(const struct balance_manual_file *file,
                                                         struct pps_error *err);
