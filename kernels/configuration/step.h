// SPDX-License-Identifier: Apache-2.0
// Evaluates a configuration: the time of a training step by part, the overhead by cause, and the memory of
// every device of the pipeline by cause. The pipeline is executed operation by operation; what layers,
// exchanges and states cost comes from kernels/common/pipeline and kernels/common/estimate. Times in s,
// memory in bytes.
#pragma once

#include "kernels/common/pipeline/poll.h"
#include "kernels/common/plan/order.h"
#include "kernels/configuration/configuration.h"

#include <stddef.h>

// Parts of the time of a step, which add up to it. All but the last three are means over the devices of a
// pipeline.
enum configuration_time {
    CONFIGURATION_COMPUTE,   // layers and head, without the exchanges below
    CONFIGURATION_TP,        // exchanges of tensor ranks that computation does not hide
    CONFIGURATION_EP,        // of expert ranks
    CONFIGURATION_CP,        // of context ranks
    CONFIGURATION_RECOMPUTE, // layers that are made again, with their exchanges
    CONFIGURATION_IMBALANCE, // a pipeline with equal parts would be so much faster; 0: it would not
    CONFIGURATION_BUBBLE, // devices wait in the faster of this pipeline and one with equal parts, without transfers
    CONFIGURATION_TRANSFER,  // transfers between stages add so much
    CONFIGURATION_REPLICAS,  // exchange of gradients and parameters that is not hidden
    CONFIGURATION_OPTIMIZER, // the optimizer's step
    CONFIGURATION_EMBEDDING, // memory traffic of the embedding
    CONFIGURATION_TIMES,
};

extern const char *const configuration_time_names[CONFIGURATION_TIMES]; // "compute", "tp", ...

// Causes of memory.
enum configuration_memory {
    CONFIGURATION_PARAMETERS,
    CONFIGURATION_GRADIENTS,
    CONFIGURATION_OPTIMIZER_STATE,
    CONFIGURATION_ACTIVATIONS, // what micro-batches in flight keep, at most
    CONFIGURATION_WORKING,     // the layers that are being made again
    CONFIGURATION_LOGITS,
    CONFIGURATION_BUFFERS,       // gathered parameters, buffers of gradients
    CONFIGURATION_FRAGMENTATION, // what the allocator of the stack adds
    CONFIGURATION_RESERVE,       // of the cluster
    CONFIGURATION_MEMORIES,
};

extern const char *const configuration_memory_names[CONFIGURATION_MEMORIES];

// A device of the pipeline.
struct configuration_device {
    double memory[CONFIGURATION_MEMORIES]; // at its peak
    double peak;                           // their sum
    double busy;                           // share of the pipeline's time
};

struct configuration_step {
    double seconds;
    double pipeline; // of this, the pipeline: all parts but the last three
    double times[CONFIGURATION_TIMES];
    struct configuration_device *devices; // [pp]
    int32_t worst;                        // the device with the highest peak
    double peak;                          // of this device
    double mfu, hfu; // model and executed FLOPs a second, of the peak of the devices
    double useful;   // s of a device: layers and head, nothing made again
    double bound;    // s: no order of these parts on these devices makes the pipeline shorter
    // Of one replica; they belong to the step.
    struct pipeline *work;
    struct order *order;
    double *rates;         // of the links of `work`; NULL: none
    double *starts, *ends; // of the operations, at order_at
};

enum configuration_status {
    CONFIGURATION_DONE,
    CONFIGURATION_NO_ORDER, // the family has no order within the memory of the devices, or none for these times
    CONFIGURATION_STOPPED, // by the poll
    CONFIGURATION_NO_MEMORY,
};

// Evaluates a configuration that has passed configuration_check. The caller frees the step with
// configuration_step_free in any case. One thread at a time for one step; the configuration is not changed.
enum configuration_status configuration_step_of(struct configuration_step *step,
                                                const struct configuration *configuration,
                                                struct poll *poll);

// Like configuration_step_of, but executes the pipeline only once: recomputation, imbalance, bubble and
// transfers stay 0, and are part of nothing.
enum configuration_status configuration_step_brief(struct configuration_step *step,
                                                   const struct configuration *configuration,
                                                   struct poll *poll);

// Computes only `pipeline`, `seconds` and the rates. pipeline: the time of the pipeline where it is known from a
// configuration that shares it, else NAN; then no pipeline is executed.
enum configuration_status configuration_step_time(struct configuration_step *step,
                                                  const struct configuration *configuration,
                                                  double pipeline, struct poll *poll);

// Returns whether configurations that differ from this one only in the shards of the optimizer have the same pipeline:
// no order that looks at memory.
bool configuration_shares_pipeline(const struct configuration *c);
void configuration_step_free(struct configuration_step *step);
