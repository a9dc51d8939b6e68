// SPDX-License-Identifier: Apache-2.0
// A point as text for people: "n=8 gpus=4", as rows show it.
#ifndef PPS_POINTTEXT_H
#define PPS_POINTTEXT_H

#include "experiment.h"

// Writes the parameters that are columns of a row, cut to `cap` bytes with the NUL (cap > 0).
void pps_point_text(const struct pps_experiment *experiment,
                    const double *point,
                    char *out,
                    size_t cap);

#endif
