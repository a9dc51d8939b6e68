// SPDX-License-Identifier: Apache-2.0
// Rebuilds the experiment of a result from its manifest.
#pragma once

#include "engine/experiment/experiment.h"
#include "engine/manifest/manifest_read.h"
#include "engine/store/output.h"

// Returns whether this program computes the same rows as the program that wrote the manifest:
// same version, and a kernel of the same name and version. If not, why (cap bytes) describes
// the difference.
bool pps_experiment_again_possible(const struct pps_manifest_facts *said,
                                   const struct pps_kernel *const *kernels, const char *version,
                                   char *why, size_t cap);

// Loads the experiment and compares its digest, points and reasons with the index head. `inputs`
// give the files of the documents that are too large for the manifest. Returns PPS_E_INPUT if a
// required file (a file of points, a large document) is missing, PPS_E_WRONG if the manifest
// contradicts itself or the index. After an error there is nothing to free.
PPS_MUST_CHECK enum pps_status pps_experiment_again(const struct pps_manifest_facts *said,
                                                    const struct pps_kernel *const *kernels,
                                                    const struct pps_index_head *head,
                                                    const struct pps_input_words *inputs,
                                                    struct pps_experiment **experiment,
                                                    struct pps_error *err);
