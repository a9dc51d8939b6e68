// SPDX-License-Identifier: Apache-2.0
// Keeps the Pareto front of two values: the rows that no other row dominates. A row dominates
// another if it is better in one value and not worse in the other. Smaller is better in both
// values; negate a value to prefer larger numbers. The first of several rows with equal values
// represents them all. Memory grows with the front, not with the number of rows. Not
// thread-safe.
#pragma once

#include "base/text/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pps_pareto_front_row {
    double a, b;
    uint64_t row;   // row number
    uint64_t equal; // number of rows with these values, including this row
    char *text;     // n bytes and a NUL; owned by the front
    size_t n;
};

// A zeroed struct is an empty front.
struct pps_pareto_front {
    // sorted front of n_front rows, then rows that may be removed later
    struct pps_pareto_front_row *rows;
    size_t n, n_front, room;
};

// Frees the rows and their texts; a zeroed front is allowed.
void pps_pareto_front_free(struct pps_pareto_front *front);

// Returns false if another row dominates these values; the row's text is not needed then. NAN
// is never on the front.
bool pps_pareto_front_would_take(const struct pps_pareto_front *front, double a, double b);

// Adds a row unless another row dominates it; the text is copied. Row numbers must ascend from
// call to call. Returns PPS_E_MACHINE if memory runs out.
PPS_MUST_CHECK enum pps_status pps_pareto_front_add(struct pps_pareto_front *front, double a,
                                                    double b, uint64_t row, const char *text,
                                                    size_t n, struct pps_error *err);

// Returns the *n rows of the front, sorted by ascending a (and descending b), valid until the
// next call of pps_pareto_front_add.
const struct pps_pareto_front_row *pps_pareto_front_rows(struct pps_pareto_front *front,
                                                         size_t *n);
