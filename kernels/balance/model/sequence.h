// SPDX-License-Identifier: Apache-2.0
// Turns layers of whole micro-batches into those of pieces along the sequence. A piece needs the keys and values of
// the pieces before it, which stay until their backward; head and tail hold less of the sequence at once.
#pragma once

#include "kernels/balance/model/layers.h"

enum {
    BALANCE_TOKENS_LEAST = 4096, // of a piece
    BALANCE_INTERMEDIATE_USUAL =
        11008 // of a feed-forward layer, where a training does not say it
};

// What a training configuration says of a micro-batch.
struct balance_training {
    int64_t batch, sequence, heads, hidden, vocabulary, intermediate;
    int64_t tensor_parallel; // devices that share a layer
};

// Returns how many pieces a sequence is cut into, if `pieces` are wanted: a piece has at least 4096 tokens. Two pieces
// become one if that fails, more become as many as are possible.
int32_t balance_pieces_of(const struct balance_training *training, int32_t pieces);

// Changes the layers to those of a piece: times are divided, full recomputation is not considered.
void balance_cut_sequence(struct balance_layers *layers,
                          const struct balance_training *training, int32_t pieces);
