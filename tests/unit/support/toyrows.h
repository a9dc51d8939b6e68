// SPDX-License-Identifier: Apache-2.0
// A sweep of the toy kernel with rows of every kind, for tests.
#ifndef TEST_TOYROWS_H
#define TEST_TOYROWS_H

#include "toykernel.h"

#include "verifying.h"

// Six things in a room of 60: from x = 11 on the room is too small, x = 13 always fails, and x
// = 51 is an invalid point.
#define BOXES(kernel_, box_, x_)                                                               \
    "{\"kernel\": \"" kernel_ "\", \"inputs\": {\"box\": " box_                                \
    ", \"place\": {\"room\": 60}}, "                                                           \
    "\"x\": " x_ "}"
#define BOX        "{\"size\": 2, \"weight\": 3}"
#define EXPERIMENT BOXES("toy", BOX, "[1, 2, 5, 8, 10, 11, 12, 13, 14, 51]")
#define HEADER     "x,time,answer,need\n"
#define ROWS                                                                                   \
    "1,6.00,yes,6\n2,3.00,yes,12\n5,1.20,yes,30\n8,0.75,yes,48\n10,0.60,yes,60\n"              \
    "11,,no,66\n12,,no,72\n13,,,\n14,,no,84\n"

static const atomic_bool never __attribute__((unused));

static inline void write_plan(const struct result_plan *plan)
{
    write_result(plan);
}

// Writes r.csv with blocks of 3 points.
static inline void write_rows(void)
{
    write_plan(&(struct result_plan){"r.csv", EXPERIMENT, "none", 3, 0, 0, NULL, NULL});
}

#endif
