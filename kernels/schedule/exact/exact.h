// SPDX-License-Identifier: Apache-2.0
// Finds the order with the shortest makespan or span within the memory limits, and proves it, for
// pipelines of one direction whose backward is split.
//
// Every step of the search adds one operation to all partial schedules (dynamic programming over the
// numbers of operations done). It keeps the best ones within a width, and drops those that a lower
// bound or an earlier schedule of the same operations excludes. If nothing was dropped for lack of
// width, the best order is the optimum. The width grows from pass to pass.
#pragma once

#include "kernels/schedule/families/family.h"

struct exact_search;

// Takes a search for pipelines of this shape. More memory and a larger budget allow larger proofs.
// bytes: about the memory to use, unless the smallest search needs more. budget: that of exact_solve.
struct exact_search *exact_take(const struct pipeline_shape *shape, size_t bytes,
                                int64_t budget, struct room *room);

struct exact_result {
    double value; // of the order, without contention of messages; INFINITY: no better order
    double bound; // no order has a smaller objective
    bool proven;  // the order, or the known one, is the optimum
    int64_t evaluations; // partial schedules
};

// Writes the best order found that is better than `known`, the value of a known order (INFINITY: none).
// budget: partial schedules at most, 0: no limit but the memory; without a known order, the search
// always finds one. FAMILY_STOPPED: the poll ended the search; the order is the best one so far. The
// pipeline has one direction, no slices and at most EXACT_CHUNKS_MOST stages per device, and suits
// (exact_instance_suits); otherwise the bound does not hold, and the order may exceed the limits.
enum family_status exact_solve(struct exact_search *search, const struct pipeline *pipeline,
                               enum family_objective objective, double known, int64_t budget,
                               struct poll *poll, struct order *order,
                               struct exact_result *result);

// The optimum for small pipelines, otherwise the best order that the memory and the budget allow: with one
// stage per device, and in placement V. If the two W's of a device differ, v_ilp has no bound.
extern const struct family family_zb_ilp, family_v_ilp;
