// SPDX-License-Identifier: Apache-2.0
// Reads and writes the data files of the kernel's commands: text, tables with places, folders.
#ifndef PPS_NDSEARCH_TOOLIO_H
#define PPS_NDSEARCH_TOOLIO_H

#include "base/table/table.h"
#include "base/text/text_buffer.h"
#include "engine/command/command.h"

enum { ND_PATH = 4096 };

#define ND_DATA_MAX ((size_t)256 << 20) // bytes of a file of data

// A table and its source. All zeros is an empty table.
struct nd_datatable {
    const char *path;
    bool is_json;
    struct pps_json json;
    struct table *table;
};

// Reads CSV, or JSON if the first character is [ or {. The caller frees *data with
// nd_io_table_free() in every case.
PPS_MUST_CHECK enum pps_status nd_io_table(struct nd_datatable *data,
                                           const char *path,
                                           struct pps_error *err);
void nd_io_table_free(struct nd_datatable *data);

// Returns PPS_E_INPUT with the place of a fault in the table.
enum pps_status nd_io_fail(const struct nd_datatable *data,
                           const struct table_fault *fault,
                           struct pps_error *err);
// Returns PPS_E_INPUT with the place of a fault in a document.
enum pps_status nd_io_fail_document(const struct pps_json *json,
                                    const struct docfault *fault,
                                    struct pps_error *err);

// Refuses a folder that cannot be created because the folder, or a parent, is a file or is not
// writable.
PPS_MUST_CHECK enum pps_status nd_io_check_folder(const char *path, struct pps_error *err);

// Refuses a file that exists (unless `force`), a folder, and a file that cannot be created in its
// folder. Leaves no trace of the attempt.
PPS_MUST_CHECK enum pps_status nd_io_check_file(const char *path,
                                                bool force,
                                                struct pps_error *err);

// Writes text to a file that appears only when complete. Frees the text.
PPS_MUST_CHECK enum pps_status nd_io_write(const char *path,
                                           struct textroom *text,
                                           bool force,
                                           struct pps_error *err);

#endif
