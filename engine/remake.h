// SPDX-License-Identifier: Apache-2.0
// The experiment of a result, made again from its manifest.
#ifndef PPS_REMAKE_H
#define PPS_REMAKE_H

#include "experiment.h"
#include "manifestread.h"
#include "output.h"

// Whether this program makes the rows that the manifest's program made: same version, and a
// kernel of the same name and version. If not, why (cap bytes) says what differs.
bool pps_remake_possible(const struct pps_said *said,
                         const struct pps_kernel *const *kernels,
                         const char *version,
                         char *why,
                         size_t cap);

// Loads the experiment and requires its digest, points and reasons to be those of the index
// head. PPS_E_INPUT where something it needs is missing (a file of points), PPS_E_WRONG where
// the manifest contradicts itself or the index. Free the experiment in every case.
PPS_MUST_CHECK enum pps_status pps_remake(const struct pps_said *said,
                                          const struct pps_kernel *const *kernels,
                                          const struct pps_index_head *head,
                                          struct pps_experiment **experiment,
                                          struct pps_error *err);

#endif
