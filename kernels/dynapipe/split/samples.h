// SPDX-License-Identifier: Apache-2.0
// Holds the lengths of the samples of one global batch, pads them, and sorts the samples by length.
#ifndef PPS_DYNAPIPE_SPLIT_SAMPLES_H
#define PPS_DYNAPIPE_SPLIT_SAMPLES_H

#include "kernels/common/plan/room.h"

#include <stdint.h>

enum {
    SPLIT_LENGTH_MULTIPLE = 8, // padded lengths are multiples of this
    SPLIT_TARGET_EXTRA = 2,    // begin and end tokens of a target
    SPLIT_SAMPLES_MAX = 65536,
    SPLIT_LENGTH_MAX = 1 << 24,
};

// The arrays belong to the caller. Lengths: 0 to SPLIT_LENGTH_MAX.
struct split_samples {
    int32_t count;
    const int32_t *input;  // [count]
    const int32_t *target; // [count]; NULL: the network has no decoder
    int32_t
        offset; // tokens by which the network shortens a sequence: 1 for next-token models, else 0
};

// Returns the padded length of a sequence to which the network adds `extra` tokens; 0 for length 0.
int32_t split_padded(int32_t length, int32_t extra, int32_t offset);

// Return the padded lengths of sample i; the target is 0 without a decoder.
int32_t split_input_of(const struct split_samples *samples, int32_t i);
int32_t split_target_of(const struct split_samples *samples, int32_t i);

// A sample as sorting compares it.
struct split_key {
    int32_t input, target, index;
};

// Writes the samples in descending order of (input, target, index). order, keys: [count].
void split_sort(const struct split_samples *samples, struct split_key *keys, int32_t *order);

#endif
