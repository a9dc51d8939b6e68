// SPDX-License-Identifier: Apache-2.0
// Calls a kernel, and notes a lack of memory.
#include "engine/experiment/kernel_calls.h"

#include "base/text/status.h"

static enum pps_outcome noted(enum pps_outcome outcome)
{
    if (outcome != PPS_NO_MEMORY)
        return outcome;
    pps_memory_note();
    return PPS_FAILED;
}

static void note_all(const struct pps_batch *batch)
{
    for (size_t i = 0; i < batch->n_points; i++)
        batch->outcome[i] = (uint8_t)noted((enum pps_outcome)batch->outcome[i]);
}

void pps_kernel_run(const struct pps_kernel *kernel, const struct pps_batch *batch,
                    const struct pps_worker *worker)
{
    kernel->run(batch, worker);
    note_all(batch);
}

void pps_kernel_reference(const struct pps_kernel *kernel, const struct pps_batch *batch,
                          const struct pps_worker *worker)
{
    kernel->reference(batch, worker);
    note_all(batch);
}

enum pps_outcome pps_kernel_trace(const struct pps_kernel *kernel, const double *point,
                                  const struct pps_worker *worker,
                                  const struct pps_trace_sink *sink)
{
    return noted(kernel->trace(point, worker, sink));
}

enum pps_outcome pps_kernel_artifact(const struct pps_kernel *kernel, const double *point,
                                     int which, const struct pps_worker *worker,
                                     const struct pps_text_sink *sink, struct pps_fault *fault)
{
    return noted(kernel->artifact(point, which, worker, sink, fault));
}
