// SPDX-License-Identifier: Apache-2.0
// Computes the published price of the parts that are not laid out: `residue` times a period. A
// period is at least the time, on every stage, between the first forwards of the last two parts
// that are laid out. Start times and period are variables, so the price is a linear program
// over the operations of the order.
#pragma once

#include <stdint.h>

// Lengths of the longest paths. A mark is the first forward of a stage in one of the last two
// parts. A path may return from the last mark of a stage to its mark in the part before, for minus
// one period.
struct nd_marks {
    int32_t n;            // stages
    double end;           // to the end, without a return
    const double *arrive; // [n]: from the start to the mark in the last part
    const double *leave;  // [n]: from the mark in the part before to the end
    const double
        *between; // [from][to]: from a mark in the part before to a mark in the last part
};

// Returns the minimum of end + residue * period, and the period (>= 0) of the minimum. room:
// (n + 2)^2 numbers.
double nd_stable(const struct nd_marks *marks, int32_t residue, double *period, double *room);
