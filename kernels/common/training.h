// SPDX-License-Identifier: Apache-2.0
// How a model is trained, whatever the parallel strategy: batch, bytes a parameter, sharding level.
#ifndef PPS_TRAINING_H
#define PPS_TRAINING_H

#include "docfault.h"

#include <stdbool.h>
#include <stdint.h>

enum { TRAINING_MBS_MAX = 16 };

enum training_schedule {
    TRAINING_ANY_SCHEDULE, // by the number of virtual chunks
    TRAINING_1F1B,         // one chunk a stage
    TRAINING_VPP,          // interleaved: two chunks or more
};

struct training {
    int64_t gbs;                   // sequences a step
    int64_t mbs[TRAINING_MBS_MAX]; // micro-batch sizes to try
    int n_mbs;
    int zero_level;             // 0 none, 1 optimizer, 2 and gradients, 3 and parameters
    bool distributed_optimizer; // false: no sharding at all
    double bytes_param, bytes_grad, bytes_optim; // a parameter
    bool expert_tensor_parallel; // experts are split over tp too (etp = tp); otherwise etp = 1
    bool flash_attention;
    bool fused_cross_entropy;
    enum training_schedule schedule;
    bool low_mem_vpp; // the interleaved order that warms up less
    bool dummy_wgrad; // gradients are accumulated in the product: a buffer a matrix shape
};

// Whether a pipeline of so many stages may have so many chunks on each.
static inline bool training_allows_chunks(const struct training *training,
                                          int64_t stages,
                                          int64_t chunks)
{
    return training->schedule == TRAINING_1F1B  ? chunks == 1
           : training->schedule == TRAINING_VPP ? chunks > 1 || stages == 1
                                                : true;
}

struct cJSON;
struct docfields;

void training_default(struct training *training);
// What the document does not say keeps its value. Unknown keys are refused.
bool training_read(struct training *training,
                   const struct cJSON *document,
                   struct docfault *fault);

// Keys that training_read takes.
const struct docfields *training_keys(void);

#endif
