// SPDX-License-Identifier: Apache-2.0
// Reads batches one by one from a file or stdin, each as soon as its line is complete.
#pragma once

#include "base/text/status.h"
#include "kernels/dynapipe/documents/batch_reader.h"

#include <stdatomic.h>

struct pps_text_source;

// Zeroed before it is opened.
struct batch_source {
    struct pps_text_source *source;
    struct batch_reader *reader;
    char *text; // bytes that are not taken yet: from `at` to n
    size_t at, n, room;
    bool at_end, is_over;
};

// Opens a file; path: or "-". The caller closes the source in every case.
PPS_MUST_CHECK enum pps_status batch_source_open(struct batch_source *source, const char *path,
                                                 const atomic_bool *stop,
                                                 struct pps_error *err);
void batch_source_close(struct batch_source *source);

// Reads until something comes of it: see batch_reader_line. *fed: BATCH_MORE at the end of the input.
PPS_MUST_CHECK enum pps_status batch_source_next(struct batch_source *source,
                                                 struct batch *batch, enum batch_fed *fed,
                                                 struct pps_fault *fault,
                                                 struct pps_error *err);
