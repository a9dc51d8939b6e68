// SPDX-License-Identifier: Apache-2.0
// Holds the lengths of the samples of one global batch, pads them, sorts the samples by length, and packs
// them into rows.
#pragma once

#include "kernels/common/plan/room.h"

#include <stdbool.h>
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
    const int32_t
        *rows; // [count]: of ready micro-batches, padded, which are not divided; NULL: samples
};

// Returns the padded length of a sequence to which the network adds `extra` tokens; 0 for length 0.
int32_t split_padded(int32_t length, int32_t extra, int32_t offset);

// Return the padded lengths of sample i; the target is 0 without a decoder.
int32_t split_input_of(const struct split_samples *samples, int32_t i);
int32_t split_target_of(const struct split_samples *samples, int32_t i);

// Returns the tokens of a sample, or of a ready micro-batch.
int64_t split_tokens_of(const struct split_samples *samples, int32_t i);

// A sample as sorting compares it.
struct split_key {
    int32_t input, target, index;
};

// Writes the samples in descending order of (input, target, index). order, keys: [count].
void split_sort(const struct split_samples *samples, struct split_key *keys, int32_t *order);

// Rows that are being filled; the first row with enough room takes the next sample. Sequences in one row follow each
// other with one separator token between two.
struct split_rows {
    const struct split_samples *samples;
    int32_t input, target; // padded lengths of a row
    int32_t count;
    int32_t *used_input, *used_target; // [samples]: tokens of each row
};

void split_rows_take(struct split_rows *rows, int32_t samples, struct room *room);

// Empties all rows and sets their padded lengths.
void split_rows_clear(struct split_rows *rows, const struct split_samples *samples,
                      int32_t input, int32_t target);

// Adds a sample. Returns its row, which may be a new one.
int32_t split_rows_add(struct split_rows *rows, int32_t sample);
