// SPDX-License-Identifier: Apache-2.0
// The Pareto front of two values: rows that no other row beats, one being better in one value
// and no worse in the other. Smaller is better in both; whoever wants larger ones hands them
// over negated. Of rows equal in both values the first stands for all. Memory grows with the
// front, not with the rows. Not for several threads at once.
#ifndef PPS_FRONT_H
#define PPS_FRONT_H

#include "status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pps_front_row {
    double a, b;
    uint64_t row;   // its number
    uint64_t equal; // rows of these values, this one among them
    char *text;     // n bytes and a NUL; owned by the front
    size_t n;
};

// A zeroed one is empty.
struct pps_front {
    struct pps_front_row *rows; // a front in order of a, then rows that may still leave
    size_t n, n_front, room;
};

void pps_front_free(struct pps_front *front);

// False: another row beats one of these values, so its text need not be made. NAN never is on
// the front.
bool pps_front_would_take(const struct pps_front *front, double a, double b);

// Adds a row (its text is copied) unless another beats it. Numbers ascend from call to call.
PPS_MUST_CHECK enum pps_status pps_front_add(struct pps_front *front,
                                             double a,
                                             double b,
                                             uint64_t row,
                                             const char *text,
                                             size_t n,
                                             struct pps_error *err);

// The *n rows of the front by ascending a, descending b; valid until the next add.
const struct pps_front_row *pps_front_rows(struct pps_front *front, size_t *n);

#endif
