// SPDX-License-Identifier: Apache-2.0
// Formats a point for people: "n=8 gpus=4", with the columns of a row.
#pragma once

#include "engine/experiment/experiment.h"
#include "engine/space/value.h"

enum { PPS_POINT_WORD = 2 * PPS_CELL_TEXT };

// Writes "name=value" of a column of a row.
void pps_point_word(const struct pps_experiment *experiment, const double *point, int column,
                    char word[PPS_POINT_WORD]);

// Writes the parameters that are columns of a row, truncated to `cap` bytes with the NUL (cap >
// 0).
void pps_point_text(const struct pps_experiment *experiment, const double *point, char *out,
                    size_t cap);

// Returns PPS_E_POINTS with the parameter values of point `index`, which the kernel could not
// finish.
PPS_MUST_CHECK enum pps_status pps_fail_point(const struct pps_experiment *e, uint64_t index,
                                              struct pps_error *err);
