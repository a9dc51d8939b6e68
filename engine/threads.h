// SPDX-License-Identifier: Apache-2.0
// Whether this process may have its threads. OpenMP ends the program, with words of its own,
// where it cannot start one.
#ifndef PPS_THREADS_H
#define PPS_THREADS_H

#include "status.h"

// Starts n - 1 threads beside this one and ends them again; PPS_E_MACHINE where that fails. Takes
// some 20 us a thread.
PPS_MUST_CHECK enum pps_status pps_threads_check(int n, struct pps_error *err);

#endif
