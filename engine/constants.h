// SPDX-License-Identifier: Apache-2.0
// Which columns hold one value in all rows that were seen, and which it is.
#ifndef PPS_CONSTANTS_H
#define PPS_CONSTANTS_H

#include "result.h"
#include "status.h"
#include "view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct pps_constant {
    char *text; // of the first row; NULL before it
    size_t n;
    bool varied;
};

struct pps_constants {
    struct pps_constant *list; // one a column
    int n;
};

PPS_MUST_CHECK enum pps_status pps_constants_open(struct pps_constants *constants,
                                                  int n_columns,
                                                  struct pps_error *err);
void pps_constants_close(struct pps_constants *constants); // a zeroed one is fine

PPS_MUST_CHECK enum pps_status pps_constants_note(struct pps_constants *constants,
                                                  const struct pps_cell *cells,
                                                  struct pps_error *err);

// "n=8 gpus=4": the parameters that never varied. The caller frees it; NULL: no memory.
char *pps_constants_title(const struct pps_constants *constants, const struct pps_view *view);

#endif
