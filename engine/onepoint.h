// SPDX-License-Identifier: Apache-2.0
// One point by itself: from key=value words, or from a row of a result and its manifest.
#ifndef PPS_ONEPOINT_H
#define PPS_ONEPOINT_H

#include "kernel.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

// Sets all parameters of point to their defaults.
void pps_point_default(const struct pps_kernel *kernel, double *point);

// Sets one parameter from "key=value".
PPS_MUST_CHECK enum pps_status pps_point_set(const struct pps_kernel *kernel,
                                             const char *word,
                                             double *point,
                                             struct pps_error *err);

struct cJSON;
struct pps_inputs;

// Sets the parameters that the rows of the result at path do not show, as its manifest has them;
// none where manifest is NULL.
PPS_MUST_CHECK enum pps_status pps_point_constants(const struct pps_kernel *kernel,
                                                   const char *path,
                                                   const struct cJSON *manifest,
                                                   double *point,
                                                   struct pps_error *err);

// The point of data row `row` (from 1) of a result. The kernel is the manifest's, or where there
// is no manifest the first that has all of the file's columns; it is given the manifest's
// documents, and lives as long as *inputs, which is NULL or to be closed in every case. Bit p of
// *shown: the row shows parameter p.
PPS_MUST_CHECK enum pps_status pps_point_from_row(const struct pps_kernel *const *kernels,
                                                  const char *path,
                                                  uint64_t row,
                                                  struct pps_inputs **inputs,
                                                  const struct pps_kernel **kernel,
                                                  double *point,
                                                  uint64_t *shown,
                                                  struct pps_error *err);

// PPS_E_INPUT where the kernel's check refuses the point.
PPS_MUST_CHECK enum pps_status pps_point_check(const struct pps_kernel *kernel,
                                               const double *point,
                                               struct pps_error *err);

#endif
