// SPDX-License-Identifier: Apache-2.0
// Computes when every pass of a strategy's step runs, as early as the order of its schedule allows,
// and the memory of every stage after each pass: the timeline behind the closed forms of
// estimate.h.
#pragma once

#include "kernels/common/estimate/reference.h"

#include "kernels/common/interleaved/passes.h"

enum nd_steptimes_status {
    ND_STEPTIMES_DONE,
    ND_STEPTIMES_NO_ORDER, // fewer micro-batches than stages, or too many passes
    ND_STEPTIMES_NO_MEMORY,
};

// Computes the passes of the default split, all layers recomputed as in the strategy; s and
// bytes. `fixed` are parameters, gradients, optimizer and reserve; there are no limits. The
// caller frees the passes with passes_free in every case.
enum nd_steptimes_status nd_steptimes_of(struct passes *passes, const struct nd_estimate *e,
                                         struct nd_cache *cache, const struct nd_point *point);
