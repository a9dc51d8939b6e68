// SPDX-License-Identifier: Apache-2.0
// Places the weight gradients of an order anew: keeps the order of all other operations, and runs weight
// gradients where a device would wait, or where memory must be freed. For pipelines of one direction
// without slices, and orders with B and W.
#pragma once

#include "kernels/common/pipeline/poll.h"
#include "kernels/common/plan/order.h"

struct refill;

// NULL: the room only counts.
struct refill *refill_take(const struct pipeline_shape *most, struct room *room);

enum refill_status { REFILL_DONE, REFILL_NO_ROOM, REFILL_STOPPED };

// Writes the order `to`, which is empty. A weight gradient fills a gap of at least `threshold` of its
// time. REFILL_NO_ROOM: `from` exceeds a limit of the pipeline, or cannot run.
enum refill_status refill_build(struct refill *refill, const struct pipeline *pipeline,
                                const struct order *from, double threshold, struct poll *poll,
                                struct order *to);
