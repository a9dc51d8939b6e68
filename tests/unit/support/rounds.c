// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/support/rounds.h"

#include <stdlib.h>

uint64_t n_points(void)
{
    const char *asked = getenv("PPS_RANDOM_POINTS");
    return asked != NULL ? strtoull(asked, NULL, 10) : 20000;
}

uint64_t first_point(void)
{
    const char *seed = getenv("PPS_RANDOM_SEED");
    return seed != NULL ? strtoull(seed, NULL, 10) << 24 : 0;
}

int n_rounds(int usual)
{
    const uint64_t n = (uint64_t)usual * n_points() / 20000;
    return n > 1 ? (int)n : 1;
}

int n_cases(int all)
{
    const int n = n_rounds(all);
    return n < all ? n : all;
}
