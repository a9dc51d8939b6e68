// SPDX-License-Identifier: Apache-2.0
// Runs a function on several threads.
#pragma once

#include "base/text/status.h"

// Calls work(self, i) for i = 0 ... n - 1, each call on its own thread (0 on the calling thread),
// and returns when all have returned. No call starts before all threads exist. Returns
// PPS_E_MACHINE, without a call, if a thread cannot start. Takes about 20 us per thread.
PPS_MUST_CHECK enum pps_status pps_parallel(int n, void (*work)(void *self, int i), void *self,
                                            struct pps_error *err);

// Returns PPS_E_MACHINE if n threads cannot start. OpenMP ends the program with its own message
// in that case.
PPS_MUST_CHECK enum pps_status pps_threads_check(int n, struct pps_error *err);
