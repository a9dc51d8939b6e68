// SPDX-License-Identifier: Apache-2.0
// Builds a single point from key=value words, or from a row of a result and its manifest.
#pragma once

#include "base/text/status.h"
#include "ppsweep/kernel.h"

#include <stdint.h>

// Sets all parameters of point to their defaults.
void pps_point_default(const struct pps_kernel *kernel, double *point);

// Sets one parameter from "key=value".
PPS_MUST_CHECK enum pps_status pps_point_set(const struct pps_kernel *kernel, const char *word,
                                             double *point, struct pps_error *err);

struct cJSON;
struct pps_documents;
struct pps_input_words;

// Sets the parameters that the result at path does not show as columns to the constants in its
// manifest. Does nothing if manifest is NULL.
PPS_MUST_CHECK enum pps_status pps_point_constants(const struct pps_kernel *kernel,
                                                   const char *path,
                                                   const struct cJSON *manifest, double *point,
                                                   struct pps_error *err);

// Reads the point of data row `row` (from 1) of a result. The kernel is the manifest's; without
// a manifest, the first kernel that has all columns of the file. The kernel receives the
// documents of the manifest (`words` give the files of those that are too large for it) and stays
// valid until *inputs is closed. The caller closes *inputs
// in every case; it may be NULL. Bit p of *shown is set if the row shows parameter p.
PPS_MUST_CHECK enum pps_status pps_point_from_row(
    const struct pps_kernel *const *kernels, const char *path, uint64_t row,
    const struct pps_input_words *words, struct pps_documents **inputs,
    const struct pps_kernel **kernel, double *point, uint64_t *shown, struct pps_error *err);

// Returns PPS_E_INPUT if the kernel's check rejects the point.
PPS_MUST_CHECK enum pps_status pps_point_check(const struct pps_kernel *kernel,
                                               const double *point, struct pps_error *err);
