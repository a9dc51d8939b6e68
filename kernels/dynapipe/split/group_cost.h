// SPDX-License-Identifier: Apache-2.0
// Computes time and memory of a micro-batch on the busiest device of a pipeline from the cost of one layer.
// Times are in ms, memory in MB (10^6 bytes).
#pragma once

#include "kernels/dynapipe/model/micro_batches.h"

// The cost of one layer with one micro-batch. Times are the sums of forward and backward. Decoder values
// are ignored without a decoder.
struct split_layer_cost {
    double encoder, decoder, postprocess;  // postprocess: output head and loss
    double encoder_stored, decoder_stored; // kept from forward to backward
    double encoder_peak, decoder_peak;     // highest additional memory while a forward runs
};

// The caller's cost tables. cost returns false if the micro-batch is outside the tables. rows, input, target: the
// shape of the micro-batch, lengths padded; target is 0 without a decoder. The same arguments give the
// same result.
struct split_costs {
    bool (*cost)(void *self, enum dynapipe_recompute recompute, int32_t rows, int32_t input,
                 int32_t target, struct split_layer_cost *out);
    void *self;
};

// The pipeline as the division of samples sees it.
struct split_pipeline {
    int32_t devices;
    int32_t chunks;   // stages per device
    int32_t layers;   // of the largest stage
    int32_t replicas; // data-parallel
    bool has_decoder;
};

// Parameters, gradients and optimiser of one layer in MB, with the sharding factor applied.
struct split_state {
    double embedding, encoder, decoder;
};

// Returns the state of device 0.
double split_state_of_first_device(const struct split_pipeline *pipeline,
                                   const struct split_state *state);

struct split_group {
    int32_t rows, input, target; // shape, lengths padded
    double time, stored, peak;   // of all stages of one device
};

// Sets time, stored and peak of a group from its shape. Returns false if it is outside the tables.
bool split_group_price(const struct split_pipeline *pipeline, const struct split_costs *costs,
                       enum dynapipe_recompute recompute, struct split_group *group);

// Returns the weight of the longest group in the objective: (devices - 1) / chunks.
double split_longest_weight(const struct split_pipeline *pipeline);

// Returns the objective of a division: the fill of the pipeline plus the work of one replica.
double split_objective(const struct split_pipeline *pipeline, double longest, double sum);
