// SPDX-License-Identifier: Apache-2.0
// Generates the orders of a shape: 1F1B, the two interleaved orders, and those of micro-batches that are split
// into pieces along the sequence. Operations are F and BW; their item is micro-batch * pieces + piece.
#pragma once

#include "kernels/balance/model/strategy.h"
#include "kernels/common/interleaved/orders.h"

// Returns why a shape has no order, one of a fixed set of texts; NULL: it has one.
const char *balance_shape_misfit(const struct balance_shape *shape);

// Returns the pipeline that runs the orders, PIPELINE_LOOP; its micro-batches are the pieces.
struct pipeline_shape balance_pipeline(const struct balance_shape *shape);

// Returns the shape whose orders these are, but for the backwards of pieces: pieces are micro-batches of their own.
struct orders_shape balance_orders(const struct balance_shape *shape);

// Writes the orders of all stages to an order with room for 2 * chunks * micro_batches * pieces operations each.
void balance_order_write(const struct balance_shape *shape, struct order *order);
