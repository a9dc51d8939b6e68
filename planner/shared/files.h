// SPDX-License-Identifier: Apache-2.0
// Reads and writes data files of planners: tables with the place of every value, texts, and
// output folders.
#pragma once

#include "base/document/json.h"
#include "base/table/table.h"
#include "base/text/text_buffer.h"
#include "base/write/gate.h"
#include "engine/command/command.h"
#include "kernels/common/plan/plan.h"

// ---- plan file ----------------------------------------------------------------------------------

// Reads a file ("-": a plan from standard input). cluster: a file or a name, which prices a training, also that of a
// plan, on other devices; NULL: the plan as it is, and for a training the devices that it names, else H100. The
// caller frees the plan with plan_free and the document of a plan with pps_json_free; after an error there is
// nothing to free. *json is empty for a training.
PPS_MUST_CHECK enum pps_status plan_file_read(struct plan **plan, struct pps_json *json,
                                              const char *path, const char *cluster,
                                              struct pps_error *err);

// ---- files --------------------------------------------------------------------------------------

enum { PLAN_PATH = 4096 };

#define PLAN_DATA_MAX ((size_t)256 << 20) // bytes of a file of data

// A table and its source. All zeros is an empty table.
struct plan_table {
    const char *path;
    bool is_json;
    struct pps_json json;
    struct table *table;
};

// Reads CSV, or JSON if the first character is [ or {. The caller frees *data with
// plan_table_free() in every case.
PPS_MUST_CHECK enum pps_status plan_table_read(struct plan_table *data, const char *path,
                                               struct pps_error *err);
void plan_table_free(struct plan_table *data);

// Returns PPS_E_INPUT with the place of a fault in the table.
enum pps_status plan_fail_table(const struct plan_table *data, const struct pps_fault *fault,
                                struct pps_error *err);
// Returns PPS_E_INPUT with the place of a fault in a document. A fault without text is a lack of memory.
enum pps_status plan_fail_document(const struct pps_json *json, const struct pps_fault *fault,
                                   struct pps_error *err);

enum { PLAN_DOUBTS_MOST = 64 };

// Prints a warning with its place for each of n doubts in a document.
void plan_warn(const struct pps_json *json, const struct pps_fault *doubts, int n);

// Refuses a folder that cannot be created because the folder, or a parent, is a file or is not
// writable.
PPS_MUST_CHECK enum pps_status plan_check_folder(const char *path, struct pps_error *err);

// Refuses a file that exists (unless `force`), a folder, and a file that cannot be created in its
// folder. Leaves no trace of the attempt.
PPS_MUST_CHECK enum pps_status plan_check_file(const char *path, const struct pps_gate *gate,
                                               struct pps_error *err);

// Writes text to a file that appears only when complete. Frees the text.
PPS_MUST_CHECK enum pps_status plan_write_text(const char *path, struct text_buffer *text,
                                               const struct pps_gate *gate,
                                               struct pps_error *err);
