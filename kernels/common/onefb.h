// SPDX-License-Identifier: Apache-2.0
// How long 1F1B takes, in closed form: no matter how many micro-batches, the work is that of the
// stages. Transfers take no time here; timeline.h times them.
//
// Write f, b for the forward and backward of a stage, c = f + b, C for the sum of all c, C(>i) for
// those behind stage i, d(i) = P - 1 - i for their number. The longest path enters a stage j, the
// bottleneck, with its first backward and leaves it with its last forward; between them lie n(j) =
// M - P + j rounds c(j). It gets there through forwards only, up to the last stage and back, unless
// it is longer to wait for the slowest forward f(p) of the d(q) warm-up forwards in a stage
// p <= q and turn at stage q >= j; and leaves in the same way through backwards:
//
//   T = C + max over j of [ n(j) c(j) + C(>j) + s(j) + e(j) ]
//   s(j) = max over q >= j of [ d(q) max over p <= q of f(p) - C(>q) ]
//   e(j) = max over q >= j of [ d(q) max over p <= q of b(p) - C(>q) ]      (both at least 0: q = P-1)
//
// No path that goes back and forth between stages is longer: a round trip from stage i up to k and
// back takes the place of k - i + 1 rounds. Where M = P stage 0 has no round, and its forwards or
// its backwards stand for it. Found by this argument and held by tests against the task graph.
#ifndef PPS_ONEFB_H
#define PPS_ONEFB_H

#include <stdint.h>

// Makespan of M >= P micro-batches; forward, backward: [stages], >= 0. O(stages).
double onefb_makespan(int32_t stages,
                      int32_t micro_batches,
                      const double *forward,
                      const double *backward);

#endif
