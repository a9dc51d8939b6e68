// SPDX-License-Identifier: Apache-2.0
// Checks that the process can start its threads. Without this check OpenMP ends the program
// with its own message if a thread cannot start.
#ifndef PPS_THREADS_H
#define PPS_THREADS_H

#include "base/text/status.h"

// Starts n - 1 threads beside this one and ends them again. Returns PPS_E_MACHINE if a thread
// cannot start. Takes about 20 us per thread.
PPS_MUST_CHECK enum pps_status pps_threads_check(int n, struct pps_error *err);

#endif
