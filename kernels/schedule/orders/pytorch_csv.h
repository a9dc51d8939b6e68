// SPDX-License-Identifier: Apache-2.0
// The CSV of torch.distributed.pipelining: one row per rank, in which every cell is an action.
//
//   cell   = blank | action | "(" action ";" action ")OVERLAP_F_B"
//   action = stage type micro-batch, as in 1F3: stage 1, micro-batch 3
//   type   = F | I | W | B | SEND_F | RECV_F | SEND_B | RECV_B | UNSHARD | RESHARD | REDUCE_GRAD
//
// I is our B (backward of the input), B is our BW (whole backward). A pair is an F and then a B. UNSHARD,
// RESHARD and REDUCE_GRAD have no micro-batch and are ignored. Blank cells are idle steps. Sends and
// receives name the stage of the device that they run on; they are checked and dropped, because the
// executor makes the messages.
#pragma once

#include "base/text/text_buffer.h"
#include "kernels/common/plan/order.h"
#include "ppsweep/fault.h"

// Returns whether the CSV can hold orders of this shape; order: and this one; NULL: without R. Otherwise the
// fault has the reason.
bool pytorch_csv_holds(const struct pipeline_shape *shape, const struct order *order,
                       struct pps_fault *fault);

// Appends the order as CSV, without blank cells; with `messages` also the sends and receives, in the
// places in which PyTorch puts them. Returns false, with the reason in fault->text, for an order with
// two directions, slices or recomputed forwards, and, with messages, for one that deadlocks. An empty
// fault->text means out of memory.
bool pytorch_csv_write(const struct pipeline *pipeline, const struct order *order,
                       bool messages, struct text_buffer *out, struct pps_fault *fault);

// Appends the action of an operation, as in 1F3. The operation is not an R.
void pytorch_csv_write_operation(const struct operation *operation, struct text_buffer *out);
