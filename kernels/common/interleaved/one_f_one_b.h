// SPDX-License-Identifier: Apache-2.0
// Computes the makespan of 1F1B in closed form, in time proportional to the number of stages and
// independent of the number of micro-batches. Transfers take no time here; timed_order.h times them.
//
// Let f, b be the forward and backward time of a stage, c = f + b, C the sum of all c, C(>i) the sum
// over the stages behind stage i, and d(i) = P - 1 - i the number of these stages. The longest path
// enters a stage j, the bottleneck, with its first backward and leaves it with its last forward;
// between them are n(j) = M - P + j rounds of length c(j). The path reaches stage j through forwards
// only, up to the last stage and back, unless it is longer to wait for the slowest forward f(p) of
// the d(q) warm-up forwards in a stage p <= q and turn at stage q >= j. The path leaves stage j
// through backwards in the same way:
//
//   T = C + max over j of [ n(j) c(j) + C(>j) + s(j) + e(j) ]
//   s(j) = max over q >= j of [ d(q) max over p <= q of f(p) - C(>q) ]
//   e(j) = max over q >= j of [ d(q) max over p <= q of b(p) - C(>q) ]      (both at least 0: q = P-1)
//
// No path that moves back and forth between stages is longer: a round trip from stage i to k and
// back replaces k - i + 1 rounds. If M = P, stage 0 has no round, and its forwards or its backwards
// replace the round. Tests compare the formula with the executor.
#pragma once

#include <stdint.h>

// Returns the makespan of M >= P micro-batches; forward, backward: [stages], >= 0. O(stages).
double onefb_makespan(int32_t stages, int32_t micro_batches, const double *forward,
                      const double *backward);
