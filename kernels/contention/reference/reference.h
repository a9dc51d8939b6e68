// SPDX-License-Identifier: Apache-2.0
// The reference implements the contention model in the slow, obviously correct way: one record
// per task, and every event examines all records. Tests and audits compare with it. It may
// allocate.
#pragma once

#include "kernels/contention/model/model.h"

// Computes the sensitivity with the reference; see contention_sensitivity.
enum contention_status contention_reference_sensitivity(const struct contention_point *point,
                                                        const atomic_bool *stop,
                                                        double *sensitivity);

// Simulates a point. Computes all metrics except sensitivity; ideal_time only with
// want_metrics. `sink` gets the segments in order of start, cut at every event; NULL: none.
// Returns CONTENTION_STUCK if out of memory, and CONTENTION_STOPPED once the stop flag is up
// (NULL: no flag).
enum contention_status contention_reference(const struct contention_point *point,
                                            bool want_metrics,
                                            const struct contention_sink *sink,
                                            const atomic_bool *stop,
                                            struct contention_result *result);
