// SPDX-License-Identifier: Apache-2.0
// Calls a kernel for points. A point for which memory ran out (PPS_NO_MEMORY) is PPS_FAILED for the caller, and
// pps_memory_failed remembers it: the command ends with "out of memory", as after a failed allocation of its own.
#pragma once

#include "ppsweep/kernel.h"

void pps_kernel_run(const struct pps_kernel *kernel, const struct pps_batch *batch,
                    const struct pps_worker *worker);
void pps_kernel_reference(const struct pps_kernel *kernel, const struct pps_batch *batch,
                          const struct pps_worker *worker);
enum pps_outcome pps_kernel_trace(const struct pps_kernel *kernel, const double *point,
                                  const struct pps_worker *worker,
                                  const struct pps_trace_sink *sink);
enum pps_outcome pps_kernel_artifact(const struct pps_kernel *kernel, const double *point,
                                     int which, const struct pps_worker *worker,
                                     const struct pps_text_sink *sink, struct pps_fault *fault);
