// SPDX-License-Identifier: Apache-2.0
// What a block will cost, by the kernel's `cost` of some of its points: of all, where they are few.
#ifndef PPS_FORETELL_H
#define PPS_FORETELL_H

#include "experiment.h"
#include "schedule.h"

// Of the n >= 1 points from number `first` on; the same every time. The cursor moves.
struct pps_foretold pps_foretell(struct pps_cursor *cursor,
                                 const struct pps_experiment *experiment,
                                 uint64_t first,
                                 uint64_t n);

#endif
