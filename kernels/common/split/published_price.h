// SPDX-License-Identifier: Apache-2.0
// The price of parts that are not laid out, as published: `residue` times a period that is no
// shorter than what passes, on any stage, from the first forward of the part before the last to
// that of the last. Starts and period are free, so this is a linear program over the task graph.
#ifndef PPS_NDSEARCH_STABLE_H
#define PPS_NDSEARCH_STABLE_H

#include <stdint.h>

// The longest paths that matter: from the start to the mark of a stage in the last part, from
// marks of the part before to marks of the last, and from those of the part before to the end. A
// path may go back from the last mark of a stage to the mark before for minus one period.
struct nd_marks {
    int32_t n;             // stages
    double end;            // the longest path that never goes back
    const double *arrive;  // [n]
    const double *leave;   // [n]
    const double *between; // [n][n]: from, to
};

// Least end + residue * period. *period: that it is reached with; at least 0. room: (n + 2)^2
// numbers.
double nd_stable(const struct nd_marks *marks, int32_t residue, double *period, double *room);

#endif
