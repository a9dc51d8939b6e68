// SPDX-License-Identifier: Apache-2.0
// Trains a policy batch by batch, by one of three methods: policy iteration with rollouts (gain.h), proximal
// policy optimisation (ppo.h), or evolution (evolution.h). The state after a number of batches is a function of the options alone: the
// number of threads and interruptions change nothing. Replicates of training lie below 2^30, those of
// validation from 2^30 on; from 2^31 on they are left for tests.
#pragma once

#include "extras/learning/descent.h"

#include <stddef.h>

enum {
    TRAINER_PROBLEMS_MAX = 1024,  // of a batch
    TRAINER_LIMIT = 2,            // percent
    TRAINER_NUMBERS_MAX = 1 << 27 // problems of a training: EXECUTOR_LANES replicates each
};

enum trainer_method { TRAINER_ROLLOUTS, TRAINER_PPO, TRAINER_EVOLUTION, TRAINER_METHODS };

extern const char *const trainer_method_names[TRAINER_METHODS]; // "rollouts", "ppo", "es"

struct trainer_options {
    enum trainer_method method;
    struct problem_space space;
    struct network_shape shape;
    struct pull_rule guide;
    uint64_t seed;
    double beta;      // at the start
    double rate;      // of Adam, at the start; falls linearly to a tenth
    double entropy;   // weight at the start; falls linearly to a tenth
    int32_t problems; // of a batch, of EXECUTOR_LANES episodes each; evolution: for each member
    int64_t batches;  // of the whole training
    int32_t validation;             // problems of a validation
    int32_t batches_per_validation; // the last batch is always validated
};

// Options as in model.md, Learning, for a number of episodes.
struct trainer_options trainer_default(enum trainer_method method, int64_t episodes);

// Returns the episodes of a batch.
int32_t trainer_episodes(const struct trainer_options *options);

// Returns what is wrong with the options, as a sentence without a full stop; NULL if nothing is.
const char *trainer_misfit(const struct trainer_options *options);

// Makespans against those of the guide, in percent of the work of the busiest device; negative: faster.
struct trainer_value {
    double mean, half_width; // 95 % interval over problems
    double
        limited; // mean with at most TRAINER_LIMIT for a problem; chooses the best parameters
    double won, lost; // parts of the replicates
    int64_t replicates;
};

struct trainer_batch {
    int64_t batch; // from 1
    double mean;   // of the episodes of the batch; all but those of rollouts explore
    double kl, entropy, clipped;
    double gain;                     // rollouts: expected at a decision, in periods
    struct trainer_value validation; // replicates 0: not validated
};

struct trainer;

// Returns NULL if memory runs out. The caller frees the trainer with trainer_free.
struct trainer *trainer_new(const struct trainer_options *options, int threads);
void trainer_free(struct trainer *trainer);

size_t trainer_bytes(const struct trainer *trainer); // of memory

int64_t trainer_batches(const struct trainer *trainer); // done

// Trains by one batch, on all threads. Returns false if the poll ended it: the state is that before the
// batch. The poll is called by one thread at a time.
bool trainer_run(struct trainer *trainer, struct poll *poll, struct trainer_batch *batch);

// The parameters with the best validation so far, [network_parameters]; before the first validation those
// of the guide. *value: may be NULL.
const double *trainer_best(const struct trainer *trainer, struct trainer_value *value);

// Returns the guide of these parameters.
struct pull_rule trainer_best_guide(const struct trainer *trainer);

// All batches so far, [trainer_batches].
const struct trainer_batch *trainer_curve(const struct trainer *trainer);

// Writes the state for trainer_restore; `bytes` has trainer_state_bytes bytes, in the byte order of the
// machine.
size_t trainer_state_bytes(const struct trainer *trainer);
void trainer_save(const struct trainer *trainer, void *bytes);

// Restores a state into a new trainer of the same options. Returns false, with the trainer unchanged, if the
// bytes are not a state of these options.
bool trainer_restore(struct trainer *trainer, const void *bytes, size_t n);
