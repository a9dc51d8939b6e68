// SPDX-License-Identifier: Apache-2.0
// A sweep of the toy kernel with rows of every kind, for tests.
#pragma once

#include "tests/unit/support/engine/toy_kernel.h"

#include "tests/unit/support/engine/verifying.h"

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

// A stop flag that is never set.
extern const atomic_bool never;

// Writes r.csv with blocks of 3 points.
void write_rows(void);
