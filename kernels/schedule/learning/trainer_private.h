// SPDX-License-Identifier: Apache-2.0
// The state of a trainer, which its files share.
#ifndef PPS_SCHEDULE_LEARNING_TRAINER_PRIVATE_H
#define PPS_SCHEDULE_LEARNING_TRAINER_PRIVATE_H

#include "kernels/schedule/learning/trainer.h"

struct trainer {
    struct trainer_options options;
    int threads;
    struct episode **episode;      // [threads]
    struct episode_log *logs;      // [problems]
    struct episode_result *result; // [problems or validation]
    struct ppo *ppo;
    struct ppo_state state, before; // before: the state before the batch
    double *best;
    struct trainer_value best_value;
    struct trainer_batch *curve; // [batches of the training]
    int64_t done;
    size_t bytes;
    void *memory;
};

#endif
