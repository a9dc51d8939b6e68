// SPDX-License-Identifier: Apache-2.0
// Holds a strategy: how many body layers of each kind every chunk of every stage gets. Converts between these
// counts and the lists of training frameworks, in which a layer counts in the list of each of its features.
#pragma once

#include "kernels/balance/model/layers.h"

#include <stddef.h>

enum balance_order { BALANCE_BIG_MEMORY, BALANCE_LESS_MEMORY }; // of interleaved chunks

// A pipeline and its step.
struct balance_shape {
    int32_t stages; // P
    int32_t chunks; // V of a stage: chunk v of stage s is at position v * P + s of the model
    int32_t micro_batches; // M of a step
    int32_t pieces;        // q of a micro-batch along its sequence; 1: whole
    enum balance_order order;
    double
        transfer; // time from the end of an operation to the arrival of its message at another stage
};

// Counts of layers at [(kind * chunks + chunk) * stages + stage]: every layer has one kind.
struct balance_strategy {
    int32_t stages, chunks;
    int32_t *count; // [BALANCE_KINDS * chunks * stages]
};

static inline size_t balance_at(const struct balance_strategy *strategy, enum balance_kind kind,
                                int32_t chunk, int32_t stage)
{
    return ((size_t)kind * (size_t)strategy->chunks + (size_t)chunk) *
               (size_t)strategy->stages +
           (size_t)stage;
}

// Lists as frameworks read them, [chunk * stages + stage] each: layers against the even split of
// floor(L / (P V)), and how many layers have full recomputation, recomputation of operators, of communication.
struct balance_lists {
    const int32_t *offset, *full, *select, *select_comm;
};

enum balance_list {
    BALANCE_OFFSET,
    BALANCE_LIST_FULL,
    BALANCE_LIST_SELECT,
    BALANCE_LIST_COMM,
    BALANCE_LISTS,
};

// "offset", "recompute", "select_recompute", "select_comm_recompute": keys of configurations.
extern const char *const balance_list_names[BALANCE_LISTS];

// Where lists do not describe L layers.
struct balance_misplaced {
    int32_t chunk, stage; // stage -1: the sum of the offsets is wrong
    enum balance_list list;
    int64_t layers; // of the chunk; of a wrong sum: the sum
    int64_t wanted; // of a wrong sum: L - P V floor(L / (P V))
};

// Sets the counts of a strategy from lists: a layer that is in both selective lists has kind `both`. Chunks may be
// empty. Returns false if the lists do not describe L layers; *wrong then says where.
bool balance_from_lists(const struct balance_layers *layers, const struct balance_lists *lists,
                        struct balance_strategy *strategy, struct balance_misplaced *wrong);

// Returns the layers of a chunk.
int32_t balance_chunk_layers(const struct balance_strategy *strategy, int32_t chunk,
                             int32_t stage);

// Returns the entry of a chunk in a list.
int32_t balance_listed(const struct balance_layers *layers,
                       const struct balance_strategy *strategy, enum balance_list list,
                       int32_t chunk, int32_t stage);

// Writes the lists of a strategy; the arrays have [chunks * stages] entries each.
void balance_to_lists(const struct balance_layers *layers,
                      const struct balance_strategy *strategy, int32_t *offset, int32_t *full,
                      int32_t *select, int32_t *select_comm);

// Returns whether lists that are written mean this strategy when they are read: no chunk has layers of both
// selective kinds.
bool balance_is_canonical(const struct balance_strategy *strategy);

// Returns the kind of a layer that recomputes all that the considered kinds can: full, otherwise both, otherwise the
// last one; BALANCE_NONE: no other kind is considered.
enum balance_kind balance_strongest_kind(const struct balance_layers *layers);

// Gives every chunk floor(L / (P V)) layers of a kind. Layers that remain go one each to the first chunks.
void balance_naive(const struct balance_layers *layers, enum balance_kind kind,
                   struct balance_strategy *strategy);
