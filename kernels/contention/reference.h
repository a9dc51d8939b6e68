// SPDX-License-Identifier: Apache-2.0
// The contention model once more, slow and obviously right: one record a task, each looked
// at at every event. The oracle of the tests; it may allocate.
#ifndef PPS_CONTENTION_REFERENCE_H
#define PPS_CONTENTION_REFERENCE_H

#include "model.h"

// contention_sensitivity by the reference.
enum contention_status contention_reference_sensitivity(const struct contention_point *point,
                                                        const atomic_bool *stop,
                                                        double *sensitivity);

// All metrics but ideal_time and sensitivity are always computed; ideal_time too where want_metrics says so.
// sink: where pieces go, in order of start, cut at every event; NULL: nowhere. Without memory
// it answers CONTENTION_STUCK; once the stop flag is up, CONTENTION_STOPPED (NULL: there is none).
enum contention_status contention_reference(const struct contention_point *point,
                                            bool want_metrics,
                                            const struct contention_sink *sink,
                                            const atomic_bool *stop,
                                            struct contention_result *result);

#endif
