// SPDX-License-Identifier: Apache-2.0
// Lists the contents that a chunk can have: how many body layers of every kind. Of the contents with equally many
// layers only the undominated ones stay: none has both a shorter backward and less activations.
#pragma once

#include "kernels/balance/model/layers.h"
#include "kernels/common/plan/room.h"

struct content {
    double backward;      // of a micro-batch, head and tail excluded
    double activation_mb; // of a micro-batch
    int32_t count[BALANCE_KINDS];
};

enum {
    CONTENTS_LIST_MAX = 1 << 18,
    CONTENTS_FRONT_MAX = 1 << 14
}; // of all layers; of one number of layers

struct contents {
    const struct balance_layers *layers;
    int32_t layers_max, built; // lists exist for 0 .. built layers; -1: none
    size_t list_cap, front_cap;
    size_t *first; // [layers_max + 2]: the list of n layers is first[n] .. first[n + 1] - 1,
    struct content *list;        // by increasing backward and decreasing activations
    struct content *front[2][2]; // by family of kinds, and previous or next: [front_cap]
    size_t n_front[2];
    int32_t now;                                // which of the two fronts is the previous one
    bool is_full;                               // a list did not fit in the memory
    double least_backward, least_activation_mb; // of one layer
};

// Full recomputation needs memory for the layer that is computed again. Where it does, a stage has two ways: all kinds
// and less memory, or no full recomputation. Of both, lists are undominated for themselves.
enum content_way { CONTENT_ALL_KINDS, CONTENT_NOT_FULL, CONTENT_WAYS };

// Returns the number of ways.
int contents_ways(const struct balance_layers *layers);

// Returns how many contents the lists can hold.
size_t contents_cap(const struct balance_layers *layers, int32_t layers_max);

// Takes the memory for chunks of up to layers_max layers.
void contents_take(struct contents *contents, const struct balance_layers *layers,
                   int32_t layers_max, struct room *room);

// Opens the contents of all ways and returns their number. not_full: room for the layers without full recomputation,
// which outlives the contents.
int contents_open_ways(struct contents contents[CONTENT_WAYS],
                       const struct balance_layers *layers, struct balance_layers *not_full);

// Extends the lists to n <= layers_max layers. Returns false if they do not fit in the memory.
bool contents_extend(struct contents *contents, int32_t n);

// Returns the content of n layers, whose list exists, with the least activations of all whose backward is at most
// `slowest`; NULL: there is none.
const struct content *contents_lightest(const struct contents *contents, int32_t n,
                                        double slowest);
