// SPDX-License-Identifier: Apache-2.0
// Data files of the kernel's tools in and out: text, tables with places, folders.
#ifndef PPS_NDSEARCH_TOOLIO_H
#define PPS_NDSEARCH_TOOLIO_H

#include "engine/tool.h"
#include "kernels/common/table.h"
#include "kernels/common/textroom.h"

enum { ND_PATH = 4096 };

// The whole of a file, 256 MiB at most; *text is to be freed.
PPS_MUST_CHECK enum pps_status nd_io_read(char **text,
                                          size_t *n,
                                          const char *path,
                                          struct pps_error *err);

// A table and where it came from. All zero is empty.
struct nd_datatable {
    const char *path;
    bool is_json;
    struct pps_json json;
    struct table *table;
};

// CSV, or JSON where the first character is [ or {. To be freed whatever comes back.
PPS_MUST_CHECK enum pps_status nd_io_table(struct nd_datatable *data,
                                           const char *path,
                                           struct pps_error *err);
void nd_io_table_free(struct nd_datatable *data);

// PPS_E_INPUT at the place of a fault of the table.
enum pps_status nd_io_fail(const struct nd_datatable *data,
                           const struct table_fault *fault,
                           struct pps_error *err);
// At the place of a fault of a document.
enum pps_status nd_io_fail_document(const struct pps_json *json,
                                    const struct docfault *fault,
                                    struct pps_error *err);

// Refuses a folder that cannot be made because it, or one above it, is a file or may not be
// written to.
PPS_MUST_CHECK enum pps_status nd_io_check_folder(const char *path, struct pps_error *err);

// Refuses a file that exists where !force, that is a folder, or that its folder does not take now;
// of what it tries nothing is left.
PPS_MUST_CHECK enum pps_status nd_io_check_file(const char *path,
                                                bool force,
                                                struct pps_error *err);

// Writes text as a file that appears when it is whole; the text is freed.
PPS_MUST_CHECK enum pps_status nd_io_write(const char *path,
                                           struct textroom *text,
                                           bool force,
                                           struct pps_error *err);

#endif
