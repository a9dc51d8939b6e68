// SPDX-License-Identifier: Apache-2.0
// The order of forward and backward attention kernels on one rank, and the search for the numbers of
// layers, recomputed layers and micro-batches that give this order (layer_cut.h).
#pragma once

#include "planner/profiles/kernels/layer_cut.h"

#include <stdbool.h>
#include <stddef.h>

// The kernels of a piece of a trace that begins with a step.
struct layer_order {
    const size_t *before; // [backward kernel]: forward kernels of the trace before it
    size_t n_backward;    // of the trace
    size_t first_forward, first_backward; // of the piece, which reaches to the end of the trace
};

// A hypothesis. All counts are in kernels: layers times kernels per layer.
struct order_shape {
    size_t layers;
    size_t warm_up;
    size_t micro_batches;     // per step; 0: unknown
    bool has_steady_part;     // more micro-batches than warm_up + 1 are allowed
    const size_t *recomputed; // [backward kernel of a pass]: recomputed forwards before it
};

// A backward pass and the forward pass of the same micro-batch.
struct order_pass {
    size_t step, micro_batch;
    size_t forward, backward; // first kernels, as indices of all forward and backward kernels
};

// Follows the order as long as the kernels agree with the shape. Writes the passes (room for
// n_backward / layers) and returns their number; sets *micro_batches to the count per step, 0 if the
// order does not show it, and *is_complete if all kernels agree. The last pass may be incomplete.
size_t order_follow(const struct layer_order *order, const struct order_shape *shape,
                    struct order_pass *passes, size_t *micro_batches, bool *is_complete);

// ---- search -------------------------------------------------------------------------------------

struct order_found {
    struct order_shape shape; // its `recomputed` is that of the search
    struct layer_order order; // where the shape begins
    size_t per_layer;         // kernels per layer and pass
    size_t micro_batches;     // per step; 0: the order does not show it
    bool is_complete;         // all kernels from the beginning on agree
    size_t *recomputed;       // room for n_backward
    struct order_pass *passes;
    size_t n_passes; // 0: no shape was found
};

// Finds the shape that gives the order of the kernels. Kernels before the first whole step, of a step
// that began before the trace, are left out. The caller calls order_found_free() in every case. false:
// out of memory.
bool order_search(struct order_found *found, const size_t *before, size_t n_backward,
                  const struct layer_request *request);
void order_found_free(struct order_found *found);
