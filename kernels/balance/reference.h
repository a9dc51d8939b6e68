// SPDX-License-Identifier: Apache-2.0
// Computes the step time and the peaks of a strategy again by a plain simulation: the oracle of the replay.
#ifndef PPS_BALANCE_REFERENCE_H
#define PPS_BALANCE_REFERENCE_H

#include "kernels/balance/point.h"

// Replaces the makespan, the peaks and the worst stage of the chosen strategy. Allocates. Returns false if the
// poll ended the simulation, or without memory.
bool balance_refer(struct balance_scratch *scratch,
                   const struct balance_point *point,
                   struct poll *poll,
                   struct balance_figures *figures);

#endif
