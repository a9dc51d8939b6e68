// SPDX-License-Identifier: Apache-2.0
// Several verified results as shards of one experiment: are they all there?
#ifndef PPS_VERIFYSHARDS_H
#define PPS_VERIFYSHARDS_H

#include "verify.h"

#include <stddef.h>

// False unless all n (> 0) results are shards of one experiment cut into equally many. *here is
// the number of different ones, *missing the first that is not among them (where some is).
// Changes the order of the results.
bool pps_shards_together(struct pps_verified *verified,
                         size_t n,
                         uint32_t *here,
                         uint32_t *missing);

#endif
