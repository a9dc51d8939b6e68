// SPDX-License-Identifier: Apache-2.0
// The values in which two configurations differ.
#ifndef PPS_PLANNER_CHECK_DIFFERENCES_H
#define PPS_PLANNER_CHECK_DIFFERENCES_H

#include "base/text/text_buffer.h"
#include "planner/check/trainings.h"

enum { DIFFERENCES_TEXT = 160 };

struct difference {
    char path[96];                    // "baseline.tp"
    char values[2][DIFFERENCES_TEXT]; // as JSON, shortened; "-": none
};

struct differences {
    struct difference *list;
    size_t n, room;
};

// Compares the documents of two trainings. Returns false when out of memory. The caller frees the differences in
// any case.
bool differences_find(struct differences *differences, const struct training_case cases[2]);
void differences_free(struct differences *differences);

// Appends the differences, and both steps by part and cause, as one JSON object.
void differences_json(const struct differences *differences,
                      const struct training_case cases[2],
                      struct text_buffer *out);

#endif
