// SPDX-License-Identifier: Apache-2.0
// Collects orders of one pipeline from several sources, keeps the best few, and improves them by local
// search.
#pragma once

#include "kernels/schedule/families/family.h"

struct contest;

// Takes a contest for pipelines of at most this shape and orders of at most `operations` per device. NULL:
// the room only counts.
struct contest *contest_take(const struct pipeline_shape *most, int32_t operations,
                             struct room *room);

// Starts without an order.
void contest_open(struct contest *contest, const struct pipeline *pipeline,
                  const struct family_options *options, struct poll *poll);

// Returns an order to write to, empty; contest_offer takes it.
struct order *contest_blank(struct contest *contest);

// Evaluates the order that contest_blank returned. from: its family; NULL: the search itself. Orders that
// cannot run or exceed a limit of memory are dropped. Returns the value; INFINITY: dropped.
double contest_offer(struct contest *contest, const struct family *from);

// Offers orders of many dispatch rules. For one direction without slices.
void contest_dispatch(struct contest *contest, bool whole_backward);

// Offers orders of many repeated patterns, for the placements linear and V.
void contest_patterns(struct contest *contest);

// Improves the orders that were kept, until the budget of the options is used or an order reaches the
// lower bound of the pipeline.
void contest_improve(struct contest *contest);

// Copies the best order, and sets the result with the lower bound of the pipeline. FAMILY_NO_ROOM: no order was kept.
enum family_status contest_finish(struct contest *contest, struct order *order,
                                  struct family_result *result);

// Returns the lower bound of the objective for every order of a pipeline, and whether a value reaches it.
double contest_bound(const struct pipeline *pipeline, enum family_objective objective);
bool contest_reaches(double value, double bound);
