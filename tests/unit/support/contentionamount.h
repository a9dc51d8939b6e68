// SPDX-License-Identifier: Apache-2.0
// The number of points that tests of the contention model compare: fewer with sanitizers.
#ifndef PPS_TESTS_CONTENTIONAMOUNT_H
#define PPS_TESTS_CONTENTIONAMOUNT_H

#include <stdint.h>
#include <stdlib.h>

// Returns the number of points to compare; $PPS_RANDOM_POINTS overrides it.
static inline uint64_t n_points(void)
{
    const char *asked = getenv("PPS_RANDOM_POINTS");
    return asked != NULL ? strtoull(asked, NULL, 10) : 20000;
}

// Of so many rounds, usually, as many as go with the number of points; at least one.
static inline int n_rounds(int usual)
{
    const uint64_t n = (uint64_t)usual * n_points() / 20000;
    return n > 1 ? (int)n : 1;
}

#endif
