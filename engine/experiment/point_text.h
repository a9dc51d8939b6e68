// SPDX-License-Identifier: Apache-2.0
// Formats a point for people: "n=8 gpus=4", with the columns of a row.
#ifndef PPS_POINTTEXT_H
#define PPS_POINTTEXT_H

#include "engine/experiment/experiment.h"

// Writes the parameters that are columns of a row, truncated to `cap` bytes with the NUL (cap >
// 0).
void pps_point_text(const struct pps_experiment *experiment,
                    const double *point,
                    char *out,
                    size_t cap);

#endif
