// SPDX-License-Identifier: Apache-2.0
// Draws the times of operations and messages of replicates of a step. Every factor is a function of the
// seed, the replicate and what the factor is for, so that all orders and policies meet the same times,
// in any order of evaluation. model.md, Noise, has the equations.
#pragma once

#include "kernels/common/executor/executor_lanes.h"

enum noise_kind {
    NOISE_NORMAL,    // max(0.1, 1 + level z)
    NOISE_LOGNORMAL, // mean 1, standard deviation level
    NOISE_GAMMA,     // mean 1, standard deviation level
};

// Operations that share a part of their factor.
enum noise_group {
    NOISE_ALONE,
    NOISE_DEVICE,      // operations of a device
    NOISE_MICRO_BATCH, // operations of a micro-batch; with slices: of a slice
    NOISE_WINDOW,      // operations of a device that start in the same window of time
};

// {.seed = ...} is no noise.
struct noise {
    uint64_t seed;
    enum noise_kind kind;
    double level;         // of operations, within [0, 1)
    double message_level; // of messages, within [0, 1)
    // A message is an outlier with probability outlier_p: then it takes outlier_k times its nominal time,
    // or, if outlier_alpha > 0, u^(-1 / outlier_alpha) times, u uniform in (0, 1).
    double outlier_p, outlier_k, outlier_alpha;
    enum noise_group group;
    double rho;    // correlation of two operations of a group, within [0, 1]
    double window; // length of a window of time, > 0
    // A device is slow by the factor straggler_k with probability straggler_p in each replicate, or by
    // straggler[device] in all; NULL: 1. With `until` > 0 only from time `from` to `until`.
    double straggler_p, straggler_k;
    const double *straggler;
    double from, until;
    // Least time of an operation and of a message as in the published project, instead of 0.1 of the
    // nominal time.
    bool published_floors;
};

// Least times of an operation and of a message with published_floors.
#define NOISE_FLOOR         0.1
#define NOISE_MESSAGE_FLOOR 0.05

// Returns whether all replicates have the nominal times: there is nothing to draw.
bool noise_is_none(const struct noise *noise);

// Takes the arrays of times for pipelines of at most this shape. with_r: with times of R.
void noise_times_take(struct executor_times *times, const struct pipeline_shape *most,
                      bool with_r, struct room *room);

// Draws replicates `first` to first + EXECUTOR_LANES - 1. Level 0 without anything else gives exactly the
// nominal times. If durations depend on the time, sets times->duration; noise and pipeline must then
// outlive the last call.
void noise_draw(const struct noise *noise, const struct pipeline *pipeline, uint32_t first,
                struct executor_times *times);

// What a random number is for. `stage` of a message: of its sender.
struct noise_key {
    uint32_t kind; // enum noise_purpose
    uint32_t direction, stage, item, replicate;
};

enum noise_purpose {
    NOISE_FORWARD,
    NOISE_BACKWARD,
    NOISE_WEIGHTS,
    NOISE_FORWARD_MESSAGE,
    NOISE_BACKWARD_MESSAGE,
    NOISE_OF_DEVICE,
    NOISE_OF_POLICY,  // sampling of actions
    NOISE_OF_WEIGHTS, // initial weights of a network
    NOISE_RECOMPUTE,
    NOISE_BOOTSTRAP,
};

enum noise_draw_index { NOISE_JITTER, NOISE_COIN, NOISE_SIZE, NOISE_SHARED };

// Returns the normal number, or the uniform number in (0, 1), of a key and a draw.
double noise_normal(uint64_t seed, const struct noise_key *key, enum noise_draw_index draw);
double noise_uniform(uint64_t seed, const struct noise_key *key, enum noise_draw_index draw);
